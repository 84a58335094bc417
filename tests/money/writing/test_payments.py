"""Payments and what is open: scopes, advances, the cash box, taking back, and what is refused, stale or sent again."""

from __future__ import annotations

import pytest

from scorekeeper.db.outcome import Done, Stale
from scorekeeper.models import CASH, EXPENSE, INCOME, TRANSFER, Circle
from scorekeeper.money import payments
from scorekeeper.money.ledger import BOX, EVERYTHING, Scope
from scorekeeper.money.payments import hash_plan, list_planned, record_plan, restore, withdraw
from scorekeeper.money.reading import build_seen, read_ledger
from scorekeeper.scoring.problems import Problem, refuse
from scorekeeper.tables.caches import verify

from ...support.club import CENTIME, DAY, EUROS, FICHE, FIVE_CENTIMES, FRANCS, GAME, NEXT_DAY, Club, change_payment


def plan(club: Club, scope: Scope = EVERYTHING, *, in_cash: bool = True) -> list[tuple[str, str, int]]:
    planned = list_planned(read_ledger(club.circle), scope, in_cash=in_cash)
    return [(giver, taker, amount) for _, giver, taker, amount in planned]


def pay_shown(
    club: Club, shown: str, key: str, scope: Scope = EVERYTHING, *, in_cash: bool = True
) -> payments.PaymentResult:
    """Record that everybody has paid, on a page that has shown all payments so far and the plan with this hash."""
    return record_plan(club.circle, scope, shown, build_seen(club.circle), key, club.membership, in_cash=in_cash)


def without_zeros(amounts: dict[str, int]) -> dict[str, int]:
    return {name: amount for name, amount in amounts.items() if amount}


# --- what is open


def test_a_payment_counts_where_it_belongs_and_in_the_whole(club: Club) -> None:
    table, other = club.table(("Anne", "Bruno", 5)), club.table(("Chloé", "Bruno", 3), day=NEXT_DAY)
    club.pay("Anne", "Bruno", 2, Scope(table=table.id))
    for scope in (Scope(table=table.id), Scope(day=DAY)):
        assert plan(club, scope) == [("Anne", "Bruno", 3)]
    assert plan(club, Scope(table=other.id)) == [("Chloé", "Bruno", 3)]
    assert plan(club) == [("Anne", "Bruno", 3), ("Chloé", "Bruno", 3)]
    club.pay("Anne", "Bruno", 3)
    assert plan(club) == [("Chloé", "Bruno", 3)]
    assert plan(club, Scope(day=DAY)) == [("Anne", "Bruno", 3)]  # what it was made for is everything
    assert verify().faults == []


def test_a_table_is_settled_by_its_own_payments_its_evenings_or_once_everything_was_paid(club: Club) -> None:
    first, second = club.table(("Anne", "Bruno", 5)), club.table(("Chloé", "David", 2))
    third = club.table(("Anne", "David", 1), day=NEXT_DAY)
    club.pay("Anne", "Bruno", 5, Scope(table=first.id))
    assert [club.is_settled(each) for each in (first, second, third)] == [True, False, False]
    club.pay("Chloé", "David", 2, Scope(day=DAY))
    assert [club.is_settled(each) for each in (first, second, third)] == [True, True, False]
    club.pay("Anne", "David", 1)
    assert club.is_settled(third)
    later = club.table(("Anne", "Bruno", 1), day=NEXT_DAY)
    assert [club.is_settled(each) for each in (first, second, third, later)] == [True, True, True, False]


def test_further_play_at_a_table_leaves_those_settled_that_were_paid_with_it(club: Club) -> None:
    first, second = club.table(("Anne", "Bruno", 5)), club.table(("Chloé", "David", 2))
    club.pay("Anne", "Bruno", 5)
    club.pay("Chloé", "David", 2)
    club.record(second, ("Bruno", "Chloé", 3))
    assert [club.is_settled(each) for each in (first, second)] == [True, False]
    assert plan(club) == [("Bruno", "Chloé", 3)]
    club.pay("Bruno", "Chloé", 1)
    assert [club.is_settled(each) for each in (first, second)] == [True, False]
    club.pay("Bruno", "Chloé", 2)
    assert [club.is_settled(each) for each in (first, second)] == [True, True]


def test_further_play_at_a_table_settles_none_that_were_paid_only_in_part(club: Club) -> None:
    first, second = club.table(("Anne", "Bruno", 5)), club.table(("Anne", "Bruno", 5))
    club.pay("Anne", "Bruno", 5)
    club.record(second, ("Anne", "Bruno", 3))
    assert [club.is_settled(each) for each in (first, second)] == [False, False]


