"""A game, how it stands, and the one loop that replays its deals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from . import record
from .ledger import FICHES, JETONS, POINTS, POT, Entry, mark
from .pad import Group
from .record import Between, Party, Player, Seats
from .remarks import Refusal, Remark, refuse, shown

NS, EW = "ns", "ew"
SIDES = (NS, EW)  # the first and third player, the second and fourth

CLOCKWISE, ANTICLOCKWISE = "clockwise", "anticlockwise"

MANCHE, ROBRE, PARTIE = "manche", "robre", "partie"

MOST = 1_000_000_000  # points or counters in one number of a sheet: far past any evening, well short of harm


@dataclass(frozen=True)
class Misdeal:
    """The cards were misdealt: nothing is scored and the same player deals again."""

    misdeal: bool


@dataclass(frozen=True)
class Adjustment:
    """What the players agree outside a deal: points to one party, or counters from one player to another."""

    to: Party
    from_: Player | None = None
    points: Annotated[int, Between(-MOST, MOST)] | None = None
    jetons: Annotated[int, Between(1, MOST)] | None = None
    fiches: Annotated[int, Between(1, MOST)] | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Agreed:
    adjustment: Adjustment


@dataclass(frozen=True, slots=True)
class Closing:
    """What a deal has brought to its end: a manche, a robre or the partie.

    `figures` are the keys that the statement adds to `deal` and `winner`; `entries` what is paid for it.
    """

    kind: str
    winner: str
    figures: Mapping[str, Any] = field(default_factory=dict)
    entries: tuple[Entry, ...] = ()


@dataclass(slots=True)
class Row:
    """One deal as it was scored: `scored` in this deal alone, `scores` after it, before an ended manche was cleared."""

    number: int
    dealer: str
    fact: Any  # the game's own Deal, a Misdeal or Agreed
    scored: dict[str, int]
    scores: dict[str, int]
    entries: list[Entry]
    closings: list[Closing]


@dataclass(slots=True)
class Standing:
    """A sheet so far. `fold` alone makes and advances one; a game adds the fields that only it carries forward.

    `parties` are those who score points: the two sides, or the players. `balances` are counters by player and
    unit, up or down since the sheet began; what lies in the pot is nobody's.
    """

    players: tuple[str, ...]
    parties: tuple[str, ...]
    options: Any
    clockwise: bool
    dealer: str
    scores: dict[str, int]
    balances: dict[str, dict[str, int]]
    rows: list[Row] = field(default_factory=list)
    winner: str | None = None

    def next_player(self, player: str) -> str:
        """Who plays, and deals, after this player."""
        return self.players[(self.players.index(player) + 1) % len(self.players)]

    def left_of(self, player: str) -> str:
        """Who sits at this player's left hand: the next where play runs clockwise, else the one before."""
        step = 1 if self.clockwise else -1
        return self.players[(self.players.index(player) + step) % len(self.players)]

    def others(self, player: str) -> list[str]:
        """The other players in order of turn, from the one after this player."""
        at = self.players.index(player)
        return [*self.players[at + 1 :], *self.players[:at]]

    def side_of(self, player: str) -> str:
        return SIDES[self.players.index(player) % 2]

    def partners(self, side: str) -> tuple[str, ...]:
        return self.players[SIDES.index(side) :: 2]

    def closed(self, kind: str) -> list[dict[str, Any]]:
        """Every manche (or robre) that has ended, as the statement tells of it."""
        return [
            {"deal": row.number, "winner": closing.winner, **closing.figures}
            for row in self.rows
            for closing in row.closings
            if closing.kind == kind
        ]

    @property
    def is_finished(self) -> bool:
        return self.winner is not None


def other_side(side: str) -> str:
    return EW if side == NS else NS


def held_by(side: str, told: Mapping[str, int], total: int) -> int:
    """What a side has of a total that the two sides share, told of either of them."""
    return told[side] if side in told else total - told[other_side(side)]


def sum_faults(at: str, told: Mapping[str, int], total: int) -> list[Remark]:
    """The fault of two sides' numbers that do not make the total; one side's number alone cannot be wrong here."""
    found = sum(told.values())
    return [Remark(at, "sum", {"found": found, "must": total})] if len(told) > 1 and found != total else []


