"""Reasons of entries, the numbers behind their amounts, and the house rules and ranges a game accepts."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.games.francion.rules import MAX_AT_STAKE, FrancionStanding
from scorekeeper.games.whist.rules import WhistStanding
from scorekeeper.scoring import schema
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.standing import AnyStanding

from ..support.game_data import variants_of
from ..support.sheets import PLAYERS, fields_of, francion_deal, joffre_deal, whist_deal


def folded(slug: str, *deals: dict[str, Any], **rules: Any) -> AnyStanding:
    game = games()[slug]
    options = schema.load(game.options, rules, game.seats(PLAYERS), [])
    standing = game.open(PLAYERS[: game.player_counts[0]], "Anne", options)
    assert fold(game, standing, deals) is None
    return standing


def francion_standing(*deals: dict[str, Any], **rules: Any) -> FrancionStanding:
    standing = folded("francion", *deals, **rules)
    assert isinstance(standing, FrancionStanding)
    return standing


def why(slug: str, *deals: dict[str, Any], **rules: Any) -> list[tuple[str, str | None, int, dict[str, int]]]:
    """Return the reason, taker, amount and explanation of each entry of the last deal."""
    game, standing = games()[slug], folded(slug, *deals, **rules)
    row = standing.rows[-1]
    for entry in row.entries:
        assert type(entry.amount) is int
        assert entry.reason in game.reasons
    explained = []
    for entry in row.entries:
        numbers = dict(game.explain(standing, row, entry) if entry.reason != "robre" else {})
        assert {type(number) for number in numbers.values()} <= {int}
        explained.append((entry.reason, entry.taker, entry.amount, numbers))
    return explained


# --- Francion ------------------------------------------------------------------------------------------------


def test_francion_each_payment_of_a_deal_has_its_reason_and_factors() -> None:
    assert why(
        "francion", francion_deal(5, 4, 0), francion_deal(0, 3, 6, welche="won", by="Chloé", hearts_led=True)
    ) == [
        ("stake", None, 9, {}),
        ("bete", None, 9, {}),
        ("tricks", "Chloé", 12, {"tricks": 6, "each": 2}),
        ("tricks", "Bruno", 6, {"tricks": 3, "each": 2}),
        ("most_tricks", "Chloé", 1, {}),
        # Doubled, since the Welche was hidden in the deal before.
        ("welche_won", "Chloé", 4, {"each": 2, "factor": 2}),
        ("welche_won", "Chloé", 4, {"each": 2, "factor": 2}),
    ]


def test_francion_as_much_as_ten_to_the_eighteenth_may_be_at_stake() -> None:
    for owed, fields in ((MAX_AT_STAKE - 9, []), (MAX_AT_STAKE - 8, ["deals"])):
        standing = francion_standing()
        standing.betes = {"Bruno": owed}
        refusal = fold(games()["francion"], standing, [francion_deal(3, 3, 3)])
        assert fields_of(refusal.problems if refusal else ()) == fields
    doubled = francion_standing()
    doubled.welche_factor = MAX_AT_STAKE
    assert fold(games()["francion"], doubled, [francion_deal(3, 3, 3)]) is None


# --- Joffre --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "entries"),
    [
        (
            joffre_deal("Anne 7", 5, "ns", "ew"),
            [("contract_made", "ns", 10, {"tricks": 5, "five": 5, "three": 0, "factor": 1}), ("defence", "ew", 0, {})],
        ),
        (
            joffre_deal("Bruno 7n", 2, "ns", "ns"),
            [
                ("contract_failed", "ew", -14, {"bid": 7, "factor": 2}),
                ("defence", "ns", 4, {"tricks": 2, "five": 5, "three": -3, "factor": 1}),
            ],
        ),
        (
            joffre_deal("Bruno 6n", 1, "ns", "ew"),
            [
                ("contract_failed", "ew", -12, {"bid": 6, "factor": 2}),
                ("defence", "ns", 6, {"tricks": 1, "five": 5, "three": 0, "factor": 1}),
            ],
        ),
        (
            joffre_deal("Chloé 8n", 7, "ns", "ns"),
            [
                ("contract_made", "ns", 18, {"tricks": 7, "five": 5, "three": -3, "factor": 2}),
                ("defence", "ew", 1, {"tricks": 1, "five": 0, "three": 0, "factor": 1}),
            ],
        ),
        (
            joffre_deal("Anne 12", 7, "ns", "ew"),
            [
                ("slam_made", "ns", 12, {"tricks": 7, "five": 5, "three": 0, "factor": 1}),
                ("defence", "ew", -2, {"tricks": 1, "five": 0, "three": -3, "factor": 1}),
            ],
        ),
        (
            joffre_deal("Anne 12", 6, "ns", "ew"),
            [
                ("slam_failed", "ns", -12, {"bid": 12, "factor": 1}),
                ("defence", "ew", -1, {"tricks": 2, "five": 0, "three": -3, "factor": 1}),
            ],
        ),
    ],
)
def test_joffre_each_mark_has_its_reason_and_factors(facts: dict[str, Any], entries: list[Any]) -> None:
    """There is no mark of 0: if the others score 0, they have no entry."""
    assert why("joffre", facts) == [entry for entry in entries if entry[2]]


# --- Whist, Short Whist, Quarante de rois --------------------------------------------------------------------


@pytest.mark.parametrize("slug", variants_of("whist"))
def test_whist_tricks_are_marked_with_the_six_that_do_not_count(slug: str) -> None:
    assert why(slug, whist_deal(9, "ew 4")) == [
        ("tricks", "ns", 3, {"tricks": 9, "book": 6}),
        ("honours", "ew", 4, {"honours": 4}),
    ]
    assert why(slug, whist_deal(6)) == [("tricks", "ew", 1, {"tricks": 7, "book": 6})]


# --- house rules ---------------------------------------------------------------------------------------------

JOFFRE = {"after_three_passes": "minimum", "stake": 0}
WHIST = {"losing_honours": False, "losers_total": "marked", "unfinished_robre": "nothing", "new_robre": "keep"}
DEFAULTS: dict[str, dict[str, Any]] = {
    "francion": {"last_bete": "lapse", "hidden_welche": "double", "box": None},
    "whist": WHIST | {"robre_points": 1, "honours_at_nine": True},
    "short-whist": WHIST | {"robre_points": 2},
    "quarante-de-rois": {"target": 150, "clique_first": False, "stake": 0},
    "joffre": JOFFRE
    | {"minimum_bid": 5, "target": 41, "win": "bidder", "near_target": "scores", "slam": "wins"}
    | {"minus_target_loses": False},
    "kaiser": JOFFRE
    | {"minimum_bid": 7, "target": 52, "win": "either", "near_target": "held", "slam": "scores"}
    | {"minus_target_loses": True},
}


@pytest.mark.parametrize("slug", DEFAULTS)
def test_a_house_rule_keeps_its_default_for_the_tables_that_left_it_out(slug: str) -> None:
    assert asdict(games()[slug].options()) == DEFAULTS[slug]


# --- numbers of a deal ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("house_rule", "paid"), [("nothing", 0), ("points", 4)])
def test_whist_a_robre_that_is_broken_off_is_paid_only_by_a_house_rule(house_rule: str, paid: int) -> None:
    game = games()["whist"]
    standing = game.open(("Anne", "Bruno", "Chloé", "David"), "Anne", game.options(unfinished_robre=house_rule))
    assert isinstance(standing, WhistStanding)
    assert fold(game, standing, [{"adjustment": {"to": "ns", "points": 10}}]) is None
    assert game.ending.stop is not None
    assert sum(entry.amount for entry in game.ending.stop(standing)) == paid
    before = standing.may_call
    assert fold(game, standing, [{"adjustment": {"to": "ew", "points": 8}}]) is None
    assert (before, standing.may_call) == ((), ("ew",))
