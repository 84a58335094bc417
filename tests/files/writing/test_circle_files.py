"""A circle's file: the same bytes after an import, the same pages, and every spoiled file refused with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from sqlalchemy import func, select, update

from scorekeeper.circles.lifecycle import TEXTS, change_setting, erase_circle
from scorekeeper.db.outcome import Done
from scorekeeper.evenings.tonight import Ticks, set_present
from scorekeeper.files import circle_transfer
from scorekeeper.files.circle_transfer import import_circle
from scorekeeper.models import Link, Membership, Payment, Player, Table, db
from scorekeeper.money.ledger import EVERYTHING, Scope
from scorekeeper.money.payments import confirm, withdraw
from scorekeeper.money.reading import read_ledger
from scorekeeper.people import erasure, writing
from scorekeeper.scoring.currency import coin
from scorekeeper.standings.reading import list_years
from scorekeeper.tables import revisions
from scorekeeper.tables.caches import rebuild, verify
from scorekeeper.tables.details import change_details, read_details
from scorekeeper.tables.revisions import Change
from scorekeeper.tables.turns import Newcomer, substitute

from ...support.apps import open_app
from ...support.club import CENT, DAY, EUROS, FRANCS, Club, change_payment
from ...support.databases import Databases
from ...support.statements import count_rows
from ...tables.states import transfer
from ..importing import World, exported, import_random_sheets, imported, problems_of, spoil, written


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[World]:
    url = databases.make(tmp_path_factory.mktemp("circle-files"))
    with open_app(url) as app, app.app_context():
        club = Club()
        play_and_correct(club)
        live_on(club)
        yield World(app, club, exported(club.circle))
    databases.drop(url)


def play_and_correct(club: Club) -> None:
    """Play tables of every game, correct deals, merge two names of a person, and pay parts on several evenings."""
    club.table(("Hélène", "Ignace", 3), names=("Élise", "Fanny", "Hélène", "Ignace"))
    table = club.table(("Anne", "Bruno", 3), ("David", "Bruno", 4), value=EUROS)
    state = club.write(club.read(table), Change(revisions.AMEND, 1, body=transfer("1", "3", 7).body)).table
    state = club.write(state, Change(revisions.WITHDRAW, 2)).table
    state = club.write(state, Change(revisions.RESTORE, 2, body=transfer("4", "2", 4).body)).table
    state = club.write(state, transfer("2", "1", 9)).table
    undoable = revisions.find_last_undoable(state.revisions)
    assert undoable is not None
    club.write(state, revisions.build_undo(state.deals, undoable))
    import_random_sheets(club.membership, 30, DAY + timedelta(days=7), apart=3)
    club.table(("Gas", "Ignace", 3), names=("Élise", "Fanny", "Gas", "Ignace"))
    club.merge("Gas", "David")
    assert writing.rename(club.player("Élise"), "Élise la Grande") is None
    for scope in (Scope(table=table.id), Scope(day=DAY), EVERYTHING):
        for key, account in read_ledger(club.circle).read_accounts(scope).items():
            for due in account.plan()[:2]:
                half = due.amount // coin(key) // 2 * coin(key)
                club.pay(due.giver, due.taker, half or due.amount, scope, account=key)
    change_payment(club.payments()[-1], withdraw, club.membership)
    club.pay("Anne", None, CENT, account="EUR", method="transfer", note="Float", paid_on=DAY)
    club.pay(None, None, CENT, account="EUR", kind="expense", note="Room")


def live_on(club: Club) -> None:
    """Do the rest: settings, confirmations, counts, and names that are erased."""
    circle, membership, bruno = club.circle, club.membership, club.player("Bruno")
    for name in TEXTS:
        change_setting(circle, name, "Les « vendredis » d’Anne", membership)
    change_setting(circle, "time_zone", "America/Vancouver", membership)
    change_setting(circle, "confirms_payments", True, membership)
    change_setting(circle, "shows_ratings", True, membership)
    take_turns_at_a_seat(club)
    assert set_present(circle, Ticks(None, {club.player("Anne").id, bruno.id}, set(), "", {}), membership) is None
    table = club.table(("Bruno", "David", 30), value=FRANCS)
    table.place, table.note, table.title = "Café", "Two lines:\n“quoted”", "Finale"
    table.entry_key = "page-1"
    db.session.commit()
    held = {"start": {"fiches": 50}, "held": {seat: {"fiches": 50} for seat in "1234"}}
    club.write(club.read(table), Change(revisions.COUNT, body=held))
    due = read_ledger(circle).read_accounts(EVERYTHING)["CHF"].plan()[0]
    paid = club.pay(due.giver, due.taker, due.amount, account="CHF")
    details = read_details(table)
    assert change_details(table, replace(details, turns="deal"), details.seen, membership) == Done(None)
    change_payment(paid, confirm, membership)
    writing.set_banker(circle, bruno.id, membership)
    writing.set_cashier(circle, bruno.id, membership)
    writing.set_retired(club.player("Fanny"), True, membership)
    bruno.iban = "DE89370400440532013000"
    bruno.payment_link = "https://paypal.me/bruno/{amount}"
    membership.name, membership.player_id = "Küche", bruno.id
    db.session.commit()
    assert erasure.erase(club.player("Ignace"), by=membership) is None
    rebuild()  # the title was set without its service
    db.session.remove()


def take_turns_at_a_seat(club: Club) -> None:
    """Play a deal at a table on which somebody takes a seat, and withdraw that of another."""
    stored = club.table(names=("Rita", "Sam", "Tom", "Uwe"))
    for chair, name in (("2", "Bruno"), ("3", "Vera")):
        table = club.read(stored)
        change, newcomer, key = Change(revisions.RECORD), Newcomer(name=name), f"turn-{chair}"
        assert isinstance(substitute(table, change, chair, newcomer, table.seen, key, club.membership), Done)
    club.write(club.read(stored), Change(revisions.RECORD, body={"tricks": {"ns": 8, "ew": 5}}))
    club.write(club.read(stored), Change(revisions.WITHDRAW, 2))


@pytest.mark.parametrize("size", [circle_transfer.COMMIT_SIZE, 1])
def test_the_file_of_an_imported_circle_is_the_same(world: World, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(circle_transfer, "COMMIT_SIZE", size)
    circle = imported(world.content, world.club.secret)
    assert exported(circle) == world.content
    circle_id = circle.id
    assert verify().faults == []
    erase_circle(circle_id)


def test_every_page_and_export_of_an_imported_circle_is_the_same(world: World) -> None:
    circle, original = imported(world.content, world.club.secret), world.club.circle
    bruno = db.session.scalars(select(Player).where(Player.circle_id == circle.id, Player.name == "Bruno")).one()
    db.session.execute(update(Membership).where(Membership.circle_id == circle.id).values(player_id=bruno.id))
    db.session.commit()  # both phones are Bruno's
    client = world.app.test_client()
    with client.session_transaction() as session:
        session["device"] = world.club.secret
    pages = ["tables", "figures", "people", "settlement", "payments", "deals.csv", "entries.csv", "payments.csv"]
    pages += ["balances.csv", "players.csv", "ledger.beancount", "ledger.hledger"]
    for page in pages:
        texts = [seen(client, f"/circles/{name}/{page}") for name in (original.token, circle.token)]
        assert texts[0] == texts[1], page
        assert texts[0][0] == 200, page
    tokens = [
        list(db.session.scalars(select(Table.token).where(Table.circle_id == id_).order_by(Table.id)))
        for id_ in (original.id, circle.id)
    ]
    for one, other in list(zip(*tokens, strict=True))[-6:]:
        for page in ("changes", "recap", "journal", "print"):
            texts = [seen(client, f"/tables/{token}/{page}") for token in (one, other)]
            assert texts[0] == texts[1], page
            assert texts[0][0] == 200, page
    totals = [list_years(each) for each in (original, circle)]
    assert totals[0] == totals[1]
    erase_circle(circle.id)


def seen(client: Any, path: str) -> tuple[int, str]:
    with client.application.app_context():  # each request has its own `g`
        answer = client.get(path)
    page = BeautifulSoup(answer.get_data(as_text=True), "html.parser").find("main")
    return answer.status_code, page.get_text() if page is not None else answer.get_data(as_text=True)


def test_an_imported_circle_has_one_phone_and_new_links(world: World) -> None:
    circle = imported(world.content, "a new phone")
    rights = db.session.scalars(
        select(Membership.right).where(Membership.circle_id == circle.id).order_by(Membership.number)
    )
    assert list(rights) == [None, "host"]
    assert db.session.scalar(select(func.count()).where(Link.circle_id == circle.id)) == 3
    assert circle.token != world.club.circle.token
    assert exported(circle) == world.content
    erase_circle(circle.id)


def test_a_file_sent_twice_by_one_page_is_imported_once(world: World) -> None:
    first, again = (imported(world.content, "phone", "page") for _ in range(2))
    assert first.id == again.id
    other = world.content.replace(b": ", b":  ", 1)
    others = [imported(world.content, "phone", "another"), imported(other, "phone", "page")]
    assert len({first.id, *(other.id for other in others)}) == 3
    for circle in (first, *others):
        erase_circle(circle.id)


# --- files that are refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "value", "field"),
    [
        ("format", "scorekeeper-circle/2", "format"),
        ("circle.title", "x" * 81, "circle.title"),
        ("players.1", 7, "players.1"),
        ("players.2.name", " ", "players.2.name"),
        ("players.2.name", "Anne", "players"),
        ("players.1.is_banker", "yes", "players.1.is_banker"),
        ("players.2.person", 99, "players.2.person"),
        ("players.2.token", "x", "players.2.token"),
        ("memberships.1.player", 99, "memberships.1.player"),
        ("memberships.1.number", 2**40, "memberships.1.number"),
        ("tables.3.game", "poker", "tables.3.game"),
        ("tables.1.seats.1.player", 2, "tables.1.seats"),
        ("tables.3.seats", [], "tables.3.players"),
        ("tables.3.seats.1.is_substitute", True, "tables.3.seats"),
        ("tables.3.dealer", "9", "tables.3.dealer"),
        ("tables.3.house_rules", {"stake": "high"}, "tables.3.house_rules.stake"),
        ("tables.3.value_currency", "XXX", "tables.3.value"),
        ("tables.3.day", "2025-02-30", "tables.3.day"),
        ("tables.3.revisions.1.membership", 9, "tables.3.revisions.1.membership"),
        ("tables.3.revisions.1.kind", "steal", "tables.3.revisions.1.kind"),
        ("tables.3.revisions.1.body", {"tricks": {"ns": 99}}, "tables.3.revisions.1.body"),
        ("tables.3.revisions.1.body", ..., "tables.3.revisions.1.body"),
        ("tables.3.revisions.1.deal", 2, "tables.3.revisions.1.deal"),
        ("tables.3.revisions.1.undoes", 1, "tables.3.revisions.1.undoes"),
        ("payments.1.amount", "-5", "payments.1.amount"),
        ("payments.1.amount", "9" * 25, "payments.1.amount"),
        ("payments.1.taker", 99, "payments.1.taker"),
        ("payments.1.table", 999, "payments.1.table"),
        ("payments.1.kind", "expense", "payments.1.kind"),
        ("payments.1.kind", "gift", "payments.1.kind"),
        ("payments.1.account", "gold!", "payments.1.account"),
        ("payments.1.withdrawn_at", "2026-11-20T21:00:00Z", "payments.1.withdrawn_by"),
        ("payments.2.entry_key", "a\nb", "payments.2.entry_key"),
    ],
)
def test_a_spoiled_file_is_refused_with_its_place(world: World, where: str, value: object, field: str) -> None:
    document = world.document
    spoil(where, value)(document)
    problems = problems_of(document)
    assert any(problem.field.startswith(field) for problem in problems), problems


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"", "circle-not-as-exported"),
        (b"[]", "an-object"),
        (b'{"format": "scorekeeper-sheet/1"}', "one-of"),
        (b'{"format": "scorekeeper-circle/1", "players": {}}', "a-list"),
        (b'{"format": "scorekeeper-circle/1", "circle": {"title": "a", "title": "b"}}', "circle-not-as-exported"),
        (b'{"format": "\xff"}', "circle-not-as-exported"),
    ],
)
def test_what_is_no_circle_is_refused(content: bytes, key: str) -> None:
    assert problems_of(content)[0].key == key


def test_a_file_that_is_cut_off_is_refused(world: World) -> None:
    assert [problem.key for problem in problems_of(world.content[:-9])] == ["circle-not-as-exported"]


@pytest.mark.parametrize("size", [1, 10**6])
def test_an_import_that_is_interrupted_leaves_nothing(world: World, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    before = count_rows(world.app)
    monkeypatch.setattr(circle_transfer, "COMMIT_SIZE", size)
    monkeypatch.setattr(circle_transfer, "rebuild_circle", _interrupt)
    with pytest.raises(KeyboardInterrupt):
        import_circle(world.content)
    assert count_rows(world.app) == before


def _interrupt(*_arguments: object) -> None:
    raise KeyboardInterrupt


def test_names_are_cleaned_and_nothing_reaches_another_circle(world: World) -> None:
    document = world.document
    document["players"][0]["name"] = "  Zoé\u202e\n"
    circle = imported(written(document))
    names = db.session.scalars(select(Player.name).where(Player.circle_id == circle.id))
    assert "Zoé" in set(names)
    of_circle = db.session.scalars(select(Payment.circle_id).where(Payment.circle_id == circle.id))
    assert len(list(of_circle)) == len(document["payments"])
    circle_id = circle.id
    assert verify().faults == []
    erase_circle(circle_id)
