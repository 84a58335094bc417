"""Two requests at the same moment: what is acknowledged is done once, and nothing that one has read is outdated.

Both run in threads of one app. Each stops before its first write until the other is there too, or waits for its lock.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError, local
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import Engine, event, func, select

from scorekeeper.models import Membership, Payment, Player, Revision, Table, db
from scorekeeper.tables.caches import verify

from .support.visitor import NAMES, Visitor, filled_in

WAIT = 0.3  # seconds until a request goes on alone: the other waits for a lock that it holds
WRITES = ("INSERT", "UPDATE", "DELETE")
COOKIE = "scorekeeper"
DONE, STALE = 303, 409
OTHERS = {f"seat-{number}": name for number, name in enumerate(("Zoé", "Yann", "Ida", "Jan"), start=1)}

Send = Callable[[], int]  # sends a request, and returns its status


class Meeting:
    """Lets two threads meet once, before the first statement with which each of them writes or locks."""

    def __init__(self) -> None:
        self.barrier, self.of_thread = Barrier(2), local()

    def before(self, _connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        writes = statement.startswith(WRITES) or " FOR NO KEY UPDATE" in statement
        if writes and getattr(self.of_thread, "is_awaited", False):
            self.of_thread.is_awaited = False
            with suppress(BrokenBarrierError):
                self.barrier.wait(WAIT)

    def run(self, send: Send) -> int:
        self.of_thread.is_awaited = True
        return send()


def meet(*requests: Send) -> list[int]:
    """Send two requests at the same moment; return their statuses."""
    meeting = Meeting()
    event.listen(Engine, "before_cursor_execute", meeting.before)
    try:
        with ThreadPoolExecutor(2) as pool:
            statuses = list(pool.map(meeting.run, requests))
    finally:
        event.remove(Engine, "before_cursor_execute", meeting.before)
    assert max(statuses) < 500, statuses
    return statuses


class World:
    """A circle with two hosts' phones and a table after a robre, which somebody has to pay for."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.host, self.other = Visitor(app), Visitor(app)
        self.table = self.host.open_table("whist").table
        for _ in range(4):
            self.host.record(tricks="ns-5")
        self.home = self.host.circle
        self.link = self.host.link("score")
        self.other.join(self.host.link("host"))

    def ready(self, visitor: Visitor, page: str, action: str | None = None, css: str = "", **changed: str) -> Send:
        """Fill in a form as it is now; what is returned sends it, with the phone's cookies of now."""
        form = visitor.visit(page).find(css) if css else visitor.visit(page).form(action)
        data, path = filled_in(form) | changed, str(form.get("action", visitor.path))
        cookie = visitor.client.get_cookie(COOKIE)
        assert cookie is not None

        def send() -> int:
            client = self.app.test_client()
            client.set_cookie(COOKIE, cookie.value)
            return client.post(path, data=data, headers=visitor.headers).status_code

        return send

    def deal(self, visitor: Visitor, tricks: str = "ew-3") -> Send:
        return self.ready(visitor, f"{self.table}deals/new", tricks=tricks, do="record")

    def person(self, name: str) -> str:
        """Return the path of a person's page."""
        link = self.host.visit(f"{self.home}people").find(f".roll a.who:-soup-contains('{name}')")
        return f"{self.home}people/{str(link['href']).rpartition('/')[2]}"

    def count(self, model: Any, *conditions: Any) -> int:
        with self.app.app_context():
            return db.session.scalar(select(func.count()).select_from(model).where(*conditions)) or 0

    @property
    def tricks(self) -> list[int]:
        """The tricks of North–South of each deal at the table."""
        return [deal["tricks"]["ns"] for deal in self.host.visit(self.table).export()["deals"]]


@pytest.fixture
def world(app: Flask) -> Iterator[World]:
    yield World(app)
    with app.app_context():
        assert verify().faults == []


def swapped(requests: tuple[Send, Send], *, is_swapped: bool) -> tuple[Send, Send]:
    return requests[::-1] if is_swapped else requests


def test_of_two_deals_at_once_one_is_recorded_and_the_other_hears_of_it(world: World) -> None:
    statuses = meet(world.deal(world.host, "ns-1"), world.deal(world.other, "ns-2"))
    assert sorted(statuses) == [DONE, STALE]
    assert world.tricks == [11] * 4 + [7 + statuses.index(DONE)]


def test_the_same_form_sent_twice_is_recorded_once_and_acknowledged_twice(world: World) -> None:
    assert meet(*[world.deal(world.host)] * 2) == [DONE, DONE]
    assert world.tricks == [11] * 4 + [4]


def test_the_same_key_with_two_contents_records_one_of_them(world: World) -> None:
    send = world.ready(world.host, f"{world.table}deals/new", tricks="ns-1", do="record", key="same key")
    other = world.ready(world.host, f"{world.table}deals/new", tricks="ns-2", do="record", key="same key")
    statuses = meet(send, other)
    assert sorted(statuses) == [DONE, STALE]
    assert world.tricks == [11] * 4 + [7 + statuses.index(DONE)]


def test_a_correction_and_a_deal_are_recorded_or_refused_as_they_are_answered(world: World) -> None:
    correction = world.ready(world.other, f"{world.table}deals/1/amend", tricks="ns-4", do="record")
    statuses = meet(correction, world.deal(world.host))
    assert DONE in statuses
    assert world.tricks == [10 if statuses[0] == DONE else 11] + [11] * 3 + [4] * (statuses[1] == DONE)


