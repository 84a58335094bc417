"""The facts of a deal of any game: a class for each of the ways in which one can be entered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated

from ...api import Party, Range

POINTS_OF_A_DEAL = Range(-1_000_000, 1_000_000)  # of one party, or of one of its categories

PointsByParty = dict[Party, Annotated[int, POINTS_OF_A_DEAL]]


@dataclass(frozen=True)
class PointsDeal:
    """The points of each party; what is left out is 0."""

    points: PointsByParty

    def points_of(self, party: str) -> int:
        """Return the party's points."""
        return self.points.get(party, 0)

    @property
    def sum(self) -> int:
        """The points of all parties."""
        return sum(self.points.values())


@dataclass(frozen=True)
class CategoryDeal:
    """The points of each party by category; what is left out is 0."""

    points: dict[str, PointsByParty]

    def points_of(self, party: str) -> int:
        """Return the party's points in all categories."""
        return sum(points.get(party, 0) for points in self.points.values())

    def categories_of(self, party: str) -> list[str]:
        """Return the categories in which the party has a number."""
        return [category for category, points in self.points.items() if party in points]

    @property
    def sum(self) -> int:
        """The points of all parties in all categories."""
        return sum(sum(points.values()) for points in self.points.values())


@dataclass(frozen=True)
class PlacesDeal:
    """The parties in the order of their places; those in one group share a place."""

    places: tuple[tuple[Party, ...], ...]


@dataclass(frozen=True)
class WinnerDeal:
    """The party that has won the deal."""

    winner: Party


Deal = PointsDeal | CategoryDeal | PlacesDeal | WinnerDeal


def number_places(places: Iterable[Iterable[str]]) -> Mapping[str, int]:
    """Return the place of each party: one more than the number of parties in the groups before its own."""
    numbers: dict[str, int] = {}
    for group in places:
        number = len(numbers) + 1
        numbers.update(dict.fromkeys(group, number))
    return numbers
