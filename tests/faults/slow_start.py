"""A worker that takes a moment to start, as on a busy machine."""

from __future__ import annotations

import time

from scorekeeper.server.worker import Worker

SECONDS = 1


class SlowToStart(Worker):
    def init_process(self) -> None:
        time.sleep(SECONDS)
        super().init_process()
