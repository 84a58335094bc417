"""A whole circle in one file: exporting it, and importing it as a new circle. docs/circle-file.md has the format.

An import takes transactions short enough for those who play meanwhile. Until the last one nobody can open the circle:
it has no links. Each item is stored and then checked, by what checks an ordinary write; after a fault, what has been
stored is erased.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from hashlib import sha256
from typing import IO, Any, NamedTuple

from sqlalchemy import JSON, Date, DateTime, Integer, cast, inspect, select, union, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from ..circles.lifecycle import add_links, erase_circle
from ..circles.phones import get_or_add_device, get_or_add_membership
from ..db.transactions import writing, writing_to_circle
from ..models import HOST, Circle, Device, Membership, Player, Subunits, db, hash_secret, new_secret, now
from ..scoring import schema
from ..scoring.problems import Problem
from ..scoring.values import JsonObject
from ..site import time_zones
from ..tables.caches import rebuild_circle
from . import circle_format
from .circle_checks import Checker, Item
from .circle_format import (
    FIELDS,
    FORMAT,
    HELD,
    LISTS,
    CircleFile,
    CircleFileError,
    Row,
    raise_problem,
    read_circle_file,
)
from .json_documents import write_lists

COMMIT_SIZE = 10  # items stored between two commits of an import; ten tables take about 0.1 s
LATER = "person"  # the field of a player that may refer to a later one: `merge_players` stores it
MAX_DURATION = timedelta(hours=1)  # of an import; one that has begun earlier was interrupted


# --- exporting -----------------------------------------------------------------------------------------------


def export(circle: Circle, file: IO[bytes]) -> None:
    """Write the circle's file. The same circle gives the same bytes, also after it was imported elsewhere."""
    exporter = _Exporter(circle)
    head = exporter.dump(circle_format.Circle, circle)
    head |= {"time_zone": time_zones.effective_zone(circle.time_zone)}
    lists = {section: exporter.dump_list(section) for section in LISTS}
    write_lists({"format": FORMAT, "circle": head}, lists, file)


class _Exporter:
    """Converts the rows of a circle to plain JSON.

    Attributes:
        rows: those of each class, by the values of the columns that name what holds them.
        lists: the rows in each list of the file.
        numbers: those of the items in the file, by their ids, for each list.
    """

    def __init__(self, circle: Circle) -> None:
        self.rows = {item: _read_rows(item, circle.id) for item in FIELDS if item.model is not Circle}
        self.lists = {section: self.rows[item].get((), []) for section, item in LISTS.items()}
        self.numbers = {
            section: {row.id: number for number, row in enumerate(rows, start=1)}
            for section, rows in self.lists.items()
        }

    def dump_list(self, section: str) -> Iterator[JsonObject]:
        return (self.dump(LISTS[section], row) for row in self.lists[section])

    def dump(self, item: type[Row], row: Any) -> JsonObject:
        found: JsonObject = {}
        for name, column, section, default in FIELDS[item]:
            value = getattr(row, column.key)
            if value != default:
                if section is not None:
                    value = self.numbers[section][value]
                found[name] = str(value) if isinstance(column.type, Subunits) else value
        for name, held in HELD[item].items():
            place = tuple(getattr(row, own) for own in held.parent.values())
            if place in self.rows[held]:
                found[name] = [self.dump(held, each) for each in self.rows[held][place]]
        return found


def _read_rows(item: type[Row], circle_id: int) -> dict[tuple[Any, ...], list[Any]]:
    mapper = inspect(item.model)
    query = select(item.model.__table__).where(mapper.columns.circle_id == circle_id)
    if item.model is Membership:
        query = query.where(Membership.id.in_(_select_authors(circle_id)))
    # What counts the items of a list is a number, though it may be stored as text.
    order = [cast(mapper.columns[item.counter], Integer)] if item.counter is not None else mapper.primary_key
    found: dict[tuple[Any, ...], list[Any]] = {}
    for row in db.session.execute(query.order_by(*order)):
        found.setdefault(tuple(getattr(row, column) for column in item.parent), []).append(row)
    return found


def _select_authors(circle_id: int) -> Any:
    """Select the phones that have written something: so the one that imports a circle is in no export of it."""
    columns = [item.model.__table__.columns for item in FIELDS]
    authored = [own for own in columns if "membership_id" in own]
    return union(*(select(own.membership_id).where(own.circle_id == circle_id) for own in authored))


# --- importing -----------------------------------------------------------------------------------------------


class Imported(NamedTuple):
    token: str  # of the new circle
    host_secret: str  # of its link for hosts; "" if the file was imported before


def import_circle(content: bytes, device_secret: str | None = None, key: str = "") -> Imported | tuple[Problem, ...]:
    """Import a circle, or return what is wrong with its file.

    The device with this secret becomes its host; without one, nobody is in the circle until somebody joins by its
    links. The same file sent twice by a device under one key is imported once.
    """
    erase_interrupted()
    entry_key = None
    if device_secret is not None:
        entry_key = hash_secret(f"{device_secret} {key} {sha256(content).hexdigest()}")
    try:
        return _store(read_circle_file(content), device_secret, entry_key)
    except CircleFileError as error:
        return error.problems


