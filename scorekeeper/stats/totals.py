"""Totals of a period: results by game and player, partners and opponents, winning runs, records, evenings.

Totals form a monoid: `a + b` are the totals of the tables of `a` followed by those of `b`, and `Totals()` those of no
table. Tables are ordered by evening, then by opening time; winning runs and evenings depend on that order. Players are
identified by person id as a string, since these are JSON keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from ..scoring.game import Game

Counts = dict[str, int]
Three = list[int]

EVERYBODY = ""  # in evenings: those of the circle as a whole
MAX_NAMED_PER_RECORD = 3  # of a record that are named; how often it was reached is counted beyond that


class WinningRun(NamedTuple):
    """Winning runs in a sequence of `length` contests: the run at its `start`, the one at its `end`, the `best`."""

    start: int = 0
    end: int = 0
    best: int = 0
    length: int = 0

    def then(self, later: WinningRun) -> WinningRun:
        """Return the runs of this sequence followed by another."""
        return WinningRun(
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

    def then(self, later: EveningSpan) -> EveningSpan:
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
    run: WinningRun = field(default_factory=WinningRun)

    def add(self, later: PlayerGameTotals) -> None:
        self.tables += later.tables
        self.deals += later.deals
        for mine, theirs in zip(self._counts, later._counts, strict=True):
            _add_counts(mine, theirs)
        self.run = self.run.then(later.run)

    @property
    def _counts(self) -> tuple[Counts, ...]:
        return self.played, self.won, self.net, self.figures


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
    places: list[RecordOrigin]

    def then(self, later: Record) -> Record:
        """Return the record of these tables followed by others."""
        if self.amount != later.amount:
            return self if self.amount > later.amount else later
        return Record(self.amount, self.times + later.times, [*self.places, *later.places][:MAX_NAMED_PER_RECORD])


@dataclass
class GameTotals:
    """Totals of a game. Pairs of players are keys such as "3 7", the lower id first.

    `partners` holds tables, contests won and contests lost; `opponents` holds tables, contests won by the first player
    and contests won by the second (without sides, a third player may have won others).
    """

    tables: int = 0
    deals: int = 0
    ended: Counts = field(default_factory=dict)
    players: dict[str, PlayerGameTotals] = field(default_factory=dict)
    partners: dict[str, Three] = field(default_factory=dict)
    opponents: dict[str, Three] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)

    def add(self, later: GameTotals) -> None:
        self.tables += later.tables
        self.deals += later.deals
        _add_counts(self.ended, later.ended)
        for player, played in later.players.items():
            if player not in self.players:
                self.players[player] = PlayerGameTotals()
            self.players[player].add(played)
        _add_threes(self.partners, later.partners)
        _add_threes(self.opponents, later.opponents)
        for name, record in later.records.items():
            self.records[name] = self.records[name].then(record) if name in self.records else record

    def with_whom(self, player: str) -> dict[str, Three]:
        """The player's partners, each with tables together and contests won and lost."""
        return {_other(player, pair): told for pair, told in self.partners.items() if player in pair.split()}

    def against_whom(self, player: str) -> dict[str, Three]:
        """The player's opponents, each with tables, contests that the player won, and those that the opponent did."""
        return {
            _other(player, pair): [tables, first, second] if pair.split()[0] == player else [tables, second, first]
            for pair, (tables, first, second) in self.opponents.items()
            if player in pair.split()
        }


def _other(player: str, pair: str) -> str:
    one, other = pair.split()
    return other if player == one else one


@dataclass
class Totals:
    """`courses` are what each account brought on each evening (month, year): account → when → player → grains.

    `open` is what no settlement has taken over: "account game player" → grains, and counters that they are.
    """

    evenings: dict[str, EveningSpan] = field(default_factory=dict)
    games: dict[str, GameTotals] = field(default_factory=dict)
    courses: dict[str, dict[str, Counts]] = field(default_factory=dict)
    open: dict[str, list[int]] = field(default_factory=dict)

    def add(self, later: Totals) -> None:
        """Add the totals of later tables, in place."""
        for player, evenings in later.evenings.items():
            self.evenings[player] = self.evenings.get(player, EveningSpan()).then(evenings)
        for slug, at in later.games.items():
            if slug not in self.games:
                self.games[slug] = GameTotals()
            self.games[slug].add(at)
        for account, course in later.courses.items():
            for when, nets in course.items():
                _add_counts(self.courses.setdefault(account, {}).setdefault(when, {}), nets)
        for key, amounts in later.open.items():
            self.add_open(key, *amounts)

    def add_open(self, key: str, grains: int, counters: int) -> None:
        """Add an unsettled amount under its "account game player" key."""
        old = self.open.get(key, (0, 0))
        self.open[key] = [old[0] + grains, old[1] + counters]

    def __add__(self, later: Totals) -> Totals:
        total = Totals()
        total.add(self)
        total.add(later)
        return total

    def coarser(self, letters: int) -> Totals:
        """The same with courses by month or year: by so many letters of the evening's date."""
        told = Totals(self.evenings, self.games, open=self.open)
        for account, course in self.courses.items():
            coarse = told.courses.setdefault(account, {})
            for when, nets in course.items():
                _add_counts(coarse.setdefault(when[:letters], {}), nets)
        return told


