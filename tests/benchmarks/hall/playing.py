"""The phones of an event: at a table, on the wall, and the director's."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from ..load.client import Answer, Phone
from .setting_up import TRICKS, HallLinks

PAUSE = 0.2  # seconds until a phone sends again what was not answered
REOPENS_AFTER = (0.0, 2.0)  # seconds until a lost stream is opened again, at random
SPREAD = 0.008  # seconds for each table within which phones ask for what was announced, as `data-spread` says
ANSWERED = (303, 409)
CATCH_UP = 0.5  # seconds until a page asks again that was sent older contents than were announced
RECOVERY = 15.0  # seconds after a kill until all streams are open again
OPENING = asyncio.Semaphore(40)  # streams that are being opened


@dataclass
class Measured:
    """What is measured, in seconds of the monotonic clock.

    Attributes:
        entries: durations from sending a result until it is acknowledged, while the server was up.
        acknowledged: when a result was, and how many writes to the event were announced then.
        shown: for each display, when it had new contents, and of how many writes.
        seated: durations from the drawing of a round until a table's phone shows it.
        announced: how many writes were announced so far.
        kills: when the server was killed.
        sent_again: how often something was sent again.
    """

    entries: list[float] = field(default_factory=list)
    acknowledged: list[tuple[float, int]] = field(default_factory=list)
    shown: dict[int, list[tuple[float, int]]] = field(default_factory=dict)
    seated: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    announced: int = 0
    kills: list[float] = field(default_factory=list)
    sent_again: int = 0

    def delays(self, after_kills: bool) -> list[float]:
        """Return how long each display took to show each acknowledged result, or a later one.

        `after_kills`: those that lasted into the seconds after the server was killed, in which streams are opened
        again; else the others.
        """
        delays = []
        for shown in self.shown.values():
            contents = iter(shown)
            there, number = next(contents, _NEVER)
            for moment, needed in sorted(self.acknowledged):
                while number < needed:
                    there, number = next(contents, _NEVER)
                if any(kill < there and moment < kill + RECOVERY for kill in self.kills) == after_kills:
                    delays.append(max(0.0, there - moment))
        return delays


_NEVER = float("inf"), 10**9


async def ask(phone: Phone, path: str, form: dict[str, str] | None, measured: Measured, **headers: str) -> Answer:
    """Send a request until the server answers it; it may be killed at any moment."""
    while True:
        try:
            answer = await phone.ask(path, form, **headers)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            measured.sent_again += form is not None
        else:
            if answer.status < 500:
                return answer
            measured.statuses[f"{path.rpartition('/')[2]}: {answer.status}"] += 1
        phone.disconnect()
        await asyncio.sleep(PAUSE)


async def follow(phone: Phone, path: str, kind: str, announce: Callable[[int], object]) -> None:
    """Keep a stream open, and call `announce` with the number of each event of this kind."""
    while True:
        try:
            async with aclosing(phone.stream(f"{path}?kind={kind}")) as events:  # type: ignore[type-var]  # an async generator
                async with OPENING:
                    await anext(events)
                async for name, number in events:
                    if name == kind:
                        announce(number)
        except (OSError, asyncio.IncompleteReadError, StopAsyncIteration):
            pass
        await asyncio.sleep(random.uniform(*REOPENS_AFTER))  # noqa: S311  # nothing secret


class Fetcher:
    """Fetches a page's new contents, one request at a time, as the script does."""

    def __init__(self, phone: Phone, path: str, measured: Measured, spread: float = 0) -> None:
        """`spread`: up to so many seconds it waits at random until it fetches what was announced."""
        self.phone, self.path, self.measured, self.spread = phone, path, measured, spread
        self.tag, self.text = "", ""
        self.contents: list[tuple[float, int]] = []
        self._announced = self._number = 0
        self._is_due = asyncio.Event()

    def announce(self, number: int) -> None:
        """Have the contents fetched as soon as possible, unless they have this number."""
        self._announced = max(self._announced, number)
        self.measured.announced = max(self.measured.announced, number)
        if self._number < self._announced:
            self._is_due.set()

    async def run(self) -> None:
        """Fetch whenever something was announced that is not shown."""
        while True:
            await self._is_due.wait()
            await asyncio.sleep(random.uniform(0, self.spread))  # noqa: S311  # nothing secret
            self._is_due.clear()
            headers = {"If_None_Match": self.tag} if self.tag else {}
            headers["Accept_Encoding"] = "identity"  # its text is read here
            answer = await ask(self.phone, self.path, None, self.measured, **headers)
            self.measured.statuses[f"asked: {answer.status}"] += 1
            if answer.status == 200:
                self.tag, self.text = answer.headers.get("etag", ""), answer.text
                self._number = int(re.sub(r"\D.*", "", self.tag.strip('W/"')))
                self.contents.append((time.monotonic(), self._number))
            if self._number < self._announced:
                await asyncio.sleep(CATCH_UP)
                self._is_due.set()


