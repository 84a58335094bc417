"""Open balances: whose they are, of which tables and settlements, and what they are the sum of."""

from __future__ import annotations

import pytest

from scorekeeper.models import db
from scorekeeper.scoring.settlement import Transfer
from scorekeeper.services.circles.players import read_persons
from scorekeeper.services.money import balances, payment_history, sources
from scorekeeper.services.money.balances import Account, read_open_accounts
from scorekeeper.services.money.confirmations import payment_numbered
from scorekeeper.services.money.payments import withdraw
from scorekeeper.services.money.scopes import Scope
from scorekeeper.services.money.sources import BalanceSource
from scorekeeper.services.people.people import set_banker

from ..club import CENT, DAY, EUROS, FICHE, GAME, NAMES, NEXT_DAY, OTHER_GAME, Club

FRANCS = EUROS | {"currency": "CHF"}


def sums(sources: list[BalanceSource]) -> list[int]:
    return [source.subunits for source in sources]


# --- scopes and accounts


def test_a_scope_without_table_and_day_is_everything(club: Club) -> None:
    assert Scope().is_everything
    assert not Scope(table=club.table()).is_everything
    assert not Scope(day=DAY).is_everything


def test_an_account_adds_up_what_each_player_is_owed() -> None:
    account = Account("whist")
    account.add("Anne", 7)
    account.add("Anne", 5)
    account.add("Bruno", -12)
    assert account.subunits == {"Anne": 12, "Bruno": -12}
    assert Account("whist").subunits == {}


def test_only_whole_coins_of_an_account_can_be_paid() -> None:
    account = Account("EUR", {"Anne": CENT + 1, "Bruno": -CENT - 1})
    assert account.coins == {"Anne": CENT, "Bruno": -CENT}
    assert account.has_remainder
    assert not Account("EUR", {"Anne": CENT, "Bruno": -CENT}).has_remainder
    assert account.plan() == [Transfer("Bruno", "Anne", CENT)]
    account.waiting = {"Anne": -CENT, "Bruno": CENT}
    assert account.coins == {"Anne": 0, "Bruno": 0}
    assert account.open_coins == {"Anne": CENT, "Bruno": -CENT}  # what waits is still open


def test_the_banker_takes_part_in_every_payment_of_a_plan() -> None:
    account = Account("whist", {"Anne": 3, "Bruno": -3, "Chloé": 0})
    assert account.plan() == [Transfer("Bruno", "Anne", 3)]
    assert account.plan("Chloé") == [Transfer("Bruno", "Chloé", 3), Transfer("Chloé", "Anne", 3)]


def test_names_are_those_of_the_persons_after_a_merge(club: Club) -> None:
    club.table()
    club.table(names=("Anne", "Bruno", "Chloé", "Dave"))
    club.merge("Dave", "David")
    ids = {name: club.player(name).id for name in (*NAMES, "Dave")}
    assert balances.read_names(club.circle) == {ids[name]: name for name in NAMES} | {ids["Dave"]: "David"}


# --- open accounts


def test_everything_adds_up_the_tables_of_each_account_with_currencies_first(club: Club) -> None:
    club.table(("Anne", "Bruno", 5))
    club.table(("Anne", "Bruno", 3), ("Anne", "Chloé", 1), day=NEXT_DAY)
    club.table(("David", "Anne", 2), game=OTHER_GAME)
    club.table(("Anne", "Bruno", 4), value=EUROS)
    club.table(("Bruno", "Anne", 1), value=FRANCS)
    accounts = read_open_accounts(club.circle, Scope())
    assert list(accounts) == ["CHF", "EUR", OTHER_GAME, GAME]
    assert accounts["EUR"].subunits == {"Anne": -4 * FICHE, "Bruno": 4 * FICHE, "Chloé": 0, "David": 0}
    assert accounts[GAME].subunits == {"Anne": -9, "Bruno": 8, "Chloé": 1, "David": 0}
    assert accounts[OTHER_GAME].subunits == {"Anne": 2, "Bruno": 0, "Chloé": 0, "David": -2}


def test_an_evening_adds_up_its_own_tables(club: Club) -> None:
    first = club.table(("Anne", "Bruno", 5), value=EUROS)
    club.table(("Anne", "Bruno", 3), ("Chloé", "David", 1), value=EUROS)
    club.table(("Anne", "Bruno", 100), value=EUROS, day=NEXT_DAY)
    account = read_open_accounts(club.circle, Scope(day=DAY))["EUR"]
    counters = {"Anne": -8, "Bruno": 8, "Chloé": -1, "David": 1}
    assert account.subunits == {name: number * FICHE for name, number in counters.items()}
    assert club.balances(Scope(table=first))["EUR"]["Bruno"] == 5 * FICHE


def test_a_table_at_which_nothing_was_won_opens_no_account(club: Club) -> None:
    table = club.table()
    assert read_open_accounts(club.circle, Scope(table=table)) == {}
    assert read_open_accounts(club.circle, Scope(day=DAY)) == {}


