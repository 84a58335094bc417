"""Read the records of a circle's file, and copy values between them and the database's rows."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, datetime
from functools import cache
from typing import Any, NamedTuple, TypeVar, cast, get_args, get_origin

from sqlalchemy import insert, inspect, select

from ...exchange.circle_file import CircleFileError, Item
from ...exchange.circle_records import (
    LISTS,
    Column,
    Counted,
    Day,
    EntrantRecord,
    EntrantSubstitutionRecord,
    EventRecord,
    HandicapRecord,
    Moment,
    PartRecord,
    PaymentRecord,
    PlayerRecord,
    PresenceRecord,
    Reference,
    RoundRecord,
    RoundResultRecord,
    RoundTableRecord,
    SeasonRecord,
    SettlementRecord,
    SideRecord,
    Signed,
    format_moment,
    parse_day,
    parse_moment,
)
from ...models import (
    Base,
    Confirmation,
    DrawnRound,
    Entrant,
    EntrantSubstitution,
    Handicap,
    Part,
    Presence,
    ResultConfirmation,
    RoundResult,
    RoundTable,
    db,
)
from ...scoring import schema
from ...scoring.problems import Problem
from ...scoring.values import NO_SEATS, CleanedText, Items, JsonObject, Text
from ...tables.revisions import RevisionRow

MAX_PROBLEMS = schema.MAX_PROBLEMS  # that are reported at once

R = TypeVar("R")


@dataclass
class Problems:
    """The problems found so far. Reading ends with CircleFileError when there are many, or at the end of a section.

    `cleaned` are the texts that are not stored as they stand in the file.
    """

    found: list[Problem] = field(default_factory=list)
    cleaned: list[CleanedText] = field(default_factory=list)
    known: dict[str, set[int]] = field(default_factory=lambda: {section: set() for section in LISTS})  # numbers so far
    _named: set[tuple[str, object]] = field(default_factory=set)

    def add(self, path: str, key: str, **params: object) -> None:
        """Add a problem."""
        self.add_all("", [Problem(path, key, params)])

    def add_all(self, path: str, problems: list[Problem]) -> None:
        """Add problems whose fields are relative to a path."""
        self.found += [Problem(join(path, problem.field), problem.key, problem.params) for problem in problems]
        if len(self.found) >= MAX_PROBLEMS:
            self.raise_if_any()

    def expect_once(self, group: str, named: object, path: str, problem: str = "key-again") -> None:
        """Add a problem if something that may be named once in a group of items is named again."""
        if named is not None and (group, named) in self._named:
            self.add(path, problem, found=str(named))
        self._named.add((group, named))

    def raise_if_any(self) -> None:
        """Raise CircleFileError if there are problems."""
        if self.found:
            raise CircleFileError(*self.found[:MAX_PROBLEMS])


def join(path: str, name: str | int) -> str:
    """Return the path of a key or an item in an object or a list."""
    return f"{path}.{name}" if path and name != "" else path or str(name)


def load(cls: type[R], item: Item, problems: Problems) -> R | None:
    """Build a record with cleaned texts, or return None and add what is wrong with it and with its numbers and keys."""
    found: list[Problem] = []
    record = schema.load(cls, item.content, NO_SEATS, found)
    problems.add_all(item.path, found)
    if record is None or found:
        return None
    before = len(problems.found)
    _check_numbers(record, item.path, item.place, problems, problems.known)
    if len(problems.found) > before:
        return None
    if item.place and item.section in problems.known:
        problems.known[item.section].add(getattr(record, "number", item.place))
    problems.cleaned += _cleaned_texts(record, item.content, item.path)
    return record


def _check_numbers(record: Any, path: str, place: int, problems: Problems, known: Mapping[str, Container[int]]) -> None:
    """Check that items are counted, that those exist to which a record refers, and that each key is there once."""
    for name, column, reference, is_counted in _list_numbers(cast(Hashable, type(record))):
        value, where = getattr(record, name), join(path, name.rstrip("_"))
        if is_counted and value != place:
            problems.add(where, "next-number", found=str(value), must=str(place))
        if reference is not None and not reference.is_later:
            for number in _flatten(value):
                if number not in known.get(reference.section, ()):
                    problems.add(where, "not-in-file", found=str(number), section=reference.section)
        if column == "entry_key":
            problems.expect_once(f"{_group(path)} {type(record)}", value, where)
    if isinstance(record, EventRecord):
        known = {**known, "entrants": range(1, len(record.entrants) + 1)}
    for name, number, each in _list_children(record):
        _check_numbers(each, join(path, name), number, problems, known)


def _list_children(record: Any) -> Iterator[tuple[str, int, Any]]:
    """Yield the path, the place and the record of each record that another one holds."""
    for name, _, _, _ in _list_numbers(cast(Hashable, type(record))):
        value = getattr(record, name)
        if is_dataclass(value):
            yield name, 0, value
        elif isinstance(value, tuple) and value and is_dataclass(value[0]):
            yield from ((f"{name}.{place}", place, each) for place, each in enumerate(value, start=1))


def _group(path: str) -> str:
    """Return in what keys may not be repeated: in the list of the file, or in the item that holds the record."""
    section, _, place = path.partition(".")
    item, _, within = place.partition(".")
    return f"{section}.{item}" if within else section


def _flatten(value: Any) -> Iterator[int]:
    if isinstance(value, tuple):
        for each in value:
            yield from _flatten(each)
    elif value is not None:
        yield value


@cache
def _list_numbers(cls: Any) -> list[tuple[str, str, Reference | None, bool]]:
    """List the fields of a record: its name, its column, to what it refers, and whether it counts items."""
    found = []
    for name, declared, _ in schema.list_fields(cls):
        annotation = inner = schema.unwrap(declared)
        while schema.find_limit(inner, Reference) is None and (parts := _parts_of_tuple(inner)):
            inner = parts[0]
        column = schema.find_limit(annotation, Column)
        is_counted = schema.find_limit(annotation, Counted) is not None
        found.append((name, column.name if column else name, schema.find_limit(inner, Reference), is_counted))
    return found


def _parts_of_tuple(annotation: Any) -> tuple[Any, ...]:
    annotation = getattr(annotation, "__origin__", annotation) if hasattr(annotation, "__metadata__") else annotation
    return get_args(annotation) if get_origin(annotation) is tuple else ()


def _cleaned_texts(value: Any, content: Any, path: str) -> Iterator[CleanedText]:
    """Yield the texts that are not as they stand in the file, in a value and in what it is made of."""
    if isinstance(value, str) and value != content:
        yield CleanedText(path, value)
    for name, each, raw in _parts(value, content) if value is not content else ():
        yield from _cleaned_texts(each, raw, join(path, name))


def _parts(value: Any, content: Any) -> Iterator[tuple[str | int, Any, Any]]:
    """Yield the name, the value and the content of each part of a record, a list or an object."""
    if isinstance(value, tuple):
        yield from zip(range(1, len(value) + 1), value, content, strict=True)
    elif isinstance(value, dict):
        yield from ((name, value.get(name, ""), raw) for name, raw in content.items())
    elif is_dataclass(value):
        names = (name for name, _, _ in schema.list_fields(cast(Hashable, type(value))))
        yield from ((name, getattr(value, name), content[name]) for name in names if name in content)


Numbers = Mapping[str, Mapping[int, int]]  # of each section of the file: the numbers by id, or the ids by number
M = TypeVar("M", bound=Base | RevisionRow)

_PARSERS: dict[Text | None, Callable[[str], object]] = {
    schema.find_limit(Moment, Text): parse_moment,
    schema.find_limit(Day, Text): parse_day,
}


class StoredField(NamedTuple):
    """A field of a record, and how it is stored."""

    name: str
    column: str
    section: str | None  # to which the value refers
    record: type | None  # of which the value is one
    parse: Callable[[Any], object] | None  # if the value is not stored as it is in the record
    default: object  # as plain JSON


def dump_row(cls: type, row: Any, numbers: Numbers, **given: object) -> JsonObject:
    """Return a row as plain JSON of the record `cls`: the values of `given` fields, and the others from the row."""
    dumped = {}
    for each in find_fields(cls):
        value = given[each.name] if each.name in given else _read(each, row, numbers)
        if value != each.default:
            dumped[each.name.rstrip("_")] = value
    return dumped


def _read(field: StoredField, row: Any, numbers: Numbers) -> object:
    value = row.get(field.column, field.default) if isinstance(row, dict) else getattr(row, field.column)
    if value is None:
        return None
    if field.section is not None:
        return numbers[field.section][value]
    if field.record is not None:
        return dump_row(field.record, value, numbers)
    if isinstance(value, datetime):
        return format_moment(value)
    return value.isoformat() if isinstance(value, date) else value


def make_values(model: Any, record: Any, ids: Numbers, **given: object) -> dict[str, Any]:
    """Return the values of a row: those of `given` columns, and the record's of the others that the model has."""
    cls: Any = type(record)
    columns = _columns(model) - given.keys()
    return given | {
        field.column: _parse(field, getattr(record, field.name), ids)
        for field in find_fields(cls)
        if field.column in columns
    }


