"""Summaries of tables: the cached results that pages about many tables need."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple

from ..scoring import schema
from ..scoring.game import Feat, Figure
from ..scoring.sheet import dump
from ..scoring.standing import AnyStanding, Row
from ..scoring.substitutions import rename
from ..scoring.values import JsonObject
from ..tables.state import TableState
from .pairs import count_pairs, join_labels
from .seatings import add_closings, count_seatings, name_winners
from .summary_data import BestFeat, SummaryData


class PreviousSummary(NamedTuple):
    """The summary and fingerprint of a table when it had only its first `rows` rows."""

    data: SummaryData
    fingerprint: str
    rows: int


def summarise(table: TableState, previous: PreviousSummary | None = None) -> SummaryData:
    """Return a table's summary, extended from a previous one if there is one."""
    standing = table.standing
    game, result = table.game, table.result
    data = previous.data if previous is not None else None
    rows = standing.rows[previous.rows if previous is not None else 0 :]
    summary: SummaryData = {
        "seats": data["seats"] if data and standing.balances.keys() <= data["seats"].keys() else _seats(table),
        "status": "finished" if standing.is_finished else "open",
        "scores": standing.scores,
        "winner": name_winners(standing, standing.winners) if standing.winners else None,
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
    earlier = (data.get("seatings"), data["deals"], data["ended"]) if data else (None, 0, {})
    seatings = count_seatings(game, standing, rows, earlier)
    if seatings is not None:
        summary["seatings"] = seatings
    return summary


def _seats(table: TableState) -> dict[str, int]:
    return {seat.seat: seat.player_id for seat in table.stored.seats}


def _ended(standing: AnyStanding, rows: list[Row], previous: dict[str, list[str]]) -> dict[str, list[str]]:
    ended = {kind: winners.copy() for kind, winners in previous.items()}
    for row in rows:
        add_closings(ended, standing.seated_as(row), row)
    return ended


def _figures(
    standing: AnyStanding,
    rows: list[Row],
    figures_of: Callable[[AnyStanding, Row], Iterable[Figure]],
    previous: dict[str, dict[str, int]],
) -> dict[str, dict[str, int]]:
    counters = {player: Counter(previous.get(player, {})) for player in standing.balances}
    for row in rows:
        for player, name, part, count in figures_of(standing.seated_as(row), row):
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
        for name, amount, players in feats_of(standing.seated_as(row), row):
            if name not in best or amount > best[name][0]:
                best[name] = amount, join_labels(players), row.number
    return best


def fingerprint(table: TableState, previous: PreviousSummary | None = None) -> str:
    """Return a hash of the table's sheet, independent of its players. Equal sheets have equal fingerprints.

    The sheet without its deals is hashed first, then each deal together with the hash so far. So a fingerprint can
    be extended from a previous one. People are numbered in the order in which they first sat, whatever their labels.
    """
    if previous is None:
        seats = {chair: chair for chair in table.chairs}
        digest, hashed_rows = _hash("", dump(table.sheet_without_deals(seats))), 0
    else:
        digest, hashed_rows = previous.fingerprint, previous.rows
    numbers = {label: str(number) for number, label in enumerate(table.standing.balances, start=1)}
    is_numbered = all(label == number for label, number in numbers.items())
    scored_deals = (scored for scored in table.newest_first() if scored.row)
    for scored in reversed(list(islice(scored_deals, len(table.standing.rows) - hashed_rows))):
        if scored.row is not None and scored.deal.body is not None:
            dealer = {"dealer": numbers[scored.row.dealer]} if "dealer" in scored.deal.body else {}
            fact = scored.row.fact if is_numbered else rename(scored.row.fact, numbers)
            digest = _hash(digest, dealer | schema.dump(fact))
    return digest


def _hash(previous: str, document: JsonObject) -> str:
    return hashlib.sha256((previous + json.dumps(document, sort_keys=True)).encode()).hexdigest()
