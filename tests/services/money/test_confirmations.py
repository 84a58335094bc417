"""Payments that count once their receiver has confirmed them."""

from __future__ import annotations

import pytest

from scorekeeper.db.transactions import AccessRevokedError, RightRevokedError
from scorekeeper.models import Browser, Confirmation, Payment, db
from scorekeeper.scoring.problems import Refusal
from scorekeeper.services.access.devices import find_browser
from scorekeeper.services.access.links import claim_browser, remove_browser
from scorekeeper.services.circles.settings import change_setting
from scorekeeper.services.money import confirmations
from scorekeeper.services.money.balances import read_open_accounts
from scorekeeper.services.money.payments import withdraw
from scorekeeper.services.money.scopes import Scope
from scorekeeper.services.money.sources import list_parts
from scorekeeper.services.verify import rebuild, verify

from ..club import DAY, GAME, Club, stored_summary


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
    claim_browser(browser, club.player(name).id)
    found = find_browser(secret, club.circle.name)
    assert found is not None
    return found


def plan(club: Club, scope: Scope | None = None) -> list[tuple[str, str, int]]:
    account = read_open_accounts(club.circle, scope or Scope()).get(GAME)
    return [tuple(transfer) for transfer in account.plan()] if account is not None else []  # type: ignore[misc]


def faults() -> list[str]:
    """Return what `verify` finds, but for what follows from the club's way of dating its tables."""
    return [fault.key for fault in verify().faults if fault.params.get("what") != "fingerprint"]


def confirmations_stored() -> int:
    return len(list(db.session.scalars(db.select(Confirmation))))


def test_payments_need_no_confirmation_by_default(club: Club) -> None:
    club.table(("Anne", "Bruno", 5))
    assert not club.pay("Anne", "Bruno", 5).needs_confirmation
    assert club.balances() == {}


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


def test_nothing_waits_for_anybody_where_payments_need_no_confirmation(club: Club) -> None:
    club.table(("Anne", "Bruno", 5))
    club.pay("Anne", "Bruno", 5)
    assert confirmations.count_waiting_for(phone_of(club, "Bruno")) == 0


def test_a_waiting_payment_is_not_asked_for_again(careful: Club) -> None:
    careful.table(("Anne", "Bruno", 5))
    careful.pay("Anne", "Bruno", 3)
    assert plan(careful) == [("Anne", "Bruno", 2)]
    assert isinstance(careful.try_to_pay("Anne", "Bruno", 3), Refusal)
    (settlement,) = careful.settlements()
    refused = careful.try_to_pay("Anne", "Bruno", 3, settlement=settlement)
    assert isinstance(refused, Refusal)
    careful.pay("Anne", "Bruno", 2, settlement=settlement)
    assert plan(careful) == []


def test_a_payment_waits_at_its_own_table_and_in_what_contains_it(careful: Club) -> None:
    first, second = careful.table(("Anne", "Bruno", 5)), careful.table(("Bruno", "Anne", 4))
    careful.pay("Anne", "Bruno", 5, Scope(table=first))
    assert plan(careful, Scope(table=first)) == []
    for scope in (Scope(table=second), Scope(day=DAY), Scope()):
        assert plan(careful, scope) == [("Bruno", "Anne", 4)]


def test_a_confirmation_sent_twice_is_stored_once(careful: Club) -> None:
    careful.table(("Anne", "Bruno", 5))
    careful.pay("Anne", "Bruno", 5)
    phone = phone_of(careful, "Bruno")
    confirmations.confirm(careful.circle, 1, phone)
    (first,) = [row.at for row in db.session.scalars(db.select(Confirmation))]
    assert confirmations.confirm(careful.circle, 1, phone) is not None
    assert [row.at for row in db.session.scalars(db.select(Confirmation))] == [first]


def test_a_withdrawn_payment_cannot_be_confirmed(careful: Club) -> None:
    careful.table(("Anne", "Bruno", 5))
    careful.pay("Anne", "Bruno", 5)
    withdraw(careful.circle, 1, careful.browser)
    assert confirmations.confirm(careful.circle, 1, phone_of(careful, "Bruno")) is not None
    assert confirmations_stored() == 0
    assert plan(careful) == [("Anne", "Bruno", 5)]
    assert confirmations.confirm(careful.circle, 2, phone_of(careful, "Bruno")) is None  # a withdrawal


