"""Seasons in words: what they count, from when to when, and amounts."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from flask import g

from ...i18n import dates
from ...models import Circle, Handicap, Season
from ...services.seasons import seasons
from ...stats.seasons import FACTOR, MONEY, SIGNED
from ..support.amounts import format_signed_amount
from ..support.language import number, signed, t
from .seasons import blueprint


def to_decimal(amount: Fraction | int) -> Decimal | int:
    """Return a number, which has at most two decimal places, as it is written."""
    exact = Fraction(amount)
    if exact.denominator == 1:
        return exact.numerator
    return Decimal(int(exact * 100)).scaleb(-2)


@blueprint.app_template_global()
def season_amount(season: Season, amount: Fraction | int) -> str:
    """Format what somebody has made in a season: points, wins, counters, money or points of a rating."""
    if season.counts == MONEY:
        return format_signed_amount(season.currency or "", int(amount))
    value = to_decimal(amount)
    return signed(value) if season.counts in SIGNED else number(value)


@blueprint.app_template_global()
def signed_points(amount: Fraction | int) -> str:
    """Format a change of what somebody has made, with its sign."""
    return signed(to_decimal(amount))


@blueprint.app_template_global()
def season_days(season: Season) -> str:
    """Return from when to when a season is."""
    since, until = (dates.long_day(day, g.language) for day in (season.first, season.last))
    return t("players.between", since=since, until=until)


@blueprint.app_template_global()
def handicap_in_words(handicap: Handicap) -> str:
    """Return what a handicap does: +2 for each evening, or × 1.5."""
    amount = Decimal(handicap.size)
    if handicap.kind == FACTOR:
        return t("seasons.handicap.times", amount=number(amount))
    return t("seasons.handicap.each", amount=signed(amount))


@blueprint.app_template_global()
def current_season(circle: Circle) -> Season | None:
    """Return the season that today belongs to."""
    return seasons.find_current(circle)
