"""What the file of a circle holds, declared once: by these records it is written, read, checked and stored.

A value has the name of its column; a reference lacks the `_id`, and is the number of an item in another list of the
file, counted from 1. So the same circle gives the same file, whatever its ids in a database. What a value may be
follows from its column, or from a limit here. docs/circle-file.md describes the format.

Each item stands on a line, as `json_documents.write_lists` writes it, and is read by itself: so the size of a file in
memory is that of its largest table.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, make_dataclass
from datetime import datetime
from functools import partial
from typing import IO, Annotated, Any, Literal, NamedTuple, NoReturn

from sqlalchemy import JSON, Boolean, Date, DateTime, Integer, String, cast

from .. import limits, models
from ..people.payment_details import parse_iban, parse_payment_link
from ..scoring import schema
from ..scoring.common_facts import clean_reason
from ..scoring.currency import is_currency, list_currencies
from ..scoring.prizes import Amount, Prize
from ..scoring.problems import Problem, Refusal, abbreviate_value
from ..scoring.values import NO_SEATS, Cleaned, Items, JsonObject, Range, Text, clean_lines, clean_name
from .json_documents import read

FORMAT = "scorekeeper-circle/1"
MAX_NUMBER = 2**31 - 1  # fits the integers of every database
MAX_ITEMS = 100_000  # of a list in an item


# --- what values may be --------------------------------------------------------------------------------------


def _check_time(problem: str, text: str) -> Problem | None:
    try:
        key = limits.find_day_problem(datetime.fromisoformat(text).date())
    except ValueError:
        key = problem
    return Problem("", key, {"found": abbreviate_value(text)}) if key is not None else None


def _check_stored(parse: Callable[[str], str | Problem], text: str) -> Problem | None:
    """Return what is wrong with a text that has to be as a form's parser returns it."""
    parsed = parse(text)
    if isinstance(parsed, Problem) or parsed == text:
        return parsed if isinstance(parsed, Problem) else None
    return Problem("", "not-as-stored", {"found": abbreviate_value(text), "must": abbreviate_value(parsed)})


def _check_account(text: str) -> Problem | None:
    is_wrong = is_currency(text) and text not in list_currencies()
    return Problem("", "currency", {"found": text}) if is_wrong else None


def _name(most: int) -> Any:
    return Annotated[str, Text(most, clean=clean_name)]


_SECOND = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"
MOMENT = Annotated[str, Text(27, rf"{_SECOND}(\.[0-9]{{6}})?Z", "moment", check=partial(_check_time, "moment"))]
DAY = Annotated[str, Text(10, r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "date", check=partial(_check_time, "date"))]
NUMBER = Annotated[int, Range(0, MAX_NUMBER)]
KEY = Annotated[str, Text(limits.MAX_KEY_LENGTH, rf"[^\x00-\x1f\x7f]{{1,{limits.MAX_KEY_LENGTH}}}", "entry-key")]
PAID = Annotated[str, Text(30, r"[1-9][0-9]{0,29}", "subunits")]
# A currency, or a game's key.
ACCOUNT = Annotated[str, Text(64, r"[A-Z]{3}|[a-z0-9-]+(\.[0-9a-f]+)?", "slug", check=_check_account)]
IBAN = Annotated[str, Text(34, r"[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}", check=partial(_check_stored, parse_iban))]
LINK = Annotated[str, Text(limits.MAX_LINK_LENGTH, r"https://.*", check=partial(_check_stored, parse_payment_link))]
TITLE, PLACE = _name(limits.GROWTH * limits.MAX_TEXT_LENGTH), _name(limits.GROWTH * limits.MAX_PLACE_LENGTH)
NUMBERS = Annotated[tuple[NUMBER, ...], Items(limits.MAX_ENTRANTS)]
SCORES = Annotated[tuple[Annotated[int, Range(-limits.MAX_SCORE, limits.MAX_SCORE)], ...], Items(4)]
PAIRS = Annotated[tuple[Annotated[tuple[NUMBER, ...], Items(2, 2)], ...], Items(2, 2)]


@dataclass(frozen=True)
class Scores:
    """The scores of a table's parties, their slams, and their scores on each board; no score if it was not played."""

    scores: SCORES
    slams: SCORES = ()
    boards: Annotated[tuple[SCORES, ...], Items(limits.MAX_ROUND_LENGTH)] = ()


