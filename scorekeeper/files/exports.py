"""Reading what exports contain: a circle's tables, in batches, its payments, and everything about a person."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import IO, Any, NamedTuple

from sqlalchemy import select
from werkzeug.utils import cached_property

from ..games import find_game, games, slug_of
from ..models import (
    Circle,
    Entrant,
    Event,
    Membership,
    Payment,
    Player,
    RoundResult,
    Seat,
    Table,
    db,
)
from ..money.ledger import BOX, EVERYTHING, FEE, PRIZE, TABLE, Entry
from ..money.ledger import PAYMENT as PAID
from ..money.reading import list_payments, read_ledger
from ..people.erasure import find_texts_about
from ..people.people import list_people
from ..people.players import list_all_players, players_of_person, read_persons
from ..scoring.standing import Entry as CounterEntry
from ..scoring.standing import Row
from ..site.time_zones import now
from ..standings.reading import read_ratings
from ..tables.opening import read_names
from ..tables.reading import read_one_by_one
from ..tables.state import TableState
from .json_documents import write_lists
from .personal_data import HELD, Held, find_referred
from .spreadsheets import ExportedPayment, ExportedPlayer, ExportedTable, amount_in, label


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
    return {id_: label(day, game, number) for number, (id_, day, game) in enumerate(rows, start=1)}


def read_payments(circle: Circle, exported: ExportedTable | None = None) -> list[ExportedPayment]:
    """List the circle's payments in order; those for a table alone, if it is given."""
    numbers, names = {id_: number for number, id_ in enumerate(label_tables(circle), start=1)}, read_names(circle)
    return [
        _export_payment(payment, numbers, names)
        for payment in list_payments(circle)
        if exported is None or payment.table_id == exported.table.id
    ]


def _export_payment(payment: Payment, numbers: dict[int, int], names: Mapping[str, str]) -> ExportedPayment:
    table, event = payment.table, payment.event
    return ExportedPayment(
        number=payment.number,
        kind=payment.kind,
        day=payment.paid_on,
        giver=payment.giver.person.name if payment.giver is not None else BOX,
        taker=payment.taker.person.name if payment.taker is not None else BOX,
        account=payment.account,
        amount=int(payment.amount),
        method=payment.method,
        note=payment.note or "",
        table=numbers[table.id] if table is not None else None,
        evening=payment.evening,
        event=event.title if event is not None else None,
        game=table.game if table is not None else None,
        game_name=find_game(table.game).find_name(table.house_rules) if table is not None else "",
        unit_name=names.get(payment.account, ""),
        state="removed" if payment.withdrawn_at is not None else "waiting" if payment.is_waiting else "paid",
    )


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
    in_payments = (name for payment in payments for name in (payment.giver, payment.taker) if name != BOX)
    names = (exported.table.names[label] for label in exported.table.everybody)
    return list(dict.fromkeys((*names, *in_payments)))


# --- everything about a person -------------------------------------------------------------------------------
# Of other people there are only their names, where the person played with them or paid them.

FORMAT = "scorekeeper-person/1"

Item = dict[str, Any]  # values are texts, whole numbers, True, moments, days, amounts, or items and lists of these


@dataclass(frozen=True)
class OwnAmount:
    """An amount in an account, a currency or a game's slug, in its subunits."""

    account: str
    subunits: int


class Cards(NamedTuple):
    """What a feature with events says of somebody there.

    Attributes:
        read_card: returns the place of a number in an event's standings, and what it did in each round.
        name_side: returns a side of a result as the file names it: where everybody plays alone, a seat.
    """

    read_card: Callable[[Event, int], Item]
    name_side: Callable[[int, Mapping[str, Any] | None], str | int]


CARDS: dict[str, Cards] = {}  # by feature


def read_everything(person: Player) -> Mapping[str, Iterable[Item]]:
    """Return the items of each section about a person, to be read once and in order."""
    about = _Person(person)
    sections = {held.section: about.read_rows(held) for held in HELD}
    sections["tables"] = about.add_tables(sections["tables"])
    sections["events"] = about.add_cards(sections["events"])
    sections["confirmed_results"] = about.name_seats(sections["confirmed_results"])
    computed = {"balances": about.read_balances(), "ratings": about.read_ratings(), "texts": about.read_texts()}
    return sections | computed


def write_everything(person: Player, file: IO[bytes]) -> None:
    """Write the file, with one item on each line. A section without items is an empty list."""
    head = {"format": FORMAT, "written_at": now(), "name": person.name}
    write_lists(head, read_everything(person), file, _to_json)


def _to_json(value: object) -> object:
    if isinstance(value, OwnAmount):
        return {"amount": f"{amount_in(value.account, value.subunits):f}", "unit": value.account}
    if isinstance(value, datetime):
        return f"{value.isoformat()}Z"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"{type(value)} has no place in the file")


