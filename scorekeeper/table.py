"""A table as it stands: its revisions, replayed. Players are called by their seats in everything but the sheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from itertools import islice
from typing import Any

from . import history
from .games import games
from .history import KeptDeal, Revised
from .replay import CannotStandError, Replay
from .scoring import record
from .scoring.agreed import Agreed, Misdeal
from .scoring.game import Game, fold
from .scoring.rename import rename
from .scoring.sheet import Sheet, Value
from .scoring.standing import Row, Standing
from .store import Browser, Table

NIGHT = timedelta(hours=5)  # what is begun so long after midnight belongs to the evening before


@dataclass(frozen=True)
class Played:
    """A deal as kept and as scored: `row` is None while it is withdrawn."""

    deal: KeptDeal
    row: Row | None


class Open:
    """A table as it stands: everything here is replayed from its revisions. Players are called by their seats.

    `replay` is what some of them came to when they were read earlier; `revisions` are the others.
    """

    def __init__(self, table: Table, revisions: Iterable[Revised] = (), replay: Replay | None = None) -> None:
        self.table = table
        self.token, self.edition = table.token, table.edition  # at hand also when the transaction has ended
        try:
            self.replay = (replay or _opened(table)).extended(revisions)
        except CannotStandError as error:
            raise ValueError(f"table {table.id} no longer stands: {error}") from error

    def with_one_more(self, revision: Revised) -> Open:
        """As it would stand; raises CannotStandError."""
        return Open(self.table, replay=self.replay.extended([revision]))

    @property
    def game(self) -> Game:
        return self.replay.game

    @property
    def standing(self) -> Standing:
        return self.replay.standing

    @property
    def revisions(self) -> Sequence[Revised]:
        return self.replay.revisions

    @property
    def deals(self) -> Sequence[KeptDeal]:
        return self.replay.deals

    @property
    def seen(self) -> int:
        """How many revisions this reading has seen."""
        return len(self.revisions)

    @property
    def is_closed(self) -> bool:
        return self.table.closed_at is not None

    @cached_property
    def names(self) -> dict[str, str]:
        return {seat.seat: seat.player.person.name for seat in self.table.seats}

    @property
    def value(self) -> Value | None:
        return value_of(self.table)

    @cached_property
    def browsers(self) -> dict[int, Browser]:
        """The circle's browsers by what a revision calls them."""
        return {browser.id: browser for browser in self.table.circle.browsers}

    @property
    def last_undoable(self) -> history.Revised | None:
        return history.last_undoable(self.revisions)

    @cached_property
    def announced(self) -> dict[str, Any] | None:
        """What is known of the deal that is being played, as far as the game has it told beforehand."""
        return None if self.is_closed or self.standing.is_finished else history.announced(self.revisions)

    @property
    def last_announcement(self) -> dict[str, Any] | None:
        """What would have been told beforehand of the last deal that was played."""
        for deal in reversed(self.deals):
            facts = {key: value for key, value in (deal.body or {}).items() if key in self.game.announced}
            if facts:
                return {self.game.announced[0]: facts.get(self.game.announced[0])}
        return None

    def opened(self) -> Standing:
        """The standing before the first deal."""
        return self.replay.opened.copy()

    def before(self, deal_id: int) -> Standing:
        """The standing in which a deal was played."""
        standing = self.opened()
        earlier: list[Any] = []
        for deal in self.deals:
            if deal.id == deal_id:
                break
            earlier.append(deal.body)
        fold(self.game, standing, [body for body in earlier if body is not None])
        return standing

    def after(self, number: int) -> Standing:
        """The standing after so many of the deals that stand; as it was opened after none."""
        standing = self.opened()
        fold(self.game, standing, [deal.body for deal in self.deals if not deal.is_withdrawn][:number])
        return standing

    def as_seen(self, seen: int) -> Open:
        """The table as it was when it had so many revisions; what was tapped on its page means what it meant there."""
        return Open(self.table, self.revisions[:seen]) if 0 <= seen < self.seen else self

    def deal(self, deal_id: int) -> KeptDeal | None:
        return next((deal for deal in reversed(self.deals) if deal.id == deal_id), None)

    @cached_property
    def played(self) -> list[Played]:
        """Every deal with its row, in order."""
        return [*self.newest_first()][::-1]

    def newest_first(self) -> Iterator[Played]:
        """The same from the end, for whoever needs but the last of them."""
        rows = reversed(self.standing.rows)
        return (Played(deal, None if deal.is_withdrawn else next(rows)) for deal in reversed(self.deals))

    def newest(self, most: int) -> list[Played]:
        return list(islice(self.newest_first(), most))

    def numbered(self, number: int) -> Played | None:
        """The deal that the sheet counts so."""
        return next((played for played in self.newest_first() if played.row and played.row.number == number), None)

    def row_of(self, deal_id: int) -> Row | None:
        """None for a deal that is withdrawn or not there yet."""
        return next((played.row for played in self.newest_first() if played.deal.id == deal_id), None)

    def number_of(self, deal_id: int) -> int | None:
        """The number of a deal as the sheet counts them; None likewise."""
        row = self.row_of(deal_id)
        return row.number if row is not None else None

    def sheet(self, names: Mapping[str, str] | None = None) -> Sheet:
        """The portable sheet, players called by their names, or as told for each seat."""
        names = names or self.names
        deals = [named(self.game, deal.body, names) for deal in self.deals if deal.body is not None]
        return replace(self.head(names), deals=deals)

    def head(self, names: Mapping[str, str]) -> Sheet:
        """The same without its deals."""
        return Sheet(
            game=self.game,
            players=tuple(names.values()),
            dealer=names[self.table.dealer],
            options=self.standing.options,
            deals=[],
            value=self.value,
            title=self.table.title,
            played_on=self.table.played_on,
        )


def _opened(table: Table) -> Replay:
    game = games()[table.game]
    seats = game.seats(tuple(seat.seat for seat in table.seats))
    options = record.load(game.options, table.house_rules, seats, [])
    standing = game.open(seats.players, table.dealer, options)
    return Replay(game, standing, standing)


def value_of(table: Table) -> Value | None:
    if table.value_amount is None or table.value_currency is None or table.value_unit is None:
        return None
    return Value(table.value_currency, table.value_unit, Decimal(table.value_amount))


def evening_of(moment: datetime) -> date:
    """The evening that a moment (UTC, without a zone) belongs to, by the clocks of the server's zone."""
    return (moment.replace(tzinfo=UTC).astimezone() - NIGHT).date()


def named(game: Game, body: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A deal's facts with the players called by other names (seats by theirs, or theirs by seats), else unchanged."""
    facts = {key: value for key, value in body.items() if key != "dealer"}
    kind = Misdeal if "misdeal" in facts else Agreed if "adjustment" in facts else game.deal
    fact = record.load(kind, facts, game.seats(tuple(names)), [])
    is_marked = isinstance(fact, Agreed) and fact.adjustment.points is not None
    # Where sides score, points go to a side; a player who calls himself "ns" is none.
    called: dict[str, Any] = record.dump(fact if is_marked and game.in_sides else rename(fact, names))
    return {"dealer": names[body["dealer"]]} | called if "dealer" in body else called
