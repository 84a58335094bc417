"""Extending a replay by one revision after another gives the same result as replaying all of them."""

from __future__ import annotations

from copy import deepcopy
from datetime import datetime
from random import Random
from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import Game
from scorekeeper.tables import revisions
from scorekeeper.tables.replay import CannotStandError, Replay
from scorekeeper.tables.revisions import Change, RevisionRow

from .. import chance

SLUGS = sorted(games())
AT = datetime(2026, 11, 21, 20)


def opened(game: Game) -> Replay:
    players = tuple(map(str, range(1, max(game.player_counts) + 1)))
    rules = {"target": 10**6} if "target" in game.options.__dataclass_fields__ else {}
    standing = game.open(players, "1", game.options(**rules))
    return Replay(game, standing, standing)


def come_to(replay: Replay) -> tuple[Any, ...]:
    return replay.opened, replay.standing, replay.revisions, replay.deals


def some_change(replay: Replay, lot: Random) -> Change:
    """Return a random change, in most cases a new deal."""
    kind = lot.choice(
        [revisions.RECORD] * 4 + [revisions.INSERT, revisions.AMEND, revisions.WITHDRAW, revisions.COUNT, "undo"]
    )
    if kind == revisions.COUNT:
        return Change(kind, body={"held": {}})
    if kind == "undo" and (last := revisions.last_undoable(replay.revisions)) is not None:
        return revisions.undoing(replay.deals, last)
    body = chance.deal(replay.game, replay.opened, lot)
    deal = lot.choice(replay.deals).id if replay.deals else None
    if deal is None or kind in (revisions.RECORD, "undo"):
        return Change(revisions.RECORD, body=body)
    if kind == revisions.INSERT:
        return Change(kind, before=deal, body=body)
    return Change(kind, deal, body=body if kind == revisions.AMEND else None)


@pytest.mark.parametrize("slug", SLUGS)
def test_what_is_added_comes_to_the_same_as_all_of_it_and_alters_nothing_before(slug: str) -> None:
    lot = Random(slug)  # noqa: S311  # the same changes every time
    replay = fresh = opened(games()[slug])
    told: list[RevisionRow] = []
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
        later = told.extended([Change(revisions.RECORD, body=body).kept(number, 1, AT, f"{number}")])
        assert all(one is other for one, other in zip(told.standing.rows, later.standing.rows, strict=False))
        told = later
