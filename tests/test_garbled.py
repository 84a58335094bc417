"""Garbled sheets, forms and circle files: each is taken, or refused with what is wrong, and nothing fails."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from copy import deepcopy
from itertools import cycle
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from flask import Flask
from hypothesis import given, settings
from hypothesis import strategies as st
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import HTTPException

from scorekeeper.files.sheets import read_sheet
from scorekeeper.games import games
from scorekeeper.i18n import problem_text
from scorekeeper.scoring.problems import Refusal
from scorekeeper.scoring.sheet import score
from scorekeeper.tables.caches import verify

from .support.apps import MakeApp
from .support.filled import Circle, fill_circle, requests
from .support.game_data import all_cases
from .support.visitor import Visitor, filled_in

SHEETS = [case["sheet"] for case in all_cases().values()]
HALF = "\ud800"  # half of a surrogate pair; JSON can express it, UTF-8 cannot
HUGE = ("9" * 5_000, "x" * 5_000, "a" + "\u0301" * 2_000)
WORDS = (
    *(
        "",
        " ",
        "0",
        "-1",
        "1e3",
        "1_0",
        "1,000",
        "1.000",
        "٣",
        "½",
        "−5",
        "NaN",
        "1e999",
        "2147483648",
        "9" * 19,
        "9" * 30,
    ),
    *("\t", "\r\nX-Injected: yes", "\0", "\x1b[31m", "\u2028", "\u202e", "\u200b", "👩‍👩‍👧", "אבג", "ß", "ﬀ"),
    *("<script>", '"', "'; --", "\\", "{{ 7*7 }}", "{x}", "{0}", "%s", "../", "//elsewhere.test/", "javascript:x"),
    *("=1+1",),
    *("ns", "ns-99", "Anne", "Pot", "record", "misdeal", "EUR", "XXX", "whist", "table:x", "null"),
    *("2026-02-30", "0001-01-01", "9999-12-31", "10000-01-01", "2026-W01-1", "day:9999-12-31", "25:00"),
)
TEXTS = st.sampled_from(WORDS) | st.text(max_size=20)
VALUES: st.SearchStrategy[Any] = (
    st.sampled_from((None, True, 0, -1, 13, 10**9, 2**63, 10**400, 0.5, 1e308, HALF, {HALF: 1}, [[]], [None] * 50, {}))
    | TEXTS
    | st.integers(-20, 20)
)


def positions(document: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each value's place: what holds it, and its key or index."""
    for key, value in document.items() if isinstance(document, dict) else enumerate(document):
        yield document, key
        if isinstance(value, dict | list):
            yield from positions(value)


@st.composite
def garble(draw: st.DrawFn, document: Any) -> Any:
    """Change one place of a document, or a few."""
    document = deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        places = list(positions(document))
        if not places:
            break
        holder, key = places[draw(st.integers(0, len(places) - 1))]
        match draw(st.sampled_from(("replace", "nudge", "remove", "double", "nest"))):
            case "nudge" if type(holder[key]) is int:
                holder[key] += draw(st.sampled_from((-2, -1, 1, 10)))
            case "remove":
                del holder[key]
            case "double" if isinstance(holder, list):
                holder[key:key] = [deepcopy(holder[key])] * draw(st.sampled_from((1, 2, 50)))
            case "nest":
                holder[key] = [holder[key]]
            case _:
                holder[key] = deepcopy(draw(VALUES))  # a later change may reach into it
    return document


