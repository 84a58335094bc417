"""A circle with tables of a game that was uninstalled: every page works, nothing is lost, no debt changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import func, select
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from scorekeeper import games as registry
from scorekeeper import i18n
from scorekeeper.circles.phones import find_membership
from scorekeeper.cli.main import main
from scorekeeper.db.outcome import Done
from scorekeeper.files.circle_transfer import export, import_circle
from scorekeeper.games import find_folder, games
from scorekeeper.models import Circle, Membership, Payment, Revision, Summary, Table, db, new_secret, new_token
from scorekeeper.scoring import schema, sheet
from scorekeeper.scoring.game import AnyGame
from scorekeeper.scoring.problems import Problem
from scorekeeper.scoring.sheet import Sheet
from scorekeeper.tables import caches, revisions
from scorekeeper.tables.chairs import rename_players
from scorekeeper.tables.opening import Opening, open_table
from scorekeeper.tables.reading import read_table
from scorekeeper.tables.revisions import Change
from scorekeeper.tables.writing import write

from ..support.filled import VALUES, requests
from ..support.rights import who_may
from ..support.visitor import Visitor, filled_in


def example_of(game: AnyGame) -> Sheet:
    """Return the example in the game's folder."""
    raw: Any = json.loads((find_folder(game) / "example.json").read_text(encoding="utf-8"))
    loaded = sheet.load(raw, games())
    assert isinstance(loaded, Sheet)
    return loaded


@contextmanager
def uninstalled(*slugs: str) -> Iterator[None]:
    """Be without these games, and without their words, as a process that was started after they were removed."""
    installed = registry._installed()
    left = MappingProxyType({slug: game for slug, game in installed.games.items() if slug not in slugs})
    with patch.object(registry, "_installed", lambda: installed._replace(games=left)):
        _forget_words()
        try:
            yield
        finally:
            _forget_words()


def _forget_words() -> None:
    i18n.catalogue.cache_clear()
    i18n.read_messages.cache_clear()


def play(
    membership: Membership, device_secret: str, game: AnyGame, *, has_stakes: bool = False, is_finished: bool = True
) -> str:
    """Open a table with the example of a game, or all but its last deal; return the table's token."""
    example = example_of(game)
    stakes = {"currency": "EUR", "unit": game.units[0].removesuffix("s"), "amount": "0.25"} if has_stakes else None
    rules = schema.dump(example.options)
    opened = open_table(Opening(game, example.players, example.dealer, rules, stakes), new_token(), membership)
    assert isinstance(opened, Done), opened
    found = read_table(device_secret, opened.value)
    assert found is not None
    table, author, _ = found
    seats = {name: seat for seat, name in table.names.items()}
    for number, deal in enumerate(example.deals[: None if is_finished else -1]):
        change = Change(revisions.RECORD, body=rename_players(game, deal, seats))
        recorded = write(table, [change], table.seen, f"{opened.value}-{number}", author)
        assert isinstance(recorded, Done), recorded
        table = recorded.value.table
    return opened.value


class Evening(NamedTuple):
    """A circle with tables of `gone` and of another game.

    At `unfinished` a deal is missing. At `in_money` they play for euros, and one payment was made.
    """

    host: Visitor
    gone: str
    other: str
    name: str
    unfinished: str
    in_money: str
    values: dict[str, Any]


@pytest.fixture
def evening(app: Flask, visitor: Visitor) -> Evening:
    gone, other = "francion", "whist"
    visitor.open_table(other)
    name = visitor.circle.split("/")[2]
    with visitor.client.session_transaction() as session:
        secret = str(session["device"])
    with app.app_context():
        membership = find_membership(secret, name)
        assert membership is not None
        unfinished = play(membership, secret, games()[gone], is_finished=False)
        play(membership, secret, games()[gone])
        in_money = play(membership, secret, games()[gone], has_stakes=True)
        play(membership, secret, games()[other], has_stakes=True)
        day = db.session.scalars(select(Table.day)).first()
    visitor.visit(f"/tables/{in_money}/settlement")
    visitor.send({}, form=visitor.find(".due form.pay"))
    visitor.visit(f"/circles/{name}/payments")
    payment = visitor.find(".made li a")["href"]
    visitor.visit(f"/circles/{name}/people")
    players = [str(a["href"]).rpartition("/")[2] for a in visitor.page.select("main a[href*='/players/']")]
    # Of events, evenings to come and seasons there is none: see events/test_results.py.
    values = VALUES | {
        **{"token": unfinished, "circle_token": name, "player_token": players[0], "day": str(day), "slug": other},
        **{
            "payment_token": str(payment).rpartition("/")[2],
            "office": "banker",
            "act": "withdraw",
            "program": "hledger",
        },
        **{"planned_token": "none", "season_token": "none", "event": "none"},
        "party": example_of(games()[gone]).open().parties[0],
    }
    return Evening(visitor, gone, other, name, unfinished, in_money, values)


