"""House rules that change a game or depend on one another, and shared wins, on a made-up game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from scorekeeper.api import (
    CLOCKWISE,
    FICHES,
    PARTIE,
    SIDES,
    Closing,
    Entry,
    Game,
    JsonObject,
    Party,
    Problem,
    Range,
    Standing,
    mark,
)
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.problems import Refusal
from scorekeeper.scoring.sheet import Sheet, load, score
from scorekeeper.stats.endings import find_ending, find_leaders
from scorekeeper.stats.summary import add_closings

PLAYERS = ("Anne", "Bruno", "Chloé", "David")


@dataclass(frozen=True)
class Options:
    sides: bool = False
    start: Annotated[int, Range(0, 9)] = 0
    target: Annotated[int, Range(0, 9)] = 1
    only_for: Annotated[int, Range(2, 4)] | None = None


@dataclass(frozen=True)
class Won:
    winner: Party


@dataclass(frozen=True)
class Drawn:
    drawn: bool


def score_deal(standing: Standing[Options], deal: Won | Drawn) -> Iterator[Entry]:
    for party in (deal.winner,) if isinstance(deal, Won) else standing.parties:
        yield mark(party, 1, "deal")


def close(standing: Standing[Options]) -> Closing | None:
    best = [party for party, points in standing.scores.items() if points == max(standing.scores.values())]
    if standing.is_finished or standing.scores[best[0]] < standing.options.target:
        return None
    return Closing(PARTIE, best[0], shared_with=tuple(best[1:]))


def adapt(options: Options, _players: int | None) -> Mapping[str, object]:
    changed: dict[str, object] = {"deal": Drawn} if options.target > 1 else {}
    return changed | ({"in_sides": True, "player_counts": (4,)} if options.sides else {})


def check_options(options: Options, players: int) -> Iterator[Problem]:
    if options.start == options.target:
        yield Problem("target", "whole-number", {"found": options.target, "low": 0, "high": 9})
    if options.only_for not in (None, players):
        yield Problem("only_for", "how-many", {"found": players, "choices": (options.only_for,)})


GAME = Game(
    slug="made-up",
    api="1.4",
    player_counts=(2, 3, 4),
    direction=CLOCKWISE,
    in_sides=False,
    units=(FICHES,),
    options=Options,
    deal=Won,
    checks=(),
    score=score_deal,
    close=close,
    pad=lambda _standing, _facts: (),
    reasons=("deal",),
    adapt=adapt,
    check_options=check_options,
)


def sheet(*deals: JsonObject, players: int = 4, **house_rules: Any) -> JsonObject:
    names = list(PLAYERS[:players])
    return {
        "format": "scorekeeper-sheet/1",
        "game": GAME.slug,
        "players": names,
        "deals": list(deals),
        "house_rules": house_rules,
    }


def opened(raw: JsonObject, game: Game[Any, Any, Any] = GAME) -> Sheet:
    found = load(raw, {GAME.slug: game})
    assert isinstance(found, Sheet), found
    return found


def refused(raw: JsonObject, game: Game[Any, Any, Any] = GAME) -> list[tuple[str, str]]:
    refusal = score(raw, {GAME.slug: game})
    assert isinstance(refusal, Refusal)
    return [(problem.field, problem.key) for problem in refusal.problems]


def test_a_house_rule_decides_whether_there_are_sides_and_how_many_play() -> None:
    assert opened(sheet()).open().parties == PLAYERS
    assert opened(sheet(sides=True)).open().parties == SIDES
    assert refused(sheet(sides=True, players=3)) == [("players", "how-many")]


def test_a_house_rule_decides_what_the_facts_of_a_deal_are() -> None:
    assert refused(sheet({"winner": "Anne"}, target=2)) == [("winner", "unknown-key"), ("drawn", "missing")]
    statement = score(sheet({"drawn": True}, target=2), {GAME.slug: GAME})
    assert not isinstance(statement, Refusal)
    assert statement["scores"] == dict.fromkeys(PLAYERS, 1)


def test_house_rules_that_do_not_go_together_are_refused_by_name() -> None:
    assert refused(sheet(start=3, target=3)) == [("house_rules.target", "whole-number")]
    assert refused(sheet(only_for=3)) == [("house_rules.only_for", "how-many")]
    assert opened(sheet(only_for=3, players=3)).options.only_for == 3


def test_those_who_share_a_win_have_all_won_and_nobody_alone() -> None:
    found = opened(sheet({"drawn": True}, {"drawn": True}, target=2))
    standing = found.open()
    assert fold(found.game, standing, found.deals) is None
    assert (standing.is_finished, standing.winner, standing.winners) == (True, None, PLAYERS)
    ending = find_ending(found.game, standing)
    assert ending is not None
    assert tuple(ending.winners) == PLAYERS
    assert find_leaders(found.game, standing, dict.fromkeys(PLAYERS, 0)) == ()
    ended: dict[str, list[str]] = {}
    add_closings(ended, standing, standing.rows[-1])
    assert ended == {PARTIE: ["(Anne)(Bruno)(Chloé)(David)"]}


def test_nobody_plays_on_after_a_shared_win() -> None:
    assert refused(sheet({"drawn": True}, {"drawn": True}, {"drawn": True}, target=2)) == [("deals", "partie-ended")]
