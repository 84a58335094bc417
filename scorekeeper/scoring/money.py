"""What counters are worth in money: Decimal, and one multiplication."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from .ledger import FICHE, JETONS
from .sheet import Value


def in_money(amount: int, unit: str, value: Value, places: int) -> Decimal:
    """What so many jetons or fiches are worth, to so many decimal places; half a coin is rounded up.

    Only jetons valued by the fiche can fall between two coins: everything else that is told in coins is exact.
    Each payment is rounded by itself, so what one player gives another receives.
    """
    jetons = amount if unit == JETONS else amount * FICHE
    if unit == JETONS and value.unit == "fiche":
        exact = value.amount * amount / FICHE
    elif unit != JETONS and value.unit == "jeton":
        exact = value.amount * jetons
    else:
        exact = value.amount * amount
    return exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
