"""A made-up game: sides by number of players, and ends that nobody wins."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scorekeeper.scoring.game import AnyGame, fold
from scorekeeper.scoring.standing import SIDES, AnyStanding
from scorekeeper.scoring.taps import build_pad, taps_for
from scorekeeper.standings.ratings import list_contests
from scorekeeper.tables.endings import find_ending, find_leaders
from scorekeeper.tables.summary import summarise

from ..tables.states import record, table_state

PLAYERS = ("1", "2", "3", "4")


def end(dealer_first: str = "2134", **shown: int) -> dict[str, Any]:
    """Return the end of a deal in which everybody calls red, and black is turned."""
    return {
        "calls": [[player, "red"] for player in dealer_first],
        "turned": "black",
        "shown": {player.removeprefix("p"): points for player, points in shown.items()},
    }


def opened(game: AnyGame, players: int, **rules: int) -> tuple[AnyGame, AnyStanding]:
    options = game.options(**rules)
    adapted = game.under(options, players)
    return adapted, adapted.open(PLAYERS[:players], "1", options)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_number_of_players_may_decide_whether_they_form_sides(pegs: AnyGame, players: int) -> None:
    game, standing = opened(pegs, players)
    assert (game.in_sides, standing.parties) == ((True, SIDES) if players == 4 else (False, PLAYERS[:players]))


def test_what_nobody_wins_has_ended_all_the_same(pegs: AnyGame) -> None:
    game, standing = opened(pegs, 2, target=5)
    assert fold(game, standing, [end("21", p1=6, p2=5)]) is None
    assert (standing.is_finished, standing.winners, standing.winner) == (True, (), None)
    refusal = fold(game, standing, [end("21", p1=1)])
    assert refusal is not None
    assert refusal.first.key == "partie-ended"
    ending = find_ending(game, standing)
    assert ending is not None
    assert (ending.winners, ending.story) == ([], None)
    assert find_leaders(game, standing, {"1": 0, "2": 0}) == ()


def test_statistics_count_what_nobody_wins(pegs: AnyGame) -> None:
    table = table_state(record(end("21", p1=6, p2=5)), game=pegs.slug, house_rules={"target": 5})
    summary = summarise(table)
    assert (summary["deals"], summary["status"], summary["winner"], summary["ended"]) == (
        *(1, "finished", None),
        {"partie": [""]},
    )
    assert not list(list_contests(table.game, summary, {1: 1, 2: 2}))


def test_calls_open_on_the_pad_in_the_order_of_the_seats(pegs: AnyGame) -> None:
    game, standing = opened(pegs, 3)
    facts = end("231", p1=5) | {"calls": [["2", "red"], ["3", "black"], ["1", "red"]], "crib": {"runs": 2}}
    taps = taps_for(game, standing, facts)
    calls = {name: key for name, key in taps.items() if name.startswith("calls")}
    assert calls == {"calls-2": "red", "calls-3": "black", "calls-1": "red"}
    assert build_pad(game, standing, dict(reversed(taps.items()))).facts == facts


def test_what_is_never_possible_is_grey_from_the_beginning(pegs: AnyGame) -> None:
    pad = build_pad(*opened(pegs, 2), {})
    assert (set(pad.ruled_out), set(pad.left_out)) == ({("shown-1", "11"), ("shown-2", "11")}, set())


def test_a_choice_that_is_left_out_is_shown_while_it_is_tapped(pegs: AnyGame) -> None:
    game, standing = opened(pegs, 2)
    groups = [
        group._replace(choices=tuple(choice._replace(left_out=choice.key == "11") for choice in group.choices))
        for group in game.pad(standing, {})
    ]
    pad = build_pad(replace(game, pad=lambda *_: groups), standing, {"shown-1": "11"})
    assert (set(pad.left_out), set(pad.ruled_out)) == ({("shown-2", "11")}, {("shown-1", "11")})
