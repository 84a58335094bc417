"""Flags on deals and payments: added once, resolved once, and listed before settling."""

from __future__ import annotations

import pytest
from scorekeeper.services.tables.flags import FlagRequest

from scorekeeper.db.transactions import AccessRevokedError, RightRevokedError
from scorekeeper.models import Browser, Flag, Table, db
from scorekeeper.scoring.problems import Refusal
from scorekeeper.services.access.devices import find_browser
from scorekeeper.services.access.links import remove_browser
from scorekeeper.services.money.payments import withdraw
from scorekeeper.services.money.scopes import Scope
from scorekeeper.services.outcome import Conflict, Done
from scorekeeper.services.tables import flags
from scorekeeper.services.verify import verify
from scorekeeper.tables import revisions
from scorekeeper.tables.revisions import Change

from ..club import NEXT_DAY, Club, points


def flag_deal(club: Club, table: Table, deal: int = 1, comment: str = "Not 5", key: str = "key") -> Flag:
    added = flags.add(club.circle, FlagRequest(comment, key, table_id=table.id, deal=deal), club.browser)
    assert isinstance(added, Done)
    return added.value


def flag_payment(club: Club, number: int, comment: str = "Not paid", key: str = "key of a payment") -> Flag:
    added = flags.add(club.circle, FlagRequest(comment, key, payment=number), club.browser)
    assert isinstance(added, Done)
    return added.value


def comments(club: Club, scope: Scope) -> list[str]:
    return [row.flag.comment for row in flags.open_flags(club.circle, scope)]


def phone(club: Club, right: str) -> Browser:
    browser = find_browser(club.join(right), club.circle.name)
    assert browser is not None
    return browser


