"""An update that was rendered for one phone and is sent to another is what would be rendered for that one."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from flask import Flask
from sqlalchemy import select

from scorekeeper.i18n import LANGUAGES, choose_locale
from scorekeeper.models import Browser, Player, Table, db
from scorekeeper.services.access import links
from scorekeeper.services.access.devices import hash_secret
from scorekeeper.services.people import erasure, people
from scorekeeper.web.support import rendered_updates
from scorekeeper.web.support.live_updates import Recipient
from scorekeeper.web.support.rendered_updates import RenderedUpdates, Update
from scorekeeper.web.support.sessions import DEVICE
from scorekeeper.web.tables import live, table

from ...game_data import data
from ...statements import counted
from ...visitor import Visitor, filled_in, find

READS = 2  # statements of an update that has been rendered: what has changed, and names
DISPLAYS = 3  # at the end of all readers: the display page's
_OWN = re.compile(r'name="(csrf_token|key)" value="([^"]*)"')


@pytest.fixture(autouse=True)
def updates(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Begin without rendered updates and parts; yield a function that drops them all."""

    def drop() -> None:
        monkeypatch.setattr("scorekeeper.web.tables.live.rendered_updates", RenderedUpdates())
        table._row_html.clear()
        table._part_html.clear()

    drop()
    yield drop
    drop()


@dataclass
class Reader:
    visitor: Visitor
    path: str
    shows_flags: bool = True

    def recipient(self) -> Recipient:
        """Return for whom an update is rendered."""
        with self.visitor.client.session_transaction() as session:
            secret_hash = hash_secret(session[DEVICE])
        return Recipient(secret_hash, choose_locale((self.visitor.headers["Accept-Language"],)))

    def update(self, seen: int) -> str:
        """Return the update since a revision, with its token and key."""
        tag = f'"{seen}-99"' if self.shows_flags else f'"{seen}"'
        answer = self.visitor.client.get(self.path, headers=self.visitor.headers | {"If-None-Match": tag})
        assert answer.status_code == 200
        return answer.get_data(as_text=True)


def without_own(update: str) -> str:
    return _OWN.sub(r"\1", update)


def contents_of(shown: Tag) -> str:
    for own in shown.select("[name=csrf_token], [name=key]"):
        own["value"] = ""
    return shown.decode_contents()


class Host(Visitor):
    """The first phone, which is also at other pages than the table's, `at`."""

    at = ""


def phone(app: Flask, host: Host, right: str, language: str, seat: str = "") -> Visitor:
    visitor = Visitor(app, language)
    visitor.join(host.link(right))
    visitor.visit(host.at)
    if seat:
        visitor.send({"seat": seat}, "/me")
    return visitor


def opened(app: Flask, game: str) -> Host:
    visitor = Host(app)
    visitor.open_table(game)
    visitor.at = visitor.table
    return visitor


@pytest.fixture
def host(app: Flask) -> Host:
    return opened(app, "whist")


def readers_of(app: Flask, host: Host) -> list[Reader]:
    phones = [
        host,
        *(phone(app, host, right, "en") for right in ("score", "score", "watch", "watch", "host")),
        *(phone(app, host, "score", language) for language in ("en-CA", "fr", "fr-CA", "de", "de")),
        *(phone(app, host, "score", "en", seat) for seat in ("1", "1", "2", "3")),
        phone(app, host, "watch", "fr", "2"),
    ]
    now = f"{host.at}now"
    return [
        *(Reader(visitor, now) for visitor in phones),
        *(Reader(visitor, now, shows_flags=False) for visitor in (phones[1], phones[3])),
        *(Reader(visitor, f"{now}?page=display", shows_flags=False) for visitor in (phones[1], phones[12], phones[14])),
    ]


def record(host: Host) -> None:
    taps = {"tricks": "ns-3"} | {"tricks-2": "3", "tricks-3": "2", "tricks-4": "1", "welche": "hidden"}
    host.visit(host.at).record(**taps)


def press(host: Host, action: str) -> None:
    host.visit(f"{host.at}")
    fields = filled_in(host.find("form:has([name=seen])"))
    seen = host.find("[data-seen]")["data-seen"]
    answer = host.client.post(f"{host.at}{action}", data=fields | {"key": f"{action}-{seen}"})
    assert answer.status_code == 303


def at_database(change: Callable[[Player, Browser], object]) -> Callable[[Flask, Host], None]:
    def work(app: Flask, _host: Host) -> None:
        with app.app_context():
            named = db.session.scalars(select(Player).order_by(Player.id)).first()
            browser = db.session.scalars(select(Browser).order_by(Browser.id)).first()
            assert named is not None
            assert browser is not None
            change(named, browser)

    return work


