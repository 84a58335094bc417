"""The values in the file of a circle, with their limits, and how moments and days are written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from functools import partial
from typing import Annotated, NamedTuple

from ..limits import GROWTH, MAX_KEY_LENGTH, MAX_LINK, MAX_PLACE, MAX_PLAYERS, MAX_ROUNDS, find_day_problem
from ..payment_details import parse_iban, parse_payment_link
from ..scoring.accounts import is_currency
from ..scoring.adjustments import clean_reason
from ..scoring.currencies import list_currencies
from ..scoring.problems import Problem, abbreviate_value
from ..scoring.values import Cleaned, JsonObject, Range, Text, clean_name

MAX_NUMBER = 100_000_000  # of anything that is counted; such numbers fit the integers of every database
FIRST_YEAR = 1970  # of moments: a clock that was never set begins then


class Column(NamedTuple):
    """The column in which a value is stored, where it has not the name of the field."""

    name: str


class Reference(NamedTuple):
    """A number of an item of another list of the file. Without a `Column`, `player` is stored in `player_id`."""

    section: str


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
Count = Annotated[int, Range(0, MAX_NUMBER)]
PlayerNumber = Annotated[Number, Reference("players")]
BrowserNumber = Annotated[Number, Reference("browsers"), Column("browser_id")]
TableNumber = Annotated[Number, Reference("tables")]
EventNumber = Annotated[Number, Reference("events")]
SettlementNumber = Annotated[Number, Reference("settlements")]
EntrantNumber = Annotated[int, Range(1, MAX_PLAYERS)]
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
