"""Notices: each phone chooses, and a push service on this machine receives what it has chosen and may still have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from babel.dates import format_date
from flask import Flask

from scorekeeper.i18n import LANGUAGES, catalogue
from scorekeeper.models import NoticeSubscription, db, now
from scorekeeper.notices import push_services
from scorekeeper.site.occasions import read_kinds
from scorekeeper.site.time_zones import find_evening

from ..support.visitor import Visitor
from .push_service import Phone, PushService, running_service

NEXT = find_evening(now(), None) + timedelta(days=7)
FIVE = ("Anne", "Bruno", "Chloé", "David", "Emma")


class Executor(ThreadPoolExecutor):
    """Knows what it was given, so that a test can wait until all of it is done."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[Future[Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.given.append(super().submit(fn, *args, **kwargs))
        return self.given[-1]

    def wait(self) -> None:
        while self.given:
            self.given.pop().result(20)


@pytest.fixture
def service(app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PushService]:
    """A push service that the app asks although it is on this machine."""
    app.extensions["notices"] = Executor()
    monkeypatch.setattr(push_services, "is_public", lambda _address: True)
    with running_service(tmp_path) as service:
        monkeypatch.setattr(push_services, "HTTPS_PORT", service.port)
        yield service


@pytest.fixture
def host(visitor: Visitor) -> Visitor:
    return visitor.open_table("whist")


def choose(visitor: Visitor, phone: Phone | None, *kinds: str, who: str = "", **fields: str | None) -> Visitor:
    """Tick these kinds and save, as the page's script does for this phone."""
    page = visitor.visit(f"{visitor.circle}notices")
    ticked = {"kinds": list(kinds)}
    person = {"who": option_of(page, who)} if who else {}
    return page.send(ticked | (phone.fields if phone is not None else {}) | person | fields, "/notices")


def seat(visitor: Visitor, turns: str) -> Visitor:
    """Seat four of five people who are here; `turns` says after what they change places."""
    visitor.open_table("whist").more().send({}, "/close")
    visitor.come(*FIVE).visit(f"{visitor.circle}tonight?game=whist")
    return visitor.send({"turns": turns}, "/seat")


def pay(visitor: Visitor) -> str:
    """Record the first payment of the plan; return its receiver's name."""
    taker = visitor.visit(f"{visitor.circle}settlement").find(".due .taker").get_text(strip=True)
    visitor.send({}, form=visitor.find(".due form.pay"))
    return taker


def option_of(visitor: Visitor, name: str) -> str:
    return next(str(each["value"]) for each in visitor.page.select("#who option") if each.get_text() == name)


def member(app: Flask, host: Visitor, language: str = "en") -> Visitor:
    return Visitor(app, language).join(host.link("watch"))


def received(app: Flask, service: PushService, phone: Phone) -> list[str]:
    """Return the notices that a phone has received, once all is sent."""
    app.extensions["notices"].wait()
    return [" | ".join(filter(None, (each["title"], each["body"]))) for each in service.read(phone)]


def stored(app: Flask) -> int:
    with app.app_context():
        return db.session.query(NoticeSubscription).count()


# --- choosing ----------------------------------------------------------------------------------------------


def test_an_address_that_the_phone_has_renewed_takes_the_place_of_the_former(app: Flask, host: Visitor) -> None:
    former, renewed = Phone("https://localhost/1"), Phone("https://localhost/2")
    choose(host, former, "payment")
    other = member(app, host)
    choose(other, Phone("https://localhost/3"), "payment")
    token = host.client.get("/notices").get_json()["csrf_token"]
    answer = host.client.post("/notices", data=renewed.fields | {"csrf_token": token, "auth": ""})
    assert answer.status_code == 422
    assert host.client.post("/notices", data=renewed.fields | {"csrf_token": token}).status_code == 204
    with app.app_context():
        found = db.session.query(NoticeSubscription.endpoint, NoticeSubscription.kinds).all()
    assert sorted(map(tuple, found)) == [("https://localhost/2", ["payment"]), ("https://localhost/3", ["payment"])]


# --- what is sent ------------------------------------------------------------------------------------------


def test_who_comes_in_gets_a_notice_when_a_turn_has_ended(app: Flask, service: PushService, visitor: Visitor) -> None:
    table = seat(visitor, "deal").table
    emma, anne = service.new_phone(), service.new_phone()
    for phone, name in ((emma, "Emma"), (anne, "Anne")):
        choose(member(app, visitor), phone, "turn", who=name)
    visitor.visit(table).record(tricks="ns-2")
    assert received(app, service, emma) == ["It is your turn to come in"]
    assert service.read(emma)[0]["url"] == table.removeprefix("/")
    visitor.visit(table).send({}, "/turns")
    assert (received(app, service, anne), len(service.sent)) == ([], 1)


