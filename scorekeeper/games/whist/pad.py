"""What can be tapped to tell a deal of Whist, and of its variants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...scoring.pad import CARDS, Choice, Group
from ...scoring.sides import SIDES, spelled_out
from .ledger import BOOK, CALL_AT, HONOURS_POINTS, TRICKS, WhistStanding


def pad(standing: WhistStanding, _said: Mapping[str, Any]) -> Iterator[Group]:
    """One strip a side, tricks over six, with the call beside it; then honours."""
    calls = tuple(
        Choice(
            f"called-{side}",
            {"called": side},
            "whist.called",
            row=side,
            offered=standing.scores[side] == CALL_AT,
        )
        for side in SIDES
    )
    yield Group("tricks", ("tricks", "called"), odd_tricks() + calls)
    yield honours_group()


def odd_tricks() -> tuple[Choice, ...]:
    return tuple(
        Choice(f"{side}-{over}", {"tricks": {side: BOOK + over}}, over, row=side)
        for side in SIDES
        for over in range(1, TRICKS - BOOK + 1)
    )


def honours_group() -> Group:
    none = Choice("none", {}, "choice.none")
    held = tuple(
        Choice(
            f"{side}-{count}",
            {"honours": {"side": side, "count": count}},
            "whist.honours",
            row=side,
            params={"count": count, "points": points},
        )
        for side in SIDES
        for count, points in HONOURS_POINTS.items()
    )
    return Group("honours", ("honours",), (none, *held), kind=CARDS, required=False, default="none")


def complete(_standing: WhistStanding, facts: dict[str, Any]) -> dict[str, Any]:
    """Both sides' tricks from one side's; a deal that was called was not played and has neither tricks nor honours."""
    if "called" in facts:
        return {key: value for key, value in facts.items() if key != "honours"}
    return spelled_out(facts, "tricks", TRICKS)
