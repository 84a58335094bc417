"""The right that each route needs; security headers, CSRF tokens and escaping."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from flask import Flask

from scorekeeper.events.phones import EventLink
from scorekeeper.games import games
from scorekeeper.models import Event, db
from scorekeeper.site.pwa import game_styles

from ..events.director import Director
from ..filled import Circle, fill_circle, requests
from ..visitor import Visitor, filled_in

ALL, SCORERS, HOSTS = ("watch", "score", "host"), ("score", "host"), ("host",)
FAIR = (200, 204, 303, 400, 409, 422)  # what who has the right is answered

# What each right may do with each address of a circle; for all others it does not exist.
FOR_ALL = {
    *("circles.more", "circles.more_of_table", "circles.show", "counter_checks.count", "deals.show"),
    *("event_entrants.check_in", "events.claim", "events.now", "events.stream"),
    *("event_results.card", "event_results.of_round", "event_results.show", "event_results.standings_csv"),
    *(
        "event_results.tables_csv",
        "event_setup.index",
        "event_table.now",
        "event_table.show",
        "event_displays.wall_now",
    ),
    *(
        "event_displays.wall",
        "events.show",
        "exchange.csv",
        "exchange.ledger",
    ),
    *("exchange.of_table", "exchange.show", "exchange.workbook"),
    *("exchange.zip_of_circle", "history.after", "history.balance", "history.changes"),
    *("history.chart", "history.deals", "history.printed", "history.recap", "history.score", "history.stake"),
    *("links.show", "live.now", "live.stream", "notices.save", "notices.show", "paying.details", "paying.pay"),
    *("people.show", "planned.answer", "planned.calendars", "planned.index", "planned.renew_calendar", "planned.show"),
    *("players.circle", "players.show", "search.evening", "search.tables", "seasons.index", "seasons.show"),
    *("seasons.trophies", "settlements.all_payments", "settlements.evening", "settlements.everything"),
    *("settlements.explanation", "settlements.of_table", "settlements.settlement", "standings.screen"),
    *("standings.show", "table.display", "exchange.sheet_of_table", "table.journal", "table.mine", "table.share_game"),
    *("table.show", "tonight.show"),
}
# Some are for a phone too whose own business it is, whatever its right: the receiver's, the person's, the table's.
FOR_SCORERS = {
    *("counter_checks.create", "deals.adjustment", "deals.amend", "deals.insert"),
    *("deals.new", "deals.restore", "deals.substitution", "deals.withdraw", "deals.withdraw_announcement"),
    *("event_director.draw", "event_director.end_call", "event_director.finish"),
    *("event_director.reopen", "event_director.show", "event_director.change_round"),
    "event_director.take_call",
    *("event_entrants.change", "event_entrants.show", "event_entrants.show_one"),
    *("events.links", "events.renew", "event_director.pay", "event_director.settle", "event_director.show_money"),
    *("event_director.waive", "event_table.open_pad", "event_displays.paper"),
    *("event_displays.printed", "event_setup.delete", "event_setup.new", "event_setup.settings"),
    *("event_slips.enter", "event_slips.show_round", "event_slips.show_table", "event_table.call"),
    *("event_table.confirm", "event_table.end_call", "event_table.send"),
    *("imports.import_sheets", "table.share", "new_table.edit_details", "planned.cancel", "planned.change"),
    *("planned.new", "seasons.change", "seasons.handicaps", "seasons.new", "seasons.remove", "seating_draw.draw_anew"),
    *("seating_draw.misdeal", "settlements.banker", "settlements.pay", "settlements.withdraw", "table.close"),
    *("table.redo", "table.remove", "table.reopen", "table.take_turns", "table.undo", "tonight.seat"),
    *("tonight.set_present",),
}
FOR_HOSTS = {
    *("circle_files.download", "circle_settings.erase", "circle_settings.set_switch"),
    *("circle_settings.set_time_zone", "circles.set_text"),
    *("links.dismiss_reminder", "links.download_sheet", "links.recover", "links.rename_browser", "links.renew"),
    *(
        "links.revoke_browser",
        "paying.change",
        "person_files.download",
        "people.erase",
        "person_files.show",
        "people.merge",
    ),
    "people.remove_newcomers",
    *("people.player", "people.rename", "people.retire", "people.unmerge", "settlements.confirm"),
    *("settlements.rounding",),
}
MAY = dict.fromkeys(FOR_ALL, ALL) | dict.fromkeys(FOR_SCORERS, SCORERS) | dict.fromkeys(FOR_HOSTS, HOSTS)
# What a guest of an event may do with addresses of the event; of the others it may know, but not use them.
GUESTS = {
    *("events.show", "events.claim", "event_entrants.check_in"),
    *("event_table.show", "event_table.now", "event_table.send", "event_table.confirm"),
    *("event_table.call", "event_table.end_call", "event_table.open_pad"),
    *("events.now", "events.stream", "event_displays.wall", "event_displays.wall_now"),
    *("event_results.show", "event_results.card", "event_results.of_round"),
    *("event_results.standings_csv", "event_results.tables_csv"),
}
# By the phone of this table only.
PLAYED = {
    *("event_table.open_pad", "event_table.call", "event_table.confirm", "event_table.end_call", "event_table.send"),
}
# What a guest may do at the table at which they play in the current round, with the game's pad.
PADS = {
    *("table.show", "table.undo", "table.redo", "live.now", "live.stream"),
    *("deals.new", "deals.amend", "deals.insert", "deals.show", "deals.withdraw", "deals.restore"),
    "deals.withdraw_announcement",
}
# What is no circle's, and what it answers to anybody: read, then sent.
OPEN_TO_ALL = {
    "static": {"GET": 200},
    "game_style": {"GET": 200},
    "home.home": {"GET": 200},
    "amounts.understood": {"GET": 200},
    "links.follow": {"GET": 303},  # to the address without the secret, which is wrong
    "links.join": {"POST": 303},  # the same
    "links.ended": {"GET": 404},
    "planned.follow": {"GET": 404},  # by an address that is wrong
    "events.open_link": {"GET": 303},  # as join.show
    "events.join": {"POST": 303},
    "events.ended": {"GET": 404},
    "new_table.choose_game": {"GET": 200},
    "new_table.open_table": {"GET": 200, "POST": 422},  # without players
    "new_table.enter_paper": {"GET": 200, "POST": 200},  # without a button: checked only
    "home.switch_language": {"POST": 303},
    "seating_draw.draw": {"GET": 200},
    "seating_draw.submit": {"POST": 422},  # without a card
    "rules.show": {"GET": 200},
    "event_rules.show": {"GET": 200},
    "home.security": {"GET": 200},
    "home.help_page": {"GET": 200},
    "home.make_sample": {"POST": 303},
    "event_sample.make": {"POST": 303},
    "circle_files.import_file": {"GET": 200, "POST": 422},  # without a file
    "health.alive": {"GET": 200},
    "health.ready": {"GET": 200},
    "notices.prepare": {"GET": 200},
    "notices.renew": {"POST": 204},  # of this device's browsers
    "pwa.worker": {"GET": 200},
    "pwa.manifest": {"GET": 200},
    "pwa.offline": {"GET": 200},
}


def event_with(token: str) -> Event:
    return db.session.scalars(db.select(Event).filter_by(token=token)).one()


def event_link(circle: Circle, kind: str, table: int | None = None) -> str:
    """Return the path of a link to the circle's event."""
    app = circle.host.client.application
    with app.app_context():
        link = EventLink.to(event_with(circle.values["event"]), kind, table)
    return f"/events/join/{link.signed(app.config['SECRET_KEY'])}"


