"""What Whist and its variants tell of their players: honours, slams, manches and robres."""

from __future__ import annotations

from collections.abc import Iterator

from ...scoring.agreed import Agreed, Misdeal
from ...scoring.figures import Feat, Figure
from ...scoring.standing import MANCHE, ROBRE, Closing, Row
from .ledger import BOOK, TRICKS, Deal, WhistStanding

FIGURES = ("tricks_over", "all_tricks", "honours", "called", "manche", "robre")
FEATS = ("robre_margin", "longest_robre", "most_in_a_deal")


def figures(standing: WhistStanding, row: Row) -> Iterator[Figure]:
    yield from figures_of_play(standing, row)
    if isinstance(row.fact, Deal) and row.fact.called is not None:
        yield from of_both(standing, row.fact.called, "called")
    yield from figures_of_closings(standing, row)


def figures_of_play(standing: WhistStanding, row: Row) -> Iterator[Figure]:
    """Of a deal that was played. Honours are told as they were shown, whether or not they scored."""
    if not is_deal(row):
        return
    for entry in row.entries:
        if entry.reason == "tricks" and entry.taker is not None:
            yield from of_both(standing, entry.taker, "tricks_over", times=entry.amount)
            if entry.amount == TRICKS - BOOK:
                yield from of_both(standing, entry.taker, "all_tricks")
    honours = row.fact.honours
    if honours is not None:
        yield from of_both(standing, honours.side, "honours", str(honours.count))


def figures_of_closings(standing: WhistStanding, row: Row) -> Iterator[Figure]:
    for closing in row.closings:
        if closing.kind == MANCHE:
            yield from of_both(standing, closing.winner, "manche", str(closing.figures["points"]))
        elif closing.kind == ROBRE:
            yield from of_both(standing, closing.winner, "robre", str(closing.figures["margin"]))


def of_both(standing: WhistStanding, side: str, name: str, part: str = "", times: int = 1) -> list[Figure]:
    return [Figure(player, name, part, times) for player in standing.partners(side)]


def is_deal(row: Row) -> bool:
    """Whether the row is a deal of whichever game of this family: each has a Deal of its own."""
    return not isinstance(row.fact, Misdeal | Agreed)


def feats(standing: WhistStanding, row: Row) -> Iterator[Feat]:
    for closing in row.closings:
        if closing.kind == ROBRE:
            yield from _feats_of_robre(standing, row, closing)
    if is_deal(row):
        for side, points in row.scored.items():
            if points:
                yield Feat("most_in_a_deal", points, standing.partners(side))


def _feats_of_robre(standing: WhistStanding, row: Row, closing: Closing) -> Iterator[Feat]:
    """Both amounts can be 0: a robre won by nothing, and one that was agreed on from first to last."""
    if margin := closing.figures["margin"]:
        yield Feat("robre_margin", margin, standing.partners(closing.winner))
    if deals := _deals_of_robre(standing, row):
        yield Feat("longest_robre", deals, standing.players)


def _deals_of_robre(standing: WhistStanding, last: Row) -> int:
    deals = int(is_deal(last))
    for at in range(last.number - 2, -1, -1):
        row = standing.rows[at]
        if any(closing.kind == ROBRE for closing in row.closings):
            break
        deals += is_deal(row)
    return deals
