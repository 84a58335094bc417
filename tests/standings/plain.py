"""An independent computation of statistics, from the statements of score sheets. Players are identified by numbers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import permutations
from typing import Any

from scorekeeper.games import games, make_game_key
from scorekeeper.scoring.sheet import score

SIDES = {"ns": slice(0, None, 2), "ew": slice(1, None, 2)}
FICHE = 9  # jetons


class PlainStatistics:
    """Counters by game, a described one with its name, and by player.

    Attributes:
        net: balances in counters, by game, name and unit.
        money: balances at tables with stakes in money, by currency and name.
        counters: balances at tables without, by game’s key and name, in the unit it is settled in.
        ended, won: manches, robres and parties played and won, by game, name and kind.
        partners, opponents: by game and two names: tables, contests won, contests lost (or won by the opponent).
        contests: for each contest in order, whether it was won.
        evenings: the days on which a player played.
    """

    def __init__(self) -> None:
        self.tables: Counter[tuple[str, int]] = Counter()
        self.deals: Counter[tuple[str, int]] = Counter()
        self.net: Counter[tuple[str, int, str]] = Counter()
        self.money: defaultdict[tuple[str, int], Fraction] = defaultdict(Fraction)
        self.counters: Counter[tuple[str, int]] = Counter()
        self.ended: Counter[tuple[str, int, str]] = Counter()
        self.won: Counter[tuple[str, int, str]] = Counter()
        self.partners: defaultdict[tuple[str, int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
        self.opponents: defaultdict[tuple[str, int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
        self.contests: defaultdict[tuple[str, int], list[bool]] = defaultdict(list)
        self.evenings: defaultdict[int, set[str]] = defaultdict(set)

    def add_sheet(self, sheet: Mapping[str, Any], day: str, number_of: Callable[[str], int]) -> None:
        """Add a sheet. Sheets are added by evening, then by opening time. `number_of` maps names to players."""
        statement = score(sheet, games())
        assert isinstance(statement, dict), statement
        slug, players = key_of(sheet), [number_of(name) for name in sheet["players"]]
        sides = {side: players[seats] for side, seats in SIDES.items()} if "ns" in statement["scores"] else {}
        ended = {
            kind: [[player for winner in each for player in _players_of(winner, sides, number_of)] for each in ends]
            for kind, ends in winners(statement).items()
        }
        contests = ended.get("robre", ended.get("manche", ended.get("partie", [])))
        deals = sum("misdeal" not in deal and "adjustment" not in deal for deal in sheet["deals"])
        for name, player in zip(sheet["players"], players, strict=True):
            self.tables[slug, player] += 1
            self.deals[slug, player] += deals
            self.evenings[player].add(day)
            for kind, won in ended.items():
                self.ended[slug, player, kind] += len(won)
                self.won[slug, player, kind] += sum(player in names for names in won)
            self.contests[slug, player] += [player in names for names in contests]
            self._add_balance(sheet, player, statement["balances"][name])
        for player, other in permutations(players, 2):
            are_partners = any({player, other} <= set(side) for side in sides.values())
            self._add_pair(slug, player, other, contests, are_partners)

    def _add_balance(self, sheet: Mapping[str, Any], player: int, balance: Mapping[str, int]) -> None:
        key, value = key_of(sheet), sheet.get("value")
        for unit, amount in balance.items():
            self.net[key, player, unit] += amount
        has_jetons = "jetons" in balance
        counters = balance["jetons"] + FICHE * balance["fiches"] if has_jetons else balance["fiches"]
        if value is None:
            self.counters[key, player] += counters
        else:
            per_value = FICHE if has_jetons and value["unit"] == "fiche" else 1
            self.money[value["currency"], player] += Fraction(value["amount"]) * counters / per_value

    def _add_pair(self, slug: str, player: int, other: int, contests: list[list[int]], are_partners: bool) -> None:
        won, won_by_other = sum(player in names for names in contests), sum(other in names for names in contests)
        counts = (self.partners if are_partners else self.opponents)[slug, player, other]
        lost = len(contests) - won if are_partners else won_by_other
        counts[:] = [counts[0] + 1, counts[1] + won, counts[2] + lost]


def key_of(sheet: Mapping[str, Any]) -> str:
    """Return the game of a sheet, a described one with its name."""
    return make_game_key(games()[sheet["game"]], sheet.get("house_rules", {}))


def winners(statement: Mapping[str, Any]) -> dict[str, list[list[str]]]:
    """Return the winners of each manche, robre and partie by kind: one, or all who share it."""
    if "manches" not in statement:
        won = statement.get("winners", [statement["winner"]] if statement["winner"] else [])
        return {"partie": [won] if won else []}
    kinds = {kind: statement[f"{kind}s"] for kind in ("manche", "robre") if f"{kind}s" in statement}
    return {kind: [[end["winner"]] for end in ended] for kind, ended in kinds.items()}


def _players_of(winner: str, sides: Mapping[str, list[int]], number_of: Callable[[str], int]) -> list[int]:
    return sides[winner] if winner in sides else [number_of(winner)]


def longest(won: list[bool]) -> int:
    """Return the length of the longest winning streak."""
    streaks = "".join("x" if is_won else " " for is_won in won).split()
    return max(map(len, streaks), default=0)


def last(won: list[bool]) -> int:
    """Return the length of the winning streak at the end."""
    return next((count for count, is_won in enumerate(reversed(won)) if not is_won), len(won))


def lower_first(pairs: Mapping[int, Mapping[int, list[int]]]) -> dict[str, list[int]]:
    """Return the counts of each pair once, as "3 7", from the player with the lower id."""
    return {
        f"{player} {other}": counts
        for player, others in pairs.items()
        for other, counts in others.items()
        if player < other
    }