def test_a_watcher_may_flag_and_not_resolve(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    watcher = phone(club, "watch")
    added = flags.add(club.circle, FlagRequest("Not 5", "key", table_id=table.id, deal=1), watcher)
    assert isinstance(added, Done)
    with pytest.raises(RightRevokedError):
        flags.resolve(club.circle, 1, watcher)
    assert flags.resolve(club.circle, 1, phone(club, "score")) is not None


def test_a_removed_phone_may_not_flag(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    watcher = phone(club, "watch")
    remove_browser(watcher, club.browser, club.secret)
    with pytest.raises(AccessRevokedError):
        flags.add(club.circle, FlagRequest("Not 5", "key", table_id=table.id, deal=1), watcher)


def test_a_flag_sent_twice_is_one_flag_and_sent_changed_is_refused(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    first = flag_deal(club, table)
    assert flag_deal(club, table).number == first.number == 1
    changed = FlagRequest("Not 6", "key", table_id=table.id, deal=1)
    refused = flags.add(club.circle, changed, club.browser)
    assert isinstance(refused, Conflict)
    assert refused.earlier.comment == "Not 5"
    assert len(flags.list_flags(club.circle)) == 1


@pytest.mark.parametrize(("comment", "key"), [("", "flag-blank"), ("x" * 501, "flag-long")])
def test_a_comment_is_required_and_short(club: Club, comment: str, key: str) -> None:
    table = club.table(("Anne", "Bruno", 5))
    refused = flags.add(club.circle, FlagRequest(comment, "key", table_id=table.id, deal=1), club.browser)
    assert isinstance(refused, Refusal)
    assert [problem.key for problem in refused.problems] == [key]
    assert flag_deal(club, table, comment="x" * 500).number == 1


def test_a_circle_has_a_limited_number_of_open_flags(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flags, "MAX_OPEN_FLAGS", 1)
    table = club.table(("Anne", "Bruno", 5))
    flag_deal(club, table)
    refused = flags.add(club.circle, FlagRequest("More", "more", table_id=table.id, deal=1), club.browser)
    assert isinstance(refused, Refusal)
    flags.resolve(club.circle, 1, club.browser)
    assert flag_deal(club, table, key="more").number == 2


def test_only_what_is_in_the_circle_can_be_flagged(club: Club) -> None:
    other = Club()
    table, own = other.table(("Anne", "Bruno", 5)), club.table(("Anne", "Bruno", 5))
    club.pay("Anne", "Bruno", 5)
    withdraw(club.circle, 1, club.browser)
    for request in (
        FlagRequest("No", "1", table_id=table.id, deal=1),
        FlagRequest("No", "2", table_id=own.id, deal=2),
        FlagRequest("No", "3", payment=2),
        FlagRequest("No", "4", payment=3),
        FlagRequest("No", "5"),
    ):
        assert flags.add(club.circle, request, club.browser) is None
    assert flags.resolve(club.circle, 1, club.browser) is None


def test_a_flag_is_resolved_once_and_stays_in_the_list(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    flag_deal(club, table)
    first = flags.resolve(club.circle, 1, club.browser)
    assert first is not None
    at, by = first.resolved_at, first.resolved_by_id
    again = flags.resolve(club.circle, 1, phone(club, "score"))
    assert again is not None
    assert (again.resolved_at, again.resolved_by_id) == (at, by) == (at, club.browser_id)
    assert flags.open_flags(club.circle, Scope()) == []
    assert [row.flag.number for row in flags.list_flags(club.circle)] == [1]
    assert flags.flags_on_deal(table, 1) == [first]


def test_flags_are_listed_where_their_deal_or_payment_is_settled(club: Club) -> None:
    table, other = club.table(("Anne", "Bruno", 5)), club.table(("Anne", "Bruno", 1), day=NEXT_DAY)
    payment = club.pay("Anne", "Bruno", 2, Scope(table=table))
    flag_deal(club, table)
    flag_payment(club, payment.number)
    flag_deal(club, other, comment="Not 1", key="another")
    day, next_day = Scope(day=table.day), Scope(day=NEXT_DAY)
    assert comments(club, Scope(table=table)) == comments(club, day) == ["Not paid", "Not 5"]
    assert comments(club, Scope(table=other)) == comments(club, next_day) == ["Not 1"]
    assert comments(club, Scope()) == ["Not 1", "Not paid", "Not 5"]
    rows = flags.open_flags(club.circle, Scope(), payment.settlement)
    assert [row.flag.comment for row in rows] == ["Not paid", "Not 5"]


def test_a_flag_says_that_its_deal_was_changed_or_withdrawn(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    flag_deal(club, table)
    (row,) = flags.list_flags(club.circle)
    assert (row.is_changed, row.is_withdrawn) == (False, False)
    body = points(2).body
    club.write(club.read(table), Change(revisions.AMEND, 1, body=body))
    (row,) = flags.list_flags(club.circle)
    assert (row.is_changed, row.is_withdrawn) == (True, False)
    club.write(club.read(table), Change(revisions.WITHDRAW, 1))
    (row,) = flags.list_flags(club.circle)
    assert row.is_withdrawn


def test_a_flag_says_that_its_payment_was_withdrawn(club: Club) -> None:
    club.table(("Anne", "Bruno", 5))
    club.pay("Anne", "Bruno", 5)
    flag_payment(club, 1)
    withdraw(club.circle, 1, club.browser)
    (row,) = flags.list_flags(club.circle)
    assert row.is_withdrawn
    assert row.about is not None
    assert row.about.number == 1


def test_flags_are_listed_page_by_page(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flags, "PAGE_SIZE", 2)
    table = club.table(("Anne", "Bruno", 5))
    for number in range(3):
        flag_deal(club, table, key=f"key {number}")
    assert [row.flag.number for row in flags.list_flags(club.circle)] == [3, 2]
    assert [row.flag.number for row in flags.list_flags(club.circle, before=2)] == [1]


def test_each_change_of_a_tables_flags_is_counted(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    assert flags.flags_at(table) == (set(), 0)
    flag_deal(club, table)
    assert flags.flags_at(table) == ({1}, 1)
    flags.resolve(club.circle, 1, club.browser)
    assert flags.flags_at(table) == (set(), 2)
    assert db.session.scalar(db.select(Flag.resolved_at)) is not None


def test_a_flag_on_nothing_and_a_gap_in_the_numbers_are_found(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    flag = flag_deal(club, table)
    flag.deal, flag.number = 9, 2
    db.session.commit()
    found = {fault.key for fault in verify().faults}
    assert {"flag", "flag-numbers"} <= found
