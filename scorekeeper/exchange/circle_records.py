"""The records of the format `scorekeeper-circle/1`, which holds a whole circle: docs/circle-file.md describes it.

Records refer to each other by numbers: a circle's players, tables and settlements are counted from 1 in the file, the
others have their number in the circle. So the same circle gives the same file, whatever its ids in a database. Times
are in UTC, and amounts are decimal integers as text, since they may exceed what other programs read as a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from typing import Annotated, Literal, NamedTuple

from ..events.prizes import Amount, Prize
from ..limits import (
    GROWTH,
    MAX_BONUS,
    MAX_BROWSER_NAME,
    MAX_CIRCLE_TEXT,
    MAX_EVENINGS,
    MAX_KEY_LENGTH,
    MAX_LABEL,
    MAX_LENGTH,
    MAX_LINK,
    MAX_NAME_LENGTH,
    MAX_NOTE,
    MAX_PLACE,
    MAX_PLACE_POINTS,
    MAX_PLACES_COUNTED,
    MAX_PLAYERS,
    MAX_PRIZES,
    MAX_ROUNDS,
    MAX_SCORE,
    MAX_SEASON_GAMES,
    MAX_SUBSTITUTIONS,
    MAX_TEXT_LENGTH,
    find_day_problem,
)
from ..payment_details import parse_iban, parse_payment_link
from ..scoring.common import clean_reason
from ..scoring.problems import Problem, abbreviate_value
from ..scoring.sheet import is_currency, list_currencies
from ..scoring.values import Cleaned, Items, JsonObject, Range, Text, clean_lines, clean_name
from ..tables.revisions import AMEND, ANNOUNCE, CLOSE, COUNT, INSERT, RECORD, REOPEN, RESTORE, UNDO, WITHDRAW

MAX_NUMBER = 100_000_000  # of anything that is counted; such numbers fit the integers of every database
FIRST_YEAR = 1970  # of moments: a clock that was never set begins then


class Column(NamedTuple):
    """The column in which a value is stored, where it has not the name of the field."""

    name: str


class Reference(NamedTuple):
    """A number of an item of another list of the file, or of the same event. `player` is stored in `player_id`.

    `is_later`: it may refer to an item that follows, and is checked once all are read.
    """

    section: str
    is_later: bool = False


class Counted(NamedTuple):
    """A number that counts the items of its list from 1."""


def parse_moment(text: str) -> datetime:
    """Return a moment in UTC as it is stored. Raises ValueError."""
    return datetime.fromisoformat(text.removesuffix("Z"))


def format_moment(moment: datetime | None) -> str | None:
    """Return a stored moment as it stands in the file."""
    return f"{moment.isoformat()}Z" if moment is not None else None


def parse_day(text: str) -> date:
    """Return a day. Raises ValueError."""
    return date.fromisoformat(text)


def _check_moment(text: str) -> Problem | None:
    try:
        day = parse_moment(text).date()
    except ValueError:
        day = date.min
    if day.year < FIRST_YEAR:
        return Problem("", "moment", {"found": abbreviate_value(text)})
    return _problem_of_day(day)  # which a table's day may follow from


def _check_day(text: str) -> Problem | None:
    try:
        return _problem_of_day(parse_day(text))
    except ValueError:
        return Problem("", "date", {"found": abbreviate_value(text)})


def _problem_of_day(day: date) -> Problem | None:
    key = find_day_problem(day)
    return Problem("", key) if key is not None else None


def _check_stored(parse: Callable[[str], str | Problem], text: str) -> Problem | None:
    """Return what is wrong with a text that has to be as a form's parser returns it."""
    parsed = parse(text)
    if isinstance(parsed, Problem) or parsed == text:
        return parsed if isinstance(parsed, Problem) else None
    return Problem("", "not-as-stored", {"found": abbreviate_value(text), "must": abbreviate_value(parsed)})