def test_a_confirmed_payment_that_is_withdrawn_is_due_again(careful: Club) -> None:
    careful.table(("Anne", "Bruno", 5))
    careful.pay("Anne", "Bruno", 5)
    confirmations.confirm(careful.circle, 1, phone_of(careful, "Bruno"))
    withdraw(careful.circle, 1, careful.browser)
    assert plan(careful) == [("Anne", "Bruno", 5)]
    assert faults() == []


def test_only_the_receivers_phone_may_confirm(careful: Club) -> None:
    careful.table(("Anne", "Bruno", 5))
    careful.pay("Anne", "Bruno", 5)
    phone_of(careful, "Bruno")
    for browser in (careful.browser, phone_of(careful, "Anne", "host"), phone_of(careful, "Chloé", "score")):
        with pytest.raises(RightRevokedError):
            confirmations.confirm(careful.circle, 1, browser)
    assert confirmations_stored() == 0


def test_a_host_may_confirm_for_a_receiver_without_a_phone(careful: Club) -> None:
    careful.table(("Anne", "Bruno", 5))
    careful.pay("Anne", "Bruno", 5)
    with pytest.raises(RightRevokedError):
        confirmations.confirm(careful.circle, 1, phone_of(careful, "Chloé", "score"))
    assert confirmations.confirm(careful.circle, 1, careful.browser) is not None
    assert [row.browser_id for row in db.session.scalars(db.select(Confirmation))] == [careful.browser_id]


def test_a_removed_phone_may_not_confirm_and_no_longer_keeps_the_host_from_it(careful: Club) -> None:
    careful.table(("Anne", "Bruno", 5))
    careful.pay("Anne", "Bruno", 5)
    phone = phone_of(careful, "Bruno")
    remove_browser(phone, careful.browser, careful.secret)
    with pytest.raises(AccessRevokedError):
        confirmations.confirm(careful.circle, 1, phone)
    assert confirmations.confirm(careful.circle, 1, careful.browser) is not None


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
    claim_browser(careful.browser, careful.player("Bruno").id)
    payment = careful.pay("Anne", "Bruno", 5)
    assert payment.needs_confirmation
    assert confirmations_stored() == 1
    assert careful.balances() == {}


def test_turning_the_setting_changes_no_earlier_payment(careful: Club) -> None:
    careful.table(("Anne", "Bruno", 5))
    careful.pay("Anne", "Bruno", 2)
    change_setting(careful.circle, "confirms_payments", False, careful.browser)
    careful.pay("Anne", "Bruno", 2)
    assert [payment.needs_confirmation for payment in careful.payments()] == [True, False]
    assert [payment.number for payment in confirmations.read_waiting_payments(careful.circle)] == [1]
    assert careful.balances() == {GAME: {"Anne": -3, "Bruno": 3}}


def test_only_a_host_turns_the_setting(club: Club) -> None:
    scorer = find_browser(club.join("score"), club.circle.name)
    with pytest.raises(RightRevokedError):
        change_setting(club.circle, "confirms_payments", True, scorer)
    assert not club.circle.confirms_payments


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


def test_a_settlement_of_which_all_waits_is_not_taken_over(careful: Club) -> None:
    careful.table(("Anne", "Bruno", 5))
    careful.pay("Anne", "Bruno", 5)
    careful.table(("Chloé", "David", 4))
    careful.pay("Chloé", "David", 4)
    first, _second = careful.settlements()
    assert first.successor_id is None
    confirmations.confirm(careful.circle, 1, careful.browser)
    assert careful.balances() == {GAME: {"Chloé": -4, "David": 4}}
    assert faults() == []


def test_waiting_payments_are_no_part_of_a_balances_sources(careful: Club) -> None:
    careful.table(("Anne", "Bruno", 5))
    careful.pay("Anne", "Bruno", 5)
    (settlement,) = careful.settlements()
    sources = list_parts(settlement, careful.player("Bruno"))
    assert [source.subunits for source in sources] == [5]


def test_a_rebuild_keeps_waiting_payments_out(careful: Club) -> None:
    careful.table(("Anne", "Bruno", 5))
    careful.pay("Anne", "Bruno", 5)
    rebuild()
    assert careful.balances() == {GAME: {"Anne": -5, "Bruno": 5}}
    assert db.session.scalar(db.select(Payment.needs_confirmation))


def test_a_confirmation_that_is_not_needed_is_found(club: Club) -> None:
    club.table(("Anne", "Bruno", 5))
    payment = club.pay("Anne", "Bruno", 5)
    ids = {"circle_id": club.id, "payment_id": payment.id, "browser_id": club.browser_id}
    db.session.add(Confirmation(**ids, at=payment.at))
    db.session.commit()
    assert faults() == ["confirmation"]
