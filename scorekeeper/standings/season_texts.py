"""A season in words: its days, its rules, its amounts, and why somebody is where they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from flask import g

from .. import i18n
from ..models import Handicap, Season
from ..site.amounts import format_signed_amount
from ..site.language import name_of_key, number, signed, t
from .season_ranking import BEST, EVENINGS, FACTOR, MONEY, SIGNED, SeasonRow


def to_decimal(amount: Fraction | int) -> Decimal:
    """Write a number that has at most two decimal places."""
    return Decimal(amount.numerator) / amount.denominator


@dataclass(frozen=True)
class SeasonPhrases:
    season: Season

    @property
    def days(self) -> str:
        since, until = (i18n.long_day(day, g.locale) for day in (self.season.first, self.season.last))
        return t("players.between", since=since, until=until)

    def describe_rules(self, names: Mapping[str, str]) -> str:
        """Return how its evenings count, in a line; `names` are those that the circle has given to games."""
        season = self.season
        said = [t(f"seasons.counts.{season.counts}")]
        said += [name_of_key(key, names) for key in season.games] or [t("seasons.all-games")]
        if season.lowest_wins:
            said.append(t("seasons.lowest-wins"))
        counts = {"best": season.best, "least": season.least, "bonus": season.bonus}
        said += [t(f"seasons.rule.{key}", count=count) for key, count in counts.items() if count]
        if season.places:
            said.append(f"{t('seasons.rule.places')}{t('colon')} {' '.join(map(str, season.places))}")
        return " · ".join([*said, t(f"seasons.rule.ties.{season.ties}")])

    def format_amount(self, amount: Fraction | int) -> str:
        if self.season.counts == MONEY:
            return format_signed_amount(self.season.currency or "", int(amount))
        value = to_decimal(amount)
        return signed(value) if self.season.counts in SIGNED else number(value)

    def format_points(self, amount: Fraction | int) -> str:
        return signed(to_decimal(amount))

    def describe_handicap(self, handicap: Handicap) -> str:
        """Return what a handicap does: +2 for each evening, or × 1.5."""
        amount = Decimal(handicap.size)
        if handicap.kind == FACTOR:
            return t("seasons.handicap.times", amount=number(amount))
        return t("seasons.handicap.each", amount=signed(amount))

    def list_reasons(self, row: SeasonRow, handicap: Handicap | None) -> Iterator[str]:
        season, evenings = self.season, len(row.evenings)
        if handicap is not None:
            yield f"{t('seasons.handicap')}{t('colon')} {self.describe_handicap(handicap)}"
        if season.best:
            yield t("seasons.of", counted=row.counted, count=evenings)
        if row.bonus:
            yield t("seasons.bonus-of", amount=self.format_points(row.bonus), count=evenings)
        if row.has_equals and season.ties == BEST:
            best = row.find_best(lowest_wins=season.lowest_wins)
            yield t("seasons.tie.best", amount=self.format_amount(best))
        elif row.has_equals and season.ties == EVENINGS:
            yield t("seasons.tie.evenings", count=evenings)
        if row.shares_rank:
            yield t("seasons.tie.shared")
