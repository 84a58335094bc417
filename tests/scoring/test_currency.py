"""Currencies: decimal places, smallest coins, names."""

from __future__ import annotations

import pytest

from scorekeeper.scoring import currency
from scorekeeper.scoring.currency import SUBUNITS_PER_UNIT, list_currencies


@pytest.mark.parametrize(("code", "places"), [("EUR", 2), ("CHF", 2), ("JPY", 0), ("TND", 3), ("XTS", 2)])
def test_amounts_are_written_with_the_places_of_their_currency(code: str, places: int) -> None:
    assert currency.decimal_places(code) == places


@pytest.mark.parametrize(
    ("account", "coin"),
    [
        ("EUR", SUBUNITS_PER_UNIT // 100),
        ("CHF", SUBUNITS_PER_UNIT // 20),
        ("JPY", SUBUNITS_PER_UNIT),
        ("TND", SUBUNITS_PER_UNIT // 1000),
        ("XTS", SUBUNITS_PER_UNIT // 100),
        ("CAD", SUBUNITS_PER_UNIT // 20),
        ("AUD", SUBUNITS_PER_UNIT // 20),
        ("NZD", SUBUNITS_PER_UNIT // 10),
        ("DKK", SUBUNITS_PER_UNIT // 2),
        ("SEK", SUBUNITS_PER_UNIT),
        ("NOK", SUBUNITS_PER_UNIT),
        ("HUF", 5 * SUBUNITS_PER_UNIT),
        ("francion", 1),
        ("quarante-de-rois", 1),
    ],
)
def test_coins_are_in_subunits(account: str, coin: int) -> None:
    assert currency.coin(account) == coin


def test_only_what_people_can_pay_with_is_a_currency() -> None:
    assert {"EUR", "CHF", "JPY", "KWD", "XOF", "BGN"} <= {*list_currencies()}
    assert not {"XXX", "XTS", "XAU", "XDR", "CHE", "USN", "DEM", "HRK", "ZZZ", "eur", ""} & {*list_currencies()}
