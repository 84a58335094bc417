"""The house rules of any game, which say what is played, and the facts of its deals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from ...api import MAX_AMOUNT, SIDES, Items, JsonObject, Party, Problem, Range, Text

POINTS_OF_A_DEAL = Range(-1_000_000, 1_000_000)  # of one party, or of one of its categories

PointsByParty = dict[Party, Annotated[int, POINTS_OF_A_DEAL]]


@dataclass(frozen=True)
class PointsDeal:
    """The points of each party; what is left out is 0."""

    points: PointsByParty

    def points_of(self, party: str) -> int:
        return self.points.get(party, 0)


@dataclass(frozen=True)
class CategoryDeal:
    """The points of each party by category; what is left out is 0."""

    points: dict[str, PointsByParty]

    def points_of(self, party: str) -> int:
        return sum(points.get(party, 0) for points in self.points.values())

    def categories_of(self, party: str) -> list[str]:
        return [category for category, points in self.points.items() if party in points]


@dataclass(frozen=True)
class PlacesDeal:
    """The parties in the order of their places; those in one group share a place."""

    places: tuple[tuple[Party, ...], ...]


@dataclass(frozen=True)
class WinnerDeal:
    winner: Party


Deal = PointsDeal | CategoryDeal | PlacesDeal | WinnerDeal


def number_places(places: Iterable[Iterable[str]]) -> Mapping[str, int]:
    """Return the place of each party: one more than the number of parties in the groups before its own."""
    numbers: dict[str, int] = {}
    for group in places:
        number = len(numbers) + 1
        numbers.update(dict.fromkeys(group, number))
    return numbers


MAX_PLAYERS = 12
MAX_STAKE = 1_000_000  # fiches

Whole = Annotated[int, Range(-MAX_AMOUNT, MAX_AMOUNT)]
PlacePoints = Annotated[tuple[Annotated[int, POINTS_OF_A_DEAL], ...], Items(MAX_PLAYERS)]


@dataclass(frozen=True)
class Options:
    """What is played, and how it is scored. A party is a side or a player."""

    name: Annotated[str, Text(40)]
    sides: bool = False  # two sides of two play; else each player alone
    entry: Literal["points", "places", "winner"] = "points"  # after a deal
    best: Literal["highest", "lowest"] = "highest"  # the score that wins
    start: Whole = 0  # each party's score before the first deal
    target: Whole | None = None  # the score that ends the game, above `start` or below it
    overshoot: Literal["counts", "bust", "back"] = "counts"  # of points that carry a score beyond the target
    back_to: Whole | None = None  # the score to which such a party falls back
    ties: Literal["play_on", "shared"] = "play_on"  # when the target is reached and several share the best score
    deals: Annotated[int, Range(1, 999)] | None = None  # of the game, without misdeals
    total: Whole | None = None  # of the points of one deal
    or_total: Whole | None = None  # another sum that they may have
    categories: Annotated[tuple[Annotated[str, Text(30)], ...], Items(20)] = ()  # headings for the points of a deal
    category_once: bool = False  # each party has a number in a category in one deal only
    place_points: PlacePoints | None = None  # of the first, second and further places
    stake: Annotated[int, Range(0, MAX_STAKE)] = 0  # fiches that are paid at the end
    pays: Literal["winner", "difference"] = "winner"  # the stake for the game, or for each point of the difference

    @property
    def counts_down(self) -> bool:
        return self.target is not None and self.target < self.start

    @property
    def loses_at_target(self) -> bool:
        """Whether it is bad to reach the target: the best score is at the other end."""
        return self.target is not None and self.counts_down == (self.best == "highest")

    @property
    def has_end(self) -> bool:
        return self.target is not None or self.deals is not None

    @property
    def totals(self) -> tuple[int, ...]:
        return tuple(total for total in (self.total, self.or_total) if total is not None)

    def left(self, score: int) -> int:
        """Return the points from a score to the target: below 0 if the score is beyond it."""
        target = self.target or 0
        return score - target if self.counts_down else target - score


def check_options(options: Options, players: int) -> Iterator[Problem]:
    if options.target == options.start:
        yield Problem("target", "any-game.target-is-start", {"start": options.start})
    if options.total is not None and options.entry != "points":
        yield Problem("total", "any-game.only-points")
    if options.categories and options.entry != "points":
        yield Problem("categories", "any-game.only-points")
    if len(set(options.categories)) < len(options.categories):
        yield Problem("categories", "any-game.category-twice")
    if options.or_total is not None and options.total is None:
        yield Problem("or_total", "any-game.only-with-total")
    if options.category_once and not options.categories:
        yield Problem("category_once", "any-game.only-with-categories")
    yield from _check_overshoot(options)
    yield from _check_place_points(options, len(SIDES) if options.sides else players)


def _check_overshoot(options: Options) -> Iterator[Problem]:
    if options.overshoot != "counts" and options.target is None:
        yield Problem("overshoot", "any-game.only-with-target")
    if (options.overshoot == "back") != (options.back_to is not None):
        yield Problem("back_to", "any-game.back-to-what" if options.back_to is None else "any-game.only-back")
    elif options.back_to is not None and options.target is not None and options.left(options.back_to) <= 0:
        yield Problem("back_to", "any-game.back-is-target", {"target": options.target})


def _check_place_points(options: Options, parties: int) -> Iterator[Problem]:
    if options.entry != "places":
        if options.place_points is not None:
            yield Problem("place_points", "any-game.only-places")
        return
    found = len(options.place_points or ())
    if found != parties:
        yield Problem("place_points", "any-game.points-of-each-place", {"found": found, "count": parties})


def fill_options(house_rules: JsonObject, players: int) -> JsonObject:
    """Add the points of places if none are given: one less for each place, or one more if the lowest score wins."""
    if house_rules.get("entry") != "places" or "place_points" in house_rules:
        return house_rules
    points = range(len(SIDES) if house_rules.get("sides") else min(players, MAX_PLAYERS))
    return house_rules | {"place_points": [*points] if house_rules.get("best") == "lowest" else [*reversed(points)]}


ASKED = ("name", "sides", "entry", "best", "target", "deals", "place_points")


# The boxes of a Yahtzee card, and one for what is added to them.
BOXES = (
    *("aces", "twos", "threes", "fours", "fives", "sixes", "bonus"),
    *("three-of-a-kind", "four-of-a-kind", "full-house", "small-straight", "large-straight", "yahtzee", "chance"),
)

KNOWN = (
    Options(name="hearts", best="lowest", target=100, total=26, or_total=78),  # 78 if one player takes all
    Options(name="skyjo", best="lowest", target=100),
    Options(name="uno", target=500),
    Options(name="rummy", target=100),
    Options(name="belote", sides=True, target=1000),
    Options(name="wizard"),  # the number of deals depends on that of the players
    Options(name="yahtzee", categories=BOXES, category_once=True, deals=13),  # everybody fills a box in each
    Options(name="darts-501", best="lowest", start=501, target=0, overshoot="bust", ties="shared"),
    Options(name="catan", target=10),
    Options(name="scrabble"),
    Options(name="molkky", target=50, overshoot="back", back_to=25, ties="shared"),
    Options(name="dominoes", target=100),
)


EXAMPLES = (
    Options(name="Rummy", target=1000),
    Options(name="Dice", target=100),
    Options(name="Hearts", best="lowest", target=50, total=26, stake=2),
    Options(name="501", best="lowest", start=501, target=0, pays="difference", stake=1),
    Options(name="Darts", entry="winner", deals=3, stake=5),
    Options(name="Belote", sides=True, total=162, target=500, stake=1, pays="difference"),
    Options(name="Skat evening"),
    Options(name="Wonders", categories=("science", "war"), deals=2),
    Options(name="Trade", sides=True, categories=("goods", "roads", "towns"), total=20, deals=3),
    Options(name="Toss", sides=True, entry="winner", target=3),
    Options(name="Match", sides=True, entry="places", place_points=(3, 0), deals=4),
    *(
        Options(name="Race", entry="places", place_points=tuple(range(players - 1, -1, -1)), deals=3, stake=1)
        for players in range(2, MAX_PLAYERS + 1)
    ),
)