def _parse(field: StoredField, value: Any, ids: Numbers) -> object:
    if value is None:
        return None
    if field.section is not None:
        return ids[field.section][value]
    return field.parse(value) if field.parse is not None else value


def make_row(model: type[M], record: Any, ids: Numbers, **given: object) -> M:
    """Return a row: see `make_values`."""
    return model(**make_values(model, record, ids, **given))


@cache
def find_fields(cls: Any) -> list[StoredField]:
    """Return the fields of a record. A field of which the row has no such column is made of other rows."""
    defaults = {field.name: schema.dump(field.default) for field in fields(cls)}
    found = []
    for name, declared, _ in schema.list_fields(cls):
        annotation = schema.unwrap(declared)
        column, reference = schema.find_limit(annotation, Column), schema.find_limit(annotation, Reference)
        section = reference.section if reference is not None and reference.section in LISTS else None
        name_of_column = column.name if column is not None else f"{name}_id" if section is not None else name
        record = annotation if isinstance(annotation, type) and is_dataclass(annotation) else None
        is_json = record is not None or schema.find_limit(annotation, Items) is not None
        parse = schema.dump if is_json else _PARSERS.get(schema.find_limit(annotation, Text))
        found.append(StoredField(name, name_of_column, section, record, parse, defaults[name]))
    return found


