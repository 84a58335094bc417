"""Hypothesis strategies for sheets of any game, entered through the game's pad."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

from ..games import games
from ..scoring.game import AnyGame
from ..scoring.standing import AnyStanding
from ..scoring.values import JsonObject
from . import playing

NAMES = playing.NAMES
SUBSTITUTES = ("Karim", "Léa", "Malo")

T = TypeVar("T")


class Drawn:
    """Choices that Hypothesis makes, and makes simpler if a test fails."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def one_of(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return self._draw(st.sampled_from(items))

    def between(self, low: int, high: int) -> int:
        """Return an integer, both bounds included."""
        return self._draw(st.integers(low, high))

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in any order."""
        return list(self._draw(st.permutations(items)))


@st.composite
def sheets(
    draw: st.DrawFn, slug: str | None = None, max_deals: int = 25, *, with_substitutes: bool = False
) -> JsonObject:
    """Draw a valid sheet of a game, by default of any, and without substitutions."""
    chooser = Drawn(draw)
    game = games()[slug or chooser.one_of(sorted(games()))]
    players = NAMES[: chooser.one_of(game.player_counts)]
    substitutes = SUBSTITUTES if with_substitutes else ()
    return playing.random_sheet(game, chooser, players, chooser.one_of(players), max_deals, substitutes)


@st.composite
def deals(draw: st.DrawFn, game: AnyGame, standing: AnyStanding) -> JsonObject:
    """Draw a deal, a misdeal or an adjustment. An adjustment may be refused."""
    return playing.random_deal(game, standing, Drawn(draw))


@st.composite
def tapped(draw: st.DrawFn, game: AnyGame, standing: AnyStanding) -> JsonObject:
    """Draw a deal entered on the pad: one of the offered choices for each group, in any order."""
    return playing.tapped(game, standing, Drawn(draw)).facts


@st.composite
def adjustments(draw: st.DrawFn, game: AnyGame, standing: AnyStanding, kind: str) -> JsonObject:
    """Draw an adjustment of `points` or `counters`."""
    return playing.random_adjustment(game, standing, Drawn(draw), kind)


def game_of(sheet: Mapping[str, Any]) -> AnyGame:
    """Return the game of a valid sheet, as it is played under the sheet's house rules."""
    game = games()[sheet["game"]]
    return game.under(opened(sheet).options, len(sheet["players"]))


def opened(sheet: Mapping[str, Any]) -> AnyStanding:
    """Return the standing before the first deal of a valid sheet."""
    return playing.opened(games()[sheet["game"]], sheet)
