"""A request that was done is answered as done when it is sent again after the world has moved on."""

from __future__ import annotations

import pytest

from ..visitor import Visitor
from .judging import Judge
from .sending import Write
from .world import COOKIE, HOST, World
from .writes import WRITES

pytestmark = pytest.mark.sqlite  # one request at a time

SENT_AGAIN = ("deals.", "table.", "event_table.", "event_pads.")
KEPT = [write for write in WRITES if write.changed or write.endpoint.startswith(SENT_AGAIN)]


@pytest.mark.parametrize("write", [pytest.param(write, id=write.title) for write in KEPT])
def test_a_request_sent_again_later_is_answered_as_done(judge: Judge, write: Write) -> None:
    request = judge.requests.of(write, 1)
    judge.world.reset()
    first = request.send(judge.world)
    move_on(judge.world)
    before = judge.world.row_counts()
    again = request.send(judge.world)
    assert (first.status_code, again.status_code) == (303, 303)
    assert judge.world.row_counts() == before


def move_on(world: World) -> None:
    """Close the tables; draw the next round of the events, and finish them."""
    host = Visitor(world.app)
    host.client.set_cookie(COOKIE, world.cookies[HOST])
    for table in ("open", "bid", "turns"):
        press(host, world.tables[table], "/close")
    for event in world.events.values():
        for what in ("/rounds", "/start", "/finish"):
            press(host, f"{event}/director", what)


def press(host: Visitor, page: str, what: str) -> None:
    """Press a button if the page has it, by the end of its form's address."""
    host.visit(page)
    if host.page.select_one(f"form[action$='{what}']") is not None:
        host.send({}, what)
        assert host.status == 200, (page, what)
