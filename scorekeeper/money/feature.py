"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..people.pages import OPEN_AMOUNTS
from ..site.navigation import MONEY, register
from ..site.occasions import declare
from ..tables.settling import PAYMENTS, Payments
from . import payment_pages, settle_up, statements
from .hooks import list_open_amounts, read_settling
from .payments import WAITING_PAYMENT, count_waiting_for


def init_app(app: Flask) -> None:
    register(app, payment_pages, settle_up, statements, place=MONEY)
    declare(WAITING_PAYMENT)
    OPEN_AMOUNTS["money"] = list_open_amounts
    PAYMENTS["money"] = Payments(read_settling, count_waiting_for)
