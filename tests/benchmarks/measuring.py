"""Measure contestants in turns, so that a machine that slows down affects all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

Once = Callable[[], float]  # does the work once; returns the milliseconds of the part to measure


@dataclass(frozen=True)
class Contestant:
    once: Once
    limit: int = 20  # maximum number of times per round


def take_turns(contestants: Mapping[str, Contestant], rounds: int, each: int) -> dict[str, list[float]]:
    """Return the median of each round in milliseconds, by contestant. A first round is not counted."""
    medians_by_name: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds + 1):
        for name, contestant in contestants.items():
            medians_by_name[name].append(median(contestant.once() for _ in range(min(each, contestant.limit))))
    return {name: medians[1:] for name, medians in medians_by_name.items()}


@dataclass(frozen=True)
class Line:
    """A line of the results: one value per round, and the limit for their median, if any."""

    what: str
    values: list[float]
    unit: str
    limit: float | None = None

    @property
    def is_met(self) -> bool:
        return self.limit is None or median(self.values) <= self.limit

    def markdown_row(self, *, judged: bool) -> str:
        """Return a row of a Markdown table."""
        limit = f"{_short(self.limit)}{self.unit}" if self.limit is not None else ""
        flag = " **over**" if judged and not self.is_met else ""
        spread = f"{_short(min(self.values))} to {_short(max(self.values))}"
        return f"| {self.what} | {_short(median(self.values))}{self.unit}{flag} | {spread} | {limit} |"


def _short(value: float) -> str:
    """Format with three significant digits below 10, else one decimal place: 0.0186, 1.49, 54.7."""
    return f"{value:.3g}" if value < 10 else f"{value:.1f}"


def ratio(what: str, ours: list[float], theirs: list[float], limit: float | None = None) -> Line:
    return Line(what, [our / their for our, their in zip(ours, theirs, strict=True)], " ×", limit)


def print_lines(title: str, lines: list[Line], *, judged: bool) -> bool:
    """Print lines as a table; return whether all limits are met."""
    print(f"\n| {title} | median | spread | at most |\n| --- | --- | --- | --- |")
    for line in lines:
        print(line.markdown_row(judged=judged))
    return all(line.is_met for line in lines)
