"""Parsing and formatting of numbers as people type them, and of amounts in an account: money, or a game’s counters.

Amounts are integers: subunits of the currency, or counters of the unit in which a game is settled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from types import MappingProxyType
from typing import Any, NamedTuple
from unicodedata import decimal as digit_value

from babel.core import parse_locale
from babel.numbers import NumberFormatError, format_decimal, get_group_symbol, get_territory_currencies, parse_decimal
from flask import Blueprint, Response, abort, g, jsonify, request
from sqlalchemy import CompoundSelect, select, union

from .. import i18n
from ..games import find_game, games, slug_of
from ..models import Event, Payment, Summary, db
from ..scoring import currency
from ..scoring.currency import is_currency, list_currencies, to_money, to_subunits
from ..scoring.game import AnyGame
from ..scoring.problems import Problem, abbreviate_value
from ..scoring.sheet import settlement_unit
from ..scoring.standing import value_unit
from .forms import VALUE_PLACES
from .language import list_wanted_tags, money, name_of_key, problem_message, t, unit_text, value_text

MAX_INPUT = 40  # characters of a number
MAX_WHOLE_DIGITS = 12  # of an amount; a sheet takes no more either
_NARROW_SPACE, _APOSTROPHE = "\u202f", "’"  # what Babel expects between thousands in French and in Switzerland
_LOOKALIKES = str.maketrans({"−": "-", "－": "-", "'": _APOSTROPHE, "ʼ": _APOSTROPHE, "٫": ".", "．": ".", "，": ","})
_NUMBER = re.compile(rf"[+-]?[0-9.,{_APOSTROPHE}{_NARROW_SPACE}]+")
# How the world writes numbers: 1,234.5 · 1.234,5 · 1 234,5 · 1’234.5
_CONVENTIONS = ("en", "de", "fr", "de_CH")


class AmbiguousNumber(NamedTuple):
    """A number with two common readings, such as 1,000: one, or a thousand."""

    small: Decimal
    large: Decimal


def parse_number(typed: str | None, places: int) -> Decimal | AmbiguousNumber | None:
    """Parse a number of at most `places` decimal places; return None if the text is not one.

    Digits of any script are accepted, and spaces, points, commas or apostrophes between thousands; decimals follow a
    comma or a point. A single comma or point before exactly three digits is ambiguous: it is resolved only if the
    reading of the reader's language is the only one with few enough decimal places.
    """
    text = _clean(typed)
    readings = [number for number in _readings(text) if not _is_too_large(number)]
    fitting = [number for number in readings if _fits(number, places)]
    if len(readings) > 1 and fitting != [_reading(text, g.locale)]:
        return AmbiguousNumber(readings[0], readings[-1])
    return round(fitting[0], min(places, _decimals(fitting[0]))) if fitting else None


def _clean(typed: str | None) -> str:
    """Return what may be a number with plain digits and spaces; "" for other text."""
    text = (typed or "").strip()[: MAX_INPUT + 1].translate(_LOOKALIKES)
    text = "".join(_NARROW_SPACE if char.isspace() else str(digit_value(char, char)) for char in text)
    return text.removeprefix("+") if len(text) <= MAX_INPUT and _NUMBER.fullmatch(text) else ""


def _is_too_large(number: Decimal) -> bool:
    return number.adjusted() >= MAX_WHOLE_DIGITS


def _readings(text: str) -> list[Decimal]:
    """Return the number's values under the conventions in which it is well-formed, the smallest first."""
    texts = {text, text.replace(".", ",")} if _NARROW_SPACE in text else {text}  # 1 000.50 is 1 000,50
    readings = {_reading(variant, locale) for variant in texts for locale in _CONVENTIONS}
    return sorted((number for number in readings if number is not None), key=abs)


def _reading(text: str, locale: str) -> Decimal | None:
    space = get_group_symbol(locale)
    written = text.replace(_NARROW_SPACE, space) if space.isspace() else text
    try:
        return parse_decimal(written, locale=locale, strict=True)
    except NumberFormatError:
        return None


def _fits(number: Decimal, places: int) -> bool:
    return number == round(number, places)


def _decimals(number: Decimal) -> int:
    return max(0, -int(number.as_tuple().exponent))


