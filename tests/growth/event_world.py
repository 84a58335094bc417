"""The events of the prepared circle: as small as they can be, one for each state that a write needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from scorekeeper.models import Event, db
from scorekeeper.services.events import phones
from scorekeeper.services.events.phones import EventLink
from scorekeeper.web.support import event_access

from ..visitor import NAMES, Visitor

if TYPE_CHECKING:
    from .world import World

SETTINGS = {"game": "whist", "scoring": "tricks", "rounds": "3", "length": "1"}
FOUR = NAMES[:4]


def prepare_events(world: World, host: Visitor, guests: tuple[str, ...]) -> None:
    """Prepare an event that is set up, and others whose round is drawn, played or paused, or that is finished. At
    the paused one a table has called the director.

    Zoé, who may be merged or erased, takes part in one. The guests are phones of the second table of another.
    """
    money = {"fee": "5", "currency": "CHF", "cashier": world.players["Anne"]}
    _event(world, host, "entering", FOUR)
    _event(world, host, "drawn", ("Zoé", "David", "Anne", "Yann"))
    _round(world, host, "drawn")
    _event(world, host, "playing", (*NAMES, "Yann", "Ida", "Jan"), has_check_in="yes", **money)
    _event(world, host, "paused", FOUR)
    _event(world, host, "finished", FOUR, rounds="1", **money)
    for purpose, then in (("playing", ()), ("paused", ("/pause",)), ("finished", ())):
        _round(world, host, purpose, "/start", *then)
        host.visit(f"{world.events[purpose]}/tables/1").send({"score-0": "8"}, "/result")
    _press(world, host, "finished", "/finish")
    host.visit(f"{world.events['paused']}/tables/1").send({}, "/call")
    _join(world, guests)


def _event(world: World, host: Visitor, purpose: str, names: tuple[str, ...], **settings: str) -> None:
    host.visit(f"{world.home}events/new?format=individual").send(SETTINGS | {"title": purpose} | settings)
    assert host.path.endswith("/entrants"), host.problems()
    world.events[purpose] = host.path.removesuffix("/entrants")
    host.send({"names": "\n".join(names)}, "/names")


def _round(world: World, host: Visitor, purpose: str, *then: str) -> None:
    for what in ("/rounds", *then):
        _press(world, host, purpose, what)


def _press(world: World, host: Visitor, purpose: str, what: str) -> None:
    """Press one of the buttons of the director's page, by the end of its form's address."""
    host.visit(f"{world.events[purpose]}/director").send({}, what)
    assert host.status == 200


def _join(world: World, guests: tuple[str, ...]) -> None:
    """Let the guests join at the second table, and keep a link that newcomers may join by."""
    with world.app.test_request_context():
        token = world.events["playing"].rpartition("/")[2]
        event = db.session.scalars(select(Event).where(Event.token == token)).one()
        links = EventLink.to(event, phones.AT_TABLE, 2), EventLink.to(event, phones.TO_CHECK_IN)
        at_table, to_check_in = (f"/events/join/{link.signed(event_access.signing_key())}" for link in links)
    for guest in guests:
        world.visitors[guest] = Visitor(world.app).visit(at_table).send({}, "/join")
    world.event_link = to_check_in
