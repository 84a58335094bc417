"""Eight circles and two events are written to, and every page is read meanwhile: no request fails."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random
from threading import Event

from scorekeeper.services.verify import verify

from ..faults.phones import in_threads
from ..visitor import Visitor
from .found import addresses
from .world import COOKIE, HOST, World

SECONDS = 20 * int(os.environ.get("SOAK", "1"))
CIRCLES, READERS = 8, 2
PAUSE = 1  # seconds between two writes of a circle
DEALS = 20  # of a table; then it is left for a new one

Answered = Counter[tuple[str, int]]  # how often each address was answered with each status


def test_no_request_fails_while_eight_circles_and_two_events_are_written_to(world: World) -> None:
    paths = sorted(addresses(world))
    world.reset()
    answered = Answered()
    hosts = [Visitor(world.app) for _ in range(CIRCLES - 1)]
    for host in hosts:
        host.open_table("whist")
    pages = [(world.cookies[HOST], path) for path in paths]
    for host in hosts:
        cookie = host.client.get_cookie(COOKIE)
        assert cookie is not None
        names = {world.circle: host.circle, world.tables["open"].split("/")[2]: host.table.split("/")[2]}
        pages += [(cookie.value, _with_names(path, names)) for path in paths if "/events/" not in path]
    ours = Visitor(world.app)
    ours.client.set_cookie(COOKIE, world.cookies[HOST])
    ours.open_table("whist")
    writers = [partial(_record_deals, host, answered) for host in (ours, *hosts)]
    for event in ("playing", "paused"):
        director = Visitor(world.app)
        director.client.set_cookie(COOKIE, world.cookies[HOST])
        writers.append(partial(_enter_results, director, world.events[event], answered))
    stop = Event()
    with in_threads([partial(_until, stop, write) for write in writers]):
        try:
            with in_threads([partial(_read, world, pages, Random(number), answered) for number in range(READERS)]):  # noqa: S311  # nothing secret
                pass
        finally:
            stop.set()
    written = sum(count for (path, _), count in answered.items() if path.startswith("write"))
    print(f"{written} writes, {answered.total() - written} pages, {len(answered)} different ones")
    assert {asked: count for asked, count in answered.items() if asked[1] >= 500} == {}
    assert written > CIRCLES
    with world.app.app_context():
        assert verify().faults == []


def _until(stop: Event, write: Callable[[Event], None]) -> None:
    while not stop.is_set():
        write(stop)


def _with_names(path: str, names: dict[str, str]) -> str:
    for name, other in names.items():
        path = path.replace(name, other)
    return path


def _record_deals(host: Visitor, answered: Answered, stop: Event) -> None:
    host.open_table("whist")
    for deal in range(DEALS):
        host.record(tricks=f"{('ns', 'ew')[deal % 2]}-{1 + deal % 7}")
        answered["write: a deal", host.status] += 1
        if stop.wait(PAUSE):
            return


def _enter_results(director: Visitor, event: str, answered: Answered, stop: Event) -> None:
    for tricks in range(14):
        director.visit(f"{event}/rounds/1/tables/1").send({"score-0": str(tricks), "do": "record"}, "/1")
        answered["write: a result", director.status] += 1
        if stop.wait(PAUSE):
            return


def _read(world: World, pages: list[tuple[str, str]], rng: Random, answered: Answered) -> None:
    """Read pages in random order until the time is over."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        cookie, path = rng.choice(pages)
        client = world.app.test_client()
        client.set_cookie(COOKIE, cookie)
        with client.get(path) as answer:
            answer.get_data()
        answered[path, answer.status_code] += 1
