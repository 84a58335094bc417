"""Amounts in an account, money or a game's counters: formatting them, and parsing those of a payment.

They are integers: subunits of the currency, or counters of the unit in which a game is settled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from flask import Blueprint, Response, abort, g, jsonify, request

from ..games import find_game, games, slug_of
from ..scoring import currency
from ..scoring.currency import is_currency, list_currencies, to_money, to_subunits
from ..scoring.game import AnyGame
from ..scoring.problems import Problem
from ..scoring.sheet import settlement_unit
from ..scoring.standing import value_unit
from .forms import VALUE_PLACES
from .language import money, name_of_key, problem_message, t, unit_text, value_text
from .numbers import ambiguity, format_for_input, parse_amount, parse_int

blueprint = Blueprint("amounts", __name__)


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
    sign = "" if is_written_as_zero(account, subunits) else "+" if subunits > 0 else "−"
    return f"{sign}{format_amount(account, subunits)}"


def is_written_as_zero(account: str, subunits: int) -> bool:
    return not (to_money(subunits, currency.decimal_places(account)) if is_currency(account) else subunits)


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