def _check_account(text: str) -> Problem | None:
    is_wrong = is_currency(text) and text not in list_currencies()
    return Problem("", "currency", {"found": text}) if is_wrong else None


def _check_key(text: str) -> Problem | None:
    return (
        None
        if 0 < len(text) <= MAX_KEY_LENGTH and text.isprintable()
        else Problem("", "entry-key", {"most": MAX_KEY_LENGTH})
    )


_MOMENT = r"(19[7-9][0-9]|[2-9][0-9]{3})-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?Z"

Number = Annotated[int, Range(1, MAX_NUMBER)]
Ordinal = Annotated[Number, Counted()]
Count = Annotated[int, Range(0, MAX_NUMBER)]
PlayerNumber = Annotated[Number, Reference("players")]
BrowserNumber = Annotated[Number, Reference("browsers"), Column("browser_id")]
TableNumber = Annotated[Number, Reference("tables")]
EventNumber = Annotated[Number, Reference("events")]
SettlementNumber = Annotated[Number, Reference("settlements")]
EntrantNumber = Annotated[int, Range(1, MAX_PLAYERS), Reference("entrants")]  # of the same event
RoundNumber = Annotated[int, Range(1, MAX_ROUNDS)]
Moment = Annotated[str, Text(27, _MOMENT, "moment", check=_check_moment)]
Day = Annotated[str, Text(10, r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "date", check=_check_day)]
Key = Annotated[
    str, Text(MAX_KEY_LENGTH, rf".{{1,{MAX_KEY_LENGTH}}}", "entry-key", check=_check_key), Column("entry_key")
]
Subunits = Annotated[str, Text(1_001, r"-?[1-9][0-9]{0,999}", "subunits")]
Paid = Annotated[str, Text(1_000, r"[1-9][0-9]{0,999}", "subunits")]
Slug = Annotated[str, Text(32, r"[a-z0-9-]+", "slug")]
Account = Annotated[str, Text(32, r"[A-Z]{3}|[a-z0-9-]+", "slug", check=_check_account)]  # a currency or a game
Currency = Annotated[str, Text(3, r"[A-Z]{3}", "currency", check=_check_account)]
Iban = Annotated[str, Text(34, r"[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}", check=partial(_check_stored, parse_iban))]
PaymentLink = Annotated[str, Text(MAX_LINK, r"https://.*", check=partial(_check_stored, parse_payment_link))]
Place = Annotated[str, Text(GROWTH * MAX_PLACE, clean=clean_name)]
Body = Annotated[JsonObject, Cleaned(clean_reason)]  # of a revision


SideScores = Annotated[tuple[Annotated[int, Range(-MAX_SCORE, MAX_SCORE)], ...], Items(4, 2)]
Pair = Annotated[tuple[EntrantNumber, ...], Items(2, 2)]  # of entrants, North or East first


@dataclass(frozen=True, kw_only=True)
class ValueRecord:
    """The worth of one counter of a unit of the game in money."""

    currency: Currency
    unit: Annotated[str, Text(8, r"[a-z][a-z0-9_]{0,7}")]
    amount: Annotated[str, Text(19, r"(?![0.]+$)[0-9]{1,12}(\.[0-9]{1,6})?", "amount")]


