"""What events add to a filled circle."""

from __future__ import annotations

from ..filled import Circle

DRIVE = {"title": "Drive", "game": "whist", "scoring": "tricks", "rounds": "3", "length": "1"}


def fill(circle: Circle, names: tuple[str, ...]) -> dict[str, str]:
    """Begin an event at which people may check in; return its token."""
    host = circle.host
    settings = DRIVE | {"fee": "5", "currency": "EUR", "has_check_in": "yes"}
    event = host.visit(f"{circle.path}events/new?format=individual").send(settings).path.removesuffix("/entrants")
    host.send({"names": "\n".join(names)}, "/entrants")
    for what in ("/rounds", "/start"):
        host.visit(f"{event}/director").send({}, what)
    return {"event": event.rpartition("/")[2]}
