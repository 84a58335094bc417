"""The installed games. A package declares its game as an entry point in the group `scorekeeper.games`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from functools import cache, lru_cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ..scoring import schema
from ..scoring.game import API_VERSION, CLOCKWISE, AnyGame, Game

GROUP = "scorekeeper.games"
_OURS = "scorekeeper"  # the distribution with the bundled games
_SLUG = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_SUPPORTED = (API_VERSION,)  # what games may be written for; a minor version adds itself to the earlier ones
MAX_SLUG = 32  # characters, as the database stores it


class RefusedGame(NamedTuple):
    """An installed game that cannot be used, and why, in one line."""

    slug: str
    distribution: str
    reason: str


class _Installed(NamedTuple):
    games: Mapping[str, AnyGame]
    folders: Mapping[str, Path]
    refused: tuple[RefusedGame, ...]


class _RefusedError(Exception):
    """The game cannot be used; the message says why."""


def games() -> Mapping[str, AnyGame]:
    """Return the games that can be played, by slug and sorted by it; those that have to be described come last."""
    return _installed().games


def find_game(slug: str) -> AnyGame:
    """Return a game; a stand-in, with which nothing can be scored, for one that is not installed any more."""
    return games().get(slug) or _stand_in(slug)


@dataclass(frozen=True)
class _Unknown:
    """House rules or facts of which nothing is known."""


@lru_cache(maxsize=256)
def _stand_in(slug: str) -> AnyGame:
    return Game(
        slug=slug,
        api=API_VERSION,
        player_counts=(),
        direction=CLOCKWISE,
        in_sides=False,
        units=("counters",),
        options=_Unknown,
        deal=_Unknown,
        checks=(),
        score=lambda _standing, _deal: (),
        close=lambda _standing: None,
        pad=lambda _standing, _facts: (),
        reasons=(),
    )


def refused_games() -> tuple[RefusedGame, ...]:
    return _installed().refused


def find_folder(game: AnyGame) -> Path:
    return _installed().folders[game.slug]


def lineage(game: AnyGame) -> list[AnyGame]:
    """Return a game and, after it, the one it is a variant of. Empty if the game is not installed."""
    return [games()[slug] for slug in (game.slug, game.variant_of) if slug in games()]


@cache  # reading the metadata of all packages takes a fifth of the time of a page
def find_entry_points() -> tuple[EntryPoint, ...]:
    """Return the games' entry points, the bundled ones first: of two with the same name, the first one counts."""
    points = sorted(entry_points(group=GROUP), key=lambda point: (_find_distribution(point), point.name))
    return tuple(sorted(points, key=lambda point: _find_distribution(point) != _OURS))


def _find_distribution(entry_point: EntryPoint) -> str:
    return entry_point.dist.name if entry_point.dist else ""


@cache
def _installed() -> _Installed:
    accepted: dict[str, AnyGame] = {}
    folders: dict[str, Path] = {}
    refused = []
    for entry_point in find_entry_points():
        slug = entry_point.name
        try:
            if slug in accepted:
                raise _RefusedError(f"the slug is used by a game in {folders[slug]}")
            accepted[slug] = _load(entry_point)
            folders[slug] = Path(import_module(entry_point.module).__path__[0])
        except _RefusedError as error:
            refused.append(RefusedGame(slug, _find_distribution(entry_point), str(error)))
    slugs = sorted(accepted, key=lambda slug: (bool(accepted[slug].house_rules.examples), slug))
    in_order = {slug: accepted[slug] for slug in slugs}
    return _Installed(MappingProxyType(in_order), folders, tuple(refused))


def _load(entry_point: EntryPoint) -> AnyGame:
    """Raises _RefusedError."""
    slug = entry_point.name
    if not _SLUG.fullmatch(slug) or len(slug) > MAX_SLUG:
        raise _RefusedError(f"a slug has at most {MAX_SLUG} lower-case letters, digits and hyphens")
    try:
        game = entry_point.load()
        is_package = hasattr(import_module(entry_point.module), "__path__")
    except Exception as error:  # whatever another package raises
        reason = " ".join(f"{type(error).__name__}: {error}".split())  # in one line
        raise _RefusedError(f"it cannot be imported: {reason}") from error
    if not isinstance(game, Game) or not is_package:
        raise _RefusedError(f"{entry_point.value} must name a Game in a package's __init__.py")
    if game.slug != slug:
        raise _RefusedError(f"its entry point is named {slug} and its slug is {game.slug}")
    if game.api not in _SUPPORTED:
        raise _RefusedError(f"it is written for version {game.api} of scorekeeper.api, and this is {API_VERSION}")
    for cls in filter(is_dataclass, (game.options, game.deal)):
        try:
            schema.object_reader(cls)
        except TypeError as error:
            raise _RefusedError(f"its {cls.__name__} cannot be read from a sheet: {error}") from error
    return game


_DIGITS = 12


def make_game_key(game: AnyGame, house_rules: Mapping[str, Any]) -> str:
    """Return the key of what is played: the slug, and a hash of the name if house rules describe the game.

    A hash, since keys are stored with seasons and stand in addresses, where an erased name must not stay.
    """
    name = game.find_name(house_rules).casefold()
    return f"{game.slug}.{sha256(name.encode()).hexdigest()[:_DIGITS]}" if name else game.slug


def slug_of(key: str) -> str:
    return key.partition(".")[0]
