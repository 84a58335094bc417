"""What people played and won at a table on which somebody took a seat, worked out by hand."""

from __future__ import annotations

import pytest

from scorekeeper.games import games
from scorekeeper.stats.labels import join_labels, split_labels
from scorekeeper.stats.seatings import won_by_sides
from scorekeeper.stats.summary_data import SummaryData
from scorekeeper.stats.totals import Streaks, table_totals

# Anne 1, Bruno 2, Chloé 3, David 4; Emma 12 takes Bruno's seat after the first rubber.
FIRST, LATER = "1234", "1(12)34"
PERSONS = {1: 101, 2: 102, 3: 103, 4: 104, 12: 112}


def summary() -> SummaryData:
    people = ["1", "2", "3", "4", "12"]
    return {
        "seats": {label: int(label) for label in people},
        "status": "open",
        "scores": {"ns": 0, "ew": 0},
        "winner": None,
        "deals": 9,
        "ended": {"robre": ["24", "13", "(12)4"]},
        "account": "EUR",
        "grains": dict.fromkeys(people, 0),
        "balances": {label: {"fiches": 0} for label in people},
        "figures": {label: {} for label in people},
        "feats": {"most": (13, "(12)4", 8)},
        "seatings": [
            {"seated": FIRST, "deals": 5, "ended": {"robre": ["24"]}},
            {"seated": LATER, "deals": 4, "ended": {"robre": ["13", "(12)4"]}},
        ],
    }


@pytest.mark.parametrize("labels", [["1"], ["12"], ["1", "2"], ["1", "12", "3"], ["12", "99"], []])
def test_labels_that_are_written_together_are_read_again(labels: list[str]) -> None:
    assert split_labels(join_labels(labels)) == labels


def test_everybody_counts_what_was_played_and_won_while_they_sat() -> None:
    totals = table_totals(1, "2026-11-20", games()["whist"], summary(), PERSONS).games["whist"]
    played = {person: (of.deals, of.played, of.won) for person, of in totals.players.items()}
    assert played == {
        "101": (9, {"robre": 3}, {"robre": 1}),
        "102": (5, {"robre": 1}, {"robre": 1}),
        "103": (9, {"robre": 3}, {"robre": 1}),
        "104": (9, {"robre": 3}, {"robre": 2}),
        "112": (4, {"robre": 2}, {"robre": 1}),
    }
    assert totals.players["112"].streaks == Streaks(0, 1, 1, 2)
    assert totals.records["most"].origins[0].players == ["112", "104"]


def test_partners_and_opponents_are_those_who_sat_together() -> None:
    totals = table_totals(1, "2026-11-20", games()["whist"], summary(), PERSONS).games["whist"]
    assert totals.partners == {"101 103": [1, 1, 2], "102 104": [1, 1, 0], "104 112": [1, 1, 1]}
    assert totals.opponents["101 112"] == [1, 1, 1]
    assert totals.opponents["101 102"] == [1, 0, 1]
    assert totals.opponents["101 104"] == [1, 1, 2]
    assert "102 112" not in totals.opponents


def test_a_side_has_won_what_any_of_its_players_has() -> None:
    assert won_by_sides(summary(), "robre") == [1, 2]