def test_more_than_is_open_is_an_advance_that_later_tables_use_up(club: Club) -> None:
    club.table()
    club.pay("Anne", "Bruno", 20 * FICHE, account="EUR")
    assert plan(club) == [("Bruno", "Anne", 20 * FICHE)]
    club.table(("Anne", "Bruno", 20), value=EUROS)
    assert plan(club) == []


def test_the_tables_of_merged_players_are_one_persons(club: Club) -> None:
    club.table(("Dave", "Anne", 3), names=("Anne", "Bruno", "Chloé", "Dave"))
    club.table(("David", "Anne", 4))
    club.pay("Dave", "Anne", 1)
    club.merge("Dave", "David")
    assert without_zeros(club.balances()[GAME]) == {"Anne": 6, "David": -6}


def test_a_payment_between_two_players_who_are_merged_since_changes_nothing(club: Club) -> None:
    table = club.table(("Dave", "Anne", 3), names=("Anne", "Bruno", "Chloé", "Dave"))
    club.table(("David", "Anne", 4))
    club.pay("Dave", "David", 2)
    club.merge("Dave", "David")
    assert without_zeros(club.balances()[GAME]) == {"Anne": 7, "David": -7}
    assert plan(club) == [("David", "Anne", 7)]
    assert not club.is_settled(table)


def test_counters_of_two_games_of_ones_own_are_two_kinds(club: Club) -> None:
    names = ("Mölkky", "Boules", "mölkky")
    described = [club.table(("Anne", "Bruno", 5), game="any-game", name=name, stake=1) for name in names]
    accounts = club.balances()
    assert len(accounts) == 2
    assert sorted(amounts["Bruno"] for amounts in accounts.values()) == [5, 10]
    assert len(described) == 3


# --- the cash box


def held(circle: Circle) -> int:
    """Return what went into the cash box and did not come out of it, by the entries of payments."""
    return -sum(entry.amounts.get(BOX, 0) for entry in read_ledger(circle).entries)


def test_what_is_open_with_the_cash_box_is_paid_with_it_and_with_nobody_else(club: Club) -> None:
    club.table(("Bruno", "Anne", 10), value=EUROS)
    club.pay("Anne", None, 4 * FICHE, account="EUR")
    assert plan(club) == [("Bruno", "Anne", 10 * FICHE), (BOX, "Anne", 4 * FICHE)]
    club.pay(None, "Anne", 4 * FICHE, account="EUR")
    assert plan(club) == [("Bruno", "Anne", 10 * FICHE)]
    assert held(club.circle) == 0


def test_expenses_and_income_change_no_balance_of_a_person(club: Club) -> None:
    club.table(("Anne", "Bruno", 1))
    for kind in (EXPENSE, INCOME):
        club.pay(None, None, 30 * FICHE, account="EUR", kind=kind, method=TRANSFER, note="Room")
    assert without_zeros(club.balances()[GAME]) == {"Anne": -1, "Bruno": 1}
    assert "EUR" not in club.balances()
    assert verify().faults == []


# --- writing


def test_everybody_has_paid_records_the_plan_that_was_shown_once(club: Club) -> None:
    club.table(("Anne", "Bruno", 5), ("Chloé", "David", 8))
    shown = hash_plan(list_planned(read_ledger(club.circle), EVERYTHING))
    for _ in range(2):
        answer = pay_shown(club, shown, "all")
        assert isinstance(answer, Done)
        assert [payment.amount for payment in answer.value] == [8, 5]
    assert len(club.payments()) == 2
    club.table(("Anne", "Bruno", 1))
    assert isinstance(pay_shown(club, shown, "again"), Stale)
    assert len(club.payments()) == 2


def test_a_payment_that_is_taken_back_is_open_again_and_stays_listed(club: Club) -> None:
    club.table(("Anne", "Bruno", 5))
    payment = club.pay("Anne", "Bruno", 5)
    for _ in range(2):
        assert withdraw(payment, "recorded", club.membership) == Done(payment)
    assert plan(club) == [("Anne", "Bruno", 5)]
    assert [each.withdrawn_at is not None for each in club.payments()] == [True]
    change_payment(payment, restore, club.membership)
    assert plan(club) == []


@pytest.mark.parametrize(("who", "name"), [("Anne", "Anne"), (None, "")])
def test_nobody_pays_themselves(club: Club, who: str | None, name: str) -> None:
    club.table(("Anne", "Bruno", 5))
    assert club.try_to_pay(who, who, 1) == refuse([Problem("taker", "pays-themselves", {"giver": name})])
    assert club.payments() == []