# --- the records ---------------------------------------------------------------------------------------------


class Field(NamedTuple):
    """A value of a record, left out if it is the default. `section` is the list of the file to which it refers."""

    name: str
    annotation: Any
    column: Any
    section: str | None
    default: Any


class Record:
    """Items of the file that are each stored in a row.

    Args:
        columns: what is stored. The type of a column says what it may hold.
        held: the records that an item holds, by name.
        parent: for those, the columns that name the item, with those of it that they have.
        counted: the column that counts the rows of a list from 1; it is not in the file.
        most: how many an item may hold.
        limited: further columns, and what they may hold.
    """

    def __init__(
        self,
        model: Any,
        columns: str,
        *,
        held: Mapping[str, Record] | None = None,
        parent: Mapping[str, str] | None = None,
        counted: str = "",
        most: int = MAX_ITEMS,
        **limited: Any,
    ) -> None:
        self.model, self.columns, self.held = model, model.__table__.columns, held or {}
        self.parent, self.counted, self.most = {"circle_id": "circle_id"} | dict(parent or {}), counted, most
        self.fields = [self._find_field(name, limited.get(name)) for name in (*columns.split(), *limited)]
        self.values = self._make_class()
        # By what a list is ordered; what counts is a number, though it may be stored as text.
        self.order = [cast(self.columns[counted], Integer)] if counted else [*model.__table__.primary_key.columns]

    def _find_field(self, name: str, limit: Any) -> Field:
        column = self.columns[name if name in self.columns else f"{name}_id"]
        section = next((_SECTIONS[key.column.table.name] for key in column.foreign_keys), None)
        default = column.default.arg if column.default is not None else None
        text = Annotated[str, Text(getattr(column.type, "length", None) or 0)]
        kinds = {DateTime: MOMENT, Date: DAY, Boolean: bool, Integer: NUMBER, JSON: JsonObject, String: text}
        kind = next(kind for type_, kind in kinds.items() if isinstance(column.type, type_))
        return Field(name, limit or _LIMITS.get(name) or kind, column, section, () if callable(default) else default)

    def _make_class(self) -> Any:
        """Return the dataclass of an item as `scoring.schema` reads it."""
        found: list[Any] = []
        for name, annotation, column, _, default in self.fields:
            if column.nullable:
                found.append((name, annotation | None, field(default=None)))
            elif column.default is not None:
                found.append((name, annotation, field(default=default)))
            else:
                found.append((name, annotation))
        for name, held in self.held.items():
            items = Annotated[tuple[held.values, ...], Items(held.most)]  # type: ignore[name-defined]  # made at run time
            found.append((name, items, field(default=())))
        return make_dataclass(self.model.__name__, found, kw_only=True, frozen=True)


_REFERRED = ("player", "membership", "card_table", "event")
_SECTIONS = {table: f"{table.removeprefix('card_')}s" for table in _REFERRED}
_LIMITS = {"entry_key": KEY, "place": PLACE, "iban": IBAN, "payment_link": LINK}  # wherever there is such a column
LATER = "person"  # a reference to an item that may follow in the same list
_OF_TABLE, _OF_EVENT = {"table_id": "id"}, {"event_id": "id"}

