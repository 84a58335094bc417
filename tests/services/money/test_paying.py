"""How people want to be paid: whose details count, and who may change them."""

from __future__ import annotations

import pytest

from scorekeeper.db.transactions import RightRevokedError
from scorekeeper.scoring.problems import Problem
from scorekeeper.services.money.paying import (
    PaymentDetails,
    may_change,
    read_payment_details,
    set_payment_details,
)

from ..club import NAMES, Club
from .test_confirmations import phone_of

IBAN, OTHER_IBAN = "DE89370400440532013000", "GB82WEST12345698765432"
LINK = "https://paypal.me/anne/{amount}"


@pytest.fixture
def club(club: Club) -> Club:
    """A club whose David has played as Dave, too."""
    club.table()
    club.table(names=(*NAMES[:3], "Dave"))
    return club


def say(club: Club, name: str, iban: str | None, link: str | None) -> Problem | None:
    return set_payment_details(club.player(name), PaymentDetails(iban, link), club.browser)


def test_a_person_lacks_nothing_that_a_player_merged_into_them_said(club: Club) -> None:
    assert say(club, "David", IBAN, None) is None
    assert say(club, "Dave", OTHER_IBAN, LINK) is None
    person, alias = club.player("David"), club.player("Dave")
    apart = {person.id: PaymentDetails(IBAN, None), alias.id: PaymentDetails(OTHER_IBAN, LINK)}
    assert read_payment_details(club.circle) == apart
    club.merge("Dave", "David")
    assert read_payment_details(club.circle) == {person.id: PaymentDetails(IBAN, LINK)}
    assert say(club, "Dave", None, None) == Problem("player", "player-changed")
    assert say(club, "David", IBAN, None) is None
    assert read_payment_details(club.circle) == {person.id: PaymentDetails(IBAN, None)}
    assert (alias.iban, alias.payment_link) == (OTHER_IBAN, None)
    assert read_payment_details(Club().circle) == {}


def test_hosts_may_change_it_and_the_only_phone_of_a_person_that_scores_may_enter_it(club: Club) -> None:
    watching, scoring = phone_of(club, "Bruno"), phone_of(club, "Chloé", "score")
    bruno, chloe = club.player("Bruno"), club.player("Chloé")
    assert [may_change(phone, chloe) for phone in (club.browser, scoring, watching)] == [True, True, False]
    assert [may_change(phone, bruno) for phone in (club.browser, scoring, watching)] == [True, False, False]
    assert set_payment_details(chloe, PaymentDetails(IBAN, None), scoring) is None
    assert set_payment_details(chloe, PaymentDetails(IBAN, None), scoring) is None  # sent twice
    assert [may_change(phone, chloe) for phone in (club.browser, scoring)] == [True, False]
    with pytest.raises(RightRevokedError):
        set_payment_details(chloe, PaymentDetails(OTHER_IBAN, None), scoring)
    assert read_payment_details(club.circle) == {chloe.id: PaymentDetails(IBAN, None)}
    assert say(club, "Chloé", None, None) is None
    assert may_change(scoring, chloe)
    phone_of(club, "Chloé")
    assert not may_change(scoring, chloe)
