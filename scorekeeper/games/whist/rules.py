"""The rules of Whist and what its variants share: the facts of a deal and its scoring, in the order of rules.en.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile
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
    worth: tuple[tuple[int, int], ...]  # of a manche: pairs (minimum points of the losers, manche points), ascending
    no_honours_at: int | None = None  # a side with this score at the start of a deal scores no honours in it
    call_at: int | None = None  # the score at which a side may call three honours; None where there is no calling

    def manche_points(self, loser_points: int) -> int:
        return [points for minimum, points in self.worth if loser_points >= minimum][-1]


LONG = Scale(points=10, worth=((0, 2), (5, 1)), call_at=CALL_AT)
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
    def scale(self) -> Scale:
        scale: Scale = self.options.scale
        return scale

    @property
    def may_call(self) -> tuple[str, ...]:
        return tuple(side for side in self.parties if self.scores[side] == self.scale.call_at)


def find_deal(row: api.Row) -> Any:
    """Return the row's deal, which has a class of its own in each variant; None if it has no deal of the game."""
    return row.fact if row.kind == api.DEAL and not isinstance(row.fact, api.Misdeal) else None


def tricks_problems(_standing: WhistStanding, deal: Deal) -> list[api.Problem]:
    if deal.tricks is None:
        return [] if deal.called is not None else [api.Problem("tricks", "missing")]
    return api.sum_problems("tricks", deal.tricks, TRICKS)


def not_played_problems(_standing: WhistStanding, deal: Deal) -> list[api.Problem]:
    if deal.called is None or (deal.tricks is None and deal.honours is None):
        return []
    return [api.Problem("called", "whist.called-is-not-played")]


def call_problems(standing: WhistStanding, deal: Deal) -> list[api.Problem]:
    if deal.called is None or (has := standing.scores[deal.called]) == CALL_AT:
        return []
    return [api.Problem("called", "whist.call-at-eight", {"party": deal.called, "has": has, "must": CALL_AT})]


CHECKS = (
    api.Check(("tricks", "honours", "called"), not_played_problems),
    api.Check(("called",), call_problems),
    api.Check(("tricks", "called"), tricks_problems),
)


def score(standing: WhistStanding, deal: Deal) -> list[api.Entry]:
    if deal.called is not None:
        return [api.mark(deal.called, CALL_POINTS, "called")]
    return score_play(standing, deal.tricks or {}, deal.honours)


def score_play(standing: WhistStanding, tricks: Tricks, honours: Honours | None) -> list[api.Entry]:
    side, count = next(iter(tricks.items()))
    if count <= BOOK:
        side, count = api.other_side(side), TRICKS - count
    entries = [api.mark(side, count - BOOK, "tricks")]
    if honours is not None and _may_score_honours(standing, honours.side, side, count - BOOK):
        entries.append(api.mark(honours.side, HONOURS_POINTS[honours.count], "honours"))
    return entries


def _may_score_honours(standing: WhistStanding, holders: str, trick_side: str, odd_tricks: int) -> bool:
    """Not at `no_honours_at`, nor once the others' tricks have won, unless the rule of `losing_honours` holds."""
    if standing.scores[holders] == standing.scale.no_honours_at:
        return False
    won_by_tricks = standing.scores[trick_side] + odd_tricks >= standing.scale.points
    return holders == trick_side or not won_by_tricks or standing.options.losing_honours


def close(standing: WhistStanding) -> api.Closing | None:
    scores, points = standing.scores, standing.scale.points
    if scores["ns"] >= points or scores["ew"] >= points:
        return _manche(standing)
    won = standing.manches_won
    if won["ns"] == MANCHES_TO_WIN or won["ew"] == MANCHES_TO_WIN:
        return _robre(standing)
    return None


def _manche(standing: WhistStanding) -> api.Closing:
    sides_out = [side for side in api.SIDES if standing.scores[side] >= standing.scale.points]
    # Both sides can be out only if losing honours count. Odd tricks, the first mark of a deal, then decide.
    winner = sides_out[0] if len(sides_out) == 1 else standing.rows[-1].entries[0].taker or ""
    worth = standing.scale.manche_points(_losers_total(standing, api.other_side(winner)))
    standing.manches_won = standing.manches_won | {winner: standing.manches_won[winner] + 1}
    standing.manche_points = standing.manche_points | {winner: standing.manche_points[winner] + worth}
    figures = {"robre": standing.robre, "scores": standing.scores.copy(), "points": worth}
    return api.Closing(api.MANCHE, winner, figures)


def _losers_total(standing: WhistStanding, losers: str) -> int:
    marked = standing.scores[losers]
    if standing.options.losers_total == "marked":
        return marked
    rows = takewhile(
        lambda row: not any(closing.kind == api.MANCHE for closing in row.closings), reversed(standing.rows)
    )
    entries = (entry for row in rows for entry in row.entries if entry.taker == losers)
    return max(0, marked - sum(entry.amount for entry in entries if entry.reason in ("honours", "called")))


