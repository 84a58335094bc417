"""Cookies from before devices give the same access after the upgrade, however many circles they list."""

from __future__ import annotations

import hashlib
import json
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import Connection, text

from scorekeeper.db.copying import is_sqlite
from scorekeeper.db.upgrades import upgrade
from scorekeeper.models import RIGHTS, Browser, BrowserLink, Device, db
from scorekeeper.services.tables import summaries

from ...apps import MakeApp
from ...databases import Databases
from ...visitor import Visitor

AT = "2026-03-14 01:30:00.000000"
MAX_CIRCLES = {"watch": 40, "score": 40, "host": 24}  # circles; with a few more the cookie was too large for browsers


@pytest.fixture
def app(databases: Databases, make_app: MakeApp, tmp_path: Path) -> Iterator[Flask]:
    """An app on a database without a schema."""
    url = databases.make(tmp_path, migrated=False)
    yield make_app(url)
    databases.drop(url)


def secret_of(what: str) -> str:
    """Return a secret that does not compress, like the random ones."""
    return urlsafe_b64encode(hashlib.sha256(what.encode()).digest()[:24]).decode()


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


class Old:
    """A database of schema 0002 and a browser's session, as they were written before 0005."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.session: dict[str, Any] = {
            "_permanent": True,
            "circle": "circle-1",
            "circles": {},
            "csrf_token": "0123456789abcdef0123456789abcdef01234567",
            "language": "fr",
            "links": {},
            "renewed": "2026-03",
        }

    def add(self, table: str, **row: object) -> None:
        columns, values = ", ".join(f'"{name}"' for name in row), ", ".join(f":{name}" for name in row)
        self.connection.execute(text(f"INSERT INTO {table} ({columns}) VALUES ({values})"), row)  # noqa: S608  # ours

    def add_circle(self, number: int, by: str = "host") -> None:
        """Add a circle that the browser joined by the link `by`, as browser 2; a host has the secrets of all links."""
        name = f"circle-{number}"
        self.add("circle", id=number, name=name, made_at=AT, is_sample=False)
        for position, right in enumerate(RIGHTS):
            secret_hash = hash_secret(secret_of(f"{name}-{right}"))
            self.add(
                "link", id=3 * number + position, circle_id=number, right=right, secret_hash=secret_hash, made_at=AT
            )
        for own, whose in enumerate((f"somebody-{number}", f"own-{number}"), start=1):
            link = 3 * number + RIGHTS.index(by)
            self.add(
                "browser",
                id=2 * number + own,
                circle_id=number,
                link_id=link,
                number=own,
                secret_hash=hash_secret(secret_of(whose)),
                first_at=AT,
            )
        self.session["circles"][name] = [2 * number + 2, secret_of(f"own-{number}")]
        rights = RIGHTS if by == "host" else (by,)
        self.session["links"][name] = {right: secret_of(f"{name}-{right}") for right in rights}

    def add_table(self, number: int) -> None:
        """Add a table with four players and a deal that the browser recorded; its owner sits in seat 2."""
        for seat in range(1, 5):
            self.add("player", id=10 * number + seat, circle_id=number, name=f"P{seat}", is_banker=False)
        self.add(
            "card_table",
            id=number,
            circle_id=number,
            game="quarante-de-rois",
            rules_version=1,
            house_rules="{}",
            dealer="1",
            opened_at=AT,
            day="2026-03-14",
            edition="",
            **{"token": f"table-{number}"},
        )
        for seat in range(1, 5):
            self.add("seat", table_id=number, seat=str(seat), player_id=10 * number + seat)
        body = json.dumps({"card_points": {"ns": 24, "ew": 24}})
        self.add(
            "revision",
            table_id=number,
            number=1,
            kind="record",
            deal=1,
            body=body,
            browser_id=2 * number + 2,
            at=AT,
            entry_key="k",
        )
        self.session.setdefault("me", {})[f"circle-{number}"] = 10 * number + 2

    def reset_sequences(self) -> None:
        if not is_sqlite(self.connection):
            for table in ("circle", "link", "browser", "player", "card_table", "revision"):
                query = f"SELECT setval('{table}_id_seq', (SELECT max(id) FROM {table})) FROM {table} LIMIT 1"  # noqa: S608  # ours
                self.connection.execute(text(query))


def add_old_database(app: Flask, *, circles: int = 3, by: str = "host", also: str = "") -> dict[str, Any]:
    """Fill a database of the old schema, run the SQL `also`, and migrate it; return the browser's session."""
    with app.app_context():
        upgrade("0002")
        with db.engine.begin() as connection:
            database = Old(connection)
            for number in range(1, circles + 1):
                database.add_circle(number, by)
            database.add_table(1)
            database.reset_sequences()
            if also:
                connection.execute(text(also))
        upgrade()
        summaries.rebuild(only_missing=True)
    return database.session


