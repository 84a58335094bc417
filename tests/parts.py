"""All checks, part by part: `python -m tests.parts`. It goes on after a failure, and names at the end what failed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import Thread
from types import MappingProxyType
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
FAILURES = ("FAILED ", "ERROR ")  # how pytest's summary begins each line
NO_SETTINGS: Mapping[str, str] = MappingProxyType({})


class Part(NamedTuple):
    """A command, and how long it usually takes in CI, on two cores that do nothing but these parts.

    `make test-all` tries more tests than CI, and takes longer. A part `beside` runs at the same time as those after it:
    it waits a lot, for downloads and servers.
    """

    name: str
    seconds: int
    command: tuple[str, ...]
    settings: Mapping[str, str] = NO_SETTINGS
    beside: bool = False


def _python(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", *arguments)


def _mutants(sample: int, minimum: int, *modules: str) -> tuple[str, ...]:
    chosen = ("--sample", str(sample), "--minimum", str(minimum), "--seed", "1765", "--jobs", "1")
    return _python("tests.mutation", *modules, *chosen)


PARTS = (
    # A bare machine has none of the programs that CI needs.
    Part("bare machines", 550, ("env", "-u", "CI", "python3", "-m", "tests.fresh"), beside=True),
    Part("lint", 50, ("make", "lint")),
    Part("mutants of services", 120, _mutants(3, 66, "services.access", "services.money"), beside=True),
    Part("mutants of scoring and games", 150, _mutants(5, 80, "scoring", "games")),
    Part("every day's tests", 800, _python("tests.branches", "-m", "not apart"), {"DATABASE": "sqlite"}),
    Part("the other tests on SQLite", 240, _python("pytest", "-m", "apart"), {"DATABASE": "sqlite"}),
    Part("tests on PostgreSQL", 170, _python("pytest"), {"DATABASE": "postgresql"}),
)


def main(parts: Iterable[Part] = PARTS) -> int:
    running = []
    failed, grown = dict[str, list[str]](), list[str]()
    with tempfile.TemporaryDirectory() as statements:  # tests/repeats.py says what for
        for part in parts:
            run = _Running(part, {"STATEMENTS": statements} if "DATABASE" in part.settings else NO_SETTINGS)
            if part.beside:
                running.append(run)
            else:
                run.report(failed, grown)
        for run in running:
            run.report(failed, grown)
    if grown:
        print(f"Took at least a third longer than usual: {', '.join(grown)}.", flush=True)
    if failed:
        # Named once more: the output of parts beside may stand between, and a log may be cut.
        failures = "".join(line for lines in failed.values() for line in lines)
        print(f"Not passed: {', '.join(failed)}. See above.\n{failures}", end="", file=sys.stderr, flush=True)
    return 1 if failed else 0


class _Running:
    """A part that was started. Its output is printed at its end if others run at the same time."""

    def __init__(self, part: Part, settings: Mapping[str, str]) -> None:
        self.part, self.started, self.seconds = part, time.monotonic(), 0
        self.kept, self.failures = list[str](), list[str]()
        print(f"--- {part.name}", flush=True)
        self.process = subprocess.Popen(  # noqa: S603  # our own commands
            part.command,
            cwd=ROOT,
            env={**os.environ, **part.settings, **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        self.reading = Thread(target=self._read)
        self.reading.start()

    def _read(self) -> None:
        """Print or keep each line, and note when the process ends: a part that runs beside others is reported later."""
        with self.process as process:
            for line in process.stdout or ():
                if self.part.beside:
                    self.kept.append(line)
                else:
                    print(line, end="", flush=True)
                if line.startswith(FAILURES):
                    self.failures.append(line)
        self.seconds = round(time.monotonic() - self.started)

    def report(self, failed: dict[str, list[str]], grown: list[str]) -> None:
        """Wait for the end; print what was kept and how long the part took."""
        self.reading.join()
        name, usual, took = self.part.name, self.part.seconds, self.seconds
        if self.process.returncode:
            failed[name] = self.failures
        print(*self.kept, sep="", end="")
        print(f"--- {name}: {took} s, usually {usual}", flush=True)
        if 3 * took >= 4 * usual:
            grown.append(f"{name} ({took} s instead of {usual})")


if __name__ == "__main__":
    sys.exit(main())
