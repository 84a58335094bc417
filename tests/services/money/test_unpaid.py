"""The cached columns of settlements and of the tables they took over."""

from __future__ import annotations

from types import SimpleNamespace

from flask import Flask

from scorekeeper.models import Part, Settlement, Summary, Table, db
from scorekeeper.services.circles.players import read_persons
from scorekeeper.services.money.payments import withdraw
from scorekeeper.services.money.scopes import Scope
from scorekeeper.services.money.unpaid import has_unpaid_settlement, recompute, recompute_all, update_settled_tables
from scorekeeper.services.people.people import merge, unmerge
from scorekeeper.stats.summary_data import open_subunits

from ...statements import counted
from ..club import AT, CENTIME, DAY, FIVE_CENTIMES, FRANCS, GAME, Club, stored_summary


def caches(club: Club, index: int = 0) -> tuple[dict[str, int], bool, bool]:
    """Return what is cached of a settlement: `unpaid` by name, `is_paid`, `is_cleared`."""
    settlement = club.settlements()[index]
    names = {str(player_id): person.name for player_id, person in read_persons(club.circle).items()}
    unpaid = {names[player_id]: amount for player_id, amount in settlement.unpaid.items()}
    return unpaid, settlement.is_paid, settlement.is_cleared


def spoil_caches() -> None:
    """Store what is wrong for every settlement of every circle, and for its tables."""
    wrong = {"unpaid": {"1": 99}, "is_paid": False, "is_cleared": False}
    db.session.execute(db.update(Settlement).values(wrong))
    db.session.execute(db.update(Summary).values(is_settled=False))
    db.session.commit()


def is_settled(*tables: Table) -> list[bool]:
    return [stored_summary(table).is_settled for table in tables]


# --- what is open of a table


def test_open_is_what_no_settlement_has_taken_over() -> None:
    summary = SimpleNamespace(data={"grains": {"1": -7, "2": 4, "3": 3, "4": 0}}, taken_over={"1": -5, "2": 5})
    assert open_subunits(summary) == {"1": -2, "2": -1, "3": 3, "4": 0}


# --- what is unpaid of a settlement


def test_a_withdrawal_in_another_circle_changes_nothing(club: Club) -> None:
    other = Club()
    for each in (club, other):
        each.pay("Anne", "Bruno", 3, Scope(table=each.table(("Anne", "Bruno", 5))))
    withdraw(other.circle, 1, other.browser)
    for each, unpaid in ((club, 2), (other, 5)):
        recompute_all(each.circle, read_persons(each.circle))
        assert caches(each) == ({"Anne": -unpaid, "Bruno": unpaid}, False, False)


def test_unpaid_is_what_was_taken_over_less_what_was_paid(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5), ("Chloé", "Bruno", 2))
    club.pay("Anne", "Bruno", 3, Scope(table=table))
    assert caches(club) == ({"Anne": -2, "Bruno": 4, "Chloé": -2}, False, False)
    club.pay("Chloé", "Bruno", 2)
    assert caches(club) == ({"Anne": -2, "Bruno": 2}, False, False)
    withdraw(club.circle, 1, club.browser)
    assert caches(club) == ({"Anne": -5, "Bruno": 5}, False, False)
    club.pay("Anne", "Bruno", 5)
    assert caches(club) == ({}, True, True)


def test_less_than_a_coin_is_paid_but_not_cleared(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 7), value=FRANCS)
    club.pay("Anne", "Bruno", FIVE_CENTIMES, Scope(table=table), account="CHF")
    assert caches(club) == ({"Anne": -2 * CENTIME, "Bruno": 2 * CENTIME}, True, False)


