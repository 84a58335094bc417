"""Everything that a circle holds about a person: which rows it is in, and the file with it.

Each column that refers to a player or a phone stands in `SECTIONS`; a test looks for those that do not. Texts in which
people are named are found by their columns: erasure.py. Of other people there are only their names, where the person
played with them or paid them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import IO, Any, NamedTuple

from sqlalchemy import Select, or_, select

from ..games import slug_of
from ..models import Base, Circle, Entrant, Event, Membership, Player, db, now
from ..people.erasure import find_texts_about
from ..people.reading import list_all_players, players_of_person, read_persons
from ..scoring.standing import Entry, Row
from ..site.features import features
from ..standings.reading import read_ratings
from ..tables.named_games import read_game_names
from ..tables.state import TableState
from .exports import ExportedTable, label_tables, read_players, read_tables
from .json_documents import to_json, write_lists
from .spreadsheets import amount_in

TABLES = Base.metadata.tables
REASON = "reason"  # of an adjustment, in the body of a revision


class Section(NamedTuple):
    """A section of what a circle holds about a person. Names of columns are separated by spaces."""

    name: str
    table: str  # of the database
    by: str  # the columns that refer to the person, or to a phone of theirs
    columns: str  # those in the export, never of secrets; those of a row that it refers to after the table's name

    @property
    def references(self) -> list[Any]:
        return [TABLES[self.table].c[name] for name in self.by.split()]

    def list_columns(self) -> list[Any]:
        places = [name.rpartition(".") for name in self.columns.split() if name != REASON]
        return [TABLES[table or self.table].c[name] for table, _, name in places]

    def select_about(self, circle_id: int, player_ids: Sequence[int]) -> Select[Any]:
        own = TABLES[self.table]
        columns = self.list_columns()
        if REASON in self.columns.split():
            columns.append(own.c.body["adjustment"][REASON].as_string().label(REASON))
        query = select(*columns).select_from(own)
        for other in dict.fromkeys(column.table for column in self.list_columns() if column.table is not own):
            reference = next(column for column in own.c if find_referred(column) == other.name)
            query = query.join(other, other.c.id == reference)
        phones = select(Membership.id).where(Membership.circle_id == circle_id, Membership.player_id.in_(player_ids))
        conditions = [
            column.in_(phones) if find_referred(column) == "membership" else _is_of_players(column, player_ids)
            for column in self.references
        ]
        return query.where(own.c.circle_id == circle_id, or_(*conditions)).order_by(*own.primary_key)


def find_referred(column: Any) -> str | None:
    return next((key.column.table.name for key in column.foreign_keys), None)


def _is_of_players(column: Any, player_ids: Sequence[int]) -> Any:
    if str(column) != "event_phone.number":
        return column.in_(player_ids)
    entrant, phone = TABLES["entrant"].c, column.table.c
    conditions = [getattr(entrant, name) == getattr(phone, name) for name in ("circle_id", "event_id", "number")]
    return select(entrant.number).where(*conditions, entrant.player_id.in_(player_ids)).exists()


_PAYMENT = "number account amount paid_on at method table_id event_id evening withdrawn_at"
_RESULT = "event_result.event_id event_result.round event_result.table_number"
_ANSWER = "planned_evening.begins answer guests at"
_ENTRANT = "event_id number group joined_at first_round last_round is_stationary is_free"

SECTIONS = (
    Section("names", "player", "id person_id", "name is_banker is_cashier iban payment_link retired_at"),
    Section("phones", "membership", "player_id", "number name created_at revoked_at"),
    Section("links", "membership_link", "membership_id", "membership_id link.right joined_at link.revoked_at"),
    Section("renewed_links", "link", "revoked_by_id", "right revoked_at"),
    Section("evenings", "presence", "player_id", "day arrived_at"),
    Section("answers", "evening_answer", "player_id", f"planned_evening.place day {_ANSWER}"),
    Section("calendars", "calendar_feed", "membership_id", "created_at"),
    Section("notices", "notice_subscription", "membership_id", "kinds language changed_at"),
    Section("handicaps", "handicap", "player_id", "season.name kind size"),
    Section("tables", "seat", "player_id", "table_id label is_substitute"),
    Section("entries", "revision", "membership_id", f"table_id number kind deal_id at {REASON}"),
    Section("paid", "payment", "giver_id", f"{_PAYMENT} taker_id"),
    Section("received", "payment", "taker_id", f"{_PAYMENT} giver_id"),
    Section("recorded_payments", "payment", "membership_id", "number at"),
    Section("withdrawn_payments", "payment", "withdrawn_by_id", "number withdrawn_at"),
    Section("confirmed_payments", "confirmation", "membership_id", "payment.number at"),
    Section("events", "entrant", "player_id", _ENTRANT),
    Section("substitutions", "entrant_substitution", "player_id", "event_id number round"),
    Section("event_phones", "event_phone", "membership_id number", "event_id table_number number joined_at"),
    Section("results", "event_result", "membership_id", "event_id round table_number is_slip at"),
    Section("confirmed_results", "event_confirmation", "membership_id", f"{_RESULT} side at event_result.body"),
)


# --- reading and writing ------------------------------------------------------------------------------------

FORMAT = "scorekeeper-person/1"

Item = dict[str, Any]  # values are texts, whole numbers, True, moments, days, amounts, or items and lists of these


@dataclass(frozen=True)
class OwnAmount:
    """An amount in an account, a currency or a game's slug, in its subunits."""

    account: str
    subunits: int


