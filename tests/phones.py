"""Simulated phones at a real server, which resend entries until the server confirms them."""

from __future__ import annotations

import json
import re
import secrets
import time
import urllib.request
from dataclasses import dataclass, field
from http.client import HTTPException
from http.cookiejar import CookieJar
from random import Random
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode

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
class Phone:
    """A client that resends entries until they are confirmed, as the script of the page does."""

    url: str
    seed: int = 0
    confirmed: list[str] = field(default_factory=list)  # keys of entries
    sent_again: int = 0
    csrf: str = ""
    versions: dict[str, str] = field(default_factory=dict)  # the ETag that each table was last shown with

    def __post_init__(self) -> None:
        self.rng = Random(self.seed)  # noqa: S311  # nothing secret
        self.cookies = CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))

    def ask(self, path: str, form: dict[str, str] | None = None, **headers: str) -> Answer:
        """Send a request. Raises OSError or HTTPException if there is no response."""
        body = None if form is None else urlencode({"csrf_token": self.csrf} | form).encode()
        request = urllib.request.Request(self.url + path, body, {"Accept-Language": "en"} | headers)  # noqa: S310  # a loopback address
        try:
            response = self.opener.open(request, timeout=60)
        except HTTPError as error:
            response = error
        with response:
            text = response.read().decode()
        found = re.search(r'name="csrf_token"[^>]* value="([^"]+)"', text)
        self.csrf = found[1] if found else self.csrf
        return Answer(response.status, response.url.removeprefix(self.url), text, response.headers)

    def open_table(self, game: str = "whist", **fields: str) -> str:
        self.ask(f"/tables/new/{game}")
        seats = {f"seat-{n}": name for n, name in enumerate(PLAYERS, start=1)}
        hidden = {"key": secrets.token_urlsafe(12), "dealer": "1"}
        opened = self.ask(f"/tables/new/{game}", seats | hidden | fields)
        assert opened.status == 200, opened.text
        return opened.path.partition("?")[0]

    def let_in(self, table: str, other: Phone) -> None:
        link = re.search(r'id="link"[^>]*value="[^"]*?(/join/[^"]+)"', self.ask(f"{table}share").text)
        assert link is not None
        page = other.ask(link[1]).text
        action = re.search(r'<form method="post" action="[^"]*?(/join/[^"]+)"', page)
        assert action is not None
        other.ask(action[1], dict(re.findall(r'name="(secret|table)"[^>]* value="([^"]*)"', page)))
        other.ask(f"{table}deals/new")

    def score(self) -> dict[str, str]:
        """Return a random deal of Whist."""
        return {"tricks": f"{self.rng.choice(('ns', 'ew'))}-{self.rng.randint(1, 7)}", "do": "record"}

    def enter(self, table: str, form: dict[str, str]) -> None:
        key = secrets.token_urlsafe(12)
        for _ in range(MAX_ATTEMPTS):
            keyed = form | {"key": key, "seen": self.versions.get(table, "0")}
            try:
                answer = self.ask(f"{table}deals/new", keyed, Accept="application/json")
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
                self.confirmed.append(key)
                return
            form = form | {"another": "yes"}  # what another phone recorded first is a different deal
            time.sleep(self.rng.uniform(0, PAUSE))
        raise AssertionError("the server never recorded the entry")
