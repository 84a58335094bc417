"""A table's replay, extended by one revision after another, is what all of them come to together."""

from __future__ import annotations

from copy import deepcopy
from datetime import datetime
from random import Random
from typing import Any

import pytest

from scorekeeper import history
from scorekeeper.games import games
from scorekeeper.history import Change, Kept
from scorekeeper.replay import CannotStandError, Replay
from scorekeeper.scoring.game import Game

from . import chance

SLUGS = sorted(games())
AT = datetime(2026, 11, 21, 20)


def opened(game: Game) -> Replay:
    players = tuple(map(str, range(1, max(game.seatings) + 1)))
    rules = {"target": 10**6} if "target" in game.options.__dataclass_fields__ else {}
    standing = game.open(players, "1", game.options(**rules))
    return Replay(game, standing, standing)


def come_to(replay: Replay) -> tuple[Any, ...]:
    return replay.opened, replay.standing, replay.revisions, replay.deals


def some_change(replay: Replay, lot: Random) -> Change:
    """Of a deal by lot: a new one, most of the time."""
    kind = lot.choice([history.RECORD] * 4 + [history.INSERT, history.AMEND, history.WITHDRAW, history.COUNT, "undo"])
    if kind == history.COUNT:
        return Change(kind, body={"held": {}})
    if kind == "undo" and (last := history.last_undoable(replay.revisions)) is not None:
        return history.undoing(replay.deals, last)
    body = chance.deal(replay.game, replay.opened, lot)
    deal = lot.choice(replay.deals).id if replay.deals else None
    if deal is None or kind in (history.RECORD, "undo"):
        return Change(history.RECORD, body=body)
    if kind == history.INSERT:
        return Change(kind, before=deal, body=body)
    return Change(kind, deal, body=body if kind == history.AMEND else None)


@pytest.mark.parametrize("slug", SLUGS)
def test_what_is_added_comes_to_the_same_as_all_of_it_and_alters_nothing_before(slug: str) -> None:
    lot = Random(slug)  # noqa: S311  # the same changes every time
    replay = fresh = opened(games()[slug])
    told: list[Kept] = []
    for _ in range(60):
        revision = some_change(replay, lot).kept(len(told) + 1, 1, AT, f"{len(told)}")
        before = deepcopy(come_to(replay))
        try:
            extended = replay.extended([revision])
        except CannotStandError as error:
            extended = replay
            stood = [deal.id for deal in replay.deals]
            assert error.deal in [*stood, revision.number]  # noqa: PT017  # which of them depends on the change
        else:
            told.append(revision)
        assert come_to(replay) == before
        replay = extended
        assert come_to(replay) == come_to(opened(games()[slug]).extended(told))
    assert fresh.standing.rows == []
    assert len(replay.standing.rows) > 10


@pytest.mark.parametrize("slug", SLUGS)
def test_a_new_deal_is_scored_by_itself(slug: str) -> None:
    lot, told = Random(slug), opened(games()[slug])  # noqa: S311  # as above
    for number in range(1, 6):
        body: dict[str, Any] = chance.deal(told.game, told.standing, lot)
        if told.standing.is_finished:
            break
        later = told.extended([Change(history.RECORD, body=body).kept(number, 1, AT, f"{number}")])
        assert all(one is other for one, other in zip(told.standing.rows, later.standing.rows, strict=False))
        told = later
