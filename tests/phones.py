"""Simulated phones at a real server, which resend entries until the server confirms them."""

from __future__ import annotations

import json
import os
import re
import secrets
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException
from http.cookiejar import CookieJar
from random import Random
from threading import Event, Thread
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode

from flask import Flask

from scorekeeper.models import Revision, Table, db
from scorekeeper.services.verify import verify

# A factor for the duration of the tests: `FAULTS=20 pytest tests/faults`.
TIMES = int(os.environ.get("FAULTS", "1"))

PLAYERS = ("Anne", "Bruno", "Chloé", "David")
PAUSE = 0.05  # seconds until a phone resends
MAX_ATTEMPTS = 2_000  # per entry


@dataclass
class Answer:
    status: int
    path: str
    text: str
    headers: Any


@dataclass
class Entry:
    """An entry with its key, and the `number` of the revision that the server confirmed, and when."""

    key: str
    table: str
    number: int | None = None
    confirmed_at: float = 0  # seconds of the monotonic clock


class Phone:
    """A client that resends entries until they are confirmed, as the script of the page does."""

    def __init__(self, url: str, language: str = "en", seed: int = 0) -> None:
        self.url = url
        self.language = language
        self.cookies = CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        self.rng = Random(seed)  # noqa: S311  # nothing secret
        self.entries: list[Entry] = []
        self.csrf = ""
        self.sent_again = 0
        self.versions: dict[str, str] = {}  # the mark that each table was last shown with

    def ask(
        self, path: str, form: dict[str, str] | None = None, *, script: bool = False, seen: str | None = None
    ) -> Answer:
        """Send a request, `seen` as If-None-Match. Raises OSError or HTTPException if there is no response."""
        headers = {"Accept-Language": self.language} | ({"Accept": "application/json"} if script else {})
        headers |= {} if seen is None else {"If-None-Match": f'"{seen}"'}
        body = None if form is None else urlencode(form).encode()
        request = urllib.request.Request(self.url + path, body, headers)  # noqa: S310  # a loopback address
        try:
            response = self.opener.open(request, timeout=60)
        except HTTPError as error:
            response = error
        with response:
            text = response.read().decode()
        found = re.search(r'name="csrf_token" value="([^"]+)"', text)
        self.csrf = found[1] if found else self.csrf
        return Answer(response.status, response.url.removeprefix(self.url), text, response.headers)

    def cookie(self) -> str:
        """Return the Cookie header."""
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.cookies)

    def open_table(self, game: str = "whist") -> str:
        self.ask(f"/tables/new/{game}")
        seats = {f"seat-{n}": name for n, name in enumerate(PLAYERS, start=1)}
        hidden = {"csrf_token": self.csrf, "opening_key": secrets.token_urlsafe(12)}
        opened = self.ask(f"/tables/new/{game}", seats | hidden | {"dealer": "1"})
        assert opened.status == 200
        return opened.path.partition("?")[0]

    def let_in(self, table: str, other: Phone) -> None:
        link = re.search(r'id="link"[^>]*value="[^"]*?(/join/[^"]+)"', self.ask(f"{table}share").text)
        assert link is not None
        other.join(link[1])
        other.ask(f"{table}deals/new")

    def join(self, link: str) -> Answer:
        """Open a circle's link, and tap Join where the page asks for it."""
        page = self.ask(link)
        action = re.search(r'<form method="post" action="[^"]*?(/join/[^"]+)"', page.text)
        if action is None:
            return page
        hidden = re.findall(r'type="hidden" name="(secret|table)" value="([^"]*)"', page.text)
        return self.ask(action[1], {"csrf_token": self.csrf} | dict(hidden))

    # --- entries

    def score(self) -> dict[str, str]:
        """Return a random deal of Whist."""
        return {"tricks": f"{self.rng.choice(('ns', 'ew'))}-{self.rng.randint(1, 7)}", "do": "record"}

    def post(self, table: str, form: dict[str, str], where: str = "deals/new") -> Answer:
        return self.ask(f"{table}{where}", {"csrf_token": self.csrf} | form, script=True)

    def enter(self, table: str, form: dict[str, str], where: str = "deals/new") -> Entry:
        """Send an entry until the server confirms that it is recorded."""
        entry = Entry(secrets.token_urlsafe(12), table)
        self.entries.append(entry)
        for _ in range(MAX_ATTEMPTS):
            version = self.versions.get(table, "0")
            try:
                answer = self.post(table, form | {"key": entry.key, "seen": version}, where)
            except (OSError, HTTPException):
                answer = None
            if answer is None or answer.status >= 500:
                self.sent_again += 1
                time.sleep(PAUSE)
                continue
            said = json.loads(answer.text)
            assert "refused" not in said, said
            self.versions[table] = said["seen"]
            if "recorded" in said:
                entry.number, entry.confirmed_at = number_of(said["seen"]), time.monotonic()
                return entry
            time.sleep(self.rng.uniform(0, PAUSE))  # stale: another entry was recorded first
        raise AssertionError("the server never recorded the entry")