def spelled_out(facts: dict[str, Any], key: str, total: int) -> dict[str, Any]:
    """The facts with the number of the side left unsaid filled in."""
    told = facts.get(key)
    if not isinstance(told, dict) or len(told) != 1:
        return facts
    return facts | {key: {side: held_by(side, told, total) for side in SIDES}}


def paid_from_the_left(standing: Standing, side: str, fiches: int, reason: str) -> tuple[Entry, ...]:
    """The custom of Whist: each winner is paid by the player at his left hand."""
    return tuple(Entry(standing.left_of(player), player, fiches, FICHES, reason) for player in standing.partners(side))


@dataclass(frozen=True)
class Game:
    """Two types and a few functions; a folder of `games` holds one in its `GAME`.

    `faults` says what could not have happened at the table, `score` what a deal brings, `close` what has ended
    (asked until it answers None), `report` the statement's keys that only this game has, `reckon` the numbers an
    entry's amount was made of, to be shown beside it. `pad` and `complete`
    say what may be tapped and what follows from the taps. `score` and `close` may write the fields that the
    game's own Standing adds, and nothing else of it.
    """

    slug: str
    seatings: tuple[int, ...]
    turn: str
    in_sides: bool
    units: tuple[str, ...]
    options: type[Any]
    deal: type[Any]
    faults: Callable[[Any, Any], Iterable[Remark]]
    score: Callable[[Any, Any], Iterable[Entry]]
    close: Callable[[Any], Closing | None]
    report: Callable[[Any], dict[str, Any]]
    reckon: Callable[[Any, Entry], Mapping[str, int]]
    pad: Callable[[Any, Mapping[str, Any]], Iterable[Group]]
    complete: Callable[[Any, dict[str, Any]], dict[str, Any]]
    reasons: tuple[str, ...]
    standing: Callable[..., Standing] = Standing
    falls_below_nought: bool = True

    def seats(self, players: tuple[str, ...]) -> Seats:
        sides = SIDES if self.in_sides else ()
        return Seats(players, sides, players + sides)

    def open(self, players: tuple[str, ...], dealer: str, options: Any) -> Standing:
        """The standing before the first deal; every party at 0, every balance at 0."""
        parties = SIDES if self.in_sides else players
        return self.standing(
            players=players,
            parties=parties,
            options=options,
            clockwise=self.turn == CLOCKWISE,
            dealer=dealer,
            scores=dict.fromkeys(parties, 0),
            balances={player: dict.fromkeys(self.units, 0) for player in players},
        )


def fold(game: Game, standing: Standing, deals: Iterable[Any]) -> Refusal | None:
    """Replay deals (plain JSON, as in a sheet) on a standing, which is advanced as far as they can stand.

    Answers None, or the refusal of the first deal that cannot stand. Linear in the deals.
    """
    seats = game.seats(standing.players)
    read_deal = record.reader(game.deal)
    nothing = dict.fromkeys(standing.parties, 0)
    for raw in deals:
        number = len(standing.rows) + 1
        if standing.winner is not None:
            return refuse(number, [Remark("deals", "partie-ended")])
        remarks: list[Remark] = []
        turn = standing.dealer
        standing.dealer, fact = _read(read_deal, raw, turn, seats, remarks)
        if fact is not record.BROKEN:
            remarks.extend(_faults(game, standing, fact))
        if remarks:
            standing.dealer = turn
            return refuse(number, remarks)
        _advance(game, standing, Row(number, standing.dealer, fact, nothing.copy(), {}, [], []))
    return None


def _read(read_deal: record.Reader, raw: Any, turn: str, seats: Seats, remarks: list[Remark]) -> tuple[str, Any]:
    """Who dealt (whose turn it was, where the sheet says nothing) and the fact, or BROKEN."""
    if type(raw) is not dict:
        remarks.append(Remark("deals", "a-deal"))
        return turn, record.BROKEN
    dealer = turn
    if "dealer" in raw:
        told = raw["dealer"]
        raw = {key: value for key, value in raw.items() if key != "dealer"}
        if told in seats.players:
            dealer = told
        else:
            remarks.append(Remark("dealer", "player", {"found": shown(told), "parties": seats.players}))
    if "misdeal" in raw:
        read_deal = record.reader(Misdeal)
    elif "adjustment" in raw:
        read_deal = record.reader(Agreed)
    return dealer, read_deal(raw, seats, remarks)


