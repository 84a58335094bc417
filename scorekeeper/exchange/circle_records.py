"""The records of the format `scorekeeper-circle/1`, which holds a whole circle: docs/circle-file.md describes it.

Records refer to each other by numbers: a circle's players, tables and settlements are counted from 1 in the file, the
others have their number in the circle. So the same circle gives the same file, whatever its ids in a database. Times
are in UTC, and amounts are decimal integers as text, since they may exceed what other programs read as a number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ..scoring.values import JsonObject, Range
from ..tables.revisions import AMEND, ANNOUNCE, CLOSE, COUNT, INSERT, RECORD, REOPEN, RESTORE, UNDO, WITHDRAW

FORMAT = "scorekeeper-circle/1"
MAX_SCORE = 9_999  # of a pair at a table of an event
MAX_NUMBER = 100_000_000  # of anything that is counted; such numbers fit the integers of every database

Number = Annotated[int, Range(1, MAX_NUMBER)]
Count = Annotated[int, Range(0, MAX_NUMBER)]
Kind = Literal["record", "insert", "amend", "withdraw", "restore", "undo", "close", "reopen", "count", "announce"]

DEAL_KINDS = (RECORD, INSERT, AMEND, WITHDRAW, RESTORE, UNDO)
OTHER_KINDS = (CLOSE, REOPEN, COUNT, ANNOUNCE)


@dataclass(frozen=True)
class CircleRecord:
    """The circle itself; `banker` is a player's number."""

    created_at: str
    title: str | None = None
    time_zone: str | None = None
    settles_games_together: bool = True
    confirms_payments: bool = False
    shows_ratings: bool = False
    banker: Number | None = None


@dataclass(frozen=True)
class PresenceRecord:
    """Since when a player is here on the evening `day`."""

    day: str
    at: str


@dataclass(frozen=True)
class PlayerRecord:
    """A player; `merged_into` is the number of the person."""

    number: Number
    name: str
    merged_into: Number | None = None
    retired_at: str | None = None
    erased_at: str | None = None
    iban: str | None = None
    payment_link: str | None = None
    present: PresenceRecord | None = None


@dataclass(frozen=True)
class BrowserRecord:
    """A browser that is the author of something in the file; `player` is whose phone it is."""

    number: Number
    created_at: str
    name: str | None = None
    player: Number | None = None
    revoked_at: str | None = None


@dataclass(frozen=True)
class DealConfirmationRecord:
    """The word of a player that a deal is recorded as it was played; `by` is the browser's number."""

    by: Number
    player: Number
    at: str


@dataclass(frozen=True)
class RevisionRecord:
    """A revision of a table's facts, as in `models.Revision`; `by` is a browser's number."""

    number: Number
    kind: Kind
    by: Number
    at: str
    key: str
    deal: Number | None = None
    before: Number | None = None
    body: JsonObject | None = None
    undoes: Number | None = None
    confirmed: tuple[DealConfirmationRecord, ...] = ()


@dataclass(frozen=True)
class TableRecord:
    """A table without its revisions; `players` are in order of their seats, `dealer` is the first dealer's seat.

    `substitutes` are those who took a seat later, in order of their labels, which follow those of the players.
    """

    number: Number
    game: str
    rules_version: Number
    players: tuple[Number, ...]
    dealer: str
    house_rules: JsonObject
    day: str
    opened_at: str
    is_dated: bool = False
    value: JsonObject | None = None
    title: str | None = None
    played_on: str | None = None
    place: str | None = None
    note: str | None = None
    confirms_deals: bool = False
    turns: Literal["deal", "manche", "robre"] | None = None
    closed_at: str | None = None
    key: str | None = None
    substitutes: tuple[Number, ...] = ()


@dataclass(frozen=True)
class EventRecord:
    """An event without its entrants, substitutions and rounds; `cashier` is a player's number."""

    number: Number
    title: str
    day: str
    game: str
    house_rules: JsonObject
    format: str
    options: JsonObject
    scoring: str
    rounds: Number
    round_unit: Literal["deals", "partie", "minutes"]
    seed: Annotated[int, Range(0, 2**31 - 1)]
    created_at: str
    place: str | None = None
    length: Number | None = None
    fee: str | None = None
    currency: str | None = None
    prizes: tuple[JsonObject, ...] = ()
    cashier: Number | None = None
    has_check_in: bool = False
    finished_at: str | None = None
    key: str | None = None


