"""What events add to a filled circle."""

from __future__ import annotations

from collections.abc import Sequence

from ..support.filled import Circle
from ..support.visitor import Visitor

DRIVE = {"title": "Drive", "game": "whist", "scoring": "tricks", "rounds": "3", "length": "1", "has_check_in": "yes"}


def begin(host: Visitor, circle: str, names: Sequence[str], settings: dict[str, str]) -> str:
    host.visit(f"{circle}events/new?format=individual").send(DRIVE | settings)
    event = host.path.removesuffix("/entrants")
    host.send({"names": "\n".join(names)}, "/entrants")
    for what in ("/draw", "/start"):
        host.visit(f"{event}/director").send({}, what)
    return event


def fill(circle: Circle, names: tuple[str, ...]) -> dict[str, str]:
    event = begin(circle.host, circle.path, names, {"fee": "5", "currency": "EUR"})
    return {"event": event.rpartition("/")[2]}
