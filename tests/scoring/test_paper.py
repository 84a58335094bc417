"""Paper sheets: what is typed into a row becomes a deal, or a problem that names the field."""

from __future__ import annotations

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.paper import PaperRow, ScoredPaperRow, score_rows
from scorekeeper.scoring.problems import Problem

from ..games.played import PLAYERS


def scored(*rows: dict[str, str]) -> list[ScoredPaperRow]:
    game = games()["quarante-de-rois"]
    papers = [PaperRow(number, typed) for number, typed in enumerate(rows, 1)]
    return score_rows(game, game.open(PLAYERS, "Anne", game.usual_options), papers)


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


def test_a_number_may_be_typed_in_any_digits_with_zeros_and_spaces_around() -> None:
    (row,) = scored({"kings": " 03 ", "queens": "٢", "jacks": "4", "clique": "none"})
    assert row.problems == ()
    assert [row.pad.taps[name] for name in ("kings", "queens", "jacks")] == ["3", "2", "4"]
