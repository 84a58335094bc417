"""Quarante de rois: the facts of a deal and what follows from them, in the order of the rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from ...scoring.game import Check
from ...scoring.ledger import Entry, mark
from ...scoring.remarks import Remark
from ...scoring.sides import EW, NS, SIDES, held_by, other_side, sum_faults
from ...scoring.standing import PARTIE, Closing, Standing, paid_from_the_left
from ...scoring.values import MOST, Between, Player, Side

CARD_POINTS = 48  # in all the court cards together
COURT_CARDS = {"kings": 5, "queens": 4, "jacks": 3}  # card points each; there are four of each
CLIQUES = {
    ("jacks", 3): 6,
    ("queens", 3): 8,
    ("kings", 3): 10,
    ("jacks", 4): 13,
    ("queens", 4): 20,
    ("kings", 4): 40,
}
IMPOSSIBLE = frozenset({1, 2, 46, 47})  # card points that no set of court cards makes

REASONS = ("clique", "card_points", "stake")


@dataclass(frozen=True)
class Options:
    target: Annotated[int, Between(1, MOST)] = 150
    clique_first: bool = False
    stake: Annotated[int, Between(0, MOST)] = 0


@dataclass(frozen=True)
class Clique:
    player: Player
    rank: Literal["kings", "queens", "jacks"]
    count: Literal[3, 4]

    @property
    def points(self) -> int:
        return CLIQUES[self.rank, self.count]


@dataclass(frozen=True)
class Deal:
    card_points: dict[Side, Annotated[int, Between(0, CARD_POINTS)]]
    clique: Clique | None = None


def card_points_faults(_standing: Standing, deal: Deal) -> list[Remark]:
    remarks = sum_faults("card_points", deal.card_points, CARD_POINTS)
    for side, points in deal.card_points.items():
        if points in IMPOSSIBLE:
            remarks.append(Remark(f"card_points.{side}", "quarante-de-rois.no-such-sum", {"found": points}))
            break  # the other side's number is as impossible, and for the same reason
    return remarks


CHECKS = (Check(("card_points",), card_points_faults),)


def score(standing: Standing, deal: Deal) -> list[Entry]:
    entries = [mark(side, held_by(side, deal.card_points, CARD_POINTS), "card_points") for side in SIDES]
    if deal.clique is not None:
        entries.insert(0, mark(standing.side_of(deal.clique.player), deal.clique.points, "clique"))
    return entries


def close(standing: Standing) -> Closing | None:
    scores, target = standing.scores, standing.options.target
    if standing.is_finished or (scores[NS] < target and scores[EW] < target):
        return None
    winner = _out_by_clique(standing) or _higher_past_the_target(standing)
    if winner is None:
        return None
    return Closing(PARTIE, winner, {}, paid_from_the_left(standing, winner, standing.options.stake, "stake"))


def _out_by_clique(standing: Standing) -> str | None:
    """The side that had reached the target by its clique, before the cards of that deal were counted."""
    fact = standing.rows[-1].fact
    if not standing.options.clique_first or not isinstance(fact, Deal) or fact.clique is None:
        return None
    side = standing.side_of(fact.clique.player)
    before_cards = standing.scores[side] - held_by(side, fact.card_points, CARD_POINTS)
    return side if before_cards >= standing.options.target else None


def _higher_past_the_target(standing: Standing) -> str | None:
    higher = max(SIDES, key=lambda side: standing.scores[side])
    points, others = standing.scores[higher], standing.scores[other_side(higher)]
    return higher if points >= standing.options.target and points != others else None


def reckon(_deal: Deal, _entry: Entry) -> dict[str, int]:
    """Nothing: every amount is read off the table as it is."""
    return {}


def report(standing: Standing) -> dict[str, Any]:
    return {"winner": standing.winner}