CIRCLE = Record(
    models.Circle,
    "created_at time_zone confirms_payments shows_ratings",
    title=_name(limits.MAX_CIRCLE_TEXT_LENGTH),
    motto=_name(limits.MAX_CIRCLE_TEXT_LENGTH),
)
PLAYERS = Record(
    models.Player,
    "person retired_at erased_at is_banker is_cashier iban payment_link",
    name=_name(limits.MAX_NAME_LENGTH),
    held={"present": Record(models.Presence, "day arrived_at", parent={"player_id": "id"}, most=1)},
)
MEMBERSHIPS = Record(models.Membership, "number created_at player revoked_at", name=_name(limits.MAX_PHONE_NAME_LENGTH))
SEATS = Record(models.Seat, "player is_substitute", parent=_OF_TABLE, counted="label", most=limits.MAX_LABEL)
REVISIONS = Record(
    models.Revision,
    "kind membership at entry_key deal before undoes",
    body=Annotated[JsonObject, Cleaned(clean_reason)],
    parent=_OF_TABLE,
    counted="number",
)
TABLES = Record(
    models.Table,
    "game dealer house_rules day opened_at is_dated value_currency value_unit value_amount has_stakes"
    " played_on place turns games_token entry_key",
    title=TITLE,
    note=Annotated[str, Text(limits.GROWTH * limits.MAX_NOTE_LENGTH, clean=clean_lines)],
    held={"seats": SEATS, "revisions": REVISIONS},
)
RESULTS = Record(
    models.RoundResult,
    "membership at entry_key is_slip",
    body=Scores,
    held={"confirmed": Record(models.ResultConfirmation, "side membership at", parent={"result_id": "id"})},
    parent={"event_id": "event_id", "round": "round", "table_number": "number"},
    counted="number",
)
ROUND_TABLES = Record(
    models.RoundTable,
    "table",
    pairs=PAIRS,
    held={"results": RESULTS},
    parent={"event_id": "event_id", "round": "number"},
    counted="number",
    most=limits.MAX_ENTRANTS // 4,
)
ROUNDS = Record(
    models.DrawnRound,
    "drawn_at entry_key started_at paused_at paused_seconds",
    sits_out=NUMBERS,
    held={"tables": ROUND_TABLES},
    parent=_OF_EVENT,
    counted="number",
    most=limits.MAX_ROUNDS,
)
ENTRANTS = Record(
    models.Entrant,
    "player joined_at first_round last_round is_stationary is_free",
    group=Literal["", "a", "b"],
    parent=_OF_EVENT,
    counted="number",
    most=limits.MAX_ENTRANTS,
)
SUBSTITUTIONS = Record(
    models.EntrantSubstitution, "number round player", parent=_OF_EVENT, most=limits.MAX_SUBSTITUTIONS
)
EVENTS = Record(
    models.Event,
    "day game house_rules format options scoring rounds round_unit length currency seed has_stakes value"
    " place has_check_in created_at finished_at entry_key",
    title=TITLE,
    fee=Amount,
    sitting_out=Literal["win", "sixty", "average", "nothing"],
    prizes=Annotated[tuple[Prize, ...], Items(limits.MAX_PRIZES)],
    held={"entrants": ENTRANTS, "substitutions": SUBSTITUTIONS, "drawn": ROUNDS},
)
HANDICAPS = Record(
    models.Handicap,
    "player kind",
    size=Annotated[str, Text(12, r"-?[0-9]{1,5}(\.[0-9]{1,2})?", "handicap-between")],
    parent={"season_id": "id"},
)
SEASONS = Record(
    models.Season,
    "first last counts currency lowest_wins best least bonus ties",
    name=_name(limits.GROWTH * limits.MAX_CIRCLE_TEXT_LENGTH),
    games=Annotated[tuple[Annotated[str, Text(64)], ...], Items(limits.MAX_SEASON_GAMES)],
    places=Annotated[tuple[NUMBER, ...], Items(limits.MAX_COUNTED_PLACES)],
    held={"handicaps": HANDICAPS},
)
PAYMENTS = Record(
    models.Payment,
    "giver taker paid_on table event evening needs_confirmation membership at withdrawn_at withdrawn_by entry_key",
    kind=Literal["payment", "expense", "income"],
    account=ACCOUNT,
    amount=PAID,
    method=Literal["cash", "transfer", "other"],
    note=Annotated[str, Text(limits.GROWTH * limits.MAX_NOTE_LENGTH, clean=clean_lines)],
    held={"confirmed": Record(models.Confirmation, "membership at", parent={"payment_id": "id"}, most=1)},
    counted="number",
)
# The lists of the file, in their order: items refer to those before them.
LISTS = {
    "players": PLAYERS,
    "memberships": MEMBERSHIPS,
    "tables": TABLES,
    "events": EVENTS,
    "seasons": SEASONS,
    "payments": PAYMENTS,
}


def list_records(listed: Iterable[Record] = LISTS.values()) -> Iterator[Record]:
    for record in listed:
        yield record
        yield from list_records(record.held.values())


# --- reading -------------------------------------------------------------------------------------------------

MILLION = 1_000_000
MAX_UNPACKED = 200  # million bytes
MAX_ITEM = 8  # million bytes: a table of 3,000 deals, each corrected several times, is smaller
SECTIONS = ("format", "circle", *LISTS)