def _add_counts(total: Counts, more: Mapping[str, int]) -> None:
    for key, count in more.items():
        total[key] = total.get(key, 0) + count


def _add_threes(total: dict[str, Three], more: Mapping[str, Three]) -> None:
    for key, (a, b, c) in more.items():
        old = total.get(key, (0, 0, 0))
        total[key] = [old[0] + a, old[1] + b, old[2] + c]


# --- one table ---------------------------------------------------------------------------------------------


def tally(id_: int, day: str, game: Game, told: Mapping[str, Any], persons: Mapping[int, int]) -> Totals:
    """Of one table, from what its summary has told; `persons` says who each player is."""
    seats = {seat: str(persons[player]) for seat, player in told["seats"].items()}
    ended = {kind: len(winners) for kind, winners in told["ended"].items()}
    at = GameTotals(1, told["deals"], ended)
    nets: Counts = {}
    for seat, player in seats.items():
        at.players.setdefault(player, PlayerGameTotals()).add(_played(seat, game, told, ended))
        _add_counts(nets, {player: told["grains"][seat]})
    _meet(at, game, seats)
    for name, (amount, seated, deal) in told["feats"].items():
        at.records[name] = Record(amount, 1, [RecordOrigin(id_, day, deal, [seats[seat] for seat in seated])])
    evenings = dict.fromkeys((EVERYBODY, *seats.values()), EveningSpan(1, day, day))
    return Totals(evenings, {game.slug: at}, {told["account"]: {day: nets}})


def _played(seat: str, game: Game, told: Mapping[str, Any], ended: Counts) -> PlayerGameTotals:
    winners = told["ended"]
    return PlayerGameTotals(
        tables=1,
        deals=told["deals"],
        played=ended,
        won={kind: sum(seat in one for one in winners[kind]) for kind in ended},
        net=told["balances"][seat],
        figures=told["figures"][seat],
        run=_run([seat in one for one in winners.get(game.contest, ())]),
    )


def _run(won: list[bool]) -> WinningRun:
    run = WinningRun()
    for is_won in won:
        run = run.then(WinningRun(1, 1, 1, 1) if is_won else WinningRun(0, 0, 0, 1))
    return run


def _meet(at: GameTotals, game: Game, seats: Mapping[str, str]) -> None:
    """Add who sat with and against whom."""
    contest, ended = game.contest, at.ended.get(game.contest, 0)
    won = {player: played.won.get(contest, 0) for player, played in at.players.items()}
    for (one, first), (other, second) in combinations(sorted(seats.items(), key=lambda seat: int(seat[1])), 2):
        if game.in_sides and int(one) % 2 == int(other) % 2:
            _add_threes(at.partners, {f"{first} {second}": [1, won[first], ended - won[first]]})
        else:
            _add_threes(at.opponents, {f"{first} {second}": [1, won[first], won[second]]})


# --- kept as JSON ------------------------------------------------------------------------------------------


def dump(tally: Totals) -> dict[str, Any]:
    """Return totals as compact plain JSON, for `load`. Dataclasses become lists of their fields."""
    return {
        "evenings": {player: list(evenings) for player, evenings in tally.evenings.items()},
        "games": {slug: _dump_game(at) for slug, at in tally.games.items()},
        "courses": tally.courses,
        "open": tally.open,
    }


def _dump_game(at: GameTotals) -> list[Any]:
    players = {player: _dump_player(played) for player, played in at.players.items()}
    records = {
        name: [record.amount, record.times, [list(place) for place in record.places]]
        for name, record in at.records.items()
    }
    return [at.tables, at.deals, at.ended, players, at.partners, at.opponents, records]


def _dump_player(told: PlayerGameTotals) -> list[Any]:
    return [told.tables, told.deals, told.played, told.won, told.net, told.figures, told.run]


def load(told: Mapping[str, Any]) -> Totals:
    """Return the totals that `dump` has written."""
    return Totals(
        {player: EveningSpan(*evenings) for player, evenings in told["evenings"].items()},
        {slug: _load_game(*at) for slug, at in told["games"].items()},
        told["courses"],
        told["open"],
    )


def _load_game(tables: int, deals: int, ended: Counts, *told: dict[str, Any]) -> GameTotals:
    players, partners, opponents, records = told
    return GameTotals(
        tables,
        deals,
        ended,
        {player: _load_player(*fields) for player, fields in players.items()},
        partners,
        opponents,
        {
            name: Record(amount, times, [RecordOrigin(*place) for place in places])
            for name, (amount, times, places) in records.items()
        },
    )


def _load_player(tables: int, deals: int, *told: Any) -> PlayerGameTotals:
    played, won, net, figures, run = told
    return PlayerGameTotals(tables, deals, played, won, net, figures, WinningRun(*run))
