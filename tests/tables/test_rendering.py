"""Templates show what their views have read: no statement runs while a page of a table is rendered."""

from __future__ import annotations

from flask import Flask, before_render_template, template_rendered

from ..statements import counted
from ..visitor import Visitor

PAGES = (
    *("", "display", "journal", "game", "share", "details", "chart", "after/1", "deals", "changes", "print", "recap"),
    *("deals/1", "deals/2", "deals/new", "deals/1/amend", "deals/substitution", "deals/adjustment", "count", "now"),
    *("why/score/ns", "why/balance/1", "why/stake"),
)


def test_no_page_of_a_table_queries_while_it_is_rendered(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist").record(tricks="ns-2").record(tricks="ew-1")
    before: list[int] = []
    during: list[str] = []
    with counted(app) as statements:

        def begin(_app: Flask, **_rendered: object) -> None:
            before.append(len(statements))

        def end(_app: Flask, **_rendered: object) -> None:
            during.extend(statements[before.pop() :])

        with before_render_template.connected_to(begin, app), template_rendered.connected_to(end, app):
            for page in PAGES:
                visitor.visit(visitor.table + page)
                assert (visitor.status, during) == (200, []), page
