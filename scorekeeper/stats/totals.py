"""Totals of tables: results by game and player, partners and opponents, winning streaks, records, evenings.

People are ids of persons as strings; pairs of them are keys such as "3 7", the lower id first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from ..scoring.game import AnyGame
from .summary import PairsData, SeatingData, SummaryData, is_in_sides, list_seatings, split_labels

Counts = Counter[str]
PairCounts = list[int]  # tables, and two counts of contests won: see GameTotals

EVERYBODY = ""  # the key of the whole circle in `Totals.evenings`
MAX_ORIGINS_PER_RECORD = 3


@dataclass
class PlayerGameTotals:
    """A player's totals at a game: contests `played` and `won` by kind, `net` counters by unit, `figures` by name.

    `streak` is the number of contests won in a row up to the last one.
    """

    tables: int = 0
    deals: int = 0
    played: Counts = field(default_factory=Counter)
    won: Counts = field(default_factory=Counter)
    net: Counts = field(default_factory=Counter)
    figures: Counts = field(default_factory=Counter)
    streak: int = 0
    best_streak: int = 0
    evenings: set[str] = field(default_factory=set)

    def add_seat(self, seat: str, game: AnyGame, summary: SummaryData) -> None:
        """Add what somebody played and won on a seat of a table."""
        self.tables += 1
        self.deals += count_deals(seat, summary)
        self.net.update(summary["balances"][seat])
        self.figures.update(summary["figures"][seat])
        for seating in list_seatings(summary):
            if seat not in split_labels(seating["seated"]):
                continue
            for kind, winners in seating["ended"].items():
                wins = [seat in split_labels(winner) for winner in winners]
                self.played[kind] += len(wins)
                self.won[kind] += sum(wins)
                for is_won in wins if kind == game.contest else ():
                    self.streak = self.streak + 1 if is_won else 0
                    self.best_streak = max(self.best_streak, self.streak)


class RecordOrigin(NamedTuple):
    """Where a record was set: the table, its evening (ISO date), the number of the deal, and the players."""

    table: int
    day: str
    deal: int
    players: list[str]


@dataclass
class Record:
    """The largest amount of a feat, the number of tables at which it was reached, and the first of them."""

    amount: int
    times: int
    origins: list[RecordOrigin]


@dataclass
class GameTotals:
    """Totals of a game.

    `partners` holds tables, contests won and contests lost; `opponents` holds tables, contests won by the first player
    and contests won by the second (without sides, a third player may have won others). If partners change, deals count
    instead of contests, and the tables are those at which the two met so.
    """

    tables: int = 0
    deals: int = 0
    ended: Counts = field(default_factory=Counter)
    players: dict[str, PlayerGameTotals] = field(default_factory=lambda: defaultdict(PlayerGameTotals))
    partners: dict[str, PairCounts] = field(default_factory=dict)
    opponents: dict[str, PairCounts] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)

    @property
    def has_net(self) -> bool:
        """Whether anybody has won or lost counters: at some games nothing is at stake."""
        return any(amount for totals in self.players.values() for amount in totals.net.values())

    def partners_of(self, player: str) -> dict[str, PairCounts]:
        """Return the player's partners, each with tables together and contests won and lost."""
        return {_other(player, pair): counts for pair, counts in self.partners.items() if player in pair.split()}

    def opponents_of(self, player: str) -> dict[str, PairCounts]:
        """Return the player's opponents, each with tables, contests the player won and contests the opponent won."""
        return {
            _other(player, pair): [tables, first, second] if pair.split()[0] == player else [tables, second, first]
            for pair, (tables, first, second) in self.opponents.items()
            if player in pair.split()
        }

    def add(self, table_id: int, day: str, game: AnyGame, summary: SummaryData, seats: Mapping[str, str]) -> None:
        """Add a table; `seats` has the person of each seat."""
        self.tables += 1
        self.deals += summary["deals"]
        self.ended.update({kind: len(winners) for kind, winners in summary["ended"].items()})
        for seat, player in seats.items():
            self.players[player].evenings.add(day)
            self.players[player].add_seat(seat, game, summary)
        if "pairs" in summary:
            self._add_pairs_of_deals(summary["pairs"], seats)
        else:
            self._add_pairs(game, seats, list_seatings(summary), in_sides=is_in_sides(summary))
        for feat, (amount, winners, deal) in summary["feats"].items():
            origin = RecordOrigin(table_id, day, deal, [seats[seat] for seat in split_labels(winners)])
            record = self.records.get(feat)
            if record is None or amount > record.amount:
                self.records[feat] = Record(amount, 1, [origin])
            elif amount == record.amount:
                record.times += 1
                record.origins = [*record.origins, origin][:MAX_ORIGINS_PER_RECORD]

    def _add_pairs(
        self, game: AnyGame, seats: Mapping[str, str], seatings: Sequence[SeatingData], *, in_sides: bool
    ) -> None:
        """Add a table's pairs of partners and opponents. Two chairs are one side if both are even or both are odd."""
        partners: dict[str, PairCounts] = {}
        opponents: dict[str, PairCounts] = {}
        for seating in seatings:
            if not seating["deals"] and not seating["ended"] and len(seatings) > 1:
                continue  # another substitution followed at once
            winners = [split_labels(winner) for winner in seating["ended"].get(game.contest or "", ())]
            people = enumerate(split_labels(seating["seated"]))
            ordered = sorted(people, key=lambda item: int(seats[item[1]]))
            for (first_chair, first), (second_chair, second) in combinations(ordered, 2):
                won, lost = (sum(seat in winner for winner in winners) for seat in (first, second))
                is_side = in_sides and first_chair % 2 == second_chair % 2
                counts = (partners if is_side else opponents).setdefault(f"{seats[first]} {seats[second]}", [0, 0])
                counts[0] += won
                counts[1] += len(winners) - won if is_side else lost
        for total, of_table in ((self.partners, partners), (self.opponents, opponents)):
            for pair, counts in of_table.items():
                _add_pair(total, pair, *counts)

    def _add_pairs_of_deals(self, pairs: PairsData, seats: Mapping[str, str]) -> None:
        """Add the pairs of a game whose partners change, with the deals that they won and lost."""
        for pair, counts in pairs["partners"].items():
            _add_pair(self.partners, " ".join(sorted((seats[seat] for seat in split_labels(pair)), key=int)), *counts)
        for pair, counts in pairs["opponents"].items():
            players = [seats[seat] for seat in split_labels(pair)]
            in_order = sorted(players, key=int)
            _add_pair(self.opponents, " ".join(in_order), *(counts if in_order == players else counts[::-1]))


