"""Measure the load that one machine can serve: `python -m tests.benchmarks.load [--quick] [--workers 2] …`.

Each table is in its own circle, with four phones. They follow it by polling, by streams of the app that say that
something is new or that bring it (push), or by streams of nginx with nchan, each in turn at servers of its own, on
SQLite or at DATABASE_URL. Entries are sent at a fixed interval, far more often than cards are dealt. For each number of
phones, print how long an entry took and when another phone knew of it: had an event, and had the page's new contents.
Durations count from when an entry was due, so that delays in sending count.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import Coroutine
from typing import Any

from scorekeeper.server.limits import raise_file_limit

from .client import Phone
from .playing import PHONES, Follower, Results, Table, enter, set_table
from .servers import SetUp, Usage, nchan_site, one_process

WARM_UP = 5.0  # seconds of play that are not measured
OPENED = 150  # streams a second, at first: each asks the app once
HEAD = (
    "| phones | entries/s | entry p50 / p95, ms | event p50 / p95, ms | new contents p50 / p95, ms "
    "| requests/s | cores | KB a phone | wrong |\n" + "| --- " * 9 + "|"
)
EXPECTED = ("asked: 200", "asked: 304", "entered: 200")


def part_of(values: list[float], part: float) -> str:
    return f"{sorted(values)[min(len(values) - 1, int(part * len(values)))]:.0f}" if values else "–"


def both(values: list[float]) -> str:
    return f"{part_of(values, 0.5)} / {part_of(values, 0.95)}"


def _of_each(figures: dict[str, float], form: str) -> str:
    """Write a figure of each process: "0.52", or "app 0.52, nginx 0.1"."""
    named = len(figures) > 1
    return ", ".join(f"{name} {figure:{form}}" if named else f"{figure:{form}}" for name, figure in figures.items())


class Evening:
    """All tables at one set-up. `via`: how phones follow."""

    def __init__(self, set_up: SetUp, via: str, every: float) -> None:
        self.set_up, self.via, self.every = set_up, via, every
        self.usages = {name: Usage(pid) for name, pid in set_up.processes.items()}
        self.tables: list[Table] = []
        self.empty: dict[str, float] = {}  # kilobytes of each process without streams

    def phone(self, cookie: str) -> Phone:
        return Phone(self.set_up.url, cookie, self.set_up.is_behind_proxy)

    async def measure(self, phones: int, seconds: float) -> None:
        """Open tables for so many phones, let all play, and print a row of results."""
        missing = phones // PHONES - len(self.tables)
        self.tables += await asyncio.gather(*(set_table(self.phone) for _ in range(missing)))
        self.empty = self.empty or self._kilobytes()
        begun = time.monotonic()
        opening = phones / OPENED
        results = Results(begun + opening + WARM_UP)
        playing = [asyncio.create_task(work) for work in self._play(results, opening)]
        await asyncio.sleep(opening + WARM_UP)
        before, since, requests = self._seconds(), time.monotonic(), results.requests
        await asyncio.sleep(seconds)
        took = time.monotonic() - since
        cores = {name: (used - before[name]) / took for name, used in self._seconds().items()}
        memory = {name: (used - self.empty[name]) / phones for name, used in self._kilobytes().items()}
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        wrong = {what: count for what, count in results.statuses.items() if what not in EXPECTED}
        print(
            f"| {phones} | {len(results.entries) / took:.1f} | {both(results.entries)} | {both(results.news)} "
            f"| {both(results.updates)} | {(results.requests - requests) / took:.0f} "
            f"| {_of_each(cores, '.2f')} | {_of_each(memory, '.1f')} "
            f"| {wrong or '–'} |",
            flush=True,
        )

    def _seconds(self) -> dict[str, float]:
        return {name: usage.seconds() for name, usage in self.usages.items()}

    def _kilobytes(self) -> dict[str, float]:
        return {name: usage.kilobytes() for name, usage in self.usages.items()}

    def _play(self, results: Results, opening: float) -> list[Coroutine[Any, Any, None]]:
        work = []
        for number, table in enumerate(self.tables):
            shift = number / len(self.tables)
            recorder = self.phone(table.phones[0].cookie)
            work.append(enter(table, recorder, results, opening + shift * self.every, self.every))
            for index, phone in enumerate(table.phones):
                follower = Follower(table, phone, results)
                phase = (shift + index / PHONES) % 1
                if self.via == "poll":
                    work.append(follower.poll(phase * 1.5))
                else:
                    work.append(follower.follow(phase * opening, "?updates" if self.via == "push" else ""))
        return work


async def restart(evening: Evening) -> None:
    """Restart the app while all phones follow, and print how long until all follow again."""
    results = Results(float("inf"))
    tables, phones = evening.tables, PHONES * len(evening.tables)
    playing = [
        asyncio.create_task(Follower(table, phone, results).follow(0)) for table in tables for phone in table.phones
    ]
    await until_open(results, phones)
    await asyncio.to_thread(evening.set_up.app.stop)
    await asyncio.to_thread(evening.set_up.app.start)
    back = time.monotonic()
    await until_open(results, phones)
    print(f"\nAfter a restart {phones} phones followed again in {time.monotonic() - back:.1f} s.", flush=True)
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)


async def until_open(results: Results, streams: int) -> None:
    """Wait until so many streams are open. Raises TimeoutError after two minutes."""
    async with asyncio.timeout(120):
        while results.streams < streams:
            await asyncio.sleep(0.05)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two tables for a second")
    parser.add_argument("--phones", default="600,1200,2400", help="how many at a time, one step after another")
    parser.add_argument("--via", default="poll,stream,push", help="how the phones follow: poll, stream, push, nchan")
    parser.add_argument("--every", type=float, default=60.0, help="seconds between two entries at a table")
    parser.add_argument("--seconds", type=float, default=20.0, help="that each step is measured for")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=8)
    options = parser.parse_args()
    steps = [8] if options.quick else [int(step) for step in options.phones.split(",")]
    seconds, every = (1.0, 0.5) if options.quick else (options.seconds, options.every)
    raise_file_limit()
    database = os.environ.get("DATABASE_URL", "sqlite").partition(":")[0]
    print(f"{database}, {options.workers} process(es), {os.cpu_count()} cores, an entry a table every {every:g} s")
    for via in options.via.split(","):
        print(f"\n{via}:\n\n{HEAD}")
        start = nchan_site if via == "nchan" else one_process
        with start(options.workers, options.threads) as set_up:
            evening = Evening(set_up, via, every)
            for step in steps:
                await evening.measure(step, seconds)
            if via == "stream":
                await restart(evening)


if __name__ == "__main__":
    asyncio.run(main())
