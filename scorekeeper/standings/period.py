"""The period of a page of statistics: the evenings between two days, such as those of a year."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from flask import g, request

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
    """The evenings from `since` to `until`, both included; None is no limit."""

    since: date | None = None
    until: date | None = None
    query: Mapping[str, Any] = field(default_factory=dict)  # what was typed, also if that is no date
    problems: Sequence[Problem] = ()  # with the query

    @property
    def year(self) -> str:
        """The year that the period is; "" if it is none."""
        if self.since is None or self.until is None:
            return ""
        year = self.since.year
        return str(year) if (self.since, self.until) == (date(year, 1, 1), date(year, 12, 31)) else ""

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
    query = {name: value for name in (SINCE, UNTIL) if (value := request.args.get(name, "").strip())}
    since, until, problems = parse_range(query)
    return Period(since, until, query, problems)


def parse_range(query: Mapping[str, str]) -> tuple[date | None, date | None, list[Problem]]:
    since, until = parse_day(query.get(SINCE, "")), parse_day(query.get(UNTIL, ""))
    problems = []
    for name, day in ((SINCE, since), (UNTIL, until)):
        if name in query and day is None:
            problems.append(Problem(name, "date", {"found": query[name][:MAX_SHOWN]}))
    if since is not None and until is not None and since > until:
        problems.append(Problem(UNTIL, "until-before-since"))
    return since, until, problems