@pytest.fixture
def circle(visitor: Visitor) -> Circle:
    return fill_circle(visitor)


def link(circle: Circle, right: str) -> str:
    """Return the path of one of the circle's links, read from the host's page."""
    field = circle.host.visit(f"/circles/{circle.name}/links").find(f"#link-{right}")
    return "/" + str(field["value"]).split("/", 3)[3]


def token_of(visitor: Visitor) -> str:
    return filled_in(visitor.visit("/tables/new/whist").form())["csrf_token"]


def send_request(visitor: Visitor, method: str, path: str, csrf: str, **fields: str) -> int:
    named = {"account": "whist"} | ({"of": "all", "at": "all"} if path.startswith("/circles/") else {})
    # The write is stale, so that it changes nothing even with the right to write.
    data = {"csrf_token": csrf, "seen": "0", "key": "k"} | named | fields if method == "POST" else None
    query = named if method == "GET" else None
    with visitor.client.open(path, method=method, data=data, query_string=query) as answer:
        return answer.status_code


def test_every_route_has_its_rights_listed(app: Flask) -> None:
    assert {rule.endpoint for rule in app.url_map.iter_rules()} == MAY.keys() | OPEN_TO_ALL.keys()


@pytest.mark.parametrize("who", ["nobody", "host of another circle", "a removed phone", "watch", "score", "host"])
def test_each_right_allows_exactly_the_listed_routes(app: Flask, circle: Circle, another: Visitor, who: str) -> None:
    if who == "host of another circle":
        fill_circle(another, **{"seat-1": "Zoé"})
    elif who == "a removed phone":
        another.join(link(circle, "watch")).visit(event_link(circle, "table", 1)).send({}, "/join")
        circle.host.visit(f"/circles/{circle.name}/links").send({}, "/browsers/2/end")
    elif who != "nobody":
        another.join(link(circle, who))
    csrf = token_of(another)
    for rule, method, path in requests(app, circle.values):
        if rule.endpoint not in MAY:
            continue
        status = send_request(another, method, path, csrf)
        if who not in ALL:
            assert status == 404, (method, path, status)
        elif who in MAY[rule.endpoint]:
            assert status in FAIR, (method, path, status)
        else:
            assert status == 403, (method, path, status)


