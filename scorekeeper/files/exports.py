"""Reading what exports contain: a circle's tables, in batches, its people, and its payments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from sqlalchemy import select

from ..games import games
from ..models import Circle, Payment, Seat, Table, db
from ..money.ledger import BOX, EVERYTHING, LedgerEntry
from ..money.reading import list_payments, read_ledger
from ..people.reading import list_people, read_persons
from ..tables.named_games import read_game_names
from ..tables.reading import read_one_by_one
from ..tables.state import TableState


class ExportedTable(NamedTuple):
    """A table and its label, as `2026-11-21-<slug>-3`: day, game, and number in the circle, by which it is unique."""

    label: str
    table: TableState

    @property
    def number(self) -> int:
        return int(self.label.rpartition("-")[2])


class ExportedPayment(NamedTuple):
    """A payment, the number of its table, and what the circle calls the game whose counters were paid."""

    row: Payment
    table: int | None = None
    unit_name: str = ""

    @property
    def parties(self) -> tuple[str, str]:
        giver, taker = (BOX if player is None else player.person.name for player in (self.row.giver, self.row.taker))
        return giver, taker


class ExportedPlayer(NamedTuple):
    """A person in one of the circle's accounts, or in none. Amounts are in subunits."""

    name: str
    tables: int  # how many they have played at, in all accounts
    account: str | None = None
    game_name: str = ""  # what the circle calls the game whose counters are in the account, if it has named it
    won: int = 0  # below 0 for a loss
    paid: int = 0  # below 0 for what was received
    open: int = 0  # the sum, above 0 for what they are owed


class Export(NamedTuple):
    """What spreadsheets and books are made of; each part is read once, when it is wanted.

    Payments and fees are in order of their numbers and days. `names` are those of all persons, oldest first, without
    those of merged players.
    """

    tables: Iterable[ExportedTable]
    payments: Iterable[ExportedPayment] = ()
    fees: Iterable[LedgerEntry] = ()  # and prizes
    players: Iterable[ExportedPlayer] = ()
    names: Iterable[str] = ()


def export_circle(circle: Circle) -> Export:
    return Export(
        tables=read_tables(circle),
        payments=read_payments(circle),
        fees=_read_fees(circle),
        players=read_players(circle),
        names=_read_names(circle),
    )


def export_table(table: TableState) -> tuple[str, Export]:
    """Return a table's label, and what is exported of it."""
    circle = table.stored.circle
    label = label_tables(circle)[table.id]
    exported = ExportedTable(label, table)
    return label, Export([exported], read_payments(circle, table.id), names=_read_names(circle))


def read_tables(circle: Circle, player_ids: Collection[int] | None = None) -> Iterator[ExportedTable]:
    """Yield the tables by day, or those with a seat of these players; without games that are not installed."""
    labels = label_tables(circle)
    of_circle = (Table.circle_id == circle.id, Table.game.in_(games()))
    query = select(Table.id).where(*of_circle).order_by(Table.day, Table.id)
    if player_ids is not None:
        query = query.where(Table.seats.any(Seat.player_id.in_(player_ids)))
    for table in read_one_by_one(circle.id, list(db.session.scalars(query))):
        yield ExportedTable(labels[table.id], table)


def label_tables(circle: Circle) -> dict[int, str]:
    query = select(Table.id, Table.day, Table.game).where(Table.circle_id == circle.id).order_by(Table.id)
    rows = db.session.execute(query).all()
    return {id_: f"{day.isoformat()}-{game}-{number}" for number, (id_, day, game) in enumerate(rows, start=1)}


def read_payments(circle: Circle, table_id: int | None = None) -> Iterator[ExportedPayment]:
    """Yield the circle's payments, or those for one table."""
    numbers = {id_: number for number, id_ in enumerate(label_tables(circle), start=1)}
    names = read_game_names(circle)
    for payment in list_payments(circle):
        if table_id in (None, payment.table_id):
            yield ExportedPayment(payment, numbers.get(payment.table_id or 0), names.get(payment.account, ""))


def _read_fees(circle: Circle) -> Iterator[LedgerEntry]:
    entries = (entry for entry in read_ledger(circle).entries if entry.source is not None)
    yield from sorted(entries, key=lambda entry: (entry.day, entry.event or 0))


def read_players(circle: Circle) -> Iterator[ExportedPlayer]:
    """Yield the persons by name, each in all of their accounts."""
    accounts = read_ledger(circle).read_accounts(EVERYTHING).values()
    names = read_game_names(circle)
    sums = {each.key: (each.won, each.paid, each.open) for each in accounts}
    for person in list_people(circle):
        unpaid = ExportedPlayer(person.player.name, person.tables)
        own = [key for key, (_, _, open_) in sums.items() if unpaid.name in open_]
        for key in own:
            won, paid, open_ = (amounts.get(unpaid.name, 0) for amounts in sums[key])
            yield unpaid._replace(account=key, game_name=names.get(key, ""), won=won, paid=paid, open=open_)
        if not own:
            yield unpaid


def _read_names(circle: Circle) -> Iterator[str]:
    yield from (person.name for id_, person in read_persons(circle).items() if id_ == person.id)
