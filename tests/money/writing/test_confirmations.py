"""Payments that count once their receiver has confirmed them."""

from __future__ import annotations

import pytest

from scorekeeper.circles.lifecycle import change_setting
from scorekeeper.circles.phones import find_browser
from scorekeeper.db.transactions import RightRevokedError
from scorekeeper.files.verify import verify
from scorekeeper.models import Browser, Confirmation, db
from scorekeeper.money import confirmations
from scorekeeper.money.balances import read_open_accounts
from scorekeeper.money.payments import withdraw
from scorekeeper.money.scopes import Scope

from ...club import GAME, Club, stored_summary


@pytest.fixture
def careful(club: Club) -> Club:
    """A circle whose payments need a confirmation."""
    change_setting(club.circle, "confirms_payments", True, club.browser)
    return club


def phone_of(club: Club, name: str, right: str = "watch") -> Browser:
    """Let a player's own phone join."""
    secret = club.join(right)
    browser = find_browser(secret, club.circle.name)
    assert browser is not None
    browser.player_id = club.player(name).id
    db.session.commit()
    found = find_browser(secret, club.circle.name)
    assert found is not None
    return found


def plan(club: Club, scope: Scope | None = None) -> list[tuple[str, str, int]]:
    account = read_open_accounts(club.circle, scope or Scope()).get(GAME)
    return [tuple(transfer) for transfer in account.plan()] if account is not None else []  # type: ignore[misc]


def faults() -> list[str]:
    """Return what `verify` finds, but for what follows from the club's way of dating its tables."""
    return [fault.key for fault in verify().faults]


def confirmations_stored() -> int:
    return len(list(db.session.scalars(db.select(Confirmation))))


def test_a_payment_counts_once_its_receiver_confirms_it(careful: Club) -> None:
    table = careful.table(("Anne", "Bruno", 5))
    payment = careful.pay("Anne", "Bruno", 5)
    assert payment.needs_confirmation
    assert careful.balances() == {GAME: {"Anne": -5, "Bruno": 5}}
    assert plan(careful) == []
    assert not stored_summary(table).is_settled
    confirmations.confirm(careful.circle, payment.number, phone_of(careful, "Bruno"))
    assert careful.balances() == {}
    assert stored_summary(table).is_settled
    assert faults() == []


def test_only_the_receivers_phone_may_confirm(careful: Club) -> None:
    careful.table(("Anne", "Bruno", 5))
    careful.pay("Anne", "Bruno", 5)
    phone_of(careful, "Bruno")
    for browser in (careful.browser, phone_of(careful, "Anne", "host"), phone_of(careful, "Chloé", "score")):
        with pytest.raises(RightRevokedError):
            confirmations.confirm(careful.circle, 1, browser)
    assert confirmations_stored() == 0


def test_a_merged_receivers_phone_may_confirm(careful: Club) -> None:
    careful.table(("Anne", "Bruno", 5))
    careful.pay("Anne", "Bruno", 5)
    careful.table(("Zoé", "Yann", 1), names=("Zoé", "Yann", "Xena", "Will"))
    phone = phone_of(careful, "Zoé")
    careful.merge("Bruno", "Zoé")
    assert confirmations.count_waiting_for(phone) == 1
    assert confirmations.confirm(careful.circle, 1, phone) is not None
    assert confirmations_stored() == 1
    assert confirmations.count_waiting_for(phone) == 0


def test_a_payment_that_the_receivers_phone_records_is_confirmed(careful: Club) -> None:
    careful.table(("Anne", "Bruno", 5))
    careful.browser.player_id = careful.player("Bruno").id
    db.session.commit()
    payment = careful.pay("Anne", "Bruno", 5)
    assert payment.needs_confirmation
    assert confirmations_stored() == 1
    assert careful.balances() == {}


@pytest.mark.parametrize("then", ["confirm", "withdraw"])
def test_a_later_settlement_leaves_what_waits_where_it_is(careful: Club, then: str) -> None:
    careful.table(("Anne", "Bruno", 5))
    careful.pay("Anne", "Bruno", 3)
    careful.table(("Anne", "Bruno", 4))
    careful.pay("Anne", "Bruno", 6)
    first, second = careful.settlements()
    anne, bruno = (str(careful.player(name).id) for name in ("Anne", "Bruno"))
    assert (first.unpaid, first.successor_id) == ({anne: -3, bruno: 3}, second.id)
    assert second.unpaid == {anne: -6, bruno: 6}
    assert plan(careful) == []
    assert faults() == []
    if then == "confirm":
        for number in (1, 2):
            confirmations.confirm(careful.circle, number, careful.browser)
        assert careful.balances() == {}
    else:
        withdraw(careful.circle, 1, careful.browser)
        assert plan(careful) == [("Anne", "Bruno", 3)]
    assert faults() == []
