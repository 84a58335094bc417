"""How readers get from page to page: the circle's places at the foot of each, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from flask import Flask, current_app, request, url_for
from flask.globals import request_ctx

TABLE, MONEY, EVENING, MORE = "table", "money", "evening", "more"
_EXTENSION = "places"


class Tab(NamedTuple):
    """A link of a group of which one may be the page that is shown: see the macro `tabs`."""

    url: str
    label: str
    is_current: bool


def set_places(app: Flask, places: Mapping[str, str]) -> None:
    """Set the places that pages belong to, by the name of their blueprint; of single pages, by their endpoint."""
    app.extensions.setdefault(_EXTENSION, {}).update(places)


def find_place() -> str:
    places: dict[str, str] = current_app.extensions[_EXTENSION]
    return places.get(request.endpoint or "") or places.get(request.blueprint or "", MORE)


def find_address() -> str:
    """Return the address of the page that was asked for, below the site's name."""
    return request.script_root + (request.full_path if request.query_string else request.path)


def find_way_back() -> str:
    """Return the address to show after a choice of language: this page, or the page of a form that was refused.

    An address with a secret is not repeated on a page.
    """
    if "secret" in (request.view_args or {}):
        return url_for("home.home")
    adapter = request_ctx.url_adapter
    if request.method == "GET" or adapter is None or adapter.test(request.path, method="GET"):
        return find_address()
    above = (str(path) for path in PurePosixPath(request.path).parents)
    found = next((path for path in above if adapter.test(path, method="GET")), "/")
    return request.script_root + found


def init_app(app: Flask) -> None:
    for function in (find_place, find_address, find_way_back):
        app.add_template_global(function)
