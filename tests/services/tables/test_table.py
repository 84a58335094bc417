"""Reading tables and previewing changes."""

from __future__ import annotations

from dataclasses import replace

from flask import Flask

from scorekeeper.db.clock import now
from scorekeeper.models import Browser, Link, Table, db
from scorekeeper.models.rights import WATCH
from scorekeeper.scoring.problems import Problem, refuse
from scorekeeper.scoring.standing import ADJUSTMENT, RowName
from scorekeeper.services.live import count_changes
from scorekeeper.services.tables.replayed import read_revisions
from scorekeeper.services.tables.table import Preview, Refused, list_tables, preview, read_table
from scorekeeper.tables import revisions
from scorekeeper.tables.revisions import Change

from ...statements import counted
from ..club import GAME, Club, balance, points, transfer

# --- reading


def test_open_and_closed_tables_are_listed_newest_first(club: Club) -> None:
    tables = [club.table() for _ in range(4)]
    Club().table()
    for table in (tables[0], tables[2]):
        club.write(club.read(table), Change(revisions.CLOSE))
    assert list_tables(club.circle, closed=False) == [tables[3], tables[1]]
    assert list_tables(club.circle, closed=True) == [tables[2], tables[0]]
    assert list_tables(club.circle, closed=False, limit=1) == [tables[3]]


def test_the_twenty_newest_tables_are_listed(club: Club) -> None:
    table = club.table()
    common = {column.name: getattr(table, column.name) for column in Table.__table__.columns}
    for number in range(21):
        db.session.add(Table(**common | {"id": None, "token": f"{number}"}))
    db.session.commit()
    assert [table.token for table in list_tables(club.circle, closed=False)] == [f"{n}" for n in range(20, 0, -1)]


def test_a_table_is_read_with_the_browser_that_reads_it(club: Club) -> None:
    table, other_table = club.table(("Anne", "Bruno", 5), ("Anne", "Bruno", 3)), club.table(("Bruno", "Anne", 1))
    other = Club()
    watching = other.join(WATCH)
    club.join(WATCH, watching)
    found = read_table(club.secret, table.token)
    assert found is not None
    assert (found[0].token, found[0].version, balance(found[0])) == (table.token, 2, -8)
    assert found[1] is club.browser
    found = read_table(watching, other_table.token)
    assert found is not None
    assert (found[0].token, found[0].version) == (other_table.token, 1)
    assert (found[1].circle_id, found[1].right) == (club.id, WATCH)


def test_a_cached_table_is_read_in_one_statement(app: Flask, club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5), ("Anne", "Bruno", 3), ("Anne", "Bruno", 1))
    club.table(("Anne", "Bruno", 5), ("Anne", "Bruno", 3), ("Anne", "Bruno", 1))
    token = table.token
    club.read(table)
    with counted(app) as statements:
        read_table(club.secret, token)
        count_changes(club.secret, token)
    assert len(statements) == 2


def changes(secret: str, token: str) -> tuple[int, int, str]:
    found = count_changes(secret, token)
    assert found is not None
    return found[:3]


def test_a_table_is_read_by_devices_of_its_circle_only(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5), ("Anne", "Bruno", 3))
    empty = club.table()
    token = table.token
    other = Club()
    other.table()
    assert changes(club.secret, token) == (2, 0, GAME)
    assert changes(club.secret, empty.token) == (0, 0, GAME)
    for secret, sent in [(other.secret, token), ("none", token), (club.secret, "none"), (club.secret, "")]:
        assert read_table(secret, sent) is None
        assert count_changes(secret, sent) is None


def test_a_table_is_not_read_without_a_right(club: Club) -> None:
    token = club.table(("Anne", "Bruno", 5)).token
    secret = club.join(WATCH)
    removed = club.join(WATCH)
    assert changes(secret, token) == (1, 0, GAME)
    newest = db.session.scalars(db.select(Browser).order_by(Browser.id.desc())).first()
    assert newest is not None
    newest.revoked_at = now()
    db.session.commit()
    assert changes(secret, token) == (1, 0, GAME)
    assert (read_table(removed, token), count_changes(removed, token)) == (None, None)
    for link in db.session.scalars(db.select(Link).filter_by(right=WATCH)):
        link.revoked_at = now()
    db.session.commit()
    assert (read_table(secret, token), count_changes(secret, token)) == (None, None)
    assert changes(club.secret, token) == (1, 0, GAME)


# --- previews


def test_a_preview_scores_a_deal_and_stores_nothing(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    state = club.read(table)
    shown = preview(state, transfer("1", "2", 3))
    assert isinstance(shown, Preview)
    assert (shown.table.version, balance(shown.table), balance(state)) == (2, -8, -5)
    assert shown.standing is shown.table.standing
    newest = shown.table.revisions[-1]
    assert (newest.number, newest.deal, newest.browser_id, newest.entry_key) == (2, 2, 0, "")
    assert shown.row is shown.standing.rows[1]
    assert len(read_revisions(table)) == 1


def test_a_preview_of_a_withdrawal_has_no_row(club: Club) -> None:
    state = club.read(club.table(("Anne", "Bruno", 5), ("Anne", "Bruno", 3)))
    shown = preview(state, Change(revisions.WITHDRAW, 1))
    assert isinstance(shown, Preview)
    assert (shown.row, balance(shown.table)) == (None, -3)
    closed = preview(state, Change(revisions.CLOSE))
    assert isinstance(closed, Preview)
    assert closed.row is None
    amended = preview(state, replace(transfer("1", "2", 9), kind=revisions.AMEND, deal=1))
    assert isinstance(amended, Preview)
    assert amended.row is amended.standing.rows[0]
    assert balance(amended.table) == -12


def test_a_refusal_names_the_deal_that_breaks_a_rule(club: Club) -> None:
    state = club.read(club.table(("Anne", "Bruno", 5)))
    state = club.write(state, Change(revisions.WITHDRAW, 1)).table
    for change in (points(3), points(2), points(-4)):
        state = club.write(state, change).table
    below = Problem("adjustment.points", "below-zero", {"party": "ns", "has": 1})
    own = preview(state, points(-2))
    assert own == Refused(refuse(4, [below]), None, True)
    assert own.problems == (below,)
    below = Problem("adjustment.points", "below-zero", {"party": "ns", "has": 3})
    assert preview(state, Change(revisions.WITHDRAW, 4)) == Refused(refuse(2, [below]), RowName(ADJUSTMENT, 0), False)
    restored = preview(state, Change(revisions.AMEND, 3, body=points(-1).body))
    below = Problem("adjustment.points", "below-zero", {"party": "ns", "has": 0})
    assert restored == Refused(refuse(1, [below]), RowName(ADJUSTMENT, 0), True)


def test_the_phones_of_the_circle_are_known_by_number_and_name(club: Club) -> None:
    club.join(WATCH)
    known = club.read(club.table()).browsers
    assert [browser.number for browser in known.values()] == [1, 2]
    assert known[club.browser.id].name == club.browser.name


def test_those_at_a_table_are_read_without_those_at_others(club: Club) -> None:
    tables = [club.table(), club.table()]
    tokens = [table.token for table in tables]
    db.session.expunge_all()
    for token in tokens:
        found = read_table(club.secret, token)
        assert found is not None
        assert [player.seat for player in found[0].seated] == [*found[0].chairs]