def facts(app: Flask) -> list[Any]:
    """Return everything that was recorded, and the results of all tables."""
    with app.app_context():
        revisions = db.session.execute(select(*Revision.__table__.columns).order_by(Revision.id)).all()
        results = db.session.execute(select(Summary.table_id, Summary.data)).all()
        payments = db.session.scalar(select(func.count()).select_from(Payment))
        return [revisions, results, payments]


def csrf_of(visitor: Visitor) -> str:
    return filled_in(visitor.visit("/circles/none/").form("/language"))["csrf_token"]


def amounts(visitor: Visitor, path: str) -> list[str]:
    """Return the payments that a settle page plans."""
    return [" ".join(due.get_text(" ").split()) for due in visitor.visit(path).page.select(".due .payment")]


def post(visitor: Visitor, path: str, **fields: str) -> TestResponse:
    return visitor.client.post(path, data={"csrf_token": csrf_of(visitor), "key": "k"} | fields)


# --- every address -----------------------------------------------------------------------------------------


def is_of_event_or_plan(rule: Rule) -> bool:
    """Return whether it is a page of an event, or of an evening to come or a season, which have no tables of theirs."""
    return rule.rule.startswith("/events/") or not {"planned_token", "season_token"}.isdisjoint(rule.arguments)


def test_every_page_of_the_circle_works(app: Flask, evening: Evening) -> None:
    with uninstalled(evening.gone):
        for token in (evening.unfinished, evening.in_money):
            for rule, method, path in requests(app, evening.values | {"token": token}):
                if method != "GET" or not who_may(rule) or is_of_event_or_plan(rule):
                    continue
                query = {"of": f"table:{token}", "at": f"table:{token}"}
                answer = evening.host.client.get(path, query_string=query)
                if rule.endpoint == "live.show_update":
                    assert answer.status_code == 404  # the page loads again
                elif "token" in rule.arguments and rule.endpoint not in ("table.show", "live.stream"):
                    assert (answer.status_code, answer.location) == (303, f"/tables/{token}/"), path
                else:
                    assert answer.status_code in (200, 303), path


def test_every_write_is_refused(app: Flask, evening: Evening) -> None:
    before = facts(app)
    with uninstalled(evening.gone):
        csrf = csrf_of(evening.host)
        for rule, method, path in requests(app, evening.values):
            if method != "POST" or "token" not in rule.arguments or is_of_event_or_plan(rule):
                continue
            fields = {"csrf_token": csrf, "seen": "99", "key": rule.endpoint, "points": "7"}
            answer = evening.host.client.post(path, data=fields, headers={"Accept-Language": "en"})
            assert answer.status_code == 409, path
            page = answer.get_data(as_text=True)
            assert "Nothing was recorded" in page
            assert f"The game {evening.gone} is not installed here." in page
    assert facts(app) == before


def test_names_are_changed_and_erased(app: Flask, evening: Evening) -> None:
    person = f"/circles/{evening.name}/people/{evening.values['player_token']}"
    with uninstalled(evening.gone):
        evening.host.visit(person).send({"name": "Zénobie"}, "/rename")
        assert "Zénobie" in evening.host.visit(f"/tables/{evening.unfinished}/").text
        evening.host.visit(f"{person}/erase").send({"typed": "Zénobie"})
        assert "Zénobie" not in evening.host.visit(f"/tables/{evening.unfinished}/").text
        integrity_of(app)
    integrity_of_all(app)


# --- what pages say ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_the_page_of_the_table_shows_its_facts(evening: Evening, language: str) -> None:
    host = evening.host
    host.headers = {"Accept-Language": language}
    example = example_of(games()[evening.gone])
    with uninstalled(evening.gone):
        page = host.visit(f"/tables/{evening.unfinished}/")
        assert page.status == 200
        for name in example.players:
            assert name in page.text
        assert len(page.page.select("ol.changes > li")) == len(example.deals) - 1
        for deal in example.deals[:-1]:
            assert set(deal) <= {dt.get_text() for dt in page.page.select("ol.changes dt")}
        assert "missing-game." not in page.text


def test_lists_name_the_game_by_its_slug(evening: Evening) -> None:
    with uninstalled(evening.gone):
        cards = evening.host.visit(f"/circles/{evening.name}/tables?game={evening.gone}").page.select(".table-card")
        assert len(cards) == 3
        assert all(evening.gone in card.get_text() for card in cards)


# --- money -------------------------------------------------------------------------------------------------


