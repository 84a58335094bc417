"""The records of an event in the file of a circle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ..events.prizes import Amount, Prize
from ..limits import (
    GROWTH,
    MAX_LENGTH,
    MAX_PLAYERS,
    MAX_PRIZES,
    MAX_ROUNDS,
    MAX_SCORE,
    MAX_SUBSTITUTIONS,
    MAX_TEXT_LENGTH,
)
from ..scoring.values import Items, JsonObject, Range, Text, clean_name
from .circle_values import (
    BrowserNumber,
    Count,
    Currency,
    Day,
    EntrantNumber,
    Key,
    Moment,
    Number,
    Place,
    PlayerNumber,
    RoundNumber,
    Slug,
    TableNumber,
)

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

    number: Number
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
    sitting_out: Literal["win", "sixty", "average", "nothing", "rounded"] = "rounded"
    finished_at: Moment | None = None
    key: Key | None = None
    entrants: Annotated[tuple[EntrantRecord, ...], Items(MAX_PLAYERS)]
    substitutions: Annotated[tuple[EntrantSubstitutionRecord, ...], Items(MAX_SUBSTITUTIONS)]
    drawn: Annotated[tuple[RoundRecord, ...], Items(MAX_ROUNDS)]


@dataclass(frozen=True, kw_only=True)
class EntrantRecord:
    """A number of an event, and the player who has it."""

    number: EntrantNumber
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

    number: RoundNumber
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

    number: Annotated[int, Range(1, MAX_PLAYERS // 4)]
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

    number: Number
    by: BrowserNumber
    at: Moment
    key: Key
    body: ScoresRecord | None = None
    is_slip: bool = False
    confirmed: Annotated[tuple[SideRecord, ...], Items(4)] = ()
