"""What is left to chance or to time in the app, driven by the test: its clock, its random tokens, its processes."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from random import Random
from threading import local
from typing import Any
from unittest import mock

from scorekeeper.db import clock
from scorekeeper.services.events import people, played, reading
from scorekeeper.services.tables import replayed
from scorekeeper.web.support.rendered_updates import RenderedUpdates
from scorekeeper.web.tables import live

BEGIN = datetime(2026, 11, 20, 20, tzinfo=UTC)


class Clock:
    """The time that has passed, and what the server's clock shows, which somebody may set.

    It stands in for the class `datetime` in `db/clock.py`.
    """

    def __init__(self) -> None:
        self.passed = 0.0  # seconds since the beginning
        self.set_by = timedelta()

    def now(self, _zone: tzinfo) -> datetime:
        return BEGIN + timedelta(seconds=self.passed) + self.set_by

    def monotonic_ns(self) -> int:
        return int(self.passed * 1e9)

    def __str__(self) -> str:
        return f"{BEGIN + timedelta(seconds=self.passed):%H:%M:%S}"


class Tokens:
    """Random tokens that follow from the seed and from what asks for them, in whatever order threads run.

    They stand in for the generator of the module `secrets`.
    """

    def __init__(self, seed: object) -> None:
        self.seed = seed
        self._of_thread = local()
        self.follow("the beginning")

    def follow(self, what: object) -> None:
        """Let the tokens of this thread follow from `what`, until it is called again."""
        self._of_thread.random = Random(f"{self.seed} {what}")  # noqa: S311  # nothing secret

    def __getattr__(self, name: str) -> Any:
        return getattr(self._of_thread.random, name)


@contextmanager
def driven(clock_of_world: Clock, tokens: Tokens) -> Iterator[None]:
    """Let the app take the time and its tokens from these."""
    with ExitStack() as patches:
        patches.enter_context(mock.patch.object(clock, "datetime", clock_of_world))
        patches.enter_context(mock.patch.object(people, "monotonic_ns", clock_of_world.monotonic_ns))
        patches.enter_context(mock.patch.object(secrets, "_sysrand", tokens))
        yield


class Worker:
    """What a process of the server keeps between requests; a server may have several processes."""

    def __init__(self) -> None:
        self.caches: list[tuple[Any, str, Any]] = [
            (replayed, "_cache", replayed._Cache()),
            (people, "_shared_people", {}),
            (reading, "_board_sets", lru_cache(reading.MAX_CACHED)(reading._board_sets.__wrapped__)),
            (live, "rendered_updates", RenderedUpdates()),
            (played, "_standings", lru_cache(played.MAX_CACHED)(played._standings.__wrapped__)),
        ]

    @contextmanager
    def working(self) -> Iterator[None]:
        """Let this process answer."""
        with ExitStack() as patches:
            for module, name, cache in self.caches:
                patches.enter_context(mock.patch.object(module, name, cache))
            yield