def test_a_key_sent_again_records_once_and_nothing_with_other_contents(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    payment = club.pay("Anne", "Bruno", 2, key="key")
    assert club.try_to_pay("Anne", "Bruno", 2, key="key") == Done([payment])
    for again in (
        club.try_to_pay("Anne", "Bruno", 3, key="key"),
        club.try_to_pay("Chloé", "Bruno", 2, key="key"),
        club.try_to_pay("Anne", None, 2, key="key"),
        club.try_to_pay("Anne", "Bruno", 2, Scope(table=table.id), key="key"),
        club.try_to_pay("Anne", "Bruno", 2, key="key", account="EUR"),
        club.try_to_pay("Anne", "Bruno", 2, key="key", note="Twice"),
    ):
        assert again == Stale([payment])
    assert len(club.payments()) == 1


def test_a_stale_page_records_nothing_and_is_shown_what_it_missed(club: Club) -> None:
    club.table(("Anne", "Bruno", 50))
    seen = [build_seen(club.circle)]
    for _ in "123":
        club.pay("Anne", "Bruno", 1)
        seen.append(build_seen(club.circle))
    for shown, missed in ((seen[0], [1, 2, 3]), (seen[1], [2, 3]), (seen[2], [3]), ("", [1, 2, 3])):
        answer = club.try_to_pay("Anne", "Bruno", 1, seen=shown)
        assert isinstance(answer, Stale)
        assert [payment.number for payment in answer.current] == missed
    change_payment(club.payments()[1], withdraw, club.membership)
    answer = club.try_to_pay("Anne", "Bruno", 1, seen=seen[3])
    assert answer == Stale([])
    assert len(club.payments()) == 3


def test_everybody_has_paid_under_a_used_key_records_nothing_in_another_scope(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    club.table(("Chloé", "David", 2), day=NEXT_DAY)
    of_table = Scope(table=table.id)
    shown = [hash_plan(list_planned(read_ledger(club.circle), scope)) for scope in (of_table, EVERYTHING)]
    assert isinstance(pay_shown(club, shown[0], "key", of_table), Done)
    assert isinstance(pay_shown(club, shown[1], "key"), Stale)
    assert len(club.payments()) == 1


def test_a_circle_has_a_limited_number_of_payments(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payments, "MAX_PAYMENTS", 1)
    club.table(("Anne", "Bruno", 5))
    club.pay("Anne", "Bruno", 1)
    refused = refuse([Problem("amount", "too-many-payments", {"most": 1})])
    assert club.try_to_pay("Anne", "Bruno", 1) == refused
    shown = hash_plan(list_planned(read_ledger(club.circle), EVERYTHING))
    assert pay_shown(club, shown, "all") == refused


# --- coins


def test_what_is_paid_in_cash_is_planned_in_coins_and_by_transfer_to_the_cent(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 21), value=FRANCS)
    assert plan(club) == [("Anne", "Bruno", 20 * CENTIME)]
    assert plan(club, in_cash=False) == [("Anne", "Bruno", 21 * CENTIME)]
    club.pay("Anne", "Bruno", 20 * CENTIME, account="CHF", method=CASH)
    assert plan(club) == []
    assert plan(club, in_cash=False) == [("Anne", "Bruno", CENTIME)]
    assert club.is_settled(table)


@pytest.mark.parametrize("in_cash", [True, False])
def test_everybody_has_paid_says_how_where_that_decides_about_the_amounts(club: Club, in_cash: bool) -> None:
    club.table(("Anne", "Bruno", 21), value=FRANCS)
    club.table(("Anne", "Bruno", 3), value=EUROS)
    shown = hash_plan(list_planned(read_ledger(club.circle), EVERYTHING, in_cash=in_cash))
    answer = pay_shown(club, shown, "all", in_cash=in_cash)
    assert isinstance(answer, Done)
    expected = {"CHF": CASH if in_cash else TRANSFER, "EUR": None}
    assert {payment.account: payment.method for payment in answer.value} == expected


def test_less_than_a_coin_is_carried_over_until_it_can_be_paid(club: Club) -> None:
    club.table(("Anne", "Bruno", 4), value=FRANCS)
    assert plan(club) == []
    club.table(("Anne", "Bruno", 3), value=FRANCS)
    assert plan(club) == [("Anne", "Bruno", FIVE_CENTIMES)]
    club.pay("Anne", "Bruno", FIVE_CENTIMES, account="CHF")
    assert without_zeros(club.balances()["CHF"]) == {"Anne": -2 * CENTIME, "Bruno": 2 * CENTIME}
