"""What can be tapped to tell a deal of Quarante de rois."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...scoring.pad import CARDS, Choice, Group
from ...scoring.sides import NS, spelled_out
from ...scoring.standing import Standing
from .ledger import CARD_POINTS, CLIQUES, COURT_CARDS


def pad(standing: Standing, said: Mapping[str, Any]) -> Iterator[Group]:
    """The kings, queens and jacks that North-South took, which make the card points; then the clique and its player."""
    for rank, points in COURT_CARDS.items():
        yield Group(
            rank,
            ("card_points",),
            tuple(Choice(str(n), {"card_points": {NS: n * points}}, n) for n in range(5)),
            adds=True,
        )
    yield Group("clique", ("clique",), tuple(_cliques()), kind=CARDS, required=False, default="none")
    yield Group(
        "clique-player", ("clique",), tuple(_players(standing)), kind=CARDS, required="rank" in said.get("clique", {})
    )


def _cliques() -> Iterator[Choice]:
    yield Choice("none", {}, "choice.none")
    for (rank, count), points in CLIQUES.items():
        clique = {"clique": {"rank": rank, "count": count}}
        yield Choice(
            f"{rank}-{count}",
            clique,
            f"quarante-de-rois.{rank}-{count}",
            params={"points": points, "rank": rank, "count": count},
        )


def _players(standing: Standing) -> Iterator[Choice]:
    order = [*standing.others(standing.dealer), standing.dealer]
    for player in order:
        yield Choice(player, {"clique": {"player": player}}, "party", params={"party": player})


def complete(_standing: Standing, facts: dict[str, Any]) -> dict[str, Any]:
    """Both sides' card points; a player tapped where no clique was shown says nothing."""
    facts = spelled_out(facts, "card_points", CARD_POINTS)
    clique = facts.get("clique")
    if isinstance(clique, dict) and "rank" not in clique:
        return {key: value for key, value in facts.items() if key != "clique"}
    return facts