@dataclass(frozen=True, kw_only=True)
class EventRecord:
    """A drive or a tournament; `cashier` is a player's number."""

    number: Ordinal
    title: Annotated[str, Text(GROWTH * MAX_TEXT_LENGTH, clean=clean_name)]
    day: Day
    game: Slug
    house_rules: JsonObject
    format: Annotated[str, Text(32)]
    options: JsonObject
    scoring: Annotated[str, Text(32)]
    rounds: RoundNumber
    round_unit: Literal["deals", "partie", "games", "minutes"]
    seed: Annotated[int, Range(0, 2**31 - 1)]
    created_at: Moment
    place: Place | None = None
    length: Annotated[int, Range(1, MAX_LENGTH)] | None = None
    fee: Amount | None = None
    currency: Currency | None = None
    prizes: Annotated[tuple[Prize, ...], Items(MAX_PRIZES)] = ()
    cashier: PlayerNumber | None = None
    has_stakes: bool = True
    value: ValueRecord | None = None
    has_check_in: bool = False
    sitting_out: Literal["win", "sixty", "average", "nothing"] = "average"
    finished_at: Moment | None = None
    key: Key | None = None
    entrants: Annotated[tuple[EntrantRecord, ...], Items(MAX_PLAYERS)]
    substitutions: Annotated[tuple[EntrantSubstitutionRecord, ...], Items(MAX_SUBSTITUTIONS)]
    drawn: Annotated[tuple[RoundRecord, ...], Items(MAX_ROUNDS)]


@dataclass(frozen=True, kw_only=True)
class EntrantRecord:
    """A number of an event, and the player who has it."""

    number: Annotated[int, Range(1, MAX_PLAYERS), Counted()]
    player: PlayerNumber
    joined_at: Moment
    group: Literal["", "a", "b"] = ""
    first_round: Annotated[int, Range(1, MAX_ROUNDS + 1)] = 1
    last_round: Annotated[int, Range(0, MAX_ROUNDS)] | None = None
    is_stationary: bool = False
    is_free: bool = False


@dataclass(frozen=True, kw_only=True)
class EntrantSubstitutionRecord:
    """The person who plays under an entrant's number from a round on."""

    number: EntrantNumber
    round: RoundNumber
    player: PlayerNumber