def with_cookie(app: Flask, session: dict[str, Any]) -> Visitor:
    serializer = app.session_interface.get_signing_serializer(app)  # type: ignore[attr-defined]  # of the app's own session interface
    visitor = Visitor(app)
    visitor.client.set_cookie("scorekeeper", serializer.dumps(session))
    return visitor


def may(visitor: Visitor, circle: int) -> str | None:
    """Return the browser's right in a circle, as its pages show it."""
    visitor.visit(f"/circles/circle-{circle}/")
    if visitor.status == 404:
        return None
    for right, path in (("host", "recovery"), ("score", "import")):
        if visitor.client.get(f"/circles/circle-{circle}/{path}").status_code == 200:
            return right
    return "watch"


@pytest.mark.parametrize("by", RIGHTS)
def test_an_old_cookie_keeps_its_right_in_all_of_forty_circles(app: Flask, by: str) -> None:
    count = MAX_CIRCLES[by]
    visitor = with_cookie(app, add_old_database(app, circles=count, by=by))
    old_cookie = visitor.client.get_cookie("scorekeeper")
    assert old_cookie is not None
    assert len(old_cookie.value) > 2500
    assert [may(visitor, number) for number in range(1, count + 1)] == [by] * count
    cookie = visitor.client.get_cookie("scorekeeper")
    assert cookie is not None
    assert len(cookie.value) < 400
    with app.app_context():
        assert db.session.query(Device).count() == count + 1  # this device, and another one in each circle
    assert len(visitor.visit("/").page.select(".switcher .table-card")) == count


@pytest.mark.parametrize("by", RIGHTS)
def test_links_of_an_old_cookie_can_still_be_shown(app: Flask, by: str) -> None:
    visitor = with_cookie(app, add_old_database(app, by=by))
    for number in (1, 2, 3):
        visitor.visit(f"/circles/circle-{number}/links")
        shown = [str(field["value"]).rpartition("/")[2] for field in visitor.page.select("input.link")]
        assert shown == [secret_of(f"circle-{number}-{right}") for right in (RIGHTS if by == "host" else (by,))]
    if by == "host":
        visitor.visit("/circles/circle-2/recovery")
        assert secret_of("circle-2-host") in visitor.find(".address a")["href"]


def test_other_contents_of_an_old_cookie_are_kept(app: Flask) -> None:
    visitor = with_cookie(app, add_old_database(app)).visit("/tables/table-1/")
    assert "Nous" in visitor.text  # it is the phone of the player in seat 2, who has won nothing yet
    assert visitor.page.select_one("html[lang|=fr]")
    assert visitor.visit("/").find(".switcher [aria-current]")["href"] == "/circles/circle-1/"
    assert visitor.visit("/tables/table-1/").record(kings="4", queens="4", jacks="4").status == 200
    changes = visitor.visit("/tables/table-1/changes").text
    assert changes.count("téléphone 2") == 2
    assert "téléphone 1" not in changes


def test_a_form_that_was_open_during_the_upgrade_is_asked_to_look_again(app: Flask) -> None:
    session = add_old_database(app)
    visitor = with_cookie(app, session)
    with app.test_request_context():
        from flask import session as opened  # noqa: PLC0415
        from flask_wtf.csrf import generate_csrf  # noqa: PLC0415  # it needs a request

        opened["csrf_token"] = session["csrf_token"]
        token = generate_csrf()
    answer = visitor.client.post("/tables/table-1/close", data={"csrf_token": token, "seen": "1", "key": "late"})
    assert answer.status_code == 409  # its right is known; what it has shown is not


@pytest.mark.parametrize(
    ("also", "circle"),
    [
        ("UPDATE browser SET ended_at = first_at WHERE id = 6", 2),
        ("UPDATE link SET ended_at = made_at WHERE id = 8", 2),
        ("UPDATE browser SET secret_hash = 'other' WHERE id = 4", 1),
        ("DELETE FROM browser WHERE id = 8", 3),
    ],
)
def test_an_old_cookie_restores_no_revoked_access(app: Flask, also: str, circle: int) -> None:
    visitor = with_cookie(app, add_old_database(app, also=also))
    assert [may(visitor, number) for number in (1, 2, 3)] == [
        None if number == circle else "host" for number in (1, 2, 3)
    ]