def test_no_debt_changes(app: Flask, evening: Evening) -> None:
    host = evening.host
    day = f"/circles/{evening.name}/evenings/{evening.values['day']}/settlement"
    pages = [f"/circles/{evening.name}/settlement", day]
    digits = [["".join(filter(str.isdigit, line)) for line in amounts(host, path)] for path in pages]
    assert all(digits)
    with uninstalled(evening.gone):
        for path, before in zip(pages, digits, strict=True):
            now = [line.replace("counters", "") for line in amounts(host, path)]
            assert len(now) == len(before)
        integrity_of(app)
    assert [["".join(filter(str.isdigit, line)) for line in amounts(host, path)] for path in pages] == digits


def integrity_of(app: Flask) -> None:
    with app.app_context():
        report = caches.verify()
        assert report.faults == []
        assert sum(report.missing_games.values()) == 3


def test_a_payment_for_its_tables_is_recorded_and_withdrawn(app: Flask, evening: Evening) -> None:
    host, path = evening.host, f"/circles/{evening.name}/settlement"
    with uninstalled(evening.gone):
        open_before = amounts(host, path)
        in_counters = host.find(f".due form.pay:has([name=account][value={evening.gone}])")
        host.send({}, form=in_counters)
        assert host.status == 200
        assert amounts(host, path) != open_before
        host.visit(f"/circles/{evening.name}/payments")
        host.visit(str(host.find(".made li a")["href"])).send({}, "/withdraw")
        assert amounts(host, path) == open_before
    integrity_of_all(app)


def integrity_of_all(app: Flask) -> None:
    with app.app_context():
        assert caches.verify().faults == []


# --- phones ------------------------------------------------------------------------------------------------


def test_an_entry_that_waited_on_the_phone_is_refused_and_can_be_sent_again(app: Flask, evening: Evening) -> None:
    host = evening.host
    deal = example_of(games()[evening.gone])
    host.visit(f"/tables/{evening.unfinished}/deals/new")
    entry = filled_in(host.form()) | {"do": "misdeal"}
    before = facts(app)
    with uninstalled(evening.gone):
        for _ in range(2):
            answer = host.client.post(host.path, data=entry, headers={"Accept": "application/json"})
            assert answer.status_code == 409
            assert f"The game {evening.gone} is not installed here." in answer.get_json()["refused"]
        assert facts(app) == before
    answer = host.client.post(host.path, data=entry, headers={"Accept": "application/json"})
    assert answer.get_json()["recorded"] is True
    assert len(host.visit(f"/tables/{evening.unfinished}/").export()["deals"]) == len(deal.deals)


# --- files, and afterwards ---------------------------------------------------------------------------------


def test_exports_leave_its_tables_out_and_the_file_of_the_circle_has_them(app: Flask, evening: Evening) -> None:
    host, circle = evening.host, f"/circles/{evening.name}"
    with app.app_context():
        row = db.session.scalars(select(Table.circle_id)).first()
        stored = db.session.get_one(Circle, row)
        file, same = BytesIO(), BytesIO()
        export(stored, file)
        with uninstalled(evening.gone):
            export(stored, same)
            assert same.getvalue() == file.getvalue()
            assert import_circle(file.getvalue(), new_secret(), "key") == (
                Problem("tables.2.game", "game-missing", {"game": evening.gone}),
            )
    with uninstalled(evening.gone):
        assert "Only the circle’s file has their tables" in host.visit(f"{circle}/exchange").text
        rows = host.client.get(f"{circle}/balances.csv", headers=host.headers).get_data(as_text=True)
        assert evening.gone not in rows.replace("any-game", "")
        assert host.client.get(f"{circle}/ledger.hledger").status_code == 200


def test_commands_pass_over_its_tables_and_say_so(
    app: Flask, evening: Evening, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SCOREKEEPER_INSTANCE", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", app.config["SQLALCHEMY_DATABASE_URI"])
    before = facts(app)
    with uninstalled(evening.gone):
        for command in ("verify", "migrate"):
            result = CliRunner().invoke(main, [command])
            assert result.exit_code == 0, result.output
            assert f"{evening.gone} is not installed here: the results of 3 tables were left as stored" in result.stderr
    assert facts(app) == before


def read_pages(evening: Evening) -> Iterator[str]:
    circle, player = f"/circles/{evening.name}", evening.values["player_token"]
    paths = (circle + "/", f"{circle}/figures", f"{circle}/tables", f"{circle}/players/{player}")
    for path in (*paths, f"/tables/{evening.unfinished}/", f"/tables/{evening.in_money}/why/balance/1"):
        page = evening.host.visit(path).page
        for field in page.select("input[type=hidden], form[action*='language']"):
            field.decompose()
        yield page.get_text()


def test_everything_is_as_before_once_the_game_is_installed_again(app: Flask, evening: Evening) -> None:
    before = list(read_pages(evening))
    with uninstalled(evening.gone):
        list(read_pages(evening))
        with app.app_context():
            caches.rebuild()
        list(read_pages(evening))
    assert list(read_pages(evening)) == before
    integrity_of_all(app)
