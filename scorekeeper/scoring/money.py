"""What counters are worth in money: Decimal, and one multiplication."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, localcontext

from .ledger import FICHE, JETONS
from .sheet import Value

_DIGITS = 60  # enough for the largest pot at the dearest value a sheet may name


def in_money(amount: int, unit: str, value: Value, places: int) -> Decimal:
    """What so many jetons or fiches are worth, to so many decimal places; half a coin is rounded up.

    Only jetons valued by the fiche can fall between two coins: everything else that is told in coins is exact.
    Each payment is rounded by itself, so what one player gives another receives.
    """
    with localcontext(prec=_DIGITS):
        exact = value.amount * amount
        if unit == JETONS and value.unit == "fiche":
            exact /= FICHE
        elif unit != JETONS and value.unit == "jeton":
            exact *= FICHE
        return exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
