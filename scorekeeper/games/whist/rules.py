"""The rules of Whist and its variants: the facts of a deal and its scoring, in the order of rules.en.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product, takewhile
from typing import Annotated, Any, Literal, NamedTuple

from ... import api


class CounterLayout(NamedTuple):
    """The number of counters in each row, from the middle of the table; one is worth 3, 1 or 5 points, as its row."""

    threes: int
    ones: int
    fives: int


NO_COUNTERS = CounterLayout(0, 0, 0)  # at 0, and from 10 on, when the manche has been won
_UP_TO_NINE = ((0, 1, 0), (0, 2, 0), (0, 3, 0), (0, 4, 0), (1, 2, 0), (1, 3, 0), (0, 2, 1), (0, 3, 1), (1, 1, 1))
LAYOUTS = {points: CounterLayout(*rows) for points, rows in enumerate(_UP_TO_NINE, start=1)}


TRICKS = 13
BOOK = 6  # tricks before the first that counts
MANCHES_TO_WIN = 2
HONOURS_POINTS = {3: 2, 4: 4}  # points for that many of the four honours
CALL_AT = 8  # points at which three honours may be called
CALL_POINTS = 2
# Odd tricks and honours make 11 at most. But where slips count points, people also write down all tricks.
POINTS_OF_DEAL = api.Range(0, TRICKS), api.Range(1, TRICKS)

REASONS = ("tricks", "honours", "called", "robre", "unfinished_robre")

Tricks = dict[api.Side, Annotated[int, api.Range(0, TRICKS)]]


@dataclass(frozen=True)
class Scale:
    points: int  # that win a manche
    worth: tuple[tuple[int, int], ...]  # of a manche: pairs (minimum points of the losers, manche points), descending
    no_honours_at: int | None = None  # a side with this score at the start of a deal scores no honours in it
    call_at: int | None = None  # the score at which a side may call three honours; None where there is no calling


LONG = Scale(points=10, worth=((5, 1), (0, 2)), call_at=CALL_AT)
LATER_ENGLISH = replace(LONG, no_honours_at=9)


@dataclass(frozen=True)
class Options:
    robre_points: Literal[1, 2, 4, 6] = 1
    losing_honours: bool = False
    honours_at_nine: bool = True
    losers_total: Literal["marked", "tricks"] = "marked"
    unfinished_robre: Literal["nothing", "points"] = "nothing"
    new_robre: Literal["keep", "draw"] = "keep"

    @property
    def scale(self) -> Scale:
        return LONG if self.honours_at_nine else LATER_ENGLISH


@dataclass(frozen=True)
class Honours:
    side: api.Side
    count: Literal[3, 4]


@dataclass(frozen=True)
class Deal:
    """The facts of a deal: tricks and honours, or the side that called at eight points."""

    tricks: Tricks | None = None
    honours: Honours | None = None
    called: api.Side | None = None


@dataclass(slots=True)
class WhistStanding(api.Standing[Any]):
    """The standing of Whist and its variants. What it adds is of the current robre, by side."""

    robre: int = 1  # its number
    manches_won: dict[str, int] = field(default_factory=lambda: dict.fromkeys(api.SIDES, 0))
    manche_points: dict[str, int] = field(default_factory=lambda: dict.fromkeys(api.SIDES, 0))

    def counters(self, side: str) -> CounterLayout:
        return LAYOUTS.get(self.scores[side], NO_COUNTERS)

    @property
    def may_call(self) -> tuple[str, ...]:
        return tuple(side for side in self.parties if self.scores[side] == self.options.scale.call_at)


def tricks_problems(_standing: WhistStanding, deal: Deal) -> list[api.Problem]:
    if deal.tricks is not None:
        return api.sum_problems("tricks", deal.tricks, TRICKS)
    return [api.Problem("tricks", "missing")] if deal.called is None else []


def call_problems(standing: WhistStanding, deal: Deal) -> Iterator[api.Problem]:
    if deal.called is None:
        return
    if deal.tricks is not None or deal.honours is not None:
        yield api.Problem("called", "whist.called-is-not-played")
    if (has := standing.scores[deal.called]) != CALL_AT:
        yield api.Problem("called", "whist.call-at-eight", {"party": deal.called, "has": has, "must": CALL_AT})


CHECKS = (
    api.Check(("tricks", "honours", "called"), call_problems),
    api.Check(("tricks", "called"), tricks_problems),
)


def score(standing: WhistStanding, deal: Deal) -> list[api.Entry]:
    if deal.called is not None:
        return [api.mark(deal.called, CALL_POINTS, "called")]
    side, count = next(iter((deal.tricks or {}).items()))
    if count <= BOOK:
        side, count = api.other_side(side), TRICKS - count
    entries = [api.mark(side, count - BOOK, "tricks")]
    if deal.honours is not None and _may_score_honours(standing, deal.honours.side, side, count - BOOK):
        entries.append(api.mark(deal.honours.side, HONOURS_POINTS[deal.honours.count], "honours"))
    return entries


def _may_score_honours(standing: WhistStanding, holders: str, trick_side: str, odd_tricks: int) -> bool:
    """Return whether honours count: neither at `no_honours_at`, nor after the others' tricks have won the manche.

    The house rule `losing_honours` lets them count in the latter case.
    """
    if standing.scores[holders] == standing.options.scale.no_honours_at:
        return False
    won_by_tricks = standing.scores[trick_side] + odd_tricks >= standing.options.scale.points
    return holders == trick_side or not won_by_tricks or standing.options.losing_honours


def close(standing: WhistStanding) -> api.Closing | None:
    scores, points = standing.scores, standing.options.scale.points
    if scores[api.NS] >= points or scores[api.EW] >= points:
        return _end_manche(standing)
    won = standing.manches_won
    if won[api.NS] == MANCHES_TO_WIN or won[api.EW] == MANCHES_TO_WIN:
        return _end_robre(standing)
    return None


def _end_manche(standing: WhistStanding) -> api.Closing:
    options, scores = standing.options, standing.scores
    sides_out = [side for side in api.SIDES if scores[side] >= options.scale.points]
    # Both sides can be out only if losing honours count. Odd tricks, the first mark of a deal, then decide.
    winner = sides_out[0] if len(sides_out) == 1 else standing.rows[-1].entries[0].taker or ""
    losers = api.other_side(winner)
    total = scores[losers] if options.losers_total == "marked" else _total_without_honours(standing, losers)
    worth = next(points for minimum, points in options.scale.worth if total >= minimum)
    standing.manches_won = standing.manches_won | {winner: standing.manches_won[winner] + 1}
    standing.manche_points = standing.manche_points | {winner: standing.manche_points[winner] + worth}
    return api.Closing(api.MANCHE, winner, {"robre": standing.robre, "scores": scores.copy(), "points": worth})


def _total_without_honours(standing: WhistStanding, side: str) -> int:
    """Return a side's points of the manche less those for honours, held or called."""
    rows = takewhile(
        lambda row: not any(closing.kind == api.MANCHE for closing in row.closings), reversed(standing.rows)
    )
    entries = (entry for row in rows for entry in row.entries if entry.taker == side)
    honours = sum(entry.amount for entry in entries if entry.reason in ("honours", "called"))
    return max(0, standing.scores[side] - honours)