def read_everything(person: Player) -> Mapping[str, Iterable[Item]]:
    """Return the items of each section about a person, to be read once and in order."""
    about = _Person(person)
    sections = {section.name: about.read_rows(section) for section in SECTIONS}
    sections["tables"] = about.add_tables(sections["tables"])
    sections["events"] = about.add_cards(sections["events"])
    sections["confirmed_results"] = about.name_sides(sections["confirmed_results"])
    computed = {"balances": about.read_balances(), "ratings": about.read_ratings(), "texts": about.read_texts()}
    return sections | computed


def write_everything(person: Player, file: IO[bytes]) -> None:
    head = {"format": FORMAT, "written_at": now(), "name": person.name}
    write_lists(head, read_everything(person), file, _to_json)


def _to_json(value: object) -> object:
    if isinstance(value, OwnAmount):
        return {"amount": f"{amount_in(value.account, value.subunits):f}", "unit": value.account}
    return to_json(value)


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

    def read_rows(self, section: Section) -> Iterator[Item]:
        """Yield the rows of a section, without what is empty or false."""
        query = section.select_about(self.circle.id, self.ids)
        columns = [(str(column.key).removesuffix("_id"), find_referred(column)) for column in query.selected_columns]
        for row in db.session.execute(query, execution_options={"yield_per": 1000}):
            item: Item = {}
            for (key, referred), value in zip(columns, row, strict=True):
                if value is not None and value is not False and value != "":
                    item[key] = value if referred is None else self._words[referred][value]
            if "amount" in item:
                item["amount"] = OwnAmount(item.pop("account"), item["amount"])
            yield item

    def add_tables(self, seats: Iterator[Item]) -> Iterator[Item]:
        by_label = {seat["table"]: seat for seat in seats}
        for exported in read_tables(self.circle, self.ids):
            yield by_label.pop(exported.label) | self._table(exported)
        yield from by_label.values()  # at tables of games that are not installed

    def _table(self, exported: ExportedTable) -> Item:
        table = exported.table
        row = table.stored
        found = {key: getattr(row, key) for key in ("game", "day", "title", "place", "opened_at", "closed_at")}
        found["game_name"] = table.game.find_name(row.house_rules)
        item = {key: value for key, value in found.items() if value} | {"players": [*table.names.values()]}
        own = next(at.label for at in row.seats if at.player_id in self.ids)
        result = table.result
        rows = [scored.row for scored in table.scored_deals if scored.row is not None]
        deals = [deal for each in rows for deal in _deal(table, each, own)]
        return item | {"result": OwnAmount(result.account, result.subunits.get(own, 0)), "deals": deals}

    def add_cards(self, entries: Iterator[Item]) -> Iterator[Item]:
        query = select(Event, Entrant.number).join(Event.entrants).where(Event.circle_id == self.circle.id)
        query = query.where(Entrant.player_id.in_(self.ids)).order_by(Entrant.event_id, Entrant.number)
        for item, (event, number) in zip([*entries], db.session.execute(query).all(), strict=True):
            item |= {"day": event.day, "game": event.game}
            for feature in features():
                item.update(feature.read_card(event, number))
            yield item

    def name_sides(self, confirmed: Iterator[Item]) -> Iterator[Item]:
        for item in confirmed:
            body = item.pop("body", None)
            for feature in features():
                item["side"] = feature.name_side(item["side"], body)
            yield item

    def read_balances(self) -> Iterator[Item]:
        for row in read_players(self.circle):
            if row.name == self.person.name and row.account is not None:
                amounts = {"won": row.won, "paid": row.paid, "open": row.open}
                formatted = {key: OwnAmount(row.account, amount) for key, amount in amounts.items()}
                yield {"account": row.account} | formatted

    def read_ratings(self) -> Iterator[Item]:
        names = read_game_names(self.circle)
        for key, rated in (read_ratings(self.circle) if self.circle.shows_ratings else {}).items():
            found = rated.get(self.person.id)
            if found is not None:
                called = {"game_name": names[key]} if key in names else {}
                yield {"game": slug_of(key)} | called | found._asdict()

    def read_texts(self) -> Iterator[Item]:
        """Yield the texts that name the person, but for payment details of others."""
        texts = (written for written in find_texts_about(self.person) if not isinstance(written.row, Player))
        return ({"kind": written.kind, "text": written.text} for written in texts)


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


def _entry(table: TableState, entry: Entry) -> Item:
    """Return an entry; a mark has no giver and no taker, and the pot is None."""
    labels = {"giver": entry.giver, "taker": entry.taker} if entry.is_payment else {}
    names = {key: table.names[label] if label is not None else None for key, label in labels.items()}
    return names | {"amount": entry.amount, "unit": entry.unit, "reason": entry.reason}