@pytest.mark.parametrize("table", [1, None])
def test_a_guest_of_an_event_reaches_nothing_else(
    app: Flask, circle: Circle, another: Visitor, table: int | None
) -> None:
    another.visit(event_link(circle, "check-in" if table is None else "table", table)).send({}, "/join")
    csrf = token_of(another)
    for rule, method, path in requests(app, circle.values):
        if rule.endpoint not in MAY:
            continue
        status = send_request(another, method, path, csrf)
        if not rule.rule.startswith("/events/"):
            assert status == 404, (method, path, status)
        elif rule.endpoint in GUESTS and (table is not None or rule.endpoint not in PLAYED):
            assert status in FAIR, (method, path, status)
        else:
            assert status == 403, (method, path, status)


def test_a_guest_at_the_pad_reaches_only_its_pages(app: Flask, circle: Circle, another: Visitor) -> None:
    """The pages of the table that was opened for the event; of the circle's other table, none."""
    another.visit(event_link(circle, "table", 1)).send({}, "/join").send({}, "/pad")
    own = another.table.split("/")[2]
    another.record(tricks="ns-5")
    csrf = token_of(another)
    for token, at_own in ((circle.values["token"], False), (own, True)):
        for rule, method, path in requests(app, circle.values | {"token": token, "deal_id": 1 if at_own else 3}):
            if rule.endpoint not in MAY or rule.rule.startswith("/events/"):
                continue
            status = send_request(another, method, path, csrf)
            if at_own and rule.endpoint in PADS:
                assert status in FAIR, (method, path, status)
            else:
                assert status == 404, (method, path, status)


def test_who_has_a_link_to_look_at_an_event_reads_only(app: Flask, circle: Circle, another: Visitor) -> None:
    csrf, shared = token_of(another), event_link(circle, "watch").rpartition("/")[2]
    for rule, method, path in requests(app, circle.values):
        if rule.endpoint in MAY:
            data = {"csrf_token": csrf, "seen": "0", "key": "k"}
            address = f"{path}?shared={shared}"
            with another.client.open(address, method=method, data=data if method == "POST" else None) as answer:
                status = answer.status_code
            may = method == "GET" and rule.endpoint in GUESTS and rule.endpoint != "event_entrants.check_in"
            assert (status in (200, 204)) if may else (status == 404), (method, path, status)


def test_public_routes_need_no_right(app: Flask, circle: Circle, another: Visitor) -> None:
    csrf = token_of(another)
    for rule, method, path in requests(app, circle.values):
        if rule.endpoint in OPEN_TO_ALL:
            assert send_request(another, method, path, csrf) == OPEN_TO_ALL[rule.endpoint][method], (method, path)


def test_rows_of_another_circle_are_not_found(app: Flask, circle: Circle, another: Visitor) -> None:
    """The host's own paths, with the id of another circle's player, settlement, payment, deal or phone."""
    another.open_table("whist", **{"seat-1": "Zoé"})
    csrf = token_of(another)
    own = circle.values | {"token": another.visit("/").page.select("a[href^='/tables/']")[0]["href"]}
    own |= {"token": str(own["token"]).split("/")[2], "name": another.circle, "number": 2}
    another_phone = Visitor(app)
    another_phone.join(link(circle, "score"))  # the other circle's phone 2
    numbered = {"player_token", "settlement_token", "deal_id", "number"}
    tried = 0
    for rule, method, path in requests(app, own):
        if not numbered & rule.arguments or rule.endpoint not in MAY:
            continue
        status = send_request(another, method, path, csrf)
        assert status == 404, (method, path, status)
        tried += 1
    assert tried > 15


