"""Who sits on which chair, and stored facts translated to people and back, at every point of a list of deals."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import AnyGame, fold
from scorekeeper.scoring.values import JsonObject
from scorekeeper.tables.chairs import relabel_after, rename_anywhere, rename_players, to_chairs, to_labels
from scorekeeper.testing.playing import tap_deal

CHAIRS = ("1", "2", "3", "4")
SLUGS = sorted(games())


def change(out: str, label: str) -> JsonObject:
    return {"substitution": {"out": out, "in": label}}


def game_of(slug: str) -> tuple[AnyGame, tuple[str, ...]]:
    game = games()[slug]
    return game, tuple(map(str, range(1, max(game.player_counts) + 1)))


def test_a_substitution_puts_its_label_on_the_chair_and_nothing_else_does() -> None:
    assert relabel_after(CHAIRS, CHAIRS, change("2", "5")) == ("1", "5", "3", "4")
    assert relabel_after(CHAIRS, ("1", "5", "3", "4"), change("2", "2")) == CHAIRS
    for body in (None, {}, {"misdeal": True}, change("9", "5"), {"substitution": 7}, {"substitution": {"out": "1"}}):
        assert relabel_after(CHAIRS, CHAIRS, body) == CHAIRS


@pytest.mark.parametrize("slug", SLUGS)
def test_facts_with_people_name_the_same_chairs_when_they_are_stored(slug: str) -> None:
    game, chairs = game_of(slug)
    random = Random(slug)  # noqa: S311  # the same facts each time
    newcomers = [str(len(chairs) + number) for number in range(1, len(chairs) + 1)]
    for _ in range(40):
        seated = tuple(random.sample([*chairs, *newcomers], len(chairs)))
        body = {"dealer": random.choice(chairs)} | tap_deal(
            game, game.open(chairs, "1", game.usual_options), random
        ).facts
        there = to_labels(game, body, chairs, seated)
        assert to_labels(game, to_chairs(game, there, chairs, seated), chairs, seated) == there
        assert there["dealer"] == seated[chairs.index(body["dealer"])]


@pytest.mark.parametrize("slug", SLUGS)
def test_deals_name_those_who_sit_on_the_chairs_so_that_scores_by_chair_are_the_same(slug: str) -> None:
    game, chairs = game_of(slug)
    random = Random(slug)  # noqa: S311  # the same deals each time
    rules = {"target": 10**6} if "target" in game.options.__dataclass_fields__ else {}
    opening = game.open(chairs, "1", replace(game.usual_options, **rules))
    plain, changed, bodies = opening.copy(), opening.copy(), list[JsonObject]()
    while len(bodies) < 6:
        deal, after = tap_deal(game, plain, random).facts, plain.copy()
        assert fold(game, after, [deal]) is None
        if not after.is_finished:
            bodies.append(deal)
            plain = after
    newcomer = str(len(chairs) + 1)
    with_change = [*bodies[:2], change("2", newcomer), *bodies[2:]]
    for body in with_change:
        assert fold(game, changed, [to_labels(game, body, chairs, changed.players)]) is None
    assert changed.players == tuple(newcomer if chair == "2" else chair for chair in chairs)
    assert changed.players.index(changed.dealer) == plain.players.index(plain.dealer)
    for unit in game.units:
        together = changed.balances["2"][unit] + changed.balances[newcomer][unit]
        assert together == plain.balances["2"][unit]
    if not game.stakes.scores_are_payments:
        assert [*changed.scores.values()] == [*plain.scores.values()]


def test_who_is_not_seated_is_refused_and_not_taken_for_a_chair() -> None:
    game = games()[SLUGS[0]]
    seated = ("1", "5", "3", "4")
    points = {"adjustment": {"to": "2", "points": 5}}
    assert to_chairs(game, {"dealer": "2", "misdeal": True}, CHAIRS, seated) == {"dealer": "2?", "misdeal": True}
    assert to_labels(game, {"dealer": "5", "misdeal": True}, CHAIRS, seated) == {"dealer": "5?", "misdeal": True}
    assert to_chairs(game, points, CHAIRS, seated) != points


def test_an_adjustment_in_counters_names_people() -> None:
    game = next(game for game in games().values() if game.units and 4 in game.player_counts)
    body = {"dealer": "2", "adjustment": {"from": "2", "to": "5", game.units[0]: 3}}
    seated = ("1", "5", "3", "4")
    there = to_labels(game, body, CHAIRS, seated)
    assert there == body | {"dealer": "5"}
    assert to_chairs(game, there, CHAIRS, seated) == body


def test_a_substitution_is_stored_with_the_chair_and_the_label() -> None:
    game = games()[SLUGS[0]]
    seated = ("1", "5", "3", "4")
    stored = {"dealer": "2"} | change("2", "6")
    there = {"dealer": "6"} | change("5", "6")
    assert to_labels(game, stored, CHAIRS, seated) == there
    assert to_chairs(game, there, CHAIRS, seated) == stored
    assert to_chairs(game, {"dealer": "5"} | change("2", "5"), CHAIRS, CHAIRS) == {"dealer": "2"} | change("2", "5")


def test_facts_of_unknown_types_are_renamed_wherever_players_stand() -> None:
    body = {"declarer": "2", "tricks": {"2": 6}, "reason": "2"}
    assert rename_anywhere(body, {"2": "5"}) == {"declarer": "5", "tricks": {"5": 6}, "reason": "2"}


def test_in_a_deal_of_a_game_in_sides_the_name_of_a_side_is_the_side() -> None:
    described = games()["any-game"].usual_options
    game = games()["any-game"].under(replace(described, sides=True))
    names = dict(zip(("ns", "Anne", "Bruno", "Clara"), "1234", strict=True))
    assert rename_players(game, {"points": {"ns": 5, "ew": 2}}, names) == {"points": {"ns": 5, "ew": 2}}
