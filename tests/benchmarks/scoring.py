"""What scoring costs, as ratios measured side by side in one run: `python -m tests.benchmarks.scoring [--quick]`.

A stream of sheets against reading and writing the same JSON (the sheets in, the statements out) with the standard
library; a fold of 5,000 deals against one of 500; the exact settlement of 12 players. Contestants take turns, so
that a machine that slows down slows all of them; what is printed is the median and the spread of the ratios.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from scorekeeper.games import games
from scorekeeper.scoring.game import Game, fold
from scorekeeper.scoring.layout import lay_out
from scorekeeper.scoring.settlement import settle
from scorekeeper.scoring.statement import score

PLAIN = """
import json, sys
with open(sys.argv[1]) as statements:
    for line, statement in zip(sys.stdin.buffer, statements):
        json.loads(line)
        sys.stdout.write(json.dumps(STATEMENTS.pop()) + "\\n")
"""
PLAIN = PLAIN.replace("import json, sys\n", "import json, sys\nSTATEMENTS = json.load(open(sys.argv[2]))[::-1]\n")
PLAYERS = ["Anne", "Bruno", "Chloé", "David"]


def a_deal(game: Game, standing: Any, rng: random.Random) -> dict[str, Any]:
    """A deal told on the game's pad, each tap a random one of those that are offered."""
    taps: dict[str, str] = {}
    pad = lay_out(game, standing, taps)
    while pad.unanswered:
        group = pad.unanswered[0]
        offered = [c.key for c in group.choices if (group.name, c.key) not in pad.never | pad.withheld]
        taps[group.name] = rng.choice(offered)
        pad = lay_out(game, standing, taps)
    return pad.facts


def a_sheet(game: Game, deals: int, rng: random.Random) -> dict[str, Any]:
    """A sheet of so many deals; what can end is set so far off that it does not."""
    rules = {"target": 10**9} if "target" in game.options.__dataclass_fields__ else {}
    standing = game.open(tuple(PLAYERS), PLAYERS[0], game.options(**rules))
    told: list[dict[str, Any]] = []
    while len(told) < deals:
        deal = a_deal(game, standing, rng)
        if deal.get("contract", {}).get("points") != 12 and fold(game, standing, [deal]) is None:
            told.append(deal)
    sheet = {"format": "scorekeeper-sheet/1", "game": game.slug, "players": PLAYERS}
    return sheet | {"house_rules": rules, "deals": told}


def timed(work: Callable[[], object]) -> float:
    """Seconds of processor time, this process's and its finished children's: other work on the machine is left out."""
    before = spent()
    work()
    return spent() - before


def spent() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def told(name: str, ratios: list[float]) -> None:
    print(f"{name:44} {median(ratios):6.2f}  ({min(ratios):.2f} to {max(ratios):.2f})")


def stream(slugs: list[str], sheets: int, rounds: int, rng: random.Random) -> list[float]:
    """The command on a stream of sheets of 30 deals, as a multiple of plain JSON in and out, whole processes both."""
    some = [a_sheet(games()[slug], 30, rng) for slug in slugs for _ in range(max(1, 40 // len(slugs)))]
    lines = [json.dumps(rng.choice(some)) for _ in range(sheets)]
    with tempfile.TemporaryDirectory() as folder:
        source, statements = Path(folder, "sheets.jsonl"), Path(folder, "statements.json")
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        statements.write_text(json.dumps([score(json.loads(line), games()) for line in lines]), encoding="utf-8")

        def run(*command: str) -> Callable[[], object]:
            return lambda: subprocess.run(  # noqa: S603  # our own command
                [sys.executable, *command], stdin=source.open(), stdout=subprocess.DEVNULL, check=True
            )

        bare = run("-c", "")
        ours = run("-m", "scorekeeper", "score", "--json", "-")
        plain = run("-c", PLAIN, str(source), str(statements))
        loading = run("-c", "import json, sys; json.load(open(sys.argv[1]))", str(statements))
        # What the plain contestant needs to have the statements at hand is not part of reading and writing.
        return [timed(ours) / (timed(plain) - timed(loading) + timed(bare)) for _ in range(rounds)]


def folds(game: Game, rounds: int, rng: random.Random, few: int, many: int) -> list[float]:
    sheet = a_sheet(game, 60, rng)
    rules = game.options(**sheet["house_rules"])

    def replay(deals: int) -> Callable[[], object]:
        told_deals = (sheet["deals"] * (deals // 60 + 1))[:deals]
        return lambda: fold(game, game.open(tuple(PLAYERS), PLAYERS[0], rules), told_deals)

    return [timed(replay(many)) / timed(replay(few)) for _ in range(rounds)]


def main(quick: bool) -> None:
    rng = random.Random(1765)  # noqa: S311  # the same sheets every time
    sheets, rounds, few, many = (50, 1, 50, 500) if quick else (2_000, 5, 500, 5_000)
    print("A stream of sheets, as a multiple of reading and writing the same JSON")
    told("every game", stream(sorted(games()), sheets, rounds, rng))
    for slug in sorted(games()):
        told(slug, stream([slug], sheets, rounds, rng))
    print(f"A fold of {many} deals, as a multiple of one of {few}")
    for slug, game in sorted(games().items()):
        told(slug, folds(game, rounds, rng, few, many))
    print("The exact settlement of 12 players, in milliseconds")
    balances = [{f"p{n}": rng.randint(-400, 400) for n in range(11)} for _ in range(rounds * 4)]
    told("", [1000 * timed(lambda b=b: settle(b | {"p11": -sum(b.values())})) for b in balances])


if __name__ == "__main__":
    main("--quick" in sys.argv)