def parse_amount(field: str, typed: str | None, places: int) -> Decimal | Problem:
    number = parse_number(typed, places)
    if isinstance(number, Decimal) and number > 0:
        return number
    found = abbreviate_value((typed or "").strip())
    readings = _readings(_clean(typed))
    if readings and readings[0] > 0 and _is_too_large(readings[0]):
        return Problem(field, "amount-too-large", {"found": found, "most": MAX_WHOLE_DIGITS})
    params = {"found": found, "places": places, "example": format_for_input(Decimal("1.50"))}
    return ambiguity(field, typed, places) or Problem(field, "typed-amount" if places else "typed-whole-amount", params)


def parse_int(typed: str | None) -> int | str:
    """Parse an integer; return other text stripped, so that the domain can refuse and quote it."""
    number = parse_number(typed, 0)
    return int(number) if isinstance(number, Decimal) else (typed or "").strip()


def ambiguity(field: str, typed: str | None, places: int) -> Problem | None:
    """Return the problem of a number with two readings, which shows how to write each; None for any other text."""
    number = parse_number(typed, places)
    if not isinstance(number, AmbiguousNumber):
        return None
    large = _formatted(number.large, "0.######")
    small = format_for_input(number.small if places else round(number.small, 0))
    params = {"found": abbreviate_value((typed or "").strip()), "large": large}
    if not _fits(number.small, places):
        return Problem(field, "too-many-decimals", params)
    read_as = {"small": _formatted(number.small, "0.######"), "choices": (small, large)}
    return Problem(field, "two-readings", params | read_as)


def format_for_input(number: Decimal) -> str:
    """Format a number as the value of an input: three decimals after 1 or more would be ambiguous."""
    decimals = _decimals(number)
    if decimals == 3 and (abs(number) >= 1 or _fits(number, 2)):
        decimals = 2 if _fits(number, 2) else 4
    return _formatted(number, f"0.{'0' * decimals}" if decimals else "0")


def _formatted(number: Decimal, pattern: str) -> str:
    return format_decimal(number, pattern, locale=g.locale)


blueprint = Blueprint("amounts", __name__)

USUAL_CURRENCY = "EUR"  # of readers whose browser names no region


@blueprint.app_template_global()
def format_amount(account: str, subunits: int) -> str:
    """Format an amount without its sign: €1.50, or 2 fiches and 4 jetons."""
    if is_currency(account):
        return money(to_money(abs(subunits), currency.decimal_places(account)), account)
    game = find_game(slug_of(account))
    counters = []
    rest = abs(subunits)
    for unit in sorted(game.units, key=game.worth_of, reverse=True):
        count, rest = divmod(rest, game.worth_of(unit))
        if count:
            counters.append(unit_text(game, "count", unit, count=count))
    return f" {t('settlement.and')} ".join(counters) or unit_text(game, "count", settlement_unit(game), count=0)


@blueprint.app_template_global()
def format_signed_amount(account: str, subunits: int) -> str:
    sign = "" if subunits == 0 else "+" if subunits > 0 else "−"
    return f"{sign}{format_amount(account, subunits)}"


def rounding_remark(account: str, subunits: int) -> str:
    """Return a remark after an amount that is written less exactly than it counts: ", rounded"; "" after others."""
    if not is_currency(account) or to_subunits(to_money(subunits, currency.decimal_places(account))) == subunits:
        return ""
    return f", {t('amount.rounded')}"


def format_balance(account: str, subunits: int) -> str:
    return f"{format_signed_amount(account, subunits)}{rounding_remark(account, subunits)}"


def open_amount(account: str, subunits: int) -> str:
    return t(
        "settlement.open.gets" if subunits > 0 else "settlement.open.pays", amount=format_amount(account, subunits)
    )


def amount_for_input(account: str, subunits: int) -> str:
    """Format an amount as the value of an input, without its unit: 1.50, or 22 (jetons)."""
    if not is_currency(account):
        return str(subunits)
    return format_for_input(to_money(subunits, currency.decimal_places(account)))


def unit_name(account: str) -> str:
    """Return the unit in which amounts of the account are entered: EUR, or jetons."""
    game = None if is_currency(account) else find_game(slug_of(account))
    return unit_text(game, "unit.within", settlement_unit(game)) if game is not None else account


@blueprint.app_template_global()
def value_units(game: AnyGame) -> dict[str, str]:
    """Return the counters that a value may be given for, the dearest first, with words for one of them."""
    names = map(value_unit, sorted(game.units, key=game.worth_of, reverse=True))
    return {name: value_text(game, "opening.one", name) for name in names}