def test_other_circles_balances_are_not_open_here(club: Club) -> None:
    club.table(("Anne", "Bruno", 5))
    other = Club()
    theirs = other.table(("Anne", "Bruno", 70))
    other.pay("Anne", "Bruno", 30, Scope(table=theirs))
    assert club.balances() == {GAME: {"Anne": -5, "Bruno": 5, "Chloé": 0, "David": 0}}
    assert club.balances(Scope(day=DAY)) == club.balances()
    assert club.balances(Scope(table=theirs)) == {}


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


# --- settlements and payments that were made


def test_a_settlement_is_found_in_its_own_circle_only(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    settlement = club.pay("Anne", "Bruno", 2, Scope(table=table)).settlement
    club.pay("Anne", "Bruno", 3)
    other = Club()
    assert balances.find_settlement(club.circle, settlement.token) is settlement
    assert balances.find_settlement(club.circle, "another") is None
    assert balances.find_settlement(other.circle, settlement.token) is None


def test_the_wider_settlements_of_a_scope_are_those_outside_that_took_over_a_part_of_it(club: Club) -> None:
    first, second = club.table(("Anne", "Bruno", 5)), club.table(("Anne", "Bruno", 4))
    third = club.table(("Anne", "Bruno", 3), day=NEXT_DAY)
    of_first = club.pay("Anne", "Bruno", 2, Scope(table=first)).settlement
    of_day = club.pay("Anne", "Bruno", 4, Scope(day=DAY)).settlement
    of_all = club.pay("Anne", "Bruno", 3).settlement
    other = Club()
    other.pay("Anne", "Bruno", 9, Scope(table=other.table(("Anne", "Bruno", 9))))

    def wider(scope: Scope) -> list[tuple[int, bool]]:
        return [(settlement.id, is_paid) for settlement, is_paid in balances.find_wider_settlements(club.circle, scope)]

    assert wider(Scope()) == []
    assert wider(Scope(day=DAY)) == wider(Scope(day=NEXT_DAY)) == wider(Scope(table=third)) == [(of_all.id, False)]
    assert wider(Scope(table=first)) == wider(Scope(table=second)) == [(of_day.id, False)]
    club.pay("Anne", "Bruno", 3)
    assert of_first.successor_id == of_day.id
    assert wider(Scope(day=DAY)) == [(of_all.id, True)]
    assert wider(Scope(table=first)) == [(of_day.id, True)]
    club.table(("Anne", "Bruno", 2))
    of_more = club.pay("Anne", "Bruno", 2).settlement
    assert wider(Scope(day=DAY)) == [(of_more.id, True), (of_all.id, True)]


def test_unpaid_balances_are_an_account_by_name(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5), value=EUROS)
    settlement = club.pay("Anne", "Bruno", FICHE, Scope(table=table), account="EUR").settlement
    unpaid = balances.make_unpaid_account(settlement, balances.read_names(club.circle))
    assert unpaid == Account("EUR", {"Anne": -4 * FICHE, "Bruno": 4 * FICHE})


def test_payments_are_listed_newest_first_and_page_by_page(club: Club) -> None:
    settlement = club.pay("Anne", "Bruno", 1, Scope(table=club.table(("Anne", "Bruno", 5)))).settlement
    club.insert_payments(settlement, range(2, 53))
    other = Club()
    other.pay("Anne", "Bruno", 1, Scope(table=other.table(("Anne", "Bruno", 5))))

    def listed(before: int | None = None, **limit: int) -> list[int]:
        return [payment.number for payment in payment_history.list_payments(club.circle, before=before, **limit)]

    assert listed() == list(range(52, 2, -1))
    assert listed(3) == [2, 1]
    assert listed(52, limit=2) == [51, 50]
    assert [payment.circle_id for payment in payment_history.list_payments(other.circle)] == [other.id]


def test_the_payments_of_a_settlement_are_listed_oldest_first(club: Club) -> None:
    first, second = club.table(("Anne", "Bruno", 5)), club.table(("Anne", "Bruno", 4))
    settlement = club.pay("Anne", "Bruno", 1, Scope(table=first)).settlement
    club.pay("Anne", "Bruno", 1, Scope(table=second))
    club.pay("Anne", "Bruno", 2, settlement=settlement)
    withdraw(club.circle, 1, club.browser)
    assert [payment.number for payment in payment_history.list_payments_for(settlement)] == [1, 3, 4]


def test_payments_are_numbered_by_circle(club: Club) -> None:
    other = Club()
    assert payment_history.read_last_number(club.circle) == 0
    club.pay("Anne", "Bruno", 1, Scope(table=club.table(("Anne", "Bruno", 5))))
    club.pay("Anne", "Bruno", 1)
    assert payment_history.read_last_number(club.circle) == 2
    assert payment_history.read_last_number(other.circle) == 0
    assert [payment_numbered(club.circle, number) for number in (1, 2, 3)] == [*club.payments(), None]
    assert payment_numbered(other.circle, 1) is None


# --- where a balance comes from