def test_what_a_later_settlement_takes_over_is_no_longer_unpaid(club: Club) -> None:
    first = club.table(("Anne", "Bruno", 5))
    club.pay("Anne", "Bruno", 2, Scope(table=first))
    club.table(("Chloé", "Bruno", 4))
    club.pay("Anne", "Bruno", 1)
    assert caches(club, 0) == ({}, True, True)
    assert caches(club, 1) == ({"Anne": -2, "Bruno": 6, "Chloé": -4}, False, False)
    withdraw(club.circle, 1, club.browser)  # of the earlier settlement, which is unpaid again
    assert caches(club, 0) == ({"Anne": -2, "Bruno": 2}, False, False)
    assert caches(club, 1) == ({"Anne": -2, "Bruno": 6, "Chloé": -4}, False, False)


def test_recomputing_one_settlement_leaves_the_others_alone(club: Club) -> None:
    for _ in "12":
        club.pay("Anne", "Bruno", 3, Scope(table=club.table(("Anne", "Bruno", 5))))
    spoil_caches()
    second = club.settlements()[1]
    recompute(second, read_persons(club.circle))
    db.session.commit()
    assert caches(club, 1) == ({"Anne": -2, "Bruno": 2}, False, False)
    assert club.settlements()[0].unpaid == {"1": 99}


# --- everything again, after a merge


def test_all_settlements_of_a_circle_are_recomputed(club: Club) -> None:
    first, second = club.table(("Anne", "Bruno", 5)), club.table(("Anne", "Bruno", 4))
    club.pay("Anne", "Bruno", 5, Scope(table=first))
    club.pay("Anne", "Bruno", 1, Scope(table=second))
    open_table = club.table(("Anne", "Bruno", 1))
    other = Club()
    theirs = other.table(("Anne", "Bruno", 5))
    other.pay("Anne", "Bruno", 5, Scope(table=theirs))
    spoil_caches()
    circle = club.circle
    recompute_all(circle, read_persons(circle))
    db.session.commit()
    assert caches(club, 0) == ({}, True, True)
    assert caches(club, 1) == ({"Anne": -3, "Bruno": 3}, False, False)
    assert is_settled(first, second, open_table, theirs) == [True, False, False, False]
    assert other.settlements()[0].unpaid == {"1": 99}


def test_nothing_is_written_in_a_circle_without_settlements(app: Flask, club: Club) -> None:
    club.table(("Anne", "Bruno", 5))
    circle = club.circle
    persons = read_persons(circle)
    with counted(app) as statements:
        recompute_all(circle, persons)
    assert [sql for sql in statements if not sql.startswith("SELECT")] == []


def test_debts_of_a_person_to_themselves_are_settled_by_a_merge(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5), ("David", "Chloé", 4))
    club.pay("Anne", "Bruno", 5, Scope(table=table))
    other = club.table(("Dora", "Anne", 4), names=("Anne", "Bruno", "Chloé", "Dora"))
    club.pay("Dora", "Anne", 1, Scope(table=other))
    assert is_settled(table, other) == [False, False]
    club.merge("Dora", "David")
    assert caches(club, 1) == ({"Anne": 3, "David": -3}, False, False)
    later = club.table(("Élise", "Bruno", 4), names=("Anne", "Bruno", "Élise", "Zoé"))
    club.pay("Élise", "Bruno", 1, Scope(table=later))
    assert merge(club.player("Élise"), club.player("David")) is None
    assert caches(club, 2) == ({"Bruno": 3, "David": -3}, False, False)
    unmerge(club.player("Dora"))
    assert caches(club, 1) == ({"Anne": 3, "Dora": -3}, False, False)


def test_players_whose_unpaid_balances_cancel_are_quits_after_a_merge(club: Club) -> None:
    first = club.table(("Anne", "Bruno", 5))
    second = club.table(("Bruno", "Annie", 5), names=("Annie", "Bruno", "Chloé", "David"))
    club.pay("Anne", "Annie", 1, Scope(day=DAY))
    assert caches(club) == ({"Anne": -4, "Annie": 4}, False, False)
    assert is_settled(first, second) == [False, False]
    club.merge("Annie", "Anne")
    assert caches(club) == ({}, True, True)
    assert is_settled(first, second) == [True, True]


# --- the tables of chains of settlements


