"""A circle with all kinds of content, and the request fields that its endpoints read."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from typing import Any

import pytest
from flask import Flask, Request, has_request_context, request
from werkzeug.datastructures import ImmutableMultiDict

from scorekeeper.games import games

from ..cases import sheets
from ..visitor import NAMES, Visitor, filled_in
from ..web.circles.test_circles import circle_of


@pytest.fixture
def filled(visitor: Visitor) -> Visitor:
    """A visitor whose circle has a table of every game, one with an unpaid robre, an imported one, and an event."""
    for slug, game in games().items():
        visitor.open_table(slug, min(game.player_counts))
    visitor.open_table("whist")
    for _ in range(4):
        visitor.record(tricks="ns-5")
    circle = circle_of(visitor)
    _play_event(visitor, circle)
    upload = {"sheets": (io.BytesIO(json.dumps(sheets("joffre")[0]).encode()), "a.json")}
    csrf = filled_in(visitor.visit(f"{circle}import").form())["csrf_token"]
    visitor._arrive(visitor.client.post(f"{circle}import", data=upload | {"csrf_token": csrf}, headers=visitor.headers))
    visitor.send({"do": "record"})
    return visitor


def _play_event(visitor: Visitor, circle: str) -> None:
    """Add an event with a result in its first round."""
    settings = {"title": "Drive", "game": "whist", "scoring": "tricks", "rounds": "3", "length": "1"}
    settings |= {"fee": "5", "currency": "EUR", "has_check_in": "yes"}
    event = visitor.visit(f"{circle}events/new?format=individual").send(settings).path.removesuffix("/entrants")
    visitor.send({"names": "\n".join(NAMES)}, "/names")
    for what in ("/rounds", "/start"):
        visitor.visit(f"{event}/director").send({}, what)
    visitor.visit(f"{event}/tables/1").send({"score-0": "8"}, "/result")


@pytest.fixture
def fields_read(app: Flask) -> dict[str, set[str]]:
    """By endpoint, the names of the form and query fields that the app has read since the test began."""
    found: dict[str, set[str]] = defaultdict(set)

    class Recording(ImmutableMultiDict[str, str]):
        def _record(self, name: Any) -> None:
            if has_request_context() and request.endpoint is not None:
                found[request.endpoint].add(name)

        def get(self, key: Any, *rest: Any, **options: Any) -> Any:
            self._record(key)
            return super().get(key, *rest, **options)

        def getlist(self, key: Any, *rest: Any, **options: Any) -> Any:
            self._record(key)
            return super().getlist(key, *rest, **options)

        def __getitem__(self, key: Any) -> Any:
            self._record(key)
            return super().__getitem__(key)

        def __contains__(self, key: Any) -> bool:
            self._record(key)
            return super().__contains__(key)

    kind: type[Request] = app.request_class
    app.request_class = type("RecordingRequest", (kind,), {"parameter_storage_class": Recording})
    return found
