"""A site below a path of its name, such as https://example.org/scores/: SCOREKEEPER_PATH.

The proxy passes the whole path on. Flask's APPLICATION_ROOT holds it: cookies are sent to this path only, and every
address that `url_for` makes begins with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any

from flask import Flask, request
from werkzeug.exceptions import NotFound

from ...errors import StartupError

ROOT = "/"
# Nothing that would have to be encoded, and no folder named ".."
_PATH = re.compile(r"((?:/[\w~-][\w.~-]*)*)/?", re.ASCII)

WSGIApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def parse_path(name: str, setting: str) -> str:
    """Return the path without a slash at its end; "" for the root.

    Raises:
        StartupError: it is no path; `name` is the setting's.
    """
    found = _PATH.fullmatch(setting)
    if found is None:
        raise StartupError("setting-path", name=name, value=setting)
    return found[1]


def get_path(app: Flask) -> str:
    """Return the path that all addresses of the site begin with; "" at the root of its name."""
    root: str = app.config["APPLICATION_ROOT"]
    return root.rstrip("/")


def this_page(with_query: bool = True) -> str:
    """Return the address of the page that was asked for, below the site's name."""
    path = request.full_path if with_query and request.query_string else request.path
    return request.root_path.rstrip("/") + path


def init_app(app: Flask) -> None:
    """Register after all routes: take the site's path off each address, and add the template function `this_page`."""
    app.jinja_env.globals["this_page"] = this_page
    if path := get_path(app):
        host_pages = {rule.rule for rule in app.url_map.iter_rules() if rule.endpoint.startswith("health.")}
        app.wsgi_app = BelowPath(app.wsgi_app, path, host_pages)  # type: ignore[method-assign]  # as Flask documents


class BelowPath:
    """A WSGI app whose addresses begin with a path, except for `others`, which programs on the server ask for."""

    def __init__(self, app: WSGIApp, path: str, others: Collection[str]) -> None:
        self.app = app
        self.path = path
        self.others = others

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request; 404 to an address that is not below the path."""
        asked: str = environ["PATH_INFO"]
        rest = asked.removeprefix(self.path)
        if rest != asked and rest[:1] in ("", "/"):
            environ["SCRIPT_NAME"], environ["PATH_INFO"] = self.path, rest
        elif asked not in self.others:
            return NotFound()(environ, start_response)
        return self.app(environ, start_response)
