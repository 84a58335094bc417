"""Deals by lot, told through the game's own pad: the same seed plays the same evenings. No game is known by name."""

from __future__ import annotations

from random import Random
from typing import Any

from scorekeeper.scoring.game import Game
from scorekeeper.scoring.layout import Pad, lay_out
from scorekeeper.scoring.pad import Group
from scorekeeper.scoring.standing import Standing


def deal(game: Game, standing: Standing, lot: Random) -> dict[str, Any]:
    """The facts of a deal as it could have been played: of each group of the pad a choice that is offered."""
    taps: dict[str, str] = {}
    pad = lay_out(game, standing, taps)
    groups = [group for group in pad.groups if not group.aside]
    lot.shuffle(groups)
    for told in groups:
        group = pad.by_name[told.name]
        if group.name not in pad.worked_out and (group.required or lot.random() < 0.5):
            pad = _tap(game, standing, pad, group, taps, lot)
    while pad.unanswered:
        pad = _tap(game, standing, pad, pad.unanswered[0], taps, lot)
    return pad.facts


def _tap(game: Game, standing: Standing, pad: Pad, group: Group, taps: dict[str, str], lot: Random) -> Pad:
    ruled_out = pad.never | pad.withheld
    offered = [choice.key for choice in group.choices if (group.name, choice.key) not in ruled_out]
    if not offered:
        return pad
    taps[group.name] = lot.choice(offered)
    return lay_out(game, standing, taps)
