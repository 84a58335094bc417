"""Replay the sheets worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.problems import Refusal
from scorekeeper.scoring.statement import score

from ..cases import all_cases

CASES = all_cases()


def named(kind: str) -> list[Any]:
    return [pytest.param(case, id=name) for name, case in CASES.items() if kind in case]


@pytest.mark.parametrize("case", named("expect"))
def test_a_sheet_has_the_statement_worked_out_by_hand(case: dict[str, Any]) -> None:
    statement = score(case["sheet"], games())
    assert not isinstance(statement, Refusal), statement
    assert {key: statement[key] for key in case["expect"]} == case["expect"], case["why"]


@pytest.mark.parametrize("case", named("expect_error"))
def test_an_invalid_sheet_is_refused_with_the_deal_and_the_fields(case: dict[str, Any]) -> None:
    refusal = score(case["sheet"], games())
    assert isinstance(refusal, Refusal), case["why"]
    assert refusal.deal == case["expect_error"]["deal"]
    assert refusal.first.field.startswith(case["expect_error"]["field"])


def test_every_game_has_valid_and_invalid_cases() -> None:
    for slug in games():
        kinds = {kind for name, case in CASES.items() if name.startswith(f"{slug}/") for kind in case}
        assert {"expect", "expect_error"} <= kinds, slug
