"""Measure the cost of scoring: of a stream of sheets, of one small sheet, of long tables and of settlements.

A fold of 5,000 deals is compared with one of 500, the settlement of 12 players with an exhaustive search. Contestants
take turns, so that a machine that slows down affects all of them. Printed are median and spread.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from scorekeeper import raise_gc_threshold
from scorekeeper.game_checks.playing import offered
from scorekeeper.games import find_folder, games
from scorekeeper.scoring import schema
from scorekeeper.scoring.game import AnyGame, fold
from scorekeeper.scoring.pad_state import build_pad
from scorekeeper.scoring.settlement import settle

from .measuring import Line, print_lines

PLAYERS = ["Anne", "Bruno", "Chloé", "David"]


def a_deal(game: AnyGame, standing: Any, rng: random.Random) -> dict[str, Any]:
    """Return a random deal, entered on the game's pad by offered taps."""
    taps: dict[str, str] = {}
    pad = build_pad(game, standing, taps)
    while pad.unanswered:
        group = pad.unanswered[0]
        taps[group.name] = rng.choice(offered(pad, group)).key
        pad = build_pad(game, standing, taps)
    return pad.facts


def a_sheet(game: AnyGame, deals: int, rng: random.Random) -> dict[str, Any]:
    """Return a sheet with a number of random deals. Targets are so high that the partie does not end."""
    rules = {"target": 10**9} if "target" in game.options.__dataclass_fields__ else {}
    options = replace(game.usual_options, **rules)
    standing = game.open(tuple(PLAYERS), PLAYERS[0], options)
    played: list[dict[str, Any]] = []
    while len(played) < deals:
        deal = a_deal(game, standing, rng)
        if deal.get("contract", {}).get("points") != 12 and fold(game, standing, [deal]) is None:
            played.append(deal)
    sheet = {"format": "scorekeeper-sheet/1", "game": game.slug, "players": PLAYERS}
    return sheet | {"house_rules": schema.dump(options), "deals": played}


def timed(work: Callable[[], object]) -> float:
    """Return the seconds of processor time of this process and its finished children."""
    before = spent()
    work()
    return spent() - before


def spent() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def stream(slugs: list[str], sheets: int, rounds: int, rng: random.Random) -> list[float]:
    """Return the microseconds that the command takes for a deal: a stream of random sheets of 30 deals each."""
    some = [a_sheet(games()[slug], 30, rng) for slug in slugs for _ in range(max(1, min(sheets, 40) // len(slugs)))]
    text = "".join(json.dumps(rng.choice(some)) + "\n" for _ in range(sheets)).encode()
    return [1_000_000 * timed(lambda: run_score("-", stdin=text)) / (30 * sheets) for _ in range(rounds)]


def start_up(rounds: int, *options: str) -> list[float]:
    """Return the milliseconds that scoring one small sheet takes. Everything is compiled before."""
    sheet = str(find_folder(games()[min(games())]) / "example.json")
    run_score(*options, sheet)
    return [1_000 * timed(lambda: run_score(*options, sheet)) for _ in range(rounds)]


def run_score(*arguments: str, stdin: bytes = b"") -> None:
    command = [sys.executable, "-m", "scorekeeper", "score", *arguments]
    subprocess.run(command, input=stdin, stdout=subprocess.DEVNULL, check=True)  # noqa: S603  # our own command


def folds(game: AnyGame, rounds: int, rng: random.Random, few: int, many: int) -> list[float]:
    sheet = a_sheet(game, 60, rng)
    rules = game.options(**sheet["house_rules"])

    def replay(deals: int) -> Callable[[], object]:
        repeated = (sheet["deals"] * (deals // 60 + 1))[:deals]
        return lambda: fold(game, game.open(tuple(PLAYERS), PLAYERS[0], rules), repeated)

    return [timed(replay(many)) / timed(replay(few)) for _ in range(rounds)]


def settled(
    players: int, times: int, settle_them: Callable[[dict[str, int]], object], rng: random.Random
) -> list[float]:
    """Return the milliseconds to settle random balances, different ones each time."""
    some = [{f"p{n}": rng.randint(-400, 400) for n in range(players - 1)} for _ in range(times)]
    return [1000 * timed(partial(settle_them, balances | {"last": -sum(balances.values())})) for balances in some]


def plain_subsets(balances: dict[str, int]) -> int:
    """Return the fewest payments that settle the balances, by trying every subset of the players."""
    amounts = [amount for amount in balances.values() if amount]
    whole = 1 << len(amounts)
    sums, groups = [0] * whole, [0] * whole
    for subset in range(1, whole):
        least = subset & -subset
        sums[subset] = sums[subset ^ least] + amounts[least.bit_length() - 1]
        # The maximum number of groups that settle among themselves, leaving out each player in turn.
        best = max(groups[subset ^ (1 << n)] for n in range(len(amounts)) if subset >> n & 1)
        groups[subset] = best + (sums[subset] == 0)
    return len(amounts) - groups[-1]


def lines(quick: bool) -> Iterator[Line]:
    raise_gc_threshold()  # as the command and the app do
    rng = random.Random(1765)  # noqa: S311  # the same sheets every time
    sheets, rounds, few, many = (2, 1, 20, 200) if quick else (2_000, 5, 500, 5_000)
    said = "a deal in a stream of sheets by the command"
    yield Line(said, stream(sorted(games()), sheets, rounds, rng), " µs", 50)
    for slug in sorted(games()):
        yield Line(f"the same, all sheets of {slug}", stream([slug], sheets, rounds, rng), " µs", 50)
    yield Line("score one small sheet as JSON", start_up(4 * rounds, "--json"), " ms", 500)
    yield Line("the same as text", start_up(4 * rounds), " ms")
    for slug, game in sorted(games().items()):
        yield Line(
            f"a fold of {many} deals of {slug}, beside one of {few}", folds(game, rounds, rng, few, many), " ×", 11
        )
    yield Line("the exact settlement of 12 players", settled(12, rounds * 4, settle, rng), " ms", 5)
    yield Line("the same by a plain subset method", settled(12, rounds * 4, plain_subsets, rng), " ms")


def main(quick: bool) -> bool:
    return print_lines("in one run", list(lines(quick)), judged=not quick)
