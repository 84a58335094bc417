"""Summaries worked by hand."""

from __future__ import annotations

from scorekeeper.tables.summary import summarise

from ..support.sheets import MISDEAL, points
from .states import record, table_state

MONEY = {"value_currency": "EUR", "value_unit": "fiche", "value_amount": "0.25"}
SUBUNITS = 9_000_000  # of one euro
ROBRE = [record(points("ns", 10)), record(MISDEAL), record({"tricks": {"ns": 13}}), record({"tricks": {"ns": 9}})]


def test_a_robre_for_money_is_summarised() -> None:
    summary = summarise(table_state(*ROBRE, **MONEY))
    winners = {"manche.2": 2, "robre.5": 1, "tricks_over": 10, "all_tricks": 1}
    # Two doubles and one for the robre: 5 fiches from the left, 5 × 0.25.
    assert summary == {
        "seats": {"1": 1, "2": 2, "3": 3, "4": 4},
        "status": "open",
        "scores": {"ns": 0, "ew": 0},
        "winner": None,
        "deals": 2,
        "ended": {"manche": ["13", "13"], "robre": ["13"]},
        "account": "EUR",
        "subunits": {seat: sign * 5 * SUBUNITS // 4 for seat, sign in (("1", 1), ("2", -1), ("3", 1), ("4", -1))},
        "balances": {seat: {"fiches": sign * 5} for seat, sign in (("1", 1), ("2", -1), ("3", 1), ("4", -1))},
        "figures": {"1": winners, "2": {}, "3": winners, "4": {}},
        # The misdeal counts with the deals: the robre ended with the fourth.
        "feats": {"robre_margin": (5, "13", 4), "longest_robre": (2, "1234", 4), "most_in_a_deal": (7, "13", 3)},
    }


def test_a_table_is_finished_when_its_partie_is_won() -> None:
    slam = {"contract": {"player": "2", "points": 12}, "tricks": {"ns": 1}, "five_of_hearts": "ew"}
    summary = summarise(table_state(record(slam | {"three_of_spades": "ns"}), game="joffre"))
    assert (summary["status"], summary["winner"], summary["account"]) == ("finished", "24", "joffre")
    assert summary["ended"] == {"partie": ["24"]}


def test_without_sides_the_winner_is_a_single_seat() -> None:
    summary = summarise(table_state(record({"adjustment": {"to": "2", "points": 6}}), game="francion"))
    assert summary["ended"] == {"manche": ["2"]}
    # Two players without a point pay twelve fiches each, at nine jetons.
    assert summary["subunits"] == {"1": -108, "2": 216, "3": -108}
    assert summary["deals"] == 0


def test_a_feat_names_the_first_deal_that_reached_it() -> None:
    summary = summarise(table_state(*(record({"tricks": {"ns": over}}) for over in (8, 9, 9, 7))))
    assert summary["feats"]["most_in_a_deal"] == (3, "13", 2)
