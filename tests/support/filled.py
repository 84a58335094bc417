"""A circle with something of every kind, and a request to each of its addresses, found from the routes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NamedTuple

from flask import Flask
from sqlalchemy import select
from werkzeug.routing import Rule

from scorekeeper.app import FEATURES
from scorekeeper.models import Confirmation, Membership, NoticeSubscription, Payment, db

from .event_rows import add_event
from .visitor import Visitor, filled_in

EIGHT = ("Anne", "Bruno", "Chloé", "David", "Emma", "Félix", "Gabrielle", "Hugo")
# What no page of the circle tells.
VALUES = {
    **{"deal_id": 1, "number": 1, "round_number": 1, "entrant_number": 1, "right": "watch", "kind": "deals"},
    **{"program": "beancount", "party": "ns", "seat": "1", "slug": "whist", "text": "title", "secret": "A" * 32},
    **{"filename": "icons/icon.svg", "way": "retire", "step": "pause"},
    "switch": "ratings",
}


class Circle(NamedTuple):
    """A circle with a table, four deals, a payment, an evening to come, a season, and what features on top have.

    `values` fill in routes' parameters.
    """

    host: Visitor
    path: str
    values: dict[str, Any]


def fill_circle(host: Visitor, names: tuple[str, ...] = EIGHT, /, **fields: str) -> Circle:
    """Fill the circle of a new table; `names` are who plays at its events."""
    circle = fill_tables(host, **fields)
    fill_features(circle, names)
    return circle


def fill_tables(host: Visitor, **fields: str) -> Circle:
    """Fill the circle of a new table, without features that can be removed."""
    table = play_table(host, **fields)
    circle = Circle(host, host.circle, {})
    host.visit(f"{circle.path}people")
    players = _tokens_in(host, "players")
    circle.values.update(
        VALUES,
        token=table.split("/")[2],
        circle_token=circle.path.split("/")[2],
        player_token=players[0],
        payment_token=next(iter(_tokens_in(host.visit(f"{circle.path}payments"), "payments")), "none"),
        office="banker",
        act="withdraw",
        day=_tokens_in(host.visit(f"{circle.path}tables"), "evenings")[0],
        planned_token=plan_evening(circle),
        season_token=make_season(circle),
    )
    return circle


def fill_features(circle: Circle, names: tuple[str, ...] = EIGHT) -> None:
    for feature in load("filled"):
        circle.values.update(feature.fill(circle, names))


def fill_every_table(app: Flask, visitor: Visitor) -> None:
    """Fill a circle with rows in every table of the database, also of features that are not installed."""
    circle = fill_tables(visitor)
    visitor.visit(f"{circle.path}planned/{circle.values['planned_token']}")
    visitor.send({"name": "Anne", "answer": "yes"}, "/answer")
    visitor.visit(f"{circle.path}calendar").send({})
    box = visitor.visit(f"{circle.path}tonight").find("[name=here]")
    visitor.send({"here": str(box["value"])})
    size = visitor.visit(f"{circle.path}seasons/{circle.values['season_token']}/handicaps").find("[name$=-size]")
    visitor.send({str(size["name"]): "1"})
    with app.app_context():
        membership = db.session.scalars(select(Membership)).one()
        payment = db.session.scalars(select(Payment)).one()
        ids = {"circle_id": membership.circle_id, "membership_id": membership.id}
        phone = {"endpoint": "https://localhost/phone", "p256dh": "key", "auth": "auth", "kinds": ["turn"]}
        added = {"site": "https://scores.example", "language": "en_GB", "changed_at": payment.at}
        confirmation = Confirmation(**ids, payment_id=payment.id, at=payment.at)
        db.session.add_all([confirmation, NoticeSubscription(**ids, **phone, **added)])
        add_event(membership.circle_id, membership.id)


def load(name: str) -> list[ModuleType]:
    """Import the features' modules of tests with this name: `filled` circles, `screens` to check in a browser."""
    names = [f"tests.{feature}.{name}" for feature in FEATURES]
    return [import_module(each) for each in names if find_spec(each)]


def _tokens_in(visitor: Visitor, kind: str) -> list[str]:
    """Return the tokens of the addresses of this kind that a page leads to."""
    links = [str(link["href"]) for link in visitor.page.select(f"a[href*='/{kind}/']")]
    return [found[1] for link in links if (found := re.search(rf"/{kind}/([^/?#]+)", link))]


def play_table(host: Visitor, deals: int = 4, /, **fields: str) -> str:
    """Play a rubber or more, and pay a part of it; return the table's path."""
    table = host.open_table("whist", **fields).table
    for _ in range(deals):
        host.visit(table).record(tricks="ns-5")
    payment = host.visit(f"{table}settlement").page.select_one(".due form.pay")
    if payment is not None:
        host.client.post(str(payment["action"]), data=filled_in(payment))
    return table


def plan_evening(circle: Circle) -> str:
    return circle.host.plan_evening(date.today()).rpartition("/")[2]


def make_season(circle: Circle) -> str:
    circle.host.visit(f"{circle.path}seasons/new")
    circle.host.send({"name": "Winter", "first": "2026-01-01", "last": "2026-03-01"})
    return circle.host.path.rpartition("/")[2]


def requests(app: Flask, values: dict[str, Any]) -> Iterator[tuple[Rule, str, str]]:
    """Yield each rule with a method and a path; those that delete or withdraw something last."""
    last = ("erase", "withdraw", "undo", "delete")
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.endpoint.endswith(last)):
        own = values | {"token": values["event"]} if rule.rule.startswith("/events/") else values
        with app.test_request_context():
            path = app.url_for(rule.endpoint, **{name: own[name] for name in rule.arguments})
        for method in sorted({"GET", "POST"} & (rule.methods or set())):
            yield rule, method, path
