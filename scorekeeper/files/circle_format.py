"""What the file of a circle holds: a class for what it is, and one for the items of each of its lists.

By these classes a file is written, read and stored. A field has the name of its column; a reference lacks the `_id`,
and is the number of an item in another list of the file, counted from 1. So the same circle gives the same file,
whatever its ids in a database. docs/circle-file.md describes the format.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, NoReturn, get_args, get_origin, get_type_hints

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
GROWTH = limits.GROWTH


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


_SECOND = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"
Moment = Annotated[str, Text(27, rf"{_SECOND}(\.[0-9]{{6}})?Z", "moment", check=partial(_check_time, "moment"))]
Day = Annotated[str, Text(10, r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "date", check=partial(_check_time, "date"))]
Number = Annotated[int, Range(0, MAX_NUMBER)]
Numbers = Annotated[tuple[Number, ...], Items(limits.MAX_ENTRANTS)]
Key = Annotated[str, Text(limits.MAX_KEY_LENGTH, rf"[^\x00-\x1f\x7f]{{1,{limits.MAX_KEY_LENGTH}}}", "entry-key")]
Slug = Annotated[str, Text(32)]
Choice = Annotated[str, Text(8)]
Currency = Annotated[str, Text(3)]
# A currency, or a game's key.
Account = Annotated[str, Text(64, r"[A-Z]{3}|[a-z0-9-]+(\.[0-9a-f]+)?", "slug", check=_check_account)]
Subunits = Annotated[str, Text(24, r"[1-9][0-9]{0,23}", "subunits")]  # Decimal counts with 28 digits
Iban = Annotated[str, Text(34, r"[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}", check=partial(_check_stored, parse_iban))]
Link = Annotated[str, Text(limits.MAX_LINK_LENGTH, r"https://.*", check=partial(_check_stored, parse_payment_link))]
CircleText = Annotated[str, Text(limits.MAX_CIRCLE_TEXT_LENGTH, clean=clean_name)]
Title = Annotated[str, Text(GROWTH * limits.MAX_TEXT_LENGTH, clean=clean_name)]
Place = Annotated[str, Text(GROWTH * limits.MAX_PLACE_LENGTH, clean=clean_name)]
Note = Annotated[str, Text(GROWTH * limits.MAX_NOTE_LENGTH, clean=clean_lines)]
PartyScores = Annotated[tuple[Annotated[int, Range(-limits.MAX_SCORE, limits.MAX_SCORE)], ...], Items(4)]
Pairs = Annotated[tuple[Annotated[tuple[Number, ...], Items(2, 2)], ...], Items(2, 2)]


# --- the items -----------------------------------------------------------------------------------------------


class Row:
    """An item that is stored in a row. Its fields are columns, and lists of the items that it holds.

    Attributes:
        model: the table of the row.
        parent: the columns that name the item that holds this one, with those of it that they are equal to.
        counter: the column that counts the items of a list from 1, and is not in the file.
    """

    model: ClassVar[type[models.Base]]
    parent: ClassVar[Mapping[str, str]] = {}
    counter: ClassVar[str | None] = None


@dataclass(frozen=True, kw_only=True)
class Circle(Row):
    model = models.Circle

    created_at: Moment
    time_zone: Annotated[str, Text(64)] | None = None
    confirms_payments: bool = False
    shows_ratings: bool = False
    title: CircleText | None = None
    motto: CircleText | None = None


@dataclass(frozen=True, kw_only=True)
class Presence(Row):
    model = models.Presence
    parent: ClassVar = {"player_id": "id"}

    day: Day
    arrived_at: Moment


@dataclass(frozen=True, kw_only=True)
class Player(Row):
    model = models.Player

    person: Number | None = None
    retired_at: Moment | None = None
    erased_at: Moment | None = None
    is_banker: bool = False
    is_cashier: bool = False
    iban: Iban | None = None
    payment_link: Link | None = None
    name: Annotated[str, Text(limits.MAX_NAME_LENGTH, clean=clean_name)]
    present: Annotated[tuple[Presence, ...], Items(1)] = ()


@dataclass(frozen=True, kw_only=True)
class Membership(Row):
    model = models.Membership

    number: Number
    created_at: Moment
    player: Number | None = None
    revoked_at: Moment | None = None
    name: Annotated[str, Text(limits.MAX_PHONE_NAME_LENGTH, clean=clean_name)] | None = None


@dataclass(frozen=True, kw_only=True)
class Seat(Row):
    model = models.Seat
    parent: ClassVar = {"table_id": "id"}
    counter = "label"

    player: Number
    is_substitute: bool = False


@dataclass(frozen=True, kw_only=True)
class Revision(Row):
    model = models.Revision
    parent: ClassVar = {"table_id": "id"}
    counter = "number"

    kind: Annotated[str, Text(16)]
    membership: Number
    at: Moment
    entry_key: Key
    deal: Number | None = None
    before: Number | None = None
    undoes: Number | None = None
    body: Annotated[JsonObject, Cleaned(clean_reason)] | None = None


@dataclass(frozen=True, kw_only=True)
class Table(Row):
    model = models.Table

    game: Slug
    dealer: Annotated[str, Text(2)]
    house_rules: JsonObject
    day: Day
    opened_at: Moment
    is_dated: bool = False
    value_currency: Currency | None = None
    value_unit: Choice | None = None
    value_amount: Annotated[str, Text(24)] | None = None
    has_stakes: bool = True
    played_on: Day | None = None
    place: Place | None = None
    turns: Choice | None = None
    games_token: Annotated[str, Text(16)] | None = None
    entry_key: Key | None = None
    title: Title | None = None
    note: Note | None = None
    seats: Annotated[tuple[Seat, ...], Items(limits.MAX_LABEL)] = ()
    revisions: tuple[Revision, ...] = ()


@dataclass(frozen=True)
class Scores:
    """The scores of a table's parties, their slams, and their scores on each board; no score if it was not played."""

    scores: PartyScores
    slams: PartyScores = ()
    boards: Annotated[tuple[PartyScores, ...], Items(limits.MAX_ROUND_LENGTH)] = ()