def _store(file: CircleFile, device_secret: str | None, entry_key: str | None) -> Imported:
    importer = _Importer(file)
    with writing():
        begun = _find_imported(entry_key, device_secret) or importer.begin(file.circle)
    if isinstance(begun, Imported):
        return begun
    circle_id, token = begun.id, begun.token
    try:
        for section in LISTS:
            items = getattr(file, section)
            for start in range(0, len(items), COMMIT_SIZE):
                with writing_to_circle(circle_id) as circle:
                    importer.add(circle, section, items[start : start + COMMIT_SIZE])
            if section == "players":
                with writing_to_circle(circle_id):
                    importer.merge_players(items)
        with writing_to_circle(circle_id) as circle:
            earlier = _find_imported(entry_key, device_secret)
            if earlier is None:
                return Imported(token, _finish(circle, file.circle, device_secret, entry_key))
    except BaseException:
        _try_to_erase(circle_id)
        raise
    _try_to_erase(circle_id)  # another request with the same file was quicker
    return earlier


def _try_to_erase(circle_id: int) -> None:
    with suppress(SQLAlchemyError):  # `erase_interrupted` tries again
        _erase_unfinished(circle_id)


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


class _Importer:
    """Stores one circle. `ids` are those in the database of the items so far, in their order, for each section."""

    def __init__(self, file: CircleFile) -> None:
        self.ids: dict[str, list[int]] = {section: [] for section in LISTS}
        self.checker = Checker(file.players)

    def begin(self, head: circle_format.Circle) -> Circle:
        """Add the circle, in the caller's transaction. Until its end, `created_at` is when the import began."""
        circle = Circle(**self._make_columns(head))
        circle.created_at = now()
        circle.time_zone = time_zones.parse(head.time_zone or "")
        db.session.add(circle)
        db.session.flush()
        return circle

    def add(self, circle: Circle, section: str, items: Sequence[Row]) -> None:
        """Store the next items of a section, and check them."""
        numbered = [*enumerate(items, start=len(self.ids[section]) + 1)]
        try:
            rows = [
                self._add_row(place, item, {"circle_id": circle.id} | _make_secrets(section))
                for place, item in numbered
            ]
            db.session.flush()
        except IntegrityError:
            raise_problem(section, "key-again")
        self.ids[section] += [row.id for row in rows]
        for (place, item), row in zip(numbered, rows, strict=True):
            self.checker.check(Item(section, place, item), row)

    def _add_row(self, place: int, item: Row, given: JsonObject) -> Any:
        """Add the row of an item at its place in a list, with the columns given besides, and those that it holds."""
        columns = self._make_columns(item) | given
        if item.counter is not None:
            counter = item.model.__table__.columns[item.counter]
            columns[item.counter] = counter.type.python_type(place)  # a seat's is text
        row: Any = item.model(**columns)
        db.session.add(row)
        if HELD[type(item)]:
            db.session.flush()  # so that it has an id
        for name, held in HELD[type(item)].items():
            in_row = {"circle_id": row.circle_id} | {column: getattr(row, own) for column, own in held.parent.items()}
            for held_place, each in enumerate(getattr(item, name), start=1):
                self._add_row(held_place, each, in_row)
        return row

    def _make_columns(self, item: Row) -> JsonObject:
        columns: JsonObject = {}
        for name, column, section, _ in FIELDS[type(item)]:
            value = getattr(item, name)
            if section is not None and value is not None:
                value = self.ids[section][value - 1] if name != LATER else None
            columns[column.key] = _parse(column.type, value)
        return columns

    def merge_players(self, players: Sequence[circle_format.Player]) -> None:
        ids = self.ids["players"]
        for place, player in enumerate(players, start=1):
            if player.person is not None:
                if players[player.person - 1].person is not None:
                    raise_problem(f"players.{place}.person", "not-a-person", found=str(player.person))
                merged = update(Player).where(Player.id == ids[place - 1])
                db.session.execute(merged.values(person_id=ids[player.person - 1]))


def _make_secrets(section: str) -> JsonObject:
    """Return the columns of an item's row that no file has: a device, or the random part of its address."""
    if section == "memberships":  # nobody has the secrets of their devices, and they have joined by no link
        device = Device(secret_hash=hash_secret(new_secret()), created_at=now())
        db.session.add(device)
        db.session.flush()
        return {"device_id": device.id}
    if section in ("tables", "events"):
        return {"token": secrets.token_urlsafe(16)}
    return {}


def _parse(type_: object, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(type_, DateTime):
        return datetime.fromisoformat(value).replace(tzinfo=None)
    if isinstance(type_, Date):
        return date.fromisoformat(value)
    if isinstance(type_, Subunits):
        return int(value)
    return schema.dump(value) if isinstance(type_, JSON) else value


def _finish(circle: Circle, head: circle_format.Circle, device_secret: str | None, entry_key: str | None) -> str:
    """Compute what is stored besides, add the links, and return the secret of the link for hosts."""
    rebuild_circle(circle)
    circle.created_at = _parse(DateTime(), head.created_at)
    circle.entry_key = entry_key
    host = get_or_add_membership(circle, get_or_add_device(device_secret)) if device_secret is not None else None
    return add_links(circle, host, device_secret or "")[HOST]
