"""Reading what exports contain: a circle's tables, in batches, its people, and its payments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from sqlalchemy import select

from ..games import games
from ..models import Circle, Player, Seat, Table, db
from ..money.ledger import BOX, EVERYTHING, FEE, PRIZE, TABLE, Entry
from ..money.ledger import PAYMENT as PAID
from ..money.reading import list_payments, read_ledger
from ..people.people import list_people
from ..people.players import list_all_players
from ..tables.opening import read_names
from ..tables.reading import read_one_by_one
from ..tables.state import TableState
from .spreadsheets import ExportedPayment, ExportedPlayer, ExportedTable


def read_tables(circle: Circle, player_ids: Collection[int] | None = None) -> Iterator[ExportedTable]:
    """Yield the circle's tables in order of day; only those with a seat of these players, if they are given.

    Tables of games that are not installed are left out.
    """
    labels = label_tables(circle)
    of_circle = (Table.circle_id == circle.id, Table.game.in_(games()))
    query = select(Table.id).where(*of_circle).order_by(Table.day, Table.id)
    if player_ids is not None:
        query = query.where(Table.seats.any(Seat.player_id.in_(player_ids)))
    for table in read_one_by_one(circle.id, list(db.session.scalars(query))):
        yield ExportedTable(labels[table.id], table)


def export_table(table: TableState) -> ExportedTable:
    """Label a single table as in an export of the whole circle."""
    return ExportedTable(label_tables(table.stored.circle)[table.id], table)


def label_tables(circle: Circle) -> dict[int, str]:
    query = select(Table.id, Table.day, Table.game).where(Table.circle_id == circle.id).order_by(Table.id)
    rows = db.session.execute(query).all()
    return {id_: f"{day.isoformat()}-{game}-{number}" for number, (id_, day, game) in enumerate(rows, start=1)}


def read_payments(circle: Circle, exported: ExportedTable | None = None) -> list[ExportedPayment]:
    """List the circle's payments in order; those for a table alone, if it is given."""
    numbers, names = {id_: number for number, id_ in enumerate(label_tables(circle), start=1)}, read_names(circle)
    return [
        ExportedPayment(payment, numbers.get(payment.table_id or 0), names.get(payment.account, ""))
        for payment in list_payments(circle)
        if exported is None or payment.table_id == exported.table.id
    ]


def read_fees(circle: Circle) -> list[Entry]:
    """List the entries of the fees and prizes of events, in order of day."""
    entries = (entry for entry in read_ledger(circle).entries if entry.kind in (FEE, PRIZE))
    return sorted(entries, key=lambda entry: (entry.day, entry.event or 0))


def read_players(circle: Circle) -> list[ExportedPlayer]:
    """List each person in each account they are in, with what they won, paid and are owed."""
    accounts, names = read_ledger(circle).read_accounts(EVERYTHING).values(), read_names(circle)
    sums = [(account, account.sum_of(TABLE, FEE, PRIZE), account.sum_of(PAID)) for account in accounts]
    listed = []
    for person in list_people(circle):
        name = person.player.name
        own = [
            ExportedPlayer(
                name,
                person.tables,
                account.key,
                names.get(account.key, ""),
                won.get(name, 0),
                paid.get(name, 0),
                account.open.get(name, 0),
            )
            for account, won, paid in sums
            if name in account.open
        ]
        listed += own or [ExportedPlayer(name, person.tables)]
    return listed


def list_names(circle: Circle) -> list[str]:
    """List the names of the circle's persons, oldest first, without those of merged players."""
    persons: list[Player] = [player for player in list_all_players(circle) if player.person_id is None]
    return [player.name for player in sorted(persons, key=lambda player: player.id)]


def names_for_table(exported: ExportedTable, payments: Iterable[ExportedPayment]) -> list[str]:
    """List the names at a table, and those in its payments, such as a banker who did not play."""
    in_payments = (name for payment in payments for name in payment.parties if name != BOX)
    names = (exported.table.names[label] for label in exported.table.everybody)
    return list(dict.fromkeys((*names, *in_payments)))
