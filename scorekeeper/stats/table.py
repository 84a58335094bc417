"""Summaries of tables: the cached results that pages about many tables need."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from itertools import islice
from typing import Any, NamedTuple

from ..scoring import schema
from ..scoring.accounts import table_result
from ..scoring.adjustments import Agreement, Misdeal
from ..scoring.sheet import dump
from ..scoring.standing import Closing, Row, Standing
from ..tables.state import TableState


class Earlier(NamedTuple):
    """What was said of the table when it had the first so many of its rows."""

    told: dict[str, Any]
    fingerprint: str
    rows: int


def summarise(table: TableState, earlier: Earlier | None = None) -> dict[str, Any]:
    """Return a table's summary as plain JSON. Several seats are written together: "13".

    - `seats`: id of the player at each seat.
    - `deals`: number of deals played, without misdeals and adjustments.
    - `ended`: by kind ("manche", "robre", "partie"), the seats of each winner in order.
    - `grains`: each seat's balance in subunits of `account`; `balances`: the same in counters, by unit.
    - `figures`: the game's counters of events, by seat and name; a part follows the name after a point.
    - `feats`: the largest amount of each feat, with the seats and the number of the deal.
    """
    standing = table.standing
    game, money = table.game, table_result(table.game, table.value, standing.balances)
    told = earlier.told if earlier is not None else {}
    rows = standing.rows[earlier.rows if earlier is not None else 0 :]
    return {
        "seats": told.get("seats") or {seat.seat: seat.player_id for seat in table.table.seats},
        "status": "finished" if standing.is_finished else "open",
        "scores": standing.scores,
        "winner": _seats(standing, standing.winner) if standing.winner else None,
        "deals": told.get("deals", 0) + sum(1 for row in rows if not isinstance(row.fact, Misdeal | Agreement)),
        "ended": _ended(standing, rows, told.get("ended", {})),
        "account": money.account,
        "grains": money.subunits,
        "balances": standing.balances,
        "figures": _figures(standing, rows, game.figures, told.get("figures", {})),
        "feats": _feats(standing, rows, game.feats, told.get("feats", {})),
    }


def _seats(standing: Standing, party: str) -> str:
    return party if party in standing.players else "".join(standing.partners(party))


def _ended(standing: Standing, rows: list[Row], earlier: dict[str, list[str]]) -> dict[str, list[str]]:
    ended = {kind: winners.copy() for kind, winners in earlier.items()}
    closings: list[Closing] = [closing for row in rows for closing in row.closings]
    for closing in closings:
        ended.setdefault(closing.kind, []).append(_seats(standing, closing.winner))
    return ended


def _figures(
    standing: Standing, rows: list[Row], of_row: Any, earlier: dict[str, dict[str, int]]
) -> dict[str, dict[str, int]]:
    figures = {player: Counter(earlier.get(player, {})) for player in standing.players}
    for row in rows:
        for player, name, part, count in of_row(standing, row):
            figures[player][f"{name}.{part}" if part else name] += count
    return {player: dict(told) for player, told in figures.items()}


def _feats(standing: Standing, rows: list[Row], of_row: Any, earlier: dict[str, list[Any]]) -> dict[str, list[Any]]:
    best = earlier.copy()
    for row in rows:
        for name, amount, players in of_row(standing, row):
            if name not in best or amount > best[name][0]:
                best[name] = [amount, "".join(players), row.number]
    return best


def fingerprint(table: TableState, earlier: Earlier | None = None) -> str:
    """Return a hash of the table's sheet, independent of its players. Equal sheets have equal fingerprints.

    The sheet without its deals is hashed first, then each deal together with the hash so far. So a fingerprint can
    be extended from an earlier one.
    """
    if earlier is None:
        mark, scored = _hashed("", dump(table.sheet_without_deals({seat: seat for seat in table.standing.players}))), 0
    else:
        mark, scored = earlier.fingerprint, earlier.rows
    newest = list(islice((one for one in table.newest_first() if one.row), len(table.standing.rows) - scored))
    for played in reversed(newest):
        if played.row is not None and played.deal.body is not None:
            told = {"dealer": played.row.dealer} if "dealer" in played.deal.body else {}
            mark = _hashed(mark, told | schema.dump(played.row.fact))
    return mark


def _hashed(earlier: str, told: Any) -> str:
    return hashlib.sha256((earlier + json.dumps(told, sort_keys=True)).encode()).hexdigest()
