"""A table's summary for pages about many tables, as plain JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import combinations, product
from typing import NotRequired, TypedDict

from ..games import make_game_key
from ..scoring.game import AnyGame
from ..scoring.standing import SIDES, AnyStanding, Row
from .state import TableState

_LABEL = re.compile(r"\((\d+)\)|(\d)")


def join_labels(labels: Iterable[str]) -> str:
    return "".join(label if len(label) == 1 else f"({label})" for label in labels)


def split_labels(text: str) -> list[str]:
    return [longer or digit for longer, digit in _LABEL.findall(text)]


WonLost = list[int]  # two counts of deals


class PairsData(TypedDict):
    """Counts by pair of people, written together such as "13", the lower label first."""

    partners: dict[str, WonLost]  # deals won and lost together
    opponents: dict[str, WonLost]  # deals in which the first did better, and in which the second did
    sat_out: dict[str, int]  # by label, deals in which somebody who sat at the table was on no side


def count_pairs(game: AnyGame, rows: Iterable[tuple[AnyStanding, Row]]) -> PairsData:
    """Return the pairs of a game whose partners change, from each row with the standing of those who sat there.

    In a deal a side does better than another if its players won more together.
    """
    partners: dict[str, WonLost] = {}
    opponents: dict[str, WonLost] = {}
    sat_out: Counter[str] = Counter()
    for standing, row in rows:
        if game.counted.deal_sides is None or not game.is_played(row.fact):
            continue
        sides = [tuple(side) for side in game.counted.deal_sides(standing, row)]
        sat_out.update(set(row.players).difference(*sides) if sides else ())
        points = [sum(row.scored[player] for player in side) for side in sides]
        for index, side in enumerate(sides):
            others = [other for place, other in enumerate(points) if place != index]
            won = all(points[index] > other for other in others)
            lost = any(points[index] < other for other in others)
            for first, second in combinations(sorted(side, key=int), 2):
                _add(partners, first, second, won and bool(others), lost)
        for (side, own), (other_side, other) in combinations(zip(sides, points, strict=True), 2):
            for player, opponent in product(side, other_side):
                _add(opponents, player, opponent, own > other, own < other)
    return {"partners": partners, "opponents": opponents, "sat_out": dict(sat_out)}


def _add(pairs: dict[str, WonLost], first: str, second: str, won: bool, lost: bool) -> None:
    """Count a deal of a pair; if it is the other way round, what the one has won the other has lost."""
    if int(first) > int(second):
        first, second, won, lost = second, first, lost, won
    counts = pairs.setdefault(join_labels((first, second)), [0, 0])
    counts[0] += won
    counts[1] += lost


BestFeat = tuple[int, str, int]  # amount, people, number of the row; a list when read from the database
Ended = dict[str, list[str]]  # by kind, the winners of each, written together


class SeatingData(TypedDict):
    """A stretch of a table during which the same people sat on the same chairs."""

    seated: str  # their labels in the order of the chairs, written together
    deals: int  # played
    ended: Ended


class SummaryData(TypedDict):
    """A table's summary as plain JSON. People are labels; several are written together: "13", or "1(12)"."""

    seats: dict[str, int]  # ids of players, also of those who have not sat since a substitution was withdrawn
    status: str  # "finished" or "open"
    scores: dict[str, int]
    winner: str | None
    deals: int  # played, without misdeals, adjustments and deals that everybody passed
    ended: Ended
    account: str  # a currency, or the key of the game whose counters are owed
    # The balances in subunits of `account`, of all who have sat, in the order in which they first did.
    subunits: dict[str, int]
    balances: dict[str, dict[str, int]]  # the same in counters, by unit
    figures: dict[str, dict[str, int]]  # the game's counters of events, by name; a part follows it after a point
    feats: dict[str, BestFeat]  # the largest amount of each
    pairs: NotRequired[PairsData]  # of the deals, only in games whose partners change
    seatings: NotRequired[list[SeatingData]]  # only at tables with substitutes


