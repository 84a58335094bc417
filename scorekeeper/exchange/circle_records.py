"""The records of the format `scorekeeper-circle/1`, which holds a whole circle: docs/circle-file.md describes it.

Records refer to each other by numbers: a circle's players, tables and settlements are counted from 1 in the file, the
others have their number in the circle. So the same circle gives the same file, whatever its ids in a database. Times
are in UTC, and amounts are decimal integers as text, since they may exceed what other programs read as a number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ..limits import (
    GROWTH,
    MAX_BROWSER_NAME,
    MAX_CIRCLE_TEXT,
    MAX_LABEL,
    MAX_NAME_LENGTH,
    MAX_NOTE,
    MAX_TEXT_LENGTH,
)
from ..scoring.values import Items, JsonObject, Text, clean_lines, clean_name
from ..tables.revisions import AMEND, ANNOUNCE, CLOSE, COUNT, INSERT, RECORD, REOPEN, RESTORE, UNDO, WITHDRAW
from .circle_event_records import EventRecord, ValueRecord
from .circle_season_records import SeasonRecord
from .circle_values import (
    Account,
    Body,
    BrowserNumber,
    Column,
    Currency,
    Day,
    EventNumber,
    Iban,
    Key,
    Moment,
    Number,
    Paid,
    PaymentLink,
    Place,
    PlayerNumber,
    SettlementNumber,
    Slug,
    Subunits,
    TableNumber,
)

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
    banker: PlayerNumber | None = None


@dataclass(frozen=True, kw_only=True)
class PresenceRecord:
    """Since when a player is here on the evening `day`."""

    day: Day
    at: Annotated[Moment, Column("arrived_at")]


@dataclass(frozen=True, kw_only=True)
class PlayerRecord:
    """A player; `merged_into` is the number of the person."""

    number: Number
    name: Annotated[str, Text(MAX_NAME_LENGTH, clean=clean_name)]
    merged_into: Annotated[PlayerNumber, Column("person_id")] | None = None
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

    number: Number
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

    number: Number
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

    number: Number
    account: Account
    created_at: Moment
    table: TableNumber | None = None
    event: EventNumber | None = None
    day: Day | None = None
    game: Slug | None = None
    successor: SettlementNumber | None = None
    parts: tuple[PartRecord, ...]


@dataclass(frozen=True, kw_only=True)
class Signed:
    """The browser that did something, by its number, and when."""

    by: BrowserNumber
    at: Moment


@dataclass(frozen=True, kw_only=True)
class PaymentRecord:
    """A payment, or the withdrawal of one; `from_` and `to` are players."""

    number: Number
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
