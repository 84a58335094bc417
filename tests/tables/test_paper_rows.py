"""Paper sheets: what is typed into a row becomes a deal, or a problem that names the field."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import AnyGame
from scorekeeper.scoring.pad import Choice, ChoiceGroup
from scorekeeper.scoring.problems import Problem
from scorekeeper.scoring.standing import AnyStanding
from scorekeeper.scoring.values import Facts
from scorekeeper.tables.paper import MAX_STEPS, PaperRow, score_rows

from ..support.sheets import PLAYERS


def scored(*rows: dict[str, str]) -> list[PaperRow]:
    game = games()["quarante-de-rois"]
    return score_rows(game, game.open(PLAYERS, "Anne", game.usual_options), rows)


@pytest.mark.parametrize(
    ("field", "typed", "problem"),
    [
        ("kings", "x", Problem("kings", "whole-number", {"found": "x", "low": 0, "high": 4})),
        ("kings", "5", Problem("kings", "whole-number", {"found": "5", "low": 0, "high": 4})),
        ("kings", "9" * 50, Problem("kings", "whole-number", {"found": "9" * 40, "low": 0, "high": 4})),
        ("clique", "x", Problem("clique", "one-of-these")),
    ],
)
def test_what_is_no_choice_is_a_problem_of_its_field_that_says_what_would_be(
    field: str, typed: str, problem: Problem
) -> None:
    (row,) = scored({field: typed})
    assert problem in row.problems
    assert row.deal is None


def test_a_blank_row_is_no_deal_and_a_misdeal_needs_nothing_typed() -> None:
    game = games()["quarante-de-rois"]
    opening = game.open(PLAYERS, "Anne", game.options())
    rows = [{}, {"kings": "x", "misdeal": "yes"}, {"kings": "3"}]
    blank, misdeal, half = score_rows(game, opening, rows)
    assert (blank.deal, blank.problems) == (None, ())
    assert (misdeal.deal, misdeal.problems) == ({"misdeal": True}, ())
    assert {problem.key for problem in half.problems} == {"field-missing"}


def test_what_is_typed_may_add_fields_whose_texts_count_too(full_table: AnyGame) -> None:
    players = tuple("12345678")
    typed = {"taker": "2", "contract": "large", "partner": "5", "slam": "yes", "points": "60"}
    opening = full_table.open(players, "1", full_table.options())
    (row,) = score_rows(full_table, opening, [typed])
    assert row.deal == {"taker": "2", "contract": "large", "partner": "5", "slam": True, "points": 60}


def test_a_field_that_only_the_dealer_has_is_in_the_row_of_each_dealer() -> None:
    game = games()["francion"]

    def pad(standing: AnyStanding, facts: Facts) -> Iterable[ChoiceGroup]:
        yield from game.pad(standing, facts)
        yield ChoiceGroup(f"crib-{standing.dealer}", ("crib",), (Choice("1", {"crib": 1}, 1),), required=False)

    other = replace(game, pad=pad)
    for dealer in PLAYERS:
        (row,) = score_rows(other, other.open(PLAYERS, dealer, other.options()), [{}])
        assert [group.name for group in row.pad.groups][-1] == f"crib-{dealer}"


def test_a_row_whose_fields_never_end_is_read_as_far_as_the_limit(full_table: AnyGame) -> None:
    def pad(_standing: AnyStanding, facts: Facts) -> Iterable[ChoiceGroup]:
        for number in range(len(facts) + 1):
            yield ChoiceGroup(f"{number}", (f"{number}",), (Choice("yes", {f"{number}": True}, "yes"),))

    game = replace(full_table, pad=pad)
    opening = game.open(tuple("1234"), "1", game.options())
    (row,) = score_rows(game, opening, [{str(number): "yes" for number in range(100)}])
    assert len(row.pad.groups) == MAX_STEPS
    assert row.deal is None


@pytest.mark.parametrize("dealer", PLAYERS)
@pytest.mark.parametrize("slug", games())
def test_columns_of_players_stand_in_the_order_of_the_seats_for_any_dealer(slug: str, dealer: str) -> None:
    game = games()[slug]
    game = game.under(game.usual_options, len(PLAYERS))
    (row,) = score_rows(game, game.open(PLAYERS, dealer, game.usual_options), [{}])
    columns = [name for group in row.pad.groups if (name := group.name.rpartition("-")[2]) in PLAYERS]
    assert columns in ([], list(PLAYERS))
