"""What a table came to, in few words: all that pages of many tables need of it. Derived, and so only ever a cache."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any

from .scoring.accounts import worth
from .scoring.agreed import Agreed, Misdeal
from .scoring.sheet import dump
from .scoring.standing import Closing, Standing
from .table import Open


def summarise(table: Open) -> dict[str, Any]:
    """Plain JSON. Players are seats: `seats` tells whose; several seats are written together, as in "13".

    `deals` counts those that were played, not misdeals and adjustments. `ended` lists the winners of each manche,
    robre and partie in order. `grains` is what each is up or down in the table's `account`, `balances` the same in
    counters. `figures` adds up the game's own by seat, a part after a point; `feats` keeps the largest of each name
    as amount, seats and number of the deal.
    """
    standing = table.standing
    game, money = table.game, worth(table.game, table.value, standing.balances)
    return {
        "seats": {seat.seat: seat.player_id for seat in table.table.seats},
        "status": "finished" if standing.is_finished else "open",
        "scores": standing.scores,
        "winner": _seats(standing, standing.winner) if standing.winner else None,
        "deals": sum(1 for row in standing.rows if not isinstance(row.fact, Misdeal | Agreed)),
        "ended": _ended(standing),
        "account": money.account,
        "grains": money.grains,
        "balances": standing.balances,
        "figures": _figures(standing, game.figures),
        "feats": _feats(standing, game.feats),
    }


def _seats(standing: Standing, party: str) -> str:
    return party if party in standing.players else "".join(standing.partners(party))


def _ended(standing: Standing) -> dict[str, list[str]]:
    ended: dict[str, list[str]] = {}
    closings: list[Closing] = [closing for row in standing.rows for closing in row.closings]
    for closing in closings:
        ended.setdefault(closing.kind, []).append(_seats(standing, closing.winner))
    return ended


def _figures(standing: Standing, of_row: Any) -> dict[str, dict[str, int]]:
    figures: dict[str, Counter[str]] = {player: Counter() for player in standing.players}
    for row in standing.rows:
        for player, name, part, count in of_row(standing, row):
            figures[player][f"{name}.{part}" if part else name] += count
    return {player: dict(told) for player, told in figures.items()}


def _feats(standing: Standing, of_row: Any) -> dict[str, list[Any]]:
    best: dict[str, list[Any]] = {}
    for row in standing.rows:
        for name, amount, players in of_row(standing, row):
            if name not in best or amount > best[name][0]:
                best[name] = [amount, "".join(players), row.number]
    return best


def fingerprint(table: Open) -> str:
    """The same for two tables whose sheets say the same, whoever sits at them."""
    told = dump(table.sheet({seat: seat for seat in table.names}))
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
