"""Statistics of Francion: most tricks, bêtes and Welches."""

from __future__ import annotations

from collections.abc import Iterator

from ...api import MANCHE, Feat, Figure, Row, count_deals
from .rules import PLAYED, TRICKS, Deal, FrancionStanding

FIGURES = (
    "most_tricks",
    "all_nine",
    "welche_won",
    "welche_taken",
    "welche_turned",
    "bete",
    "bete_jetons",
)
FEATS = ("largest_pot", "best_welche", "manche_fiches", "longest_manche")


def figures(standing: FrancionStanding, row: Row) -> Iterator[Figure]:
    if isinstance(row.fact, Deal):
        yield from _figures_of_tricks(standing, row, row.fact)
        yield from _figures_of_welche(row, row.fact)
        yield from _figures_of_betes(standing, row, row.fact)


def _figures_of_tricks(standing: FrancionStanding, row: Row, deal: Deal) -> Iterator[Figure]:
    most, winner = max(deal.tricks.values()), _point_winner(row)
    yield Figure(winner, "most_tricks", "outright" if len(_leaders(standing, deal)) == 1 else "primaute")
    if most == TRICKS:
        yield Figure(winner, "all_nine")


def _figures_of_welche(row: Row, deal: Deal) -> Iterator[Figure]:
    """Yield whose Welche it was: nobody's if hidden, the dealer's if turned up."""
    welche = deal.welche
    if welche.event == "turned":
        yield Figure(row.dealer, "welche_turned")
    elif welche.event in PLAYED and welche.player is not None:
        yield Figure(welche.player, f"welche_{welche.event}")


def _figures_of_betes(standing: FrancionStanding, row: Row, deal: Deal) -> Iterator[Figure]:
    """Yield the bêtes. One that lapses at the end of its manche counts, but without jetons."""
    lapses = bool(row.closings) and standing.options.last_bete == "lapse"
    for player in standing.players:
        if not deal.tricks.get(player):
            yield Figure(player, "bete")
            if not lapses:
                yield Figure(player, "bete_jetons", times=_pot(row))


def _point_winner(row: Row) -> str:
    return next(entry.taker for entry in row.entries if entry.reason == "most_tricks" and entry.taker is not None)


def _leaders(standing: FrancionStanding, deal: Deal) -> tuple[str, ...]:
    most = max(deal.tricks.values())
    return tuple(player for player in standing.players if deal.tricks.get(player) == most)


def _pot(row: Row) -> int:
    return sum(entry.amount for entry in row.entries if entry.reason in ("stake", "bete"))


def feats(standing: FrancionStanding, row: Row) -> Iterator[Feat]:
    """Yield the feats of a row.

    A pot is credited to all players with the most tricks, since primauté wins a point but no jetons.
    """
    if isinstance(row.fact, Deal):
        yield Feat("largest_pot", _pot(row), _leaders(standing, row.fact))
        won = [entry for entry in row.entries if entry.reason in ("welche_won", "welche_turned")]
        if won and won[0].taker is not None:
            yield Feat("best_welche", sum(entry.amount for entry in won), (won[0].taker,))
    for closing in row.closings:
        yield Feat("manche_fiches", sum(entry.amount for entry in closing.entries), (closing.winner,))
        if deals := count_deals(standing, row, MANCHE):
            yield Feat("longest_manche", deals, standing.players)
