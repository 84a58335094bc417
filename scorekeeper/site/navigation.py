"""How readers get from page to page: the circle's places at the foot of each, the way back, and the pages of events."""

from __future__ import annotations

from pathlib import PurePosixPath
from types import ModuleType

from flask import Flask, request, url_for
from flask.globals import request_ctx

TABLE, MONEY, EVENING, MORE = "table", "money", "evening", "more"
# The place that pages belong to, by the name of their blueprint; of single pages, by their endpoint.
PLACES: dict[str, str] = {}
# The endpoint of an event's page, as "show". Events register it; where they are removed there is none, though there may
# be rows of events.
EVENT_PAGES: dict[str, str] = {}


def find_event_url(token: str) -> str | None:
    return url_for(EVENT_PAGES["show"], token=token) if EVENT_PAGES else None


def find_place() -> str:
    return PLACES.get(request.endpoint or "") or PLACES.get(request.blueprint or "", MORE)


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


def register(app: Flask, *views: ModuleType, place: str | None = None) -> None:
    """Register the blueprints of modules with pages, which belong to this place at the foot; without one, to *More*."""
    for view in views:
        app.register_blueprint(view.blueprint)
        if place is not None:
            PLACES[view.blueprint.name] = place


def init_app(app: Flask) -> None:
    for function in (find_place, find_address, find_way_back):
        app.add_template_global(function)
