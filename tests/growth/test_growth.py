"""No page and no export costs more than ten times as much when a circle has ten times as much of something."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

import pytest

from ..databases import Databases
from .growing import COLLECTIONS
from .measuring import Cost, Meter
from .world import prepared_world

# Steps of SQLite are counted, and PostgreSQL has the same statements.
pytestmark = pytest.mark.sqlite

FEW = 8 * int(os.environ.get("GROWTH", "1"))  # of each collection, added to the prepared circle
MANY = 10 * FEW
MOST = 12  # times what the few cost
ALLOWED = 10_000  # besides, or what the page costs without them: some of it may have been read for another page
# Looks for a schedule of so many players, a search that costs the same for 100 and for 400.
SEARCHES = "/paper/cards"
# Collections that grow together, which takes less time than one by one. No page shows two of a line multiplied.
TOGETHER = (
    ("people", "present", "devices", "circles"),
    ("merged people",),
    ("flags",),
    ("evenings to come", "answers"),
    ("seasons", "handicaps"),
    ("tables", "evenings", "events"),
    ("players", "people in a settlement"),
    ("deals", "prizes"),
    ("deals to confirm",),
    ("corrections", "substitutions"),
    ("payments", "settlements", "settlements in a row"),
    ("entrants",),
    ("rounds", "event substitutions", "results"),
)


@pytest.fixture(scope="module")
def meter(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Meter]:
    with prepared_world(databases, tmp_path_factory.mktemp("growth")) as world:
        yield Meter(world)


@pytest.fixture(scope="module")
def before(meter: Meter) -> dict[str, Cost]:
    """What each page costs before anything has grown."""
    meter.grow()
    meter.costs(meter.paths)  # templates are compiled
    return meter.costs(meter.paths)


def test_every_collection_grows() -> None:
    assert {name for names in TOGETHER for name in names} == COLLECTIONS.keys()


@pytest.mark.parametrize("names", TOGETHER, ids=", ".join)
def test_no_page_is_worse_than_linear(meter: Meter, before: dict[str, Cost], names: tuple[str, ...]) -> None:
    assert len(before) > 100
    meter.grow(*(partial(COLLECTIONS[name], number=MANY) for name in names))
    many = meter.costs(meter.paths)
    grown = [
        path
        for path in meter.paths
        if any(cost > 2 * base for cost, base in zip(many[path], before[path], strict=True))
    ]
    meter.grow(*(partial(COLLECTIONS[name], number=FEW) for name in names))
    few = meter.costs(grown)
    assert not [
        f"{meter.title(path)} {kind}: {base}, with {FEW} {some}, with {MANY} {all_}"
        for path in grown
        if not path.endswith(SEARCHES)
        for kind, base, some, all_ in zip(Cost._fields, before[path], few[path], many[path], strict=True)
        if all_ - base > MOST * max(0, some - base) + max(base, ALLOWED)
    ]
