"""The three places of a circle and *More*: the bar at the foot of its pages, and which place a page belongs to."""

from __future__ import annotations

from flask import Flask, current_app, g, request

from ...models import Browser
from . import access

# By the area of the views, and for single pages of other areas. All other pages belong to *More*.
_AREAS = {"tables": "table", "money": "money"} | dict.fromkeys(
    ("events", "people", "planned", "seasons", "totals"), "evening"
)
_PAGES = {
    "home.home": "table",
    "circles.show": "evening",
}


def init_app(app: Flask) -> None:
    """Add the template function `find_place`."""
    app.jinja_env.globals["find_place"] = find_place


def find_place() -> str:
    """Return the place that the page belongs to: table, money, evening or more."""
    endpoint = request.endpoint or ""
    if endpoint in _PAGES:
        return _PAGES[endpoint]
    view = current_app.view_functions.get(endpoint)
    area = view.__module__.split(".")[2] if view is not None else ""  # scorekeeper.web.<area>
    return _AREAS.get(area, "more")


def show_home_circle(browsers: list[Browser] | None = None) -> Browser | None:
    """Return `access.home_browser`, and set `g.browser` to it, so that the page has the circle's places."""
    browser = access.home_browser(browsers)
    if browser is not None:
        g.setdefault("browser", browser)
    return browser
