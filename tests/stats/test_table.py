"""Summaries worked by hand. A summary extended from an earlier one equals a new one."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.stats.table import Earlier, fingerprint, summarise
from scorekeeper.tables.revisions import RECORD, WITHDRAW, Change
from scorekeeper.tables.state import TableState

from ..games.played import MISDEAL, points
from ..tables.test_state import SEVEN, opened, record, row

MONEY = {"value_currency": "EUR", "value_unit": "fiche", "value_amount": "0.25"}
GRAINS = 9_000_000  # of one euro
ROBRE = [record(points("ns", 10)), record(MISDEAL), record({"tricks": {"ns": 13}}), record({"tricks": {"ns": 9}})]


def test_a_robre_for_money_is_summarised() -> None:
    summary = summarise(opened(*ROBRE, **MONEY))
    figures = summary.pop("figures")
    # Two doubles and one for the robre: 5 fiches from the left, 5 × 0.25.
    assert summary == {
        "seats": {"1": 1, "2": 2, "3": 3, "4": 4},
        "status": "open",
        "scores": {"ns": 0, "ew": 0},
        "winner": None,
        "deals": 2,
        "ended": {"manche": ["13", "13"], "robre": ["13"]},
        "account": "EUR",
        "grains": {seat: sign * 5 * GRAINS // 4 for seat, sign in (("1", 1), ("2", -1), ("3", 1), ("4", -1))},
        "balances": {seat: {"fiches": sign * 5} for seat, sign in (("1", 1), ("2", -1), ("3", 1), ("4", -1))},
        # The misdeal counts with the deals: the robre ended with the fourth.
        "feats": {"robre_margin": [5, "13", 4], "longest_robre": [2, "1234", 4], "most_in_a_deal": [7, "13", 3]},
    }
    both = {"manche.2": 2, "robre.5": 1, "tricks_over": 10, "all_tricks": 1}
    assert figures == {"1": both, "2": {}, "3": both, "4": {}}


def test_a_partie_that_is_won_is_finished() -> None:
    slam = {"contract": {"player": "2", "points": 12}, "tricks": {"ns": 1}, "five_of_hearts": "ew"}
    summary = summarise(opened(record(slam | {"three_of_spades": "ns"}), game="joffre"))
    assert (summary["status"], summary["winner"], summary["account"]) == ("finished", "24", "joffre")
    assert summary["ended"] == {"partie": ["24"]}


def test_a_player_who_wins_by_himself_is_named_alone() -> None:
    summary = summarise(opened(record({"adjustment": {"to": "2", "points": 6}}), game="francion"))
    assert summary["ended"] == {"manche": ["2"]}
    # Two players without a point pay twelve fiches each, at nine jetons.
    assert summary["grains"] == {"1": -108, "2": 216, "3": -108}
    assert summary["deals"] == 0


def test_the_first_deal_that_reached_a_record_is_named() -> None:
    summary = summarise(opened(*(record({"tricks": {"ns": over}}) for over in (8, 9, 9, 7))))
    assert summary["feats"]["most_in_a_deal"] == [3, "13", 2]


def earlier(table: TableState) -> Earlier:
    return Earlier(summarise(table), fingerprint(table), len(table.standing.rows))


@pytest.mark.parametrize("money", [{}, MONEY])
def test_a_summary_made_further_from_an_earlier_one_is_the_same(money: dict[str, Any]) -> None:
    changes = [*ROBRE, *ROBRE, record({"tricks": {"ew": 8}})]
    whole = opened(*changes, **money)
    for length in range(len(changes) + 1):
        before = earlier(opened(*changes[:length], **money))
        unchanged = repr(before)
        assert summarise(whole, before) == summarise(whole)
        assert fingerprint(whole, before) == fingerprint(whole)
        assert repr(before) == unchanged


# --- fingerprints ------------------------------------------------------------------------------------------


def test_the_same_facts_have_the_same_fingerprint_whoever_sits_there() -> None:
    other = row()
    for seat in other.seats:
        seat.player.name = f"Player {seat.seat}"
    changes = [record(SEVEN), record({"tricks": {"ns": 9}}), Change(WITHDRAW, 2)]
    same = TableState(other, opened(record(SEVEN)).revisions)
    assert fingerprint(opened(*changes)) == fingerprint(same)


def test_other_facts_have_another_fingerprint() -> None:
    tables = [
        opened(),
        opened(record(SEVEN)),
        opened(record(SEVEN), record(SEVEN)),
        opened(record({"tricks": {"ew": 7}})),
        opened(record(SEVEN | {"dealer": "2"})),
        opened(record(SEVEN | {"dealer": "1"})),
        opened(record(SEVEN), dealer="2"),
        opened(record(SEVEN), title="Friday"),
        opened(record(SEVEN), house_rules={"robre_points": 2}),
        opened(record(SEVEN), **MONEY),
        opened(record(MISDEAL), record(SEVEN)),
        opened(record(SEVEN), record(MISDEAL)),
    ]
    assert len({fingerprint(table) for table in tables}) == len(tables)


def test_a_fingerprint_is_that_of_the_facts_and_not_of_how_they_were_told() -> None:
    bodies = [{"tricks": {"ns": 7}, "honours": {"side": "ns", "count": 3}}]
    bodies.append(dict(reversed(bodies[0].items())))
    assert len({fingerprint(opened(Change(RECORD, body=body))) for body in bodies}) == 1