def _end_robre(standing: WhistStanding) -> api.Closing:
    winner = max(api.SIDES, key=lambda side: standing.manches_won[side])
    bonus = standing.options.robre_points
    points = standing.manche_points | {winner: standing.manche_points[winner] + bonus}
    margin = points[winner] - points[api.other_side(winner)]
    standing.robre += 1
    standing.manches_won = dict.fromkeys(api.SIDES, 0)
    standing.manche_points = dict.fromkeys(api.SIDES, 0)
    entries = api.pay_from_left(standing, winner, margin, "robre")
    return api.Closing(api.ROBRE, winner, {"points": points, "margin": margin}, entries)


def stop(standing: WhistStanding) -> tuple[api.Entry, ...]:
    if standing.options.unfinished_robre == "nothing":
        return ()
    points = standing.manche_points
    ahead = max(api.SIDES, key=lambda side: points[side])
    return api.pay_from_left(standing, ahead, points[ahead] - points[api.other_side(ahead)], "unfinished_robre")


def is_redrawn(standing: WhistStanding) -> bool:
    rows = (row for row in reversed(standing.rows) if isinstance(row.fact, Deal) or row.closings)
    last = next(rows, None)
    has_ended = last is not None and any(closing.kind == api.ROBRE for closing in last.closings)
    return has_ended and standing.options.new_robre == "draw"


def explain(_standing: WhistStanding, row: api.Row, entry: api.Entry) -> dict[str, int]:
    if entry.reason == "tricks":
        return {"tricks": BOOK + entry.amount, "book": BOOK}
    if entry.reason == "honours" and isinstance(row.fact, Deal) and row.fact.honours is not None:
        return {"honours": row.fact.honours.count}
    return {}


def report(standing: WhistStanding) -> api.JsonObject:
    return {
        "manches": standing.closed(api.MANCHE),
        "robre": {"manches": standing.manches_won, "points": standing.manche_points},
        "robres": standing.closed(api.ROBRE),
    }


# --- misdeals and claims -----------------------------------------------------------------------------------------

INCIDENTS = (
    api.Incident("face_up", api.ALWAYS),
    api.Incident("exposed_by_dealers", api.IF_CHOSEN, api.THE_OTHERS),
    api.Incident("exposed_by_others", api.IF_CHOSEN, api.THE_DEALER),
    api.Incident("touched", api.NEVER),  # forbidden, and the source names no penalty
)


