"""A page that is read while somebody writes shows the state from before the write, completely."""

from __future__ import annotations

import re
from functools import partial
from random import Random

import pytest
from werkzeug.test import TestResponse

from .conftest import TIMES
from .found import addresses
from .interleaving import count_statements, run
from .judging import Judge
from .sending import Request
from .world import HOST, World
from .writes import WRITES

# The writes that change most of what pages show.
MEANWHILE = [
    write
    for write in WRITES
    if write.endpoint
    in ("new_table.open_table", "deals.new", "deals.amend", "settlements.pay", "people.rename", "people.merge")
]
# The same of the event whose pages are read: the one whose clock stands still.
OF_EVENT = [write for write in WRITES if write.endpoint in ("event_director.resume", "event_director.finish")]
# Differ in every answer: the CSRF token, the keys of forms, the time of the answer.
NEW_EACH_TIME = re.compile(
    rb'<input[^>]*name="(csrf_token|key|opening_key)"[^>]*>|data-served="[^"]*"|"written_at": *"[^"]*"'
)


@pytest.fixture(scope="module")
def pages(world: World) -> list[str]:
    return sorted(addresses(world))


def test_a_page_read_during_a_write_shows_the_state_before_it(judge: Judge, pages: list[str], some: slice) -> None:
    world, rng = judge.world, Random(1765)  # noqa: S311  # nothing secret
    faults, rounds = [], 0
    for path in pages:
        page = Request(HOST, path, {}, method="GET")
        statements = count_statements(world, page)
        world.reset()
        before = body(page.send(world))
        for point in range(1, statements + 1)[some]:
            writes = OF_EVENT if path.startswith("/events/") else MEANWHILE
            for write in rng.sample(writes, min(TIMES, len(writes))):
                world.reset()
                outcome = run(world, partial(page.send, world), partial(judge.requests.of(write, 2).send, world), point)
                rounds += 1
                found = [*outcome.faults, *judge.integrity_faults()]
                answer = outcome.first
                if not isinstance(answer, TestResponse) or answer.status_code >= 400 or body(answer) != before:
                    found.append(f"another page, {outcome.statuses()}")
                faults += [f"{path} at {point} / {write.title}: {fault}" for fault in found]
    assert not faults, "\n".join(faults)
    assert rounds > 30


def body(answer: TestResponse) -> bytes:
    return NEW_EACH_TIME.sub(b"", answer.get_data())


def test_a_page_is_made_while_another_waits_for_the_database(world: World) -> None:
    """Python 3.11's `functools.cached_property` has one lock for all objects: a statement below it stops all pages."""
    page, other = (Request(HOST, world.tables[table], {}, method="GET") for table in ("open", "closed"))
    for point in range(1, count_statements(world, page) + 1):
        outcome = run(world, partial(page.send, world), partial(other.send, world), point)
        assert not outcome.faults
        assert outcome.statuses() == (200, 200)
