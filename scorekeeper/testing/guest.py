"""A browser without scripts, through Flask's test client: it reads pages and fills in their forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bs4 import BeautifulSoup, Tag
from flask import Flask

from ..games import games
from ..scoring.game import AnyGame
from ..tables.option_fields import option_fields, shown_value
from .playing import NAMES


class Guest:
    """Somebody with a browser of their own. `page` is the page that they see, at `path`."""

    page: BeautifulSoup

    def __init__(self, app: Flask) -> None:
        self.client = app.test_client()
        self.headers = {"Accept-Language": "en"}
        self.path = "/"

    def visit(self, path: str) -> Guest:
        return self._arrive(self.client.get(path, headers=self.headers, follow_redirects=True))

    def send(self, form: Tag, fields: Mapping[str, Any]) -> Guest:
        path = str(form.get("action", self.path))
        data = filled_in(form) | dict(fields)
        return self._arrive(self.client.post(path, data=data, headers=self.headers, follow_redirects=True))

    def _arrive(self, response: Any) -> Guest:
        assert response.status_code == 200, (response.request.path, response.status, response.get_data(as_text=True))
        self.path = response.request.path
        self.page = BeautifulSoup(response.get_data(as_text=True), "html.parser")
        return self

    @property
    def text(self) -> str:
        return " ".join(self.page.get_text(" ").split())

    @property
    def links(self) -> list[str]:
        """Where the page's links lead within the app, without fragments."""
        targets = [str(link["href"]).partition("#")[0] for link in self.page.find_all("a", href=True)]
        return list(dict.fromkeys(target for target in targets if target.startswith("/")))

    @property
    def scores(self) -> list[str]:
        return ["".join(cell.get_text().split()) for cell in self.page.select(".board .score")]

    def own_form(self) -> Tag:
        forms = self.page.find_all("form", method="post")
        return next(form for form in forms if str(form.get("action", self.path)).partition("?")[0] == self.path)

    def open_table(self, slug: str, players: int) -> Guest:
        self.visit(f"/tables/new/{slug}")
        seats = {f"seat-{number}": name for number, name in enumerate(NAMES[:players], start=1)}
        return self.send(self.own_form(), seats | describe_game(games()[slug]))

    def download(self, path: str) -> bytes:
        response = self.client.get(path, headers=self.headers, follow_redirects=True)
        assert response.status_code == 200, (path, response.status)
        return response.get_data()


def describe_game(game: AnyGame) -> dict[str, str]:
    """Return what is to be filled in so that a game that has to be described is the one of its first example."""
    if not game.house_rules.examples:
        return {}
    options = game.usual_options
    shown = {field.name: shown_value(field, getattr(options, field.option)) for field in option_fields(game)}
    return {name: "yes" if value is True else value for name, value in shown.items() if value}


def filled_in(form: Tag) -> dict[str, Any]:
    """Return the fields that a browser would submit for an unchanged form without a button."""
    return join_values(_list_values(form))


def _list_values(form: Tag) -> Iterator[tuple[str, str]]:
    for field in form.find_all(["input", "select", "textarea"]):
        name = field.get("name")
        if not name or field.has_attr("disabled") or field.get("type") == "file":
            continue
        if field.name == "textarea":
            yield str(name), field.get_text()
        elif field.name == "select":
            chosen = field.find("option", selected=True) or field.find("option")
            yield str(name), str(chosen["value"]) if chosen else ""
        elif field.get("type") not in ("radio", "checkbox") or field.has_attr("checked"):
            yield str(name), str(field.get("value", ""))


def join_values(fields: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the values by name; those of a name that several fields have are a list."""
    values: dict[str, list[str]] = {}
    for name, value in fields:
        values.setdefault(name, []).append(value)
    return {name: own if len(own) > 1 else own[0] for name, own in values.items()}
