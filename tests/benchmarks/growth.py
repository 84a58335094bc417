"""Measure how the processor's time of every page and export grows with each collection of a circle.

Each collection is added to the prepared circle of `tests/races`, once with few and once with ten times as many; then an
event and a table are as large as pages allow. Printed is the slowest page, or the one that grew most.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from time import process_time

from ..databases import Files
from ..growth.growing import COLLECTIONS, fill_event
from ..growth.measuring import Grow, Meter
from ..races.world import prepared_world
from .measuring import Line, print_lines, ratio

MAX_TIMES, MAX_SECONDS = 12, 1
LEAST = 0.02  # seconds: below that, no page is noticed
# As many as pages allow, or many more than anybody has had where they do not say.
LIMITS: dict[str, Grow] = {
    "an event of 1,000 entrants and 10 rounds": partial(fill_event, entrants=1_000, rounds=10),
    "an event of 1,000 entrants and 50 rounds": partial(fill_event, entrants=1_000, rounds=50),
    "an event of 248 entrants and 200 rounds": partial(fill_event, entrants=248, rounds=200),
    "a table of 3,000 deals": partial(COLLECTIONS["deals"], number=3_000),
    "200 flags": partial(COLLECTIONS["flags"], number=200),
    "95 people here": partial(COLLECTIONS["present"], number=95),
    "3,000 people": partial(COLLECTIONS["people"], number=3_000),
    "1,000 phones": partial(COLLECTIONS["devices"], number=1_000),
    "1,000 tables": partial(COLLECTIONS["evenings"], number=1_000),
}

Times = dict[str, list[float]]  # seconds by page


def seconds(meter: Meter, rounds: int, grow: Grow) -> Times:
    """Return how long each page takes, the first time and later."""
    meter.grow(grow)
    return {path: [_seconds(meter, path) for _ in range(rounds)] for path in meter.paths}


def _seconds(meter: Meter, path: str) -> float:
    began = process_time()
    meter.read(path)
    return process_time() - began


def lines(quick: bool) -> Iterator[Line]:
    few, rounds = (2, 1) if quick else (100, 3)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with prepared_world(Files(folder), folder) as world:
            meter = Meter(world)
            seconds(meter, 1, partial(COLLECTIONS["people"], number=1))  # templates are compiled
            for collection, grow in [*COLLECTIONS.items()][: 1 if quick else None]:
                some = seconds(meter, rounds, partial(grow, number=few))
                many = seconds(meter, rounds, partial(grow, number=10 * few))
                yield _growth(meter, f"{10 * few} beside {few} {collection}", some, many)
            for title, fill in () if quick else LIMITS.items():
                yield from _slowest(meter, title, seconds(meter, rounds, fill))


def _growth(meter: Meter, title: str, some: Times, many: Times) -> Line:
    path = max(meter.paths, key=lambda path: min(many[path]) / max(LEAST, min(some[path])))
    least = [max(LEAST, each) for each in some[path]]
    return ratio(f"{title}: {meter.title(path)}", sorted(many[path]), sorted(least), MAX_TIMES)


def _slowest(meter: Meter, title: str, found: Times, shown: int = 3) -> Iterator[Line]:
    for path in _by_time(found)[:shown]:
        yield Line(f"{title}: {meter.title(path)}", found[path], " s", MAX_SECONDS)


def _by_time(found: Times) -> Sequence[str]:
    return sorted(found, key=lambda path: min(found[path]), reverse=True)


def main(quick: bool) -> bool:
    return print_lines("how pages grow", list(lines(quick)), judged=not quick)
