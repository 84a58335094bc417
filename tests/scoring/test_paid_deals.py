"""Games with counters of their own, scores that are payments, and no end, on a made-up game and its variations."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from scorekeeper.scoring.currency import SUBUNITS_PER_UNIT
from scorekeeper.scoring.game import AnyGame
from scorekeeper.scoring.game_parts import Stakes
from scorekeeper.scoring.problems import Refusal
from scorekeeper.scoring.sheet import Sheet, dump, load, score
from scorekeeper.scoring.standing import MANCHE, Closing, Entry
from scorekeeper.scoring.values import Value

from ..made_up.scorekeeper_paid_deals import GAME
from ..support import sheets

NAMES = ["Anne", "Bruno", "Chloé", "David", "Élise", "Fanny", "Gaspard", "Hélène"]
TOGETHER = {"taker": "Anne", "partner": "Chloé"}  # each of both gets 5 chips from each other player
ALONE = {"taker": "Bruno", "lost": True}  # Bruno pays each other player a plaque
PASSED = {"passed": True}


def sheet(*deals: dict[str, Any], players: int = 4, **head: Any) -> dict[str, Any]:
    return {"format": "scorekeeper-sheet/1", "game": GAME.slug, "players": NAMES[:players], "deals": list(deals)} | head


def scored(raw: dict[str, Any], game: AnyGame = GAME) -> dict[str, Any]:
    return sheets.scored(raw, game)


def faults(raw: dict[str, Any], game: AnyGame = GAME) -> list[tuple[str, str]]:
    refusal = score(raw, {game.slug: game})
    assert isinstance(refusal, Refusal)
    return [(problem.field, problem.key) for problem in refusal.problems]


def test_a_payment_is_the_score() -> None:
    statement = scored(sheet(TOGETHER, ALONE))
    assert statement["deals"][0]["scored"] == {"Anne": 10, "Bruno": -10, "Chloé": 10, "David": -10}
    assert statement["scores"] == {"Anne": 20, "Bruno": -40, "Chloé": 20, "David": 0}
    assert statement["balances"]["Bruno"] == {"chips": -10, "plaques": -3}


def test_a_deal_that_everybody_passes_has_a_row_and_passes_the_deal_on() -> None:
    statement = scored(sheet(PASSED, {"misdeal": True}))
    assert [row["dealer"] for row in statement["deals"]] == ["Anne", "Bruno"]
    assert statement["dealer"] == "Bruno"
    assert (statement["journal"], statement["deals"][0]["scored"]) == ([], dict.fromkeys(NAMES[:4], 0))


def test_a_game_without_an_end_goes_on() -> None:
    statement = scored(sheet(*[TOGETHER] * 50))
    assert (statement["status"], GAME.contest, "winner" in statement) == ("open", None, False)


def test_what_is_paid_at_the_end_of_a_manche_counts_and_clears_no_score() -> None:
    def close(standing: Any) -> Closing | None:
        row = standing.rows[-1]
        paid = Entry("Bruno", "Anne", 3, "chips", "deal")
        return None if row.closings else Closing(MANCHE, "Anne", {}, (paid,))

    statement = scored(sheet(TOGETHER), replace(GAME, close=close, ending=replace(GAME.ending, kinds=(MANCHE,))))
    assert (
        statement["deals"][0]["scores"] == statement["scores"] == {"Anne": 13, "Bruno": -13, "Chloé": 10, "David": -10}
    )


# --- adjustments ---------------------------------------------------------------------------------------------


def test_an_adjustment_is_in_any_unit_of_the_game() -> None:
    paid = {"adjustment": {"to": "Anne", "from": "David", "plaques": 2, "reason": "a bet"}}
    statement = scored(sheet(paid, {"adjustment": {"to": "David", "from": "Anne", "chips": 1}}))
    assert statement["scores"] == {"Anne": 19, "Bruno": 0, "Chloé": 0, "David": -19}


@pytest.mark.parametrize(
    ("adjustment", "fault"),
    [
        ({"points": 3}, ("adjustment.points", "unknown-key")),
        ({"fiches": 3}, ("adjustment.fiches", "unknown-key")),
        ({"chips": 3, "plaques": 1}, ("adjustment", "one-amount")),
        ({}, ("adjustment", "one-amount")),
        ({"chips": 0}, ("adjustment.chips", "whole-number")),
    ],
)
def test_an_adjustment_in_anything_else_is_refused(adjustment: dict[str, Any], fault: tuple[str, str]) -> None:
    assert faults(sheet({"adjustment": {"to": "Anne", "from": "David"} | adjustment}))[0] == fault


# --- money ---------------------------------------------------------------------------------------------------


def loaded(game: AnyGame, **value: str) -> Sheet | Refusal:
    return load(sheet(value={"currency": "EUR"} | value), {game.slug: game})


def test_the_value_of_any_unit_is_shared_among_the_smaller_ones() -> None:
    assert GAME.subunits_per_counter(Value("EUR", "chip", Decimal(1))) == SUBUNITS_PER_UNIT
    found = loaded(GAME, unit="plaque", amount="0.50")
    assert isinstance(found, Sheet)
    assert found.value is not None
    assert GAME.subunits_per_counter(found.value) == SUBUNITS_PER_UNIT // 20
    assert dump(found)["value"] == {"currency": "EUR", "unit": "plaque", "amount": "0.50"}
    assert sheets.count_subunits(GAME, found.value, {"chips": 1, "plaques": 1}) == 11 * SUBUNITS_PER_UNIT // 20


def test_a_value_that_does_not_divide_exactly_is_refused() -> None:
    sevens = replace(GAME, stakes=replace(GAME.stakes, worth={"plaques": 7}))
    for amount, is_exact in (("0.07", True), ("0.50", False), ("0.000001", False)):
        found = loaded(sevens, unit="plaque", amount=amount)
        keys = [problem.key for problem in found.problems] if isinstance(found, Refusal) else []
        assert keys == ([] if is_exact else ["not-divisible"])
    assert isinstance(loaded(sevens, unit="chip", amount="0.50"), Sheet)


def test_a_value_in_another_game_s_counters_is_refused() -> None:
    found = loaded(GAME, unit="fiche", amount="1")
    assert isinstance(found, Refusal)
    assert (found.first.field, found.first.params["choices"]) == ("value.unit", ("chip", "plaque"))


# --- what a game declares ------------------------------------------------------------------------------------


def test_a_game_may_have_no_counters_at_all() -> None:
    game = replace(GAME, units=(), stakes=Stakes(), score=lambda _standing, _deal: ())
    statement = scored(sheet(TOGETHER, {"adjustment": {"to": "Anne", "points": 2}}), game)
    assert (statement["settlement"], statement["balances"]["Anne"], statement["scores"]["Anne"]) == ([], {}, 2)
    assert faults(sheet(value={"currency": "EUR", "unit": "fiche", "amount": "1"}), game) == [
        ("value", "game-without-counters")
    ]
