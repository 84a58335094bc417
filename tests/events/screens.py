"""The pages of events to check."""

from __future__ import annotations

from collections.abc import Sequence

from ..visitor import Visitor

PAGES = (
    *("", "/director", "/settings", "/links", "/entrants", "/entrants/1", "/money", "/rounds/1", "/rounds/1/tables/1"),
    *("/tables/2", "/results", "/wall", "/paper"),
)
SCREENS = [("/rules/events",), ("events", "circle"), ("events/new", "circle"), *((page, "event") for page in PAGES)]


def add(visitor: Visitor, circle: str, names: Sequence[str]) -> dict[str, str]:
    """Add an event whose first round is played: a table has a result, one waits, for the director too."""
    visitor.visit(f"{circle}events/new?format=individual")
    drive = {"title": f"{names[0]}’s drive", "scoring": "tricks", "rounds": "9", "length": "1"}
    visitor.send(drive | {"fee": "2.50", "prizes-0-amount": "20", "has_check_in": "yes"})
    event = visitor.path.removesuffix("/entrants")
    visitor.send({"names": "\n".join((*names, *(f"{name} II." for name in names[:4])))}, "/entrants")
    for button in ("/rounds", "/rounds/1/start"):
        visitor.visit(f"{event}/director").send({}, button)
    for score in ("8", "7"):
        visitor.visit(f"{event}/rounds/1/tables/1").send({"score-0": score, "do": "record"})
    visitor.visit(f"{event}/tables/2").send({}, "/call")
    visitor.visit(f"{event}/entrants/1")
    leaving = visitor.find("form:has([name=do][value=leave])")
    visitor.send({"do": "leave", "round": "3"}, form=leaving)
    return {"event": event}