def _robre(standing: WhistStanding) -> api.Closing:
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
    rows = (row for row in reversed(standing.rows) if find_deal(row) is not None or row.closings)
    last = next(rows, None)
    has_ended = last is not None and any(closing.kind == api.ROBRE for closing in last.closings)
    return has_ended and standing.options.new_robre == "draw"


def explain(_standing: WhistStanding, row: api.Row, entry: api.Entry) -> dict[str, int]:
    if entry.reason == "tricks":
        return {"tricks": BOOK + entry.amount, "book": BOOK}
    honours = getattr(row.fact, "honours", None)  # Short Whist has deals of its own
    if entry.reason == "honours" and honours is not None:
        return {"honours": honours.count}
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
    """Honours may be claimed until the next trump card is turned up, by sides that would still score them."""
    row = next((row for row in reversed(standing.rows) if find_deal(row) is not None), None)
    deal = find_deal(row) if row is not None else None
    if row is None or deal is None or deal.honours is not None or getattr(deal, "called", None) is not None:
        return ()
    sides = [side for side in api.SIDES if _would_score(standing, row, side)]
    if len(sides) == len(api.SIDES):
        return (api.Claim("claim.honours", row.number),)
    return tuple(api.Claim("claim.honours-of", row.number, {"party": side}) for side in sides)


def _would_score(standing: WhistStanding, row: api.Row, side: str) -> bool:
    if row.scores[side] - row.scored[side] == standing.scale.no_honours_at:
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


def figures(standing: WhistStanding, row: api.Row) -> Iterator[api.Figure]:
    yield from figures_of_play(standing, row)
    if isinstance(row.fact, Deal) and row.fact.called is not None:
        yield from for_partners(standing, row.fact.called, "called")
    yield from figures_of_closings(standing, row)


def figures_of_play(standing: WhistStanding, row: api.Row) -> Iterator[api.Figure]:
    deal = find_deal(row)
    if deal is None:
        return
    for entry in row.entries:
        if entry.reason == "tricks" and entry.taker is not None:
            yield from for_partners(standing, entry.taker, "tricks_over", times=entry.amount)
            if entry.amount == TRICKS - BOOK:
                yield from for_partners(standing, entry.taker, "all_tricks")
    if deal.honours is not None:
        yield from for_partners(standing, deal.honours.side, "honours", str(deal.honours.count))


def figures_of_closings(standing: WhistStanding, row: api.Row) -> Iterator[api.Figure]:
    for closing in row.closings:
        if closing.kind == api.MANCHE:
            yield from for_partners(standing, closing.winner, "manche", str(closing.figures["points"]))
        else:
            yield from for_partners(standing, closing.winner, "robre", str(closing.figures["margin"]))


def for_partners(standing: WhistStanding, side: str, name: str, part: str = "", times: int = 1) -> list[api.Figure]:
    return [api.Figure(player, name, part, times) for player in standing.partners(side)]


def feats(standing: WhistStanding, row: api.Row) -> Iterator[api.Feat]:
    for closing in row.closings:
        if closing.kind == api.ROBRE:
            if margin := closing.figures["margin"]:
                yield api.Feat("robre_margin", margin, standing.partners(closing.winner))
            if deals := api.count_deals(standing, row, api.ROBRE):
                yield api.Feat("longest_robre", deals, standing.players)
    if find_deal(row) is not None:
        for side, points in row.scored.items():
            if points:
                yield api.Feat("most_in_a_deal", points, standing.partners(side))


# --- the pad, of which variants share parts ----------------------------------------------------------------------


def pad(standing: WhistStanding, _facts: api.Facts) -> Iterator[api.ChoiceGroup]:
    calls = []
    for side in api.SIDES:
        is_early = standing.scores[side] != CALL_AT
        calls.append(api.Choice(f"called-{side}", {"called": side}, "whist.called", row=side, left_out=is_early))
    yield api.ChoiceGroup("tricks", ("tricks", "called"), (*odd_tricks(), *calls))
    yield honours_group()


def odd_tricks() -> tuple[api.Choice, ...]:
    return tuple(
        api.Choice(f"{side}-{odd}", {"tricks": {side: BOOK + odd}}, odd, row=side)
        for side in api.SIDES
        for odd in range(1, TRICKS - BOOK + 1)
    )


def honours_group() -> api.ChoiceGroup:
    choices = [api.Choice("none", {}, "whist.no-honours")]
    for side in api.SIDES:
        for count, points in HONOURS_POINTS.items():
            facts, params = {"honours": {"side": side, "count": count}}, {"count": count, "points": points}
            choices.append(api.Choice(f"{side}-{count}", facts, "whist.honours", side, params=params))
    return api.ChoiceGroup("honours", ("honours",), tuple(choices), kind=api.CARDS, required=False, default="none")


def complete(_standing: WhistStanding, facts: api.JsonObject) -> api.JsonObject:
    """Add the other side's tricks. In a called deal, which is not played, drop honours instead."""
    if "called" in facts:
        return {key: value for key, value in facts.items() if key != "honours"}
    return api.with_both_sides(facts, "tricks", TRICKS)
