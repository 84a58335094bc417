"""Recording and withdrawing payments: the rows that are stored, and which settlement a payment belongs to."""

from __future__ import annotations

from scorekeeper.money.scopes import Scope

from ...club import CENT, CENTIME, EUROS, FIVE_CENTIMES, FRANCS, GAME, NEXT_DAY, Club, stored_summary

# --- what a payment stores


def test_less_than_a_coin_counts_as_paid_and_stays_open(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 7), value=FRANCS)
    settlement = club.pay("Anne", "Bruno", FIVE_CENTIMES, Scope(table=table), account="CHF").settlement
    assert (settlement.is_paid, settlement.is_cleared) == (True, False)
    assert stored_summary(table).is_settled
    assert club.balances() == {"CHF": {"Anne": -2 * CENTIME, "Bruno": 2 * CENTIME}}


# --- everything


def test_everything_takes_over_tables_and_what_earlier_settlements_left(club: Club) -> None:
    first, second = club.table(("Anne", "Bruno", 5)), club.table(("Chloé", "Bruno", 4), day=NEXT_DAY)
    euros = club.table(("Anne", "Bruno", 1), value=EUROS)
    club.pay("Anne", "Bruno", CENT, Scope(table=euros), account="EUR")
    earlier = club.pay("Anne", "Bruno", 2, Scope(table=first)).settlement
    payment = club.pay("Anne", "Bruno", 3)
    of_euros, earlier, everything = club.settlements()
    assert payment.settlement is everything
    assert (everything.table_id, everything.day) == (None, None)
    assert club.parts(everything) == [
        ("Bruno", "4", second.id, None),
        ("Chloé", "-4", second.id, None),
        ("Anne", "-3", None, earlier.id),
        ("Bruno", "3", None, earlier.id),
    ]
    assert (earlier.unpaid, earlier.is_paid, earlier.is_cleared) == ({}, True, True)
    assert (earlier.successor_id, of_euros.successor_id) == (everything.id, None)
    assert of_euros.unpaid == {str(club.player("Anne").id): -24 * CENT, str(club.player("Bruno").id): 24 * CENT}
    assert club.balances()[GAME] == {"Bruno": 4, "Chloé": -4}
    assert not stored_summary(first).is_settled
    club.pay("Chloé", "Bruno", 4, settlement=everything)
    assert stored_summary(first).is_settled
    assert stored_summary(second).is_settled
    assert not stored_summary(euros).is_settled
