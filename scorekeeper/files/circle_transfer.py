"""A whole circle in one file: exporting it, and importing it as a new circle. docs/circle-file.md has the format.

An import takes transactions short enough for those who play meanwhile. Until the last one nobody can open the circle:
it has no links. Each item is stored and then checked, by what checks an ordinary write; after a fault, what has been
stored is erased.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import chain, groupby
from typing import IO, Any, NamedTuple

from sqlalchemy import JSON, Date, DateTime, PrimaryKeyConstraint, UniqueConstraint, insert, select, union, update
from sqlalchemy.exc import SQLAlchemyError

from ..circles.lifecycle import add_links, erase_circle
from ..circles.phones import get_or_add_device, get_or_add_membership
from ..db.transactions import writing, writing_to_circle
from ..models import HOST, Circle, Device, Membership, Player, db, hash_secret, new_secret
from ..scoring import schema
from ..scoring.problems import Problem
from ..scoring.values import JsonObject
from ..site import time_zones
from ..site.time_zones import now
from ..tables.caches import rebuild_circle
from .circle_checks import Checker
from .circle_format import (
    CIRCLE,
    FORMAT,
    LATER,
    LISTS,
    MAX_UNPACKED,
    CircleFileError,
    Item,
    Record,
    list_records,
    raise_problem,
    read_items,
)
from .json_documents import write_lists

BATCH_SIZE = 50  # items held in memory
MAX_UPLOADED = 50  # million bytes, unpacked, of a file sent to a page; storing it takes about a minute
COMMIT_SIZE = 40_000  # bytes of the file that are stored between two commits; this takes about 50 ms
MAX_DURATION = timedelta(hours=1)  # of an import; one that has begun earlier was interrupted


# --- exporting -----------------------------------------------------------------------------------------------


def export(circle: Circle, file: IO[bytes]) -> None:
    """Write the circle's file. The same circle gives the same bytes, also after it was imported elsewhere."""
    exporter = _Exporter(circle.id)
    head = exporter.dump(CIRCLE, [circle])[0] | {"time_zone": time_zones.effective_zone(circle.time_zone)}
    lists = {section: exporter.dump_list(section) for section in LISTS}
    write_lists({"format": FORMAT, "circle": head}, lists, file)


class _Exporter:
    """Converts rows to plain JSON. `numbers` are those of the items in the file by their ids, for each section."""

    def __init__(self, circle_id: int) -> None:
        self.circle_id = circle_id
        self.numbers: dict[str, dict[int, int]] = {}
        for section, record in LISTS.items():
            query = select(record.model.id).where(record.model.circle_id == circle_id)
            if record.model is Membership:  # only authors: so the one that imports a circle is in no export of it
                by_author = [each.columns for each in list_records() if "membership_id" in each.columns]
                authors = (select(own.membership_id).where(own.circle_id == circle_id) for own in by_author)
                query = query.where(Membership.id.in_(union(*authors)))
            ids = db.session.scalars(query.order_by(*record.order))
            self.numbers[section] = {id_: number for number, id_ in enumerate(ids, start=1)}

    def dump_list(self, section: str) -> Iterator[JsonObject]:
        record, ids = LISTS[section], [*self.numbers[section]]
        for start in range(0, len(ids), BATCH_SIZE):
            yield from self.dump(record, self._read(record, {"id": {*ids[start : start + BATCH_SIZE]}}))

    def _read(self, record: Record, where: Mapping[str, Iterable[Any]]) -> Sequence[Any]:
        columns = record.columns
        query = select(record.model.__table__).where(columns.circle_id == self.circle_id)
        query = query.where(*(columns[name].in_(values) for name, values in where.items()))
        return db.session.execute(query.order_by(*record.order)).all()

    def dump(self, record: Record, rows: Sequence[Any]) -> list[JsonObject]:
        items: list[JsonObject] = []
        for row in rows:
            item: JsonObject = {}
            for each in record.fields:
                value = getattr(row, each.column.key)
                if value not in (each.default, None):
                    item[each.name] = value if each.section is None else self.numbers[each.section][value]
            items.append(item)
        for name, held in record.held.items() if rows else ():
            where = {column: {getattr(row, own) for row in rows} for column, own in held.parent.items()}
            held_rows, lists = self._read(held, where), dict[Any, list[JsonObject]]()
            for each, item in zip(held_rows, self.dump(held, held_rows), strict=True):
                lists.setdefault(tuple(getattr(each, column) for column in held.parent), []).append(item)
            for row, item in zip(rows, items, strict=True):
                if found := lists.get(tuple(getattr(row, own) for own in held.parent.values())):
                    item[name] = found
        return items