def restored(app: Flask, _host: Host) -> None:
    """Change what a backup would bring back: as many revisions, the last one another."""
    with app.app_context():
        last = db.session.scalars(select(Table)).one().revisions[-1]
        last.entry_key, last.kind = "another", "reopen"
        db.session.commit()


CHANGES: dict[str, Callable[[Flask, Host], object]] = {
    "deal": lambda _, host: record(host),
    "flag": lambda _, host: host.visit(f"{host.at}deals/1/flag").send({"comment": "It was four"}),
    "resolve": lambda _, host: host.visit(f"{host.at}settlement").send({}, "/resolve"),
    "rename a player": at_database(lambda player, _: people.rename(player, "Zoé & <b>")),
    "rename a phone": at_database(lambda _, browser: links.rename_browser(browser, "Our <tablet>", browser)),
    "seat": lambda _, host: host.visit(host.at).send({"seat": "4"}, "/me"),
    "undo": lambda _, host: press(host, "undo"),
    "deal again": lambda _, host: record(host),
    "erase a name": at_database(lambda player, _: erasure.erase(player)),
    "close": lambda _, host: press(host, "close"),
    "restore": restored,
}


def pushed(app: Flask, host: Host, readers: list[Reader]) -> list[str]:
    """Return what the streams of tables' pages bring, without a token and a key."""
    recipients = [reader.recipient() for reader in readers[: len(readers) - DISPLAYS]]
    found = live._render_for(app, host.at.split("/")[2], 0, recipients)
    updates = [zlib.decompress(b64decode(found[recipient])).decode() for recipient in recipients]
    assert {value for update in updates for _, value in _OWN.findall(update)} == {""}
    return [without_own(update) for update in updates]


def compare(app: Flask, host: Host, drop: Callable[[], None]) -> None:
    """After each change, compare what every reader gets, at first and again, with what is rendered anew."""
    readers = readers_of(app, host)
    before = [""] * len(readers)
    for name, change in CHANGES.items():
        change(app, host)
        first = [without_own(reader.update(0)) for reader in readers]
        second = [without_own(reader.update(0)) for reader in readers]
        fresh = []
        for reader in readers:
            drop()
            fresh.append(without_own(reader.update(0)))
        assert first == second == fresh, name
        drop()
        assert pushed(app, host, readers) == fresh[: len(readers) - DISPLAYS], name
        assert first != before, name
        before = first


def test_an_update_rendered_for_another_phone_is_what_would_be_rendered_anew(
    app: Flask, host: Host, updates: Callable[[], None]
) -> None:
    compare(app, host, updates)


def test_so_is_an_update_in_a_game_without_sides(app: Flask, updates: Callable[[], None]) -> None:
    compare(app, opened(app, "francion"), updates)


@pytest.mark.parametrize("seats", [("", ""), ("1", "2")], ids=["without an owner", "of those who sit"])
def test_phones_of_the_same_right_and_language_share_an_update(app: Flask, host: Host, seats: tuple[str, str]) -> None:
    record(host)
    first, alike = (phone(app, host, "score", "en", seat) for seat in seats)
    others = [phone(app, host, "watch", "en", seats[0]), phone(app, host, "score", "fr", seats[1])]
    others.append(phone(app, host, "score", "en", "" if seats[0] else "1"))
    Reader(first, f"{host.at}now").update(0)
    for visitor, is_alike in ((alike, True), *((other, False) for other in others)):
        with counted(app) as statements:
            Reader(visitor, f"{host.at}now").update(0)
        assert (len(statements) == READS) is is_alike


@pytest.mark.parametrize(("game", "deals"), data("deals").items())
def test_an_update_shows_what_the_page_shows_wherever_its_reader_sits(
    app: Flask, game: str, deals: list[dict[str, str]]
) -> None:
    host = opened(app, game)
    host.record(**dict(tap.split("=") for tap in deals[0]["taps"].split()))
    for language in LANGUAGES:
        shown = set()
        for seat in ("", "1", "2", "3"):
            reader = phone(app, host, "score", language, seat)
            page = contents_of(reader.visit(host.at).find("[data-seen]"))
            update = BeautifulSoup(Reader(reader, f"{host.at}now").update(1), "lxml")
            assert contents_of(find(update, "[data-now]")) == page, (language, seat)
            assert find(update, "title") == reader.find("title")
            shown.add(page)
            display = BeautifulSoup(Reader(reader, f"{host.at}now?page=display", False).update(1), "lxml")
            flat = contents_of(reader.visit(f"{host.at}display").find("[data-seen]"))
            assert contents_of(find(display, "[data-now]")) == flat, (language, seat)
        assert len(shown) == 4


