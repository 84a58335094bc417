"""The statement format `scorekeeper-statement/1`: the results computed from a sheet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .entries import FICHE, FICHES, JETONS, POINTS
from .game import AnyGame, fold
from .problems import Refusal
from .settlement import Transfer, settle
from .sheet import Sheet, load
from .standing import AnyStanding
from .values import JsonObject

FORMAT = "scorekeeper-statement/1"


def score(raw: Any, games: Mapping[str, AnyGame]) -> JsonObject | Refusal:
    """Compute the statement of a sheet, both plain JSON, or return why the sheet is refused."""
    sheet = load(raw, games)
    return sheet if isinstance(sheet, Refusal) else statement(sheet)


def statement(sheet: Sheet) -> JsonObject | Refusal:
    """Compute the statement of a sheet, or return why a deal is refused."""
    standing = sheet.open()
    refusal = fold(sheet.game, standing, sheet.deals)
    return refusal or _statement(sheet.game, standing)


def _statement(game: AnyGame, standing: AnyStanding) -> JsonObject:
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


def journal(standing: AnyStanding) -> list[JsonObject]:
    """Return the payments in order, without marks of points."""
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


def settlement_unit(game: AnyGame) -> str:
    """Return the unit in which a game is settled: jetons if it has them, else fiches."""
    return JETONS if JETONS in game.units else FICHES


def balances_in_unit(balances: Mapping[str, Mapping[str, int]], unit: str) -> dict[str, int]:
    """Return each player's balance in one unit. In jetons a fiche counts 9; in fiches jetons are left out."""
    if unit == FICHES:
        return {player: counters[FICHES] for player, counters in balances.items()}
    return {player: counters[JETONS] + FICHE * counters[FICHES] for player, counters in balances.items()}


def settlement_payments(game: AnyGame, standing: AnyStanding) -> list[Transfer]:
    """Return the fewest payments that clear the table, in the game's settlement unit."""
    return settle(balances_in_unit(standing.balances, settlement_unit(game)))


def _settlement(game: AnyGame, standing: AnyStanding) -> list[JsonObject]:
    unit = settlement_unit(game)
    return [{"from": giver, "to": taker, unit: amount} for giver, taker, amount in settlement_payments(game, standing)]
