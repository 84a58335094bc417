"""Summaries of tables: the cached results that pages about many tables need."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple, NotRequired, TypedDict

from ..scoring import schema
from ..scoring.accounts import table_result
from ..scoring.sheet import dump
from ..scoring.standing import AnyStanding, Row
from ..scoring.stats import Feat, Figure
from ..scoring.values import JsonObject
from ..tables.state import TableState
from .pairs import PairsData, count_pairs

BestFeat = tuple[int, str, int]  # amount, seats, number of the deal; a list when read from the database


class SummaryData(TypedDict):
    """A table's summary as plain JSON. Several seats are written together: "13".

    - `seats`: id of the player at each seat.
    - `status`: "finished" or "open".
    - `deals`: number of deals played, without misdeals, adjustments and deals that everybody passed.
    - `ended`: by kind ("manche", "robre", "partie"), the seats of each winner in order.
    - `grains`: each seat's balance in subunits of `account`; `balances`: the same in counters, by unit.
    - `figures`: the game's counters of events, by seat and name; a part follows the name after a point.
    - `feats`: the largest amount of each feat, with the seats and the number of the deal.
    - `pairs`: partners and opponents of the deals, only in games whose partners change.
    """

    seats: dict[str, int]
    status: str
    scores: dict[str, int]
    winner: str | None
    deals: int
    ended: dict[str, list[str]]
    account: str
    grains: dict[str, int]
    balances: dict[str, dict[str, int]]
    figures: dict[str, dict[str, int]]
    feats: dict[str, BestFeat]
    pairs: NotRequired[PairsData]


class PreviousSummary(NamedTuple):
    """The summary and fingerprint of a table when it had only its first `rows` rows."""

    data: SummaryData
    fingerprint: str
    rows: int


def summarise(table: TableState, previous: PreviousSummary | None = None) -> SummaryData:
    """Return a table's summary, extended from a previous one if there is one."""
    standing = table.standing
    game, result = table.game, table_result(table.game, table.value, standing.balances)
    data = previous.data if previous is not None else None
    rows = standing.rows[previous.rows if previous is not None else 0 :]
    summary: SummaryData = {
        "seats": data["seats"] if data else {seat.seat: seat.player_id for seat in table.table.seats},
        "status": "finished" if standing.is_finished else "open",
        "scores": standing.scores,
        "winner": _seats(standing, standing.winner) if standing.winner else None,
        "deals": (data["deals"] if data else 0) + sum(game.is_played(row.fact) for row in rows),
        "ended": _ended(standing, rows, data["ended"] if data else {}),
        "account": result.account,
        "grains": result.subunits,
        "balances": standing.balances,
        "figures": _figures(standing, rows, game.figures, data["figures"] if data else {}),
        "feats": _feats(standing, rows, game.feats, data["feats"] if data else {}),
    }
    pairs = count_pairs(game, standing, rows, data.get("pairs") if data else None)
    if pairs is not None:
        summary["pairs"] = pairs
    return summary


def _seats(standing: AnyStanding, party: str) -> str:
    return party if party in standing.players else "".join(standing.partners(party))


def _ended(standing: AnyStanding, rows: list[Row], previous: dict[str, list[str]]) -> dict[str, list[str]]:
    ended = {kind: winners.copy() for kind, winners in previous.items()}
    for row in rows:
        for closing in row.closings:
            ended.setdefault(closing.kind, []).append(_seats(standing, closing.winner))
    return ended


def _figures(
    standing: AnyStanding,
    rows: list[Row],
    figures_of: Callable[[AnyStanding, Row], Iterable[Figure]],
    previous: dict[str, dict[str, int]],
) -> dict[str, dict[str, int]]:
    counters = {player: Counter(previous.get(player, {})) for player in standing.players}
    for row in rows:
        for player, name, part, count in figures_of(standing, row):
            counters[player][f"{name}.{part}" if part else name] += count
    return {player: dict(counter) for player, counter in counters.items()}


def _feats(
    standing: AnyStanding,
    rows: list[Row],
    feats_of: Callable[[AnyStanding, Row], Iterable[Feat]],
    previous: dict[str, BestFeat],
) -> dict[str, BestFeat]:
    best = previous.copy()
    for row in rows:
        for name, amount, players in feats_of(standing, row):
            if name not in best or amount > best[name][0]:
                best[name] = amount, "".join(players), row.number
    return best


def fingerprint(table: TableState, previous: PreviousSummary | None = None) -> str:
    """Return a hash of the table's sheet, independent of its players. Equal sheets have equal fingerprints.

    The sheet without its deals is hashed first, then each deal together with the hash so far. So a fingerprint can
    be extended from a previous one.
    """
    if previous is None:
        seats = {seat: seat for seat in table.standing.players}
        digest, hashed_rows = _hash("", dump(table.sheet_without_deals(seats))), 0
    else:
        digest, hashed_rows = previous.fingerprint, previous.rows
    scored_deals = (scored for scored in table.newest_first() if scored.row)
    for scored in reversed(list(islice(scored_deals, len(table.standing.rows) - hashed_rows))):
        if scored.row is not None and scored.deal.body is not None:
            dealer = {"dealer": scored.row.dealer} if "dealer" in scored.deal.body else {}
            digest = _hash(digest, dealer | schema.dump(scored.row.fact))
    return digest


def _hash(previous: str, document: JsonObject) -> str:
    return hashlib.sha256((previous + json.dumps(document, sort_keys=True)).encode()).hexdigest()