@cache
def _columns(model: Any) -> frozenset[str]:
    return frozenset(RevisionRow._fields if model is RevisionRow else inspect(model).columns.keys())


class Children(NamedTuple):
    """Rows that a record holds, each as a record of its own.

    Attributes:
        parent: the columns that name the parent, with those of the parent that they have.
        order: of the records; if there is none, at most one row.
        cache: returns what is stored besides, and follows from the record.
    """

    record: type
    model: Any
    parent: Mapping[str, str]
    order: str = ""
    cache: Callable[[Any], JsonObject] = lambda _: {}


def _cache_result(table: RoundTableRecord) -> JsonObject:
    """Return the last result of a table of a round as it is stored with the table."""
    last = table.results[-1] if table.results else None
    scores = schema.dump(last.body) if last is not None and last.body is not None else None
    is_confirmed = (
        last is not None and scores is not None and (last.is_slip or len(last.confirmed) == len(scores["scores"]))
    )
    return {"result": len(table.results), "scores": scores, "is_confirmed": is_confirmed}


_OF_ROUND = {"event_id": "event_id", "round": "number"}
_OF_TABLE = {"event_id": "event_id", "round": "round", "table_number": "number"}

CHILDREN: Mapping[type, Mapping[str, Children]] = {
    PlayerRecord: {"present": Children(PresenceRecord, Presence, {"player_id": "id"})},
    EventRecord: {
        "entrants": Children(EntrantRecord, Entrant, {"event_id": "id"}, "number"),
        "substitutions": Children(EntrantSubstitutionRecord, EntrantSubstitution, {"event_id": "id"}, "number round"),
        "drawn": Children(RoundRecord, DrawnRound, {"event_id": "id"}, "number"),
    },
    RoundRecord: {"tables": Children(RoundTableRecord, RoundTable, _OF_ROUND, "number", _cache_result)},
    RoundTableRecord: {"results": Children(RoundResultRecord, RoundResult, _OF_TABLE, "number")},
    RoundResultRecord: {"confirmed": Children(SideRecord, ResultConfirmation, {"result_id": "id"}, "side")},
    SeasonRecord: {"handicaps": Children(HandicapRecord, Handicap, {"season_id": "id"}, "player_id")},
    SettlementRecord: {"parts": Children(PartRecord, Part, {"settlement_id": "id"}, "id")},
    PaymentRecord: {"confirmed": Children(Signed, Confirmation, {"payment_id": "id"})},
}


