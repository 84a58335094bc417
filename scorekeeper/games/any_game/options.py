"""The house rules of any game: they say what is played."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from ...api import MAX_AMOUNT, SIDES, Items, Problem, Range, Text
from .facts import POINTS_OF_A_DEAL

MAX_PLAYERS = 12
MAX_STAKE = 1_000_000  # fiches

Whole = Annotated[int, Range(-MAX_AMOUNT, MAX_AMOUNT)]
PlacePoints = Annotated[tuple[Annotated[int, POINTS_OF_A_DEAL], ...], Items(MAX_PLAYERS)]


@dataclass(frozen=True)
class Options:
    """What is played, and how it is scored.

    sides: whether two sides of two play; else each player alone. A party is a side or a player.
    entry: what is entered after a deal.
    best: which score wins.
    start: each party's score before the first deal.
    target: the score that ends the game; above `start` or below it.
    deals: how many deals the game has, without misdeals.
    total: what the points of one deal add up to.
    categories: under which headings the points of a deal are entered.
    place_points: the points of the first, second and further places.
    stake: the fiches that are paid at the end.
    pays: whether the stake is for the game, or for each point of the difference.
    """

    name: Annotated[str, Text(40)]
    sides: bool = False
    entry: Literal["points", "places", "winner"] = "points"
    best: Literal["highest", "lowest"] = "highest"
    start: Whole = 0
    target: Whole | None = None
    deals: Annotated[int, Range(1, 999)] | None = None
    total: Whole | None = None
    categories: Annotated[tuple[Annotated[str, Text(30)], ...], Items(20)] = ()
    place_points: PlacePoints | None = None
    stake: Annotated[int, Range(0, MAX_STAKE)] = 0
    pays: Literal["winner", "difference"] = "winner"

    @property
    def counts_down(self) -> bool:
        """Whether points are taken off the score at the start."""
        return self.target is not None and self.target < self.start

    @property
    def has_end(self) -> bool:
        """Whether the game can end by itself."""
        return self.target is not None or self.deals is not None


def check_options(options: Options, players: int) -> Iterator[Problem]:
    """Yield house rules that do not go together, or not with so many players."""
    if options.target == options.start:
        yield Problem("target", "any-game.target-is-start", {"start": options.start})
    if options.total is not None and options.entry != "points":
        yield Problem("total", "any-game.only-points")
    if options.categories and options.entry != "points":
        yield Problem("categories", "any-game.only-points")
    if len(set(options.categories)) < len(options.categories):
        yield Problem("categories", "any-game.category-twice")
    yield from _check_place_points(options, len(SIDES) if options.sides else players)


def _check_place_points(options: Options, parties: int) -> Iterator[Problem]:
    if options.entry != "places":
        if options.place_points is not None:
            yield Problem("place_points", "any-game.only-places")
        return
    found = len(options.place_points or ())
    if found != parties:
        yield Problem("place_points", "any-game.points-of-each-place", {"found": found, "count": parties})


ASKED = ("name", "sides", "entry", "best", "target", "deals", "place_points")
