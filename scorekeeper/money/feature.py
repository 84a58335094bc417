"""What the app registers of this feature."""

from __future__ import annotations

from ..site.features import Feature
from ..site.navigation import MONEY
from . import how_to_pay, payment_pages, settle_up, statements
from .hooks import list_open_amounts, read_settling
from .payments import WAITING_PAYMENT, count_waiting_for

FEATURE = Feature(
    views=(how_to_pay, payment_pages, settle_up, statements),
    place=MONEY,
    notices=(WAITING_PAYMENT,),
    list_open_amounts=list_open_amounts,
    read_settling=read_settling,
    count_to_confirm=count_waiting_for,
)
