"""Totals worked by hand."""

from __future__ import annotations

from collections import Counter

from scorekeeper.games import games
from scorekeeper.standings.totals import PlayerGameTotals, Record, RecordOrigin, Totals
from scorekeeper.tables.summary import SummaryData

FIRST = "2026-11-20"


# Of a table of Whist in which North–South won two of three manches and a robre.
SUMMARY: SummaryData = {
    "seats": {"1": 11, "2": 22, "3": 33, "4": 44},
    "status": "open",
    "scores": {"ns": 0, "ew": 0},
    "winner": None,
    "deals": 6,
    "ended": {"manche": ["13", "24", "13"], "robre": ["13"]},
    "account": "whist",
    "subunits": {"1": 3, "2": -3, "3": 3, "4": -3},
    "balances": {seat: {"fiches": amount} for seat, amount in (("1", 3), ("2", -3), ("3", 3), ("4", -3))},
    "figures": {"1": {"tricks_over": 9}, "2": {}, "3": {"tricks_over": 9}, "4": {"honours.3": 1}},
    "feats": {"robre_margin": (3, "13", 6)},
}
PERSON_IDS = {11: 2, 22: 10, 33: 3, 44: 1}  # by player id


def whist_totals(*ids: int) -> Totals:
    totals = Totals()
    for id_ in ids:
        totals.add(id_, FIRST, games()["whist"], SUMMARY, PERSON_IDS, "whist")
    return totals


def test_the_totals_of_a_table_count_it_once_for_each_player() -> None:
    totals = whist_totals(7)
    assert [totals.count_evenings(player) for player in (None, 10, 5)] == [1, 1, 0]
    assert totals.net_results == {"whist": {FIRST: {2: 3, 10: -3, 3: 3, 1: -3}}}
    at = totals.games["whist"]
    assert (at.tables, at.deals, at.ended) == (1, 6, {"manche": 3, "robre": 1})
    ended = Counter({"manche": 3, "robre": 1})
    up, won = Counter({"fiches": 3}), Counter({"manche": 2, "robre": 1})
    tricks = Counter({"tricks_over": 9})
    assert at.players[2] == PlayerGameTotals(1, 6, ended, won, up, tricks, 1, 1, {FIRST})
    lost = Counter({"manche": 1, "robre": 0})
    down, honours = Counter({"fiches": -3}), Counter({"honours.3": 1})
    assert at.players[1] == PlayerGameTotals(1, 6, ended, lost, down, honours, 0, 0, {FIRST})
    assert at.records == {"robre_margin": Record(3, 1, [RecordOrigin(7, FIRST, [2, 3])])}


def test_equal_records_are_counted_and_the_first_three_are_named() -> None:
    record = whist_totals(1, 2, 3, 4).games["whist"].records["robre_margin"]
    assert (record.amount, record.times, [origin.table for origin in record.origins]) == (3, 4, [1, 2, 3])
