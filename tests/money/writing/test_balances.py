"""Open balances: whose they are, of which tables and settlements, and what they are the sum of."""

from __future__ import annotations

from scorekeeper.money import payment_history
from scorekeeper.money.balances import Account, read_open_accounts
from scorekeeper.money.payment_history import BalanceSource
from scorekeeper.money.payments import withdraw
from scorekeeper.money.scopes import Scope
from scorekeeper.people.people import set_banker
from scorekeeper.scoring.settlement import Transfer

from ...club import DAY, GAME, NAMES, NEXT_DAY, Club


def sums(sources: list[BalanceSource]) -> list[int]:
    return [source.subunits for source in sources]


# --- scopes and accounts


def test_the_banker_takes_part_in_every_payment_of_a_plan() -> None:
    account = Account("whist", {"Anne": 3, "Bruno": -3, "Chloé": 0})
    assert account.plan() == [Transfer("Bruno", "Anne", 3)]
    assert account.plan("Chloé") == [Transfer("Bruno", "Chloé", 3), Transfer("Chloé", "Anne", 3)]


# --- open accounts


def test_what_a_settlement_leaves_unpaid_is_open_there_and_in_every_wider_scope(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    club.pay("Anne", "Bruno", 2, Scope(table=table))
    for scope in (Scope(), Scope(day=DAY), Scope(table=table)):
        assert club.balances(scope) == {GAME: {"Anne": -3, "Bruno": 3}}
    assert club.balances(Scope(day=NEXT_DAY)) == {}
    other = club.table(("Bruno", "Chloé", 1))
    assert club.balances() == {GAME: {"Anne": -3, "Bruno": 2, "Chloé": 1, "David": 0}}
    assert club.balances(Scope(day=DAY)) == club.balances()
    assert club.balances(Scope(table=other)) == {GAME: {"Anne": 0, "Bruno": -1, "Chloé": 1, "David": 0}}


def test_only_the_difference_is_open_after_a_settled_table_is_corrected(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    club.pay("Anne", "Bruno", 5, Scope(table=table))
    club.record(table, ("Anne", "Bruno", 2))
    assert club.balances(Scope(table=table))[GAME] == {"Anne": -2, "Bruno": 2, "Chloé": 0, "David": 0}
    club.record(table, ("Bruno", "Anne", 7))
    account = read_open_accounts(club.circle, Scope(table=table))[GAME]
    assert account.subunits == {"Anne": 5, "Bruno": -5, "Chloé": 0, "David": 0}


# --- where a balance comes from


def test_the_tables_of_merged_players_are_sources_of_the_person(club: Club) -> None:
    with_alias = club.table(("Dave", "Anne", 3), names=("Anne", "Bruno", "Chloé", "Dave"))
    own = club.table(("David", "Anne", 4))
    club.merge("Dave", "David")
    found = payment_history.list_sources(club.circle, Scope(), GAME, club.player("David"))
    assert found == [BalanceSource(-4, own, "4"), BalanceSource(-3, with_alias, "4")]
    assert club.balances() == {GAME: {"Anne": 7, "Bruno": 0, "Chloé": 0, "David": -7}}
    assert club.balances(Scope(day=DAY)) == club.balances()


def test_the_parts_of_a_balance_are_what_was_taken_over_what_was_left_and_what_was_paid(club: Club) -> None:
    first, second = club.table(("Anne", "Bruno", 5)), club.table(("Chloé", "Anne", 2), names=NAMES[::-1])
    set_banker(club.circle, club.player("Chloé").id)
    settlement = club.pay("Anne", "Bruno", 1, Scope(day=DAY)).settlement
    second_payment = club.pay("Chloé", "Anne", 2, settlement=settlement)
    withdrawn = club.pay("Anne", "Bruno", 1, settlement=settlement)
    withdraw(club.circle, withdrawn.number, club.browser)
    club.table(("Anne", "Chloé", 7), day=NEXT_DAY)
    later = club.pay("Anne", "Chloé", 7).settlement
    anne, chloe = club.player("Anne"), club.player("Chloé")
    assert payment_history.list_parts(settlement, anne) == [
        BalanceSource(4, settlement=later),
        BalanceSource(2, second, "4"),
        BalanceSource(-5, first, "1"),
        BalanceSource(1, payment=club.payments()[0]),
        BalanceSource(-2, payment=second_payment),
    ]
    of_later = payment_history.list_parts(later, anne)
    assert of_later[0] == BalanceSource(-4, settlement=settlement)
    assert sums(of_later) == [-4, -7, 7]
    assert sums(payment_history.list_parts(settlement, chloe)) == [-2, 2]
