"""Play evenings.

python -m tests.world 17                     # replay the evening of a seed, and print what happened
python -m tests.world --seeds 1000           # play many, and print those that fail
python -m tests.world --bugs --seeds 100     # plant each bug, and count the seeds that find it
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from ..databases import ON_POSTGRESQL, Files, running_cluster
from .bugs import BUGS
from .evening import Evening
from .servers import Hall, opened_hall


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.world", description="Play evenings.")
    parser.add_argument("seed", type=int, nargs="?", help="replay this evening, and print its trace")
    parser.add_argument("--seeds", type=int, default=0, help="play this many evenings")
    parser.add_argument("--first", type=int, default=0, help="the first seed of many")
    parser.add_argument("--bugs", action="store_true", help="plant each bug, and count the seeds that find it")
    arguments = parser.parse_args()
    with _hall() as hall:
        if arguments.seed is not None:
            return _replay(hall, arguments.seed)
        seeds = range(arguments.first, arguments.first + arguments.seeds)
        return _plant(hall, seeds) if arguments.bugs else _play_many(hall, seeds)


@contextmanager
def _hall() -> Iterator[Hall]:
    with (
        TemporaryDirectory() as name,
        running_cluster() if ON_POSTGRESQL else nullcontext(Files(Path(name))) as databases,
        opened_hall(databases, Path(name) / "servers") as hall,
    ):
        yield hall


def _replay(hall: Hall, seed: int) -> int:
    evening = Evening(seed, hall)
    evening.play()
    print("\n".join(evening.trace))
    print(f"seed {seed}: {len(evening.writes)} writes, {len(evening.faults)} faults")
    return bool(evening.faults)


def _play_many(hall: Hall, seeds: range) -> int:
    failed, writes, began = 0, 0, process_time()
    for seed in seeds:
        evening = Evening(seed, hall)
        evening.play()
        writes += len(evening.writes)
        if evening.faults:
            failed += 1
            print(f"seed {seed}: {evening.faults[0]}", flush=True)
        if not (seed + 1) % 25:
            print(f"played up to seed {seed}", flush=True)
    took = (process_time() - began) / len(seeds)
    print(f"{len(seeds)} evenings, {writes} writes, {failed} with faults; {took:.1f} s of processor each")
    return bool(failed)


def _plant(hall: Hall, seeds: range) -> int:
    """Print how many seeds find each bug, and the first that does."""
    unfound = 0
    for bug in BUGS:
        found = {}
        with bug.planted():
            for seed in seeds:
                evening = Evening(seed, hall)
                evening.play()
                if evening.faults:
                    found[seed] = evening.faults[0]
        unfound += not found
        first, fault = next(iter(found.items()), ("none", ""))
        print(f"{bug.title}: found by {len(found)} of {len(seeds)} seeds, first {first}: {fault[:200]}", flush=True)
    return bool(unfound)


if __name__ == "__main__":
    sys.exit(main())
