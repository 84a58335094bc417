"""A visitor whose browser runs no scripts: it reads pages, fills in their forms and sends them."""

from __future__ import annotations

from typing import Any

from bs4 import BeautifulSoup, Tag
from flask import Flask
from werkzeug.test import TestResponse

NAMES = ("Anne", "Bruno", "Chloé", "David", "Élise")


class Visitor:
    def __init__(self, app: Flask, language: str = "en") -> None:
        self.client = app.test_client()
        self.headers = {"Accept-Language": language}
        self.response: TestResponse
        self.page: BeautifulSoup
        self.path = "/"

    # --- going about

    def visit(self, path: str) -> Visitor:
        return self._arrive(self.client.get(path, headers=self.headers, follow_redirects=True))

    def follow(self, words: str) -> Visitor:
        """Follow the first link with these words."""
        link = next(a for a in self.page.find_all("a") if words in a.get_text(" ", strip=True))
        return self.visit(str(link["href"]))

    def _arrive(self, response: TestResponse) -> Visitor:
        self.response = response
        self.path = response.request.path
        self.page = BeautifulSoup(response.get_data(as_text=True), "html.parser")
        return self

    @property
    def status(self) -> int:
        return self.response.status_code

    @property
    def text(self) -> str:
        return " ".join(self.page.get_text(" ").split())

    def remarks(self) -> list[str]:
        return [remark.get_text(strip=True) for remark in self.page.select(".remark")]

    # --- forms

    def form(self, action: str | None = None) -> Tag:
        """The page's form that is sent to this path (to the page's own where none is told)."""
        wanted = self.path if action is None else action
        return next(f for f in self.page.find_all("form") if str(f.get("action", self.path)).endswith(wanted))

    def send(self, told: dict[str, Any], action: str | None = None, *, form: Tag | None = None) -> Visitor:
        """Send a form as it stands on the page, with what is told changed; None takes a field out."""
        form = form or self.form(action)
        data = filled_in(form) | told
        data = {name: value for name, value in data.items() if value is not None}
        button = form.select_one(f"button[formaction][value={told['do']}]") if "do" in told else None
        path = str(button["formaction"] if button is not None else form.get("action", self.path))
        return self._arrive(self.client.post(path, data=data, headers=self.headers, follow_redirects=True))

    # --- what one does at a table

    def open_table(self, slug: str, players: int = 4, **told: str) -> Visitor:
        self.visit(f"/tables/new/{slug}")
        seats = {f"seat-{n}": name for n, name in enumerate(NAMES[:players], start=1)}
        return self.send(seats | told)

    @property
    def table(self) -> str:
        """The address of the table one is at."""
        return "/".join(self.path.split("/")[:3]) + "/"

    def record(self, **taps: str) -> Visitor:
        """Open the pad, tap and record; `_` in a name stands for the hyphen of a group."""
        self.visit(f"{self.table}deals/new")
        return self.send({name.replace("_", "-"): value for name, value in taps.items()} | {"do": "record"})

    def cookie(self) -> Any:
        """What it holds, as a browser is told it that shall go on from here."""
        held = self.client.get_cookie("scorekeeper")
        assert held is not None
        kept = {"name": held.key, "value": held.value, "domain": "127.0.0.1", "path": "/", "expires": -1}
        return {"cookies": [kept | {"httpOnly": True, "secure": False, "sameSite": "Lax"}], "origins": []}

    def export(self) -> dict[str, Any]:
        response = self.client.get(f"{self.table}sheet.json", headers=self.headers)
        assert response.is_json
        return dict(response.get_json())


def filled_in(form: Tag) -> dict[str, str]:
    """What a browser would send of a form with nothing touched and no button pressed."""
    data = {}
    for field in form.find_all(["input", "select"]):
        name = field.get("name")
        if not name or field.has_attr("disabled"):
            continue
        if field.name == "select":
            chosen = field.find("option", selected=True) or field.find("option")
            data[str(name)] = str(chosen["value"]) if chosen else ""
        elif field.get("type") not in ("radio", "checkbox") or field.has_attr("checked"):
            data[str(name)] = str(field.get("value", ""))
    return data