@dataclass(frozen=True, kw_only=True)
class ResultConfirmation(Row):
    model = models.ResultConfirmation
    parent: ClassVar = {"result_id": "id"}

    side: Number
    membership: Number
    at: Moment


@dataclass(frozen=True, kw_only=True)
class RoundResult(Row):
    model = models.RoundResult
    parent: ClassVar = {"event_id": "event_id", "round": "round", "table_number": "number"}
    counter = "number"

    membership: Number
    at: Moment
    entry_key: Key
    is_slip: bool = False
    body: Scores | None = None
    confirmed: tuple[ResultConfirmation, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RoundTable(Row):
    model = models.RoundTable
    parent: ClassVar = {"event_id": "event_id", "round": "number"}
    counter = "number"

    table: Number | None = None
    pairs: Pairs
    results: tuple[RoundResult, ...] = ()


@dataclass(frozen=True, kw_only=True)
class DrawnRound(Row):
    model = models.DrawnRound
    parent: ClassVar = {"event_id": "id"}
    counter = "number"

    drawn_at: Moment
    entry_key: Key
    started_at: Moment | None = None
    paused_at: Moment | None = None
    paused_seconds: Number = 0
    sits_out: Numbers
    tables: Annotated[tuple[RoundTable, ...], Items(limits.MAX_ENTRANTS // 4)] = ()


@dataclass(frozen=True, kw_only=True)
class Entrant(Row):
    model = models.Entrant
    parent: ClassVar = {"event_id": "id"}
    counter = "number"

    player: Number
    joined_at: Moment
    first_round: Number = 1
    last_round: Number | None = None
    is_stationary: bool = False
    is_free: bool = False
    group: Literal["", "a", "b"] = ""


@dataclass(frozen=True, kw_only=True)
class EntrantSubstitution(Row):
    model = models.EntrantSubstitution
    parent: ClassVar = {"event_id": "id"}

    number: Number
    round: Number
    player: Number


@dataclass(frozen=True, kw_only=True)
class Event(Row):
    model = models.Event

    day: Day
    game: Slug
    house_rules: JsonObject
    format: Slug
    options: JsonObject
    scoring: Slug
    rounds: Number
    round_unit: Choice
    length: Number
    currency: Currency | None = None
    seed: Number
    has_stakes: bool = False
    value: JsonObject | None = None
    place: Place | None = None
    has_check_in: bool = False
    created_at: Moment
    finished_at: Moment | None = None
    entry_key: Key | None = None
    title: Title
    fee: Amount | None = None
    sitting_out: Literal["win", "sixty", "average", "nothing"]
    prizes: Annotated[tuple[Prize, ...], Items(limits.MAX_PRIZES)]
    entrants: Annotated[tuple[Entrant, ...], Items(limits.MAX_ENTRANTS)] = ()
    substitutions: Annotated[tuple[EntrantSubstitution, ...], Items(limits.MAX_SUBSTITUTIONS)] = ()
    drawn: Annotated[tuple[DrawnRound, ...], Items(limits.MAX_ROUNDS)] = ()


@dataclass(frozen=True, kw_only=True)
class Handicap(Row):
    model = models.Handicap
    parent: ClassVar = {"season_id": "id"}

    player: Number
    kind: Literal["points", "factor"]
    size: Annotated[str, Text(12, r"-?[0-9]{1,5}(\.[0-9]{1,2})?", "handicap-between")]


@dataclass(frozen=True, kw_only=True)
class Season(Row):
    model = models.Season

    first: Day
    last: Day
    counts: Literal["won", "points", "net", "money", "rating"]
    currency: Annotated[str, Text(3, r"[A-Z]{3}", "currency", check=_check_account)] | None = None
    lowest_wins: bool = False
    best: Annotated[int, Range(1, limits.MAX_COUNTED_EVENINGS)] | None = None
    least: Annotated[int, Range(0, limits.MAX_COUNTED_EVENINGS)] = 0
    bonus: Annotated[int, Range(0, limits.MAX_BONUS)] = 0
    ties: Literal["best", "evenings", "shared"]
    name: Annotated[str, Text(GROWTH * limits.MAX_CIRCLE_TEXT_LENGTH, clean=clean_name)]
    games: Annotated[tuple[Annotated[str, Text(64)], ...], Items(limits.MAX_SEASON_GAMES)] = ()
    places: Annotated[
        tuple[Annotated[int, Range(0, limits.MAX_PLACE_POINTS)], ...], Items(limits.MAX_COUNTED_PLACES)
    ] = ()
    handicaps: tuple[Handicap, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Confirmation(Row):
    model = models.Confirmation
    parent: ClassVar = {"payment_id": "id"}

    membership: Number
    at: Moment


@dataclass(frozen=True, kw_only=True)
class Payment(Row):
    model = models.Payment
    counter = "number"

    giver: Number | None = None
    taker: Number | None = None
    paid_on: Day
    table: Number | None = None
    event: Number | None = None
    evening: Day | None = None
    needs_confirmation: bool = False
    membership: Number
    at: Moment
    withdrawn_at: Moment | None = None
    withdrawn_by: Number | None = None
    entry_key: Key | None = None
    kind: Literal["payment", "expense", "income"] = "payment"
    account: Account
    amount: Subunits
    method: Literal["cash", "transfer", "other"] | None = None
    note: Note | None = None
    confirmed: Annotated[tuple[Confirmation, ...], Items(1)] = ()


@dataclass(frozen=True)
class CircleFile:
    format: Literal["scorekeeper-circle/1"]
    circle: Circle
    players: tuple[Player, ...]
    memberships: tuple[Membership, ...]
    tables: tuple[Table, ...]
    events: tuple[Event, ...]
    seasons: tuple[Season, ...]
    payments: tuple[Payment, ...]


# --- fields --------------------------------------------------------------------------------------------------


class Field(NamedTuple):
    """A field of an item that is a column, left out at its default; `section` is the list to which it refers."""

    name: str
    column: Any
    section: str | None
    default: Any


def _find_lists(item: type[Any]) -> dict[str, type[Row]]:
    """Return the classes of the items in the lists of a file or an item, by the names of these lists."""
    lists = {}
    for name, annotation in get_type_hints(item, include_extras=True).items():
        plain = annotation.__origin__ if hasattr(annotation, "__metadata__") else annotation
        of_list = get_args(plain)[0] if get_origin(plain) is tuple else None
        if isinstance(of_list, type) and issubclass(of_list, Row):
            lists[name] = of_list
    return lists


def _find_fields(item: type[Row]) -> list[Field]:
    columns = item.model.__table__.columns
    fields = []
    for each in dataclasses.fields(item):  # type: ignore[arg-type]  # each class of a row is a dataclass
        if each.name not in HELD[item]:
            column = columns[each.name if each.name in columns else f"{each.name}_id"]
            section = next((_SECTIONS[key.column.table.name] for key in column.foreign_keys), None)
            fields.append(Field(each.name, column, section, each.default))
    return fields


LISTS = _find_lists(CircleFile)  # in their order: items refer to those of lists before them, or of the same list
_SECTIONS = {item.model.__tablename__: section for section, item in LISTS.items()}
HELD = {item: _find_lists(item) for item in Row.__subclasses__()}
FIELDS = {item: _find_fields(item) for item in Row.__subclasses__()}


# --- reading -------------------------------------------------------------------------------------------------


class CircleFileError(Exception):
    """The file is not that of a circle that can be imported. The problems' fields are paths, as `players.3.name`."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(problems)
        self.problems = problems


def raise_problem(field: str, key: str, **params: object) -> NoReturn:
    raise CircleFileError(Problem(field, key, params))


def raise_problems(path: str, problems: list[Problem]) -> None:
    """Raise a CircleFileError if there are problems, whose fields are relative to a path."""
    if problems:
        raise CircleFileError(*(each._replace(field=f"{path}.{each.field}".rstrip(".")) for each in problems))


def read_circle_file(content: bytes) -> CircleFile:
    """Raise a CircleFileError if a value is wrong, or refers to what is not in the file."""
    raw = read(content)
    if isinstance(raw, Refusal):
        raise_problem("file", "circle-not-as-exported")
    problems: list[Problem] = []
    file = schema.load(CircleFile, raw, NO_SEATS, problems)
    if file is None or problems:
        raise CircleFileError(*problems)
    counts = {section: len(getattr(file, section)) for section in LISTS}
    for section in LISTS:
        for place, item in enumerate(getattr(file, section), start=1):
            _check_references(item, f"{section}.{place}", counts)
    return file


def _check_references(item: Row, path: str, counts: Mapping[str, int]) -> None:
    for name, _, section, _ in FIELDS[type(item)]:
        value = getattr(item, name)
        if section is not None and value is not None and not 1 <= value <= counts[section]:
            raise_problem(f"{path}.{name}", "not-in-file", found=str(value), section=section)
    for name in HELD[type(item)]:
        for place, held in enumerate(getattr(item, name), start=1):
            _check_references(held, f"{path}.{name}.{place}", counts)
