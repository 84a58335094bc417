"""Recording and withdrawing payments: the rows that are stored, and which settlement a payment belongs to."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from scorekeeper.db.clock import now
from scorekeeper.models import Settlement
from scorekeeper.services.money.payment_history import list_payments
from scorekeeper.services.money.payments import withdraw
from scorekeeper.services.money.scopes import Scope
from scorekeeper.services.people.people import set_banker

from ..club import (
    CENT,
    CENTIME,
    DAY,
    EUROS,
    FICHE,
    FIVE_CENTIMES,
    FRANCS,
    GAME,
    NEXT_DAY,
    Club,
    change_counts,
    stored_summary,
)


def columns_of(row: Settlement) -> dict[str, Any]:
    return {column.name: getattr(row, column.name) for column in Settlement.__table__.columns}


def is_now(row: Any, column: str) -> bool:
    return timedelta() <= now() - getattr(row, column) < timedelta(minutes=1)


# --- what a payment stores


def test_the_first_payment_settles_the_table(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5), ("Chloé", "Bruno", 2))
    counts = change_counts(club)
    payment = club.pay("Anne", "Bruno", 3, Scope(table=table), key="the page's")
    ids = {name: club.player(name).id for name in ("Anne", "Bruno", "Chloé")}
    (settlement,) = club.settlements()
    assert (payment.circle_id, payment.number, payment.settlement_id) == (club.id, 1, settlement.id)
    assert (payment.giver_id, payment.taker_id, payment.amount) == (ids["Anne"], ids["Bruno"], "3")
    assert (payment.withdraws, payment.browser_id, payment.entry_key) == (None, club.browser_id, "the page's")
    assert is_now(payment, "at")
    assert is_now(settlement, "created_at")
    assert columns_of(settlement) == {
        "id": settlement.id,
        "token": settlement.token,
        "circle_id": club.id,
        "account": GAME,
        "table_id": table.id,
        "event_id": None,
        "day": None,
        "game": None,
        "created_at": settlement.created_at,
        "successor_id": None,
        "unpaid": {str(ids["Anne"]): -2, str(ids["Bruno"]): 4, str(ids["Chloé"]): -2},
        "is_paid": False,
        "is_cleared": False,
    }
    assert club.parts(settlement) == [
        ("Anne", "-5", table.id, None),
        ("Bruno", "7", table.id, None),
        ("Chloé", "-2", table.id, None),
    ]
    assert counts == {"2026-11": counts["2026-11"]}
    assert change_counts(club) == {"2026-11": counts["2026-11"] + 1}


def test_a_table_is_taken_over_at_once_and_settled_once_all_is_paid(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))

    def flags() -> tuple[bool, bool]:
        summary = stored_summary(table)
        return summary.is_taken_over, summary.is_settled

    assert flags() == (False, False)
    settlement = club.pay("Anne", "Bruno", 3, Scope(table=table)).settlement
    assert stored_summary(table).taken_over == {"1": -5, "2": 5, "3": 0, "4": 0}
    assert flags() == (True, False)
    club.pay("Anne", "Bruno", 2, settlement=settlement)
    assert flags() == (True, True)
    (settlement,) = club.settlements()
    assert (settlement.unpaid, settlement.is_paid, settlement.is_cleared) == ({}, True, True)
    withdraw(club.circle, 2, club.browser)
    assert flags() == (True, False)


def test_a_table_stays_unsettled_while_it_is_taken_over(club: Club) -> None:
    """A settled table that was corrected is settled again only by another payment."""
    table = club.table(("Anne", "Bruno", 5))
    club.pay("Anne", "Bruno", 5, Scope(table=table))
    club.record(table, ("Anne", "Bruno", 2))
    assert not stored_summary(table).is_settled
    club.pay("Anne", "Bruno", 1, Scope(table=table))
    assert stored_summary(table).taken_over == {"1": -7, "2": 7, "3": 0, "4": 0}
    assert not stored_summary(table).is_settled
    assert club.parts(club.settlements()[1]) == [("Anne", "-2", table.id, None), ("Bruno", "2", table.id, None)]


def test_an_evening_takes_over_its_tables_of_the_account(club: Club) -> None:
    euros = club.table(("Anne", "Bruno", 9), value=EUROS)
    first, second = club.table(("Anne", "Bruno", 5)), club.table(("David", "Bruno", 1))
    tomorrow = club.table(("Anne", "Bruno", 4), day=NEXT_DAY)
    settlement = club.pay("Anne", "Bruno", 5, Scope(day=DAY)).settlement
    assert (settlement.table_id, settlement.day, settlement.account) == (None, DAY, GAME)
    assert club.parts(settlement) == [
        ("Anne", "-5", first.id, None),
        ("Bruno", "5", first.id, None),
        ("Bruno", "1", second.id, None),
        ("David", "-1", second.id, None),
    ]
    taken_over = [stored_summary(table).is_taken_over for table in (euros, first, second, tomorrow)]
    assert taken_over == [False, True, True, False]
    assert stored_summary(euros).taken_over == {}


def test_a_payment_in_money_is_in_subunits_of_the_currency(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5), value=EUROS)
    payment = club.pay("Anne", "Bruno", 50 * CENT, Scope(table=table), account="EUR")
    assert (payment.amount, payment.settlement.account) == ("4500000", "EUR")
    assert club.balances() == {"EUR": {"Anne": -3 * FICHE, "Bruno": 3 * FICHE}}


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


def test_everything_takes_over_several_earlier_settlements_in_one_statement_each(club: Club) -> None:
    tables = [club.table(("Anne", "Bruno", fiches)) for fiches in (5, 6)]
    for table in tables:
        club.pay("Anne", "Bruno", 1, Scope(table=table))
    club.pay("Anne", "Bruno", 4)
    first, second, everything = club.settlements()
    assert [part[1:] for part in club.parts(everything)] == [
        ("-4", None, first.id),
        ("4", None, first.id),
        ("-5", None, second.id),
        ("5", None, second.id),
    ]
    assert (first.successor_id, second.successor_id) == (everything.id, everything.id)
    assert (first.is_cleared, second.is_cleared) == (True, True)
    assert everything.unpaid == {str(club.player("Anne").id): -5, str(club.player("Bruno").id): 5}


def test_a_settlement_that_counts_as_paid_stays_so_when_its_rest_is_taken_over(club: Club) -> None:
    first = club.table(("Anne", "Bruno", 7), value=FRANCS)
    club.pay("Anne", "Bruno", FIVE_CENTIMES, Scope(table=first), account="CHF")
    club.table(("Anne", "Bruno", 10), value=FRANCS)
    club.pay("Anne", "Bruno", FIVE_CENTIMES, account="CHF")
    earlier, everything = club.settlements()
    assert (earlier.unpaid, earlier.is_paid, earlier.is_cleared, earlier.successor_id) == ({}, True, True, None)
    assert everything.unpaid == {
        str(club.player("Anne").id): -7 * CENTIME,
        str(club.player("Bruno").id): 7 * CENTIME,
    }
    assert stored_summary(first).is_settled


def test_a_payment_for_everything_belongs_to_the_only_unpaid_settlement(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    settlement = club.pay("Anne", "Bruno", 2, Scope(table=table)).settlement
    club.table(("Anne", "Bruno", 1), value=EUROS)
    assert club.pay("Anne", "Bruno", 1).settlement is settlement
    paid = club.pay("Anne", "Bruno", 2).settlement
    assert paid is settlement
    assert stored_summary(table).is_settled


def test_a_payment_for_everything_belongs_to_no_settlement_of_another_account(club: Club) -> None:
    club.pay("Anne", "Bruno", 2, Scope(table=club.table(("Anne", "Bruno", 5))))
    table = club.table(("Anne", "Bruno", 1), value=EUROS)
    euros = club.pay("Anne", "Bruno", CENT, Scope(table=table), account="EUR").settlement
    assert club.pay("Anne", "Bruno", CENT, account="EUR").settlement is euros
    assert club.pay("Anne", "Bruno", 1).settlement is club.settlements()[0]
    assert len(club.settlements()) == 2


def test_a_payment_for_an_evening_starts_a_settlement_even_if_one_is_unpaid(club: Club) -> None:
    club.pay("Anne", "Bruno", 2, Scope(table=club.table(("Anne", "Bruno", 5))))
    club.table(("Anne", "Bruno", 4), day=NEXT_DAY)
    settlement = club.pay("Anne", "Bruno", 4, Scope(day=NEXT_DAY)).settlement
    assert settlement is club.settlements()[1]
    assert club.settlements()[0].successor_id is None
    assert club.balances() == {GAME: {"Anne": -3, "Bruno": 3}}


def test_a_settlement_with_less_than_a_coin_is_not_the_only_unpaid_one(club: Club) -> None:
    for fiches in (7, 8):
        table = club.table(("Anne", "Bruno", fiches), value=FRANCS)
        club.pay("Anne", "Bruno", FIVE_CENTIMES, Scope(table=table), account="CHF")
    everything = club.pay("Anne", "Bruno", FIVE_CENTIMES, account="CHF").settlement
    assert everything is club.settlements()[2]
    assert everything.unpaid == {}


def test_a_banker_may_pay_before_anything_is_open(club: Club) -> None:
    club.table()
    set_banker(club.circle, club.player("Anne").id)
    settlement = club.pay("Anne", "Bruno", 5).settlement
    assert club.parts(settlement) == []
    assert club.balances() == {GAME: {"Anne": 5, "Bruno": -5}}
    assert settlement.is_paid is False


# --- withdrawing


def test_a_withdrawal_is_a_payment_of_its_own(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    payment = club.pay("Anne", "Bruno", 5, Scope(table=table))
    club.pay("Anne", "Bruno", 1, Scope(table=club.table(("Anne", "Bruno", 5), day=NEXT_DAY)))
    withdrawal = withdraw(club.circle, 1, club.browser)
    assert withdrawal is club.payments()[2]
    assert (withdrawal.circle_id, withdrawal.number, withdrawal.withdraws) == (club.id, 3, 1)
    assert (withdrawal.settlement_id, withdrawal.amount) == (payment.settlement_id, "5")
    assert (withdrawal.giver_id, withdrawal.taker_id) == (payment.giver_id, payment.taker_id)
    assert (withdrawal.browser_id, withdrawal.entry_key) == (club.browser_id, None)
    assert is_now(withdrawal, "at")
    assert payment.settlement.unpaid == {str(payment.giver_id): -5, str(payment.taker_id): 5}
    assert (payment.settlement.is_paid, payment.settlement.is_cleared) == (False, False)
    assert not stored_summary(table).is_settled


def test_a_payment_is_withdrawn_once(club: Club) -> None:
    club.table(("Anne", "Bruno", 5))
    club.pay("Anne", "Bruno", 5)
    first = withdraw(club.circle, 1, club.browser)
    assert first is not None
    assert withdraw(club.circle, 1, club.browser) is first
    assert len(club.payments()) == 2
    assert club.balances()[GAME] == {"Anne": -5, "Bruno": 5}


def test_only_payments_of_the_circle_can_be_withdrawn(club: Club) -> None:
    other = Club()
    other.table(("Anne", "Bruno", 5))
    other.pay("Anne", "Bruno", 5)
    assert withdraw(club.circle, 1, club.browser) is None
    club.pay("Anne", "Bruno", 1, Scope(table=club.table(("Anne", "Bruno", 5))))
    club.pay("Anne", "Bruno", 1)
    assert withdraw(club.circle, 3, club.browser) is None
    withdraw(club.circle, 2, club.browser)
    assert withdraw(club.circle, 3, club.browser) is None  # a withdrawal itself
    assert (len(club.payments()), len(other.payments())) == (3, 1)
    assert [payment.withdraws for payment in club.payments()] == [None, None, 2]


def test_payments_and_withdrawals_are_numbered_in_turn(club: Club) -> None:
    club.table(("Anne", "Bruno", 5))
    club.pay("Anne", "Bruno", 1)
    withdraw(club.circle, 1, club.browser)
    club.pay("Anne", "Bruno", 2)
    withdraw(club.circle, 3, club.browser)
    rows = [(payment.number, payment.withdraws) for payment in club.payments()]
    assert rows == [(1, None), (2, 1), (3, None), (4, 3)]
    assert [payment.number for payment in list_payments(club.circle, limit=2)] == [4, 3]
    assert [payment.number for payment in list_payments(club.circle, before=3)] == [2, 1]