def test_who_has_waited_gets_a_notice_when_the_next_table_is_opened(
    app: Flask, service: PushService, visitor: Visitor
) -> None:
    table = seat(visitor, "").table
    phones = {name: service.new_phone() for name in FIVE}
    for name, phone in phones.items():
        choose(member(app, visitor), phone, "turn", who=name)
    visitor.visit(table).record(tricks="ns-2")
    visitor.visit(table).more().send({}, "/close")
    assert not any(received(app, service, phone) for phone in phones.values())
    visitor.visit(f"{visitor.circle}tonight?game=whist").send({}, "/seat")
    assert {name: len(received(app, service, phone)) for name, phone in phones.items()} == dict.fromkeys(FIVE, 0) | {
        "Emma": 1
    }
    assert service.read(phones["Emma"])[0]["url"] == visitor.table.removeprefix("/") != table


def test_the_receiver_of_a_payment_gets_a_notice_that_it_waits_and_nobody_else(
    app: Flask, service: PushService, host: Visitor
) -> None:
    host.play_robre()
    phones = {name: service.new_phone() for name in ("Anne", "Bruno", "Chloé", "David")}
    for name, phone in phones.items():
        choose(member(app, host), phone, "payment", who=name)
    pay(host)
    assert not any(received(app, service, phone) for phone in phones.values())  # it counts at once
    host.visit(f"{host.circle}settlement").send({}, "/confirmations")
    taker = pay(host)
    for name, phone in phones.items():
        assert received(app, service, phone) == (["A payment waits for your confirmation"] if name == taker else [])


def test_notices_of_an_evening_reach_all_who_want_them_with_its_time_in_their_language(
    app: Flask, service: PushService, host: Visitor
) -> None:
    english, french, without = service.new_phone(), service.new_phone(), service.new_phone()
    choose(member(app, host, language="en-GB"), english, "evening")
    choose(member(app, host, language="fr-FR"), french, "evening")
    choose(member(app, host), without, "payment")
    host.plan_evening(NEXT, place="at Bob’s")
    assert received(app, service, english) == [
        f"An evening is planned | {format_date(NEXT, 'EEEE d MMMM', 'en')}, 19:30"
    ]
    assert received(app, service, french)[0].startswith("Une soirée est prévue | ")
    assert received(app, service, without) == []
    assert host.visit("/" + service.read(french)[0]["url"]).status == 200


def test_what_is_recorded_while_the_server_stops_is_answered_as_recorded(
    app: Flask, service: PushService, host: Visitor
) -> None:
    choose(member(app, host), service.new_phone(), "evening")
    app.extensions["notices"].shutdown()
    host.plan_evening(NEXT)
    assert "/planned/" in host.path
    assert host.status == 200


def test_no_text_names_an_amount_or_anybody(app: Flask) -> None:
    with app.app_context():
        kinds = read_kinds()
    allowed = {"table": {"table", "seat"}, "evening": {"when"}}
    for language in LANGUAGES:
        said = [key for key in catalogue(language) if key.startswith("notices.said.")]
        assert {key.split(".")[2] for key in said} == kinds.keys()
        for key in said:
            text = catalogue(language)[key][0]
            assert {part.split("}")[0] for part in text.split("{")[1:]} == allowed.get(key.split(".")[2], set())


# --- what is not sent --------------------------------------------------------------------------------------


def test_a_phone_that_lost_its_access_gets_no_notice_until_it_has_joined_again(
    app: Flask, service: PushService, host: Visitor
) -> None:
    phone = service.new_phone()
    watcher = member(app, host)
    choose(watcher, phone, "evening")
    host.visit(f"{host.circle}links").send({}, "/links/watch/renew")
    host.plan_evening(NEXT)
    assert received(app, service, phone) == []
    watcher.join(host.link("watch"))
    host.plan_evening(NEXT, place="Bar")
    assert len(received(app, service, phone)) == 1


# --- the push service --------------------------------------------------------------------------------------


def test_a_push_service_gets_what_it_needs_and_cannot_read_the_rest(
    app: Flask, service: PushService, host: Visitor
) -> None:
    phone = service.new_phone()
    choose(member(app, host), phone, "evening")
    host.plan_evening(NEXT)
    received(app, service, phone)
    (sent,) = service.sent
    assert sent.headers["Content-Encoding"] == "aes128gcm"
    assert sent.headers["Urgency"] == "normal"
    assert 0 < int(sent.headers["TTL"]) <= 2 * 86_400
    assert sent.headers["Authorization"].startswith("vapid t=")
    assert len(sent.body) < 4_096
    (notice,) = service.read(phone)
    in_clear = b" ".join([sent.path.encode(), str(sent.headers).encode(), sent.body])
    assert [text for text in (notice["title"], notice["body"], notice["url"]) if text.encode() in in_clear] == []


def test_a_service_that_fails_loses_its_notice_and_one_that_knows_the_phone_no_more_ends_them(
    app: Flask, service: PushService, host: Visitor
) -> None:
    phone = service.new_phone()
    choose(member(app, host), phone, "evening")
    for status, left in ((500, 1), (410, 0)):
        service.answers.append((status, {}))
        host.plan_evening(NEXT, place=f"Bar {status}")
        received(app, service, phone)
        assert stored(app) == left
    assert len(service.sent) == 2
