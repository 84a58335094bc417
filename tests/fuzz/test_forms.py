"""Fill every form and field of the app with hostile input: there must never be a server error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from bs4 import BeautifulSoup, Tag
from flask import Flask
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Rule

from scorekeeper.services.verify import verify

from ..databases import ON_POSTGRESQL
from ..visitor import Visitor, filled_in
from ..web.circles.test_circles import circle_of
from .hostile_input import TEXTS

SEED = 1765
FAIR = (200, 204, 303, 400, 403, 404, 409, 413, 422, 429)
ROUNDS = 1  # per form
OF_A_KIND = 5  # pages per endpoint that are visited
EACH = 8 if ON_POSTGRESQL else 4  # of so many texts is tried at an address
TEXTS_PER_FIELD = 1 if ON_POSTGRESQL else 2
ENDS_ACCESS = ("links.renew", "circles.erase")


def forms(visitor: Visitor, pages: list[str]) -> Iterator[tuple[str, Tag]]:
    """Yield each form on these pages with its address. Forms with the same address and fields are yielded once."""
    yielded = set()
    for path in pages:
        visitor.visit(path)
        for form in visitor.page.find_all("form", method="post"):
            action = str(form.get("action", visitor.path))
            fields = tuple(sorted({str(field.get("name")) for field in form.find_all(["input", "select", "button"])}))
            if (action, fields) not in yielded:
                yielded.add((action, fields))
                yield action, form


def endpoint_of(app: Flask, path: str, method: str = "GET") -> str:
    try:
        endpoint, _ = app.url_map.bind("localhost").match(path.partition("?")[0], method=method)
    except HTTPException:
        return ""
    return str(endpoint)


def _arguments(rule: Rule, values: dict[str, str], of_event: dict[str, str]) -> dict[str, Any]:
    return {name: (of_event if rule.rule.startswith("/events/") else values)[name] for name in rule.arguments}


def addresses(app: Flask, visitor: Visitor, method: str) -> dict[str, str]:
    """Return an address for each endpoint that has the method, with the visitor's table and event."""
    values = {"token": visitor.table.split("/")[2], "name": circle_of(visitor).split("/")[2], "right": "watch"}
    tokens = ("player_token", "settlement_token", "planned_token", "season_token")
    values |= dict.fromkeys(("deal_id", "number", *tokens, "seat"), "1") | {
        "slug": "whist",
        "party": "ns",
    }
    values |= dict.fromkeys(("round_number", "entrant_number"), "1") | {"kind": "deals", "program": "hledger"}
    values |= {"calendar": "circle", "form": "title", "day": "2026-11-22", "secret": "x", "filename": "none.css"}
    of_event = values | {"token": _event_token(visitor) or values["token"]}
    rules = [rule for rule in app.url_map.iter_rules() if method in (rule.methods or ())]
    with app.test_request_context():
        return {rule.endpoint: app.url_for(rule.endpoint, **_arguments(rule, values, of_event)) for rule in rules}


def _event_token(visitor: Visitor) -> str:
    """Return the token of the circle's event; empty if it has none."""
    page = visitor.client.get(f"{circle_of(visitor)}events", headers=visitor.headers).get_data(as_text=True)
    found = re.search(r'href="/events/([^/"]+)', page)
    return found[1] if found is not None else ""


def pages_of(app: Flask, visitor: Visitor, start: list[str]) -> list[str]:
    """Return pages that can be reached by links from these, a few per endpoint."""
    ahead, queued, kinds, found = list(start), set(start), Counter[str](), list[str]()
    while ahead:
        path = ahead.pop(0)
        response = visitor.client.get(path, headers=visitor.headers, follow_redirects=True)
        if response.mimetype != "text/html":
            continue
        found.append(path)
        for link in BeautifulSoup(response.get_data(as_text=True), "html.parser").select("a[href^='/']"):
            path = str(link["href"]).partition("#")[0]
            kind = endpoint_of(app, path)
            if path not in queued and kinds[kind] < OF_A_KIND:
                kinds[kind] += 1
                queued.add(path)
                ahead.append(path)
    return found


def spoiled(rng: Random, form: Tag) -> dict[str, Any]:
    """Return a form's data with some fields replaced by hostile input, removed, doubled or added."""
    data: dict[str, Any] = dict(filled_in(form))
    for button in form.find_all("button"):
        if button.get("name") and rng.random() < 0.7:
            data[str(button["name"])] = str(button.get("value", ""))
    names = [name for name in data if name != "csrf_token"]
    names += [str(field["name"]) for field in form.find_all("input", type=["radio", "checkbox"]) if field.get("name")]
    for name in rng.sample(names, min(len(names), rng.choice((0, 1, 1, 2, 5)))):
        kind = rng.random()
        if kind < 0.15:
            data.pop(name, None)
        elif kind < 0.25:
            data[name] = [rng.choice(TEXTS), rng.choice(TEXTS)]
        else:
            data[name] = rng.choice(TEXTS)
    if rng.random() < 0.1:
        data[rng.choice(TEXTS)] = rng.choice(TEXTS)
    return data


def at_the_rubber(filled: Visitor) -> Visitor:
    """Go to the table with the unpaid robre."""
    filled.visit(str(filled.visit(f"{circle_of(filled)}tables").page.select("a.found")[-1]["href"]))
    return filled


