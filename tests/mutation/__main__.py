"""Mutation tests: `python -m tests.mutation [module…]`, with `--sample N --seed S` for some of the mutants."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from .mutants import Key, Mutant, file_of, mutants_of
from .running import (
    CAUGHT,
    MEASURE,
    NEEDS_IMPORT,
    SURVIVED,
    TIMEOUT,
    Baseline,
    Collected,
    Fresh,
    Outcome,
    Server,
    Trial,
    import_libraries,
)
from .targets import GROUPS, ROOT, Group, modules_of

SURVIVORS = Path(__file__).with_name("survivors.toml")
MAX_SECONDS = 1.2  # of tests run at first against a mutant; the quickest come first
MAX_FRESH_SECONDS = 4.0  # the same if the package has to be imported again
LAST_SECONDS = 20.0  # of tests run against what has survived these; lines that every page runs have hundreds of them


class Result(NamedTuple):
    mutant: Mutant
    outcome: Outcome
    is_equivalent: bool = False
    is_accepted: bool = False

    @property
    def is_caught(self) -> bool:
        return self.outcome.status in (CAUGHT, TIMEOUT)

    @property
    def is_survivor(self) -> bool:
        return not self.is_caught and not self.is_equivalent

    @property
    def is_new(self) -> bool:
        """Whether it survived and is not listed in survivors.toml."""
        return self.is_survivor and not self.is_accepted


def listed(kind: str) -> dict[Key, str]:
    """Return the listed survivors, each with its reason.

    "equivalent" mutants change nothing observable. "accepted" mutants do, but need not be caught.
    """
    found = tomllib.loads(SURVIVORS.read_text(encoding="utf-8")).get(kind, [])
    return {
        Key(entry["module"], entry["function"], entry["before"], entry["after"]): entry["reason"] for entry in found
    }


class Workers:
    """Processes that try mutants in parallel, with the tests of one group."""

    def __init__(
        self, group: Group, modules: Sequence[str], jobs: int, listed_keys: Collection[Key], *, quick: bool
    ) -> None:
        self.listed_keys, self.quick = listed_keys, quick
        self.fresh = [Server(Fresh()) for _ in range(jobs)]
        self.collected = [Server(Collected(group.tests, modules)) for _ in range(jobs)]
        self.free: SimpleQueue[int] = SimpleQueue()
        for index in range(jobs):
            self.free.put(index)
        self.baseline: Baseline = self.collected[0].ask(MEASURE)
        self.killers: dict[str, Counter[str]] = defaultdict(Counter)
        files = {test.partition("::")[0] for test in self.baseline.seconds}
        self.texts = {file: Path(file).read_text(encoding="utf-8") for file in files}
        self.ranks = _ranks(self.baseline.seconds)
        if self.baseline.failed:
            raise SystemExit(f"tests fail without any mutant: {', '.join(self.baseline.failed)}")

    def stop(self) -> None:
        for server in (*self.fresh, *self.collected):
            server.stop()

    def outcome(self, mutant: Mutant) -> Outcome:
        server = self.free.get()
        try:
            outcome = self._outcome(mutant, server, MAX_SECONDS, MAX_FRESH_SECONDS)
            if outcome.status == SURVIVED and not (self.quick or mutant.key in self.listed_keys):
                outcome = self._outcome(mutant, server, LAST_SECONDS, LAST_SECONDS)
        finally:
            self.free.put(server)
        if outcome.status == CAUGHT and outcome.test:
            self.killers[mutant.module][outcome.test] += 1
            self.killers[""][outcome.test] += 1
        return outcome

    def _outcome(self, mutant: Mutant, server: int, max_seconds: float, max_fresh_seconds: float) -> Outcome:
        outcome = Outcome(NEEDS_IMPORT)
        if mutant.function_lines is not None:
            outcome = self.collected[server].ask(self._trial(mutant, self._nearby_tests(mutant), max_seconds))
        if outcome.status == NEEDS_IMPORT or (outcome.status == SURVIVED and self._runs_on_import(mutant)):
            outcome = self.fresh[server].ask(self._trial(mutant, self._all_tests(mutant), max_fresh_seconds))
        return outcome

    def _runs_on_import(self, mutant: Mutant) -> bool:
        imported = self.baseline.imported.get(str(file_of(mutant.module)), set())
        return bool(imported & set(mutant.function_lines or ()) & set(mutant.statement))

    def _trial(self, mutant: Mutant, tests: Sequence[str], max_seconds: float) -> Trial:
        """Choose tests in order, up to a total duration. Tests that have caught other mutants come first."""
        own, others, seconds = self.killers[mutant.module], self.killers[""], self.baseline.seconds
        chosen: list[str] = []
        total = 0.0
        for test in sorted(tests, key=lambda test: (-own[test], -others[test])):
            if total + seconds[test] <= max_seconds:
                chosen.append(test)
                total += seconds[test]
        return Trial(mutant.module, mutant.source, tuple(chosen), 3 * total + 2)

    def _nearby_tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that run the changed lines, the quickest first.

        If no test runs these lines, return those that run the statement, or else the function.
        """
        covered = self.baseline.covered.get(str(file_of(mutant.module)), {})
        for lines in (mutant.lines, mutant.statement, mutant.function_lines or ()):
            if tests := {test for line in lines for test in covered.get(line, ())}:
                return sorted(tests, key=lambda test: (self.baseline.seconds[test], test))
        return []

    def _all_tests(self, mutant: Mutant) -> list[str]:
        """Return all tests: files that name the module or its game first, in turn the quickest of each."""
        game = mutant.key.module.partition(".")[2].partition(".")[0].replace("_", "-")
        names = (mutant.module, f'"{game}"')
        file_ranks = {file: -sum(name in text for name in names) for file, text in self.texts.items()}
        return sorted(self.ranks, key=lambda test: (file_ranks[test.partition("::")[0]], self.ranks[test]))


