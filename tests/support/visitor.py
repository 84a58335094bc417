"""A visitor without scripts, who reads pages and fills in their forms."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import cached_property
from secrets import token_urlsafe
from typing import Any
from urllib.parse import urlsplit

from bs4 import BeautifulSoup, Tag
from flask import Flask
from itsdangerous import URLSafeTimedSerializer
from lxml import html
from werkzeug.test import TestResponse

from scorekeeper.games import find_game
from scorekeeper.tables.option_fields import option_fields, shown_value
from scorekeeper.testing.guest import describe_game, filled_in, join_values
from scorekeeper.testing.playing import NAMES as MANY_NAMES

__all__ = ["NAMES", "Visitor", "filled_in", "find"]

SHOWN = "//text()[not(ancestor::script or ancestor::style or ancestor::template)]"
NAMES = ("Anne", "Bruno", "Chloé", "David", "Élise")


class Visitor:
    def __init__(self, app: Flask, language: str = "en") -> None:
        self.client = app.test_client()
        self.headers = {"Accept-Language": language}
        self._response: TestResponse
        self._path = "/"
        self._redirected = False

    def on(self, app: Flask) -> Visitor:
        """Return the same phone, asking another app on the same database."""
        other = Visitor(app)
        with self.client.session_transaction() as session, other.client.session_transaction() as copy:
            copy.update(session)
        return other

    # --- requests

    def visit(self, path: str) -> Visitor:
        return self.receive(self.client.get(path, headers=self.headers, follow_redirects=True))

    def join(self, link: str) -> Visitor:
        """Open a circle's link, a path or a whole address, and tap Join where the page asks for it."""
        self.visit("/" + link.split("/", 3)[3] if "://" in link else link)
        form = self.page.select_one("form[action^='/join/']")
        return self.send({}, form=form) if form is not None else self

    def follow(self, words: str) -> Visitor:
        link = next(a for a in self.page.find_all("a") if words in a.get_text(" ", strip=True))
        return self.visit(str(link["href"]))

    def more(self) -> Visitor:
        """Tap *More* at the foot of a circle's or a table's page."""
        return self.visit(str(self.find(".places a[href$='/more']")["href"]))

    def receive(self, response: TestResponse, *, follow: bool = False) -> Visitor:
        """Take an answer. With `follow`, a redirection is followed when somebody looks at the page it leads to."""
        self._response = response
        self._redirected = follow and response.location is not None
        self._path = urlsplit(response.location).path if self._redirected else response.request.path
        for parsed in ("page", "_document"):
            self.__dict__.pop(parsed, None)
        return self

    @property
    def response(self) -> TestResponse:
        self._follow()
        return self._response

    @property
    def path(self) -> str:
        """Where the page is: a form without an action posts there."""
        self._follow()
        return self._path

    @path.setter
    def path(self, path: str) -> None:
        self._follow()
        self._path = path

    def _follow(self) -> None:
        if self._redirected:
            self.visit(self._response.location)

    @cached_property
    def page(self) -> BeautifulSoup:
        """The page, parsed when it is first looked at: that takes as long as to make it. Templates are not shown."""
        page = BeautifulSoup(self.response.get_data(as_text=True), "lxml")
        for template in page("template"):
            template.decompose()
        return page

    @property
    def status(self) -> int:
        return self.response.status_code

    @cached_property
    def _document(self) -> html.HtmlElement:
        """The page, parsed by lxml alone: that takes a tenth of the time."""
        return html.document_fromstring(self.response.get_data(as_text=True))

    @property
    def text(self) -> str:
        return " ".join(" ".join(self._document.xpath(SHOWN)).split())

    def texts(self, css: str) -> list[str]:
        """Return the texts of the page's elements for this CSS selector."""
        return [" ".join(found.get_text(" ").split()) for found in self.page.select(css)]

    def find(self, css: str) -> Tag:
        """Return the page's first element for this CSS selector. Fails if there is none."""
        return find(self.page, css)

    def problems(self) -> list[str]:
        return [problem.get_text(strip=True) for problem in self.page.select(".problem")]

    # --- forms

    def form(self, action: str | None = None) -> Tag:
        """Return the first form whose action ends like this; by default, the form that posts to the page itself."""
        end = self.path if action is None else action
        return next(f for f in self.page.find_all("form") if str(f.get("action", self.path)).endswith(end))

    def send(self, changed: dict[str, Any], action: str | None = None, *, form: Tag | None = None) -> Visitor:
        """Submit a form with some fields changed; None removes a field."""
        if form is None:
            return self._send(changed, action)
        data = filled_in(form) | changed
        button = form.select_one(f"button[formaction][value={changed['do']}]") if "do" in changed else None
        return self._post(str(button["formaction"] if button is not None else form.get("action", self.path)), data)

    def _send(self, changed: dict[str, Any], action: str | None) -> Visitor:
        """Submit a form that is found as `form` finds it."""
        here = self.path
        form = next(f for f in self._document.forms if f.get("action", here).endswith(action or here))
        do = changed.get("do")
        button = next(iter(form.xpath(".//button[@formaction and @value=$do]", do=do)), None) if do else None
        path = button.get("formaction") if button is not None else form.get("action", here)
        return self._post(path, join_values(_values(form)) | changed)

    def _post(self, path: str, data: dict[str, Any]) -> Visitor:
        data = {name: value for name, value in data.items() if value is not None}
        return self.receive(self.client.post(path, data=data, headers=self.headers), follow=True)

    def csrf_token(self) -> str:
        """Return what the hidden fields of this browser's pages have."""
        with self.client.session_transaction() as session:
            secret = session.setdefault("csrf_token", token_urlsafe())
        return URLSafeTimedSerializer(self.client.application.config["SECRET_KEY"], salt="wtf-csrf-token").dumps(secret)

    # --- the browser's circle

    @property
    def circle(self) -> str:
        """The path of the circle's page."""
        with self.client.session_transaction() as session:
            return f"/circles/{session['circle']}/"

    def plan_evening(self, day: date, **fields: str) -> str:
        """Plan an evening on this day; return the path of its page."""
        self.visit(f"{self.circle}planned/new")
        return self.send({"day": day.isoformat(), "begins": "19:30", "place": "Café"} | fields).path

    def come(self, *names: str) -> Visitor:
        """Tick people who are here tonight one after another, those who are not known yet by their name."""
        for name in names:
            box = self.visit(f"{self.circle}tonight").page.select_one(f"label:-soup-contains('{name}') [name=here]")
            self.send({"here": [*self.here, str(box["value"])]} if box is not None else {"name": name}, "/tonight")
        return self

    def leave(self, name: str) -> Visitor:
        box = self.visit(f"{self.circle}tonight").find(f"label:-soup-contains('{name}') [name=here]")
        return self.send({"here": [value for value in self.here if value != box["value"]]}, "/tonight")

    @property
    def here(self) -> list[str]:
        """Whom the page of tonight has ticked, as its boxes name them."""
        return [str(box["value"]) for box in self.page.select("[name=here][checked]")]

    def merge(self, name: str, into: str) -> Visitor:
        page = self.visit(f"{self.circle}people").find(f"li:-soup-contains('{name}') a[href*='/people/']")["href"]
        self.visit(str(page))
        people = {
            option.get_text(strip=True): str(option["value"]) for option in self.page.select("[name=into] option")
        }
        return self.send({"into": people[into]}, "/merge")

    def link(self, right: str) -> str:
        """Return the path of one of the circle's links, read from the page that shows it."""
        field = self.visit(f"{self.circle}links")._document.get_element_by_id(f"link-{right}")
        return "/" + field.value.split("/", 3)[3]

    # --- at a table

    def open_table(self, slug: str, players: int = 4, /, **fields: str) -> Visitor:
        """Send the form of a new table as it is but for these fields, without asking for it first."""
        game = find_game(slug)
        usual = {field.name: shown_value(field, field.default) for field in option_fields(game)}
        seats = {f"seat-{n}": name for n, name in enumerate(MANY_NAMES[:players], start=1)}
        hidden = {"csrf_token": self.csrf_token(), "key": token_urlsafe(), "dealer": "1"}
        sent = {name: "yes" if value is True else value for name, value in usual.items() if value is not False}
        return self._post(f"/tables/new/{slug}", sent | seats | hidden | describe_game(game) | fields)

    @property
    def table(self) -> str:
        return "/".join(self._path.split("/")[:3]) + "/"

    def record(self, **taps: str) -> Visitor:
        """Open the pad, tap choices and record the deal. `_` in a name stands for a hyphen."""
        self.visit(f"{self.table}deals/new")
        return self.send({name.replace("_", "-"): value for name, value in taps.items()} | {"do": "record"})

    def play_robre(self, side: str = "ns", **fields: str) -> Visitor:
        """Open a table of Whist at which a side wins a robre by 5; North–South are Anne and Chloé."""
        self.open_table("whist", **fields)
        for _ in range(4):
            self.record(tricks=f"{side}-5")
        return self

    def let_in(self, other: Visitor) -> Visitor:
        """Let another phone join by the table's link, which leads it there."""
        return other.join(str(self.visit(f"{self.table}share").find("#link")["value"]))

    def cookie(self) -> Any:
        """Return the cookies in the form in which a browser accepts them."""
        cookie = self.client.get_cookie("scorekeeper")
        assert cookie is not None
        stored = {"name": cookie.key, "value": cookie.value, "domain": "127.0.0.1", "path": "/", "expires": -1}
        return {"cookies": [stored | {"httpOnly": True, "secure": False, "sameSite": "Lax"}], "origins": []}

    def export(self) -> dict[str, Any]:
        response = self.client.get(f"{self.table}sheet.json", headers=self.headers)
        assert response.is_json
        return dict(response.get_json())


def _values(form: html.FormElement) -> Iterator[tuple[str, str]]:
    """Yield what a browser would submit, as `filled_in` does; lxml's `form_values` leaves out empty fields."""
    for field in form.inputs:
        if not field.name or "disabled" in field.attrib or field.get("type") in ("file", "submit"):
            continue
        if field.tag != "input" or not field.checkable:
            yield field.name, field.value or ""
        elif field.checked:
            yield field.name, field.get("value", "on")


def find(parent: Tag, css: str) -> Tag:
    """Return the first element in `parent` for this CSS selector. Fails if there is none."""
    found = parent.select_one(css)
    assert found is not None, css
    return found


def tag_of(shown: Tag) -> str:
    """Return the tag with which a page's script asks whether its table has changed."""
    return f'"{shown["data-mark"]}"'
