"""Who may come in: links with rights, renewed and ended, and the browsers that came in by them."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from ..visitor import Visitor, filled_in


@pytest.fixture
def table(visitor: Visitor) -> str:
    """The address of a table that the first visitor, its circle's host, has opened."""
    return visitor.open_table("whist").record(tricks="ns-3").table


def circle_of(visitor: Visitor) -> str:
    with visitor.client.session_transaction() as session:
        return f"/circles/{session['circle']}/"


def link(visitor: Visitor, right: str) -> str:
    """The path of one of the circle's links, as its host is shown it."""
    field = visitor.visit(f"{circle_of(visitor)}links").page.select_one(f"#link-{right}")
    assert field is not None
    return "/" + str(field["value"]).split("/", 3)[3]


@pytest.mark.parametrize(("right", "reads", "writes"), [("watch", 200, 403), ("score", 200, 200), ("host", 200, 200)])
def test_a_link_gives_its_own_right(
    visitor: Visitor, another: Visitor, table: str, right: str, reads: int, writes: int
) -> None:
    another.visit(link(visitor, right))
    assert another.visit(table).status == reads
    assert another.visit(f"{table}deals/new").status == writes


# What each right may do with each address; a new address without an answer here fails.
ALL, SCORERS, HOSTS = ("watch", "score", "host"), ("score", "host"), ("host",)
MAY = {
    "table.show": ALL,
    "table.journal": ALL,
    "settling.of_table": ALL,
    "settling.everything": ALL,
    "settling.evening": ALL,
    "settling.made": ALL,
    "settling.all_payments": ALL,
    "settling.why": ALL,
    "settling.pay": SCORERS,
    "settling.withdraw": SCORERS,
    "settling.banker": SCORERS,
    "table.export": ALL,
    "table.undo": SCORERS,
    "table.close": SCORERS,
    "table.reopen": SCORERS,
    "deals.show": ALL,
    "deals.new": SCORERS,
    "deals.amend": SCORERS,
    "deals.insert": SCORERS,
    "deals.withdraw": SCORERS,
    "deals.restore": SCORERS,
    "deals.adjustment": SCORERS,
    "circles.share": SCORERS,
    "circles.show": ALL,
    "circles.links": ALL,
    "circles.renew": HOSTS,
    "circles.rename_browser": HOSTS,  # another's; one's own anybody may name
    "circles.show_out": HOSTS,
}
OPEN_TO_ALL = {
    "static",
    "front.home",
    "front.join",
    "front.choose_game",
    "front.new_table",
    "front.switch_language",
    "rules.show",
}


def test_every_address_says_who_may_use_it(app: Flask) -> None:
    assert {rule.endpoint for rule in app.url_map.iter_rules()} == MAY.keys() | OPEN_TO_ALL


@pytest.mark.parametrize("right", ["nobody", "stranger", "watch", "score"])
def test_each_right_may_do_what_the_table_of_rights_says(
    app: Flask, visitor: Visitor, another: Visitor, table: str, right: str
) -> None:
    if right == "stranger":
        another.open_table("whist")
    elif right != "nobody":
        another.visit(link(visitor, right))
    csrf = filled_in(another.visit("/tables/new/whist").form())["csrf_token"]
    values: dict[str, Any] = {"token": table.split("/")[2], "deal_id": 1, "name": circle_of(visitor).split("/")[2]}
    values |= {"right": "watch", "number": 1, "id_": 1, "day": "2026-11-21"}
    for rule in app.url_map.iter_rules():
        if rule.endpoint not in MAY:
            continue
        with app.test_request_context():
            path = app.url_for(rule.endpoint, **{name: values[name] for name in rule.arguments})
        for method in {"GET", "POST"} & (rule.methods or set()):
            # A write that has seen nothing is stale, so that whoever may write changes nothing here either.
            data = {"csrf_token": csrf, "seen": "0", "key": "k"} if method == "POST" else None
            status = another.client.open(path, method=method, data=data).status_code
            if right in ("nobody", "stranger"):
                assert status == 404, path
            else:
                assert (status != 403) == (right in MAY[rule.endpoint]), (method, path, status)
                assert status < 500


def test_renewing_a_link_puts_out_who_came_in_by_the_old_one(visitor: Visitor, another: Visitor, table: str) -> None:
    old = link(visitor, "score")
    another.visit(old)
    assert another.visit(table).status == 200
    visitor.visit(f"{circle_of(visitor)}links").send({}, "/links/score/renew")
    assert another.visit(table).status == 404
    assert another.visit(old).status == 404
    assert another.visit(link(visitor, "score")).visit(table).status == 200


def test_a_host_who_renews_the_host_link_stays_in(visitor: Visitor, another: Visitor, table: str) -> None:
    another.visit(link(visitor, "host"))
    visitor.visit(f"{circle_of(visitor)}links").send({}, "/links/host/renew")
    assert visitor.visit(table).status == 200
    assert another.visit(table).status == 404


def test_a_browser_that_is_shown_the_door_is_out_at_its_next_request(
    visitor: Visitor, another: Visitor, table: str
) -> None:
    another.visit(link(visitor, "score"))
    assert another.visit(table).status == 200
    visitor.visit(circle_of(visitor)).send({}, "/browsers/2/end")
    assert another.visit(table).status == 404
    assert "phone 2" not in visitor.visit(circle_of(visitor)).text


def test_entries_say_which_browser_made_them_by_the_name_it_was_given(
    visitor: Visitor, another: Visitor, table: str
) -> None:
    another.visit(link(visitor, "score"))
    another.visit(table).record(tricks="ew-2")
    another.visit(circle_of(visitor)).send({"name": "Bruno’s phone"}, "/browsers/2/name")
    assert "Bruno’s phone" in visitor.visit(f"{table}deals/2").text


@pytest.mark.usefixtures("table")
def test_a_scorer_may_not_name_the_browser_of_another(visitor: Visitor, another: Visitor) -> None:
    another.visit(link(visitor, "score"))
    csrf = filled_in(another.visit("/tables/new/whist").form())["csrf_token"]
    path = f"{circle_of(visitor)}browsers/1/name"
    assert another.client.post(path, data={"csrf_token": csrf, "name": "mine"}).status_code == 403


def test_who_only_watches_is_shown_nothing_to_write_with(visitor: Visitor, another: Visitor, table: str) -> None:
    another.visit(link(visitor, "watch")).visit(table)
    assert "Record deal" not in another.text
    assert not [form for form in another.page.find_all("form") if "language" not in str(form.get("action"))]


def test_a_browser_belongs_to_several_circles_and_is_at_home_where_it_was_last(
    visitor: Visitor, another: Visitor, table: str
) -> None:
    another.open_table("joffre")
    own = another.table
    another.visit(link(visitor, "score"))
    assert "Whist" in another.visit("/").text
    assert another.visit(own).status == 200
    assert "Joffre" in another.visit("/").text
    assert another.visit(table).status == 200