def _ranks(seconds: Mapping[str, float]) -> dict[str, int]:
    """Return each test's rank in its file, 0 for the quickest."""
    counts: Counter[str] = Counter()
    ranks = {}
    for test in sorted(seconds, key=lambda test: (seconds[test], test)):
        file = test.partition("::")[0]
        ranks[test] = counts[file]
        counts[file] += 1
    return ranks


def try_all(groups: Sequence[tuple[Group, list[Mutant]]], jobs: int, *, quick: bool) -> Iterator[Result]:
    equivalent, accepted = listed("equivalent"), listed("accepted")
    for group, mutants in groups:
        modules = dict.fromkeys(mutant.module for mutant in mutants)
        workers = Workers(group, list(modules), jobs, equivalent.keys() | accepted.keys(), quick=quick)
        print(
            f"{group.name}: {len(mutants)} mutants, {len(workers.baseline.seconds)} tests", file=sys.stderr, flush=True
        )
        try:
            with ThreadPoolExecutor(jobs) as pool:
                for mutant, outcome in zip(mutants, pool.map(workers.outcome, mutants), strict=True):
                    yield Result(mutant, outcome, mutant.key in equivalent, mutant.key in accepted)
        finally:
            workers.stop()


def chosen_mutants(prefixes: Sequence[str], sample: int | None, seed: int) -> list[tuple[Group, list[Mutant]]]:
    wanted = tuple(f"scorekeeper.{prefix.removeprefix('scorekeeper.')}" for prefix in prefixes)
    groups = [(group, [m for m in modules_of(group) if not wanted or _is_within(m, wanted)]) for group in GROUPS]
    found = [(group, [mutant for module in modules for mutant in mutants_of(module)]) for group, modules in groups]
    if sample is not None:
        every = [mutant for _, mutants in found for mutant in mutants]
        sampled = set(map(id, random.Random(seed).sample(every, min(sample, len(every)))))  # noqa: S311  # no secret
        found = [(group, [mutant for mutant in mutants if id(mutant) in sampled]) for group, mutants in found]
    return [(group, mutants) for group, mutants in found if mutants]


def _is_within(module: str, wanted: tuple[str, ...]) -> bool:
    return any(module == prefix or module.startswith(f"{prefix}.") for prefix in wanted)


def report(results: Sequence[Result], show: Callable[[str], None]) -> None:
    show(f"{'module':32} {'mutants':>8} {'caught':>8} {'survived':>9} {'equivalent':>11} {'score':>8}")
    by_module: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        by_module[result.mutant.key.module].append(result)
    for module, found in by_module.items():
        show(_line(module, found))
    show(_line("all", results))
    for result in results:
        if result.is_new:
            key = result.mutant.key
            show(f"\n{key.module}:{result.mutant.lines.start} {key.function}\n  - {key.before}\n  + {key.after}")


def _line(name: str, found: Sequence[Result]) -> str:
    caught = sum(result.is_caught for result in found)
    survived = sum(result.is_survivor for result in found)
    equivalent = len(found) - caught - survived
    score = f"{100 * caught / (caught + survived):.1f} %" if caught + survived else "–"
    return f"{name:32} {len(found):8} {caught:8} {survived:9} {equivalent:11} {score:>8}"


def stale(results: Sequence[Result]) -> list[Key]:
    """Return the listed keys of the tried modules that no longer exist or are caught."""
    modules = {result.mutant.module for result in results}
    existing = {mutant.key for module in modules for mutant in mutants_of(module)}
    caught = {result.mutant.key for result in results if result.is_caught}
    current = existing - caught | {result.mutant.key for result in results if not result.is_caught}
    tried = {result.mutant.key.module for result in results}
    return [key for key in (*listed("equivalent"), *listed("accepted")) if key.module in tried and key not in current]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("modules", nargs="*", help="below scorekeeper: scoring, games.whist.rules; all without any")
    parser.add_argument("--sample", type=int, metavar="N", help="so many mutants only")
    parser.add_argument("--seed", type=lambda text: int(text, 0), default=0, metavar="S", help="which ones")
    parser.add_argument("--minimum", type=int, metavar="P", help="fail where less than P percent are caught, only then")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="how many at once")
    parser.add_argument("--quick", action="store_true", help="survivors of the quickest tests are not tried with more")
    parser.add_argument("--json", type=Path, metavar="FILE", help="every result, a line each")
    options = parser.parse_args()
    os.chdir(ROOT)
    import_libraries()
    groups = chosen_mutants(options.modules, options.sample, options.seed)
    results = []
    for result in try_all(groups, options.jobs, quick=options.quick):
        results.append(result)
        if options.json:
            with options.json.open("a", encoding="utf-8") as file:
                facts = {"line": result.mutant.lines.start, **result.mutant.key._asdict()}
                file.write(json.dumps(facts | result.outcome._asdict() | {"equivalent": result.is_equivalent}) + "\n")
    report(results, print)
    outdated = stale(results)
    for key in outdated:
        print(f"\nlisted in {SURVIVORS.name}, and no survivor: {key}")
    if options.minimum is not None:
        counted = [result for result in results if result.is_caught or result.is_survivor]
        return int(sum(result.is_caught for result in counted) * 100 < options.minimum * len(counted))
    return 1 if outdated or any(result.is_new for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
