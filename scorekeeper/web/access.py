"""Which circles this browser holds the key of, and who it is among their writers."""

from __future__ import annotations

from flask import abort, g, session

from .. import book
from ..store import Browser, Circle
from ..table import Open


def join(circle: Circle, key: str) -> None:
    """Keep the circle's key in this browser's signed cookie, and make the circle the one it is at home in."""
    held = dict(session.get("circles", {}))
    held[circle.name] = {"key": key, "browser": held.get(circle.name, {}).get("browser")}
    session["circles"] = held
    session["circle"] = circle.name
    session.permanent = True


def keys() -> dict[str, str]:
    """The name and key of every circle that this browser holds."""
    return {name: held["key"] for name, held in session.get("circles", {}).items()}


def circle() -> Circle | None:
    """The circle this browser is at home in."""
    name = session.get("circle", "")
    return book.circle_of(name, keys().get(name, ""))


def circle_or_new() -> Circle:
    found = circle()
    if found is None:
        found, key = book.make_circle()
        join(found, key)
    return found


def table_or_not_yours(token: str) -> Open:
    """The table at that address; for one who may not see it there is none, and no page tells the difference."""
    table = book.read_table(keys(), token)
    if table is None:
        abort(404)
    g.names = table.names
    return table


def browser(of: Circle) -> Browser:
    """Who writes: the same browser is the same writer all along."""
    held = dict(session["circles"])
    mine = held[of.name]
    found = book.browser_of(of, mine["browser"]) or book.new_browser(of)
    if mine["browser"] != found.id:
        held[of.name] = mine | {"browser": found.id}
        session["circles"] = held
    return found
