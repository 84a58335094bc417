"""Totals of tables: results by game and player, partners and opponents, winning streaks, records, evenings.

Players are persons here, by their ids.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, permutations
from typing import NamedTuple

from ..scoring.game import AnyGame
from ..tables.summary import PairsData, SummaryData, is_in_sides, list_seatings, split_labels

Counts = Counter[str]
PersonCounts = Counter[int]
PairCounts = Counter[tuple[bool, int, int]]  # by whether they are partners, and the two players

MAX_ORIGINS_PER_RECORD = 3


class MetCounts(NamedTuple):
    """At how many tables two players met, and the contests that they won and lost: see `GameTotals`."""

    tables: int = 0
    won: int = 0
    lost: int = 0


HeadToHeads = dict[int, dict[int, MetCounts]]  # by player, and by whom they met


@dataclass
class PlayerGameTotals:
    tables: int = 0
    deals: int = 0
    played: Counts = field(default_factory=Counter)  # contests by kind
    won: Counts = field(default_factory=Counter)  # contests by kind
    net: Counts = field(default_factory=Counter)  # counters by unit
    figures: Counts = field(default_factory=Counter)  # by name
    streak: int = 0  # contests won in a row up to the last one
    best_streak: int = 0
    evenings: set[str] = field(default_factory=set)

    def add_seat(self, seat: str, game: AnyGame, summary: SummaryData) -> None:
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
                if kind == game.contest:
                    self._continue_streak(wins)

    def _continue_streak(self, wins: Iterable[bool]) -> None:
        for is_won in wins:
            self.streak = self.streak + 1 if is_won else 0
            self.best_streak = max(self.best_streak, self.streak)


class RecordOrigin(NamedTuple):
    table: int  # where the record was set
    day: str  # of its evening, in ISO format
    players: list[int]


@dataclass
class Record:
    """The largest amount of a feat, the number of tables at which it was reached, and the first of them."""

    amount: int
    times: int
    origins: list[RecordOrigin]


@dataclass
class GameTotals:
    """Totals of a game.

    `partners` holds tables, contests won and contests lost; `opponents` holds tables, contests won by the player
    and contests won by the other (without sides, a third player may have won more). If partners change, deals count
    instead of contests, and the tables are those at which the two met so.
    """

    tables: int = 0
    deals: int = 0
    ended: Counts = field(default_factory=Counter)
    players: dict[int, PlayerGameTotals] = field(default_factory=lambda: defaultdict(PlayerGameTotals))
    partners: HeadToHeads = field(default_factory=lambda: defaultdict(dict))
    opponents: HeadToHeads = field(default_factory=lambda: defaultdict(dict))
    records: dict[str, Record] = field(default_factory=dict)

    @property
    def has_net(self) -> bool:
        """Whether anybody has won or lost counters: at some games nothing is at stake."""
        return any(amount for totals in self.players.values() for amount in totals.net.values())

    def add(self, table_id: int, day: str, game: AnyGame, summary: SummaryData, seats: Mapping[str, int]) -> None:
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
            self._add_pairs(game, seats, summary)
        for feat, (amount, winners, _) in summary["feats"].items():
            origin = RecordOrigin(table_id, day, [seats[seat] for seat in split_labels(winners)])
            record = self.records.get(feat)
            if record is None or amount > record.amount:
                self.records[feat] = Record(amount, 1, [origin])
            elif amount == record.amount:
                record.times += 1
                record.origins = [*record.origins, origin][:MAX_ORIGINS_PER_RECORD]

    def _add_pairs(self, game: AnyGame, seats: Mapping[str, int], summary: SummaryData) -> None:
        """Add a table's partners and opponents. Two chairs are one side if both are even or both are odd."""
        won = PairCounts()
        lost = PairCounts()
        seatings = list_seatings(summary)
        in_sides = is_in_sides(summary)
        for seating in seatings:
            if not seating["deals"] and not seating["ended"] and len(seatings) > 1:
                continue  # another substitution followed at once
            winners = [split_labels(winner) for winner in seating["ended"].get(game.contest or "", ())]
            for (chair, seat), (other_chair, other) in permutations(enumerate(split_labels(seating["seated"])), 2):
                are_partners = in_sides and chair % 2 == other_chair % 2
                pair = are_partners, seats[seat], seats[other]
                won[pair] += sum(seat in winner for winner in winners)
                lost[pair] += sum((seat not in winner) if are_partners else (other in winner) for winner in winners)
        for pair in won:
            are_partners, player, met = pair
            _add_pair(self.partners if are_partners else self.opponents, player, met, won[pair], lost[pair])

    def _add_pairs_of_deals(self, pairs: PairsData, seats: Mapping[str, int]) -> None:
        """Add the pairs of a game whose partners change, with the deals that they won and lost."""
        for labels, (won, lost) in pairs["partners"].items():
            for player, other in permutations(seats[seat] for seat in split_labels(labels)):
                _add_pair(self.partners, player, other, won, lost)
        for labels, (won, lost) in pairs["opponents"].items():
            player, other = (seats[seat] for seat in split_labels(labels))
            _add_pair(self.opponents, player, other, won, lost)
            _add_pair(self.opponents, other, player, lost, won)


@dataclass
class Totals:
    """Totals of tables, which are added in the order of their evenings: streaks depend on it."""

    games: dict[str, GameTotals] = field(default_factory=dict)  # by key (see `make_game_key`)
    # Account → evening → player → net result in subunits of the account.
    net_results: dict[str, dict[str, PersonCounts]] = field(default_factory=dict)
    # Account → player → how many deals they have played for it, whatever the game.
    deals: dict[str, PersonCounts] = field(default_factory=lambda: defaultdict(Counter))

    def count_evenings(self, player: int | None = None) -> int:
        """Count the evenings on which this player has played; without a player, those on which anybody has."""
        evenings = chain.from_iterable(nets.items() for nets in self.net_results.values())
        return len({day for day, nets in evenings if player is None or player in nets})

    def add(
        self,
        table_id: int,
        day: str,
        game: AnyGame | None,
        summary: SummaryData,
        person_ids: Mapping[int, int],
        key: str,
    ) -> None:
        """Add a table from its summary, under the game's `key`; `person_ids` maps players to persons.

        `game` is None if it is not installed: the table counts for all but `games`.
        """
        seats = {seat: person_ids[summary["seats"][seat]] for seat in summary["balances"]}
        account = summary["account"]
        nets = self.net_results.setdefault(account, {}).setdefault(day, Counter())
        for seat, player in seats.items():
            nets[player] += summary["subunits"][seat]
            self.deals[account][player] += count_deals(seat, summary)
        if game is not None:
            self.games.setdefault(key, GameTotals()).add(table_id, day, game, summary, seats)


def count_deals(seat: str, summary: SummaryData) -> int:
    seatings = (seating for seating in list_seatings(summary) if seat in split_labels(seating["seated"]))
    sat_out = summary["pairs"]["sat_out"].get(seat, 0) if "pairs" in summary else 0
    return sum(seating["deals"] for seating in seatings) - sat_out


def _add_pair(total: HeadToHeads, player: int, other: int, won: int, lost: int) -> None:
    """Add the contests, or deals, that a pair won and lost at one table."""
    earlier = total[player].get(other, MetCounts())
    total[player][other] = MetCounts(earlier.tables + 1, earlier.won + won, earlier.lost + lost)