@dataclass(frozen=True, kw_only=True)
class RoundRecord:
    """A round of an event; `sits_out` are entrants' numbers."""

    number: Annotated[RoundNumber, Counted()]
    drawn_at: Moment
    key: Key
    sits_out: Annotated[tuple[EntrantNumber, ...], Items(MAX_PLAYERS)] = ()
    started_at: Moment | None = None
    paused_at: Moment | None = None
    paused_seconds: Count = 0
    tables: Annotated[tuple[RoundTableRecord, ...], Items(MAX_PLAYERS // 4)]


@dataclass(frozen=True, kw_only=True)
class RoundTableRecord:
    """A table of a round, and the versions of its result; `table` is the one on which the deals were recorded."""

    number: Annotated[int, Range(1, MAX_PLAYERS // 4), Counted()]
    pairs: Annotated[tuple[Pair, ...], Items(2, 2)]
    table: TableNumber | None = None
    results: tuple[RoundResultRecord, ...]


@dataclass(frozen=True, kw_only=True)
class SideRecord:
    """The word of a side, counted from 0, that a result is right; `by` is the browser's number."""

    side: Literal[0, 1, 2, 3]
    by: BrowserNumber
    at: Moment


@dataclass(frozen=True, kw_only=True)
class ScoresRecord:
    """The scores of a table's parties, their slams, and their scores on each board if known.

    Two pairs, first pair first; or North, East, South and West, where everybody plays alone. None at all if the table
    was not played.
    """

    scores: Annotated[tuple[Annotated[int, Range(-MAX_SCORE, MAX_SCORE)], ...], Items(4)]
    slams: Annotated[tuple[Annotated[int, Range(0, MAX_LENGTH)], ...], Items(4, 2)] = ()
    boards: Annotated[tuple[SideScores, ...], Items(MAX_LENGTH)] = ()


@dataclass(frozen=True, kw_only=True)
class RoundResultRecord:
    """A version of a table's result; without a `body`, the result was withdrawn."""

    number: Ordinal
    by: BrowserNumber
    at: Moment
    key: Key
    body: ScoresRecord | None = None
    is_slip: bool = False
    confirmed: Annotated[tuple[SideRecord, ...], Items(4)] = ()


GameKey = Annotated[str, Text(64, r"[a-z0-9-]{1,32}(\.[0-9a-f]{12})?", "slug")]  # see `stats.game_keys`
PlacePoints = Annotated[int, Range(0, MAX_PLACE_POINTS)]


@dataclass(frozen=True, kw_only=True)
class HandicapRecord:
    """The handicap of a player: points for each evening, or a factor."""

    player: PlayerNumber
    kind: Literal["points", "factor"]
    size: Annotated[str, Text(12, r"-?[0-9]{1,5}(\.[0-9]{1,2})?", "handicap-between")]


@dataclass(frozen=True, kw_only=True)
class SeasonRecord:
    """A season: the evenings from `first` to `last`, and how they count."""

    name: Annotated[str, Text(GROWTH * MAX_CIRCLE_TEXT, clean=clean_name)]
    first: Day
    last: Day
    counts: Literal["won", "points", "net", "money", "rating"]
    ties: Literal["best", "evenings", "shared"]
    games: Annotated[tuple[GameKey, ...], Items(MAX_SEASON_GAMES)] = ()
    currency: Currency | None = None
    lowest_wins: bool = False
    best: Annotated[int, Range(1, MAX_EVENINGS)] | None = None
    least: Annotated[int, Range(0, MAX_EVENINGS)] = 0
    bonus: Annotated[int, Range(0, MAX_BONUS)] = 0
    places: Annotated[tuple[PlacePoints, ...], Items(MAX_PLACES_COUNTED)] = ()
    handicaps: tuple[HandicapRecord, ...] = ()


FORMAT = "scorekeeper-circle/1"

Kind = Literal["record", "insert", "amend", "withdraw", "restore", "undo", "close", "reopen", "count", "announce"]

DEAL_KINDS = (RECORD, INSERT, AMEND, WITHDRAW, RESTORE, UNDO)

# Which of the keys deal, before, body and undoes a revision of each kind must have, and which it may have.
KEYS_OF_KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    RECORD: (("deal", "body"), ()),
    INSERT: (("deal", "before", "body"), ()),
    AMEND: (("deal", "body"), ()),
    WITHDRAW: (("deal",), ()),
    RESTORE: (("deal", "body"), ()),
    UNDO: (("deal", "undoes"), ("body",)),
    CLOSE: ((), ()),
    REOPEN: ((), ()),
    COUNT: (("body",), ()),
    ANNOUNCE: ((), ("body",)),
}


@dataclass(frozen=True, kw_only=True)
class CircleRecord:
    """The circle itself; `banker` is a player's number, `transferred` are the currencies not rounded to coins."""

    created_at: Moment
    title: Annotated[str, Text(MAX_CIRCLE_TEXT, clean=clean_name)] | None = None
    motto: Annotated[str, Text(MAX_CIRCLE_TEXT, clean=clean_name)] | None = None
    time_zone: Annotated[str, Text(64)] | None = None
    settles_games_together: bool = True
    confirms_payments: bool = False
    shows_ratings: bool = False
    transferred: Annotated[tuple[Currency, ...], Items(20)] = ()
    banker: Annotated[Number, Reference("players", is_later=True)] | None = None


@dataclass(frozen=True, kw_only=True)
class PresenceRecord:
    """Since when a player is here on the evening `day`."""

    day: Day
    at: Annotated[Moment, Column("arrived_at")]


@dataclass(frozen=True, kw_only=True)
class PlayerRecord:
    """A player; `merged_into` is the number of the person."""

    number: Ordinal
    name: Annotated[str, Text(MAX_NAME_LENGTH, clean=clean_name)]
    merged_into: Annotated[Number, Reference("players", is_later=True), Column("person_id")] | None = None
    retired_at: Moment | None = None
    erased_at: Moment | None = None
    iban: Iban | None = None
    payment_link: PaymentLink | None = None
    present: PresenceRecord | None = None


@dataclass(frozen=True, kw_only=True)
class BrowserRecord:
    """A browser that is the author of something in the file; `player` is whose phone it is."""

    number: Number
    created_at: Moment
    name: Annotated[str, Text(MAX_BROWSER_NAME, clean=clean_name)] | None = None
    player: PlayerNumber | None = None
    revoked_at: Moment | None = None


@dataclass(frozen=True, kw_only=True)
class RevisionRecord:
    """A revision of a table's facts, as in `models.Revision`; `by` is a browser's number."""

    number: Ordinal
    kind: Kind
    by: BrowserNumber
    at: Moment
    key: Key
    deal: Number | None = None
    before: Number | None = None
    body: Body | None = None
    undoes: Number | None = None


@dataclass(frozen=True, kw_only=True)
class TableRecord:
    """A table; `players` are in order of their seats, `dealer` is the first dealer's seat.

    `substitutes` are those who took a seat later, in order of their labels, which follow those of the players.
    """

    number: Ordinal
    game: Slug
    rules_version: Number
    players: Annotated[tuple[PlayerNumber, ...], Items(MAX_LABEL, 2)]
    dealer: Annotated[str, Text(1, "[1-9]")]
    house_rules: JsonObject
    day: Day
    opened_at: Moment
    is_dated: bool = False
    value: ValueRecord | None = None
    has_stakes: bool = True
    title: Annotated[str, Text(GROWTH * MAX_TEXT_LENGTH, clean=clean_name)] | None = None
    played_on: Day | None = None
    place: Place | None = None
    note: Annotated[str, Text(GROWTH * MAX_NOTE, clean=clean_lines)] | None = None
    turns: Literal["deal", "manche", "robre"] | None = None
    closed_at: Moment | None = None
    key: Key | None = None
    substitutes: Annotated[tuple[PlayerNumber, ...], Items(MAX_LABEL - 2)] = ()
    revisions: tuple[RevisionRecord, ...]


@dataclass(frozen=True, kw_only=True)
class PartRecord:
    """The part of a player's balance that a settlement took over, from a table, an event or an earlier settlement.

    `kind` says what a part from an event is.
    """

    player: PlayerNumber
    amount: Subunits
    table: TableNumber | None = None
    event: EventNumber | None = None
    kind: Literal["fee", "prize"] | None = None
    settlement: Annotated[SettlementNumber, Column("earlier_id")] | None = None


@dataclass(frozen=True, kw_only=True)
class SettlementRecord:
    """A settlement; `successor` is the settlement that took over what was unpaid."""

    number: Ordinal
    account: Account
    created_at: Moment
    table: TableNumber | None = None
    event: EventNumber | None = None
    day: Day | None = None
    game: Slug | None = None
    successor: Annotated[Number, Reference("settlements", is_later=True)] | None = None
    parts: tuple[PartRecord, ...]


@dataclass(frozen=True, kw_only=True)
class Signed:
    """The browser that did something, by its number, and when."""

    by: BrowserNumber
    at: Moment


@dataclass(frozen=True, kw_only=True)
class PaymentRecord:
    """A payment, or the withdrawal of one; `from_` and `to` are players."""

    number: Ordinal
    settlement: SettlementNumber
    from_: Annotated[PlayerNumber, Column("giver_id")]
    to: Annotated[PlayerNumber, Column("taker_id")]
    amount: Paid
    by: BrowserNumber
    at: Moment
    withdraws: Number | None = None
    needs_confirmation: bool = False
    key: Key | None = None
    confirmed: Signed | None = None


# The parts of the document, in their order. Each refers only to those before it; the circle's banker is the exception.
LISTS = {
    "players": PlayerRecord,
    "browsers": BrowserRecord,
    "tables": TableRecord,
    "events": EventRecord,
    "seasons": SeasonRecord,
    "settlements": SettlementRecord,
    "payments": PaymentRecord,
}
OPTIONAL = frozenset({"events", "seasons"})  # lists that are left out if they are empty
SECTIONS = ("format", "circle", *LISTS)
