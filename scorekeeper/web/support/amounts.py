"""Parsing and formatting of amounts in an account: money, or a game's counters.

Amounts are integers: subunits of the currency, or counters of the unit in which a game is settled.
"""

from __future__ import annotations

from contextlib import suppress

from babel.core import parse_locale
from babel.numbers import get_territory_currencies
from flask import Blueprint, Response, abort, g, jsonify, request

from ... import currency, i18n
from ...games import find_game, games
from ...models import Circle, Settlement
from ...scoring.game import AnyGame
from ...scoring.problems import Problem
from ...scoring.sheet import is_currency, list_currencies, settlement_unit, subunits_per_counter, to_money, to_subunits
from ...scoring.standing import value_unit
from ...services.money.balances import list_used_currencies
from ...services.tables.reading import has_tables_of
from ...tables.state import TableState
from .forms import VALUE_PLACES
from .language import (
    day_in_words,
    find_evening,
    money,
    name_of_game,
    problem_message,
    t,
    unit_text,
    value_text,
    wanted_languages,
)
from .numbers import ambiguity, choose_keyboard, format_for_input, parse_amount, parse_int


def name_of_settlement(settlement: Settlement, prefix: str = "of") -> str:
    """Return what was settled, in words; `prefix` begins the message's key: "of", "unpaid-from" or "moved-to"."""
    if settlement.table is not None:
        game, day = name_of_game(settlement.table), day_in_words(settlement.table.day)
        return t(f"settlement.{prefix}-table", game=game, day=day)
    if settlement.event is not None:
        return t(f"settlement.{prefix}-event", event=settlement.event.title)
    if settlement.day is not None:
        name = t(f"settlement.{prefix}-evening", day=day_in_words(settlement.day))
    else:
        name = t(f"settlement.{prefix}-everything", day=day_in_words(find_evening(settlement.created_at)))
    if settlement.game is None:
        return name
    return t("settlement.of-game", settlement=name, game=t(f"{settlement.game}.name"))


blueprint = Blueprint("amounts", __name__)

USUAL_CURRENCY = "EUR"  # of readers whose browser names no region


@blueprint.app_template_global()
def format_amount(account: str, subunits: int) -> str:
    """Format an amount without its sign: €1.50, or 2 fiches and 4 jetons."""
    if is_currency(account):
        return money(to_money(abs(subunits), currency.places(account)), account)
    return _format_counters(find_game(account), abs(subunits))


def _format_counters(game: AnyGame, amount: int) -> str:
    """Format an amount of the smallest unit in as many of the larger units as possible."""
    counters, rest = [], amount
    for unit in sorted(game.units, key=game.worth_of, reverse=True):
        count, rest = divmod(rest, game.worth_of(unit))
        counters += [unit_text(game, "count", unit, count=count)] if count else []
    return f" {t('settlement.and')} ".join(counters) or unit_text(game, "count", settlement_unit(game), count=0)


@blueprint.app_template_global()
def format_signed_amount(account: str, subunits: int) -> str:
    """Format an amount with its sign; 0 has none."""
    sign = "" if subunits == 0 else "+" if subunits > 0 else "−"
    return f"{sign}{format_amount(account, subunits)}"


@blueprint.app_template_global()
def open_amount(account: str, subunits: int) -> str:
    return t(
        "settlement.open.gets" if subunits > 0 else "settlement.open.pays", amount=format_amount(account, subunits)
    )


@blueprint.app_template_global()
def amount_for_input(account: str, subunits: int) -> str:
    """Format an amount as the value of an input, without its unit: 1.50, or 22 (jetons)."""
    if not is_currency(account):
        return str(subunits)
    return format_for_input(to_money(subunits, currency.places(account)))


@blueprint.app_template_global()
def unit_name(account: str) -> str:
    """Return the unit in which amounts of the account are entered: EUR, or jetons."""
    return account if is_currency(account) else _unit_within(find_game(account))


def _unit_within(game: AnyGame) -> str:
    return unit_text(game, "unit.within", settlement_unit(game))


@blueprint.app_template_global()
def value_units(game: AnyGame) -> list[str]:
    return [value_unit(unit) for unit in sorted(game.units, key=game.worth_of, reverse=True)]


