"""Totals of a period: results by game and player, partners and opponents, winning streaks, records, evenings.

Totals form a monoid: `a + b` are the totals of the tables of `a` followed by those of `b`, and `Totals()` those of no
table. Tables are ordered by evening, then by opening time; streaks and evenings depend on that order. Players are
identified by person id as a string, since these are JSON keys.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

from ..scoring.accounts import is_currency
from ..scoring.game import AnyGame
from ..scoring.missing import is_missing
from .pairs import PairsData, split_labels
from .seatings import list_seatings
from .summary_data import SeatingData, SummaryData, is_in_sides, slug_of

Counts = dict[str, int]
PairCounts = list[int]  # tables, and two counts of contests won: see GameTotals

EVERYBODY = ""  # the key of the whole circle in `Totals.evenings`
MAX_ORIGINS_PER_RECORD = 3


class Streaks(NamedTuple):
    """Winning streaks in a sequence of `length` contests: the one at its `start`, the one at its `end`, the `best`."""

    start: int = 0
    end: int = 0
    best: int = 0
    length: int = 0

    def followed_by(self, later: Streaks) -> Streaks:
        """Return the streaks of this sequence followed by another."""
        return Streaks(
            start=self.start if self.start < self.length else self.length + later.start,
            end=later.end if later.end < later.length else later.length + self.end,
            best=max(self.best, later.best, self.end + later.start),
            length=self.length + later.length,
        )


class EveningSpan(NamedTuple):
    """The number of evenings, and the first and last (ISO dates)."""

    number: int = 0
    first: str = ""
    last: str = ""

    def followed_by(self, later: EveningSpan) -> EveningSpan:
        """Return this span followed by another. The last evening of one may be the first of the other."""
        if not (self.number and later.number):
            return self if self.number else later
        return EveningSpan(self.number + later.number - (self.last == later.first), self.first, later.last)


@dataclass
class PlayerGameTotals:
    """A player's totals at a game: contests `played` and `won` by kind, `net` counters by unit, `figures` by name."""

    tables: int = 0
    deals: int = 0
    played: Counts = field(default_factory=dict)
    won: Counts = field(default_factory=dict)
    net: Counts = field(default_factory=dict)
    figures: Counts = field(default_factory=dict)
    streaks: Streaks = field(default_factory=Streaks)
    evenings: EveningSpan = field(default_factory=EveningSpan)

    def add(self, later: PlayerGameTotals) -> None:
        """Add the totals of later tables, in place."""
        self.tables += later.tables
        self.deals += later.deals
        _add_counts(self.played, later.played)
        _add_counts(self.won, later.won)
        _add_counts(self.net, later.net)
        _add_counts(self.figures, later.figures)
        self.streaks = self.streaks.followed_by(later.streaks)
        self.evenings = self.evenings.followed_by(later.evenings)


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

    def followed_by(self, later: Record) -> Record:
        """Return the record of these tables followed by others."""
        if self.amount != later.amount:
            return self if self.amount > later.amount else later
        return Record(self.amount, self.times + later.times, [*self.origins, *later.origins][:MAX_ORIGINS_PER_RECORD])


@dataclass
class GameTotals:
    """Totals of a game. Pairs of players are keys such as "3 7", the lower id first.

    `partners` holds tables, contests won and contests lost; `opponents` holds tables, contests won by the first player
    and contests won by the second (without sides, a third player may have won others). If partners change, deals count
    instead of contests, and the tables are those at which the two met so.
    """

    tables: int = 0
    deals: int = 0
    ended: Counts = field(default_factory=dict)
    players: dict[str, PlayerGameTotals] = field(default_factory=dict)
    partners: dict[str, PairCounts] = field(default_factory=dict)
    opponents: dict[str, PairCounts] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    evenings: EveningSpan = field(default_factory=EveningSpan)

    def add(self, later: GameTotals) -> None:
        """Add the totals of later tables, in place."""
        self.tables += later.tables
        self.deals += later.deals
        _add_counts(self.ended, later.ended)
        for player, totals in later.players.items():
            if player not in self.players:
                self.players[player] = PlayerGameTotals()
            self.players[player].add(totals)
        _add_pair_counts(self.partners, later.partners)
        _add_pair_counts(self.opponents, later.opponents)
        for name, record in later.records.items():
            self.records[name] = self.records[name].followed_by(record) if name in self.records else record
        self.evenings = self.evenings.followed_by(later.evenings)

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


