"""Links, addresses, tags and caches, once what they belong to is gone and its ids are given to others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from bs4 import BeautifulSoup, Tag
from click.testing import CliRunner
from flask import Flask
from werkzeug.routing import IntegerConverter

from scorekeeper.cli.main import main
from scorekeeper.db.copying import reset_sequences
from scorekeeper.events.drawing import Result
from scorekeeper.models import Browser, Event, Player, Settlement, Table, db
from scorekeeper.models import Circle as CircleRow
from scorekeeper.services.access.devices import browsers_of_device
from scorekeeper.services.circles.lifecycle import erase_circle
from scorekeeper.services.events import phones, results, rounds, setup
from scorekeeper.services.events.results import ResultRequest
from scorekeeper.services.outcome import Done

from ...filled import Circle, begin_event, fill_circle, requests
from ...visitor import Visitor, filled_in, tag_of
from .test_rights import (
    MAY,
    event_link,
    event_with,
    link,
    send_request,
    token_of,
)

IDENTIFIED = (CircleRow, Table, Event, Settlement, Browser)


class Backups(NamedTuple):
    """The database of an app, which can be backed up and restored beside it, as a host does."""

    app: Flask
    folder: Path

    def _run(self, *arguments: str) -> None:
        url = str(self.app.config["SQLALCHEMY_DATABASE_URI"])
        settings = {"DATABASE_URL": url, "SCOREKEEPER_INSTANCE": str(self.folder), "LC_ALL": "en"}
        done = CliRunner().invoke(main, arguments, env=settings)
        assert done.exit_code == 0, done.output

    def back_up(self) -> None:
        self._run("backup", str(self.folder / "copy"))

    def restore(self) -> None:
        self._run("restore", str(self.folder / "copy"), "--yes")

    def give_ids_again(self) -> None:
        """Have PostgreSQL give the ids of deleted rows again, as after a restore; SQLite does so by itself."""
        with self.app.app_context(), db.engine.begin() as connection:
            reset_sequences(connection)

    def ids(self) -> list[int]:
        with self.app.app_context():
            return [db.session.scalars(db.select(db.func.max(model.id))).one() for model in IDENTIFIED]


@pytest.fixture
def backups(app: Flask, tmp_path: Path) -> Backups:
    return Backups(app, tmp_path)


class Left(NamedTuple):
    """What is left of a circle on phones and paper.

    Attributes:
        phones: the host's, a member's, and that of a table of its event.
        links: to the circle and to its event.
        shared: the secrets of those to its event.
    """

    phones: list[Visitor]
    links: list[str]
    shared: list[str]


def leave(app: Flask, circle: Circle) -> Left:
    """Join a circle and its event, and look at every page."""
    member, at_pad = Visitor(app).join(link(circle, "watch")), Visitor(app)
    at_pad.visit(event_link(circle, "table", 1)).send({}, "/join").send({}, "/pad")
    to_event = [event_link(circle, kind, 1 if kind == phones.AT_TABLE else None) for kind in phones.KINDS]
    links = [*(link(circle, right) for right in ("watch", "score", "host")), *to_event]
    list(answers(circle.host, circle, "GET"))
    shared = [address.rpartition("/")[2] for address in to_event]
    return Left([circle.host, member, at_pad], links, shared)


def answers(visitor: Visitor, circle: Circle, *methods: str, query: str = "") -> Iterator[tuple[str, int]]:
    """Ask for every address of a circle, read from the list of routes; yield it with its status."""
    csrf = token_of(visitor) if "POST" in methods else ""
    for rule, method, path in requests(visitor.client.application, circle.values):
        if rule.endpoint in MAY and method in methods:
            if query:
                with visitor.client.get(path + query) as answer:
                    yield f"{method} {path}", answer.status_code
            else:
                yield f"{method} {path}", send_request(visitor, method, path, csrf)


NUMBERS = {"number", "deal_id", "round_number", "entrant_number"}  # in a circle, at a table, in an event
OF_ROW = r"(?<!\bdeal)\.(?:id|[a-z]+_id)\b"


def test_no_address_or_field_has_the_id_of_a_row(app: Flask) -> None:
    converters = [each for rule in app.url_map.iter_rules() for each in rule._converters.items()]
    assert {name for name, converter in converters if isinstance(converter, IntegerConverter)} == NUMBERS
    assert not [name for name, _ in converters if name.endswith("_id") and name not in NUMBERS]
    named = re.compile(rf"""(?:name|value)="[^"]*{{{{[^}}]*{OF_ROW}|url_for\([^)]*={"[^,)]*"}{OF_ROW}""")
    templates = Path(app.root_path, str(app.template_folder)).rglob("*.html")
    found = [(path.name, match[0]) for path in templates for match in named.finditer(path.read_text())]
    assert found == []


@pytest.mark.parametrize("way", ["erased", "restored"])
def test_nothing_of_a_circle_that_is_gone_opens_another(app: Flask, backups: Backups, way: str) -> None:
    backups.back_up()
    circle = fill_circle(Visitor(app))
    before = backups.ids()
    old = leave(app, circle)
    if way == "restored":
        backups.restore()
    else:
        with app.app_context():
            assert erase_circle(db.session.scalars(db.select(CircleRow.id)).one())
        backups.give_ids_again()
    new = fill_circle(Visitor(app), **{"seat-1": "Zénobie"})
    assert backups.ids() == before  # else this shows nothing
    for visitor in old.phones:
        for asked in (circle, new):
            assert [answer for answer in answers(visitor, asked, "GET", "POST") if answer[1] != 404] == []
        assert "Zénobie" not in visitor.visit("/").text
    for address in old.links:
        opened = Visitor(app).visit(address)
        assert (opened.status, "Zénobie" in opened.text) == (404, False), address
    for secret in old.shared:
        query = f"?shared={secret}"
        assert {asked for asked, status in answers(Visitor(app), new, "GET", query=query) if status != 404} == set()


def test_the_links_of_a_deleted_event_open_no_later_one(app: Flask, backups: Backups) -> None:
    circle = fill_circle(Visitor(app))
    other = Visitor(app).open_table("whist", **{"seat-1": "Zénobie"})
    with circle.host.client.session_transaction() as session:
        secret = session["device"]
    with app.app_context():
        by = browsers_of_device(secret)[0]
        rounds.undo(event_with(circle.values["event"]), 1, by)
        old = [event_link(circle, kind, 1 if kind == phones.AT_TABLE else None) for kind in phones.KINDS]
        id_ = event_with(circle.values["event"]).id
        assert setup.delete_event(event_with(circle.values["event"]), by) is None
    backups.give_ids_again()
    token = begin_event(Circle(other, other.circle, {}))
    with app.app_context():
        assert event_with(token).id == id_
    for address in old:
        phone = Visitor(app).visit(address)
        assert (phone.status, phone.path) == (404, "/events/join")
        assert phone.visit(f"/events/{token}?shared={address.rpartition('/')[2]}").status == 404


# --- going on from an older backup -----------------------------------------------------------------------------


def go_on(circle: Circle, name: str, tricks: str, first: int) -> None:
    """Write to the table, its settlement and the event, as often whatever is written."""
    host = circle.host
    host.visit(f"/circles/{circle.name}/people/{circle.values['player_token']}").send({"name": name}, "/rename")
    host.visit(f"/tables/{circle.values['token']}/").record(tricks=tricks)
    with host.client.session_transaction() as session:
        secret = session["device"]
    with host.client.application.app_context():
        by = browsers_of_device(secret)[0]
        for table in (1, 2):
            result = ResultRequest(1, table, 0, f"{name}-{table}", Result((first, 13 - first)), is_slip=True)
            assert results.record(event_with(circle.values["event"]), result, by) == Done(1)
        assert rounds.finish(event_with(circle.values["event"]), by) is None


def shown(circle: Circle) -> dict[str, tuple[str | None, bytes]]:
    """Return what each page shows to the host, with its tag, and as a phone asks that has seen the first deals."""
    found = {}
    for rule, method, path in requests(circle.host.client.application, circle.values):
        if rule.endpoint in MAY and method == "GET":
            with circle.host.client.get(path, headers={"If-None-Match": '"4-0"'}) as answer:
                found[path] = answer.headers.get("ETag"), answer.get_data()
    return found


def test_after_a_restore_nothing_is_shown_of_what_it_has_undone(app: Flask, backups: Backups) -> None:
    circle = fill_circle(Visitor(app))
    phone = Visitor(app).visit(event_link(circle, "table", 2)).send({}, "/join")
    backups.back_up()
    go_on(circle, "Oldina", "ns-6", 13)
    before = shown(circle)
    page = tag_of(circle.host.visit(f"/tables/{circle.values['token']}/").find("[data-follow]"))
    assert sum(b"Oldina" in text for _, text in before.values()) > 15
    backups.restore()
    go_on(circle, "Newton", "ew-6", 0)
    after = shown(circle)
    assert {path for path, (_, text) in after.items() if b"Oldina" in text} == set()
    assert {path for path, (tag, _) in after.items() if tag is not None and tag == before[path][0]} == set()
    for path, (tag, _) in before.items():
        if tag is not None:
            assert circle.host.client.get(path, headers={"If-None-Match": tag}).status_code == 200, path
    table = f"/tables/{circle.values['token']}/now"
    assert circle.host.client.get(table, headers={"If-None-Match": page}).status_code == 200
    assert phone.visit(f"/events/{circle.values['event']}/tables/2").status == 200  # it joined before the backup


def test_a_page_from_before_a_restore_can_undo_and_record_nothing_else(app: Flask, backups: Backups) -> None:
    host = Visitor(app).open_table("whist").record(tricks="ns-1")
    table = host.table
    backups.back_up()
    host.record(tricks="ns-6")
    old = filled_in(host.visit(table).form("/undo"))
    pad = filled_in(host.visit(f"{table}deals/new").form()) | {"tricks": "ns-2", "do": "record"}
    backups.restore()
    host.visit(table).record(tricks="ew-6")
    recorded = host.visit(table).export()
    for path, data in (("undo", old), ("deals/new", pad)):
        assert host.client.post(table + path, data=data).status_code == 409
    assert host.visit(table).export() == recorded


def test_a_page_from_before_a_restore_changes_no_other_payment_or_phone(app: Flask, backups: Backups) -> None:
    host = Visitor(app).open_table("whist", **{"currency": "EUR", "amount": "1"})
    for _ in range(4):
        host.visit(host.table).record(tricks="ns-5")
    circle, settlement = f"/circles/{host.circle}", f"{host.table}settlement"
    scoring = link(Circle(host, host.circle, {}), "score")
    host.visit(f"{circle}/settlement").send({"confirms_payments": "yes"}, "/confirmations")

    def go_on() -> tuple[str, list[tuple[str, dict[str, str]]]]:
        """Pay, let a phone join; return the circle's file, and the forms about them."""
        unpaid = filled_in(host.visit(settlement).find(".due form.pay"))
        host.send({}, form=host.find(".due form.pay"))
        Visitor(app).join(scoring)
        pages = (
            *((f"{circle}/payments", "/withdraw"), (f"{circle}/settlement", "/payments/1/confirm")),
            *((f"{circle}/links", "/end"), (f"{circle}/links", "/browsers/2/name")),
        )
        forms = [(str(form["action"]), filled_in(form)) for page, end in pages for form in [host.visit(page).form(end)]]
        stale = filled_in(host.visit(f"{circle}/settlement").find("form.pay")) | {"amount": "1"}
        assert stale["seen"] != unpaid["seen"]
        return host.visit(f"{circle}/circle.json").response.get_data(as_text=True), [
            *forms,
            (f"{circle}/payments", stale),
        ]

    backups.back_up()
    _, old = go_on()
    backups.restore()
    before, _ = go_on()
    assert {endpoint_of(app, path) for path, _ in old} >= {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/circles/") and "number" in rule.arguments and "POST" in (rule.methods or ())
    }
    for path, data in old:
        assert host.client.post(path, data=data).status_code == 409, path
    assert host.visit(f"{circle}/circle.json").response.get_data(as_text=True) == before


def test_an_address_or_form_of_a_person_who_is_gone_leads_to_nobody_else(app: Flask, backups: Backups) -> None:
    circle = fill_circle(Visitor(app))
    host, name = circle.host, circle.name

    def come(who: str) -> tuple[int, dict[str, object]]:
        """Add a player; return the id, and a route's values with the token."""
        host.visit(f"/circles/{name}/tonight").send({"name": who})
        with app.app_context():
            player = db.session.scalars(db.select(Player).filter_by(name=who)).one()
            return player.id, circle.values | {"player_token": player.token}

    backups.back_up()
    oldina, old = come("Oldina")
    forms = forms_with(host, str(old["player_token"]), old, circle.values)
    table, event = f"/tables/{circle.values['token']}/", f"/events/{circle.values['event']}"
    token, other = str(old["player_token"]), str(circle.values["player_token"])
    forms += [  # which pages have only at times, or for people who play
        (f"/circles/{name}/tonight/seat", {"game": "whist", "seat-1": token, "seat-2": other}),
        (f"{table}turns", {"chair-1": "1", "person-1": token, "seen": marks(host, table)}),
        (f"{event}/entrants/1", {"do": "leave", "last_round": "1", "person": token}),
        (f"{event}/money/payments", {"person": token, "subunits": "1"}),
    ]
    assert endpoints_naming_people(app) <= {endpoint_of(app, path) for path, _ in forms}
    backups.restore()
    assert come("Newton")[0] == oldina  # else this shows nothing
    csrf, before = token_of(host), host.visit(f"/circles/{name}/circle.json").response.get_data()
    for rule, method, path in requests(app, old):
        if "player_token" in rule.arguments:
            assert send_request(host, method, path, csrf) == 404, path
    for path, fields in forms:
        send_request(host, "POST", path, csrf, **fields)
    after = host.visit(f"/circles/{name}/circle.json").response.get_data()
    assert after == before


def marks(host: Visitor, table: str) -> str:
    return str(host.visit(table).find("[name=seen]")["value"])


FORM = re.compile(r"""<form method="post"[^>]*url_for\('([a-z_.]+)'.*?</form>""", re.DOTALL)
PERSON = re.compile(r"""(?:name|value)="[^"]*\{\{[^}"]*(?:\.token|\bperson)\b""")


def endpoints_naming_people(app: Flask) -> set[str]:
    """Return the endpoints whose forms in the templates have a field for a person."""
    templates = Path(app.root_path, str(app.template_folder)).rglob("*.html")
    forms = [form for path in templates for form in FORM.finditer(path.read_text())]
    return {form[1] for form in forms if PERSON.search(form[0])} - {"table.show"}  # its address goes on


def forms_with(host: Visitor, token: str, *values: dict[str, object]) -> list[tuple[str, dict[str, str]]]:
    """Find the forms of all pages that can name this person; return each with its address, naming the person."""
    found: dict[tuple[str, ...], tuple[str, dict[str, str]]] = {}
    for path in {path for each in values for path in pages_of(host.client.application, each)}:
        with host.client.get(path, query_string={"of": "all", "at": "all"}) as answer:
            page = (
                BeautifulSoup(answer.get_data(as_text=True), "html.parser") if answer.mimetype == "text/html" else None
            )
        for form in page.select("form[method=post]") if page is not None else ():
            named = naming(form, token)
            action = str(form.get("action", path))
            if named:
                found[action, *sorted(named)] = action, filled_in(form) | named
    return list(found.values())


def pages_of(app: Flask, values: dict[str, object]) -> Iterator[str]:
    for rule, method, path in requests(app, values):
        if rule.endpoint in MAY and method == "GET":
            yield path


def naming(form: Tag, token: str) -> dict[str, str]:
    """Return the fields of a form with which it names this person; none if it cannot."""
    options = form.select(f'select[name] option[value="{token}"]')
    named = {str(option.find_parent("select")["name"]): token for option in options}  # type: ignore[index]  # it has one
    for field in form.select("[name]"):
        name, value = str(field["name"]), str(field.get("value", ""))
        if token in name:
            named[name] = value or "1"
        elif token in value:
            named[name] = value
    return named


def endpoint_of(app: Flask, path: str) -> str:
    return str(app.url_map.bind("localhost").match(path.partition("?")[0], method="POST")[0])


def test_a_link_renewed_after_the_backup_opens_nothing_else_once_it_is_renewed_again(
    app: Flask, backups: Backups
) -> None:
    circle = fill_circle(Visitor(app))

    def renew() -> str:
        circle.host.visit(f"/events/{circle.values['event']}/links").send({}, "/links/renew")
        return event_link(circle, phones.AT_TABLE, 1)

    backups.back_up()
    renewed = renew()
    guest = Visitor(app).visit(renewed).send({}, "/join")
    backups.restore()
    for _ in range(2):
        assert Visitor(app).visit(renewed).path == "/events/join"
        assert guest.client.get(f"/events/{circle.values['event']}").status_code == 404
        renew()