def number_of(mark: str) -> int:
    """Return the number of a revision by its mark."""
    return int(mark.partition(".")[0])


def keep_entering(phone: Phone, tables: Iterable[str], stop: Event) -> None:
    paths = list(tables)
    while not stop.is_set():
        table = phone.rng.choice(paths)
        phone.enter(table, phone.score())


def wait_for(phones: Sequence[Phone], more: int) -> None:
    """Wait until a number of further entries have been confirmed."""
    before = acknowledged(phones)
    for _ in range(MAX_ATTEMPTS):
        if acknowledged(phones) >= before + more:
            return
        time.sleep(PAUSE)
    raise AssertionError("nothing is recorded any more")


def acknowledged(phones: Iterable[Phone]) -> int:
    return sum(entry.number is not None for phone in phones for entry in phone.entries)


@contextmanager
def in_threads(work: Iterable[Callable[[], None]]) -> Iterator[None]:
    """Run each function in a thread; at the end, wait for all of them and raise the first error."""
    errors: list[BaseException] = []

    def run(function: Callable[[], None]) -> None:
        try:
            function()
        except BaseException as error:
            errors.append(error)

    threads = [Thread(target=run, args=(function,)) for function in work]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]


# --- comparison with the database ----------------------------------------------------------------------------


@dataclass
class Audit:
    """Differences between a database and the confirmations its phones received."""

    acknowledged: int = 0
    answer_lost: int = 0  # recorded, but the server was killed before it answered
    tables: int = 0
    lost: list[Entry] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.acknowledged} entries acknowledged at {self.tables} tables: {len(self.lost)} lost, "
            f"{len(self.doubled)} doubled, {self.answer_lost} more recorded whose answer never came"
        )


def audit(app: Flask, phones: Sequence[Phone], others: int = 0) -> Audit:
    """Compare the phones' entries with the database, and verify it. `others`: the number of other entries."""
    entries = [entry for phone in phones for entry in phone.entries]
    done = Audit()
    with app.app_context():
        verified = verify()
        assert verified.faults == []
        done.tables = verified.tables
        found = db.session.execute(
            db.select(Table.token, Revision.entry_key, Revision.number).join(Table, Table.id == Revision.table_id)
        ).all()
        db.session.remove()
    stored = {key: (f"/tables/{token}/", number) for token, key, number in found}
    done.doubled = [key for _, key, _ in found if [other for _, other, _ in found].count(key) > 1]
    done.acknowledged = acknowledged(phones)
    done.lost = [
        entry for entry in entries if entry.number is not None and stored.get(entry.key) != (entry.table, entry.number)
    ]
    done.answer_lost = sum(entry.number is None and entry.key in stored for entry in entries)
    assert len(stored.keys() - {entry.key for entry in entries}) == others, "nothing is there that nobody entered"
    assert done.lost == []
    assert done.doubled == []
    return done
