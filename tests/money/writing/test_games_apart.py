"""A circle that settles each game on its own: money is planned and paid by game, and nothing is lost by a change."""

from __future__ import annotations

import pytest

from scorekeeper.circles.lifecycle import change_setting
from scorekeeper.money.balances import read_open_accounts
from scorekeeper.money.payments import pay
from scorekeeper.money.scopes import Scope
from scorekeeper.people.people import set_banker
from scorekeeper.scoring.problems import Refusal
from scorekeeper.scoring.settlement import Transfer

from ...club import DAY, EUROS, FICHE, GAME, NEXT_DAY, OTHER_GAME, Club

WHIST, OTHER = f"EUR:{GAME}", f"EUR:{OTHER_GAME}"


@pytest.fixture
def club(club: Club) -> Club:
    """A club with two games for money on one evening, in which Anne and Bruno cancel each other out."""
    club.table(("Anne", "Bruno", 5), value=EUROS)
    club.table(("Bruno", "Anne", 5), ("Chloé", "David", 1), value=EUROS, game=OTHER_GAME)
    club.table(("Chloé", "David", 2))
    return club


def plans(club: Club, scope: Scope) -> dict[str, list[Transfer]]:
    return {id_: plan for id_, account in read_open_accounts(club.circle, scope).items() if (plan := account.plan())}


def euros(giver: str, taker: str, fiches: int) -> Transfer:
    return Transfer(giver, taker, fiches * FICHE)


TOGETHER = {"EUR": [euros("Chloé", "David", 1)], GAME: [Transfer("Chloé", "David", 2)]}
APART = {
    OTHER: [euros("Bruno", "Anne", 5), euros("Chloé", "David", 1)],
    WHIST: [euros("Anne", "Bruno", 5)],
    GAME: [Transfer("Chloé", "David", 2)],
}


def test_games_are_settled_together_unless_the_circle_wants_them_apart(club: Club) -> None:
    for scope in (Scope(), Scope(day=DAY)):
        assert plans(club, scope) == TOGETHER
    change_setting(club.circle, "settles_games_together", False)
    for scope in (Scope(), Scope(day=DAY)):
        assert plans(club, scope) == APART
    change_setting(club.circle, "settles_games_together", True)
    assert plans(club, Scope()) == TOGETHER


def test_a_payment_for_a_game_takes_over_its_tables_and_settlements_only(club: Club) -> None:
    change_setting(club.circle, "settles_games_together", False)
    settlement = club.pay("Anne", "Bruno", FICHE, Scope(day=DAY, game=GAME), account="EUR").settlement
    assert (settlement.account, settlement.day, settlement.game) == ("EUR", DAY, GAME)
    assert [amount for _, amount, *_ in club.parts(settlement)] == [str(-5 * FICHE), str(5 * FICHE)]
    assert plans(club, Scope()) == APART | {WHIST: [euros("Anne", "Bruno", 4)]}
    club.table(("Anne", "Bruno", 1), value=EUROS, day=NEXT_DAY)
    later = club.pay("Anne", "Bruno", 5 * FICHE, Scope(game=GAME), account="EUR").settlement
    assert (later.day, later.game, settlement.successor_id) == (None, GAME, later.id)
    assert plans(club, Scope()) == {OTHER: APART[OTHER], GAME: APART[GAME]}


def test_what_several_games_left_unpaid_stays_payable_on_its_own(club: Club) -> None:
    table = club.table(("Bruno", "Anne", 9), value=EUROS)
    together = club.pay("Bruno", "Anne", FICHE, account="EUR").settlement
    change_setting(club.circle, "settles_games_together", False)
    club.record(table, ("Chloé", "Anne", 3))
    left = [euros("Bruno", "Anne", 8), euros("Chloé", "David", 1)]
    assert plans(club, Scope()) == {"EUR": left, WHIST: [euros("Chloé", "Anne", 3)], GAME: APART[GAME]}
    whist = club.pay("Chloé", "Anne", FICHE, Scope(game=GAME), account="EUR").settlement
    assert whist is not together
    assert club.pay("Bruno", "Anne", 8 * FICHE, account="EUR").settlement is together
    change_setting(club.circle, "settles_games_together", True)
    assert plans(club, Scope()) == {"EUR": [euros("Chloé", "Anne", 2), euros("Chloé", "David", 1)], GAME: APART[GAME]}
    assert club.pay("Chloé", "Anne", 2 * FICHE, account="EUR").settlement not in (together, whist)
    assert plans(club, Scope()) == {"EUR": [euros("Chloé", "David", 1)], GAME: APART[GAME]}


@pytest.mark.parametrize("banker", [None, "Anne"])
def test_a_page_from_before_the_change_records_nothing_across_games(club: Club, banker: str | None) -> None:
    if banker is not None:
        set_banker(club.circle, club.player(banker).id)
    request = club.request("Chloé", "Anne" if banker else "David", FICHE, account="EUR")
    change_setting(club.circle, "settles_games_together", False)
    assert isinstance(pay(club.circle, request, club.browser), Refusal)
    assert club.payments() == []
