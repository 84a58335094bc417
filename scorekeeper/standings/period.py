"""The period of a page of statistics: the evenings between two days, such as those of a year."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from flask import g
from wtforms.validators import ValidationError

from .. import i18n
from ..models import Circle
from ..scoring.problems import Problem
from ..site.fields import DayField
from ..site.forms import QueryForm
from ..site.language import t
from . import reading
from .totals import Totals

SINCE, UNTIL = "since", "until"  # fields with a day, either of which may be left empty


class PeriodForm(QueryForm):
    """The first and the last evening of what is looked for, either of which may be left empty."""

    since = DayField()
    until = DayField()

    def validate_until(self, field: DayField) -> None:
        if self.since.data is not None and field.data is not None and self.since.data > field.data:
            raise ValidationError(Problem(UNTIL, "until-before-since"))


@dataclass(frozen=True)
class EveningPeriod:
    """The evenings from `since` to `until`, both included; None is no limit."""

    since: date | None = None
    until: date | None = None
    query: Mapping[str, Any] = field(default_factory=dict)  # what was typed, also if that is no date
    form: PeriodForm | None = None  # if it was entered

    @property
    def is_wrong(self) -> bool:
        """Whether what was entered is no period."""
        return self.form is not None and bool(self.form.errors)

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
        return Totals() if self.is_wrong else reading.read_totals(circle, self.since, self.until)


def read_period() -> EveningPeriod:
    form = PeriodForm()
    form.validate()
    return EveningPeriod(form.since.data, form.until.data, form.query, form)