def _other(player: str, pair: str) -> str:
    first, second = pair.split()
    return second if player == first else first


class Participation(NamedTuple):
    """How much somebody has played for money in one currency, in all games."""

    evenings: EveningSpan = EveningSpan()
    deals: int = 0

    def followed_by(self, later: Participation) -> Participation:
        """Return this followed by what was played later."""
        return Participation(self.evenings.followed_by(later.evenings), self.deals + later.deals)


@dataclass
class Totals:
    """Totals of a period.

    Attributes:
        evenings: by player, and of the whole circle under `EVERYBODY`.
        games: by key (see `game_keys`).
        net_results: account → evening (month, year) → player → net result in subunits of the account.
        unsettled: "account game player" → what no settlement has taken over, in subunits and in counters.
        participation: currency → player → how much they have played for it, whatever the game.
        unread: the games that were not installed when tables of them were added; these count for all but `games`.
    """

    evenings: dict[str, EveningSpan] = field(default_factory=dict)
    games: dict[str, GameTotals] = field(default_factory=dict)
    net_results: dict[str, dict[str, Counts]] = field(default_factory=dict)
    unsettled: dict[str, list[int]] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    participation: dict[str, dict[str, Participation]] = field(default_factory=dict)

    def add(self, later: Totals) -> None:
        """Add the totals of later tables, in place."""
        for player, evenings in later.evenings.items():
            self.evenings[player] = self.evenings.get(player, EveningSpan()).followed_by(evenings)
        for key, game_totals in later.games.items():
            if key not in self.games:
                self.games[key] = GameTotals()
            self.games[key].add(game_totals)
        for account, nets_by_date in later.net_results.items():
            for when, nets in nets_by_date.items():
                _add_counts(self.net_results.setdefault(account, {}).setdefault(when, {}), nets)
        for key, amounts in later.unsettled.items():
            self.add_unsettled(key, *amounts)
        self.unread |= later.unread
        for account, players in later.participation.items():
            own = self.participation.setdefault(account, {})
            for player, participation in players.items():
                own[player] = own.get(player, Participation()).followed_by(participation)

    def add_unsettled(self, key: str, subunits: int, counters: int) -> None:
        """Add an unsettled amount under its "account game player" key."""
        old_subunits, old_counters = self.unsettled.get(key, (0, 0))
        self.unsettled[key] = [old_subunits + subunits, old_counters + counters]

    def __add__(self, later: Totals) -> Totals:
        total = Totals()
        total.add(self)
        total.add(later)
        return total

    def readable(self, installed: Collection[str]) -> Totals:
        """Return these totals with only the installed games; the others are in `unread`."""
        games = {key: game_totals for key, game_totals in self.games.items() if slug_of(key) in installed}
        unread = self.unread | {slug_of(key) for key in self.games.keys() - games.keys()}
        return replace(self, games=games, unread=unread)

    def grouped_by_date(self, length: int) -> Totals:
        """Return these totals with net results by month or year: by the first `length` characters of the date."""
        grouped = replace(self, net_results={})
        for account, nets_by_date in self.net_results.items():
            groups = grouped.net_results.setdefault(account, {})
            for when, nets in nets_by_date.items():
                _add_counts(groups.setdefault(when[:length], {}), nets)
        return grouped


def _add_counts(total: Counts, added: Mapping[str, int]) -> None:
    for key, count in added.items():
        total[key] = total.get(key, 0) + count


def _add_pair_counts(total: dict[str, PairCounts], added: Mapping[str, PairCounts]) -> None:
    for pair, counts in added.items():
        total[pair] = [old + new for old, new in zip(total.get(pair, (0, 0, 0)), counts, strict=True)]


# --- one table ---------------------------------------------------------------------------------------------


