"""An evening in a hall: rounds are drawn, all tables send their results, and the server is killed a few times."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Collection, Coroutine, Iterator
from typing import Any

from scorekeeper.models import Event, RoundResult, db
from scorekeeper.services.events.reading import read
from scorekeeper.services.verify import verify

from ...conftest import Server
from ..load.client import Phone
from .playing import Director, Fetcher, Measured, TablePhone, follow
from .setting_up import TRICKS, HallLinks


class HallEvening:
    """All phones and displays of an event, and what was measured of them."""

    def __init__(self, server: Server, links: HallLinks, walls: int) -> None:
        self.server, self.links, self.measured = server, links, Measured()
        self.tables = [TablePhone(server.url, links, number, self.measured) for number in links.tables]
        self.walls = [
            Fetcher(Phone(server.url, links.wall), f"{links.path}/wall/now", self.measured) for _ in range(walls)
        ]
        self.measured.shown = {place: wall.contents for place, wall in enumerate(self.walls)}

    async def play(self, rounds: int, seconds: float, kills: Collection[int]) -> None:
        """Play all rounds, each with all results within so many seconds; kill the server in some of them."""
        background = [asyncio.create_task(work) for work in self._following()]
        director = Director(self.server.url, self.links, self.measured)
        for number in range(1, rounds + 1):
            drawn_at = await director.begin_round(number)
            await asyncio.gather(*(phone.show_round(number, drawn_at) for phone in self.tables))
            killing = [self._kill(seconds / 2)] if number in kills else []
            waits = [random.uniform(0, seconds) for _ in self.tables]  # noqa: S311  # nothing secret
            await asyncio.gather(
                *(phone.play(number, wait) for phone, wait in zip(self.tables, waits, strict=True)), *killing
            )
        await self._until_shown()
        for task in background:
            task.cancel()
        await asyncio.gather(*background, return_exceptions=True)
        for phone in (director.phone, *(wall.phone for wall in self.walls)):
            phone.disconnect()
        for table in self.tables:
            table.disconnect()
        await asyncio.sleep(0)  # the connections are closed now

    def _following(self) -> Iterator[Coroutine[Any, Any, None]]:
        stream = f"{self.links.path}/stream"
        for phone in self.tables:
            yield phone.fetcher.run()
            yield follow(phone.following, stream, "plan", phone.fetcher.announce)
        for wall in self.walls:
            yield wall.run()
            yield follow(Phone(self.server.url, self.links.wall), stream, "event", wall.announce)

    async def _until_shown(self) -> None:
        """Wait until the displays show the last results, also after a kill."""
        await asyncio.sleep(1)  # until these are announced
        for _ in range(600):
            if all(wall.contents and wall.contents[-1][1] >= self.measured.announced for wall in self.walls):
                return
            await asyncio.sleep(0.1)

    async def _kill(self, wait: float) -> None:
        await asyncio.sleep(wait)
        self.measured.kills.append(time.monotonic())
        await asyncio.to_thread(self.server.kill)
        await asyncio.to_thread(self.server.start)

    def faults(self) -> list[str]:
        """Return what was lost, doubled or added up wrongly, by what the phones know."""
        with self.server.app().app_context():
            event = db.session.scalars(db.select(Event).filter_by(token=self.links.token)).one()
            state = read(event)
            sent = {(number, phone.number): tricks for phone in self.tables for number, tricks in phone.results.items()}
            stored = {place: row.scores["scores"][0] for place, row in state.tables.items() if row.scores is not None}
            scores: Counter[int] = Counter()
            for place, row in state.tables.items():
                first, second = row.pairs
                for pair, tricks in ((first, sent.get(place, 0)), (second, TRICKS - sent.get(place, 0))):
                    scores.update(dict.fromkeys(pair, tricks))
            versions = db.session.scalar(db.select(db.func.count()).select_from(RoundResult))
            checks = {
                "the results are those that were sent": stored == sent,
                "each result is stored once": versions == len(sent),
                "all results are confirmed": all(row.is_confirmed for row in state.tables.values()),
                "the standings are the sum of the results": {row.numbers[0]: row.score for row in state.standings}
                == dict(scores),
                "the database is as it should be": not verify().faults,
            }
        return [what for what, is_so in checks.items() if not is_so]
