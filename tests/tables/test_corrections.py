"""What a correction does to later deals, and what has to go with it where these would not be possible any more."""

from __future__ import annotations

from scorekeeper.tables.corrections import LaterChanges, find_deals_in_the_way, find_later_changes
from scorekeeper.tables.revisions import AMEND, INSERT, RECORD, WITHDRAW, Change
from scorekeeper.tables.state import TableState

from .states import AT, points, table_state


def amend(deal: int, amount: int) -> Change:
    return Change(AMEND, deal, body=points(amount).body)


def quarante(*amounts: int) -> TableState:
    """Return a table at which North–South have these points; 150 win."""
    return table_state(*map(points, amounts), game="quarante-de-rois")


def changed(table: TableState, change: Change) -> LaterChanges:
    return find_later_changes(table, table.with_revision(change.to_row(table.version + 1, 1, AT, "own")))


def scores_changed(table: TableState, change: Change) -> list[tuple[int, int, int] | None]:
    """Return the numbers of the rows after which scores change, with North–South's points before and after."""
    found = changed(table, change)
    return [each and scores(each.row.number, each.before["ns"], each.after["ns"]) for each in (found.first, found.now)]


def scores(number: int, before: int, after: int) -> tuple[int, int, int]:
    return number, before, after


ENDING = amend(1, 150)  # the game is won with the first deal


def test_the_first_later_deal_and_the_present_show_what_changes() -> None:
    assert scores_changed(quarante(10, 20, 30, 40), amend(2, 25)) == [scores(3, 60, 65), scores(4, 100, 105)]
    assert scores_changed(quarante(10, 20, 30), amend(2, 25)) == [scores(3, 60, 65), None]
    assert changed(quarante(10, 20, 30), amend(3, 25)) == LaterChanges(None, None, [], [])
    assert changed(quarante(10, 20), amend(1, 10)) == LaterChanges(None, None, [], [])


def test_deals_keep_the_numbers_that_they_had_where_one_is_removed_or_inserted() -> None:
    table = quarante(10, 20, 30)
    assert scores_changed(table, Change(WITHDRAW, 1)) == [scores(2, 30, 20), scores(3, 60, 50)]
    inserted = Change(INSERT, before_id=2, body=points(5).body)
    assert scores_changed(table, inserted) == [scores(2, 30, 35), scores(3, 60, 65)]


def test_the_first_later_deal_is_not_a_change_of_rules_which_scores_nothing() -> None:
    change = Change(RECORD, body={"terms": {"house_rules": {"target": 100}}})
    table = table_state(points(10), points(20), change, points(30), game="quarante-de-rois")
    assert scores_changed(table, Change(WITHDRAW, 2)) == [scores(4, 60, 40), None]
    assert scores_changed(table, amend(2, 25)) == [scores(4, 60, 65), None]
    last = table_state(points(10), points(20), change, game="quarante-de-rois")
    assert scores_changed(last, Change(WITHDRAW, 2)) == [None, scores(3, 30, 10)]
    assert scores_changed(last, amend(2, 25)) == [None, None]
    assert scores_changed(last, amend(1, 5)) == [scores(2, 30, 25), None]


def test_what_is_won_now_and_no_longer_is_listed_with_the_deal_that_wins_it() -> None:
    def ends(table: TableState, change: Change) -> list[tuple[int, tuple[str, ...], bool]]:
        return [(end.row.number, end.closing.winners, end.is_won) for end in changed(table, change).ends]

    assert ends(quarante(100, 60), amend(1, 50)) == [(2, ("ns",), False)]
    assert ends(quarante(50, 60), amend(1, 90)) == [(2, ("ns",), True)]
    assert ends(quarante(100, 60), amend(1, 95)) == []
    assert ends(quarante(100, 60), amend(2, 10)) == [(2, ("ns",), False)]
    assert ends(quarante(100, 10), amend(2, 60)) == []  # its own new score says so


def test_all_deals_after_an_earlier_end_are_in_the_way() -> None:
    assert find_deals_in_the_way(quarante(10, 2, 3), ENDING) == (2, 3)
    assert find_deals_in_the_way(quarante(10, 2), amend(1, 11)) == ()


def test_deals_that_break_a_rule_of_their_own_are_in_the_way() -> None:
    table = table_state(*map(points, (3, 2, -4)))
    assert find_deals_in_the_way(table, amend(1, 1)) == (3,)
    assert find_deals_in_the_way(table, amend(1, -1)) == ()  # wrong itself
    assert find_deals_in_the_way(table_state(*map(points, (5, -3, -2))), amend(1, 1)) == (2, 3)


def test_a_change_that_stays_impossible_without_later_deals_has_none_in_its_way() -> None:
    """Without the second deal the third would be the fault, and without both the change itself."""
    table = table_state(*map(points, (3, -3, 2)))
    assert find_deals_in_the_way(table, Change(WITHDRAW, 1)) == (2,)
    withdrawn = table_state(*map(points, (3, 2, -4)), Change(WITHDRAW, 2), Change(WITHDRAW, 3))
    assert find_deals_in_the_way(withdrawn, amend(1, 1)) == ()
