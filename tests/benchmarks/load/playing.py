"""Tables at which phones follow and enter, and what is measured of them."""

from __future__ import annotations

import asyncio
import json
import random
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from .client import Phone

PHONES = 4  # at a table
POLL_INTERVAL = 1.5  # seconds between two polls of a phone
REOPENS_AFTER = (1.0, 8.0)  # seconds until a lost stream is opened again, at random
NAMES = ("Anne", "Bruno", "Chloé", "David")
AT_ONCE = asyncio.Semaphore(40)  # tables and streams that are being opened


@dataclass
class Results:
    """Durations in milliseconds, and counts of statuses. `from_`: when measuring begins.

    Attributes:
        entries: from when an entry was due to its answer.
        news: from when an entry was due until another phone had an event for it.
        updates: from when an entry was due until another phone had the page's new contents.
        requests: all requests of followers.
    """

    from_: float = 0.0
    entries: list[float] = field(default_factory=list)
    news: list[float] = field(default_factory=list)
    updates: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    streams: int = 0  # open now

    def add(self, durations: list[float], due: float) -> None:
        """Add the time since `due`, unless that was before measuring began."""
        if due >= self.from_:
            durations.append(1000 * (time.monotonic() - due))


@dataclass
class Table:
    path: str
    csrf: str
    phones: list[Phone]
    seen: int = 0  # number of revisions
    mark: str = "0"  # of the last one
    entries: int = 0
    due: dict[int, float] = field(default_factory=dict)  # by the number of the revision: when it was due


async def set_table(make_phone: Callable[[str], Phone]) -> Table:
    """Open a table with one phone. The others use the same cookie, which makes no difference for the server."""
    async with AT_ONCE:
        host = make_phone("")
        page = await host.ask("/tables/new/whist", Accept_Encoding="identity")
        found = re.search(r'name="csrf_token" value="([^"]+)"', page.text)
        assert found is not None
        seats = {f"seat-{number}": name for number, name in enumerate(NAMES, start=1)}
        hidden = {"csrf_token": found[1], "opening_key": secrets.token_urlsafe(12)}
        opened = await host.ask("/tables/new/whist", seats | hidden | {"dealer": "1"})
        assert opened.status == 303, opened
    path = opened.headers["location"].partition("//")[2].partition("/")[2] or opened.headers["location"][1:]
    return Table(f"/{path}", found[1], [host, *(make_phone(host.cookie) for _ in range(PHONES - 1))])


class Follower:
    """A phone that follows a table, and fetches the page's new contents."""

    def __init__(self, table: Table, phone: Phone, results: Results) -> None:
        self.table, self.phone, self.results = table, phone, results
        self.tag, self.known = f'"{table.seen}-0"', table.seen

    async def poll(self, phase: float) -> None:
        """Ask again and again whether there is anything new."""
        due = time.monotonic() + phase
        while True:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            await self._fetch()
            due = max(due + POLL_INTERVAL, time.monotonic())  # a page has one poll at a time

    async def follow(self, phase: float, query: str = "") -> None:
        """Keep a stream open, and fetch when an event says that there is something new but does not bring it."""
        await asyncio.sleep(phase)
        while True:
            try:
                await self._follow(query)
            except OSError as error:
                self.results.statuses[f"stream: {error}"] += 1
            low, high = REOPENS_AFTER
            await asyncio.sleep(random.uniform(low, high))  # noqa: S311  # nothing secret

    async def _follow(self, query: str) -> None:
        is_open = False
        async with aclosing(self.phone.stream(f"{self.table.path}stream{query}")) as events:  # type: ignore[type-var]  # an async generator
            try:
                async for name, number in events:
                    if name == "open":
                        is_open = True
                        self.results.streams += 1
                        self.results.requests += 1
                    elif name == "revision" and number > self.known:
                        self._count(self.results.news, number)
                        await self._fetch()
                    elif name == "update" and number > self.known:
                        self._count(self.results.news, number)
                        self._count(self.results.updates, number)
                        self.known = number
            finally:
                self.results.streams -= is_open

    async def _fetch(self) -> None:
        answer = await self.phone.ask(f"{self.table.path}now", If_None_Match=self.tag)
        self.results.requests += 1
        self.results.statuses[f"asked: {answer.status}"] += 1
        self.tag = answer.headers.get("etag", self.tag)
        number = int(self.tag.strip('W/"').partition("-")[0])
        self._count(self.results.updates, number)
        self.known = max(self.known, number)

    def _count(self, durations: list[float], number: int) -> None:
        for revision in range(self.known + 1, number + 1):
            if revision in self.table.due:
                self.results.add(durations, self.table.due[revision])


async def enter(table: Table, phone: Phone, results: Results, phase: float, every: float) -> None:
    """Record a deal at fixed intervals."""
    due = time.monotonic() + phase
    while True:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        table.entries += 1
        entry = {"csrf_token": table.csrf, "key": f"{table.entries}", "seen": table.mark, "do": "record"}
        entry |= {"tricks": ("ns-1", "ew-1")[table.entries % 2]}
        table.due[table.seen + 1] = due
        answer = await phone.ask(f"{table.path}deals/new", entry, Accept="application/json")
        if answer.status in (200, 409):  # 409: the step before ended while an entry was on its way
            table.mark = json.loads(answer.text)["seen"]
            table.seen = int(table.mark.partition(".")[0])
        results.add(results.entries, due)
        results.statuses[f"entered: {answer.status}"] += 1
        due += every
