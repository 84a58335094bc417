"""Ends of contests and tables, and what is said of them, worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.standing import AnyStanding
from scorekeeper.tables.endings import CLOSE, COMEBACK, RUN, TURN, ContestEnd, Story, find_ending, find_leaders

PLAYERS = ("Anne", "Bruno", "Clara", "David")


def after(slug: str, *deals: Mapping[str, object], **rules: object) -> AnyStanding:
    game = games()[slug].under(options := replace(games()[slug].usual_options, **rules))
    standing = game.open(PLAYERS, "Anne", options)
    assert fold(game, standing, deals) is None
    return standing


def tricks(*over_six: int) -> list[dict[str, dict[str, int]]]:
    """Return deals of Whist: tricks over six of North–South, or below 0 of East–West."""
    return [{"tricks": {"ns": 6 + over if over > 0 else 7 + over}} for over in over_six]


def end_of(slug: str, *deals: Mapping[str, object]) -> ContestEnd:
    ending = find_ending(games()[slug], after(slug, *deals))
    assert ending is not None
    return ending


def test_if_each_pays_each_the_end_names_the_fewest_payments_that_do_the_same() -> None:
    rules = {"deals": 1, "stake": 1, "pays": "difference"}
    points = {"Anne": 30, "Bruno": 20, "Clara": 10, "David": 0}
    standing = after("any-game", {"points": points}, **rules)
    ending = find_ending(games()["any-game"].under(standing.options), standing)
    assert ending is not None
    assert len(ending.closing.entries) == 6
    assert [entry[:3] for entry in ending.payments] == [("David", "Anne", 60), ("Clara", "Bruno", 20)]


def test_a_rubber_ends_with_its_winners_and_its_games() -> None:
    ending = end_of("whist", *tricks(5, -3, 5, -7, -3, 5, 5))
    assert (ending.closing.kind, ending.closing.winner) == ("robre", "ns")
    assert [*ending.winners] == ["Anne", "Clara"]
    assert ending.parts == [{"ns": 10, "ew": 3}, {"ns": 0, "ew": 10}, {"ns": 10, "ew": 0}]
    assert ending.story is None


def test_an_ending_is_shown_until_the_next_deal_and_of_its_own_rubber_only() -> None:
    rubber = tricks(5, 5, 5, 5)
    assert find_ending(games()["whist"], after("whist", *rubber, *tricks(1))) is None
    assert find_ending(games()["whist"], after("whist", *tricks(5, 5))) is None  # a game, not the rubber
    assert len(end_of("whist", *rubber, *tricks(-5, -5, -5, -5)).parts) == 2


def test_a_run_is_mentioned_from_three_deals_on() -> None:
    assert end_of("whist", *tricks(5, 5, -1, 3, 3, 4)).story == Story(RUN, "ns", 3)
    assert end_of("whist", *tricks(5, 5, -1, 5, 5)).story is None


@pytest.mark.parametrize(
    "between", [{"misdeal": True}, {"substitution": {"out": "David", "in": "Emil"}}], ids=["misdeal", "substitution"]
)
def test_what_is_no_deal_that_was_played_does_not_break_a_run(between: Mapping[str, object]) -> None:
    assert end_of("whist", *tricks(5, 5, -1, 3), between, *tricks(3, 4)).story == Story(RUN, "ns", 3)


@pytest.mark.parametrize(("behind", "is_mentioned"), [(13, True), (12, False)])
def test_a_comeback_is_mentioned_of_a_winner_who_was_behind_by_a_fourth(behind: int, is_mentioned: bool) -> None:
    others = [{"adjustment": {"to": to, "points": points}} for to, points in (("ew", behind), ("ns", 42))]
    last = {
        "contract": {"player": "Anne", "points": 7, "no_trump": False},
        "tricks": {"ns": 8},
        "five_of_hearts": "ns",
        "three_of_spades": "ns",
    }
    story = end_of("joffre", *others, last).story
    assert story == (Story(COMEBACK, "ns", behind) if is_mentioned else None)


def test_the_deal_that_turned_a_game_is_mentioned_with_what_it_gained() -> None:
    assert end_of("whist", *tricks(5, 5, -2, 5, 5)).story == Story(TURN, "ns", 5, 4)
    assert end_of("whist", *tricks(5, 5, -2, 4, -1, 6)).story is None  # gained less than half of the score
    adjusted = {"adjustment": {"to": "ns", "points": 5}}
    assert end_of("whist", *tricks(5, 5, -2), adjusted, *tricks(5)).story is None  # agreed, not played


def test_a_table_is_led_by_contests_won_then_by_what_is_owed() -> None:
    whist, francion = games()["whist"], games()["francion"]
    one_rubber = after("whist", *tricks(5, 5, 5, 5, -5))
    assert [*find_leaders(whist, one_rubber, {"Bruno": 1})] == ["Anne", "Clara"]
    assert [*find_leaders(whist, after("whist", *tricks(-1)), {})] == []  # of a rubber that was broken off
    assert [*find_leaders(whist, after("whist"), {})] == []
    level = after("whist", *tricks(1, -1))
    assert [*find_leaders(whist, level, dict.fromkeys(PLAYERS, 0))] == []
    assert [*find_leaders(francion, after("francion"), {"Anne": 4, "Bruno": 4, "Clara": -8, "David": 0})] == [
        "Anne",
        "Bruno",
    ]


def points(*scored: int) -> dict[str, object]:
    return {"points": dict(zip(PLAYERS, scored, strict=True))}


def test_where_the_lowest_score_wins_who_has_it_leads_and_comes_back_from_above() -> None:
    rules: dict[str, object] = {"best": "lowest", "target": 100}
    game = games()["any-game"].under(replace(games()["any-game"].usual_options, **rules))

    def story(*deals: dict[str, object]) -> Story | None:
        ending = find_ending(game, after("any-game", *deals, **rules))
        assert ending is not None
        return ending.story

    assert story(points(12, 30, 5, 110)) is None
    from_above = points(30, 0, 40, 40), points(0, 40, 40, 30)
    assert story(*from_above, points(0, 10, 20, 10)) == Story(COMEBACK, "Anne", 30)
    assert story(points(50, 49, 0, 0), points(50, 49, 0, 0), points(10, 9, 9, 0)) == Story(CLOSE, "David", 9)
    assert story(*[points(0, 0, 0, 1)] * 3, points(20, 8, 99, 99)) is None  # points are no run
    endless: dict[str, object] = {"best": "lowest", "target": None}
    game = games()["any-game"].under(replace(games()["any-game"].usual_options, **endless))
    assert [*find_leaders(game, after("any-game", points(3, -1, 0, 9), **endless), {})] == ["Bruno"]


def test_the_final_scores_are_listed_in_order() -> None:
    rules: dict[str, object] = {"best": "lowest", "target": 100}
    game = games()["any-game"].under(replace(games()["any-game"].usual_options, **rules))
    ending = find_ending(game, after("any-game", points(40, 12, 110, 30), **rules))
    assert ending is not None
    assert [[*part] for part in ending.parts] == [["Bruno", "David", "Anne", "Clara"]]


def test_a_game_without_an_end_is_led_by_its_best_score_even_below_0() -> None:
    game = games()["any-game"].under(replace(games()["any-game"].usual_options, target=None))
    assert [*find_leaders(game, after("any-game", points(-3, -1, -2, -9), target=None), {})] == ["Bruno"]
    assert [*find_leaders(game, after("any-game", points(-1, -1, -1, -1), target=None), {})] == []


def test_those_who_share_the_win_lead_unless_all_do() -> None:
    game = games()["any-game"].under(replace(games()["any-game"].usual_options, deals=1))
    assert [*find_leaders(game, after("any-game", points(5, 5, 1, 0), deals=1), {})] == ["Anne", "Bruno"]
    assert [*find_leaders(game, after("any-game", points(5, 5, 5, 5), deals=1), {})] == []