def account_name(account: str, names: Mapping[str, str]) -> str:
    """Return the name of a currency, as "in euros", or of a game.

    `names` are those that the circle has given to games, by key.
    """
    if is_currency(account):
        return t("settlement.in-money", currency=currency.name(account, g.locale, count=2))
    return name_of_key(account, names)


def account_title(account: str, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the name of a currency or of a game with a capital; `names` as in `account_name`."""
    name = currency.name(account, g.locale) if is_currency(account) else name_of_key(account, names)
    return name[:1].upper() + name[1:]


def currency_choices() -> dict[str, str]:
    """Return all currencies by code: the reader's own, those of the circle, then the others by name."""
    names = {code: f"{account_title(code)} ({code})" for code in list_currencies()}
    used = list_used_currencies(g.membership.circle.id) if "membership" in g else []
    first = [code for code in (local_currency(), *used) if code in names]
    others = i18n.in_name_order(names, names.__getitem__)
    return {code: names[code] for code in (*first, *others)}


def list_used_currencies(circle_id: int) -> list[str]:
    used: CompoundSelect[Any] = union(
        select(Summary.account).where(Summary.circle_id == circle_id),
        select(Payment.account).where(Payment.circle_id == circle_id),
        select(Event.currency).where(Event.circle_id == circle_id),
    )
    return sorted(code for code in db.session.scalars(used) if code is not None and is_currency(code))


def local_currency() -> str:
    for tag in list_wanted_tags():
        with suppress(ValueError, StopIteration):  # any text may stand in a header
            used = get_territory_currencies(parse_locale(tag.replace("_", "-"), "-")[1] or "")
            return next(str(code) for code in used if code in list_currencies())
    return USUAL_CURRENCY


_NAMED_GAME = re.compile(r"\.[0-9a-f]{12}")  # what follows the slug in the key of a game that a circle has named


def is_account(account: str) -> bool:
    """Return whether a string is a currency, or the key of a game."""
    slug = slug_of(account)
    if slug in games():
        may_be_named = bool(find_game(slug).house_rules.named_by)
        return slug == account or (may_be_named and bool(_NAMED_GAME.fullmatch(account.removeprefix(slug))))
    return account in list_currencies()


def parse_payment(account: str, typed: str | None, *, in_cash: bool = False) -> int | Problem:
    """Parse an amount above 0 into subunits. With `in_cash`, money must be payable in coins."""
    if is_currency(account):
        parsed = parse_amount("amount", typed, currency.decimal_places(account))
        if isinstance(parsed, Problem):
            return parsed
        amount = to_subunits(parsed)
        coin = currency.coin(account, in_cash=in_cash)
        return amount if amount % coin == 0 else _refuse_in_cash(account, amount, coin)
    counters = parse_int(typed)
    if isinstance(counters, int) and counters > 0:
        return counters
    return ambiguity("amount", typed, 0) or Problem("amount", "payment-counters")


def _refuse_in_cash(account: str, amount: int, coin: int) -> Problem:
    """Return the problem of an amount that cannot be paid in coins, with the next ones that can."""
    below = amount // coin * coin
    near = tuple(amount_for_input(account, each) for each in (below, below + coin) if each)
    found, smallest = format_amount(account, amount), format_amount(account, coin)
    return Problem("amount", "not-in-coins", {"found": found, "coin": smallest, "choices": near})


@blueprint.get("/understood")
def understood() -> Response:
    """Return how an amount that is being typed would be parsed, for the page's script."""
    typed, account = request.args.get("typed", ""), request.args.get("account", "")
    if not is_account(account or request.args.get("currency", "")):
        abort(404)
    amount = parse_payment(account, typed) if account else parse_amount("value.amount", typed, VALUE_PLACES)
    if isinstance(amount, Problem):
        return jsonify(words=problem_message(amount), wrong=True)
    if isinstance(amount, int):
        return jsonify(words=format_amount(account, amount), wrong=False)
    game = games().get(request.args.get("game", ""))
    unit = request.args.get("unit", "")
    if game is None or unit not in map(value_unit, game.units):
        abort(404)
    price = money(amount, request.args["currency"])
    return jsonify(words=value_text(game, "settlement.value", unit, money=price), wrong=False)
