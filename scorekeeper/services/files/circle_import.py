"""Import a circle's file as a new circle, in transactions short enough for those who play meanwhile."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from functools import partial
from itertools import chain
from typing import IO, NamedTuple, TypeVar

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from ...db.clock import now
from ...db.transactions import CircleErasedError, write, write_to_circle
from ...exchange.archives import MILLION
from ...exchange.circle_file import CircleFileError, read_items, unpacked
from ...exchange.circle_records import EventRecord, TableRecord
from ...models import Circle, db
from ...scoring.problems import Problem
from ...scoring.values import CleanedText
from ..access.devices import get_device, hash_secret
from ..circles.lifecycle import erase_circle
from .checking import CheckedCircle, check, load_again
from .storing import CircleStorer

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
    """Store a circle: a small one in one transaction; of a larger one nothing can be seen before the last one."""
    storer = CircleStorer(checked)
    first, second = next(turns, []), next(turns, None)

    def begin() -> Circle | Imported:
        found = _find(entry_key, device_secret)
        if found is not None:
            return found
        circle = storer.begin()
        storer.add(circle, first)
        return circle

    def finish(circle: Circle) -> Imported:
        """Finish, unless another request with the same file was quicker."""
        found = _find(entry_key, device_secret)
        return found or Imported(circle.name, storer.finish(circle, device_secret, entry_key), tuple(checked.cleaned))

    def do_all() -> Imported:
        begun = begin()
        return begun if isinstance(begun, Imported) else finish(begun)

    if second is None:
        return write(do_all)
    begun = write(begin)
    if isinstance(begun, Imported):
        return begun
    circle_id, name, is_finished = begun.id, begun.name, False
    try:
        for items in chain((second,), turns):
            _write_to_begun(circle_id, name, partial(storer.add, items=items))
        imported = _write_to_begun(circle_id, name, finish)
        is_finished = imported.name == name
        return imported
    finally:
        if not is_finished:
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
