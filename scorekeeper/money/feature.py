"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..people.pages import OPEN_AMOUNTS
from ..people.people import MERGED
from ..people.players import read_persons
from ..site.around import MONEY, register
from ..site.occasions import declare
from ..tables.recap import PAYMENTS, Payments
from ..tables.writing import UNPAID
from . import paying, settlements
from .confirmations import WAITING_PAYMENT, count_waiting_for
from .payment_history import find_paid_at
from .recap import settle
from .unpaid import has_unpaid_settlement, recompute_all


def init_app(app: Flask) -> None:
    register(app, paying, settlements, place=MONEY)
    declare(WAITING_PAYMENT)
    MERGED["money"] = lambda circle: recompute_all(circle, read_persons(circle))
    OPEN_AMOUNTS["money"] = settlements.list_open_amounts
    UNPAID["money"] = has_unpaid_settlement
    PAYMENTS["money"] = Payments(settle, find_paid_at, count_waiting_for)