class CircleFileError(Exception):
    """The file is not that of a circle that can be imported. The problems' fields are paths, as `players.3.name`."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(problems)
        self.problems = problems


class Item(NamedTuple):
    section: str
    place: int  # in the section, from 1; 0 for the circle itself
    values: Any
    size: int  # of its line

    @property
    def path(self) -> str:
        return f"{self.section}.{self.place}" if self.place else self.section


def raise_problem(field: str, key: str, **params: object) -> NoReturn:
    raise CircleFileError(Problem(field, key, params))


def raise_problems(path: str, problems: list[Problem]) -> None:
    """Raise a CircleFileError if there are problems, whose fields are relative to a path."""
    if problems:
        raise CircleFileError(*(each._replace(field=f"{path}.{each.field}".rstrip(".")) for each in problems))


def read_items(file: IO[bytes], most: int = MAX_UNPACKED) -> Iterator[Item]:
    """Yield the circle, then each item of the lists in order; `most` is in million bytes, unpacked.

    Raises a CircleFileError at the first item that has a wrong value, or refers to what is not in the file.
    """
    counts = dict.fromkeys(LISTS, 0)
    for section, content, size in _read_parts(file, most):
        if section == "format":
            if content != FORMAT:
                raise_problem("format", "one-of", found=abbreviate_value(content), choices=(FORMAT,))
            continue
        place = counts[section] = counts[section] + 1 if section in counts else 0
        record = LISTS.get(section, CIRCLE)
        problems: list[Problem] = []
        item = Item(section, place, schema.load(record.values, content, NO_SEATS, problems), size)
        raise_problems(item.path, problems)
        _check_references(record, item.values, item.path, counts)
        yield item


def _check_references(record: Record, values: Any, path: str, counts: dict[str, int]) -> None:
    """Check that the items are there to which a record refers; those of a later one are checked when it comes."""
    for each in record.fields:
        value = getattr(values, each.name)
        section = each.section if value is not None and each.name != LATER else None
        if section is not None and not 1 <= value <= counts[section]:
            raise_problem(f"{path}.{each.name}", "not-in-file", found=str(value), section=section)
    for name, held in record.held.items():
        for place, item in enumerate(getattr(values, name), start=1):
            _check_references(held, item, f"{path}.{name}.{place}", counts)


END = b"\n"  # which no line has in it


class _Line(NamedTuple):
    """A line of the file, without the comma at its end; after the last one comes `END`."""

    number: int
    text: bytes
    size: int

    def expect(self, text: bytes) -> None:
        if self.text != text:
            self.fail()

    def read(self, key: bytes = b"") -> Any:
        """Return the JSON value of the line, after its key if it has one."""
        value = read(self.text.removeprefix(key))
        return value if self.text.startswith(key) and not isinstance(value, Refusal) else self.fail()

    def fail(self) -> NoReturn:
        raise_problem("file", "circle-not-as-exported", line=self.number)


def _read_parts(file: IO[bytes], most: int) -> Iterator[tuple[str, Any, int]]:
    """Yield the section, the value and the size of each line with a value. No line may be another than in an export."""
    lines = _read_lines(file, most)
    next(lines).expect(b"{")
    for section in SECTIONS:
        line, key = next(lines), f'"{section}": '.encode()
        if section not in LISTS:
            yield section, line.read(key), line.size
        elif line.text != key + b"[]":
            line.expect(key + b"[")
            while (line := next(lines)).text != b"]":
                yield section, line.read(), line.size
    next(lines).expect(b"}")
    next(lines).expect(END)


def _read_lines(file: IO[bytes], most: int) -> Iterator[_Line]:
    file.seek(0)
    is_packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    lines = gzip.GzipFile(fileobj=file) if is_packed else file
    number, left, longest = 0, most * MILLION, MAX_ITEM * MILLION
    try:
        for number, line in enumerate(iter(partial(lines.readline, longest + 1), b""), start=1):
            left -= len(line)
            if left < 0:
                raise_problem("file", "circle-unpacks-to-too-much", most=most)
            if len(line) > longest:
                raise_problem("file", "circle-not-as-exported", line=number)
            yield _Line(number, line.strip().removesuffix(b","), len(line))
    except (OSError, EOFError, zlib.error) as error:
        raise CircleFileError(Problem("file", "circle-not-unpacked")) from error
    yield _Line(number, END, 0)
