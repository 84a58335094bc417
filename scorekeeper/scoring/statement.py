"""The statement, `scorekeeper-statement/1`: what follows from a sheet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .game import Game, fold
from .ledger import FICHE, FICHES, JETONS, POINTS
from .remarks import Refusal
from .settlement import Payment, settle
from .sheet import Sheet, load
from .standing import Standing

FORMAT = "scorekeeper-statement/1"


def score(raw: Any, games: Mapping[str, Game]) -> dict[str, Any] | Refusal:
    """The statement of a sheet (both plain JSON), or why it is refused."""
    sheet = load(raw, games)
    return sheet if isinstance(sheet, Refusal) else statement(sheet)


def statement(sheet: Sheet) -> dict[str, Any] | Refusal:
    standing = sheet.open()
    refusal = fold(sheet.game, standing, sheet.deals)
    return refusal or _statement(sheet.game, standing)


def _statement(game: Game, standing: Standing) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "game": game.slug,
        "status": "finished" if standing.is_finished else "open",
        "dealer": None if standing.is_finished else standing.dealer,
        "scores": standing.scores,
        **game.report(standing),
        "balances": standing.balances,
        "settlement": _settlement(game, standing),
        "deals": [
            {"number": row.number, "dealer": row.dealer, "scored": row.scored, "scores": row.scores}
            for row in standing.rows
        ],
        "journal": journal(standing),
    }


def journal(standing: Standing) -> list[dict[str, Any]]:
    """Every payment in counters, in order; marks of points are not among them."""
    return [
        {
            "deal": row.number,
            "from": giver,
            "to": taker,
            "amount": amount,
            "unit": unit,
            "reason": reason,
        }
        for row in standing.rows
        for giver, taker, amount, unit, reason in row.entries
        if unit != POINTS
    ]


def settling_unit(game: Game) -> str:
    """What a table is settled in: jetons where the game has them, else fiches."""
    return JETONS if JETONS in game.units else FICHES


def totals(balances: Mapping[str, Mapping[str, int]], unit: str) -> dict[str, int]:
    """Each player's balance in one unit; in jetons a fiche counts 9."""
    if unit == FICHES:
        return {player: held[FICHES] for player, held in balances.items()}
    return {player: held[JETONS] + FICHE * held[FICHES] for player, held in balances.items()}


def payments(game: Game, standing: Standing) -> list[Payment]:
    """The fewest payments that clear the table, in its settling unit."""
    return settle(totals(standing.balances, settling_unit(game)))


def _settlement(game: Game, standing: Standing) -> list[dict[str, Any]]:
    unit = settling_unit(game)
    return [{"from": giver, "to": taker, unit: amount} for giver, taker, amount in payments(game, standing)]
