"""Counters that are not what the sheet says: which payments would explain it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from scorekeeper.games import games
from scorekeeper.scoring.discrepancy import NOT_MADE, REVERSED, TWICE, explanations
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.ledger import FICHES, JETONS, POT, Entry
from scorekeeper.scoring.ledger import mark as points
from scorekeeper.scoring.statement import settling_unit

from .. import strategies

JOURNAL = [
    (1, [Entry("Anne", POT, 9, JETONS, "stake"), Entry(POT, "Bruno", 9, JETONS, "tricks"), points("Bruno", 1, "x")]),
    (2, [Entry("Bruno", "Anne", 4, JETONS, "welche"), Entry("Chloé", "Anne", 4, JETONS, "welche")]),
    (3, [Entry("Bruno", "Anne", 2, FICHES, "manche"), Entry("Chloé", "Anne", 12, FICHES, "manche")]),
    (4, [Entry("Bruno", "Anne", 4, JETONS, "adjustment")]),
]


def told(off: dict[str, int], *, whole: bool = True) -> list[tuple[int, int, str]]:
    """What explains it: the deal, how many payments, and what went wrong."""
    found = explanations(JOURNAL, off, JETONS)
    return [(one.deal, len(one.entries), one.how) for one in found if one.is_whole == whole]


@pytest.mark.parametrize(
    ("off", "explained"),
    [
        ({"Anne": -4, "Bruno": 4}, [(4, 1, NOT_MADE), (2, 1, NOT_MADE)]),
        ({"Anne": 4, "Bruno": -4, "Chloé": 0}, [(4, 1, TWICE), (2, 1, TWICE)]),
        ({"Anne": -8, "Bruno": 8}, [(4, 1, REVERSED), (2, 1, REVERSED)]),
        ({"Anne": -8, "Bruno": 4, "Chloé": 4}, [(2, 2, NOT_MADE)]),  # both payments of the Welche
        ({"Anne": 18, "Bruno": -18}, [(3, 1, TWICE)]),  # a fiche counts nine jetons
        ({"Anne": 9, "Bruno": -9}, [(1, 2, NOT_MADE)]),  # the whole pot
        ({"Bruno": -9}, [(1, 1, NOT_MADE)]),  # it still lies in the pot
        ({"Anne": 9}, [(1, 1, NOT_MADE)]),
        ({"Anne": 5, "Bruno": -5}, []),
        ({"Anne": 0, "Bruno": 0}, []),
        ({}, []),
    ],
)
def test_what_accounts_for_all_that_is_off_newest_first(
    off: dict[str, int], explained: list[tuple[int, int, str]]
) -> None:
    assert told(off) == explained


def test_what_clears_one_player_and_puts_nobody_further_off_explains_a_part() -> None:
    off = {"Anne": -8, "Bruno": 4, "Chloé": 4}
    assert (4, 1, NOT_MADE) in told(off, whole=False)
    assert (2, 1, NOT_MADE) in told(off, whole=False)
    assert not told({"Anne": -3, "Bruno": 3}, whole=False)


def test_no_part_is_told_that_would_put_somebody_further_off() -> None:
    assert told({"Anne": -4, "Chloé": 4}) == [(2, 1, NOT_MADE)]
    assert not told({"Anne": -4, "Chloé": 4}, whole=False)
    assert told({"Anne": -4, "Bruno": -4, "Chloé": 8}, whole=False) == [(2, 1, NOT_MADE)]  # what Chloé was to pay


def test_in_fiches_a_fiche_is_one() -> None:
    journal = [(1, [Entry("Bruno", "Anne", 3, FICHES, "robre"), Entry("David", "Chloé", 3, FICHES, "robre")])]
    found = explanations(journal, {"Anne": -3, "Bruno": 3}, FICHES)
    assert [(one.entries, one.how) for one in found] == [((journal[0][1][0],), NOT_MADE)]


@pytest.mark.parametrize("slug", sorted(games()))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_payment_that_went_wrong_is_among_the_explanations(slug: str, data: st.DataObject) -> None:
    sheet: dict[str, Any] = data.draw(strategies.sheets(slug))
    standing = strategies.opened(sheet)
    assert fold(games()[slug], standing, sheet["deals"]) is None
    payments = [(row.number, entry) for row in standing.rows for entry in row.entries if entry.is_payment]
    assume(payments)
    deal, entry = data.draw(st.sampled_from(payments))
    how, times = data.draw(st.sampled_from([(NOT_MADE, -1), (TWICE, 1), (REVERSED, -2)]))
    unit = settling_unit(games()[slug])
    worth = times * entry.amount * (9 if unit == JETONS and entry.unit == FICHES else 1)
    off: Counter[str] = Counter(dict.fromkeys(standing.players, 0))
    off[entry.giver or ""] -= worth
    off[entry.taker or ""] += worth
    off.pop("", None)
    found = explanations([(row.number, row.entries) for row in standing.rows], off, unit)
    assert (deal, (entry,), how, True) in found
    assert [one.deal for one in found] == sorted((one.deal for one in found), reverse=True)
