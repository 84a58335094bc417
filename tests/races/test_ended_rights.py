"""A phone loses its right while its request waits for the lock: the request does what it would do when sent later."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from sqlalchemy import ColumnElement, delete, select
from werkzeug.wrappers import Response

from scorekeeper.db.clock import now
from scorekeeper.models import Browser, BrowserLink, Circle, Device, Link
from scorekeeper.models.rights import SCORE, WATCH
from scorekeeper.services.access.devices import hash_secret
from scorekeeper.web.support.sessions import DEVICE

from .interleaving import BEFORE_WRITING, run
from .judging import Judge, Sent
from .sending import Write
from .world import World
from .writes import WRITES

LEFT = (None, WATCH, SCORE)  # the right that the phone keeps


@pytest.mark.sqlite
@pytest.mark.parametrize("write", [pytest.param(write, id=write.title) for write in WRITES if write.trace])
def test_a_right_that_ends_before_the_lock_is_held_does_not_count(judge: Judge, write: Write) -> None:
    sent = Sent(write, judge.requests.of(write, 1))
    for left in LEFT:
        lose: Callable[[], Any] = partial(lose_right, judge.world, sent.request.phone, left)
        judge.world.reset()
        outcome = run(judge.world, partial(sent.request.send, judge.world), lose, BEFORE_WRITING)
        assert outcome.first is not None, outcome.faults
        meanwhile = judge.effect(sent, outcome.first)
        judge.world.reset()
        lose()
        assert judge.effect(sent, sent.request.send(judge.world)) == meanwhile, left


def is_of(world: World, phone: str) -> ColumnElement[bool]:
    """Build the condition that a browser is this phone's."""
    with world.client(phone).session_transaction() as session:
        return Browser.device.has(Device.secret_hash == hash_secret(session[DEVICE]))


def lose_right(world: World, phone: str, left: str | None) -> Response:
    """Let a phone keep this right only, or none."""
    with world.session() as session:
        circle = session.scalars(select(Circle).where(Circle.name == world.circle)).one()
        browser = session.scalars(
            select(Browser).where(Browser.circle_id == circle.id, is_of(world, phone))
        ).one_or_none()
        if browser is None:  # it has not joined yet
            return Response()
        if left is None:
            browser.revoked_at = now()
        else:
            session.execute(delete(BrowserLink).where(BrowserLink.browser_id == browser.id))
            live = Link.circle_id == circle.id, Link.right == left, Link.revoked_at.is_(None)
            link = session.scalars(select(Link).where(*live)).one()
            ids = {"circle_id": circle.id, "browser_id": browser.id, "link_id": link.id}
            session.add(BrowserLink(**ids, joined_at=now()))
        session.commit()
    return Response()
