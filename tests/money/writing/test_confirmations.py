"""Payments that count once their receiver has confirmed them."""

from __future__ import annotations

import pytest

from scorekeeper.circles.lifecycle import change_setting
from scorekeeper.circles.phones import find_membership
from scorekeeper.db.outcome import Done, Stale
from scorekeeper.models import Confirmation, Membership, db
from scorekeeper.money.payments import confirm, count_waiting_for, restore, withdraw
from scorekeeper.people.writing import set_cashier
from scorekeeper.scoring.problems import Problem, Refusal, refuse

from ...support.club import GAME, Club, change_payment


@pytest.fixture
def careful(club: Club) -> Club:
    """A circle whose payments need a confirmation, and Anne owes Bruno 5 fiches."""
    change_setting(club.circle, "confirms_payments", True, club.membership)
    club.table(("Anne", "Bruno", 5))
    return club


def phone_of(club: Club, name: str, right: str = "watch") -> Membership:
    """Let a player's own phone join."""
    secret = club.join(right)
    membership = find_membership(secret, club.circle.token)
    assert membership is not None
    membership.player_id = club.player(name).id
    db.session.commit()
    found = find_membership(secret, club.circle.token)
    assert found is not None
    return found


def confirmations_stored() -> int:
    return len(list(db.session.scalars(db.select(Confirmation))))


def is_open(club: Club) -> bool:
    return any(club.balances()[GAME].values())


def test_a_payment_counts_once_its_receiver_confirms_it(careful: Club) -> None:
    payment = careful.pay("Anne", "Bruno", 5)
    assert is_open(careful)
    for _ in range(2):
        assert confirm(payment, "waiting", phone_of(careful, "Bruno")) == Done(payment)
    assert not is_open(careful)
    assert confirmations_stored() == 1


def test_only_the_receivers_phone_may_confirm(careful: Club) -> None:
    payment = careful.pay("Anne", "Bruno", 5)
    phone_of(careful, "Bruno")
    for membership in (careful.membership, phone_of(careful, "Anne", "host"), phone_of(careful, "Chloé", "score")):
        refused = refuse([Problem("payment", "not-the-receiver", {"who": "Bruno"})])
        assert confirm(payment, "waiting", membership) == refused
    assert confirmations_stored() == 0


def test_the_cashier_confirms_what_goes_into_the_cash_box(careful: Club) -> None:
    set_cashier(careful.circle, careful.player("Chloé").id, careful.membership)
    payment = careful.pay("Anne", None, 5)
    cashier = phone_of(careful, "Chloé")
    assert count_waiting_for(cashier) == 1
    assert isinstance(confirm(payment, "waiting", phone_of(careful, "Anne")), Refusal)
    assert confirm(payment, "waiting", cashier) == Done(payment)
    assert count_waiting_for(cashier) == 0


def test_a_merged_receivers_phone_may_confirm(careful: Club) -> None:
    payment = careful.pay("Anne", "Bruno", 5)
    careful.table(("Zoé", "Yann", 1), names=("Zoé", "Yann", "Xena", "Will"))
    phone = phone_of(careful, "Zoé")
    careful.merge("Bruno", "Zoé")
    assert count_waiting_for(phone) == 1
    assert confirm(payment, "waiting", phone) == Done(payment)
    assert count_waiting_for(phone) == 0


def test_a_payment_that_the_receivers_phone_records_is_confirmed(careful: Club) -> None:
    careful.membership.player_id = careful.player("Bruno").id
    db.session.commit()
    assert careful.pay("Anne", "Bruno", 5).needs_confirmation
    assert confirmations_stored() == 1
    assert not is_open(careful)


def test_a_page_from_before_the_confirmation_does_not_take_the_payment_back(careful: Club) -> None:
    payment = careful.pay("Anne", "Bruno", 5)
    assert confirm(payment, "waiting", phone_of(careful, "Bruno")) == Done(payment)
    assert withdraw(payment, "waiting", careful.membership) == Stale(payment)
    assert not is_open(careful)
    assert withdraw(payment, "confirmed", careful.membership) == Done(payment)
    assert is_open(careful)


@pytest.mark.parametrize("was_confirmed", [True, False])
def test_a_payment_that_was_taken_back_is_not_confirmed(careful: Club, was_confirmed: bool) -> None:
    payment = careful.pay("Anne", "Bruno", 5)
    phone = phone_of(careful, "Bruno")
    if was_confirmed:
        confirm(payment, "waiting", phone)
    change_payment(payment, withdraw, careful.membership)
    for shown in ("waiting", "withdrawn"):
        assert confirm(payment, shown, phone) == Stale(payment)
    change_payment(payment, restore, careful.membership)
    assert is_open(careful) != was_confirmed