def _faults(game: Game, standing: Standing, fact: Any) -> Iterable[Remark]:
    if type(fact) is game.deal:
        return game.faults(standing, fact)
    if type(fact) is Agreed:
        return _adjustment_faults(game, standing, fact.adjustment)
    return () if fact.misdeal else (Remark("misdeal", "only-true"),)


def _advance(game: Game, standing: Standing, row: Row) -> None:
    fact = row.fact
    if type(fact) is game.deal:
        _apply(standing, row, game.score(standing, fact))
        standing.dealer = standing.next_player(row.dealer)
    elif type(fact) is Agreed:
        _apply(standing, row, (_agreed_entry(fact.adjustment),))
    row.scores = standing.scores.copy()
    standing.rows.append(row)
    while closing := game.close(standing):
        row.closings.append(closing)
        _apply(standing, row, closing.entries)
        if closing.kind == PARTIE:
            standing.winner = closing.winner
        elif closing.kind == MANCHE:
            standing.scores = dict.fromkeys(standing.parties, 0)


def _apply(standing: Standing, row: Row, entries: Iterable[Entry]) -> None:
    scores, scored, balances, kept = standing.scores, row.scored, standing.balances, row.entries
    for entry in entries:
        giver, taker, amount, unit, _ = entry
        if not amount:
            continue  # a payment of nothing is no payment
        kept.append(entry)
        if unit == POINTS:
            scores[taker] += amount  # type: ignore[index]  # a mark has a taker
            scored[taker] += amount  # type: ignore[index]
            continue
        if giver is not POT:
            balances[giver][unit] -= amount
        if taker is not POT:
            balances[taker][unit] += amount


def _agreed_entry(agreed: Adjustment) -> Entry:
    if agreed.points is not None:
        return mark(agreed.to, agreed.points, "adjustment")
    unit = JETONS if agreed.jetons is not None else FICHES
    return Entry(agreed.from_, agreed.to, agreed.jetons or agreed.fiches or 0, unit, "adjustment")


def _adjustment_faults(game: Game, standing: Standing, agreed: Adjustment) -> list[Remark]:
    amounts = [unit for unit in (POINTS, JETONS, FICHES) if getattr(agreed, unit) is not None]
    if len(amounts) != 1:
        return [Remark("adjustment", "one-amount", {"units": (POINTS, *game.units)})]
    if amounts == [POINTS]:
        return _points_faults(game, standing, agreed)
    return _counters_faults(game, standing, agreed, amounts[0])


def _points_faults(game: Game, standing: Standing, agreed: Adjustment) -> list[Remark]:
    remarks = []
    if agreed.from_ is not None:
        remarks.append(Remark("adjustment.from", "points-have-no-giver"))
    if agreed.to not in standing.parties:
        kind = "side" if game.in_sides else "player"
        remarks.append(Remark("adjustment.to", kind, {"found": agreed.to, "parties": standing.parties}))
    elif not agreed.points:
        remarks.append(Remark("adjustment.points", "not-nought"))
    elif not game.falls_below_nought and standing.scores[agreed.to] + agreed.points < 0:
        has = standing.scores[agreed.to]
        remarks.append(Remark("adjustment.points", "below-nought", {"party": agreed.to, "has": has}))
    return remarks


def _counters_faults(game: Game, standing: Standing, agreed: Adjustment, unit: str) -> list[Remark]:
    remarks = []
    if unit not in game.units:
        remarks.append(Remark(f"adjustment.{unit}", "no-such-unit", {"units": game.units}))
    if agreed.to not in standing.players:
        remarks.append(Remark("adjustment.to", "player", {"found": agreed.to, "parties": standing.players}))
    if agreed.from_ is None:
        remarks.append(Remark("adjustment.from", "missing"))
    elif agreed.from_ == agreed.to:
        remarks.append(Remark("adjustment.to", "same-player"))
    return remarks
