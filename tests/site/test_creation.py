"""Who may make a circle by a page."""

from __future__ import annotations

import io
import json

import pytest
from bs4 import BeautifulSoup
from flask import Flask

from scorekeeper.circles.lifecycle import find_or_add_scoring_membership
from scorekeeper.circles.phones import unseal_link_secrets
from scorekeeper.models import Circle, Table, db, new_secret
from scorekeeper.site import rate_limits

from ..support.apps import MakeApp
from ..support.visitor import Visitor, filled_in

CODE = "Ouvrez-moi 7"
SAMPLE_FORM = "<form action=/sample/whist>"  # from a page that was loaded before the setting changed
SEATS = {f"seat-{number}": name for number, name in enumerate(("Anne", "Bruno", "Chloé", "David"), start=1)}


def circles_of(app: Flask) -> int:
    with app.app_context():
        return db.session.scalar(db.select(db.func.count(Circle.id))) or 0


def open_table(visitor: Visitor) -> Visitor:
    return visitor.visit("/tables/new/whist").send(SEATS)


def enter_paper(visitor: Visitor) -> Visitor:
    visitor.visit("/tables/new/whist/paper")
    return visitor.send(SEATS | {"do": "record", "1.tricks": "ns-3"})


def import_circle(visitor: Visitor) -> Visitor:
    visitor.visit("/import-circle")
    return visitor.send({"file": (io.BytesIO(b"{}"), "circle.json")})


def try_sample(visitor: Visitor) -> Visitor:
    form = filled_in(visitor.visit("/rules/whist").form("/language"))
    return visitor.send({"csrf_token": form["csrf_token"]}, form=BeautifulSoup(SAMPLE_FORM, "lxml").form)


@pytest.mark.parametrize("create", ["code", "nobody"])
def test_no_page_makes_a_circle_for_a_stranger(make_app: MakeApp, database: str, create: str) -> None:
    app = make_app(database, CREATE=create, CREATE_CODE=CODE, CONTACT="Zoé, tél. 12")
    for write in (open_table, enter_paper, import_circle, try_sample):
        visitor = write(Visitor(app))
        assert visitor.status == 403
        assert "Zoé, tél. 12" in visitor.text
        assert circles_of(app) == 0


def test_a_right_code_makes_the_circle_with_everything_that_was_typed(make_app: MakeApp, database: str) -> None:
    app = make_app(database, CREATE="code", CREATE_CODE=CODE)
    visitor = open_table(Visitor(app))
    assert "A code is needed" in visitor.text
    visitor.send({"circle_code": CODE.lower()})
    assert (visitor.status, circles_of(app)) == (403, 0)
    assert "This code is wrong" in visitor.text
    assert "Chloé" in visitor.text
    assert CODE.lower() not in visitor.response.get_data(as_text=True)
    visitor.send({"circle_code": f" {CODE} "})
    assert (visitor.status, circles_of(app)) == (200, 1)
    assert "Chloé" in visitor.text
    assert open_table(visitor).status == 200  # in the same circle, without a code
    assert circles_of(app) == 1


def test_codes_are_not_compared_once_too_many_were_tried(make_app: MakeApp, database: str) -> None:
    app = make_app(database, CREATE="code", CREATE_CODE=CODE)
    visitor = open_table(Visitor(app))
    while visitor.send({"circle_code": "a wrong one"}).status == 403:
        pass
    refused = visitor.send({"circle_code": CODE})
    assert (refused.status, circles_of(app)) == (429, 0)
    assert int(refused.response.headers["Retry-After"]) > 60
    assert "Chloé" in refused.text


def test_members_open_tables_and_samples_where_nobody_makes_circles(make_app: MakeApp, database: str) -> None:
    app = make_app(database, CREATE="nobody")
    with app.app_context():
        secret = new_secret()
        membership = find_or_add_scoring_membership(secret, "")
        secrets = unseal_link_secrets(membership, secret)
        name = membership.circle.token
    visitor = Visitor(app).join(f"/join/{name}/{secrets['score']}")
    assert open_table(visitor).status == 200
    assert try_sample(visitor).status == 200
    assert circles_of(app) == 2


