"""Fees and prizes of an event among the circle's balances."""

from __future__ import annotations

from datetime import timedelta

import pytest

from scorekeeper.models import Event, RoundTable, db
from scorekeeper.services.circles.settings import change_setting
from scorekeeper.services.money.balances import read_open_accounts
from scorekeeper.services.money.scopes import Scope, events_in

from ..club import Club
from ..event_rows import DAY, add_event
from ..events.test_money import EURO, Cash


@pytest.fixture
def cash(club: Club) -> Cash:
    return Cash(club, finished_at=None)


def add_another_event(cash: Cash) -> Event:
    ids = [player.id for player in cash.club.circle.players[:6]]
    return add_event(cash.club.id, cash.club.browser_id, ids, entry_key="another page")


def test_a_fee_that_waits_for_confirmation_waits_at_its_own_event_and_evening(cash: Cash) -> None:
    other = add_another_event(cash)
    change_setting(cash.club.circle, "confirms_payments", True, cash.club.browser)
    cash.pay("Dan", "5")
    for scope in (Scope(event=cash.event), Scope(day=DAY), Scope()):
        account = read_open_accounts(cash.club.circle, scope)["EUR"]
        assert (account.subunits["Dan"], account.due["Dan"], account.plan()) == (-5 * EURO, 0, [])
    for scope in (Scope(event=other), Scope(day=DAY + timedelta(days=1))):
        assert read_open_accounts(cash.club.circle, scope) == {}


def test_the_events_of_an_evening_are_those_whose_tables_have_something_open(cash: Cash) -> None:
    club, other = cash.club, add_another_event(cash)
    table = club.table(("Anne", "Bruno", 5), day=DAY)
    for event, round_number, card_table in ((cash.event, 2, table), (other, 2, club.table(day=DAY))):
        at = db.session.get_one(RoundTable, (event.id, round_number, 1, club.id))
        at.table_id = card_table.id
    db.session.commit()
    for scope in (Scope(), Scope(day=DAY), Scope(table=table)):
        assert events_in(club.circle, scope) == [cash.event]
    assert events_in(club.circle, Scope(day=DAY + timedelta(days=1))) == []
    assert events_in(Club().circle, Scope()) == []
    club.pay("Anne", "Bruno", 1, Scope(day=DAY))
    assert events_in(club.circle, Scope()) == []