@st.composite
def garbled_bytes(draw: st.DrawFn, document: Any) -> bytes:
    """Garble a document and the bytes of it."""
    text = json.dumps(draw(garble(document)), ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
    return draw(garble_bytes(text))


@st.composite
def garble_bytes(draw: st.DrawFn, text: bytes) -> bytes:
    """Leave bytes as they are, cut them off, put others between, or write them in another encoding."""
    start = draw(st.integers(0, len(text)))
    match draw(st.sampled_from(("whole", "whole", "whole", "cut", "insert", "utf-16"))):
        case "cut":
            text = text[:start]
        case "insert":
            text = (
                text[:start] + draw(st.sampled_from((b"\xff", b"\0", b'"', b"{", b"[" * 5_000, b"NaN"))) + text[start:]
            )
        case "utf-16":
            text = text.decode("utf-8", "replace").encode("utf-16")
    return text


# --- sheets ------------------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(st.sampled_from(SHEETS).flatmap(garble))
def test_a_garbled_sheet_gives_a_statement_that_balances_or_says_where_it_is_wrong(sheet: Any) -> None:
    result = score(sheet, games())
    if isinstance(result, Refusal):
        assert result.number is None or result.number > 0
        for problem in result.problems:
            assert problem.field or problem.key == "unknown-key"  # the key may be empty
            assert f"{problem.field} {problem_text(problem, 'en')}".encode()
    else:
        balances: Any = result["balances"]
        assert json.dumps(result, ensure_ascii=False).encode()
        assert all(sum(held[unit] for held in balances.values()) == 0 for unit in next(iter(balances.values())))


@settings(max_examples=100)
@given(st.sampled_from(SHEETS).flatmap(garbled_bytes))
def test_the_garbled_file_of_a_sheet_is_read_or_refused(file: bytes) -> None:
    incoming = read_sheet(file)
    if isinstance(incoming, Refusal):
        assert all(problem_text(problem, "en").encode() for problem in incoming.problems)


# --- forms -------------------------------------------------------------------------------------------------

FAIR = {200, 204, 303, 400, 403, 404, 409, 413, 422, 429}
ENDS_ACCESS = {"links.renew", "circle_settings.erase"}
Form = tuple[str, dict[str, str]]  # where it is sent, and its fields as a phone fills them in


@pytest.fixture
def forms(app: Flask, circle: Circle) -> list[Form]:
    """Every form that writes: of each address one from a page, or without fields if no page has it."""
    found: dict[str, Form] = {}
    csrf = circle.host.csrf_token()
    for rule, method, path in requests(app, circle.values):
        if method == "POST":
            found.setdefault(rule.endpoint, (path, {"csrf_token": csrf, "seen": "0", "key": rule.endpoint}))
    for rule, method, path in requests(app, circle.values):
        if method == "GET" and not rule.endpoint.endswith("stream"):
            with circle.host.client.get(path) as answer:
                page = answer.get_data(as_text=True) if answer.mimetype == "text/html" else ""
            for form in BeautifulSoup(page, "lxml").select("form[method=post]"):
                action = str(form.get("action", path))
                found[endpoint_of(app, action)] = action, fields_of(form)
    return [form for endpoint, form in sorted(found.items()) if endpoint and endpoint not in ENDS_ACCESS]


def endpoint_of(app: Flask, path: str) -> str:
    try:
        return str(app.url_map.bind("localhost").match(path.partition("?")[0], method="POST")[0])
    except HTTPException:
        return ""


def fields_of(form: Tag) -> dict[str, str]:
    """Return what a phone sends, with all that could be chosen too, and the first button."""
    choices = {
        str(field["name"]): str(field.get("value", "on")) for field in form.select("[type=radio], [type=checkbox]")
    }
    buttons = {str(button["name"]): str(button.get("value", "")) for button in reversed(form.select("button[name]"))}
    return choices | filled_in(form) | buttons


def send(visitor: Visitor, path: str, fields: dict[str, Any]) -> None:
    """Send a form; in tests, whatever the app raises is raised here."""
    with visitor.client.post(path, data=MultiDict(fields), headers=visitor.headers) as answer:
        assert answer.status_code in FAIR, (path, fields)


@pytest.mark.slow
@settings(max_examples=2)
@given(data=st.data())
def test_no_form_fails_when_its_fields_are_missing_empty_huge_or_garbled(
    app: Flask, circle: Circle, forms: list[Form], data: st.DataObject
) -> None:
    assert len(forms) > 60
    for path, fields in forms:
        kept = {name: value for name, value in fields.items() if name in ("csrf_token", "do")}
        own, any_field = sorted(fields.keys() - kept.keys()), sorted(fields.keys() - {"csrf_token"})
        chosen = data.draw(st.lists(st.sampled_from(any_field), min_size=1, max_size=3)) if any_field else []
        garbled: dict[str, Any] = {name: data.draw(TEXTS | st.lists(TEXTS, max_size=2)) for name in chosen}
        huge = dict(zip(own, cycle(data.draw(st.permutations(HUGE))), strict=False))
        for sent in (kept, kept | dict.fromkeys(own, ""), kept | huge, fields | garbled):
            send(circle.host, path, sent)
    with app.app_context():
        assert verify().faults == []


@pytest.mark.parametrize("page", ["table", "season"])
def test_a_form_with_a_field_without_a_name_is_refused(visitor: Visitor, table: str, page: str) -> None:
    path = f"{table}deals/new" if page == "table" else f"{visitor.circle}seasons/new"
    fields = {None: "nobody", "csrf_token": visitor.csrf_token()}
    parts = (("" if name is None else f'; name="{name}"', value) for name, value in fields.items())
    body = "".join(f"--x\r\nContent-Disposition: form-data{name}\r\n\r\n{value}\r\n" for name, value in parts)
    answer = visitor.client.post(path, data=f"{body}--x--\r\n", content_type="multipart/form-data; boundary=x")
    assert answer.status_code == 400


# --- circle files ------------------------------------------------------------------------------------------


@pytest.fixture
def unlimited(database: str, make_app: MakeApp) -> Visitor:
    """A visitor of an app that does not limit how many circles are made."""
    return Visitor(make_app(database, RATELIMIT_ENABLED=False))


@pytest.fixture
def circle_file(unlimited: Visitor) -> Any:
    return json.loads(unlimited.client.get(f"{fill_circle(unlimited).path}circle.json").get_data())


def in_lines(document: dict[str, Any]) -> bytes:
    """Return a document as an export writes it, each item on a line."""
    lines = (
        "[\n" + ",\n".join(map(json.dumps, value)) + "\n]" if isinstance(value, list) else json.dumps(value)
        for value in document.values()
    )
    named = (f"{json.dumps(name)}: {line}" for name, line in zip(document, lines, strict=True))
    return ("{\n" + ",\n".join(named) + "\n}\n").encode()


@pytest.mark.slow
@settings(max_examples=40)
@given(data=st.data())
def test_the_garbled_file_of_a_circle_is_imported_or_refused(
    unlimited: Visitor, circle_file: Any, data: st.DataObject
) -> None:
    form = filled_in(unlimited.visit("/import-circle").form())
    file = io.BytesIO(data.draw(garble_bytes(in_lines(data.draw(garble(circle_file))))))
    fields = form | {"file": (file, "circle.json")}
    with unlimited.client.post("/import-circle", data=fields, headers=unlimited.headers) as answer:
        assert answer.status_code in (303, 422)
