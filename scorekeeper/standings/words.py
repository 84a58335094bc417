"""What the pages of statistics say in words: averages and days."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from babel.numbers import format_decimal
from flask import g

from .. import i18n
from ..scoring.game import AnyGame
from ..scoring.sheet import settlement_unit
from ..site.language import day_in_words, t, unit_text
from .ranking import PLACES, average
from .statistics import MONTH

NONE = "–"


def head_net(game: AnyGame) -> str:
    return t("players.net-in", unit=unit_text(game, "unit.within", settlement_unit(game)))


def average_number(total: int, count: int) -> str:
    """Return how much of a total falls on each of `count`, with two decimal places; a dash if the count is 0."""
    value = average(total, count)
    return NONE if value is None else _decimal(value)


def average_signed(total: int, count: int) -> str:
    value = average(total, count)
    if value is None:
        return NONE
    return f"{'+' if value > 0 else ''}{_decimal(value)}"


def _decimal(value: Decimal) -> str:
    pattern = f"#,##0.{'0' * PLACES}"
    return format_decimal(value, f"{pattern};−{pattern}", g.language)


def period_in_words(period: str) -> str:
    if len(period) > MONTH:
        return day_in_words(date.fromisoformat(period))
    return i18n.part_of_date(date.fromisoformat(f"{period}-01"), g.language, "yMMMM")


def shorten_period(period: str) -> str:
    if len(period) > MONTH:
        return i18n.part_of_date(date.fromisoformat(period), g.language, "MMMd")
    return i18n.part_of_date(date.fromisoformat(f"{period}-01"), g.language, "yMMM")
