"""The currencies that a form offers: the reader's own and those of the circle first."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from babel.core import parse_locale
from babel.numbers import get_territory_currencies
from flask import g
from sqlalchemy import CompoundSelect, select, union

from .. import i18n
from ..models import Event, Payment, Summary, db
from ..scoring.currency import is_currency, list_currencies
from .amounts import account_title
from .language import list_wanted_tags

USUAL_CURRENCY = "EUR"  # of readers whose browser names no region


def currency_choices() -> dict[str, str]:
    """Return all currencies by code: those of the circle and the reader's own, then the others by name.

    The reader's own is the first if the circle has used it, or none.
    """
    names = {code: f"{account_title(code)} ({code})" for code in list_currencies()}
    used = list_used_currencies(g.membership.circle.id) if "membership" in g else []
    own = local_currency()
    first = [code for code in ((own, *used) if own in used else (*used, own)) if code in names]
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
