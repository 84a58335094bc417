"""One plan for each scope: what is new and what is unpaid are cleared together, with the fewest payments."""

from __future__ import annotations

from scorekeeper.scoring.settlement import Transfer
from scorekeeper.services.money.balances import read_all_accounts, read_open_accounts
from scorekeeper.services.money.payment_history import find_paid_at, list_payments, list_payments_in
from scorekeeper.services.money.payments import withdraw
from scorekeeper.services.money.scopes import Scope
from scorekeeper.services.people.people import set_banker
from scorekeeper.services.verify import verify

from ..club import CENT, CENTIME, DAY, EUROS, FICHE, FIVE_CENTIMES, FRANCS, GAME, NEXT_DAY, Club, stored_summary


def plan(club: Club, scope: Scope, account: str = GAME) -> list[Transfer]:
    found = read_open_accounts(club.circle, scope).get(account)
    return found.plan() if found is not None else []


def columns(club: Club, scope: Scope, account: str = GAME) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Return what was won, paid and moved by name, without zeros."""
    found = read_all_accounts(club.circle, scope)[account]
    won, paid, moved = ({k: v for k, v in amounts.items() if v} for amounts in (found.won, found.paid, found.moved))
    return won, paid, moved


# --- one plan


def test_a_deal_after_a_part_payment_is_planned_with_what_is_unpaid(club: Club) -> None:
    """Three payments where two are enough would be planned if the unpaid rest had a plan of its own."""
    table = club.table(("Anne", "Bruno", 5), ("Chloé", "Bruno", 3))
    club.pay("Anne", "Bruno", 2, Scope(table=table))
    club.record(table, ("Bruno", "David", 3))
    expected = [Transfer("Anne", "Bruno", 3), Transfer("Chloé", "David", 3)]
    for scope in (Scope(table=table), Scope(day=DAY), Scope()):
        assert plan(club, scope) == expected


def test_a_plan_stays_as_it_is_while_nothing_changes(club: Club) -> None:
    club.table(("Anne", "Bruno", 5), ("Chloé", "David", 3), ("Anne", "David", 1))
    assert plan(club, Scope()) == plan(club, Scope())
    assert plan(club, Scope()) == plan(club, Scope(day=DAY))


def test_a_payment_takes_over_what_is_new_and_what_was_unpaid_in_its_scope(club: Club) -> None:
    first, second = club.table(("Anne", "Bruno", 5)), club.table(("Chloé", "Bruno", 3))
    elsewhere = club.table(("Anne", "Bruno", 9), day=NEXT_DAY)
    of_first = club.pay("Anne", "Bruno", 2, Scope(table=first)).settlement
    of_elsewhere = club.pay("Anne", "Bruno", 1, Scope(table=elsewhere)).settlement
    of_day = club.pay("Anne", "Bruno", 3, Scope(day=DAY)).settlement
    assert club.parts(of_day) == [
        ("Bruno", "3", second.id, None),
        ("Chloé", "-3", second.id, None),
        ("Anne", "-3", None, of_first.id),
        ("Bruno", "3", None, of_first.id),
    ]
    assert (of_first.successor_id, of_elsewhere.successor_id) == (of_day.id, None)
    assert not stored_summary(first).is_settled
    club.pay("Chloé", "Bruno", 3, Scope(day=DAY))
    assert stored_summary(first).is_settled
    assert len(club.settlements()) == 3


def test_payments_go_on_in_the_only_settlement_while_nothing_is_new(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    settlement = club.pay("Anne", "Bruno", 1, Scope(table=table)).settlement
    for scope in (Scope(table=table), Scope(day=DAY), Scope()):
        assert club.pay("Anne", "Bruno", 1, scope).settlement is settlement
    club.record(table, ("Anne", "Bruno", 1))
    assert club.pay("Anne", "Bruno", 1, Scope(table=table)).settlement is not settlement
    assert plan(club, Scope(table=table)) == [Transfer("Anne", "Bruno", 1)]


def test_a_rest_of_less_than_a_coin_is_counted_with_what_is_new(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 7), value=FRANCS)
    club.pay("Anne", "Bruno", FIVE_CENTIMES, Scope(table=table), account="CHF")
    assert plan(club, Scope(table=table), "CHF") == []
    club.record(table, ("Anne", "Bruno", 3))
    assert read_open_accounts(club.circle, Scope(table=table))["CHF"].subunits["Bruno"] == 5 * CENTIME
    assert plan(club, Scope(table=table), "CHF") == [Transfer("Anne", "Bruno", FIVE_CENTIMES)]


def test_what_a_wider_settlement_took_over_is_not_open_in_a_narrower_scope(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    club.table(("Anne", "Chloé", 4), day=NEXT_DAY)
    club.pay("Anne", "Bruno", 1)
    assert club.balances(Scope(table=table)) == club.balances(Scope(day=DAY)) == {}
    assert plan(club, Scope()) == [Transfer("Anne", "Bruno", 4), Transfer("Anne", "Chloé", 4)]
    club.record(table, ("David", "Bruno", 2))
    assert plan(club, Scope(table=table)) == [Transfer("David", "Bruno", 2)]


def test_a_withdrawn_payment_is_open_where_it_was_made(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    club.pay("Anne", "Bruno", 2, Scope(table=table))
    club.table(("Chloé", "Bruno", 3))
    club.pay("Anne", "Bruno", 3, Scope(day=DAY))
    withdraw(club.circle, 1, club.browser)
    assert plan(club, Scope(table=table)) == [Transfer("Anne", "Bruno", 2)]
    assert (
        plan(club, Scope(day=DAY))
        == plan(club, Scope())
        == [
            Transfer("Chloé", "Bruno", 3),
            Transfer("Anne", "Bruno", 2),
        ]
    )


def test_a_table_is_settled_only_if_every_settlement_that_took_over_its_rest_is_paid(club: Club) -> None:
    """A settlement has two later ones if a payment is withdrawn after the first of them was made."""
    table, other = club.table(("Anne", "Bruno", 5)), club.table(("Chloé", "Bruno", 9))
    club.pay("Anne", "Bruno", 2, Scope(table=table))
    club.pay("Chloé", "Bruno", 1, Scope(day=DAY))
    withdraw(club.circle, 1, club.browser)
    club.record(table, ("David", "Bruno", 1))
    club.pay("David", "Bruno", 1, Scope(table=table))
    club.pay("Anne", "Bruno", 2, Scope(table=table))
    assert club.balances(Scope(table=table)) == {}
    assert not stored_summary(table).is_settled
    assert not stored_summary(other).is_settled
    for transfer in plan(club, Scope(day=DAY)):
        club.pay(transfer.giver, transfer.taker, transfer.amount, Scope(day=DAY))
    assert stored_summary(table).is_settled
    assert [fault for fault in verify().faults if fault.params.get("what") != "fingerprint"] == []  # see Club.table


def test_a_table_is_not_settled_if_what_was_taken_over_sums_to_0_and_is_unpaid(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    other = club.table(("Chloé", "David", 9))
    club.pay("Chloé", "David", 1)
    club.record(table, ("Bruno", "Anne", 5))
    club.pay("Bruno", "Anne", 5, Scope(table=table))
    club.record(table, ("Anne", "Chloé", 1), ("Chloé", "Anne", 1))
    assert [stored_summary(each).is_settled for each in (table, other)] == [False, False]


def test_the_banker_clears_the_same_balances(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    club.pay("Anne", "Bruno", 2, Scope(table=table))
    club.record(table, ("Chloé", "Bruno", 1))
    set_banker(club.circle, club.player("David").id)
    account = read_open_accounts(club.circle, Scope(table=table))[GAME]
    assert account.plan("David") == [
        Transfer("Anne", "David", 3),
        Transfer("Chloé", "David", 1),
        Transfer("David", "Bruno", 4),
    ]


# --- what was won, paid and moved


def test_won_paid_and_moved_add_up_to_what_is_open(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    club.pay("Anne", "Bruno", 2, Scope(table=table))
    assert columns(club, Scope(table=table)) == ({"Anne": -5, "Bruno": 5}, {"Anne": 2, "Bruno": -2}, {})
    club.table(("Chloé", "Anne", 4), day=NEXT_DAY)
    club.pay("Chloé", "Bruno", 3)
    moved = {"Anne": 3, "Bruno": -3}
    for scope in (Scope(table=table), Scope(day=DAY)):
        assert columns(club, scope) == ({"Anne": -5, "Bruno": 5}, {"Anne": 2, "Bruno": -2}, moved)
    won, paid, moved = columns(club, Scope())
    assert won == {"Anne": -1, "Bruno": 5, "Chloé": -4}
    assert paid == {"Anne": 2, "Chloé": 3, "Bruno": -5}
    assert moved == {}


def test_withdrawn_payments_are_not_paid(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    club.pay("Anne", "Bruno", 2, Scope(table=table))
    withdraw(club.circle, 1, club.browser)
    assert columns(club, Scope(table=table)) == ({"Anne": -5, "Bruno": 5}, {}, {})
    assert list_payments_in(club.circle, Scope(table=table)) == []


def test_the_payments_in_a_scope_are_those_of_its_settlements(club: Club) -> None:
    first, second = club.table(("Anne", "Bruno", 5)), club.table(("Anne", "Bruno", 5), day=NEXT_DAY)
    club.pay("Anne", "Bruno", 2, Scope(table=first))
    club.pay("Anne", "Bruno", 1, Scope(table=second))
    club.pay("Anne", "Bruno", 3, Scope(day=DAY))

    def numbers(scope: Scope) -> list[int]:
        return [payment.number for payment in list_payments_in(club.circle, scope)]

    assert numbers(Scope(day=DAY)) == numbers(Scope(table=first)) == [1, 3]
    assert numbers(Scope(day=NEXT_DAY)) == [2]


def test_what_was_paid_for_a_table_counts_from_the_first_payment_until_all_is_paid_alone_or_with_others(
    club: Club,
) -> None:
    first, second = club.table(("Anne", "Bruno", 5)), club.table(("Anne", "Bruno", 5), day=NEXT_DAY)
    assert find_paid_at(first) is None
    club.pay("Anne", "Bruno", 2, Scope(table=first))
    club.pay("Anne", "Bruno", 1, Scope(table=second))
    for amount in (5, 2):
        club.pay("Anne", "Bruno", amount)
    last, _, of_second, of_first = (payment.at for payment in list_payments(club.circle))
    assert find_paid_at(first) == find_paid_at(second) == last
    withdraw(club.circle, 4, club.browser)
    assert (find_paid_at(first), find_paid_at(second)) == (of_first, of_second)


def test_a_settled_account_is_not_open_and_says_what_was_paid(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 4), value=EUROS)
    club.pay("Anne", "Bruno", 4 * FICHE, Scope(table=table), account="EUR")
    assert read_open_accounts(club.circle, Scope(table=table)) == {}
    assert columns(club, Scope(table=table), "EUR")[1] == {"Anne": 100 * CENT, "Bruno": -100 * CENT}
