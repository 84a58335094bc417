"""Find writes from the routes: a write without an entry in `writes.py` is sent as a page's form has it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from flask import Flask
from sqlalchemy import func, select
from werkzeug.exceptions import HTTPException

from scorekeeper.models import Settlement, Table

from ..apps import open_app
from ..visitor import Visitor, filled_in
from .sending import READS, SENDERS, Request, Write
from .world import COOKIE, HOST, World

NOT_READ = {"static", "game_style"}


def endpoints_that_write(app: Flask) -> set[str]:
    """Return all endpoints with a method other than the reading ones."""
    return {rule.endpoint for rule in app.url_map.iter_rules() if (rule.methods or set()) - READS}


def find_writes(declared: set[str]) -> Iterator[Write]:
    """Yield the writes whose endpoints are not declared."""
    with open_app("sqlite://") as app:
        found = endpoints_that_write(app) - declared
    for endpoint in sorted(found):
        write = _Found(endpoint)
        yield Write(endpoint, write.make, write.trace)


def addresses(world: World) -> set[str]:
    """Return all addresses with a GET method that answer 200 to the host."""
    world.reset()
    values: dict[str, Any] = {
        "token": world.tables["open"].split("/")[2],
        "name": world.circle,
        "deal_id": 1,
        "player_token": world.players["Anne"],
        "number": 1,
        "round_number": 1,
        "entrant_number": 1,
        "right": "watch",
        "kind": "deals",
        "program": "beancount",
        "party": "ns",
        "seat": "1",
        "slug": "whist",
        "secret": "A" * 32,
        "planned_token": world.tables["planned"].rpartition("/")[2],
        "season_token": world.tables["season"].rpartition("/")[2],
        "calendar": "circle",
    }
    with world.session() as session:
        values["day"] = session.scalar(select(func.max(Table.day)))
        values["settlement_token"] = session.scalars(select(Settlement.token).order_by(Settlement.id)).first()
    of_event = values | {"token": world.events["paused"].rpartition("/")[2]}
    found = set()
    with world.app.test_request_context():
        adapter = world.app.url_map.bind("localhost")
        for rule in world.app.url_map.iter_rules():
            if rule.endpoint not in NOT_READ and "GET" in (rule.methods or set()) & READS:
                known = of_event if rule.rule.startswith("/events/") else values
                path = adapter.build(rule.endpoint, {name: known[name] for name in rule.arguments}, method="GET")
                named = "&of=all&at=all" if path.startswith("/circles/") else ""
                found.add(f"{path}?account=whist{named}")
    return {path for path in found if world.client(HOST).get(path).status_code == 200}


class _Found:
    """A write that was found: the first form to the endpoint, and the rows that change when it is sent alone."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.changed = frozenset[str]()

    def make(self, world: World, visitor: Visitor, variant: int) -> Request:
        path = _pages_by_endpoint(world).get(self.endpoint)
        assert path is not None, f"No page of the host has a form for {self.endpoint}: describe it in races/writes.py."
        form = next(form for action, form in _forms(visitor, path) if _endpoint(world, action) == self.endpoint)
        request = Request(SENDERS[variant], str(form.get("action", visitor.path)), filled_in(form))
        before = world.facts()
        request.send(world)
        self.changed |= before ^ world.facts()
        return request

    def trace(self, _session: Any, world: World, _request: Request) -> frozenset[str]:
        """Return which of the rows that it changes are there."""
        return self.changed & world.facts()


@cache
def _pages_by_endpoint(world: World) -> dict[str, str]:
    """Return the first page with a form, for each endpoint that has one."""
    visitor = Visitor(world.app)
    visitor.client.set_cookie(COOKIE, world.cookies[HOST])
    found: dict[str, str] = {}
    pages = sorted(addresses(world))
    world.reset()  # some pages store that they were seen
    for path in pages:
        for action, _form in _forms(visitor, path):
            found.setdefault(_endpoint(world, action), path)
    world.reset()
    return found


def _forms(visitor: Visitor, path: str) -> Iterator[tuple[str, Any]]:
    if visitor.visit(path).response.mimetype == "text/html":
        for form in visitor.page.find_all("form", method="post"):
            yield str(form.get("action", visitor.path)), form


def _endpoint(world: World, action: str) -> str:
    try:
        return str(world.app.url_map.bind("localhost").match(action.partition("?")[0], method="POST")[0])
    except HTTPException:
        return ""
