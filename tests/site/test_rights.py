"""The right that each route needs; security headers, CSRF tokens and escaping."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from flask import Flask

from scorekeeper.games import games
from scorekeeper.site.pwa import game_styles

from ..support.filled import Circle, fill_circle, requests
from ..support.rights import ALL, ANSWERS, FAIR, send_request, who_may
from ..support.visitor import Visitor


@pytest.mark.parametrize("who", ["nobody", "host of another circle", "a removed phone", "watch", "score", "host"])
def test_each_right_allows_its_addresses_and_no_others(app: Flask, circle: Circle, another: Visitor, who: str) -> None:
    if who == "host of another circle":
        fill_circle(another, **{"seat-1": "Zoé"})
    elif who == "a removed phone":
        another.join(circle.host.link("watch"))
        circle.host.visit(f"{circle.path}links").send({}, "/phones/2/end")
    elif who != "nobody":
        another.join(circle.host.link(who))
    csrf = another.csrf_token()
    for rule, method, path in requests(app, circle.values):
        if not who_may(rule):
            continue
        status = send_request(another, method, path, csrf)
        if who not in ALL:
            assert status == 404, (method, path, status)
        elif who in who_may(rule):
            assert status in FAIR, (method, path, status)
        else:
            assert status == 403, (method, path, status)


def test_public_routes_need_no_right(app: Flask, circle: Circle, another: Visitor) -> None:
    csrf = another.csrf_token()
    for rule, method, path in requests(app, circle.values):
        if not who_may(rule):
            expected = ANSWERS.get((rule.endpoint, method), 200 if method == "GET" else 303)
            assert send_request(another, method, path, csrf) == expected, (method, path)


def test_a_request_for_the_headers_alone_is_answered_as_reading_is(app: Flask, circle: Circle) -> None:
    client = circle.host.client
    for _, method, path in requests(app, circle.values):
        if method == "GET":
            with client.head(path) as head, client.get(path) as answer:
                assert head.status_code == answer.status_code, path


def test_rows_of_another_circle_are_not_found(app: Flask, circle: Circle, another: Visitor) -> None:
    """The host's own paths, with the id of another circle's player, settlement, payment, deal or phone."""
    another.open_table("whist", **{"seat-1": "Zoé"})
    csrf = another.csrf_token()
    own = circle.values | {"token": another.visit("/").page.select("a[href^='/tables/']")[0]["href"]}
    own |= {"token": str(own["token"]).split("/")[2], "circle_token": another.circle.split("/")[2], "number": 2}
    another_phone = Visitor(app)
    another_phone.join(circle.host.link("score"))  # the other circle's phone 2
    numbered = {"player_token", "settlement_token", "deal_id", "number"}
    tried = 0
    for rule, method, path in requests(app, own):
        if not numbered & rule.arguments or not who_may(rule):
            continue
        status = send_request(another, method, path, csrf)
        assert status == 404, (method, path, status)
        tried += 1
    assert tried > 15


def test_forms_cannot_name_rows_of_another_circle(circle: Circle, another: Visitor) -> None:
    other = fill_circle(another, **{"seat-1": "Zoé"})
    csrf, theirs = another.csrf_token(), circle.values
    player, table, own = str(theirs["player_token"]), theirs["token"], other.path.rstrip("/")
    pay = {
        "at": "all",
        "giver": player,
        "taker": str(other.values["player_token"]),
        "account": "whist",
        "amount": "1",
        "of": "all",
        "seen": str(another.visit(f"{own}/settlement").find("form.pay [name=seen]")["value"]),
    }
    for path, fields, expected in (
        (f"{own}/people/{other.values['player_token']}/merge", {"into": player}, 422),
        (f"{own}/banker", {"person": player}, 400),
        (f"{own}/payments", pay, 422),
        (f"{own}/payments", pay | {"of": f"table:{table}"}, 404),
        (f"{own}/payments", pay | {"at": f"table:{table}"}, 404),
        (f"{own}/payments", pay | {"of": "settlement:1"}, 404),
        ("/tables/new/whist", {"like": table}, 404),
    ):
        assert send_request(another, "POST", path, csrf, **fields) == expected, (path, fields)
    banker = another.visit(f"{own}/settlement").find(".banker option[selected]")
    assert banker["value"] == ""
    for path in (f"{own}/settlement/why?of=table:{table}&account=whist", f"/tables/new/whist?like={table}"):
        assert another.visit(path).status == 404
    assert "/circles/" in another.join(f"{other.host.link('watch')}?table={table}").path


def test_no_page_shows_anything_of_another_circle(app: Flask, circle: Circle, another: Visitor) -> None:
    circle.host.visit(f"{circle.path}people/{circle.values['player_token']}")
    circle.host.send({"name": "Zénobie"}, "/rename")
    other = fill_circle(another)
    fields = dict.fromkeys(
        ("player", "giver", "taker", "with", "against", "after", "before"), circle.values["player_token"]
    )
    fields |= {"of": f"table:{circle.values['token']}", "account": "whist", "game": "whist"}
    query = "&".join(f"{name}={value}" for name, value in fields.items())
    for rule, method, path in requests(app, other.values):
        if who_may(rule) and method == "GET" and not path.endswith((".zip", "/sheet.json", "/stream")):
            assert "Zénobie".encode() not in another.client.get(f"{path}?{query}").data, path


# --- what every write needs --------------------------------------------------------------------------------


@pytest.mark.parametrize("token", [None, "another’s"])
def test_every_write_needs_the_csrf_token_of_its_session(
    app: Flask, circle: Circle, another: Visitor, token: str | None
) -> None:
    fields = {"csrf_token": another.csrf_token() if token else ""} if token is not None else {}
    written = 0
    for _rule, method, path in requests(app, circle.values):
        if method == "POST":
            answer = circle.host.client.post(path, data=fields | {"seen": "4", "key": "k"})
            assert answer.status_code == 400, path
            assert "Nothing was recorded" in answer.get_data(as_text=True)
            written += 1
    assert written > 30
    assert len(circle.host.visit(f"/tables/{circle.values['token']}/").export()["deals"]) == 4


def test_routes_write_only_by_post(app: Flask) -> None:
    for rule in app.url_map.iter_rules():
        assert (rule.methods or set()) <= {"GET", "HEAD", "OPTIONS", "POST"}, rule


# --- what every answer carries -----------------------------------------------------------------------------

CARRIED = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def test_every_response_has_the_security_headers(app: Flask, circle: Circle) -> None:
    csrf = circle.host.csrf_token()
    for rule, method, path in requests(app, circle.values):
        if rule.endpoint in ("static", "game_style"):
            continue  # files, whose names it does not know: the next test
        data = {"csrf_token": csrf, "seen": "0"} if method == "POST" else None
        answer = circle.host.client.open(path, method=method, data=data)
        answer.close()
        for name, value in CARRIED.items():
            expected = "strict-origin" if "secret" in rule.arguments and name == "Referrer-Policy" else value
            assert answer.headers[name] == expected, (path, name)
        policy = dict(part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";"))
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert {source for sources in policy.values() for source in sources.split()} == {"'none'", "'self'"}
        assert "camera=()" in answer.headers["Permissions-Policy"]
        caching = answer.headers["Cache-Control"]
        assert "no-store" in caching or rule.endpoint == "pwa.worker", (path, caching)
        assert answer.headers.get("Location", "/").startswith("/"), path


def test_files_are_kept_for_a_year(app: Flask) -> None:
    with app.test_request_context():
        paths = [app.url_for("static", filename=name) for name in ("css/main.css", "js/main.js", "icons/icon.svg")]
        paths += [path for game in games().values() for path in game_styles(game)]
    assert len(set(paths)) > 3
    for path in set(paths):
        answer = app.test_client().get(path)
        assert answer.status_code == 200
        assert "max-age=31536000" in answer.headers["Cache-Control"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        answer.close()


def test_over_https_the_cookie_is_secure_and_hsts_is_set(app: Flask) -> None:
    app.config["TRUSTED_HOSTS"] = ["scores.example"]
    for scheme in ("http", "https"):
        answer = app.test_client().get("/tables/new/whist", base_url=f"{scheme}://scores.example")
        cookie = answer.headers["Set-Cookie"].split("; ")
        assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie)
        assert ("Secure" in cookie) == (scheme == "https")
        assert ("Strict-Transport-Security" in answer.headers) == (scheme == "https")


ELSEWHERE = (
    *("//evil.example", "/\\evil.example", "https://evil.example/", "\\/evil.example", "evil.example"),
    *("/\t/evil.example", "/\n/evil.example", " //evil.example", "/ /evil.example", "/\r\nSet-Cookie: mine=1"),
    "javascript:alert(1)",
)


def test_the_language_switch_redirects_to_local_paths_only(visitor: Visitor) -> None:
    form = {"csrf_token": visitor.csrf_token(), "language": "fr"}
    for back in ELSEWHERE:
        answer = visitor.client.post("/language", data=form | {"back": back})
        assert (answer.status_code, answer.headers["Location"]) == (303, "/")


def test_the_language_switch_redirects_back(visitor: Visitor) -> None:
    visitor.visit("/tables/new/whist/draw?seat-1=Anne&seat-2=Chlo%C3%A9").send({"language": "fr"}, "/language")
    assert visitor.response.request.full_path == "/tables/new/whist/draw?seat-1=Anne&seat-2=Chlo%C3%A9"


def test_the_language_switch_of_a_refused_form_leads_back_to_the_forms_page(visitor: Visitor) -> None:
    path = "/tables/new/whist"
    assert visitor.visit(path).send({"seat-1": "Anne", "seat-2": "Anne"}).status == 422
    assert visitor.send({"language": "fr"}, "/language").status == 200
    assert visitor.response.request.full_path.rstrip("?") == path


def test_the_security_page_is_translated_and_names_the_contact(app: Flask) -> None:
    visitor = Visitor(app).visit("/").follow("Security")
    assert "Anyone who has a link gets its access" in visitor.text
    assert "Tell the people who run this server first" in visitor.text
    app.config["CONTACT"] = "club@example.org"
    assert "Prévenez les responsables de ce serveur : club@example.org" in Visitor(app, "fr").visit("/security").text


# --- what people call themselves ---------------------------------------------------------------------------

MARKUP = "<i class=mine>{{ 7*7 }}</i>\"'&amp;"


def test_names_with_markup_are_escaped(app: Flask, visitor: Visitor) -> None:
    circle = fill_circle(visitor, **{"seat-1": MARKUP, "seat-2": "x\" onfocus=mine autofocus='"})
    visitor.visit(f"{circle.path}").more().send({"title": f"Our {MARKUP}"}, "/title")
    visitor.visit(f"{circle.path}links").send({"name": MARKUP}, "/phones/1/name")
    visitor.visit(f"/tables/{circle.values['token']}/deals/adjustment").send(
        {"to": "ns", "amount": "1", "reason": MARKUP, "do": "record"}
    )
    shown = 0
    for rule, method, path in requests(app, circle.values):
        if method == "GET" and who_may(rule):
            answer = visitor.client.get(path, query_string={"account": "whist"})
            if answer.mimetype == "text/html":
                page = BeautifulSoup(answer.get_data(as_text=True), "html.parser")
                assert not page.select(".mine, [onfocus]"), path
                assert "mine>49<" not in page.get_text(), path
                shown += MARKUP in page.get_text()
    assert shown > 20


# What is typed, and what is stored.
INVISIBLE = (
    *(("An\u200bne", "Anne"), ("\u202eenna\u202c", "enna"), ("\u2066\u2068Anne\u2069 \ufeff", "Anne")),
    *(("A\u00adnne", "Anne"), ("\u200d\u200c Anne \u200d", "Anne")),
    *(("نمی\u200cخواهم", "نمی\u200cخواهم"), ("👩\u200d🌾", "👩\u200d🌾")),
)


def test_invisible_characters_do_not_make_another_person_and_are_no_name(visitor: Visitor) -> None:
    for typed, stored in INVISIBLE:
        visitor.open_table("whist", **{"seat-1": typed})
        assert visitor.export()["players"][0] == stored
        assert visitor.open_table("whist", **{"seat-1": typed, "seat-2": stored}).status == 422
    for nothing in ("\u200b", "\u200d\u200d", "\u3164", "\u2800 \u202e"):
        assert visitor.open_table("whist", **{"seat-1": nothing}).status == 422


def test_a_right_to_left_name_does_not_reverse_the_score_beside_it(visitor: Visitor) -> None:
    visitor.open_table("whist", **{"seat-1": "محمد"}).record(tricks="ns-3")
    assert "\u2068محمد\u2069" in visitor.visit(visitor.table).text
    assert "\u2068Bruno" not in visitor.text


TEMPLATES = Path(__file__).parents[2] / "templates"


def test_templates_have_no_inline_scripts_and_no_unescaped_output() -> None:
    unsafe = r"\|\s*safe\b|<style|<script(?![^>]*\ssrc=)|\sstyle=|autoescape|javascript:|<[^>]*\son\w+=\""
    foreign = r"(?:src|href|action)=[\"']?(?:https?:)?//"
    for path in TEMPLATES.glob("**/*.html"):
        assert not re.findall(f"{unsafe}|{foreign}", path.read_text(encoding="utf-8")), path