def dump_rows(
    cls: type, rows: Sequence[Any], numbers: Numbers, circle_id: int, section: str | None = None
) -> list[JsonObject]:
    """Return rows as plain JSON, with the rows that belong to them; `section` is where they are numbered."""
    children = CHILDREN.get(cls, {})
    found = {name: _dump_children(child, rows, numbers, circle_id) for name, child in children.items()}
    dumped = []
    for row in rows:
        given: JsonObject = {"number": numbers[section][row.id]} if section is not None else {}
        for name, child in children.items():
            items = found[name].get(tuple(getattr(row, column) for column in child.parent.values()), [])
            given[name] = items if child.order else next(iter(items), None)
        dumped.append(dump_row(cls, row, numbers, **given))
    return dumped


def _dump_children(
    child: Children, parents: Sequence[Any], numbers: Numbers, circle_id: int
) -> dict[tuple[Any, ...], list[JsonObject]]:
    query = select(child.model).where(child.model.circle_id == circle_id)
    for column, of_parent in child.parent.items():
        query = query.where(getattr(child.model, column).in_({getattr(parent, of_parent) for parent in parents}))
    rows = list(db.session.scalars(query.order_by(*(getattr(child.model, name) for name in child.order.split()))))
    found: dict[tuple[Any, ...], list[JsonObject]] = {}
    for row, dumped in zip(rows, dump_rows(child.record, rows, numbers, circle_id) if rows else (), strict=True):
        found.setdefault(tuple(getattr(row, column) for column in child.parent), []).append(dumped)
    return found


def add_rows(
    model: Any, records: Sequence[Any], ids: dict[str, dict[int, int]], given: Sequence[JsonObject], section: str = ""
) -> None:
    """Add a row for each record, with the `given` values, and the rows that it holds.

    The ids have the order of the records, and are added to those of the section.
    """
    if not records:
        return
    rows = [make_values(model, record, ids, **values) for record, values in zip(records, given, strict=True)]
    if "id" in _columns(model):
        added = db.session.scalars(insert(model).returning(model.id, sort_by_parameter_order=True), rows)
        rows = [row | {"id": id_} for row, id_ in zip(rows, added, strict=True)]
        if section:
            ids[section] |= {record.number: row["id"] for record, row in zip(records, rows, strict=True)}
    else:
        db.session.execute(insert(model), rows)
    for name, child in CHILDREN.get(type(records[0]), {}).items():
        held = [
            (each, {column: row[of_parent] for column, of_parent in child.parent.items()} | child.cache(each))
            for record, row in zip(records, rows, strict=True)
            for each in _as_list(getattr(record, name))
        ]
        of_circle = {"circle_id": rows[0]["circle_id"]}
        add_rows(child.model, [each for each, _ in held], ids, [values | of_circle for _, values in held])


def _as_list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, tuple) else [] if value is None else [value]