@dataclass(frozen=True)
class EntrantRecord:
    """A number of an event, and the player who has it."""

    number: Number
    player: Number
    joined_at: str
    group: Literal["", "a", "b"] = ""
    first_round: Number = 1
    last_round: Count | None = None
    is_stationary: bool = False
    is_free: bool = False


@dataclass(frozen=True)
class EntrantSubstitutionRecord:
    """Who plays under an entrant's number from a round on."""

    number: Number
    round: Number
    player: Number


@dataclass(frozen=True)
class RoundRecord:
    """A round of an event without its tables; `sits_out` are entrants' numbers."""

    number: Number
    drawn_at: str
    key: str
    sits_out: tuple[Number, ...] = ()
    started_at: str | None = None
    paused_at: str | None = None
    paused_seconds: Count = 0


@dataclass(frozen=True)
class RoundTableRecord:
    """A table of a round without its results; `table` is the one on which the deals were recorded."""

    number: Number
    pairs: tuple[tuple[Number, ...], ...]
    table: Number | None = None


@dataclass(frozen=True)
class SideRecord:
    """The word of a side, 0 or 1, that a result is right; `by` is the browser's number."""

    side: Literal[0, 1]
    by: Number
    at: str


@dataclass(frozen=True)
class ScoresRecord:
    """What the two pairs of a table scored, first pair first, and their slams."""

    scores: tuple[Annotated[int, Range(-MAX_SCORE, MAX_SCORE)], ...]
    slams: tuple[Annotated[int, Range(0, MAX_SCORE)], ...] = ()


@dataclass(frozen=True)
class RoundResultRecord:
    """A version of a table's result; without a `body`, the result was withdrawn."""

    number: Number
    by: Number
    at: str
    key: str
    body: ScoresRecord | None = None
    is_slip: bool = False
    confirmed: tuple[SideRecord, ...] = ()


@dataclass(frozen=True)
class PartRecord:
    """What a settlement took over of a player's balance, from a table, an event or an earlier settlement.

    `kind` says what a part from an event is.
    """

    player: Number
    amount: str
    table: Number | None = None
    event: Number | None = None
    kind: Literal["fee", "prize"] | None = None
    settlement: Number | None = None


@dataclass(frozen=True)
class SettlementRecord:
    """A settlement without its parts; `successor` is the settlement that took over what was unpaid."""

    number: Number
    account: str
    created_at: str
    table: Number | None = None
    event: Number | None = None
    day: str | None = None
    game: str | None = None
    successor: Number | None = None


@dataclass(frozen=True)
class Signed:
    """The browser that did something, by its number, and when."""

    by: Number
    at: str


@dataclass(frozen=True)
class PaymentRecord:
    """A payment, or the withdrawal of one; `from_` and `to` are players."""

    number: Number
    settlement: Number
    from_: Number
    to: Number
    amount: str
    by: Number
    at: str
    withdraws: Number | None = None
    needs_confirmation: bool = False
    key: str | None = None
    confirmed: Signed | None = None


@dataclass(frozen=True)
class FlagRecord:
    """A flag on a deal of a table, or on a payment."""

    number: Number
    comment: str
    by: Number
    at: str
    key: str
    table: Number | None = None
    deal: Number | None = None
    payment: Number | None = None
    resolved: Signed | None = None


# The parts of the document, in their order. Each refers only to those before it; the circle's banker is the exception.
LISTS = {
    "players": PlayerRecord,
    "browsers": BrowserRecord,
    "tables": TableRecord,
    "events": EventRecord,
    "settlements": SettlementRecord,
    "payments": PaymentRecord,
    "flags": FlagRecord,
}
OPTIONAL = frozenset({"events"})  # lists that are left out if they are empty
SECTIONS = ("format", "circle", *LISTS)
