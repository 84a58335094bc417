"""Every form of the app, filled in by lot with what nobody should type: the answer is never a fault of ours."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from flask import Flask
from werkzeug.exceptions import HTTPException

from scorekeeper.book.verifying import verify
from scorekeeper.games import games

from ..cases import sheets
from ..visitor import Visitor, filled_in
from ..web.test_circles import circle_of

SEED = 1765
FAIR = (200, 303, 400, 403, 404, 409, 413, 422, 429)
ROUNDS = 3  # of each form that is found
OF_A_KIND = 5  # pages that are looked at
NASTY = (
    *(
        "",
        " ",
        "0",
        "-1",
        "1",
        "9" * 30,
        "9" * 5_000,
        "1e9",
        "NaN",
        "٣",
        "½",
        "²",
        "1,5",
        "0x1",
        "true",
        "None",
        "null",
    ),
    *(
        "\0",
        "\x1b[31m",
        "\u202e",
        "\u200b",
        "\ud83c",
        "é" * 5_000,
        "<script>",
        "{{ 7*7 }}",
        "{x}",
        "%s",
        "'; --",
        "../",
    ),
    *("../", "ns", "ew", "ns-3", "ns-99", "Anne", "Pot", "2026-02-30", "9999-12-31", "//elsewhere.test/", "all"),
    *("table:x", "record", "check", "preview", "announce", "misdeal", "day:2026-13-01", "settlement:" + "9" * 40, "[]"),
)


def forms(visitor: Visitor, pages: list[str]) -> Iterator[tuple[str, Tag]]:
    """Each form on these pages, with the address it is sent to; those alike but for their hidden fields once."""
    seen = set()
    for path in pages:
        visitor.visit(path)
        for form in visitor.page.find_all("form", method="post"):
            action = str(form.get("action", visitor.path))
            fields = tuple(sorted({str(field.get("name")) for field in form.find_all(["input", "select", "button"])}))
            if (action, fields) not in seen:
                seen.add((action, fields))
                yield action, form


def endpoint_of(app: Flask, path: str, method: str = "GET") -> str:
    try:
        endpoint, _ = app.url_map.bind("localhost").match(path.partition("?")[0], method=method)
    except HTTPException:
        return ""
    return str(endpoint)


def others(app: Flask, visitor: Visitor, known: set[str]) -> list[str]:
    """Where forms can be sent to that no page shows as things stand: nothing is withdrawn, nobody is another."""
    values = {"token": visitor.table.split("/")[2], "name": circle_of(visitor).split("/")[2], "right": "watch"}
    values |= dict.fromkeys(("deal_id", "number", "player_id", "id_"), "1") | {"slug": "whist"}
    rules = [rule for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ()) and rule.endpoint not in known]
    with app.test_request_context():
        return [app.url_for(rule.endpoint, **{name: values[name] for name in rule.arguments}) for rule in rules]


def pages_of(app: Flask, visitor: Visitor, start: list[str]) -> list[str]:
    """Pages that links lead to from these, some of each kind."""
    ahead, known, kinds, found = list(start), set(start), Counter[str](), list[str]()
    while ahead:
        path = ahead.pop(0)
        response = visitor.client.get(path, headers=visitor.headers, follow_redirects=True)
        if response.mimetype != "text/html":
            continue
        found.append(path)
        for link in BeautifulSoup(response.get_data(as_text=True), "html.parser").select("a[href^='/']"):
            path = str(link["href"]).partition("#")[0]
            kind = endpoint_of(app, path)
            if path not in known and kinds[kind] < OF_A_KIND:
                kinds[kind] += 1
                known.add(path)
                ahead.append(path)
    return found


def spoiled(lot: Random, form: Tag) -> dict[str, Any]:
    """What would be sent, with some fields nasty, gone, doubled, or such as there are none."""
    data: dict[str, Any] = dict(filled_in(form))
    for button in form.find_all("button"):
        if button.get("name") and lot.random() < 0.7:
            data[str(button["name"])] = str(button.get("value", ""))
    names = [name for name in data if name != "csrf_token"]
    names += [str(field["name"]) for field in form.find_all("input", type=["radio", "checkbox"]) if field.get("name")]
    for name in lot.sample(names, min(len(names), lot.choice((0, 1, 1, 2, 5)))):
        kind = lot.random()
        if kind < 0.15:
            data.pop(name, None)
        elif kind < 0.25:
            data[name] = [lot.choice(NASTY), lot.choice(NASTY)]
        else:
            data[name] = lot.choice(NASTY)
    if lot.random() < 0.1:
        data[lot.choice(NASTY)] = lot.choice(NASTY)
    return {key.encode("utf-8", "replace").decode(): _sendable(value) for key, value in data.items()}


def _sendable(value: Any) -> Any:
    if isinstance(value, list):
        return [_sendable(one) for one in value]
    return value.encode("utf-8", "replace").decode()


@pytest.fixture
def filled(visitor: Visitor) -> Visitor:
    """A circle with a table of every game, one with a robre that is to be paid, and one that was brought in."""
    for slug, game in games().items():
        visitor.open_table(slug, min(game.seatings))
        if slug == "whist":
            for _ in range(4):
                visitor.record(tricks="ns-5")
    circle = circle_of(visitor)
    upload = {"sheets": (io.BytesIO(json.dumps(sheets("joffre")[0]).encode()), "a.json")}
    csrf = filled_in(visitor.visit(f"{circle}import").form())["csrf_token"]
    visitor._arrive(visitor.client.post(f"{circle}import", data=upload | {"csrf_token": csrf}, headers=visitor.headers))
    visitor.send({"do": "record"})
    return visitor


def test_no_form_whatever_is_sent_ends_in_a_fault_of_ours(app: Flask, filled: Visitor) -> None:
    app.config["PROPAGATE_EXCEPTIONS"] = False
    lot = Random(SEED)  # noqa: S311  # nothing secret
    circle = circle_of(filled)
    filled.visit(str(filled.visit(f"{circle}tables").page.select("a.found")[-1]["href"]))
    table = filled.table
    pages = pages_of(app, filled, ["/", circle, f"{circle}tables"])
    sent, endpoints = 0, set()
    for action, form in forms(filled, pages):
        endpoint = endpoint_of(app, action, "POST")
        endpoints.add(endpoint)
        if endpoint == "circles.renew":
            continue  # it would put this browser out
        for _ in range(ROUNDS):
            data = spoiled(lot, form)
            response = filled.client.post(action, data=data, headers=filled.headers)
            sent += 1
            assert response.status_code in FAIR, (action, data)
    for action in others(app, filled.visit(table), endpoints):
        for _ in range(ROUNDS):
            data = {name: _sendable(lot.choice(NASTY)) for name in ("seen", "key", "name")}
            data["csrf_token"] = filled_in(form)["csrf_token"]
            response = filled.client.post(action, data=data, headers=filled.headers)
            sent += 1
            assert response.status_code in FAIR, (action, data)
    print(f"{sent} spoiled forms sent, of every address that takes one: 0 faults")
    assert sent > 200
    with app.app_context():
        assert verify().faults == []


ADDRESSES = (
    *("deals/{}", "deals/{}/amend", "deals/{}/insert", "after/{}", "why/balance/{}", "why/score/{}", "?recorded={}"),
    *("now?page={}", "journal?of={}", "count?{}=1", "chart?at={}", "misdeal?{}", "deals/new?again={}"),
)
OF_THE_CIRCLE = (
    *("people/{}", "people/{}/erase", "players/{}", "settlements/{}", "evenings/{}", "evenings/{}/settlement"),
    *("tables?before={}", "tables?player={}", "tables?since={}", "settlement/why?of={}", "figures?year={}"),
    *("settlement/why?account={}&giver={}&taker={}", "payments?before={}", "players/1?year={}", "settlement?of={}"),
)


def test_no_address_whatever_stands_in_it_ends_in_a_fault_of_ours(app: Flask, visitor: Visitor) -> None:
    app.config["PROPAGATE_EXCEPTIONS"] = False
    table = visitor.open_table("whist").record(tricks="ns-5").table
    circle = circle_of(visitor)
    asked = 0
    for place in [table + path for path in ADDRESSES] + [circle + path for path in OF_THE_CIRCLE]:
        for nasty in NASTY[::2] if asked % 2 else NASTY[1::2]:
            told = place.replace("{}", nasty.encode("utf-8", "replace").decode().replace("/", "%2F"))
            response = visitor.client.get(told, headers=visitor.headers)
            asked += 1
            assert response.status_code < 500, told[:200]
    print(f"{asked} nasty addresses asked for: 0 faults")