def is_in_sides(summary: SummaryData) -> bool:
    """Return whether the table is played in sides, which in some games the house rules say: its scores are of sides."""
    return summary["scores"].keys() == set(SIDES)


def was_played(summary: SummaryData) -> bool:
    """Return whether a table counts for statistics: a deal was played there, or counters changed hands."""
    return summary["deals"] > 0 or any(any(counters.values()) for counters in summary["balances"].values())


def label_parties(standing: AnyStanding, parties: Iterable[str]) -> str:
    """Return the labels of parties, written together; a side's are those of the players of this standing."""
    return join_labels(label for party in parties for label in standing.partners(party))


def count_seatings(game: AnyGame, standing: AnyStanding, rows: Iterable[tuple[AnyStanding, Row]]) -> list[SeatingData]:
    """Return the stretches of a table with the same people, from each row with the standing of those who sat there."""
    first = join_labels([*standing.balances][: len(standing.players)])
    seatings: list[SeatingData] = [{"seated": first, "deals": 0, "ended": {}}]
    for past, row in rows:
        seated = join_labels(past.players)
        if seatings[-1]["seated"] != seated:
            seatings.append({"seated": seated, "deals": 0, "ended": {}})
        seatings[-1]["deals"] += game.is_played(row.fact)
        add_closings(seatings[-1]["ended"], past, row)
    return seatings


def add_closings(ended: Ended, standing: AnyStanding, row: Row) -> None:
    """Add the winners of what ended with a row; `standing` is the one with those who sat there."""
    for closing in row.closings:
        ended.setdefault(closing.kind, []).append(label_parties(standing, closing.winners))


def list_seatings(summary: SummaryData) -> list[SeatingData]:
    """Return the seatings of a table; without substitutes there is one."""
    labels, deals, ended = join_labels(summary["balances"]), summary["deals"], summary["ended"]
    return summary.get("seatings") or [{"seated": labels, "deals": deals, "ended": ended}]


def won_by_sides(summary: SummaryData, kind: str) -> list[int]:
    """Return how many of a kind each of the two sides has won, no matter who sat there."""
    won = [0, 0]
    for seating in list_seatings(summary):
        seated = split_labels(seating["seated"])
        for winners in seating["ended"].get(kind, ()):
            for winner in split_labels(winners)[:1]:  # one of a side; none if nobody has won
                won[seated.index(winner) % 2] += 1
    return won


def summarise(table: TableState) -> SummaryData:
    standing = table.standing
    game = table.game
    result = table.result
    rows = [(standing.seated_as(row), row) for row in standing.rows]
    figures: dict[str, Counter[str]] = {player: Counter() for player in standing.balances}
    feats: dict[str, BestFeat] = {}
    ended: Ended = {}
    for past, row in rows:
        add_closings(ended, past, row)
        for party, name, part, count in game.counted.figures(past, row):
            for player in past.partners(party):
                figures[player][f"{name}.{part}" if part else name] += count
        for name, amount, parties in game.counted.feats(past, row):
            if name not in feats or amount > feats[name][0]:
                feats[name] = amount, label_parties(past, parties), row.number
    summary: SummaryData = {
        "seats": {seat.label: seat.player_id for seat in table.stored.seats},
        "status": "finished" if standing.is_finished else "open",
        "scores": standing.scores,
        "winner": label_parties(standing, standing.winners) if standing.winners else None,
        "deals": sum(game.is_played(row.fact) for row in standing.rows),
        "ended": ended,
        "account": result.account if standing.value is not None else make_game_key(game, table.stored.house_rules),
        "subunits": result.subunits,
        "balances": standing.balances,
        "figures": {player: dict(counter) for player, counter in figures.items()},
        "feats": feats,
    }
    if game.counted.deal_sides is not None:
        summary["pairs"] = count_pairs(game, rows)
    if len(standing.balances) > len(standing.players):  # there were substitutes
        summary["seatings"] = count_seatings(game, standing, rows)
    return summary
