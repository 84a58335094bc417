"""Statistics of Whist and its variants: odd tricks, honours, manches and robres."""

from __future__ import annotations

from collections.abc import Iterator

from ...api import MANCHE, ROBRE, Feat, Figure, Row, count_deals
from .rules import BOOK, TRICKS, Deal, WhistStanding, find_deal

FIGURES = ("tricks_over", "all_tricks", "honours", "called", "manche", "robre")
FEATS = ("robre_margin", "longest_robre", "most_in_a_deal")


def figures(standing: WhistStanding, row: Row) -> Iterator[Figure]:
    yield from figures_of_play(standing, row)
    if isinstance(row.fact, Deal) and row.fact.called is not None:
        yield from for_partners(standing, row.fact.called, "called")
    yield from figures_of_closings(standing, row)


def figures_of_play(standing: WhistStanding, row: Row) -> Iterator[Figure]:
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
    for closing in row.closings:
        if closing.kind == MANCHE:
            yield from for_partners(standing, closing.winner, "manche", str(closing.figures["points"]))
        else:
            yield from for_partners(standing, closing.winner, "robre", str(closing.figures["margin"]))


def for_partners(standing: WhistStanding, side: str, name: str, part: str = "", times: int = 1) -> list[Figure]:
    return [Figure(player, name, part, times) for player in standing.partners(side)]


def feats(standing: WhistStanding, row: Row) -> Iterator[Feat]:
    for closing in row.closings:
        if closing.kind == ROBRE:
            if margin := closing.figures["margin"]:
                yield Feat("robre_margin", margin, standing.partners(closing.winner))
            if deals := count_deals(standing, row, ROBRE):
                yield Feat("longest_robre", deals, standing.players)
    if find_deal(row) is not None:
        for side, points in row.scored.items():
            if points:
                yield Feat("most_in_a_deal", points, standing.partners(side))