def claimable(standing: WhistStanding) -> tuple[api.Claim, ...]:
    """Return the sides that may claim honours: until the next trump card is turned up, if they would still score."""
    row = next((row for row in reversed(standing.rows) if isinstance(row.fact, Deal)), None)
    if row is None or not isinstance(row.fact, Deal) or row.fact.called is not None or row.fact.honours is not None:
        return ()
    sides = [side for side in api.SIDES if _would_score(standing, row, side)]
    if len(sides) == len(api.SIDES):
        return (api.Claim("claim.honours", row.number),)
    return tuple(api.Claim("claim.honours-of", row.number, {"party": side}) for side in sides)


def _would_score(standing: WhistStanding, row: api.Row, side: str) -> bool:
    if row.scores[side] - row.scored[side] == standing.options.scale.no_honours_at:
        return False
    winner = next((closing.winner for closing in row.closings if closing.kind == api.MANCHE), None)
    return winner is None or (side != winner and standing.options.losing_honours)


# --- the draw: the two highest of one card each are partners, the lowest deals; the ace is low -------------------

ACE_LOW = (*api.RANKS[1:], api.RANKS[0])


def seat(_players: api.Players, orders: Mapping[str, api.Players]) -> api.Seating:
    order = orders["cards"]
    high, low, dealer = order[:2], order[2:], order[-1]
    because = (("sides", {"all": high}), ("dealer", {"party": dealer}))
    return api.Seating(api.facing(high, low), dealer, because, swap=low)


CARDS = api.Stage("cards", lambda _players: api.FULL_PACK, api.by_rank(ACE_LOW), lambda players: (2, players - 1))
DRAW = api.Draw(stages=(CARDS,), seat=seat)


# --- statistics --------------------------------------------------------------------------------------------------

FIGURES = ("tricks_over", "all_tricks", "honours", "called", "manche", "robre")
FEATS = ("robre_margin", "longest_robre", "most_in_a_deal")


def figures(_standing: WhistStanding, row: api.Row) -> Iterator[api.Figure]:
    for entry in row.entries:
        side = entry.taker or ""  # a mark has a taker
        if entry.reason == "tricks":
            yield api.Figure(side, "tricks_over", times=entry.amount)
            if entry.amount == TRICKS - BOOK:
                yield api.Figure(side, "all_tricks")
        elif entry.reason == "called":
            yield api.Figure(side, "called")
    if isinstance(row.fact, Deal) and row.fact.honours is not None:
        yield api.Figure(row.fact.honours.side, "honours", str(row.fact.honours.count))
    for closing in row.closings:
        yield api.Figure(closing.winner, closing.kind, str(closing.worth))


def feats(standing: WhistStanding, row: api.Row) -> Iterator[api.Feat]:
    for closing in row.closings:
        if closing.kind == api.ROBRE:
            if margin := closing.figures["margin"]:
                yield api.Feat("robre_margin", margin, (closing.winner,))
            yield from api.length_feats(standing, row, api.ROBRE)
    if isinstance(row.fact, Deal):
        for side, points in row.scored.items():
            if points:
                yield api.Feat("most_in_a_deal", points, (side,))


# --- the pad -----------------------------------------------------------------------------------------------------


def pad(standing: WhistStanding, facts: api.Facts) -> Iterator[api.ChoiceGroup]:
    odd_tricks = product(api.SIDES, range(1, TRICKS - BOOK + 1))
    results = [api.Choice(f"{side}-{odd}", {"tricks": {side: BOOK + odd}}, odd, side) for side, odd in odd_tricks]
    call_at = standing.options.scale.call_at
    if call_at is not None:
        for side in api.SIDES:
            is_early = standing.scores[side] != call_at
            results.append(api.Choice(f"called-{side}", {"called": side}, "whist.called", side, left_out=is_early))
    yield api.ChoiceGroup("tricks", ("tricks",) if call_at is None else ("tricks", "called"), tuple(results))
    if "called" in facts:  # and not played
        return
    honours = [api.Choice("none", {}, "whist.no-honours")]
    for side, (count, points) in product(api.SIDES, HONOURS_POINTS.items()):
        held, params = {"honours": {"side": side, "count": count}}, {"count": count, "points": points}
        honours.append(api.Choice(f"{side}-{count}", held, "whist.honours", side, params=params))
    yield api.ChoiceGroup("honours", ("honours",), tuple(honours), kind=api.CARDS, required=False, default="none")


def complete(_standing: WhistStanding, facts: api.JsonObject) -> api.JsonObject:
    """Add the other side's tricks."""
    return api.with_both_sides(facts, "tricks", TRICKS)