def test_hostile_forms_cause_no_server_error(app: Flask, filled: Visitor) -> None:
    app.config["PROPAGATE_EXCEPTIONS"] = False
    rng = Random(SEED)  # noqa: S311  # nothing secret
    circle = circle_of(filled)
    at_the_rubber(filled)
    sent = 0
    for action, form in forms(filled, pages_of(app, filled, ["/", circle, f"{circle}tables"])):
        if endpoint_of(app, action, "POST") in ENDS_ACCESS:
            continue
        for _ in range(ROUNDS):
            data = spoiled(rng, form)
            response = filled.client.post(action, data=data, headers=filled.headers)
            sent += 1
            assert response.status_code in FAIR, (action, data)
    print(f"{sent} spoiled forms sent: 0 faults")
    assert sent > 60 * ROUNDS
    with app.app_context():
        assert verify().faults == []


def test_hostile_fields_cause_no_server_error(app: Flask, filled: Visitor, fields_read: dict[str, set[str]]) -> None:
    """The fields are those that the app reads, including hidden ones, so new fields are tried without being listed."""
    app.config["PROPAGATE_EXCEPTIONS"] = False
    rng = Random(SEED)  # noqa: S311  # as above
    requests = examples(app, filled)
    sent, tried = 0, set()
    for method, endpoint, path, data in requests:
        send = filled.client.post if method == "POST" else filled.client.get
        where = "data" if method == "POST" else "query_string"
        send(path, headers=filled.headers, **{where: data}).close()  # so that the app reads its fields
        for field in sorted({*data, *fields_read[endpoint]} - {"csrf_token"}):
            tried.add((method, endpoint, field))
            for text in rng.sample(TEXTS, TEXTS_PER_FIELD):
                sent += 1
                changed = data | {"key": f"key-{sent}", field: text}
                response = send(path, headers=filled.headers, **{where: changed})
                assert response.status_code in FAIR, (method, path, field, text)
    print(f"{sent} requests, each with a spoiled field, {len(tried)} fields: 0 faults")
    posts = {rule.endpoint for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())}
    assert {endpoint for method, endpoint, *_ in requests if method == "POST"} == posts - set(ENDS_ACCESS)
    assert {"carried", "like", "of", "at", "seen", "key", "back", "into"} <= {field for _, _, field in tried}
    with app.app_context():
        assert verify().faults == []


def examples(app: Flask, filled: Visitor) -> list[tuple[str, str, str, dict[str, str]]]:
    """Return method, endpoint, address and fields of a request to every endpoint.

    The fields are those of a form on a page, if there is one.
    """
    circle = circle_of(filled)
    at_the_rubber(filled)
    gets: list[tuple[str, str, str, dict[str, str]]] = [
        ("GET", endpoint, path, {}) for endpoint, path in addresses(app, filled, "GET").items()
    ]
    posts = addresses(app, filled, "POST")
    found = list(forms(filled, pages_of(app, at_the_rubber(filled), ["/", circle, f"{circle}tables"])))
    shown_forms = {endpoint_of(app, action, "POST"): (action, filled_in(form)) for action, form in found}
    bare = {"csrf_token": filled_in(found[0][1])["csrf_token"], "seen": "0"}
    sent = {endpoint: shown_forms.get(endpoint, (path, bare)) for endpoint, path in posts.items()}
    return gets + [("POST", endpoint, *sent[endpoint]) for endpoint in sorted(sent) if endpoint not in ENDS_ACCESS]


ADDRESSES = (
    *("deals/{}", "deals/{}/amend", "deals/{}/insert", "after/{}", "why/balance/{}", "why/score/{}", "?recorded={}"),
    *("now?page={}", "journal?of={}", "count?{}=1", "chart?at={}", "misdeal?{}", "deals/new?again={}"),
)
OF_THE_CIRCLE = (
    *("people/{}", "people/{}/erase", "players/{}", "settlements/{}", "evenings/{}", "evenings/{}/settlement"),
    *("tables?before={}", "tables?player={}", "tables?since={}", "settlement/why?of={}", "figures?year={}"),
    *("settlement/why?account={}&giver={}&taker={}", "payments?before={}", "players/1?year={}", "settlement?of={}"),
    *("figures?since={}", "players/1?until={}", "standings?of={}&by={}", "standings/screen?since={}&of={}&by={}"),
    "tonight?game={}&partners={}&turns={}",
)


def test_hostile_addresses_cause_no_server_error(app: Flask, visitor: Visitor) -> None:
    app.config["PROPAGATE_EXCEPTIONS"] = False
    table = visitor.open_table("whist").record(tricks="ns-5").table
    circle = circle_of(visitor)
    requested = 0
    for template in [table + path for path in ADDRESSES] + [circle + path for path in OF_THE_CIRCLE]:
        for nasty in TEXTS[requested % EACH :: EACH]:
            path = template.replace("{}", nasty.replace("/", "%2F"))
            response = visitor.client.get(path, headers=visitor.headers)
            requested += 1
            assert response.status_code < 500, path[:200]
    print(f"{requested} nasty addresses asked for: 0 faults")