# --- importing -----------------------------------------------------------------------------------------------


class Imported(NamedTuple):
    token: str  # of the new circle
    host_secret: str  # of its link for hosts; "" if the file was imported before


def import_circle(file: IO[bytes], device_secret: str | None = None, key: str = "") -> Imported | tuple[Problem, ...]:
    """Import a circle, or return what is wrong with its file.

    The device with this secret becomes its host; without one, nobody is in the circle until somebody joins by its
    links. The same file sent twice by a device under one key is imported once.
    """
    erase_interrupted()
    entry_key, most = None, MAX_UNPACKED
    if device_secret is not None:
        file.seek(0)
        content = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # a file in binary mode
        entry_key, most = hash_secret(f"{device_secret} {key} {content}"), MAX_UPLOADED
    try:
        return _store(_split_by_commit(read_items(file, most)), device_secret, entry_key)
    except CircleFileError as error:
        return error.problems


def _store(turns: Iterator[list[Item]], device_secret: str | None, entry_key: str | None) -> Imported:
    importer, (head, *first) = _Importer(), next(turns)
    with writing():
        begun = _find_imported(entry_key, device_secret) or importer.begin(head)
    if isinstance(begun, Imported):
        return begun
    circle_id, token = begun.id, begun.token
    try:
        for items in chain([first], turns):
            with writing_to_circle(circle_id) as circle:
                importer.add(circle, items)
        with writing_to_circle(circle_id) as circle:
            # Another request with the same file may have been quicker.
            found = _find_imported(entry_key, device_secret)
            return found or Imported(token, importer.finish(circle, device_secret, entry_key))
    finally:
        with suppress(SQLAlchemyError):  # `erase_interrupted` tries again
            _erase_unfinished(circle_id)


def _split_by_commit(items: Iterable[Item]) -> Iterator[list[Item]]:
    group: list[Item] = []
    size = 0
    for item in items:
        group.append(item)
        size += item.size
        if size >= COMMIT_SIZE:
            yield group
            group, size = [], 0
    yield group


def erase_interrupted() -> None:
    """Erase what interrupted imports have left: circles without links, which nobody can open. Every other has some."""
    began = Circle.created_at < now() - MAX_DURATION
    for circle_id in db.session.scalars(select(Circle.id).where(~Circle.links.any(), began)).all():
        _erase_unfinished(circle_id)


def _erase_unfinished(circle_id: int) -> None:
    """Erase a circle unless its import was finished: then it has links."""
    erase_circle(circle_id, is_agreed=lambda circle: not circle.links)


def _find_imported(entry_key: str | None, device_secret: str | None) -> Imported | None:
    """Return the circle that was imported under this key, if any. Locks the device, so that its requests take turns."""
    if device_secret is not None:
        get_or_add_device(device_secret)
    token = db.session.scalar(select(Circle.token).where(Circle.entry_key == entry_key)) if entry_key else None
    return Imported(token, "") if token is not None else None