def test_an_address_makes_a_limited_number_of_circles_and_samples(app: Flask) -> None:
    assert rate_limits.CIRCLES_RATE.startswith("20 per hour")
    for write in (open_table, enter_paper, try_sample) * 6:
        assert write(Visitor(app)).status == 200
    member = open_table(Visitor(app))
    assert try_sample(member).status == 200
    for write in (open_table, enter_paper, try_sample, import_circle):
        assert write(Visitor(app)).status == 429
    assert try_sample(member).status == 200  # in place of the earlier one
    refused = open_table(Visitor(app, "fr"))
    assert (refused.status, circles_of(app)) == (429, 20)
    assert "Chloé" in refused.text
    assert refused.find("time")
    assert "Trop de nouveaux cercles" in refused.text
    assert 0 < int(refused.response.headers["Retry-After"]) <= 3600
    assert open_table(member).status == 200


def test_a_refused_table_is_opened_by_sending_it_again(app: Flask) -> None:
    refused = open_table(Visitor(app))
    for _ in range(20):
        refused = open_table(Visitor(app))
    assert refused.status == 429
    app.extensions["limiter"].storage.reset()  # an hour later
    assert refused.send({}).status == 200
    assert "Chloé" in refused.text


def test_a_circle_opens_a_limited_number_of_tables(
    make_app: MakeApp, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert rate_limits.TABLES_RATE == "100 per hour; 500 per day"
    monkeypatch.setattr(rate_limits, "TABLES_RATE", "3 per hour")
    app = make_app(database)
    visitor = open_table(Visitor(app))
    assert enter_paper(visitor).status == 200
    assert open_table(visitor).status == 200
    for write in (open_table, enter_paper):
        refused = write(visitor)
        assert refused.status == 429
        assert "Too many new tables" in refused.text
        assert "Chloé" in refused.text
    sheet = {"format": "scorekeeper-sheet/1", "game": "whist", "players": list(SEATS.values()), "deals": []}
    visitor.visit(f"{visitor.circle}import").send({"sheets": (io.BytesIO(json.dumps(sheet).encode()), "1.json")})
    assert visitor.send({"do": "record"}).status == 429
    assert visitor.find("[name=carried]")["value"]
    with app.app_context():
        assert db.session.scalar(db.select(db.func.count(Table.id))) == 3
    assert open_table(Visitor(app)).status == 200  # in a circle of its own


@pytest.mark.parametrize(
    ("path", "sent"), [("/tables/new/whist", {}), ("/tables/new/whist/paper", {"do": "record", "1.tricks": "ns-3"})]
)
def test_a_form_sent_again_opens_no_table_and_counts_none(
    make_app: MakeApp, database: str, monkeypatch: pytest.MonkeyPatch, path: str, sent: dict[str, str]
) -> None:
    monkeypatch.setattr(rate_limits, "TABLES_RATE", "2 per hour")
    visitor = Visitor(make_app(database)).visit(path)
    data = filled_in(visitor.form()) | SEATS | sent
    tables = [visitor.visit(path).send(data).path for _ in range(4)]
    assert len(set(tables)) == 1
    assert open_table(visitor).status == 200
    assert open_table(visitor).status == 429
    assert visitor.visit(path).send(data).path == tables[0]


def test_an_import_sent_again_makes_one_circle_and_one_put_off_counts_none(
    make_app: MakeApp, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "CIRCLES_RATE", "4 per hour")  # the first circle's, and three imports
    app = make_app(database)
    visitor = open_table(Visitor(app))
    content = visitor.client.get(f"{visitor.circle}circle.json").get_data()
    key = filled_in(visitor.visit("/import-circle").form())["key"]

    def send(key: str) -> int:
        visitor.visit("/import-circle")
        return visitor.send({"file": (io.BytesIO(content), "circle.json"), "key": key}).status

    with monkeypatch.context() as busy:
        busy.setattr(rate_limits, "MAX_COSTLY", 0)
        assert send(key) == 429
    assert [send(key) for _ in range(3)] == [200, 200, 200]
    assert send("another") == 429
    assert circles_of(app) == 2


@pytest.mark.parametrize("create", ["everyone", "code", "nobody"])
def test_a_stranger_is_shown_only_what_works(make_app: MakeApp, database: str, create: str) -> None:
    app = make_app(database, CREATE=create, CREATE_CODE=CODE)
    for path in ("/", "/rules/whist"):
        page = Visitor(app).visit(path).page
        assert bool(page.select("form[action^='/sample/']")) == (create == "everyone"), path
    for path in ("/", "/help"):
        page = Visitor(app).visit(path).page
        assert bool(page.select("main a[href^='/tables/new']")) == (create != "nobody"), path
