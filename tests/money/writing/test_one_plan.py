"""One plan for each scope: what is new and what is unpaid are cleared together, with the fewest payments."""

from __future__ import annotations

from scorekeeper.files.verify import verify
from scorekeeper.money.balances import read_all_accounts, read_open_accounts
from scorekeeper.money.payments import withdraw
from scorekeeper.money.scopes import Scope
from scorekeeper.scoring.settlement import Transfer

from ...club import DAY, GAME, NEXT_DAY, Club, stored_summary


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
        == [Transfer("Chloé", "Bruno", 3), Transfer("Anne", "Bruno", 2)]
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
    assert verify().faults == []


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
