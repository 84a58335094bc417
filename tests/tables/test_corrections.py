"""What a correction does to later deals, and what has to go with it where these would not be possible any more."""

from __future__ import annotations

from dataclasses import replace

from scorekeeper.tables.corrections import (
    LaterChanges,
    WayOut,
    find_later_changes,
    find_way_out,
    order_changes,
)
from scorekeeper.tables.revisions import AMEND, INSERT, RECORD, RESTORE, WITHDRAW, Change
from scorekeeper.tables.state import TableState

from .test_state import AT, table_state


def points(amount: int, to: str = "ns") -> Change:
    return Change(RECORD, body={"adjustment": {"to": to, "points": amount}})


def amend(deal: int, amount: int, to: str = "ns") -> Change:
    return Change(AMEND, deal, body=points(amount, to).body)


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
    assert changed(quarante(10, 20, 30), amend(3, 25)) == LaterChanges(None, None, [])
    assert changed(quarante(10, 20), amend(1, 10)) == LaterChanges(None, None, [])


def test_deals_keep_the_numbers_that_they_had_where_one_is_removed_or_inserted() -> None:
    table = quarante(10, 20, 30)
    assert scores_changed(table, Change(WITHDRAW, 1)) == [scores(2, 30, 20), scores(3, 60, 50)]
    inserted = Change(INSERT, before=2, body=points(5).body)
    assert scores_changed(table, inserted) == [scores(2, 30, 35), scores(3, 60, 65)]


def test_what_is_won_now_and_no_longer_is_listed_with_the_deal_that_wins_it() -> None:
    def ends(table: TableState, change: Change) -> list[tuple[int, tuple[str, ...], bool]]:
        return [(end.row.number, end.closing.winners, end.is_won) for end in changed(table, change).ends]

    assert ends(quarante(100, 60), amend(1, 50)) == [(2, ("ns",), False)]
    assert ends(quarante(50, 60), amend(1, 90)) == [(2, ("ns",), True)]
    assert ends(quarante(100, 60), amend(1, 95)) == []
    assert ends(quarante(100, 60), amend(2, 10)) == [(2, ("ns",), False)]
    assert ends(quarante(100, 10), amend(2, 60)) == []  # its own new score says so


def test_all_deals_after_an_earlier_end_are_in_the_way_and_none_can_be_edited() -> None:
    assert find_way_out(quarante(10, 2, 3), ENDING) == WayOut(2, (2, 3), False)
    assert find_way_out(quarante(10, 2), amend(1, 11)) is None


def test_a_deal_in_the_way_can_be_edited_if_it_breaks_a_rule_of_its_own() -> None:
    table = table_state(*map(points, (3, 2, -4)))
    assert find_way_out(table, amend(1, 1)) == WayOut(3, (3,), True)
    assert find_way_out(table, amend(1, -1)) is None  # wrong itself
    assert find_way_out(table_state(*map(points, (5, -3, -2))), amend(1, 1)) == WayOut(2, (2, 3), True)


def test_changes_that_need_each_other_are_ordered_so_that_each_step_is_possible() -> None:
    table = table_state(*map(points, (5, -3)))
    first, later = amend(1, 1), amend(2, -1)
    assert order_changes(table, [first, later]) == [later, first]
    higher, lower = amend(1, 9), amend(2, -8)
    assert order_changes(table, [higher, lower]) == [Change(WITHDRAW, 2), higher, replace(lower, kind=RESTORE)]
    hopeless = [amend(1, 1), amend(2, -2)]
    assert order_changes(table, hopeless) == hopeless


def test_a_change_that_its_way_out_would_make_wrong_has_none() -> None:
    """Without the second deal the third would be the fault, and without both the change itself."""
    table = table_state(*map(points, (3, -3, 2)))
    assert find_way_out(table, Change(WITHDRAW, 1)) == WayOut(2, (2,), True)
    withdrawn = table_state(*map(points, (3, 2, -4)), Change(WITHDRAW, 2), Change(WITHDRAW, 3))
    assert find_way_out(withdrawn, amend(1, 1)) is None
