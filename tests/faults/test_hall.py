"""A drive in a hall whose server is killed: each result that was acknowledged is stored once, and displays show it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from ..benchmarks.hall.evening import HallEvening
from ..benchmarks.hall.setting_up import set_up
from .conftest import Serve, on_both

TABLES, ROUNDS, SECONDS, WALLS = 8, 3, 2, 2


@on_both
def test_results_confirmed_by_a_killed_server_are_stored_once_and_shown(url: str, serve: Serve) -> None:
    server = serve(url)
    evening = HallEvening(server, set_up(server.app(), TABLES, ROUNDS), WALLS)
    with ThreadPoolExecutor(1) as pool:  # Playwright may have left a loop in this thread
        pool.submit(asyncio.run, evening.play(ROUNDS, SECONDS, kills={2})).result()
    assert evening.faults() == []
    assert len(evening.measured.acknowledged) == TABLES * ROUNDS
    delays = [delay for after in (True, False) for delay in evening.measured.delays(after_kills=after)]
    assert len(delays) == TABLES * ROUNDS * WALLS
    assert max(delays) < float("inf")
