"""An independent computation of statistics, from the statements of score sheets. Players are identified by name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import permutations
from typing import Any

from scorekeeper.games import games
from scorekeeper.scoring.statement import score

SIDES = {"ns": slice(0, None, 2), "ew": slice(1, None, 2)}
FICHE = 9  # jetons


class Reckoning:
    """Every counter is by game and name; `contests` tells of each in order whether it was won."""

    def __init__(self) -> None:
        self.tables: Counter[tuple[str, str]] = Counter()
        self.deals: Counter[tuple[str, str]] = Counter()
        self.net: Counter[tuple[str, str, str]] = Counter()
        self.money: defaultdict[tuple[str, str], Fraction] = defaultdict(Fraction)
        self.counters: Counter[tuple[str, str]] = Counter()  # where no money was played for, in the settling unit
        self.ended: Counter[tuple[str, str, str]] = Counter()
        self.won: Counter[tuple[str, str, str]] = Counter()
        self.with_whom: defaultdict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
        self.against: defaultdict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
        self.contests: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
        self.evenings: defaultdict[str, set[str]] = defaultdict(set)

    def take(self, sheet: Mapping[str, Any], day: str, called: Callable[[str], str] = str) -> None:
        """Add a sheet; tables are taken in order of evening and opening. `called` gives a player's name of today."""
        told = score(sheet, games())
        assert isinstance(told, dict), told
        slug, sitting = sheet["game"], [called(name) for name in sheet["players"]]
        sides = {side: sitting[seats] for side, seats in SIDES.items()} if "ns" in told["scores"] else {}
        ended = {kind: [_who(winner, sides, called) for winner in parties] for kind, parties in winners(told).items()}
        contests = ended.get("robre", ended.get("manche", ended.get("partie", [])))
        deals = sum("misdeal" not in deal and "adjustment" not in deal for deal in sheet["deals"])
        for name, who in zip(sheet["players"], sitting, strict=True):
            self.tables[slug, who] += 1
            self.deals[slug, who] += deals
            self.evenings[who].add(day)
            for kind, won in ended.items():
                self.ended[slug, who, kind] += len(won)
                self.won[slug, who, kind] += sum(who in names for names in won)
            self.contests[slug, who] += [who in names for names in contests]
            self._take_balance(sheet, who, told["balances"][name])
        for one, other in permutations(sitting, 2):
            self._meet(slug, one, other, contests, any({one, other} <= set(side) for side in sides.values()))

    def _take_balance(self, sheet: Mapping[str, Any], who: str, balance: Mapping[str, int]) -> None:
        slug, value = sheet["game"], sheet.get("value")
        for unit, amount in balance.items():
            self.net[slug, who, unit] += amount
        jetons = "jetons" in balance
        counted = balance["jetons"] + FICHE * balance["fiches"] if jetons else balance["fiches"]
        if value is None:
            self.counters[slug, who] += counted
        else:
            of_a_fiche = jetons and value["unit"] == "fiche"
            self.money[value["currency"], who] += Fraction(value["amount"]) * counted / (FICHE if of_a_fiche else 1)

    def _meet(self, slug: str, one: str, other: str, contests: list[list[str]], as_partners: bool) -> None:
        by_one, by_other = sum(one in names for names in contests), sum(other in names for names in contests)
        met = (self.with_whom if as_partners else self.against)[slug, one, other]
        lost = len(contests) - by_one if as_partners else by_other
        met[:] = [met[0] + 1, met[1] + by_one, met[2] + lost]


def winners(told: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the winners of all manches, robres and parties by kind."""
    if "manches" not in told:
        return {"partie": [told["winner"]] if told["winner"] else []}
    kinds = {kind: told[f"{kind}s"] for kind in ("manche", "robre") if f"{kind}s" in told}
    return {kind: [one["winner"] for one in ended] for kind, ended in kinds.items()}


def _who(winner: str, sides: Mapping[str, list[str]], called: Callable[[str], str]) -> list[str]:
    return sides[winner] if winner in sides else [called(winner)]


def longest(won: list[bool]) -> int:
    """Return the length of the longest winning streak."""
    runs = "".join("x" if is_won else " " for is_won in won).split()
    return max(map(len, runs), default=0)


def last(won: list[bool]) -> int:
    """Return the length of the winning streak at the end."""
    return next((count for count, is_won in enumerate(reversed(won)) if not is_won), len(won))
