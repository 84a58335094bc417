"""Measure a drive in a hall: `python -m tests.benchmarks.hall [--quick] [--tables 250 --rounds 24 --seconds 60 …]`.

A phone at each table follows the event, shows each round, sends the result within the given seconds of the others, and
both sides confirm it. Displays on the wall follow the standings. The server is killed a few times while results arrive.
All run on this machine, which the phones share with the server. Print how long a result took to be acknowledged and
until each display showed it, and what was lost, doubled, wrong or too slow. The exit status is 1 if anything was.
Without options it takes 25 minutes and both processors of a small machine.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from scorekeeper.server.limits import raise_file_limit

from ...conftest import Server
from ...databases import Files
from .evening import HallEvening
from .setting_up import set_up

SHOWN_MOSTLY, SHOWN, SHOWN_AFTER_KILL = 2, 3, 5  # seconds until a display has to show a result: at p99, and at most


def part_of(values: list[float], part: float) -> str:
    """Return a percentile in milliseconds."""
    return f"{1000 * sorted(values)[min(len(values) - 1, int(part * len(values)))]:.0f}" if values else "–"


def row_of(name: str, values: list[float]) -> str:
    """Return a row of the table of durations."""
    figures = " | ".join(part_of(values, part) for part in (0.5, 0.95, 0.99, 1))
    return f"| {name} | {len(values)} | {figures} |"


def main() -> int:
    """Play an evening and print what was measured; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.hall")
    parser.add_argument("--quick", action="store_true")
    for name, default in (("tables", 250), ("rounds", 24), ("seconds", 60), ("walls", 10), ("kills", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.tables, chosen.rounds, chosen.seconds, chosen.kills = 20, 3, 5, 1
    raise_file_limit()
    with tempfile.TemporaryDirectory() as folder:
        instance = Path(folder) / "instance"
        instance.mkdir()
        server = Server(instance, Files(Path(folder)).make(Path(folder)))
        server.start()
        try:
            return _measure(server, chosen)
        finally:
            server.stop()


def _measure(server: Server, chosen: argparse.Namespace) -> int:
    links = set_up(server.app(), chosen.tables, chosen.rounds)
    evening = HallEvening(server, links, chosen.walls)
    kills = {1 + round_ * chosen.rounds // (chosen.kills + 1) for round_ in range(1, chosen.kills + 1)}
    asyncio.run(evening.play(chosen.rounds, chosen.seconds, kills))
    measured, faults = evening.measured, evening.faults()
    print("| | count | p50, ms | p95 | p99 | most |\n| --- | --- | --- | --- | --- | --- |")
    print(row_of("a result is acknowledged", measured.entries))
    print(row_of("a display shows it", measured.delays(after_kills=False)))
    print(row_of("the same, up to 15 seconds after a kill", measured.delays(after_kills=True)))
    print(row_of("a table's phone shows a new round", measured.seated))
    print(f"\n{dict(sorted(measured.statuses.items()))}, sent again {measured.sent_again} times")
    print("\n".join(faults) if faults else "Nothing was lost, doubled or wrong.")
    up, killed = sorted(measured.delays(after_kills=False)), sorted(measured.delays(after_kills=True))
    slow = {
        "p99 of displays": up[int(0.99 * len(up))] > SHOWN_MOSTLY,
        "the slowest display": up[-1] > SHOWN,
        "a display after a kill": any(delay > SHOWN_AFTER_KILL for delay in killed),
    }
    print("".join(f"Too slow: {what}\n" for what, is_so in slow.items() if is_so))
    return 1 if faults or any(slow.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
