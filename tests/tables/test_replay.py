"""Extending a replay by one revision after another gives the same result as replaying all of them."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from datetime import datetime
from random import Random
from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import AnyGame
from scorekeeper.tables import revisions
from scorekeeper.tables.revisions import Change, RevisionRow
from scorekeeper.tables.state import IllegalDealError, Replay
from scorekeeper.testing.playing import tap_deal

SLUGS = sorted(games())
AT = datetime(2026, 11, 21, 20)


def empty_replay(game: AnyGame) -> Replay:
    players = tuple(map(str, range(1, max(game.player_counts) + 1)))
    rules = {"target": 10**6} if "target" in game.options.__dataclass_fields__ else {}
    standing = game.open(players, "1", replace(game.usual_options, **rules))
    return Replay(game, standing, standing)


def fields_of(replay: Replay) -> tuple[Any, ...]:
    return replay.initial, replay.standing, replay.revisions, replay.deals


def random_change(replay: Replay, random: Random) -> Change:
    """Return a random change, in most cases a new deal."""
    kind = random.choice(
        [revisions.RECORD] * 4 + [revisions.INSERT, revisions.AMEND, revisions.WITHDRAW, revisions.COUNT, "undo"]
    )
    if kind == revisions.COUNT:
        return Change(kind, body={"held": {}})
    if kind == "undo" and (last := revisions.find_last_undoable(replay.revisions)) is not None:
        return revisions.build_undo(replay.deals, last)
    body = tap_deal(replay.game, replay.initial, random).facts
    deal = random.choice(replay.deals).id if replay.deals else None
    if deal is None or kind in (revisions.RECORD, "undo"):
        return Change(revisions.RECORD, body=body)
    if kind == revisions.INSERT:
        return Change(kind, before_id=deal, body=body)
    return Change(kind, deal, body=body if kind == revisions.AMEND else None)


@pytest.mark.parametrize("slug", SLUGS)
def test_extending_a_replay_equals_replaying_everything_and_leaves_it_unchanged(slug: str) -> None:
    random = Random(slug)  # noqa: S311  # the same changes every time
    replay = empty = empty_replay(games()[slug])
    rows: list[RevisionRow] = []
    for _ in range(60):
        revision = random_change(replay, random).to_row(len(rows) + 1, 1, AT, f"{len(rows)}")
        before = deepcopy(fields_of(replay))
        try:
            extended = replay.extended([revision])
        except IllegalDealError as error:
            extended = replay
            recorded = [deal.id for deal in replay.deals]
            assert error.deal_id in [*recorded, revision.number]  # noqa: PT017  # which of them depends on the change
        else:
            rows.append(revision)
        assert fields_of(replay) == before
        replay = extended
        assert fields_of(replay) == fields_of(empty_replay(games()[slug]).extended(rows))
    assert empty.standing.rows == []
    assert len(replay.standing.rows) > 5
