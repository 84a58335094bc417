"""The statement format `scorekeeper-statement/1`: the results computed from a sheet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .game import AnyGame, fold
from .problems import Refusal
from .settlement import Transfer, settle
from .sheet import Sheet, load
from .standing import AnyStanding
from .units import POINTS, POT
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


def has_payments(standing: AnyStanding) -> bool:
    """Return whether anything was paid, in a deal or by an adjustment."""
    return any(entry.is_payment for row in standing.rows for entry in row.entries)


def has_balances(game: AnyGame, standing: AnyStanding) -> bool:
    """Return whether balances say anything: something was paid, or is played for unless the house rule `stake` is 0."""
    is_for_nothing = getattr(standing.options, "stake", None) == 0
    return game.shows_balances and (not is_for_nothing or has_payments(standing))


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
    """Return the unit in which a game is settled: the smallest; "" if the game has no counters."""
    return game.units[0] if game.units else ""


def balances_in_unit(game: AnyGame, balances: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Return each player's balance in the unit in which the game is settled; 0 if the game has no counters."""
    worth = [(unit, game.worth_of(unit)) for unit in game.units]
    return {player: sum(counters[unit] * each for unit, each in worth) for player, counters in balances.items()}


def running_balances(game: AnyGame, standing: AnyStanding) -> list[dict[str, int]]:
    """Return the players' balances before the first row, then after each row."""
    counters = {player: dict.fromkeys(game.units, 0) for player in standing.balances}
    result = [balances_in_unit(game, counters)]
    for row in standing.rows:
        for entry in row.entries:
            if entry.is_payment:
                if entry.giver is not POT:
                    counters[entry.giver][entry.unit] -= entry.amount
                if entry.taker is not POT:
                    counters[entry.taker][entry.unit] += entry.amount
        result.append(balances_in_unit(game, counters))
    return result


def settlement_payments(game: AnyGame, standing: AnyStanding) -> list[Transfer]:
    """Return the fewest payments that clear the table, in the game's settlement unit."""
    return settle(balances_in_unit(game, standing.balances))


def _settlement(game: AnyGame, standing: AnyStanding) -> list[JsonObject]:
    unit = settlement_unit(game)
    return [{"from": giver, "to": taker, unit: amount} for giver, taker, amount in settlement_payments(game, standing)]
