"""The standing of a sheet: its rows, entries, scores, balances and closings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Generic, Literal, NamedTuple, Self, TypeVar

from .problems import Problem
from .settlement import Transfer
from .values import JsonObject, Value

NS, EW = "ns", "ew"
SIDES = (NS, EW)  # the first and third player, the second and fourth


def other_side(side: str) -> str:
    return EW if side == NS else NS


def share_of(side: str, numbers: Mapping[str, int], total: int) -> int:
    """Return a side's number: the one entered, or the rest of the total if only the other side's is."""
    return numbers[side] if side in numbers else total - sum(numbers.values())


def tricks_by_side(fact: object, total: int | None) -> tuple[int, int] | None:
    """Return how many of a deal's tricks each side took, if it has a field `tricks` that says it; None otherwise."""
    taken = getattr(fact, "tricks", None)
    if total is None or not isinstance(taken, dict) or taken.keys().isdisjoint(SIDES):
        return None
    first, second = (share_of(side, taken, total) for side in SIDES)
    return first, second


def sum_problems(field: str, numbers: Mapping[str, int], total: int) -> list[Problem]:
    """Check that the numbers of both sides make the total, if both are entered."""
    if len(numbers) == 1 or (found := numbers[NS] + numbers[EW]) == total:
        return []
    key = "sum-of-tricks" if field == "tricks" else "sum"
    return [Problem(field, key, {"found": found, "must": total})]


def with_both_sides(facts: JsonObject, key: str, total: int) -> JsonObject:
    """Return the facts with the numbers of both sides under a key, if only one side's is entered."""
    numbers = facts.get(key)
    if not isinstance(numbers, dict) or len(numbers) != 1:
        return facts
    return facts | {key: {side: share_of(side, numbers, total) for side in SIDES}}


POINTS = "points"
JETONS = "jetons"
FICHES = "fiches"

POT = None  # giver or taker of the counters that are staked and won


class TableResult(NamedTuple):
    account: str
    subunits: dict[str, int]  # of the account, by player; they sum to 0


class Entry(NamedTuple):
    """A payment in counters or a mark of points.

    A payment (in one of the game's units) goes from a player or the pot to another; its amount is above 0. A mark (unit
    points) has no giver; its taker is a side or, in games without sides, a player; its amount may be negative. `reason`
    is the anchor of a heading in the game's rules.
    """

    giver: str | None
    taker: str | None
    amount: int
    unit: str
    reason: str

    @property
    def is_payment(self) -> bool:
        return self.unit != POINTS

    def move(self, balances: Mapping[str, dict[str, int]]) -> None:
        """Make the payment in balances by player and unit. Counters in the pot are in none."""
        if self.giver is not POT:
            balances[self.giver][self.unit] -= self.amount
        if self.taker is not POT:
            balances[self.taker][self.unit] += self.amount


def mark(taker: str, points: int, reason: str) -> Entry:
    return Entry(None, taker, points, POINTS, reason)


MAX_VALUE_UNIT_LENGTH = 8  # characters, as stored


def value_unit(unit: str) -> str:
    """Return the name of one counter, as the value of a sheet uses it: `fiche` for the unit `fiches`."""
    return unit.removesuffix("s")


MANCHE, ROBRE, PARTIE = "manche", "robre", "partie"
NOBODY = ""  # the winner of what ends and is won by none

DEAL: Final = "deal"  # a misdeal is one too
ADJUSTMENT: Final = "adjustment"
SUBSTITUTION: Final = "substitution"
TERMS: Final = "terms"
RowKind = Literal["deal", "adjustment", "substitution", "terms"]

OptionsT = TypeVar("OptionsT")
ValueT = TypeVar("ValueT")


class Closing(NamedTuple):
    """The end of a manche, a robre or the partie.

    `figures` are the statement's keys besides `deal` and `winner`; `entries` are the payments to the winner.
    `shared_with` are the other parties that have won as much as `winner`, in order of turn. If `winner` is NOBODY,
    nobody has won.
    """

    kind: str
    winner: str
    figures: Mapping[str, Any] = MappingProxyType({})
    entries: tuple[Entry, ...] = ()
    shared_with: tuple[str, ...] = ()

    @property
    def winners(self) -> tuple[str, ...]:
        return (self.winner, *self.shared_with) if self.winner != NOBODY else ()

    @property
    def worth(self) -> int | None:
        """The points that a manche counts or a robre is won by; None if there is no such number."""
        worth: int | None = self.figures.get("margin", self.figures.get("points"))
        return worth


