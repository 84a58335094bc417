"""What Francion tells of its players: primauté, bêtes, and what became of their Welches."""

from __future__ import annotations

from collections.abc import Iterator

from ...scoring.figures import Feat, Figure
from ...scoring.standing import Row
from .ledger import PLAYED, TRICKS, Deal, FrancionStanding

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
    most, first = max(deal.tricks.values()), _marked(row)
    yield Figure(first, "most_tricks", "outright" if len(_leaders(standing, deal)) == 1 else "primaute")
    if most == TRICKS:
        yield Figure(first, "all_nine")


def _figures_of_welche(row: Row, deal: Deal) -> Iterator[Figure]:
    """A hidden Welche is nobody's; one turned up is the dealer's."""
    welche = deal.welche
    if welche.event == "turned":
        yield Figure(row.dealer, "welche_turned")
    elif welche.event in PLAYED and welche.player is not None:
        yield Figure(welche.player, f"welche_{welche.event}")


def _figures_of_betes(standing: FrancionStanding, row: Row, deal: Deal) -> Iterator[Figure]:
    """A bête that lapses with its manche was made all the same, but no jeton is owed for it."""
    lapses = bool(row.closings) and standing.options.last_bete == "lapse"
    for player in standing.players:
        if not deal.tricks.get(player):
            yield Figure(player, "bete")
            if not lapses:
                yield Figure(player, "bete_jetons", times=_pot(row))


def _marked(row: Row) -> str:
    """Who scored the point of the deal."""
    return next(entry.taker for entry in row.entries if entry.reason == "most_tricks" and entry.taker is not None)


def _leaders(standing: FrancionStanding, deal: Deal) -> tuple[str, ...]:
    """Those with the most tricks, several where primauté decided."""
    most = max(deal.tricks.values())
    return tuple(player for player in standing.players if deal.tricks.get(player) == most)


def _pot(row: Row) -> int:
    return sum(entry.amount for entry in row.entries if entry.reason in ("stake", "bete"))


def feats(standing: FrancionStanding, row: Row) -> Iterator[Feat]:
    """A pot is named after those who took the most of it: all of them, since primauté wins a point and no jetons."""
    if isinstance(row.fact, Deal):
        yield Feat("largest_pot", _pot(row), _leaders(standing, row.fact))
        won = [entry for entry in row.entries if entry.reason in ("welche_won", "welche_turned")]
        if won and won[0].taker is not None:
            yield Feat("best_welche", sum(entry.amount for entry in won), (won[0].taker,))
    for closing in row.closings:
        yield Feat("manche_fiches", sum(entry.amount for entry in closing.entries), (closing.winner,))
        if deals := _deals_of_manche(standing, row):
            yield Feat("longest_manche", deals, standing.players)


def _deals_of_manche(standing: FrancionStanding, last: Row) -> int:
    """Deals played since the manche began; none, where its points were all agreed on."""
    deals = int(isinstance(last.fact, Deal))
    for at in range(last.number - 2, -1, -1):
        row = standing.rows[at]
        if row.closings:
            break
        deals += isinstance(row.fact, Deal)
    return deals