def test_a_table_is_settled_once_its_settlement_and_all_successors_are_paid(club: Club) -> None:
    first, second = club.table(("Anne", "Bruno", 5)), club.table(("Anne", "Bruno", 1))
    untouched = club.table(("Anne", "Bruno", 2), value=FRANCS)
    club.pay("Anne", "Bruno", 2, Scope(table=first))
    club.pay("Anne", "Bruno", 1)
    third = club.table(("Anne", "Bruno", 9))
    last = club.pay("Anne", "Bruno", 11).settlement
    ids = [settlement.id for settlement in club.settlements()]
    assert [settlement.successor_id for settlement in club.settlements()] == [*ids[1:], None]
    assert [has_unpaid_settlement(table) for table in (first, second, third)] == [True, True, True]
    assert is_settled(first, second, third, untouched) == [False, False, False, False]
    club.pay("Anne", "Bruno", 1, settlement=last)
    assert [has_unpaid_settlement(table) for table in (first, second, third)] == [False, False, False]
    assert is_settled(first, second, third, untouched) == [True, True, True, False]


def test_a_table_has_an_unpaid_settlement_only_if_it_is_its_own(club: Club) -> None:
    paid, unpaid, open_table = (club.table(("Anne", "Bruno", 5)) for _ in range(3))
    club.pay("Anne", "Bruno", 5, Scope(table=paid))
    club.pay("Anne", "Bruno", 1, Scope(table=unpaid))
    assert has_unpaid_settlement(unpaid)
    assert not has_unpaid_settlement(paid)
    assert not has_unpaid_settlement(open_table)
    assert is_settled(paid, unpaid, open_table) == [True, False, False]


def test_a_table_is_settled_only_if_all_of_it_is_taken_over(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    settlement = club.pay("Anne", "Bruno", 4, Scope(table=table)).settlement
    club.record(table, ("Anne", "Bruno", 1))
    club.pay("Anne", "Bruno", 1, settlement=settlement)
    assert caches(club) == ({}, True, True)
    assert is_settled(table) == [False]


def test_only_the_tables_of_the_settlement_are_updated(club: Club) -> None:
    first, second = club.table(("Anne", "Bruno", 5)), club.table(("Anne", "Bruno", 4))
    club.pay("Anne", "Bruno", 5, Scope(table=first))
    club.pay("Anne", "Bruno", 4, Scope(table=second))
    spoil_caches()
    settlement = club.settlements()[0]
    recompute(settlement, read_persons(club.circle))
    db.session.flush()
    update_settled_tables(settlement)
    db.session.commit()
    assert is_settled(first, second) == [True, False]


def test_another_circles_settlements_do_not_matter(club: Club) -> None:
    other = Club()
    other.pay("Anne", "Bruno", 1, Scope(table=other.table(("Anne", "Bruno", 5))))
    table = club.table(("Anne", "Bruno", 5))
    club.pay("Anne", "Bruno", 5, Scope(table=table))
    assert is_settled(table) == [True]
    assert not has_unpaid_settlement(table)


def test_settlements_that_succeed_each_other_in_a_circle_end(club: Club) -> None:
    """Rows of a backup that anybody may have made do not keep the app busy for ever."""
    table = club.table(("Anne", "Bruno", 5))
    first = club.pay("Anne", "Bruno", 5, Scope(table=table)).settlement
    columns = {"circle_id": club.id, "account": GAME, "created_at": AT, "unpaid": {}, "is_cleared": True}
    second = Settlement(**columns, is_paid=False)
    db.session.add(second)
    db.session.flush()
    anne = club.player("Anne").id
    for later, earlier in ((first, second), (second, first)):
        ids = {"circle_id": club.id, "settlement_id": later.id, "earlier_id": earlier.id, "player_id": anne}
        db.session.add(Part(**ids, amount="5"))
    db.session.commit()
    assert has_unpaid_settlement(table)
    second.is_paid = True
    db.session.commit()
    assert not has_unpaid_settlement(table)
