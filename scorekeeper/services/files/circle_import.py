"""Import a circle's file as a new circle, in transactions short enough for those who play meanwhile."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import IO, Any, NamedTuple, TypeVar, cast

from sqlalchemy import Table as SqlTable
from sqlalchemy import insert, select, update
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.utils import cached_property

from ...db.clock import now
from ...db.transactions import CircleErasedError, write, write_to_circle
from ...exchange.archives import MILLION
from ...exchange.circle_file import CircleFileError, read_items, unpacked
from ...exchange.circle_records import (
    LISTS,
    EventRecord,
    TableRecord,
    parse_moment,
)
from ...models import (
    HOST,
    Browser,
    Circle,
    Device,
    Event,
    Payment,
    Player,
    Revision,
    Season,
    Seat,
    Settlement,
    Table,
    db,
)
from ...scoring import schema
from ...scoring.problems import Problem
from ...scoring.values import CleanedText, JsonObject
from ...tables.revisions import RevisionRow
from ...tables.state import TableState
from ..access import browser_for, get_device, hash_secret, new_secret
from ..circles.lifecycle import add_links, erase_circle
from ..circles.players import read_persons
from ..money.unpaid import recompute_all
from ..tables import summaries
from ..tables.summaries import SummaryRow
from .circle_checks import CheckedCircle, add_up_taken_over, check, load_again
from .circle_plays import get_house_rules, get_options, number_labels
from .circle_rows import add_rows, make_row


@dataclass
class CircleStorer:
    """Stores one circle. `ids` are those in the database by the numbers in the file, for each section.

    Until `finish`, nobody can open the circle: it has no links. What it has is consistent at any time.
    """

    checked: CheckedCircle
    ids: dict[str, dict[int, int]] = field(default_factory=lambda: {section: {} for section in LISTS})
    taken_over: dict[int, SummaryRow] = field(default_factory=dict)  # by the table's number

    @cached_property
    def _parts_of_tables(self) -> dict[int, dict[int, int]]:
        return add_up_taken_over(self.checked.settlements)

    def begin(self) -> Circle:
        """Add the circle with its people, in the caller's transaction."""
        circle = self._add_circle()
        banker, players = self.checked.circle.banker, self.checked.players
        self._add(
            "players", Player, circle, players, lambda each: {"person_id": None, "is_banker": each.number == banker}
        )
        self._refer(Player, "players", circle, "person_id", players, "merged_into")
        self._add_browsers(circle)
        return circle

    def add(self, circle: Circle, items: Sequence[TableRecord | EventRecord]) -> None:
        """Add tables and events, in the caller's transaction."""
        for record in items:
            if isinstance(record, TableRecord):
                self._add_table(circle, record, self._parts_of_tables.get(record.number, {}))
                continue
            self._add("events", Event, circle, [record], _of_event)

    def finish(self, circle: Circle, device_secret: str | None, entry_key: str | None) -> str:
        """Add the rest and the links, and return the secret of the link for hosts, in the caller's transaction."""
        self._add("", Season, circle, self.checked.seasons)
        cache: JsonObject = {"successor_id": None, "unpaid": {}, "is_paid": True, "is_cleared": True}
        self._add("settlements", Settlement, circle, self.checked.settlements, lambda _: cache)
        self._refer(Settlement, "settlements", circle, "successor_id", self.checked.settlements, "successor")
        self._add("payments", Payment, circle, self.checked.payments)
        db.session.flush()
        db.session.expire_all()
        summaries.take_over(circle.id, {self.ids["tables"][number]: row for number, row in self.taken_over.items()})
        recompute_all(circle, read_persons(circle))
        circle.created_at, circle.entry_key = parse_moment(self.checked.circle.created_at), entry_key
        host = browser_for(circle, get_device(device_secret)) if device_secret is not None else None
        return add_links(circle, host, device_secret or "")[HOST]

    def _add_circle(self) -> Circle:
        """Add the circle. Its time is that of the import until it is finished."""
        record = self.checked.circle
        name, transferred = secrets.token_urlsafe(9), " ".join(sorted({*record.transferred}))
        circle = make_row(Circle, record, self.ids, name=name, created_at=now(), transferred=transferred)
        db.session.add(circle)
        db.session.flush()
        return circle

    # --- people

    def _add(
        self,
        section: str,
        model: Any,
        circle: Circle,
        records: Sequence[Any],
        give: Callable[[Any], JsonObject] = lambda _: {},
    ) -> None:
        """Add the items of a section with all their rows."""
        given = [{"circle_id": circle.id} | give(record) for record in records]
        add_rows(model, records, self.ids, given, section)

    def _refer(self, model: Any, section: str, circle: Circle, column: str, records: Sequence[Any], name: str) -> None:
        """Set what refers to items that follow."""
        ids = self.ids[section]
        rows = [
            {"id": ids[record.number], "circle_id": circle.id, column: ids[getattr(record, name)]}
            for record in records
            if getattr(record, name) is not None
        ]
        if rows:
            db.session.execute(update(model), rows)

    def _add_browsers(self, circle: Circle) -> None:
        """Add the browsers as authors. Nobody has the secrets of their devices, and they have joined by no link."""
        for record in self.checked.browsers:
            device = Device(secret_hash=hash_secret(new_secret()), created_at=parse_moment(record.created_at))
            browser = make_row(Browser, record, self.ids, circle_id=circle.id)
            browser.device = device
            db.session.add_all([device, browser])
            db.session.flush()
            self.ids["browsers"][record.number] = browser.id

    # --- tables

    def _add_table(self, circle: Circle, record: TableRecord, taken_over: dict[int, int]) -> None:
        table = self._table(circle, record)
        labels, substitutes = number_labels(record), record.substitutes
        table.seats = [
            Seat(circle_id=circle.id, seat=label, player_id=id_, is_substitute=player in substitutes)
            for player, label in labels.items()
            if (id_ := self.ids["players"][player])
        ]
        db.session.add(table)
        db.session.flush()
        rows = [make_row(RevisionRow, revision, self.ids) for revision in record.revisions]
        if rows:
            ids = {"circle_id": circle.id, "table_id": table.id}
            db.session.execute(_REVISIONS, [row._asdict() | ids for row in rows])
        stored = summaries.store(TableState(table, rows))
        if taken_over and stored is not None:
            by_seat = {labels[player]: amount for player, amount in taken_over.items()}
            self.taken_over[record.number] = stored._replace(taken_over=by_seat)
        self.ids["tables"][record.number] = table.id

    def _table(self, circle: Circle, record: TableRecord) -> Table:
        value = schema.dump(record.value) if record.value is not None else {}
        return make_row(
            Table,
            record,
            self.ids,
            circle_id=circle.id,
            token=secrets.token_urlsafe(16),
            house_rules=get_house_rules(record),
            **{f"value_{name}": each for name, each in value.items()},
        )


