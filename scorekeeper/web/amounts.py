"""Amounts of an account in words: money, or counters as they are handed over."""

from __future__ import annotations

from babel.numbers import format_decimal
from flask import Blueprint, g

from .. import currency
from ..games import games
from ..scoring.accounts import grains_of_a_counter, is_currency, to_money
from ..scoring.ledger import FICHE, JETONS
from ..scoring.statement import settling_unit
from ..table import Open, evening_of
from .language import money, t

blueprint = Blueprint("amounts", __name__)


@blueprint.app_template_global()
def held(account: str, grains: int) -> str:
    """So much of an account, without its sign: €1.50, or 2 fiches and 4 jetons."""
    if is_currency(account):
        return money(to_money(abs(grains), currency.places(account)), account)
    if settling_unit(games()[account]) != JETONS:
        return t("count.fiches", count=abs(grains))
    fiches, jetons = divmod(abs(grains), FICHE)
    told = [t(f"count.{unit}", count=count) for unit, count in (("fiches", fiches), ("jetons", jetons)) if count]
    return f" {t('settlement.and')} ".join(told) or t("count.jetons", count=0)


@blueprint.app_template_global()
def held_signed(account: str, grains: int) -> str:
    sign = "" if grains == 0 else "+" if grains > 0 else "−"
    return f"{sign}{held(account, grains)}"


@blueprint.app_template_global()
def to_type(account: str, grains: int) -> str:
    """The amount as it stands in a field, in the account's unit: 1.50, or 22 (jetons)."""
    if not is_currency(account):
        return str(grains)
    places = currency.places(account)
    pattern = f"0.{'0' * places}" if places else "0"
    return format_decimal(to_money(grains, places), pattern, locale=g.language)


@blueprint.app_template_global()
def unit_of(account: str) -> str:
    """What a field for an amount of the account is counted in."""
    return account if is_currency(account) else t(f"unit.{settling_unit(games()[account])}").lower()


@blueprint.app_template_global()
def grains_of(table: Open) -> int:
    """How many grains of its account a counter of the table is, in the unit it is settled in."""
    return grains_of_a_counter(table.game, table.value)


@blueprint.app_template_global()
def coin_of(account: str) -> str:
    """The smallest coin of a currency."""
    return held(account, currency.coin(account))


@blueprint.app_template_global()
def account_name(account: str) -> str:
    if is_currency(account):
        return t("settlement.in-money", currency=currency.name(account, g.language))
    return t(f"{account}.name")


blueprint.app_template_global("evening_of")(evening_of)
