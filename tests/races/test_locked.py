"""Another process holds the database: every request is answered 503, and what was typed can be sent again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from sqlalchemy import event

from scorekeeper.db import sqlite
from scorekeeper.models import db
from scorekeeper.web.support.errors import MAX_SHOWN, MAX_VALUES, NOT_TYPED

from ..visitor import filled_in
from .found import addresses
from .judging import Judge, Sent
from .sending import Data, Request, Requests, Write
from .world import HOST, World
from .writes import WRITES

pytestmark = pytest.mark.sqlite
AWAY = "The database is not answering", "La base de données ne répond pas"
NO_PAGES = {"/ready"}  # for other programs, which read the status alone


@pytest.fixture
def impatient(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """The world, whose app waits for no other process."""
    world.reset()
    monkeypatch.setattr(sqlite, "LOCK_TIMEOUT", 0)
    with world.app.app_context():
        engine = db.engine
    event.listen(engine, "do_connect", _connect_at_once)
    event.listen(engine, "connect", _wait_for_nobody)
    try:
        yield world
    finally:
        event.remove(engine, "connect", _wait_for_nobody)
        event.remove(engine, "do_connect", _connect_at_once)
        world.reset()


@pytest.fixture(scope="module")
def pages(world: World) -> list[str]:
    return sorted(path for path in addresses(world) if path.partition("?")[0] not in NO_PAGES)


def _connect_at_once(_dialect: Any, _record: Any, _arguments: Any, parameters: Any) -> None:
    parameters["timeout"] = 0


def _wait_for_nobody(connection: Any, _record: Any) -> None:
    connection.execute("PRAGMA busy_timeout=0")


@contextmanager
def locked(world: World, *pragmas: str) -> Iterator[None]:
    """Hold the database's only lock for writing, as another process."""
    with closing(sqlite3.connect(world.store.url.database or "", isolation_level=None)) as other:
        for pragma in pragmas:
            other.execute(f"PRAGMA {pragma}")
        other.execute("BEGIN IMMEDIATE")
        yield


@pytest.mark.parametrize("write", [pytest.param(write, id=write.title) for write in WRITES])
def test_a_write_to_a_locked_database_can_be_sent_again_as_it_was(
    impatient: World, requests: Requests, judge: Judge, write: Write
) -> None:
    sent = Sent(write, requests.of(write, 1))
    impatient.reset()
    before = judge.trace(sent)
    with locked(impatient):
        answer = sent.request.send(impatient)
    if write.trace is None:  # it does not write to the database
        assert answer.status_code < 400
        return
    assert (answer.status_code, answer.headers.get("Retry-After")) == (503, "5")
    assert AWAY[0] in answer.text
    page = BeautifulSoup(answer.text, "html.parser")
    form, shown = page.select_one("main form"), [item.get_text() for item in page.select("main li")]
    assert form is not None
    typed = [value for name, value in sent.request.data.items() if name not in NOT_TYPED and isinstance(value, str)]
    assert {value for value in typed[:MAX_VALUES] if 0 < len(value) <= MAX_SHOWN} <= {*shown}
    again = replace(sent.request, path=str(form["action"]), data=filled_in(form) | uploaded(form, sent.request))
    assert judge.trace(sent) == before
    assert again.send(impatient).status_code in (200, 303)
    assert judge.trace(sent) != before


def uploaded(form: Tag, request: Request) -> Data:
    """Choose the file again, in the field that the page has for it."""
    return {"content": request.data["content"]} if form.select_one("input[type=file]") else {}


def test_a_page_is_shown_while_another_process_writes(impatient: World, requests: Requests, pages: list[str]) -> None:
    """What it has computed for a cache is not stored. Only a page that stores that it was seen cannot be shown."""
    deal = next(write for write in WRITES if write.endpoint == "deals.new")
    recorded = requests.of(deal, 1)
    impatient.reset()
    assert recorded.send(impatient).status_code == 303  # so that totals have to be computed again
    with locked(impatient):
        answers = {path: Request(HOST, path, {}, method="GET").send(impatient) for path in pages}
    statuses = {path: answer.status_code for path, answer in answers.items()}
    assert {path for path, status in statuses.items() if status != 200} <= {
        path for path in pages if path.startswith(f"{impatient.home}recovery")
    }
    assert set(statuses.values()) == {200, 503}


def test_a_page_of_a_database_that_cannot_be_read_says_so(impatient: World, pages: list[str]) -> None:
    client, faults = impatient.client(HOST), []
    impatient.reset()  # closes the app's connections, so that another may hold all locks
    with locked(impatient, "locking_mode=EXCLUSIVE"):
        for path in pages:
            with client.get(path, headers={"Accept-Language": "fr-CH"}) as answer:
                is_away = (
                    answer.status_code == 503
                    and answer.headers["Retry-After"]
                    and AWAY[1] in answer.get_data(as_text=True)
                )
            if answer.status_code != 200 and not is_away:
                faults.append(f"{answer.status_code} {path}")
    assert not faults