def _of_event(record: EventRecord) -> JsonObject:
    house_rules, options = get_options(record)
    return {"token": secrets.token_urlsafe(16), "house_rules": house_rules, "options": options}


_REVISIONS = insert(cast(SqlTable, Revision.__table__))


MAX_UPLOADED = 50 * MILLION  # bytes, unpacked, of a file sent to a page; storing it takes about a minute
TURN_SIZE = 200  # revisions and results stored between two commits; this takes about 50 ms
MAX_DURATION = timedelta(hours=1)  # of an import; one that has begun earlier was interrupted

Items = list[TableRecord | EventRecord]
T = TypeVar("T")


class Imported(NamedTuple):
    """The name of the new circle; the secret of its link for hosts, "" if it was imported before.

    `cleaned` are the texts that are not stored as they stood in the file.
    """

    name: str
    host_secret: str
    cleaned: tuple[CleanedText, ...] = ()


def import_circle(file: IO[bytes], device_secret: str | None = None, key: str = "") -> Imported | tuple[Problem, ...]:
    """Import a circle, or return what is wrong with its file.

    The device with this secret becomes its host; without one, nobody is in the circle until somebody joins by its
    links. The same file sent twice by a device under one key is imported once.
    """
    try:
        with unpacked(file, MAX_UPLOADED if device_secret is not None else None) as document:
            checked = check(read_items(document))
        entry_key = _entry_key(file, device_secret, key) if device_secret is not None else None
        erase_interrupted()
        with unpacked(file) as document:
            return _store(checked, _in_turns(load_again(read_items(document))), device_secret, entry_key)
    except CircleFileError as error:
        return error.problems


