"""The menu on pages outside a circle, which is that of the home circle."""

from __future__ import annotations

from flask import g

from ...models import Browser
from . import access


def show_home_circle(browsers: list[Browser] | None = None) -> Browser | None:
    """Return `access.home_browser`, and set `g.browser` to it, so that the page has the circle's menu."""
    browser = access.home_browser(browsers)
    if browser is not None:
        g.setdefault("browser", browser)
    return browser