@blueprint.app_template_global()
def counter_subunits(table: TableState) -> int:
    """Return how many subunits of its account one counter of the table is worth, in the unit of its settlement."""
    return subunits_per_counter(table.game, table.value)


@blueprint.app_template_global()
def smallest_amount(account: str, in_cash: bool) -> str:
    """Format the smallest amount of a currency that can be paid in cash, or else by transfer."""
    return format_amount(account, currency.coin(account, in_cash=in_cash))


blueprint.add_app_template_global(currency.has_larger_coins)
blueprint.add_app_template_global(choose_keyboard)


@blueprint.app_template_global()
def account_name(account: str) -> str:
    """Return the name of a currency ("in euros") or of a game, in the reader's language."""
    if is_currency(account):
        return t("settlement.in-money", currency=currency.name(account, g.language, count=2))
    return t(f"{account}.name")


@blueprint.app_template_global()
def account_title(account: str) -> str:
    name = currency.name(account, g.language) if is_currency(account) else t(f"{account}.name")
    return name[:1].upper() + name[1:]


@blueprint.app_template_global()
def currency_choices() -> dict[str, str]:
    """Return the names of all currencies by code: the reader's own, those of the circle, then the others by name."""
    names = {code: f"{account_title(code)} ({code})" for code in list_currencies()}
    used = list_used_currencies(g.browser.circle) if "browser" in g else []
    first = [code for code in (local_currency(), *used) if code in names]
    others = i18n.sorted_by_name(names, names.__getitem__)
    return {code: names[code] for code in (*first, *others)}


@blueprint.app_template_global()
def local_currency() -> str:
    """Return the currency of the first region among the languages that the reader wants."""
    for tag in wanted_languages():
        with suppress(ValueError):  # any text may stand in a header
            territory = parse_locale(tag.replace("_", "-"), "-")[1] or ""
            for code in get_territory_currencies(territory):
                if code in list_currencies():
                    return str(code)
    return USUAL_CURRENCY


# --- parsing -----------------------------------------------------------------------------------------------


def is_account(account: str, circle: Circle | None = None) -> bool:
    """Return whether a string is the slug of a game, or of one played in the circle, or a currency."""
    if account in games() or account in list_currencies():
        return True
    return circle is not None and has_tables_of(circle, account)


def parse_payment(account: str, typed: str | None) -> int | Problem:
    """Parse an amount above 0 into subunits: money with at most the currency's decimal places, or whole counters."""
    if is_currency(account):
        money = parse_amount("amount", typed, currency.places(account))
        return money if isinstance(money, Problem) else to_subunits(money)
    counters = parse_int(typed)
    if isinstance(counters, int) and counters > 0:
        return counters
    return ambiguity("amount", typed, 0) or Problem("amount", "payment-counters")


@blueprint.get("/understood")
def understood() -> Response:
    """Return how an amount that is being typed would be parsed, as JSON for the page's script.

    Query: `typed`, and either the `account` of a payment, or the `currency` and `unit` of a counter's value.
    JSON keys: `words`, the amount or the problem in words; `wrong`, whether it is a problem.
    """
    typed, account = request.args.get("typed", ""), request.args.get("account", "")
    if not is_account(account or request.args.get("currency", "")):
        abort(404)
    result = _describe_payment(account, typed) if account else _describe_value(typed)
    if isinstance(result, Problem):
        return jsonify(words=problem_message(result), wrong=True)
    return jsonify(words=result, wrong=False)


def _describe_payment(account: str, typed: str) -> str | Problem:
    subunits = parse_payment(account, typed)
    return subunits if isinstance(subunits, Problem) else format_amount(account, subunits)


def _describe_value(typed: str) -> str | Problem:
    amount = parse_amount("value.amount", typed, VALUE_PLACES)
    if isinstance(amount, Problem):
        return amount
    price = money(amount, request.args["currency"])
    game, unit = games().get(request.args.get("game", "")), request.args.get("unit", "")
    if game is not None and unit in map(value_unit, game.units):
        return value_text(game, "settlement.value", unit, money=price)
    return t(f"settlement.value.{'jeton' if unit == 'jeton' else 'fiche'}", money=price)
