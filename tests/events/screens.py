"""The pages of events to check."""

from __future__ import annotations

from collections.abc import Sequence

from ..support.visitor import Visitor
from .filled import begin

PAGES = (
    *("", "/director", "/settings", "/links", "/entrants", "/entrants/1", "/money", "/rounds/1", "/rounds/1/tables/1"),
    *("/tables/2", "/results", "/wall", "/paper"),
)
SCREENS = [("/rules/events",), ("events", "circle"), ("events/new", "circle"), *((page, "event") for page in PAGES)]


def add(visitor: Visitor, circle: str, names: Sequence[str]) -> dict[str, str]:
    """Add an event whose first round is played: a table has a result, one waits, for the director too."""
    settings = {"title": f"{names[0]}’s drive", "rounds": "9", "fee": "2.50", "prizes-0-amount": "20"}
    event = begin(visitor, circle, (*names, *(f"{name} II." for name in names[:4])), settings)
    for score in ("8", "7"):
        visitor.visit(f"{event}/rounds/1/tables/1").send({"score-0": score, "do": "record"})
    visitor.visit(f"{event}/tables/2").send({}, "/call")
    visitor.visit(f"{event}/entrants/1")
    visitor.send({"round": "3"}, "/leave")
    return {"event": event}
