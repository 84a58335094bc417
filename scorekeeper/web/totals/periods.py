"""The period of a page of statistics: all years, one year, or the evenings between two days."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from flask import abort, g, request

from ... import i18n
from ...models import Circle
from ...scoring.problems import Problem
from ...services.totals import read_totals
from ...stats.totals import Totals
from ..support.language import t

SINCE, UNTIL = "since", "until"  # fields with a day, either of which may be left empty
MAX_SHOWN = 40  # characters of what is no date


@dataclass(frozen=True)
class Period:
    """A period as it was asked for: a year, or the days in `query`, or everything.

    `query` has what was typed, also if that is no date; `problems` says what is wrong with it.
    """

    year: str = ""
    since: date | None = None
    until: date | None = None
    query: Mapping[str, Any] = field(default_factory=dict)
    problems: Sequence[Problem] = ()

    @property
    def is_everything(self) -> bool:
        """Whether it has no limits."""
        return not self.query

    @property
    def is_current(self) -> bool:
        """Whether it goes on: what is played next belongs to it."""
        return not self.year and self.until is None

    @property
    def last(self) -> date | None:
        """The last day; None if it goes on."""
        return date(int(self.year), 12, 31) if self.year else self.until

    @property
    def words(self) -> str:
        """The period in words."""
        since, until = (day and i18n.long_day(day, g.language) for day in (self.since, self.until))
        if since and until:
            return t("players.between", since=since, until=until)
        if since or until:
            return t("players.since", day=since) if since else t("players.until", day=until)
        return self.year or t("players.in-all")

    @property
    def first(self) -> date | None:
        """The first day; None if it has none."""
        return date(int(self.year), 1, 1) if self.year else self.since

    def read(self, circle: Circle) -> Totals:
        """Return the circle's totals of the period; none if something is wrong with it."""
        return Totals() if self.problems else read_totals(circle, self.first, self.last)


def requested() -> Period:
    """Return the period that the page's query names. Days are stronger than a year."""
    query = {name: value for name in (SINCE, UNTIL) if (value := request.args.get(name, "").strip())}
    year = _year()
    if not query:
        return Period(year, query={"year": year} if year else {})
    since, until, problems = parse_range(query)
    return Period("", since, until, query, problems)


def _year() -> str:
    """Return the requested year; "" for all years."""
    year = request.args.get("year", "")
    if year and not re.fullmatch(r"[0-9]{4}", year):
        abort(404)
    return year if year != "0000" else abort(404)


def parse_range(query: Mapping[str, str]) -> tuple[date | None, date | None, list[Problem]]:
    """Return the first and the last day of a query, and what is wrong with them."""
    since, until = (parse_date(query.get(name, "")) for name in (SINCE, UNTIL))
    problems = [
        Problem(name, "date", {"found": _abbreviated(query[name])})
        for name, day in ((SINCE, since), (UNTIL, until))
        if name in query and day is None
    ]
    if since is not None and until is not None and since > until:
        problems.append(Problem(UNTIL, "until-before-since"))
    return since, until, problems


def parse_date(text: str) -> date | None:
    """Return the day that is written in ISO 8601; None for anything else."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _abbreviated(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"
