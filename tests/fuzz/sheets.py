"""Read randomly corrupted sheets: the result must be a statement or a located error, within limits of time and memory.

The suite reads some thousands. `python -m tests.fuzz.sheets 1000000` reads any number, and prints figures at the end.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from types import FrameType
from typing import Any

from scorekeeper.db.clock import now
from scorekeeper.exchange.archives import MAX_SHEET_BYTES
from scorekeeper.exchange.json_documents import read
from scorekeeper.exchange.sheets import ImportedSheet, read_sheet
from scorekeeper.game_checks.playing import PseudoRandom, random_sheet
from scorekeeper.games import games
from scorekeeper.i18n import LANGUAGES, problem_text
from scorekeeper.models import Player
from scorekeeper.scoring.problems import Problem, Refusal
from scorekeeper.scoring.statement import score
from scorekeeper.services.files.imports import build_table
from scorekeeper.stats.table import fingerprint, summarise
from scorekeeper.tables.revisions import first_rows
from scorekeeper.tables.state import TableState

from ..cases import all_cases
from ..strategies import NAMES

SEED = 1765
MAX_CPU_SECONDS = 5  # seconds of processor time for a sheet
MAX_GROWTH_KB = 300_000  # kilobytes by which the process may grow in total

HOSTILE_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 13, 14, 10**9, 10**9 + 1, 2**63, -(2**64), 10**4000, 0.5, 1e308),
    *("", " ", "ns", "ew", "Anne", "0", "-1", "1e9", "\0", "\u202e", "é" * 5_000, "𝄞"),
    *("\ud800", "{x}", "%s", "2026-02-30"),
    *([], {}, [[]], [None] * 50, {"": ""}, {"ns": 13}, {"ns": 7, "ew": 6}, {"misdeal": True}, ["Anne", "Anne"]),
)
HOSTILE_BYTES = (
    *(b"\xff", b"\0", b"//", b"'", b"0x1", b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\\ud800"),
    *(b"\xef\xbb\xbf", b"NaN", b"-Infinity", b"1e999", b"9" * 5_000, b"[" * 5_000, b'{"a":' * 3_000),
    *(b'"deals":[],', b"\xed\xa0\x80", b"\xe2\x80\xae"),
)

Corruption = Callable[[Random, Any], Any]


@dataclass
class Found:
    """The results. `slowest` is in seconds of processor time."""

    spoiled: int = 0
    statements: int = 0
    slowest: float = 0.0
    errors: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        refused = sum(self.errors.values())
        return (
            f"{self.spoiled:,} sheets spoiled: {self.statements:,} statements, {refused:,} located errors of "
            f"{len(self.errors)} kinds, 0 tracebacks; the slowest took {self.slowest:.2f} s"
        )


# --- spoiling ------------------------------------------------------------------------------------------------


def whole_sheets(rng: Random) -> list[bytes]:
    """Return the hand-worked sheets, and some random ones of each game, short and long."""
    sheets = [case["sheet"] for case in all_cases().values()]
    for game in games().values():
        for deals in (3, 8, 8, 20, 60):
            players = NAMES[: rng.choice(game.player_counts)]
            sheets.append(random_sheet(game, PseudoRandom(rng.randrange(2**32)), players, players[0], deals))
    return [json.dumps(sheet).encode() for sheet in sheets]


def spoiled(rng: Random, sheets: list[bytes]) -> bytes:
    text = rng.choice(sheets)
    if rng.random() < 0.75:
        sheet = json.loads(text)
        for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
            sheet = rng.choice(CORRUPTIONS)(rng, sheet)
        text = json.dumps(sheet, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    if rng.random() < 0.3:
        text = _corrupt_bytes(rng, text)
    return text[:MAX_SHEET_BYTES]


def _positions(node: Any) -> list[tuple[Any, Any]]:
    """Return each value's position in a document: its container, and its key or index."""
    found: list[tuple[Any, Any]] = []
    waiting = [node]
    while waiting:
        holder = waiting.pop()
        items = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, value in items:
            found.append((holder, key))
            if isinstance(value, dict | list):
                waiting.append(value)
    return found


def _random_position(rng: Random, sheet: Any) -> tuple[Any, Any]:
    found = _positions(sheet) if isinstance(sheet, dict | list) else []
    return rng.choice(found) if found else ([sheet], 0)


def _replace(rng: Random, sheet: Any) -> Any:
    holder, key = _random_position(rng, sheet)
    holder[key] = deepcopy(rng.choice(HOSTILE_VALUES))
    return sheet


def _nudge(rng: Random, sheet: Any) -> Any:
    """Change a number a little. The sheet often remains valid."""
    numbers = [position for position in _positions(sheet) if type(position[0][position[1]]) is int] if sheet else []
    if numbers:
        holder, key = rng.choice(numbers)
        holder[key] += rng.choice((-2, -1, 1, 2, 10))
    return sheet


