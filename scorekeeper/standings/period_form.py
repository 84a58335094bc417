"""The period of a page of statistics: all years, one year, or the evenings between two days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from flask import abort, g, request

from .. import i18n
from ..limits import parse_day
from ..models import Circle
from ..scoring.problems import Problem
from ..site.language import t
from . import reading
from .totals import Totals

SINCE, UNTIL = "since", "until"  # fields with a day, either of which may be left empty
MAX_SHOWN = 40  # characters of what is no date


@dataclass(frozen=True)
class Period:
    """A period as it was asked for: a year, or the days in `query`, or everything; None is no limit."""

    year: str = ""
    since: date | None = None
    until: date | None = None
    query: Mapping[str, Any] = field(default_factory=dict)  # what was typed, also if that is no date
    problems: Sequence[Problem] = ()  # with the query

    @property
    def is_everything(self) -> bool:
        return not self.query

    @property
    def is_current(self) -> bool:
        """Whether the period has not ended yet: tables played from now on belong to it."""
        return self.until is None

    @property
    def words(self) -> str:
        if self.year:
            return self.year
        since, until = (day and i18n.long_day(day, g.locale) for day in (self.since, self.until))
        if since and until:
            return t("players.between", since=since, until=until)
        if since or until:
            return t("players.since", day=since) if since else t("players.until", day=until)
        return t("players.in-all")

    def read_totals(self, circle: Circle) -> Totals:
        return Totals() if self.problems else reading.read_totals(circle, self.since, self.until)


def read_period() -> Period:
    """Return the period that the page's query names. If it has days and a year, the days count."""
    query = {name: value for name in (SINCE, UNTIL) if (value := request.args.get(name, "").strip())}
    year = request.args.get("year", "")
    new_year = parse_day(f"{year}-01-01")
    if year and new_year is None:
        abort(404)
    if query:
        since, until, problems = parse_range(query)
        return Period(since=since, until=until, query=query, problems=problems)
    if new_year is not None:
        return Period(year, since=new_year, until=date(new_year.year, 12, 31), query={"year": year})
    return Period()


def parse_range(query: Mapping[str, str]) -> tuple[date | None, date | None, list[Problem]]:
    since, until = parse_day(query.get(SINCE, "")), parse_day(query.get(UNTIL, ""))
    problems = []
    for name, day in ((SINCE, since), (UNTIL, until)):
        if name in query and day is None:
            problems.append(Problem(name, "date", {"found": query[name][:MAX_SHOWN]}))
    if since is not None and until is not None and since > until:
        problems.append(Problem(UNTIL, "until-before-since"))
    return since, until, problems