def is_imported(file: IO[bytes], device_secret: str, key: str) -> bool:
    """Return whether this device has imported the same file under this key before."""
    return _find_name(_entry_key(file, device_secret, key)) is not None


def _store(
    checked: CheckedCircle, turns: Iterator[Items], device_secret: str | None, entry_key: str | None
) -> Imported:
    """Store a circle in several transactions. Nothing of it can be seen before the last one."""
    storer, imported = CircleStorer(checked), None
    begun = write(lambda: _find(entry_key, device_secret) or storer.begin())
    if isinstance(begun, Imported):
        return begun
    circle_id, name = begun.id, begun.name

    def finish(circle: Circle) -> Imported:
        """Finish, unless another request with the same file was quicker."""
        found = _find(entry_key, device_secret)
        return found or Imported(circle.name, storer.finish(circle, device_secret, entry_key), tuple(checked.cleaned))

    try:
        for items in turns:
            _write_to_begun(circle_id, name, partial(storer.add, items=items))
        imported = _write_to_begun(circle_id, name, finish)
        return imported
    finally:
        if imported is None or imported.name != name:
            with suppress(SQLAlchemyError):  # `erase_interrupted` tries again
                _erase_unfinished(circle_id, name)


def _write_to_begun(circle_id: int, name: str, work: Callable[[Circle], T]) -> T:
    """Write to the circle that was begun, unless it was erased as interrupted and its id is used again."""

    def work_in_begun(circle: Circle) -> T:
        if circle.name != name:
            raise CircleErasedError
        return work(circle)

    return write_to_circle(circle_id, work_in_begun)


def _in_turns(items: Iterable[TableRecord | EventRecord]) -> Iterator[Items]:
    """Group tables and events by what is stored in one transaction."""
    turn: Items = []
    size = 0
    for item in items:
        turn.append(item)
        size += _size(item)
        if size >= TURN_SIZE:
            yield turn
            turn, size = [], 0
    if turn:
        yield turn


def _size(item: TableRecord | EventRecord) -> int:
    if isinstance(item, TableRecord):
        return 1 + len(item.revisions)
    return len(item.entrants) + sum(1 + len(table.results) for drawn in item.drawn for table in drawn.tables)


def erase_interrupted() -> None:
    """Erase what interrupted imports have left: circles without links, which nobody can open.

    A link that is renewed stays, so every other circle has some.
    """
    began = Circle.created_at < now() - MAX_DURATION
    for circle_id, name in db.session.execute(select(Circle.id, Circle.name).where(~Circle.links.any(), began)).all():
        _erase_unfinished(circle_id, name)


def _erase_unfinished(circle_id: int, name: str) -> None:
    """Erase a circle if it still is what an interrupted import has left: it may be finished, or its id used again."""
    erase_circle(circle_id, is_agreed=lambda circle: circle.name == name and not circle.links)


def _entry_key(file: IO[bytes], device_secret: str, key: str) -> str:
    """Return a key for this content, this device and the page's key. A file with other content has another key."""
    file.seek(0)
    content = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # a file in binary mode
    return hash_secret(f"{device_secret} {key} {content}")


def _find(entry_key: str | None, device_secret: str | None) -> Imported | None:
    """Return the circle that was imported under this key, if there is one; requests of a device take turns here."""
    if entry_key is None or device_secret is None:
        return None
    get_device(device_secret)
    name = _find_name(entry_key)
    return Imported(name, "") if name is not None else None


def _find_name(entry_key: str) -> str | None:
    return db.session.scalar(select(Circle.name).where(Circle.entry_key == entry_key))