class RowName(NamedTuple):
    """What people call a row: a deal by its number, anything else by its kind and the deal that it follows.

    deal_count: how many of the rows up to this one are deals.
    """

    kind: RowKind
    deal_count: int

    @property
    def deal_number(self) -> int | None:
        return self.deal_count if self.kind == DEAL else None


@dataclass(slots=True)
class Row:
    """An item of a sheet's list of deals with its score.

    `scored` are the points of this item alone, `scores` the totals after it, before the end of a manche clears them.
    `players`, `options` and `value` are those seated, the house rules and the value of a counter in this deal; in a row
    that changes them, those after it.

    number: the row's place in the list, from 1. People count deals only: see `name`.
    kind, deal_count: those of its name.
    """

    number: int
    dealer: str
    fact: object  # the game's Deal, a Misdeal, an Agreement, a SeatChange or a TermsChange
    scored: dict[str, int]
    scores: dict[str, int]
    entries: list[Entry]
    closings: tuple[Closing, ...] = ()
    players: tuple[str, ...] = ()
    kind: RowKind = DEAL
    deal_count: int = 0
    options: Any = None
    value: Value | None = None

    @property
    def name(self) -> RowName:
        return RowName(self.kind, self.deal_count)


@dataclass(slots=True)
class Standing(Generic[OptionsT]):
    """The standing of a sheet after some of its deals, under the house rules `options` of the next one.

    Only `fold` modifies it. A game may add fields in a subclass; their values must be replaced, never mutated, since
    copies share them.

    players: those seated, in order of turn.
    parties: those who score points, which are the two sides or the players.
    balances: counters won or lost since the start of the sheet, by player and unit, for all who have sat, in the order
        in which they first sat. Counters in the pot are in none.
    value: what a counter is worth in the next deal; None if it is not played for money.
    winners: the parties that have won the partie; none before its end, and if nobody has.
    manches: the number of manches that have ended.
    """

    players: tuple[str, ...]
    parties: tuple[str, ...]
    options: OptionsT
    clockwise: bool
    dealer: str
    scores: dict[str, int]
    balances: dict[str, dict[str, int]]
    value: Value | None = None
    rows: list[Row] = field(default_factory=list)
    winners: tuple[str, ...] = ()
    manches: int = 0

    def copy(self) -> Self:
        new = copy(self)
        new.rows, new.scores = self.rows.copy(), self.scores.copy()
        new.balances = {player: amounts.copy() for player, amounts in self.balances.items()}
        return new

    def new_row(self, fact: object, kind: RowKind) -> Row:
        """Return a row for the next facts, in which nothing is scored yet. It is not among `rows`."""
        return Row(
            number=len(self.rows) + 1,
            dealer=self.dealer,
            fact=fact,
            scored=dict.fromkeys(self.parties, 0),
            scores=self.scores.copy(),
            entries=[],
            players=self.players,
            kind=kind,
            deal_count=self.deal_count + (kind == DEAL),
            options=self.options,
            value=self.value,
        )

    def substitute(self, out: str, in_: str) -> None:
        """Give the seat of `out` to `in_`, with all that belongs to the seat.

        Fields that a game adds are left to `substitute_in_own_fields`.
        """
        players = tuple(in_ if player == out else player for player in self.players)
        if self.parties == self.players:
            self.parties, self.scores = players, replace_player(self.scores, out, in_)
        self.balances.setdefault(in_, dict.fromkeys(self.balances[out], 0))
        self.dealer = in_ if self.dealer == out else self.dealer
        self.players = players
        self.substitute_in_own_fields(out, in_)

    def substitute_in_own_fields(self, out: str, in_: str) -> None:
        """Give `in_` what the fields that the game adds hold for `out`, as `replace_player` does.

        A game whose standing adds fields by player overrides this.
        """

    def seated_as(self, row: Row) -> Self:
        """Return the standing with the players and the house rules of a deal: itself, if they are still the same.

        Functions that look back at a row, such as `figures` and `feats`, get this one, with that deal's partners.
        """
        if row.players == self.players and row.options is self.options:
            return self
        past = copy(self)
        past.parties = row.players if self.parties == self.players else self.parties
        past.players, past.options = row.players, row.options
        return past

    def next_player(self, player: str) -> str:
        return self.players[(self.players.index(player) + 1) % len(self.players)]

    def left_of(self, player: str) -> str:
        return self.next_player(player) if self.clockwise else self.players[self.players.index(player) - 1]

    def others(self, player: str) -> list[str]:
        index = self.players.index(player)
        return [*self.players[index + 1 :], *self.players[:index]]

    def side_of(self, player: str) -> str:
        return SIDES[self.players.index(player) % 2]

    def partners(self, party: str) -> tuple[str, ...]:
        """Return the players of a side, or a player, who plays alone or may have left."""
        return self.players[SIDES.index(party) :: 2] if party in SIDES and self.parties == SIDES else (party,)

    @property
    def smallest_unit(self) -> str:
        return next(iter(self.balances[self.players[0]]))

    @property
    def opening_counters(self) -> Mapping[str, int]:
        """The counters that the house rules give each player at the start, by unit; empty if they do not say."""
        return {}

    @property
    def hand_overs(self) -> Mapping[int, Sequence[object]]:
        """How payments are made in other counters than named, by the number of the deal's row.

        The macro `hand_over_lines` of the game's layout draws those of a deal.
        """
        return {}

    def settlement_hand_overs(
        self,
        payments: Sequence[Transfer],  # noqa: ARG002  # for games that override it
        names: Mapping[str, str],  # noqa: ARG002  # for games that override it
    ) -> Sequence[object]:
        """Return how each payment of the settlement is made, None for one that needs no explanation; or nothing at all.

        The macro `settlement_hand_over` of the game's layout draws one. `payments` are in the smallest unit, between
        players by name; `names` are the names of this standing's players.
        """
        return ()

    def closed(self, kind: str) -> list[dict[str, Any]]:
        """Return the closings of one kind (such as `MANCHE`) in the form used by the statement."""
        return [
            {"deal": row.number, "winner": closing.winner, **closing.figures}
            for row in self.rows
            for closing in row.closings
            if closing.kind == kind
        ]

    @property
    def deal_count(self) -> int:
        return self.rows[-1].deal_count if self.rows else 0

    @property
    def has_payments(self) -> bool:
        return any(entry.is_payment for row in self.rows for entry in row.entries)

    @property
    def is_finished(self) -> bool:
        return bool(self.rows) and any(closing.kind == PARTIE for closing in self.rows[-1].closings)

    @property
    def winner(self) -> str | None:
        return self.winners[0] if len(self.winners) == 1 else None


def find_kind(raw: Mapping[str, Any]) -> RowKind:
    kinds: tuple[RowKind, ...] = (ADJUSTMENT, SUBSTITUTION, TERMS)
    return next((kind for kind in kinds if kind in raw), DEAL)


def name_rows(sheet: Iterable[Mapping[str, Any]]) -> Iterator[RowName]:
    """Yield what people call each row of a sheet that is not scored."""
    deals = 0
    for raw in sheet:
        kind = find_kind(raw)
        deals += kind == DEAL
        yield RowName(kind, deals)


def replace_player(by_player: Mapping[str, ValueT], out: str, in_: str) -> dict[str, ValueT]:
    """Return a mapping in which what belonged to `out` belongs to `in_`, in the same order."""
    return {in_ if player == out else player: value for player, value in by_player.items()}


# The standing of any game: what its options are, only that game knows.
AnyStanding = Standing[Any]


def pay_from_left(standing: AnyStanding, side: str, counters: int, reason: str) -> tuple[Entry, ...]:
    """Pay both players of a side, each by the player on their left, in the smallest unit."""
    unit = standing.smallest_unit
    return tuple(Entry(standing.left_of(player), player, counters, unit, reason) for player in standing.partners(side))