def test_a_balance_is_the_sum_of_tables_and_earlier_settlements_newest_first(club: Club) -> None:
    paid = club.table(("Anne", "Bruno", 5))
    settlement = club.pay("Anne", "Bruno", 2, Scope(table=paid)).settlement
    first = club.table(("Anne", "Chloé", 4))
    club.table(("Bruno", "Chloé", 1))
    club.table(("Anne", "Bruno", 9), value=EUROS)
    second = club.table(("David", "Anne", 6), names=("David", "Bruno", "Chloé", "Anne"), day=NEXT_DAY)
    club.table(("David", "Bruno", 8), names=("David", "Bruno", "Chloé", "Élise"))
    anne = club.player("Anne")
    assert sources.list_sources(club.circle, Scope(), GAME, anne) == [
        BalanceSource(-3, settlement=settlement),
        BalanceSource(6, second, "4"),
        BalanceSource(-4, first, "1"),
    ]
    assert sums(sources.list_sources(club.circle, Scope(day=NEXT_DAY), GAME, anne)) == [6]
    assert sums(sources.list_sources(club.circle, Scope(table=first), GAME, anne)) == [-4]
    assert sums(sources.list_sources(club.circle, Scope(), "EUR", anne)) == [-9 * FICHE]


def test_only_settlements_of_the_account_are_sources(club: Club) -> None:
    whist, euros = club.table(("Anne", "Bruno", 5)), club.table(("Anne", "Bruno", 4), value=EUROS)
    club.pay("Anne", "Bruno", 2, Scope(table=whist))
    settlement = club.pay("Anne", "Bruno", FICHE, Scope(table=euros), account="EUR").settlement
    expected = [BalanceSource(3 * FICHE, settlement=settlement)]
    assert sources.list_sources(club.circle, Scope(), "EUR", club.player("Bruno")) == expected


def test_the_tables_of_merged_players_are_sources_of_the_person(club: Club) -> None:
    with_alias = club.table(("Dave", "Anne", 3), names=("Anne", "Bruno", "Chloé", "Dave"))
    own = club.table(("David", "Anne", 4))
    club.merge("Dave", "David")
    found = sources.list_sources(club.circle, Scope(), GAME, club.player("David"))
    assert found == [BalanceSource(-4, own, "4"), BalanceSource(-3, with_alias, "4")]
    assert club.balances() == {GAME: {"Anne": 7, "Bruno": 0, "Chloé": 0, "David": -7}}
    assert club.balances(Scope(day=DAY)) == club.balances()


def test_the_players_in_a_settlement_are_listed_by_name(club: Club) -> None:
    names = ("Zoé", "Yves", "Bruno", "Anne")
    first = club.table(("Zoé", "Yves", 3), ("Bruno", "Anne", 1), names=names)
    second = club.table(("Anne", "Chloé", 2))
    settlement = club.pay("Zoé", "Yves", 1, Scope(table=first)).settlement
    club.pay("Anne", "Chloé", 1, Scope(table=second))
    persons = read_persons(club.circle)
    players = sources.players_in(settlement, persons)
    assert [player.name for player in players] == ["Anne", "Bruno", "Yves", "Zoé"]
    club.merge("Chloé", "Zoé")
    later = sources.players_in(club.settlements()[1], read_persons(club.circle))
    assert [player.name for player in later] == ["Anne", "Zoé"]


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
    assert sources.list_parts(settlement, anne) == [
        BalanceSource(4, settlement=later),
        BalanceSource(2, second, "4"),
        BalanceSource(-5, first, "1"),
        BalanceSource(1, payment=club.payments()[0]),
        BalanceSource(-2, payment=second_payment),
    ]
    of_later = sources.list_parts(later, anne)
    assert of_later[0] == BalanceSource(-4, settlement=settlement)
    assert sums(of_later) == [-4, -7, 7]
    assert sums(sources.list_parts(settlement, chloe)) == [-2, 2]


def test_a_payment_between_two_names_of_one_person_changes_no_balance(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    settlement = club.pay("Anne", "Bruno", 5, Scope(table=table)).settlement
    club.table(names=("Anne", "Chloé", "David", "Bruno2"))
    payment = club.payments()[0]
    payment.taker_id = club.player("Bruno2").id
    db.session.commit()
    club.merge("Bruno2", "Bruno")
    assert sums(sources.list_parts(settlement, club.player("Bruno"))) == [5, -5]
    payment.giver_id = club.player("Bruno").id
    db.session.commit()
    assert sums(sources.list_parts(settlement, club.player("Bruno"))) == [5]


def test_a_part_of_a_table_without_a_summary_has_no_seat(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    settlement = club.pay("Anne", "Bruno", 5, Scope(table=table)).settlement
    db.session.execute(db.text("DELETE FROM summary"))
    db.session.commit()
    assert sources.list_parts(settlement, club.player("Anne"))[0] == BalanceSource(-5, table, None)


@pytest.mark.parametrize("name", NAMES)
def test_the_sources_of_a_balance_add_up_to_it(club: Club, name: str) -> None:
    first = club.table(("Anne", "Bruno", 5), ("Chloé", "David", 3))
    club.pay("Anne", "Bruno", 2, Scope(table=first))
    club.table(("Bruno", "David", 1), day=NEXT_DAY)
    found = sources.list_sources(club.circle, Scope(), GAME, club.player(name))
    assert sum(sums(found)) == club.balances()[GAME][name]