@dataclass
class _Importer:
    """Stores one circle. `ids` are those in the database of the items so far, by number, for each section."""

    ids: dict[str, dict[int, int]] = field(default_factory=lambda: {section: {} for section in LISTS})
    checker: Checker = field(default_factory=Checker)
    unique: dict[Any, str] = field(default_factory=dict)  # the path of values that may not be there twice
    created_at: str = ""

    def begin(self, head: Item) -> Circle:
        """Add the circle, in the caller's transaction. Its time is that of the import until it is finished."""
        self.created_at = head.values.created_at
        values = self._make_row(CIRCLE, "", head.values) | {"created_at": now()}
        circle = Circle(**values | {"time_zone": time_zones.parse(head.values.time_zone or "")})
        db.session.add(circle)
        db.session.flush()
        return circle

    def add(self, circle: Circle, items: Iterable[Item]) -> None:
        for section, group in groupby(items, key=lambda item: item.section):
            listed = [*group]
            if listed[0].place == 1:
                self._merge_players()
            of_circle = {"circle_id": circle.id}
            rows = [(each.path, each.values, self._make_secrets(section) | of_circle) for each in listed]
            self._insert(LISTS[section], rows)
            self.checker.check(circle, listed, [self.ids[section][each.place] for each in listed])

    def _make_secrets(self, section: str) -> JsonObject:
        """Return the columns of an item's row that no file has: a device, or the random part of its address."""
        if section == "memberships":  # nobody has the secrets of their devices, and they have joined by no link
            device = Device(secret_hash=hash_secret(new_secret()), created_at=now())
            db.session.add(device)
            db.session.flush()
            return {"device_id": device.id}
        if section in ("tables", "events"):
            return {"token": secrets.token_urlsafe(16)}
        return {}

    def _insert(self, record: Record, items: Sequence[tuple[str, Any, JsonObject]]) -> None:
        """Insert a row for each item, a path, values and what else its row has, and the rows that it holds."""
        if not items:
            return
        rows = [self._make_row(record, path, values) | given for path, values, given in items]
        for (path, _, _), row in zip(items, rows, strict=True):
            self._expect_unique(record, path, row)
        if "id" in record.columns:
            query = insert(record.model).returning(record.model.id, sort_by_parameter_order=True)
            rows = [row | {"id": id_} for row, id_ in zip(rows, db.session.scalars(query, rows), strict=True)]
        else:
            db.session.execute(insert(record.model), rows)
        for (path, _, _), row in zip(items, rows, strict=True):
            section, _, place = path.partition(".")
            if LISTS[section] is record:
                self.ids[section][int(place)] = row["id"]
        for name, held in record.held.items():
            lists = [
                (f"{path}.{name}.{place}", each, {column: row[own] for column, own in held.parent.items()})
                for (path, values, _), row in zip(items, rows, strict=True)
                for place, each in enumerate(getattr(values, name), start=1)
            ]
            self._insert(held, lists)

    def _make_row(self, record: Record, path: str, values: Any) -> JsonObject:
        row: JsonObject = {}
        for each in record.fields:
            value = getattr(values, each.name)
            if each.section is not None and value is not None:
                value = self.ids[each.section][value] if each.name != LATER else None
            row[each.column.key] = _parse(each.column.type, value)
        if record.counted:
            place = path.rpartition(".")[2]  # a seat's is text
            row[record.counted] = record.columns[record.counted].type.python_type(place)
        return row

    def _expect_unique(self, record: Record, path: str, row: JsonObject) -> None:
        for constraint in record.model.__table__.constraints:
            if isinstance(constraint, UniqueConstraint | PrimaryKeyConstraint):
                values = tuple((column, row.get(column.key)) for column in constraint.columns)
                if all(value is not None for _, value in values) and self.unique.setdefault(values, path) != path:
                    raise_problem(path, "key-again")

    def _merge_players(self) -> None:
        ids, persons = self.ids["players"], self.checker.persons
        for number, person in persons.items():
            if persons.get(person) != person:
                raise_problem(f"players.{number}.person", "not-a-person", found=str(person))
            if number != person:
                db.session.execute(update(Player).where(Player.id == ids[number]).values(person_id=ids[person]))

    def finish(self, circle: Circle, device_secret: str | None, entry_key: str | None) -> str:
        """Compute what is stored besides, add the links, and return the secret of the link for hosts."""
        self._merge_players()
        db.session.expire_all()
        rebuild_circle(circle)
        circle.created_at, circle.entry_key = _parse(DateTime(), self.created_at), entry_key
        host = get_or_add_membership(circle, get_or_add_device(device_secret)) if device_secret is not None else None
        return add_links(circle, host, device_secret or "")[HOST]


def _parse(type_: object, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(type_, DateTime):
        return datetime.fromisoformat(value).replace(tzinfo=None)
    if isinstance(type_, Date):
        return date.fromisoformat(value)
    return schema.dump(value) if isinstance(type_, JSON) else value
