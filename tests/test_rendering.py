"""Views read what their templates show."""

from __future__ import annotations

from typing import Any

from flask import Flask, before_render_template, template_rendered

from .support.filled import fill_circle, requests
from .support.statements import counted
from .support.visitor import Visitor


def test_no_page_queries_while_it_is_rendered(app: Flask, visitor: Visitor) -> None:
    circle = fill_circle(visitor)
    queries: dict[str, list[str]] = {}
    begun: list[int] = []
    with counted(app) as statements:

        def begin(_app: Flask, **_context: Any) -> None:
            begun.append(len(statements))

        def end(_app: Flask, template: Any, **_context: Any) -> None:
            queries.setdefault(template.name, []).extend(statements[begun.pop() :])

        with before_render_template.connected_to(begin, app), template_rendered.connected_to(end, app):
            for rule, method, path in requests(app, circle.values):
                if not rule.endpoint.endswith("stream"):
                    circle.host.client.open(path, method=method).close()
    assert len(queries) > 60
    assert {name: found for name, found in queries.items() if found} == {}
