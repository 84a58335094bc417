"""What the app registers of this feature."""

from __future__ import annotations

from flask import Flask

from ..models import Circle
from ..people.pages import OPEN_AMOUNTS
from ..site.amounts import open_amount
from ..site.around import MONEY, register
from ..site.occasions import declare
from ..tables.recap import PAYMENTS, Payments
from . import pages, settle_up, statements
from .ledger import EVERYTHING
from .payments import WAITING_PAYMENT, count_waiting_for
from .reading import read_ledger
from .recap import settle


def list_open_amounts(circle: Circle, name: str) -> list[str]:
    """Say what is open of the person with this name, in each account."""
    accounts = read_ledger(circle).read_accounts(EVERYTHING).values()
    amounts = ((account.key, account.coins.get(name, 0)) for account in accounts)
    return [open_amount(key, amount) for key, amount in amounts if amount]


def init_app(app: Flask) -> None:
    register(app, pages, settle_up, statements, place=MONEY)
    declare(WAITING_PAYMENT)
    OPEN_AMOUNTS["money"] = list_open_amounts
    PAYMENTS["money"] = Payments(settle, count_waiting_for)
