"""Totals worked by hand: of one table, of two tables, by month, and as stored JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.stats.totals import (
    EVERYBODY,
    EveningSpan,
    GameTotals,
    PlayerGameTotals,
    Record,
    RecordOrigin,
    Totals,
    WinningRun,
    dump,
    load,
    tally,
)

FIRST, SECOND, THIRD = "2026-11-20", "2026-11-27", "2026-12-04"


def summary(**told: Any) -> dict[str, Any]:
    """Return the summary of a table of Whist in which North–South won two of three manches and a robre."""
    return {
        "seats": {"1": 11, "2": 22, "3": 33, "4": 44},
        "deals": 6,
        "ended": {"manche": ["13", "24", "13"], "robre": ["13"]},
        "account": "whist",
        "grains": {"1": 3, "2": -3, "3": 3, "4": -3},
        "balances": {seat: {"fiches": amount} for seat, amount in (("1", 3), ("2", -3), ("3", 3), ("4", -3))},
        "figures": {"1": {"tricks_over": 9}, "2": {}, "3": {"tricks_over": 9}, "4": {"honours.3": 1}},
        "feats": {"robre_margin": [3, "13", 6]},
    } | told


PERSONS = {11: 2, 22: 10, 33: 3, 44: 1}  # of players, the people that they are


def of_whist(id_: int = 7, day: str = FIRST, **told: Any) -> Totals:
    return tally(id_, day, games()["whist"], summary(**told), PERSONS)


def test_the_tally_of_a_table_counts_it_once_for_everybody() -> None:
    told = of_whist()
    assert told.evenings == dict.fromkeys((EVERYBODY, "2", "10", "3", "1"), EveningSpan(1, FIRST, FIRST))
    assert told.courses == {"whist": {FIRST: {"2": 3, "10": -3, "3": 3, "1": -3}}}
    assert told.open == {}
    at = told.games["whist"]
    assert (at.tables, at.deals, at.ended) == (1, 6, {"manche": 3, "robre": 1})
    ended = {"manche": 3, "robre": 1}
    up, won = {"fiches": 3}, {"manche": 2, "robre": 1}
    assert at.players["2"] == PlayerGameTotals(1, 6, ended, won, up, {"tricks_over": 9}, WinningRun(1, 1, 1, 1))
    lost = {"manche": 1, "robre": 0}
    assert at.players["1"] == PlayerGameTotals(
        1, 6, ended, lost, {"fiches": -3}, {"honours.3": 1}, WinningRun(0, 0, 0, 1)
    )
    assert at.records == {"robre_margin": Record(3, 1, [RecordOrigin(7, FIRST, 6, ["2", "3"])])}


def test_partners_and_opponents_are_paired_with_the_lower_number_first() -> None:
    at = of_whist().games["whist"]
    # Tables, then robres won and lost together; or tables, then robres won by the first and by the second.
    assert at.partners == {"2 3": [1, 1, 0], "1 10": [1, 0, 1]}
    assert at.opponents == {"1 2": [1, 0, 1], "1 3": [1, 0, 1], "2 10": [1, 1, 0], "3 10": [1, 1, 0]}
    assert at.with_whom("10") == {"1": [1, 0, 1]}
    assert at.with_whom("2") == {"3": [1, 1, 0]}
    assert at.against_whom("10") == {"2": [1, 0, 1], "3": [1, 0, 1]}
    assert at.against_whom("2") == {"1": [1, 1, 0], "10": [1, 1, 0]}
    assert at.with_whom("0") == at.against_whom("0") == {}


def test_where_each_plays_for_himself_nobody_has_a_partner() -> None:
    told = {
        "seats": {"1": 11, "2": 22, "3": 33},
        "ended": {"manche": ["1", "3"]},
        "balances": {seat: {"jetons": 0, "fiches": 0} for seat in "123"},
        "grains": dict.fromkeys("123", 0),
        "figures": {seat: {} for seat in "123"},
        "feats": {},
    }
    at = tally(1, FIRST, games()["francion"], summary(**told), PERSONS).games["francion"]
    assert at.partners == {}
    assert at.opponents == {"2 3": [1, 1, 1], "2 10": [1, 1, 0], "3 10": [1, 1, 0]}


def test_a_table_on_which_nothing_ended_has_been_played_all_the_same() -> None:
    at = of_whist(ended={}, feats={}).games["whist"]
    assert at.partners == {"2 3": [1, 0, 0], "1 10": [1, 0, 0]}
    assert at.opponents["1 2"] == [1, 0, 0]
    assert (at.players["2"].played, at.players["2"].won, at.players["2"].run) == ({}, {}, WinningRun())


def test_somebody_who_sat_on_two_chairs_is_counted_on_both() -> None:
    told = tally(7, FIRST, games()["whist"], summary(), PERSONS | {44: 2})
    assert told.courses == {"whist": {FIRST: {"2": 0, "10": -3, "3": 3}}}
    assert told.games["whist"].players["2"].tables == 2


def test_two_tables_are_added_up() -> None:
    later = of_whist(8, SECOND, ended={"manche": ["24", "24"], "robre": ["24"]}, feats={"robre_margin": [5, "24", 2]})
    total = of_whist() + later
    at = total.games["whist"]
    assert total.evenings["2"] == EveningSpan(2, FIRST, SECOND)
    assert (at.tables, at.deals, at.ended) == (2, 12, {"manche": 5, "robre": 2})
    assert at.partners == {"2 3": [2, 1, 1], "1 10": [2, 1, 1]}
    assert at.opponents["2 10"] == [2, 1, 1]
    assert at.players["2"].won == {"manche": 2, "robre": 1}
    assert at.players["2"].net == {"fiches": 6}
    assert at.players["2"].figures == {"tricks_over": 18}
    assert at.players["2"].run == WinningRun(1, 0, 1, 2)
    assert at.players["1"].run == WinningRun(0, 1, 1, 2)
    assert at.records == {"robre_margin": Record(5, 1, [RecordOrigin(8, SECOND, 2, ["10", "1"])])}
    assert total.courses == {
        "whist": {
            FIRST: {"2": 3, "10": -3, "3": 3, "1": -3},
            SECOND: {"2": 3, "10": -3, "3": 3, "1": -3},
        }
    }


def test_an_evening_shared_by_two_tables_is_one_evening_with_the_sum_of_both() -> None:
    total = of_whist() + of_whist(8)
    assert total.evenings["2"] == EveningSpan(1, FIRST, FIRST)
    assert total.courses["whist"][FIRST]["2"] == 6
    assert total.games["whist"].records["robre_margin"].times == 2


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (EveningSpan(2, FIRST, SECOND), EveningSpan(3, SECOND, THIRD), EveningSpan(4, FIRST, THIRD)),
        (EveningSpan(2, FIRST, SECOND), EveningSpan(1, THIRD, THIRD), EveningSpan(3, FIRST, THIRD)),
        (EveningSpan(), EveningSpan(1, THIRD, THIRD), EveningSpan(1, THIRD, THIRD)),
        (EveningSpan(1, THIRD, THIRD), EveningSpan(), EveningSpan(1, THIRD, THIRD)),
        (EveningSpan(), EveningSpan(), EveningSpan(0, "", "")),
    ],
)
def test_evenings_join_where_one_list_of_tables_follows_another(
    one: EveningSpan, other: EveningSpan, both: EveningSpan
) -> None:
    assert one.then(other) == both


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (WinningRun(1, 1, 1, 1), WinningRun(1, 1, 1, 1), WinningRun(2, 2, 2, 2)),
        (WinningRun(0, 2, 2, 3), WinningRun(1, 0, 4, 9), WinningRun(0, 0, 4, 12)),
        (WinningRun(0, 2, 2, 3), WinningRun(3, 0, 3, 4), WinningRun(0, 0, 5, 7)),
        (WinningRun(2, 1, 3, 7), WinningRun(2, 2, 2, 2), WinningRun(2, 3, 3, 9)),
        (WinningRun(2, 2, 2, 2), WinningRun(2, 1, 2, 5), WinningRun(4, 1, 4, 7)),
        (WinningRun(), WinningRun(1, 0, 1, 2), WinningRun(1, 0, 1, 2)),
    ],
)
def test_runs_join_at_their_ends(one: WinningRun, other: WinningRun, both: WinningRun) -> None:
    assert one.then(other) == both


def place(table: int) -> RecordOrigin:
    return RecordOrigin(table, FIRST, 1, ["1"])


def test_of_equal_records_the_first_three_are_named_and_all_are_counted() -> None:
    twice = Record(5, 2, [place(1), place(2)])
    assert twice.then(Record(5, 4, [place(3), place(4)])) == Record(5, 6, [place(1), place(2), place(3)])
    assert twice.then(Record(4, 1, [place(3)])) is twice
    larger = Record(6, 1, [place(3)])
    assert twice.then(larger) is larger


def test_what_is_open_is_added_up_by_its_key() -> None:
    total = Totals()
    total.add_open("EUR whist 2", 5, 1)
    total.add_open("EUR whist 2", -7, 2)
    total.add_open("EUR whist 3", 1, 1)
    assert total.open == {"EUR whist 2": [-2, 3], "EUR whist 3": [1, 1]}
    both = total + total
    assert both.open == {"EUR whist 2": [-4, 6], "EUR whist 3": [2, 2]}


def test_a_course_by_month_adds_the_evenings_up() -> None:
    total = of_whist() + of_whist(8, SECOND) + of_whist(9, THIRD)
    total.add_open("whist whist 2", 5, 1)
    monthly = total.coarser(7)
    assert monthly.courses["whist"]["2026-11"] == {"2": 6, "10": -6, "3": 6, "1": -6}
    assert monthly.courses["whist"]["2026-12"]["2"] == 3
    assert total.coarser(4).courses == {"whist": {"2026": {"2": 9, "10": -9, "3": 9, "1": -9}}}
    assert (monthly.evenings, monthly.games, monthly.open) == (total.evenings, total.games, total.open)


def test_a_tally_is_kept_as_plain_json() -> None:
    told = of_whist()
    told.add_open("whist whist 2", 5, 1)
    kept = json.loads(json.dumps(dump(told)))
    assert list(kept) == ["evenings", "games", "courses", "open"]
    assert kept["evenings"]["2"] == [1, FIRST, FIRST]
    tables, deals, ended, players, partners, opponents, records = kept["games"]["whist"]
    assert (tables, deals, ended) == (1, 6, {"manche": 3, "robre": 1})
    assert players["1"] == [1, 6, ended, {"manche": 1, "robre": 0}, {"fiches": -3}, {"honours.3": 1}, [0, 0, 0, 1]]
    assert (partners["2 3"], opponents["2 10"]) == ([1, 1, 0], [1, 1, 0])
    assert records == {"robre_margin": [3, 1, [[7, FIRST, 6, ["2", "3"]]]]}
    assert load(kept) == told


def test_two_tallies_are_added_without_being_changed() -> None:
    one, other = of_whist(), of_whist(8, SECOND)
    before = dump(one), dump(other)
    kept = json.dumps(before)
    one + other
    assert json.dumps([dump(one), dump(other)]) == kept
    assert Totals() + one == one + Totals() == one
    assert GameTotals() == GameTotals(0, 0)