def table_totals(
    table_id: int, day: str, game: AnyGame, summary: SummaryData, person_ids: Mapping[int, int], key: str = ""
) -> Totals:
    """Return the totals of one table from its summary; `person_ids` maps players to persons.

    They are under the game's `key`, by default its slug. Without the game they leave out what only it can say: who won,
    with whom, and how often what happened.
    """
    seats = {seat: str(person_ids[summary["seats"][seat]]) for seat in summary["balances"]}
    ended = {kind: len(winners) for kind, winners in summary["ended"].items()}
    evening = EveningSpan(1, day, day)
    totals = GameTotals(1, summary["deals"], ended, evenings=evening)
    nets: Counts = {}
    for seat, player in seats.items():
        totals.players.setdefault(player, PlayerGameTotals(evenings=evening)).add(_player_totals(seat, game, summary))
        _add_counts(nets, {player: summary["grains"][seat]})
    if "pairs" in summary:
        _add_pairs_of_deals(totals, summary["pairs"], seats)
    else:
        _add_pairs(totals, game, seats, list_seatings(summary), in_sides=is_in_sides(summary))
    for feat, (amount, winners, deal) in summary["feats"].items():
        origin = RecordOrigin(table_id, day, deal, [seats[seat] for seat in split_labels(winners)])
        totals.records[feat] = Record(amount, 1, [origin])
    whole = Totals(
        dict.fromkeys((EVERYBODY, *seats.values()), evening),
        {key or game.slug: totals},
        net_results={(account := summary["account"]): {day: nets}},
        participation={account: _participation(totals)} if is_currency(account) else {},
    )
    return replace(whole, games={}, unread={game.slug}) if is_missing(game) else whole


def _participation(totals: GameTotals) -> dict[str, Participation]:
    return {player: Participation(of_player.evenings, of_player.deals) for player, of_player in totals.players.items()}


def _player_totals(seat: str, game: AnyGame, summary: SummaryData) -> PlayerGameTotals:
    """Return what somebody played and won while they sat."""
    totals = PlayerGameTotals(tables=1, net=summary["balances"][seat], figures=summary["figures"][seat])
    totals.deals = -summary["pairs"].get("sat_out", {}).get(seat, 0) if "pairs" in summary else 0
    results: list[bool] = []
    for seating in list_seatings(summary):
        if seat not in split_labels(seating["seated"]):
            continue
        totals.deals += seating["deals"]
        for kind, winners in seating["ended"].items():
            wins = [seat in split_labels(winner) for winner in winners]
            _add_counts(totals.played, {kind: len(wins)})
            _add_counts(totals.won, {kind: sum(wins)})
            results += wins if kind == game.contest else []
    totals.streaks = _streaks(results)
    return totals


def _streaks(results: list[bool]) -> Streaks:
    streaks = Streaks()
    for is_won in results:
        streaks = streaks.followed_by(Streaks(1, 1, 1, 1) if is_won else Streaks(0, 0, 0, 1))
    return streaks


def _add_pairs(
    totals: GameTotals, game: AnyGame, seats: Mapping[str, str], seatings: Sequence[SeatingData], *, in_sides: bool
) -> None:
    """Add the table's pairs of partners and opponents. Two chairs are one side if both are even or both are odd."""
    partners: dict[str, PairCounts] = {}
    opponents: dict[str, PairCounts] = {}
    for seating in seatings:
        if not seating["deals"] and not seating["ended"] and len(seatings) > 1:
            continue  # another substitution followed at once
        winners = [split_labels(winner) for winner in seating["ended"].get(game.contest or "", ())]
        people = [(chair, seat) for chair, seat in enumerate(split_labels(seating["seated"]))]
        ordered = sorted(people, key=lambda item: int(seats[item[1]]))
        for (first_chair, first), (second_chair, second) in combinations(ordered, 2):
            won, lost = (sum(seat in winner for winner in winners) for seat in (first, second))
            is_side = in_sides and first_chair % 2 == second_chair % 2
            counts = (partners if is_side else opponents).setdefault(f"{seats[first]} {seats[second]}", [1, 0, 0])
            counts[1] += won
            counts[2] += len(winners) - won if is_side else lost
    _add_pair_counts(totals.partners, partners)
    _add_pair_counts(totals.opponents, opponents)


def _add_pairs_of_deals(totals: GameTotals, pairs: PairsData, seats: Mapping[str, str]) -> None:
    """Add the pairs of a game whose partners change: at this table they met, and so many deals were won and lost."""
    for pair, (won, lost) in pairs["partners"].items():
        first, second = sorted((seats[seat] for seat in split_labels(pair)), key=int)
        _add_pair_counts(totals.partners, {f"{first} {second}": [1, won, lost]})
    for pair, counts in pairs["opponents"].items():
        players = [seats[seat] for seat in split_labels(pair)]
        in_order = sorted(players, key=int)
        won_by = counts if in_order == players else counts[::-1]
        _add_pair_counts(totals.opponents, {" ".join(in_order): [1, *won_by]})
