"""Random deals of any game, entered through its pad. The same seed gives the same deals."""

from __future__ import annotations

from random import Random
from typing import Any

from scorekeeper.scoring.game import AnyGame
from scorekeeper.scoring.pad import ChoiceGroup, Pad, build_pad
from scorekeeper.scoring.standing import AnyStanding
from scorekeeper.testing.playing import offered


def deal(game: AnyGame, standing: AnyStanding, rng: Random) -> dict[str, Any]:
    """Return the facts of a random valid deal: an offered choice for each group of the pad."""
    taps: dict[str, str] = {}
    pad = build_pad(game, standing, taps)
    groups = [group for group in pad.groups if not group.is_alternative]
    rng.shuffle(groups)
    for name in [group.name for group in groups]:
        group = pad.by_name.get(name)
        if group is not None and name not in pad.derived and (group.required or rng.random() < 0.5):
            pad = _tap(game, standing, pad, group, taps, rng)
    while pad.unanswered:
        pad = _tap(game, standing, pad, pad.unanswered[0], taps, rng)
    return pad.facts


def _tap(game: AnyGame, standing: AnyStanding, pad: Pad, group: ChoiceGroup, taps: dict[str, str], rng: Random) -> Pad:
    choices = offered(pad, group)
    if not choices:
        return pad
    taps[group.name] = rng.choice(choices).key
    return build_pad(game, standing, taps)
