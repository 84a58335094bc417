"""Statistics of Whist and its variants: odd tricks, honours, manches and robres."""

from __future__ import annotations

from collections.abc import Iterator

from ...api import MANCHE, ROBRE, Closing, Feat, Figure, Row
from .rules import BOOK, TRICKS, Deal, WhistStanding, find_deal

FIGURES = ("tricks_over", "all_tricks", "honours", "called", "manche", "robre")
FEATS = ("robre_margin", "longest_robre", "most_in_a_deal")


def figures(standing: WhistStanding, row: Row) -> Iterator[Figure]:
    """Yield the figures of a row."""
    yield from figures_of_play(standing, row)
    if isinstance(row.fact, Deal) and row.fact.called is not None:
        yield from for_partners(standing, row.fact.called, "called")
    yield from figures_of_closings(standing, row)


def figures_of_play(standing: WhistStanding, row: Row) -> Iterator[Figure]:
    """Yield the figures of the play. Honours count whether or not they scored."""
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


def figures_of_closings(standing: WhistStanding, row: Row) -> Iterator[Figure]:
    """Yield the figures of the manches and robres that a row ends."""
    for closing in row.closings:
        if closing.kind == MANCHE:
            yield from for_partners(standing, closing.winner, "manche", str(closing.figures["points"]))
        else:
            yield from for_partners(standing, closing.winner, "robre", str(closing.figures["margin"]))


def for_partners(standing: WhistStanding, side: str, name: str, part: str = "", times: int = 1) -> list[Figure]:
    """Return the same figure for both players of a side."""
    return [Figure(player, name, part, times) for player in standing.partners(side)]


def feats(standing: WhistStanding, row: Row) -> Iterator[Feat]:
    """Yield the feats of a row."""
    for closing in row.closings:
        if closing.kind == ROBRE:
            yield from _feats_of_robre(standing, row, closing)
    if find_deal(row) is not None:
        for side, points in row.scored.items():
            if points:
                yield Feat("most_in_a_deal", points, standing.partners(side))


def _feats_of_robre(standing: WhistStanding, row: Row, closing: Closing) -> Iterator[Feat]:
    """Yield the feats of a robre. Its margin can be 0, and so can its deals if all points are adjustments."""
    if margin := closing.figures["margin"]:
        yield Feat("robre_margin", margin, standing.partners(closing.winner))
    if deals := _deals_of_robre(standing, row):
        yield Feat("longest_robre", deals, standing.players)


def _deals_of_robre(standing: WhistStanding, last: Row) -> int:
    """Count the deals of the robre that ended with a row."""
    deals = int(find_deal(last) is not None)
    for index in range(last.number - 2, -1, -1):
        row = standing.rows[index]
        if any(closing.kind == ROBRE for closing in row.closings):
            break
        deals += find_deal(row) is not None
    return deals