@pytest.mark.parametrize(
    "forged", [{"circle-2": [5, secret_of("own-2")]}, {"circle-2": [6, secret_of("own-1")]}, {"circle-2": [6, ""]}, {}]
)
def test_an_old_cookie_is_checked_for_each_circle(app: Flask, forged: dict[str, Any]) -> None:
    session = add_old_database(app)
    visitor = with_cookie(app, session | {"circles": forged})
    assert [may(visitor, number) for number in (1, 2, 3)] == [None] * 3


def test_a_lost_response_has_no_effect(app: Flask) -> None:
    """The browser sends the old cookie again until it receives a response."""
    session = add_old_database(app)
    for path in ("/tables/table-1/now", "/", "/no-such-page", "/circles/circle-3/", "/tables/table-1/now"):
        with_cookie(app, session).visit(path)
    visitor = with_cookie(app, session)
    assert [may(visitor, number) for number in (1, 2, 3)] == ["host"] * 3
    with app.app_context():
        assert db.session.query(Device).count() == 4
        assert db.session.query(BrowserLink).count() == 3 * 4  # in each circle: two joined by, two that can be shown


def test_concurrent_requests_with_an_old_cookie_create_one_device(app: Flask) -> None:
    session = add_old_database(app, circles=10)
    visitors = [with_cookie(app, session) for _ in range(6)]
    paths = ("/tables/table-1/now", "/", "/circles/circle-2/", "/circles/circle-9/", "/tables/table-1/", "/")
    threads = [Thread(target=visitor.visit, args=(path,)) for visitor, path in zip(visitors, paths, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {visitor.status for visitor in visitors} == {200}
    for visitor in visitors:
        assert [may(visitor, number) for number in range(1, 11)] == ["host"] * 10
    with app.app_context():
        assert db.session.query(Device).count() == 11
        assert db.session.query(Browser).count() == 20


def test_a_poll_may_be_the_first_request_after_the_upgrade(app: Flask) -> None:
    visitor = with_cookie(app, add_old_database(app))
    answer = visitor.client.get("/tables/table-1/now", headers={"If-None-Match": '"1"'})
    assert answer.status_code == 200
    assert [may(visitor, number) for number in (1, 2, 3)] == ["host"] * 3


def test_an_old_cookie_without_valid_secrets_is_left_unchanged(app: Flask) -> None:
    """Another database may be in use for a while, such as a wrong backup."""
    session = add_old_database(app)
    with app.app_context():
        db.session.execute(text("UPDATE device SET secret_hash = 'gone ' || id"))
        db.session.commit()
    visitor = with_cookie(app, session)
    assert visitor.visit("/").status == 200
    assert visitor.visit("/tables/table-1/").status == 404
    with visitor.client.session_transaction() as cookie:
        assert cookie["circles"] == session["circles"]
        device = cookie["device"]
    with app.app_context():
        for number in (1, 2, 3):
            row = db.session.get_one(Device, 2 * number + 2)
            row.secret_hash = hash_secret(secret_of(f"own-{number}"))
        db.session.commit()
    assert [may(visitor, number) for number in (1, 2, 3)] == ["host"] * 3
    with visitor.client.session_transaction() as cookie:
        assert cookie["device"] == device  # so that circles joined meanwhile stay accessible


def test_two_live_links_of_one_right_become_one_and_nobody_loses_access(app: Flask) -> None:
    """Two hosts had renewed the scoring link at once, and people joined by both links."""
    twin = f"""
        INSERT INTO link (id, circle_id, "right", secret_hash, made_at)
        VALUES (900, 2, 'score', '{hash_secret(secret_of("newer"))}', '{AT}')
    """  # noqa: S608  # ours
    visitor = with_cookie(app, add_old_database(app, by="score", also=twin))
    assert [may(visitor, number) for number in (1, 2, 3)] == ["score"] * 3
    assert Visitor(app).join(f"/join/circle-2/{secret_of('circle-2-score')}").status == 404
    assert Visitor(app).join(f"/join/circle-2/{secret_of('newer')}").status == 200
    host = Visitor(app).join(f"/join/circle-2/{secret_of('circle-2-host')}")
    host.visit("/circles/circle-2/links").send({}, "/links/score/renew")
    assert [may(visitor, number) for number in (1, 2, 3)] == ["score", None, "score"]