def test_the_phone_of_somebody_whose_chair_another_has_taken_shows_the_table_unturned(app: Flask, host: Host) -> None:
    out, unowned = phone(app, host, "score", "en", "2"), phone(app, host, "score", "en")
    record(host)
    host.visit(f"{host.at}deals/substitution").send({"out": "2", "name": "Zoé"})
    assert "Zoé" in host.visit(host.at).text
    updates = [without_own(Reader(visitor, f"{host.at}now").update(2)) for visitor in (out, unowned)]
    assert updates[0] == updates[1]


def test_each_phone_has_its_own_token_and_key_in_an_update(app: Flask, host: Host) -> None:
    record(host)
    phones = [phone(app, host, "score", "en") for _ in range(3)]
    found = [_OWN.findall(Reader(each, f"{host.at}now").update(0)) for each in phones]
    values = [value for update in found for _, value in update]
    assert all("\0" not in value and value for value in values)
    keys = [{value for name, value in update if name == "key"} for update in found]
    assert all(len(of_one) == 1 for of_one in keys)
    assert len(set().union(*keys)) == len(phones)
    for each, update in zip(phones, found, strict=True):
        token = next(value for name, value in update if name == "csrf_token")
        answer = each.client.post(f"{host.at}me", data={"csrf_token": token, "seat": ""})
        assert answer.status_code == 303


def test_a_phone_that_may_only_watch_from_now_on_gets_no_buttons(app: Flask, host: Host) -> None:
    record(host)
    scorer, watcher = (phone(app, host, right, "en") for right in ("score", "watch"))
    assert 'class="bar"' in Reader(scorer, f"{host.at}now").update(0)
    assert 'class="bar"' not in Reader(watcher, f"{host.at}now").update(0)
    assert 'class="bar"' in Reader(scorer, f"{host.at}now").update(0)


def test_a_phone_without_access_gets_no_update_that_was_rendered_for_another(app: Flask, host: Host) -> None:
    record(host)
    Reader(host, f"{host.at}now").update(0)
    for stranger in (Visitor(app), Visitor(app).open_table("whist")):
        assert stranger.client.get(f"{host.at}now", headers={"If-None-Match": '"0-0"'}).status_code == 404


def test_rendered_updates_have_a_maximum_size(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    record(host)
    shelf = RenderedUpdates()
    monkeypatch.setattr("scorekeeper.web.tables.live.rendered_updates", shelf)
    update = Reader(host, f"{host.at}now").update(0)
    monkeypatch.setattr(rendered_updates, "MAX_CHARACTERS", 3 * len(update))
    for seen in (5, 6, 7, 8, 9, 5):
        Reader(host, f"{host.at}now").update(seen)
    assert shelf._characters == sum(update.size for update in shelf._updates.values()) <= 3 * len(update)
    assert 2 <= len(shelf._updates) <= 4


class NotedEvent(Event):
    """An event that notes that somebody waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.is_awaited = Event()

    def wait(self, timeout: float | None = None) -> bool:
        self.is_awaited.set()
        return super().wait(timeout)


@pytest.mark.parametrize("fails", [False, True], ids=["it succeeds", "it fails"])
def test_requests_at_the_same_moment_render_an_update_once_unless_that_fails(
    app: Flask, host: Host, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    record(host)
    scorers = [Reader(phone(app, host, "score", "en"), f"{host.at}now") for _ in range(2)]
    expected = without_own(scorers[0].update(0))
    shelf = RenderedUpdates()
    monkeypatch.setattr("scorekeeper.web.tables.live.rendered_updates", shelf)
    monkeypatch.setattr(rendered_updates, "Event", NotedEvent)
    rendered, begun, updates, render = [], Event(), [], live._render

    def render_slowly(*args: Any) -> Update:
        rendered.append(args)
        if len(rendered) == 1:
            (waited_for,) = shelf._being_rendered.values()
            assert isinstance(waited_for, NotedEvent)
            begun.set()
            assert waited_for.is_awaited.wait(10)
            if fails:
                raise RuntimeError
        return render(*args)

    def read(reader: Reader) -> None:
        with suppress(RuntimeError):  # of the one that fails
            updates.append(without_own(reader.update(0)))

    monkeypatch.setattr(live, "_render", render_slowly)
    threads = [Thread(target=read, args=(reader,)) for reader in scorers]
    threads[0].start()
    assert begun.wait(10)
    threads[1].start()
    for thread in threads:
        thread.join()
    assert updates == ([expected] if fails else [expected, expected])
    assert len(rendered) == (2 if fails else 1)


def test_where_deals_are_confirmed_each_phone_has_its_own_update(app: Flask, host: Host) -> None:
    record(host)
    recorder, other = (phone(app, host, "score", "en") for _ in range(2))
    with app.app_context():
        db.session.scalars(select(Table)).one().confirms_deals = True
        db.session.commit()
    Reader(recorder, f"{host.at}now").update(0)
    with counted(app) as statements:
        Reader(other, f"{host.at}now").update(0)
    assert len(statements) > READS
