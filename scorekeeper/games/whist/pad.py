"""The pad of Whist, and the parts of it that its variants share."""

from __future__ import annotations

from collections.abc import Iterator

from ...api import CARDS, SIDES, Choice, ChoiceGroup, Facts, JsonObject, with_both_sides
from .rules import BOOK, CALL_AT, HONOURS_POINTS, TRICKS, WhistStanding


def pad(standing: WhistStanding, _facts: Facts) -> Iterator[ChoiceGroup]:
    calls = tuple(
        Choice(
            f"called-{side}",
            {"called": side},
            "whist.called",
            row=side,
            left_out=standing.scores[side] != CALL_AT,
        )
        for side in SIDES
    )
    yield ChoiceGroup("tricks", ("tricks", "called"), odd_tricks() + calls)
    yield honours_group()


def odd_tricks() -> tuple[Choice, ...]:
    return tuple(
        Choice(f"{side}-{odd}", {"tricks": {side: BOOK + odd}}, odd, row=side)
        for side in SIDES
        for odd in range(1, TRICKS - BOOK + 1)
    )


def honours_group() -> ChoiceGroup:
    none = Choice("none", {}, "whist.no-honours")
    honours = tuple(
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
    return ChoiceGroup("honours", ("honours",), (none, *honours), kind=CARDS, required=False, default="none")


def complete(_standing: WhistStanding, facts: JsonObject) -> JsonObject:
    """Add the other side's tricks. In a called deal, which is not played, drop honours instead."""
    if "called" in facts:
        return {key: value for key, value in facts.items() if key != "honours"}
    return with_both_sides(facts, "tricks", TRICKS)