def _swap(rng: Random, sheet: Any) -> Any:
    (holder, key), (other, its) = _random_position(rng, sheet), _random_position(rng, sheet)
    value, other_value = deepcopy(holder[key]), deepcopy(other[its])
    holder[key] = other_value
    other[its] = value
    return sheet


def _remove(rng: Random, sheet: Any) -> Any:
    holder, key = _random_position(rng, sheet)
    del holder[key]
    return sheet


def _duplicate(rng: Random, sheet: Any) -> Any:
    holder, key = _random_position(rng, sheet)
    if isinstance(holder, list):
        holder[key:key] = [deepcopy(holder[key])] * rng.choice((1, 1, 2, 2, 5, 50))
    else:
        holder[f"{key}{rng.choice(('_', 'é'))}"] = deepcopy(holder[key])
    return sheet


def _shuffle(rng: Random, sheet: Any) -> Any:
    lists = [holder[key] for holder, key in _positions(sheet) if isinstance(holder[key], list)] if sheet else []
    if lists:
        rng.shuffle(rng.choice(lists))
    return sheet


def _nest(rng: Random, sheet: Any) -> Any:
    holder, key = _random_position(rng, sheet)
    for _ in range(rng.choice((1, 2, 2, 60))):
        holder[key] = [holder[key]] if rng.random() < 0.5 else {"deals": holder[key]}
    return sheet


CORRUPTIONS: tuple[Corruption, ...] = (
    _replace,
    _replace,
    _nudge,
    _nudge,
    _nudge,
    _swap,
    _remove,
    _duplicate,
    _shuffle,
    _nest,
)


def _corrupt_bytes(rng: Random, text: bytes) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 4))):
        start = rng.randrange(len(text) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            text = text[:start]
        elif kind == 1:
            text = text[:start] + text[start + rng.choice((1, 1, 5, 40)) :]
        elif kind == 2:
            text = text[:start] + bytes([rng.randrange(256)]) + text[start + 1 :]
        elif kind == 3:
            text = text[:start] + rng.choice(HOSTILE_BYTES) + text[start:]
        else:
            text = text[:start] + text[start // 2 : start // 2 + 60] + text[start:]
    return text if rng.random() < 0.98 else text.decode("utf-8", "replace").encode("utf-16")


# --- reading -------------------------------------------------------------------------------------------------


def read_one(text: bytes, found: Found) -> None:
    """Read a text as the command and as the import do. Raises AssertionError if a result is not as it should be."""
    raw = read(text)
    result = raw if isinstance(raw, Refusal) else score(raw, games())
    incoming = read_sheet(text)
    if isinstance(result, Refusal):
        assert isinstance(incoming, Refusal), "what the command refuses is not recorded either"
        found.errors[_checked(result).key] += 1
    else:
        _check_statement(result)
        found.statements += 1
    if isinstance(incoming, ImportedSheet):
        row, changes = build_table(incoming, [Player(name=name) for name in incoming.names])
        table = TableState(row, first_rows(changes, 0, now(), ""))
        json.dumps(summarise(table))
        assert len(fingerprint(table)) == 64
    else:
        _checked(incoming)


def _checked(refusal: Refusal) -> Problem:
    """Return the first problem. It must be located and have a message in each language."""
    problem = refusal.first
    assert problem.field or problem.key == "unknown-key"  # the key may be ""
    assert refusal.deal is None or refusal.deal > 0
    for language in LANGUAGES:
        assert problem_text(problem, language, names=str) != f"problem.{problem.key}", "every problem has a message"
    return problem


def _check_statement(statement: dict[str, Any]) -> None:
    json.dumps(statement)
    for unit in next(iter(statement["balances"].values())):
        assert sum(balance[unit] for balance in statement["balances"].values()) == 0, "every unit sums to zero"


class TooLongError(Exception):
    pass


def _too_long(_signal: int, _frame: FrameType | None) -> None:
    raise TooLongError


def run(number: int, seed: int = SEED) -> Found:
    """Read a number of corrupted sheets. Raises at the first unexpected result, after printing the sheet."""
    rng = Random(seed)  # noqa: S311  # nothing secret
    sheets = whole_sheets(rng)
    found = Found()
    signal.signal(signal.SIGVTALRM, _too_long)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(number):
        text = spoiled(rng, sheets)
        before = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, MAX_CPU_SECONDS)
        try:
            read_one(text, found)
        except BaseException:
            sys.stderr.write(f"sheet {found.spoiled} of seed {seed}: {text[:3000]!r}\n")
            raise
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        found.slowest = max(found.slowest, time.process_time() - before)
        found.spoiled += 1
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - grown
    assert grown < MAX_GROWTH_KB, f"the process grew by {grown:,} kB"
    return found


if __name__ == "__main__":
    print(run(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000, int(sys.argv[2]) if len(sys.argv) > 2 else SEED))