class _Person:
    def __init__(self, person: Player) -> None:
        self.person = person
        self.circle: Circle = person.circle
        self.ids = [player.id for player in players_of_person(person, list_all_players(self.circle))]

    @cached_property
    def _words(self) -> dict[str, Mapping[int, Any]]:
        """What stands in an item for a reference, by the table that it leads to."""
        memberships = select(Membership.id, Membership.number).where(Membership.circle_id == self.circle.id)
        events = select(Event.id, Event.title).where(Event.circle_id == self.circle.id)
        return {
            "player": {id_: person.name for id_, person in read_persons(self.circle).items()},
            "membership": {row.id: row.number for row in db.session.execute(memberships)},
            "event": {row.id: row.title for row in db.session.execute(events)},
            "card_table": label_tables(self.circle),
        }

    def read_rows(self, held: Held) -> Iterator[Item]:
        """Yield the rows of a section, without what is empty or false."""
        query = held.select_about(self.circle.id, self.ids)
        columns = [(str(column.key).removesuffix("_id"), find_referred(column)) for column in query.selected_columns]
        for row in db.session.execute(query, execution_options={"yield_per": 1000}):
            item: Item = {}
            for (key, referred), value in zip(columns, row, strict=True):
                if value is not None and value is not False and value != "":
                    item[key] = value if referred is None else self._words[referred][value]
            if "amount" in item:
                item["amount"] = OwnAmount(item.pop("account"), int(item["amount"]))
            yield item

    # --- tables --------------------------------------------------------------------------------------------

    def add_tables(self, seats: Iterator[Item]) -> Iterator[Item]:
        by_label = {seat["table"]: seat for seat in seats}
        for exported in read_tables(self.circle, self.ids):
            yield by_label.pop(exported.label) | self._table(exported)
        yield from by_label.values()  # at tables of games that are not installed

    def _table(self, exported: ExportedTable) -> Item:
        table, row = exported.table, exported.table.stored
        found = {key: getattr(row, key) for key in ("game", "day", "title", "place", "opened_at", "closed_at")}
        found["game_name"] = row.house_rules.get(table.game.house_rules.named_by or "")
        item = {key: value for key, value in found.items() if value} | {"players": [*table.names.values()]}
        own = next(at.seat for at in row.seats if at.player_id in self.ids)
        return item | _result(table, own)

    # --- events, money and texts -----------------------------------------------------------------------------

    def add_cards(self, entries: Iterator[Item]) -> Iterator[Item]:
        query = select(Event, Entrant.number).join(Event.entrants).where(Event.circle_id == self.circle.id)
        query = query.where(Entrant.player_id.in_(self.ids)).order_by(Entrant.event_id, Entrant.number)
        for item, (event, number) in zip([*entries], db.session.execute(query).all(), strict=True):
            item |= {"day": event.day, "game": event.game}
            yield from ([item | cards.read_card(event, number) for cards in CARDS.values()] or [item])

    def name_seats(self, confirmed: Iterator[Item]) -> Iterator[Item]:
        """Yield the confirmations of results; where everybody plays alone, `side` is a seat."""
        held = next(held for held in HELD if held.section == "confirmed_results")
        query = held.select_about(self.circle.id, self.ids).add_columns(RoundResult.body)
        for item, (*_, body) in zip(confirmed, db.session.execute(query).all(), strict=True):
            side = next((cards.name_side(item["side"], body) for cards in CARDS.values()), item["side"])
            yield item | {"side": side}

    def read_balances(self) -> Iterator[Item]:
        for row in read_players(self.circle):
            if row.name == self.person.name and row.account is not None:
                amounts = {"won": row.won, "paid": row.paid, "open": row.open}
                formatted = {key: OwnAmount(row.account, amount) for key, amount in amounts.items()}
                yield {"account": row.account} | formatted

    def read_ratings(self) -> Iterator[Item]:
        names = read_names(self.circle)
        for key, rated in (read_ratings(self.circle) if self.circle.shows_ratings else {}).items():
            found = rated.get(str(self.person.id))
            if found is not None:
                called = {"game_name": names[key]} if key in names else {}
                yield {"game": slug_of(key)} | called | found._asdict()

    def read_texts(self) -> Iterator[Item]:
        """Yield the texts that name the person, but for payment details of others."""
        texts = (written for written in find_texts_about(self.person) if not isinstance(written.row, Player))
        return ({"kind": written.kind, "text": written.text} for written in texts)


def _result(table: TableState, own: str) -> Item:
    result = table.result
    deals = [deal for scored in table.scored_deals if scored.row is not None for deal in _deal(table, scored.row, own)]
    return {"result": OwnAmount(result.account, result.subunits.get(own, 0)), "deals": deals}


def _deal(table: TableState, row: Row, own: str) -> Iterator[Item]:
    """Yield the row of a deal at which they sat, or of anything else with an entry of theirs."""
    is_seated = own in row.players
    party = table.standing.seated_as(row).side_of(own) if table.game.in_sides and is_seated else own
    entries = [entry for entry in row.entries if {own, party} & {entry.giver, entry.taker}]
    number = row.name.deal_number
    if entries or (is_seated and number is not None):
        item: Item = {"deal": number} if number is not None else {"kind": row.kind}
        scores = {"scored": row.scored.get(party), "score": row.scores.get(party)}
        item |= {key: score for key, score in scores.items() if score is not None}
        yield item | {"entries": [_entry(table, entry) for entry in entries]}


def _entry(table: TableState, entry: CounterEntry) -> Item:
    """Return an entry; a mark has no giver and no taker, and the pot is None."""
    labels = {"giver": entry.giver, "taker": entry.taker} if entry.is_payment else {}
    names = {key: table.names[label] if label is not None else None for key, label in labels.items()}
    return names | {"amount": entry.amount, "unit": entry.unit, "reason": entry.reason}
