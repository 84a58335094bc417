"""Payments that explain a difference between counters and sheet."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scorekeeper.games import games
from scorekeeper.scoring.accounts import NOT_MADE, REVERSED, TWICE, find_explanations
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.units import FICHES, JETONS, POT, Entry
from scorekeeper.scoring.units import mark as points
from scorekeeper.testing import strategies

WORTH = {FICHES: 9}
JOURNAL = [
    (1, [Entry("Anne", POT, 9, JETONS, "stake"), Entry(POT, "Bruno", 9, JETONS, "tricks"), points("Bruno", 1, "x")]),
    (2, [Entry("Bruno", "Anne", 4, JETONS, "welche"), Entry("Chloé", "Anne", 4, JETONS, "welche")]),
    (3, [Entry("Bruno", "Anne", 2, FICHES, "manche"), Entry("Chloé", "Anne", 12, FICHES, "manche")]),
    (4, [Entry("Bruno", "Anne", 4, JETONS, "adjustment")]),
]


def explanations(off: dict[str, int], *, complete: bool = True) -> list[tuple[int, int, str]]:
    """Return each explanation as deal, number of payments and kind of mistake."""
    found = find_explanations(JOURNAL, off, WORTH)
    return [
        (explanation.deal, len(explanation.entries), explanation.how)
        for explanation in found
        if explanation.is_whole == complete
    ]


@pytest.mark.parametrize(
    ("off", "explained"),
    [
        ({"Anne": -4, "Bruno": 4}, [(4, 1, NOT_MADE), (2, 1, NOT_MADE)]),
        ({"Anne": 4, "Bruno": -4, "Chloé": 0}, [(4, 1, TWICE), (2, 1, TWICE)]),
        ({"Anne": -8, "Bruno": 8}, [(4, 1, REVERSED), (2, 1, REVERSED)]),
        ({"Anne": -8, "Bruno": 4, "Chloé": 4}, [(2, 2, NOT_MADE)]),  # both payments of the Welche
        ({"Anne": 18, "Bruno": -18}, [(3, 1, TWICE)]),  # a fiche counts nine jetons
        ({"Anne": 9, "Bruno": -9}, [(1, 2, NOT_MADE)]),  # the whole pot
        ({"Bruno": -9}, [(1, 1, NOT_MADE)]),  # it is still in the pot
        ({"Anne": 9}, [(1, 1, NOT_MADE)]),
        ({"Anne": 5, "Bruno": -5}, []),
        ({"Anne": 0, "Bruno": 0}, []),
        ({}, []),
    ],
)
def test_payments_that_explain_the_whole_discrepancy_are_listed_newest_first(
    off: dict[str, int], explained: list[tuple[int, int, str]]
) -> None:
    assert explanations(off) == explained


def test_a_payment_that_clears_one_player_and_worsens_none_explains_a_part() -> None:
    off = {"Anne": -8, "Bruno": 4, "Chloé": 4}
    assert (4, 1, NOT_MADE) in explanations(off, complete=False)
    assert (2, 1, NOT_MADE) in explanations(off, complete=False)
    assert not explanations({"Anne": -3, "Bruno": 3}, complete=False)


def test_payments_of_one_reason_or_of_the_pot_are_explained_together() -> None:
    stake, won = Entry("Anne", POT, 9, JETONS, "stake"), Entry(POT, "Bruno", 9, JETONS, "tricks")
    welche = (Entry("Bruno", "Anne", 4, JETONS, "welche"), Entry("Chloé", "Anne", 4, JETONS, "welche"))
    journal = [(1, [stake, won, *welche, Entry("Bruno", "Anne", 6, FICHES, "manche")])]

    def whole(off: dict[str, int]) -> list[tuple[tuple[Entry, ...], str]]:
        return [
            (explanation.entries, explanation.how)
            for explanation in find_explanations(journal, off, WORTH)
            if explanation.is_whole
        ]

    assert whole({"Anne": 8, "Bruno": -4, "Chloé": -4}) == [(welche, TWICE)]
    assert whole({"Anne": -16, "Bruno": 8, "Chloé": 8}) == [(welche, REVERSED)]
    assert whole({"Anne": 9, "Bruno": -9}) == [((stake, won), NOT_MADE)]
    assert whole({"Anne": -9, "Bruno": 9}) == [((stake, won), TWICE)]
    assert whole({"Anne": 18, "Bruno": -18}) == []  # a pot is not paid the other way round


def test_a_full_explanation_comes_before_a_partial_one_of_the_same_deal() -> None:
    found = find_explanations(JOURNAL, {"Anne": -8, "Bruno": 4, "Chloé": 4}, WORTH)
    assert [explanation.is_whole for explanation in found if explanation.deal == 2] == [True, False, False]


@pytest.mark.parametrize("slug", sorted(games()))
@settings(max_examples=40)
@given(data=st.data())
def test_a_wrong_payment_is_among_the_explanations(slug: str, data: st.DataObject) -> None:
    sheet: dict[str, Any] = data.draw(strategies.sheets(slug))
    game, standing = strategies.game_of(sheet), strategies.opened(sheet)
    assert fold(game, standing, sheet["deals"]) is None
    payments = [(row.number, entry) for row in standing.rows for entry in row.entries if entry.is_payment]
    assume(payments)
    deal, entry = data.draw(st.sampled_from(payments))
    how, times = data.draw(st.sampled_from([(NOT_MADE, -1), (TWICE, 1), (REVERSED, -2)]))
    worth = times * entry.amount * game.worth_of(entry.unit)
    surplus: Counter[str] = Counter(dict.fromkeys(standing.players, 0))
    surplus[entry.giver or ""] -= worth
    surplus[entry.taker or ""] += worth
    surplus.pop("", None)
    found = find_explanations([(row.number, row.entries) for row in standing.rows], surplus, game.worth)
    assert (deal, (entry,), how, True) in found
    assert [explanation.deal for explanation in found] == sorted(
        (explanation.deal for explanation in found), reverse=True
    )
