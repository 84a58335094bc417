"""Averages per evening and per deal: exact divisions of integers, rounded for display only."""

from __future__ import annotations

from decimal import Decimal, localcontext

PLACES = 2  # decimal places
_DIGITS = 60  # more than any total has; the default of 28 would round some


def divide_rounded(total: int, count: int) -> int:
    """Divide by a positive number, rounding half away from 0."""
    quotient = (2 * abs(total) + count) // (2 * count)
    return -quotient if total < 0 else quotient


def average(total: int, count: int) -> Decimal | None:
    """Return how much of a total falls on each of `count`, with two decimal places; None if the count is 0."""
    if not count:
        return None
    with localcontext(prec=_DIGITS):
        return Decimal(divide_rounded(total * 10**PLACES, count)).scaleb(-PLACES)
