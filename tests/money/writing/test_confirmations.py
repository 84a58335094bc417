"""Payments that count once their receiver has confirmed them."""

from __future__ import annotations

import pytest

from scorekeeper.circles.lifecycle import change_setting
from scorekeeper.circles.phones import find_membership
from scorekeeper.db.transactions import RightRevokedError
from scorekeeper.models import Confirmation, Membership, db
from scorekeeper.money.payments import confirm, count_waiting_for
from scorekeeper.people.people import set_office

from ...club import GAME, Club


@pytest.fixture
def careful(club: Club) -> Club:
    """A circle whose payments need a confirmation, and Anne owes Bruno 5 fiches."""
    change_setting(club.circle, "confirms_payments", True, club.membership)
    club.table(("Anne", "Bruno", 5))
    return club


def phone_of(club: Club, name: str, right: str = "watch") -> Membership:
    """Let a player's own phone join."""
    secret = club.join(right)
    membership = find_membership(secret, club.circle.name)
    assert membership is not None
    membership.player_id = club.player(name).id
    db.session.commit()
    found = find_membership(secret, club.circle.name)
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
        assert confirm(careful.circle, payment.token, phone_of(careful, "Bruno"))
    assert not is_open(careful)
    assert confirmations_stored() == 1


def test_only_the_receivers_phone_may_confirm(careful: Club) -> None:
    payment = careful.pay("Anne", "Bruno", 5)
    phone_of(careful, "Bruno")
    for membership in (careful.membership, phone_of(careful, "Anne", "host"), phone_of(careful, "Chloé", "score")):
        with pytest.raises(RightRevokedError):
            confirm(careful.circle, payment.token, membership)
    assert confirmations_stored() == 0


def test_the_cashier_confirms_what_goes_into_the_cash_box(careful: Club) -> None:
    set_office(careful.circle, "is_cashier", careful.player("Chloé").id, careful.membership)
    payment = careful.pay("Anne", None, 5)
    cashier = phone_of(careful, "Chloé")
    assert count_waiting_for(cashier) == 1
    with pytest.raises(RightRevokedError):
        confirm(careful.circle, payment.token, phone_of(careful, "Anne"))
    assert confirm(careful.circle, payment.token, cashier)
    assert count_waiting_for(cashier) == 0


def test_a_merged_receivers_phone_may_confirm(careful: Club) -> None:
    payment = careful.pay("Anne", "Bruno", 5)
    careful.table(("Zoé", "Yann", 1), names=("Zoé", "Yann", "Xena", "Will"))
    phone = phone_of(careful, "Zoé")
    careful.merge("Bruno", "Zoé")
    assert count_waiting_for(phone) == 1
    assert confirm(careful.circle, payment.token, phone)
    assert count_waiting_for(phone) == 0


def test_a_payment_that_the_receivers_phone_records_is_confirmed(careful: Club) -> None:
    careful.membership.player_id = careful.player("Bruno").id
    db.session.commit()
    assert careful.pay("Anne", "Bruno", 5).needs_confirmation
    assert confirmations_stored() == 1
    assert not is_open(careful)