def _other(player: str, pair: str) -> str:
    first, second = pair.split()
    return second if player == first else first


@dataclass
class Totals:
    """Totals of tables, which are added in the order of their evenings: streaks depend on it.

    Attributes:
        evenings: the days by player, and of the whole circle under `EVERYBODY`.
        games: by key (see `make_game_key`).
        net_results: account → evening → player → net result in subunits of the account.
        deals: account → player → how many deals they have played for it, whatever the game.
    """

    evenings: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    games: dict[str, GameTotals] = field(default_factory=dict)
    net_results: dict[str, dict[str, Counts]] = field(default_factory=dict)
    deals: dict[str, Counts] = field(default_factory=lambda: defaultdict(Counter))

    def count_evenings(self, player: str = EVERYBODY) -> int:
        """Count the evenings of a player, or of the circle."""
        return len(self.evenings.get(player, ()))

    def add(
        self,
        table_id: int,
        day: str,
        game: AnyGame | None,
        summary: SummaryData,
        person_ids: Mapping[int, int],
        key: str = "",
    ) -> None:
        """Add a table from its summary, under the game's `key`; `person_ids` maps players to persons.

        `game` is None if it is not installed: the table counts for all but `games`.
        """
        seats = {seat: str(person_ids[summary["seats"][seat]]) for seat in summary["balances"]}
        account = summary["account"]
        nets = self.net_results.setdefault(account, {}).setdefault(day, Counter())
        for player in (EVERYBODY, *seats.values()):
            self.evenings[player].add(day)
        for seat, player in seats.items():
            nets[player] += summary["grains"][seat]
            self.deals[account][player] += count_deals(seat, summary)
        if game is not None:
            self.games.setdefault(key or game.slug, GameTotals()).add(table_id, day, game, summary, seats)


def count_deals(seat: str, summary: SummaryData) -> int:
    """Count the deals that somebody played at a table."""
    seatings = (seating for seating in list_seatings(summary) if seat in split_labels(seating["seated"]))
    sat_out = summary["pairs"]["sat_out"].get(seat, 0) if "pairs" in summary else 0
    return sum(seating["deals"] for seating in seatings) - sat_out


def _add_pair(pairs: dict[str, PairCounts], pair: str, *counts: int) -> None:
    """Add counts of a table, which counts once for each pair."""
    pairs[pair] = [old + new for old, new in zip(pairs.get(pair, (0, 0, 0)), (1, *counts), strict=True)]
