"""A pad with taps: groups that depend on other choices, numbers that are typed, and where problems are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from scorekeeper.games import games
from scorekeeper.games.any_game.options import Options
from scorekeeper.scoring.game import AnyGame, fold
from scorekeeper.scoring.pad import Amount, Choice, ChoiceGroup, Pad, amount_group
from scorekeeper.scoring.problems import Problem
from scorekeeper.scoring.standing import AnyStanding
from scorekeeper.scoring.taps import build_pad, find_frequent, list_typed, taps_for
from scorekeeper.scoring.values import Facts

PLAYERS = ("Anne", "Bruno", "Chloé", "David")


@pytest.mark.parametrize(
    ("field", "group"),
    [
        ("tricks", "tricks"),
        ("called", "tricks"),  # the group with the tricks also has the calls
        ("honours", "honours"),
        ("honours.count", "honours"),
        ("deals", None),
        ("count.honours", None),
    ],
)
def test_a_problem_is_shown_once_at_the_group_that_sets_its_key(field: str, group: str | None) -> None:
    game = games()["whist"]
    pad = build_pad(game, game.open(PLAYERS, "Anne", game.usual_options), {})
    problems = (Problem(field, "missing"),)
    shown = [group.name for group in pad.groups for _ in pad.problems_of(group, problems)]
    assert shown == ([group] if group else [])
    assert pad.problems_elsewhere(problems) == ([] if group else list(problems))


EIGHT = tuple("12345678")


def full_pad(game: AnyGame, taps: str) -> Pad:
    standing = game.open(EIGHT, EIGHT[0], game.usual_options)
    return build_pad(game, standing, dict(tap.split("=") for tap in taps.split()))


def shown(pad: Pad) -> list[str]:
    return [group.name for group in pad.groups]


def test_a_choice_adds_groups_whose_choices_can_be_tapped_too(full_table: AnyGame) -> None:
    assert shown(full_pad(full_table, "")) == ["taker", "contract", "points"]
    pad = full_pad(full_table, "taker=2 contract=large partner=5 slam=yes points=60")
    assert shown(pad) == ["taker", "contract", "partner", "slam", "points"]
    assert pad.facts == {"taker": "2", "contract": "large", "partner": "5", "slam": True, "points": 60}
    assert pad.unanswered == ()
    assert taps_for(full_table, full_table.open(EIGHT, "1", full_table.options()), pad.facts) == {
        name: tap for name, tap in pad.taps.items() if "." not in name
    }


def test_a_choice_that_another_tap_excludes_is_not_tapped(full_table: AnyGame) -> None:
    pad = full_pad(full_table, "taker=2 partner=2 contract=small points=50")
    assert (pad.facts.get("partner"), [group.name for group in pad.unanswered]) == (None, ["partner"])


def two_that_exclude_each_other(_standing: AnyStanding, facts: Facts) -> Iterable[ChoiceGroup]:
    for name, other in (("first", "second"), ("second", "first")):
        if other not in facts:
            yield ChoiceGroup(name, (name,), (Choice("yes", {name: True}, 1),))


def one_that_excludes_itself(_standing: AnyStanding, facts: Facts) -> Iterable[ChoiceGroup]:
    if "first" not in facts:
        yield ChoiceGroup("first", ("first",), (Choice("yes", {"first": True}, 1),))


@pytest.mark.parametrize(
    ("pad", "groups", "facts"),
    [(two_that_exclude_each_other, ["first"], {"first": True}), (one_that_excludes_itself, ["first"], {})],
)
def test_a_pad_whose_groups_exclude_each_other_keeps_the_first_that_can_stay(
    full_table: AnyGame, pad: Callable[..., Iterable[ChoiceGroup]], groups: list[str], facts: Facts
) -> None:
    game = replace(full_table, pad=pad)
    built = full_pad(game, "first=yes second=yes")
    assert (shown(built), built.facts) == (groups, facts)


def test_a_default_applies_to_a_needed_group_as_long_as_nothing_else_is_tapped(full_table: AnyGame) -> None:
    choices = (Choice("low", {"stakes": 1}, 1), Choice("high", {"stakes": 2}, 2))
    group = ChoiceGroup("stakes", ("stakes",), choices, default="low")
    game = replace(full_table, pad=lambda _standing, _facts: [group])
    for taps, stakes in (("", 1), ("stakes=high", 2), ("stakes=low", 1)):
        built = full_pad(game, taps)
        assert (built.facts, built.unanswered) == ({"stakes": stakes}, ())


# --- numbers that are typed ----------------------------------------------------------------------------------


AMOUNT = Amount(("points", "Anne"), -1000, 1000, "Anne")


def typed_points(_standing: AnyStanding, facts: Facts) -> Iterable[ChoiceGroup]:
    yield amount_group("points-Anne", AMOUNT, required=not facts)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        (" 12 ", 12),
        ("+5", 5),
        ("-85", -85),
        ("−85", -85),
        ("–85", -85),
        ("1\u202f000", 1000),
        ("٤٢", 42),
        ("-0", 0),
        ("1001", None),
        ("-1001", None),
        ("1.5", None),
        ("1,000", None),
        ("5-", None),
        ("--5", None),
        ("five", None),
        ("9" * 5000, None),
    ],
)
def test_a_number_is_read_as_people_and_phones_type_it(full_table: AnyGame, text: str, number: int | None) -> None:
    game = replace(full_table, pad=typed_points)
    pad = build_pad(game, game.open(PLAYERS, "Anne", game.usual_options), {"points-Anne": text})
    assert pad.facts == ({"points": {"Anne": number}} if number is not None else {})
    assert pad.mistyped == ({} if number is not None else {"points-Anne": text})
    assert [problem.key for problem in pad.problems_of_unanswered] == ([] if number is not None else ["whole-number"])


def test_a_number_that_is_no_must_is_asked_for_again_if_it_is_mistyped(full_table: AnyGame) -> None:
    game = replace(full_table, pad=lambda _standing, _facts: [amount_group("points-Anne", AMOUNT, required=False)])
    standing = game.open(PLAYERS, "Anne", game.usual_options)
    assert not build_pad(game, standing, {"points-Anne": " "}).unanswered
    assert [group.name for group in build_pad(game, standing, {"points-Anne": "x"}).unanswered] == ["points-Anne"]


def test_a_recorded_number_opens_on_the_pad(full_table: AnyGame) -> None:
    game = replace(full_table, pad=typed_points)
    standing = game.open(PLAYERS, "Anne", game.usual_options)
    assert taps_for(game, standing, {"points": {"Anne": -3}}) == {"points-Anne": "-3"}
    assert taps_for(game, standing, {"points": {"Bruno": -3}}) == {}


def test_a_box_keeps_what_was_filled_in_also_for_a_substitute() -> None:
    options = Options(name="Yahtzee", categories=("ones", "twos"))
    game = games()["any-game"].under(options)
    standing = game.open(("Anne", "Bruno"), "Anne", options)
    deals = [
        {"points": {"ones": {"Anne": 3}, "twos": {"Bruno": 0}}},
        {"substitution": {"out": "Anne", "in": "Chloé"}},
        {"points": {"ones": {"Bruno": 4}, "twos": {"Chloé": 6}}},
    ]
    assert fold(game, standing, deals) is None
    assert list_typed(game, standing) == {
        "category1-Chloé": [3],
        "category1-Bruno": [4],
        "category2-Chloé": [6],
        "category2-Bruno": [0],
    }


def test_numbers_with_keys_of_their_own_are_long_and_came_three_times() -> None:
    assert find_frequent([50, 20, 50, 20, 50, 20, 10, 10, 5, 5, 5]) == [20, 50]
    assert find_frequent([n for n in (60, -26, 45, 41, 100, 180) for _ in range(3)] + [-26, 180]) == [-26, 45, 60, 180]
