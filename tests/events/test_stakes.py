"""What the tables of an event are played for: nothing, unless its settings say so."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from ..support.visitor import Visitor
from .hall import Hall

FICHES = {"has_stakes": True}
EURO = FICHES | {"value": {"currency": "EUR", "unit": "fiche", "amount": "0.25"}}
NOTHING = "Nobody owes anybody anything."


def play(app: Flask, **settings: Any) -> tuple[Hall, str]:
    """Return a hall, and the path of its first table, where North-South has won fiches."""
    hall = Hall(app, scoring="difference", length=4, **settings)
    hall.draw(1)
    pad = hall.phone(1).visit(hall.table(1)).send({}, "/pad")
    for _ in range(4):  # a rubber, which is paid in fiches
        pad.visit(pad.table).record(tricks="ns-5")
        assert pad.status == 200
    return hall, pad.table


def settle_page(hall: Hall, address: str = "") -> Visitor:
    return hall.director.visit(address or f"{hall.director.circle}settlement")


def winner(hall: Hall) -> str:
    state = hall.state()
    return state.name_of(state.tables[1, 1].pairs[0][0])


def exported(hall: Hall, file: str) -> str:
    return hall.director.client.get(f"{hall.director.circle}{file}").get_data(as_text=True)


def test_nothing_is_owed_after_an_event_that_is_played_for_nothing(app: Flask) -> None:
    hall, table = play(app)
    for address in ("", f"{table}settlement"):
        assert NOTHING in settle_page(hall, address).text
        assert "Spring drive" not in hall.director.text
    assert "This table has no stake" in hall.director.text
    assert "owed" not in hall.visit("").text
    assert "5" not in exported(hall, "players.csv")
    balances = exported(hall, "balances.csv").splitlines()
    assert len(balances) > 4
    assert "5" not in "".join(line.partition("table 1")[2] for line in balances)
    assert winner(hall) in "".join(balances)
    for program in ("hledger", "beancount"):
        assert winner(hall) not in exported(hall, f"ledger.{program}")


@pytest.mark.parametrize(("settings", "worth"), [(FICHES, "fiches"), (EURO, "€1.25")])
def test_with_a_stake_it_is_owed_and_the_pages_say_so(app: Flask, settings: dict[str, Any], worth: str) -> None:
    hall, table = play(app, **settings)
    page = settle_page(hall)
    assert NOTHING not in page.text
    assert worth in page.text
    assert NOTHING not in settle_page(hall, f"{table}settlement").text
    for address in (hall.path, f"{hall.path}/money"):
        text = hall.director.visit(address).text
        assert "Winnings at the tables are owed" in text
        assert ("One fiche is worth €0.25." in text) == ("value" in settings)
    assert winner(hall) in exported(hall, "ledger.hledger")