def test_forms_cannot_name_rows_of_another_circle(circle: Circle, another: Visitor) -> None:
    other = fill_circle(another, **{"seat-1": "Zoé"})
    csrf, theirs = token_of(another), circle.values
    player, table, own = str(theirs["player_token"]), theirs["token"], f"/circles/{other.name}"
    pay = {
        "at": "all",
        "giver": player,
        "taker": str(other.values["player_token"]),
        "amount": "1",
        "of": "all",
        "seen": str(another.visit(f"{own}/settlement").find("form.pay [name=seen]")["value"]),
    }
    for path, fields, expected in (
        (f"{own}/people/{other.values['player_token']}/merge", {"into": player}, 422),
        (f"{own}/banker", {"banker": player}, 404),
        (f"{own}/payments", pay, 422),
        (f"{own}/payments", pay | {"of": f"table:{table}"}, 404),
        (f"{own}/payments", pay | {"at": f"table:{table}"}, 404),
        (f"{own}/payments", pay | {"of": f"settlement:{theirs['settlement_token']}"}, 404),
        ("/tables/new/whist", {"like": table}, 404),
    ):
        assert send_request(another, "POST", path, csrf, **fields) == expected, (path, fields)
    assert another.visit(f"{own}/settlement").page.select_one("option[selected]") is None
    for path in (f"{own}/settlement/why?of=table:{table}&account=whist", f"/tables/new/whist?like={table}"):
        assert another.visit(path).status == 404
    assert "/circles/" in another.join(f"{link(other, 'watch')}?table={table}").path


def test_no_page_shows_anything_of_another_circle(app: Flask, circle: Circle, another: Visitor) -> None:
    circle.host.visit(f"/circles/{circle.name}/people/{circle.values['player_token']}")
    circle.host.send({"name": "Zénobie"}, "/rename")
    other = fill_circle(another)
    fields = dict.fromkeys(
        ("player", "giver", "taker", "with", "against", "after", "before"), circle.values["player_token"]
    )
    fields |= {"of": f"table:{circle.values['token']}", "account": "whist", "game": "whist"}
    query = "&".join(f"{name}={value}" for name, value in fields.items())
    for rule, method, path in requests(app, other.values):
        if rule.endpoint in MAY and method == "GET" and not path.endswith((".zip", "/sheet.json", "/stream")):
            assert "Zénobie".encode() not in another.client.get(f"{path}?{query}").data, path


# --- what every write needs --------------------------------------------------------------------------------


@pytest.mark.parametrize("token", [None, "another’s"])
def test_every_write_needs_the_csrf_token_of_its_session(
    app: Flask, circle: Circle, another: Visitor, token: str | None
) -> None:
    fields = {"csrf_token": token_of(another) if token else ""} if token is not None else {}
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
    csrf = token_of(circle.host)
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
    app.config["HOSTS"] = ("scores.example",)
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
    form = {"csrf_token": token_of(visitor), "language": "fr"}
    for back in ELSEWHERE:
        answer = visitor.client.post("/language", data=form | {"back": back})
        assert (answer.status_code, answer.headers["Location"]) == (303, "/")


def test_the_language_switch_redirects_back(visitor: Visitor) -> None:
    visitor.visit("/tables/new/whist/draw?seat-1=Anne&seat-2=Chlo%C3%A9").send({"language": "fr"}, "/language")
    assert visitor.response.request.full_path == "/tables/new/whist/draw?seat-1=Anne&seat-2=Chlo%C3%A9"


@pytest.mark.parametrize(
    ("page", "to", "fields"),
    [
        ("/tables/new/whist", "", {"seat-1": "Anne", "seat-2": "Anne"}),
        ("/circles/{circle}/events/new", "", {"title": ""}),
        ("{event}/entrants", "/entrants", {"names": "x" * 1000}),
    ],
)
def test_the_language_switch_of_a_refused_form_leads_back_to_the_forms_page(
    app: Flask, page: str, to: str, fields: dict[str, str]
) -> None:
    director = Director(Visitor(app))
    visitor, event = director.visitor, f"/events/{director.token}"
    path = page.format(circle=director.circle, event=event)
    assert visitor.visit(path).send(fields, to or None).status == 422
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
    visitor.visit(f"/circles/{circle.name}/").more().send({"title": f"Our {MARKUP}"}, "/title")
    visitor.visit(f"/circles/{circle.name}/links").send({"name": MARKUP}, "/browsers/1/name")
    visitor.visit(f"/tables/{circle.values['token']}/deals/adjustment").send(
        {"to": "ns", "amount": "1", "reason": MARKUP, "do": "record"}
    )
    shown = 0
    for rule, method, path in requests(app, circle.values):
        if method == "GET" and rule.endpoint in MAY:
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


TEMPLATES = Path(__file__).parents[3] / "templates"


def test_templates_have_no_inline_scripts_and_no_unescaped_output() -> None:
    unsafe = r"\|\s*safe\b|<style|<script(?![^>]*\ssrc=)|\sstyle=|autoescape|javascript:|<[^>]*\son\w+=\""
    foreign = r"(?:src|href|action)=[\"']?(?:https?:)?//"
    for path in TEMPLATES.glob("**/*.html"):
        assert not re.findall(f"{unsafe}|{foreign}", path.read_text(encoding="utf-8")), path
