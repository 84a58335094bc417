"""The pad of Quarante de rois."""

from __future__ import annotations

from collections.abc import Iterator

from ...api import CARDS, NS, Choice, ChoiceGroup, Facts, JsonObject, Standing, with_both_sides
from .rules import CARD_POINTS, CLIQUES, COURT_CARDS, Options


def pad(standing: Standing[Options], facts: Facts) -> Iterator[ChoiceGroup]:
    for rank, points in COURT_CARDS.items():
        yield ChoiceGroup(
            rank,
            ("card_points",),
            tuple(Choice(str(n), {"card_points": {NS: n * points}}, n) for n in range(5)),
            is_additive=True,
        )
    yield ChoiceGroup("clique", ("clique",), tuple(_cliques()), kind=CARDS, required=False, default="none")
    yield ChoiceGroup(
        "clique-player", ("clique",), tuple(_players(standing)), kind=CARDS, required="rank" in facts.get("clique", {})
    )


def _cliques() -> Iterator[Choice]:
    yield Choice("none", {}, "quarante-de-rois.no-clique")
    for (rank, count), points in CLIQUES.items():
        clique = {"clique": {"rank": rank, "count": count}}
        yield Choice(
            f"{rank}-{count}",
            clique,
            f"quarante-de-rois.{rank}-{count}",
            params={"points": points, "rank": rank, "count": count},
        )


def _players(standing: Standing[Options]) -> Iterator[Choice]:
    for player in standing.players:
        yield Choice(player, {"clique": {"player": player}}, "party", params={"party": player})


def complete(_standing: Standing[Options], facts: JsonObject) -> JsonObject:
    """Add the other side's card points, and drop a player tapped without a clique."""
    facts = with_both_sides(facts, "card_points", CARD_POINTS)
    clique = facts.get("clique")
    if isinstance(clique, dict) and "rank" not in clique:
        return {key: value for key, value in facts.items() if key != "clique"}
    return facts