class TablePhone:
    """The phone of a table: it shows each new round, and sends the result, and both sides' word."""

    def __init__(self, url: str, links: HallLinks, number: int, measured: Measured) -> None:
        self.number, self.measured = number, measured
        self.path = f"{links.path}/tables/{number}"
        self.asking, self.following = Phone(url, links.tables[number]), Phone(url, links.tables[number])
        spread = SPREAD * len(links.tables)
        self.fetcher = Fetcher(Phone(url, links.tables[number]), f"{self.path}/now", measured, spread)
        self.results: dict[int, int] = {}  # by round: tricks of the first pair
        self.csrf = ""

    async def show_round(self, number: int, drawn_at: float) -> None:
        """Wait until the phone shows the round."""
        while f'name="round" value="{number}"' not in self.fetcher.text:
            await asyncio.sleep(0.02)
        self.measured.seated.append(time.monotonic() - drawn_at)

    async def play(self, round_number: int, wait: float) -> None:
        """Send the result after so many seconds, and confirm it for both sides."""
        await asyncio.sleep(wait)
        if not self.csrf:
            page = await ask(self.asking, self.path, None, self.measured, Accept_Encoding="identity")
            self.csrf = csrf_of(page)
        tricks = random.randint(0, TRICKS)  # noqa: S311  # nothing secret
        form = {"csrf_token": self.csrf, "round": str(round_number), "seen": "0"}
        form |= {"key": f"table-{self.number}-{round_number}", "score-0": str(tricks)}
        begun, again = time.monotonic(), self.measured.sent_again
        answer = await ask(self.asking, f"{self.path}/result", form, self.measured)
        self._count("sent", answer)
        self.measured.acknowledged.append((time.monotonic(), self.measured.announced))
        if self.measured.sent_again == again:
            self.measured.entries.append(time.monotonic() - begun)
        self.results[round_number] = tricks
        for side in ("0", "1"):
            form = {"csrf_token": self.csrf, "round": str(round_number), "version": "1", "side": side}
            self._count("confirmed", await ask(self.asking, f"{self.path}/confirm", form, self.measured))

    def disconnect(self) -> None:
        """Close the phone's connections for requests."""
        self.asking.disconnect()
        self.fetcher.phone.disconnect()

    def _count(self, what: str, answer: Answer) -> None:
        self.measured.statuses[f"{what}: {answer.status}"] += 1


def csrf_of(page: Answer) -> str:
    """Return the token of a page's forms."""
    found = re.search(r'name="csrf_token" value="([^"]+)"', page.text)
    assert found is not None, page
    return found[1]


class Director:
    """The director's phone, which draws the rounds and starts the clock."""

    def __init__(self, url: str, links: HallLinks, measured: Measured) -> None:
        self.path, self.measured = links.path, measured
        self.phone = Phone(url, links.director)
        self.csrf = ""

    async def begin_round(self, number: int) -> float:
        """Draw a round and start its clock; return when it was drawn."""
        if not self.csrf:
            page = await ask(self.phone, f"{self.path}/director", None, self.measured, Accept_Encoding="identity")
            self.csrf = csrf_of(page)
        form = {"csrf_token": self.csrf, "number": str(number), "key": f"draw-{number}"}
        drawn = await ask(self.phone, f"{self.path}/rounds", form, self.measured)
        assert drawn.status == 303, drawn
        drawn_at = time.monotonic()
        started = await ask(self.phone, f"{self.path}/rounds/{number}/start", {"csrf_token": self.csrf}, self.measured)
        assert started.status == 303, started
        return drawn_at
