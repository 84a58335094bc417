"""Whist, and what its variants share: the facts of a deal and what follows from them, in the order of the rules."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from ...scoring.game import Check
from ...scoring.ledger import Entry, mark
from ...scoring.remarks import Remark
from ...scoring.sides import SIDES, other_side, sum_faults
from ...scoring.standing import MANCHE, ROBRE, Closing, Standing, paid_from_the_left
from ...scoring.values import Between, Side
from .counters import Laid, laid

TRICKS = 13
BOOK = 6  # tricks before the first that counts
MANCHES_TO_WIN = 2
HONOURS_POINTS = {3: 2, 4: 4}  # points for that many of the four honours
CALL_AT = 8  # points at which three honours may be called
CALL_POINTS = 2

REASONS = ("tricks", "honours", "called", "robre")

Tricks = dict[Side, Annotated[int, Between(0, TRICKS)]]


@dataclass(frozen=True)
class Scale:
    """What a game of this family is played to, as data.

    `points` win the manche. `worth` lists what a manche is worth, (from this many points of the losers, manche
    points). A side that stands at `silent_at` when a deal begins scores no honours in it.
    """

    points: int
    worth: tuple[tuple[int, int], ...]
    silent_at: int | None = None

    def manche_points(self, losers: int) -> int:
        return [points for least, points in self.worth if losers >= least][-1]


LONG = Scale(points=10, worth=((0, 2), (5, 1)))
LATER_ENGLISH = replace(LONG, silent_at=9)


@dataclass(frozen=True)
class Options:
    robre_points: Literal[1, 2, 4, 6] = 1
    losing_honours: bool = False
    honours_at_nine: bool = True


@dataclass(frozen=True)
class Honours:
    side: Side
    count: Literal[3, 4]


@dataclass(frozen=True)
class Deal:
    tricks: Tricks | None = None
    honours: Honours | None = None
    called: Side | None = None


@dataclass(slots=True)
class WhistStanding(Standing):
    """`manches_won` and `manche_points` are of the robre under way, by side; `robre` is its number."""

    scale: Scale = LONG
    robre: int = 1
    manches_won: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIDES, 0))
    manche_points: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIDES, 0))

    def counters(self, side: str) -> Laid:
        """How the side's four counters lie, where the manche is played to ten."""
        return laid(self.scores[side])


def long_standing(options: Options, **opening: Any) -> WhistStanding:
    scale = LONG if options.honours_at_nine else LATER_ENGLISH
    return WhistStanding(options=options, scale=scale, **opening)


def tricks_faults(_standing: WhistStanding, deal: Deal) -> list[Remark]:
    if deal.tricks is None:
        return [] if deal.called is not None else [Remark("tricks", "missing")]
    return sum_faults("tricks", deal.tricks, TRICKS)


def not_played_faults(_standing: WhistStanding, deal: Deal) -> list[Remark]:
    told = deal.tricks is not None or deal.honours is not None
    return [Remark("called", "whist.called-is-not-played")] if deal.called is not None and told else []


def call_faults(standing: WhistStanding, deal: Deal) -> list[Remark]:
    if deal.called is None or (has := standing.scores[deal.called]) == CALL_AT:
        return []
    return [Remark("called", "whist.call-at-eight", {"party": deal.called, "has": has, "must": CALL_AT})]


CHECKS = (
    Check(("tricks", "honours", "called"), not_played_faults),
    Check(("called",), call_faults),
    Check(("tricks", "called"), tricks_faults),
)


def score(standing: WhistStanding, deal: Deal) -> list[Entry]:
    if deal.called is not None:
        return [mark(deal.called, CALL_POINTS, "called")]
    return score_play(standing, deal.tricks or {}, deal.honours)


def score_play(standing: WhistStanding, tricks: Tricks, honours: Honours | None) -> list[Entry]:
    """Marks of a deal that was played: the tricks above six first, then honours."""
    side, count = next(iter(tricks.items()))
    if count <= BOOK:
        side, count = other_side(side), TRICKS - count
    entries = [mark(side, count - BOOK, "tricks")]
    if honours is not None and _honours_count(standing, honours.side, side, count - BOOK):
        entries.append(mark(honours.side, HONOURS_POINTS[honours.count], "honours"))
    return entries


def _honours_count(standing: WhistStanding, holders: str, trick_side: str, over: int) -> bool:
    """Not those of a side that stood where honours are silent, nor the losers' once the tricks have won the manche."""
    if standing.scores[holders] == standing.scale.silent_at:
        return False
    out_by_tricks = standing.scores[trick_side] + over >= standing.scale.points
    return holders == trick_side or not out_by_tricks or standing.options.losing_honours


def close(standing: WhistStanding) -> Closing | None:
    scores, points = standing.scores, standing.scale.points
    if scores["ns"] >= points or scores["ew"] >= points:
        return _manche(standing)
    won = standing.manches_won
    if won["ns"] == MANCHES_TO_WIN or won["ew"] == MANCHES_TO_WIN:
        return _robre(standing)
    return None


def _manche(standing: WhistStanding) -> Closing:
    out = [side for side in SIDES if standing.scores[side] >= standing.scale.points]
    # Both can be out only where losing honours count; tricks, the first mark of a deal, come before honours.
    winner = out[0] if len(out) == 1 else standing.rows[-1].entries[0].taker or ""
    worth = standing.scale.manche_points(standing.scores[other_side(winner)])
    standing.manches_won = standing.manches_won | {winner: standing.manches_won[winner] + 1}
    standing.manche_points = standing.manche_points | {winner: standing.manche_points[winner] + worth}
    figures = {"robre": standing.robre, "scores": standing.scores.copy(), "points": worth}
    return Closing(MANCHE, winner, figures)


def _robre(standing: WhistStanding) -> Closing:
    winner = max(SIDES, key=lambda side: standing.manches_won[side])
    own = standing.options.robre_points
    points = standing.manche_points | {winner: standing.manche_points[winner] + own}
    margin = points[winner] - points[other_side(winner)]
    standing.robre += 1
    standing.manches_won = dict.fromkeys(SIDES, 0)
    standing.manche_points = dict.fromkeys(SIDES, 0)
    entries = paid_from_the_left(standing, winner, margin, "robre")
    return Closing(ROBRE, winner, {"points": points, "margin": margin}, entries)


def reckon(deal: Deal, entry: Entry) -> dict[str, int]:
    if entry.reason == "tricks":
        return {"tricks": BOOK + entry.amount, "book": BOOK}
    if entry.reason == "honours" and deal.honours is not None:
        return {"honours": deal.honours.count}
    return {}


def report(standing: WhistStanding) -> dict[str, Any]:
    return {
        "manches": standing.closed(MANCHE),
        "robre": {"manches": standing.manches_won, "points": standing.manche_points},
        "robres": standing.closed(ROBRE),
    }
