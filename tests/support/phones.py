"""A phone at a real server, which resends entries until the server confirms them."""

from __future__ import annotations

import json
import secrets
import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from .visitor import Visitor

PAUSE = 0.05  # seconds until a phone resends
MAX_ATTEMPTS = 2_000  # per entry


class Phone:
    """A visitor's phone. It resends entries as the script of the pad does."""

    def __init__(self, url: str, visitor: Visitor) -> None:
        self.url, self.csrf = url, visitor.csrf_token()
        (cookie,) = visitor.cookie()["cookies"]
        self.headers = {"Cookie": f"{cookie['name']}={cookie['value']}", "Accept-Language": "en"}
        self.confirmed: list[str] = []  # keys of entries
        self.sent_again = 0
        self.seen: dict[str, str] = {}  # the version in which each table was last shown

    def ask(self, path: str, form: dict[str, str] | None = None, **headers: str) -> tuple[int, str]:
        """Return the status and the text of the answer. Raises OSError or HTTPException if there is none."""
        body = None if form is None else urlencode({"csrf_token": self.csrf} | form).encode()
        try:
            response = urlopen(Request(self.url + path, body, self.headers | headers), timeout=60)  # noqa: S310  # a loopback address
        except HTTPError as error:
            response = error
        with response:
            return response.status, response.read().decode()

    def enter(self, table: str, form: dict[str, str]) -> None:
        key = secrets.token_urlsafe(12)
        for _ in range(MAX_ATTEMPTS):
            keyed = form | {"key": key, "seen": self.seen.get(table, "0")}
            try:
                status, text = self.ask(f"{table}deals/new", keyed, Accept="application/json")
            except (OSError, HTTPException):
                status = 500
            if status >= 500:
                self.sent_again += 1
                time.sleep(PAUSE)
                continue
            said = json.loads(text)
            assert "refused" not in said, said
            self.seen[table] = said["seen"]
            if "recorded" in said:
                self.confirmed.append(key)
                return
            form = form | {"another": "yes"}  # what another phone recorded first is a different deal
        raise AssertionError("the server never recorded the entry")