def test_of_a_new_house_rule_and_a_deal_at_once_one_is_recorded_and_the_other_hears_of_it(world: World) -> None:
    new_rule = world.ready(world.other, f"{world.table}deals/terms", **{"rule-robre_points": "4"})
    statuses = meet(new_rule, world.deal(world.host))
    assert sorted(statuses) == [DONE, STALE]
    *_, last = world.host.visit(world.table).export()["deals"]
    assert ("terms" in last) == (statuses[0] == DONE)


def test_a_deal_is_not_recorded_at_a_table_that_is_closed_first(world: World) -> None:
    statuses = meet(world.ready(world.other, f"{world.table}more", "/close"), world.deal(world.host))
    assert DONE in statuses
    assert len(world.tricks) == 4 + (statuses[1] == DONE)
    numbers = world.count(Revision)
    assert numbers == 4 + statuses.count(DONE)


def test_a_removed_deal_comes_back_once_beside_another_that_is_recorded(world: World) -> None:
    world.host.visit(f"{world.table}deals/4").send({}, "/withdraw")
    restored = world.ready(world.other, f"{world.table}deals/4", "/restore")
    statuses = meet(restored, world.deal(world.host))
    assert DONE in statuses
    assert sorted(world.tricks) == sorted([11] * (3 + (statuses[0] == DONE)) + [4] * (statuses[1] == DONE))


def test_what_is_due_is_paid_once_by_two_phones(world: World) -> None:
    pay = [world.ready(phone, f"{world.home}settlement", css=".due form.pay") for phone in (world.host, world.other)]
    assert sorted(meet(*pay)) == [DONE, STALE]
    assert world.count(Payment) == 1


def test_a_payment_beside_a_correction_stands_and_the_rest_is_right(world: World) -> None:
    pay = world.ready(world.host, f"{world.home}settlement", css=".due form.pay")
    statuses = meet(pay, world.ready(world.other, f"{world.table}deals/4", "/withdraw"))
    assert statuses[1] == DONE
    assert world.count(Payment) == (statuses[0] == DONE)


@pytest.mark.parametrize("is_swapped", [False, True])
def test_nobody_gets_two_seats_by_a_merge_while_a_table_is_opened(world: World, *, is_swapped: bool) -> None:
    world.host.open_table("whist", **OTHERS)
    into = world.person("Yann").rpartition("/")[2]
    merge = world.ready(world.host, world.person("Zoé"), "/merge", into=into)
    seats = {f"seat-{number}": name for number, name in enumerate(("Zoé", "Fanny", "Yann", "Hugo"), start=1)}
    opened = world.ready(world.other, "/tables/new/whist", **seats)
    statuses = meet(*swapped((merge, opened), is_swapped=is_swapped))
    assert statuses.count(DONE) == 1, statuses
    assert world.count(Table) == 2 + (statuses[1 - is_swapped] == DONE)


@pytest.mark.parametrize("is_swapped", [False, True])
def test_an_erased_name_is_gone_though_a_deal_of_theirs_is_recorded(world: World, *, is_swapped: bool) -> None:
    table = world.table = world.host.open_table("whist", **OTHERS).table
    erase = world.ready(world.other, f"{world.person('Zoé')}/erase", "/erase", typed="Zoé")
    assert DONE in meet(*swapped((erase, world.deal(world.host)), is_swapped=is_swapped))
    assert world.count(Player, Player.name == "Zoé") == 0
    assert "Zoé" not in world.host.visit(table).text


def test_a_phone_that_taps_join_twice_has_joined_once(world: World) -> None:
    newcomer, before = Visitor(world.app), world.count(Membership)
    newcomer.visit(world.link)
    join = world.ready(newcomer, world.link, css="form[action^='/join/']")
    meet(join, join)
    assert world.count(Membership) == before + 1


def test_a_phone_records_nothing_once_its_removal_is_acknowledged(world: World) -> None:
    newcomer = Visitor(world.app).join(world.link)
    remove = world.ready(world.host, f"{world.home}links", "/phones/3/end")
    statuses = meet(remove, world.deal(newcomer))
    assert statuses[0] == DONE
    assert len(world.tricks) == 4 + (statuses[1] == DONE)
    assert newcomer.visit(world.table).status == 404


def test_sheets_are_imported_once_by_a_form_sent_twice(world: World) -> None:
    sheet = {"format": "scorekeeper-sheet/1", "game": "whist", "players": list(NAMES[:4]), "title": "Once", "deals": []}
    page, host = f"{world.home}import", world.host
    token = filled_in(host.visit(page).form())["csrf_token"]
    upload = {"csrf_token": token, "sheets": (io.BytesIO(json.dumps(sheet).encode()), "sheet.json")}
    host.receive(host.client.post(page, data=upload, headers=host.headers))
    data, client = filled_in(host.form()) | {"do": "record"}, host.client
    cookie = client.get_cookie(COOKIE)
    assert cookie is not None

    def send() -> int:
        again = world.app.test_client()
        again.set_cookie(COOKIE, cookie.value)
        return again.post(page, data=data, headers=host.headers).status_code

    assert DONE in meet(send, send)
    assert world.count(Table, Table.title == "Once") == 1
