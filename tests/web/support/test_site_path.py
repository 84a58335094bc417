"""A site below a path of its name: nothing that it sends leads out of the path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup
from flask import Flask
from werkzeug.http import parse_cookie
from werkzeug.test import Client, TestResponse

from scorekeeper.errors import StartupError
from scorekeeper.web.support.site_path import parse_path

from ...apps import MakeApp
from ...filled import Circle, requests
from ...visitor import Visitor, find
from .test_rights import circle as circle  # noqa: PLC0414  # a fixture

ROOT = Path(__file__).parents[3]
PATH = "/scores"
NAME = "http://localhost"
ADDRESS = re.compile(rf"(?:{NAME})?(/[^/\s].*|/)?", re.DOTALL)  # of this name


@pytest.fixture
def site(make_app: MakeApp, database: str) -> Flask:
    """The site of `app`, below the path."""
    return make_app(database, APPLICATION_ROOT=PATH)


def open_at(client: Client, path: str, **options: Any) -> TestResponse:
    """Send a request for the whole path, as a proxy does."""
    return client.open(path, base_url=f"{NAME}/", **options)


def let_in(client: Client, visitor: Visitor) -> None:
    """Give a browser the visitor's cookie."""
    cookie = visitor.client.get_cookie("scorekeeper")
    assert cookie is not None
    client.set_cookie("scorekeeper", cookie.value, path=PATH)


def is_inside(address: str) -> bool:
    path = urlsplit(address).path
    return path == PATH or path.startswith(f"{PATH}/")


def addresses_in(answer: TestResponse) -> Iterator[str]:
    """Yield all addresses of this name in an answer: in its headers, in attributes and texts of HTML, and in JSON."""
    if answer.location:
        yield answer.location
    if answer.is_json:
        yield from filter(is_address, texts_in(answer.get_json()))
    elif answer.mimetype == "text/javascript" and answer.request.path.endswith("worker.js"):
        yield from re.findall(r'"(/[^"]+)"', answer.get_data(as_text=True).split("\n")[1])
    elif answer.mimetype in ("text/html", "image/svg+xml"):
        page = BeautifulSoup(answer.get_data(as_text=True), "lxml")
        for element in page.find_all(True):
            yield from filter(is_address, map(str, element.attrs.values()))
        yield from re.findall(rf"{NAME}\S*", page.get_text(" "))


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts_in(item)


def is_address(text: str) -> bool:
    return bool(text and ADDRESS.fullmatch(text))


def test_no_page_leads_out_of_the_path(app: Flask, site: Flask, circle: Circle) -> None:
    client = site.test_client()
    let_in(client, circle.host)
    token = find(BeautifulSoup(open_at(client, f"{PATH}/").data, "lxml"), "[name=csrf_token]")
    seen, redirected, cookies = 0, set(), 0
    for rule, method, path in requests(app, circle.values):
        data = {"csrf_token": token["value"], "seen": "0", "key": "k", "language": "fr", "do": "record"}
        answer = open_at(client, f"{PATH}{path}", method=method, data=data if method == "POST" else None)
        found = list(addresses_in(answer))
        assert not [address for address in found if not is_inside(address)], (method, path)
        for cookie in answer.headers.getlist("Set-Cookie"):
            assert parse_cookie(cookie)["Path"] == PATH, (method, path)
            cookies += 1
        seen += len(found)
        if answer.location:
            redirected.add(rule.endpoint)
        answer.close()
    assert seen > 3_000
    assert len(redirected) > 10
    assert cookies


def test_templates_and_scripts_spell_out_no_address_from_the_root() -> None:
    """Also those of pages that the walk above does not reach."""
    scripts = [*(ROOT / "scorekeeper" / "static" / "js").iterdir()]
    templates = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "scorekeeper" / "games").rglob("*.html")]
    assert len(scripts) > 10
    assert len(templates) > 100
    found = [
        (path.name, line)
        for path in (*scripts, *templates)
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"""(?<!split)[=(,\s]["'`]/|request\.(path|full_path)\b""", line)
    ]
    assert not found


def test_links_for_others_name_the_path(site: Flask, circle: Circle) -> None:
    client = site.test_client()
    let_in(client, circle.host)
    page = open_at(client, f"{PATH}/tables/{circle.values['token']}/share")
    link = str(find(BeautifulSoup(page.data, "lxml"), "#link")["value"])
    assert link.startswith(f"{NAME}{PATH}/join/{circle.name}/")
    landed = open_at(site.test_client(), urlsplit(link).path)
    assert find(BeautifulSoup(landed.data, "lxml"), "main form")["action"] == f"{PATH}/join/{circle.name}"


def test_the_page_to_return_to_is_inside(site: Flask, circle: Circle) -> None:
    client = site.test_client()
    let_in(client, circle.host)
    back = f"{PATH}/circles/{circle.name}/tables?words=Anne"
    page = BeautifulSoup(open_at(client, back).data, "lxml")
    form = find(page, "form.languages")
    data = {"csrf_token": find(form, "[name=csrf_token]")["value"], "language": "fr"}
    for sent, expected in ((str(find(form, "[name=back]")["value"]), back), ("/admin/", f"{PATH}/")):
        answer = open_at(client, str(form["action"]), method="POST", data=data | {"back": sent})
        assert answer.location == expected


def test_the_bar_marks_the_place_of_the_page_that_is_shown(site: Flask, circle: Circle) -> None:
    client = site.test_client()
    let_in(client, circle.host)
    here = f"{PATH}/circles/{circle.name}/"
    for address, how in ((here, "page"), (f"{here}tables?words=Anne", "true")):
        page = BeautifulSoup(open_at(client, address).data, "lxml")
        assert find(page, f".places a[aria-current={how}]")["href"] == here


@pytest.mark.parametrize(("address", "status"), [
    ("/", 404), ("/tables/new", 404), ("/scoreskeeper/", 404), ("/scores2", 404),
    ("/scores", 308), ("/scores/", 200), ("/scores/tables/new", 200),
    ("/health", 200), ("/scores/health", 200), ("/ready", 200),
])  # fmt: skip
def test_what_is_not_below_the_path_is_not_found_except_for_health(site: Flask, address: str, status: int) -> None:
    answer = open_at(site.test_client(), address)
    assert answer.status_code == status
    assert answer.location == (f"{NAME}{PATH}/" if status == 308 else None)


@pytest.mark.parametrize(("setting", "path"), [
    ("/scores", "/scores"), ("/scores/", "/scores"), ("/card-games/scores", "/card-games/scores"), ("/", ""),
])  # fmt: skip
def test_a_path_is_read_without_the_slash_at_its_end(setting: str, path: str) -> None:
    assert parse_path("SCOREKEEPER_PATH", setting) == path


@pytest.mark.parametrize("setting", ["scores", "/a b", "//a", "/a//b", "/../a", "/é", "/a?b", "https://example.org/a"])
def test_what_is_no_path_is_refused(setting: str) -> None:
    with pytest.raises(StartupError):
        parse_path("SCOREKEEPER_PATH", setting)
