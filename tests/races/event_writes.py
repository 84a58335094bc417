"""For each write to an event: how to build a valid request, and how to see in the database whether it was done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Select, func, select

from scorekeeper.models import (
    Browser,
    DrawnRound,
    Entrant,
    EntrantSubstitution,
    Event,
    EventPhone,
    Payment,
    Player,
    ResultConfirmation,
    RoundResult,
    RoundTable,
    Settlement,
)

from ..visitor import Visitor, filled_in
from .event_world import SETTINGS
from .sending import SENDERS, Data, Request, Write, form, sent_by
from .world import CO_HOST, GUESTS, HOST, NEWCOMERS, World

Trace = Callable[[Any, World, Request], object]
NOTHING: Data = {}


# --- requests ------------------------------------------------------------------------------------------------


def _entrant(page: str, do: str, first: Data, second: Data) -> Callable[[World, Visitor, int], Request]:
    """Send the form of this kind of an entrant's page, which has several with one address."""

    def make(world: World, visitor: Visitor, variant: int) -> Request:
        found = visitor.visit(page.format(**world.events)).find(f"form:has([name=do][value={do}])")
        return Request(SENDERS[variant], visitor.path, filled_in(found) | (first, second)[variant - 1])

    return make


def _join(world: World, visitor: Visitor, variant: int) -> Request:  # noqa: ARG001  # same signature as the others
    """Tap Join on the page of the link to an event, from a phone that has not joined."""
    found = visitor.visit(world.event_link).form("/join")
    return Request(NEWCOMERS[0], str(found["action"]), filled_in(found))


# --- traces --------------------------------------------------------------------------------------------------


def _column(column: Any) -> Trace:
    """Read a column of the request's event."""
    return _of_event(lambda event_id: select(column).where(Event.id == event_id))


def _count(model: Any, *conditions: Any) -> Trace:
    """Count the rows of the request's event for which these conditions hold."""
    return _of_event(
        lambda event_id: select(func.count()).select_from(model).where(model.event_id == event_id, *conditions)
    )


def _entrant_is(column: Any, number: int) -> Trace:
    """Read a column of a row with the entrant's number."""
    model = column.class_
    return _of_event(lambda event_id: select(column).where(model.event_id == event_id, model.number == number))


def _substitute_of(number: int) -> Trace:
    """Read the name of who plays under the number. PostgreSQL gives no id twice, also if the first attempt was lost."""
    row = EntrantSubstitution
    named = select(Player.name).join(row, (row.circle_id == Player.circle_id) & (row.player_id == Player.id))
    return _of_event(lambda event_id: named.where(row.event_id == event_id, row.number == number))


def _of_event(query: Callable[[int], Select[Any]]) -> Trace:
    def trace(session: Any, _world: World, request: Request) -> object:
        found = session.scalar(select(Event.id).where(Event.token == request.path.split("/")[2]))
        return session.scalar(query(found)) if found is not None else None

    return trace


_CALLED = _count(RoundTable, RoundTable.called_at.is_not(None))


def _by_key(session: Any, _world: World, request: Request) -> object:
    """Return how often an event, a round, a result or a payment was recorded under the request's key."""
    key = request.data["key"]
    kinds = (Event, DrawnRound, RoundResult, Payment)
    return sum(session.scalar(select(func.count()).where(kind.entry_key == key)) for kind in kinds)


def _phones(session: Any, _world: World, _request: Request) -> object:
    return session.scalar(select(func.count()).select_from(EventPhone))


def _confirmations(session: Any, _world: World, request: Request) -> object:
    side = ResultConfirmation.side == int(request.data["side"])
    return session.scalar(select(func.count()).where(side))


def _claimed(session: Any, _world: World, request: Request) -> object:
    """Return the player whose phone the sender's is."""
    number = Browser.number == {HOST: 1, CO_HOST: 2}[request.phone]
    return session.scalar(select(func.max(Browser.player_id)).where(number))


# --- the registry --------------------------------------------------------------------------------------------

NEW = SETTINGS | {"title": "New"}
EIGHT, NINE = {"score-0": "8"}, {"score-0": "9"}
FIVE = {"score-0": "5"}  # sent under the same key

EVENT_WRITES = (
    Write(
        "event_setup.new",
        form("{home}events/new?format=individual", "new", (NEW, NEW | {"title": "Newer"})),
        _by_key,
        changed={"title": "Other"},
    ),
    Write(
        "event_setup.settings",
        form("{playing}/settings", "settings", ({"title": "Spring"}, {"title": "Autumn"})),
        _column(Event.title),
    ),
    Write("event_setup.delete", form("{entering}/settings", "/delete"), _column(Event.id)),
    Write(
        "event_entrants.add_names",
        form("{entering}/entrants", "/names", ({"names": "Fanny"}, {"names": "Fanny\nLudo"})),
        _count(Entrant),
    ),
    Write(
        "event_entrants.add_people",
        form("{entering}/entrants", "/people", ({"person": "{Zoé}"}, {"person": "{Yann}"})),
        _count(Entrant),
    ),
    Write(
        "event_entrants.change",
        _entrant("{entering}/entrants/2", "remove", NOTHING, NOTHING),
        _count(Entrant),
        "event_entrants.change, removing",
    ),
    Write(
        "event_entrants.change",
        _entrant("{playing}/entrants/3", "leave", {"last_round": "1"}, {"last_round": "2"}),
        _entrant_is(Entrant.last_round, 3),
        "event_entrants.change, leaving",
    ),
    Write(
        "event_entrants.change",
        _entrant("{playing}/entrants/4", "substitute", {"name": "Fanny"}, {"name": "Zoé"}),
        _substitute_of(4),
        "event_entrants.change, a substitute",
    ),
    Write(
        "event_check_in.check_in",
        sent_by(GUESTS, form("{playing}/check-in", "/check-in", ({"name": "Fanny"}, {"name": "Zoé"}))),
        _count(Entrant),
    ),
    Write("event_join.join", sent_by(NEWCOMERS, _join), _phones),
    Write("event_join.claim", form("{drawn}", "/me", ({"number": "1"}, {"number": "2"})), _claimed),
    Write("event_join.renew", form("{playing}/links", "/links/renew"), _column(Event.version)),
    Write("event_director.draw", form("{playing}/director", "/rounds"), _by_key, changed={"number": "3"}),
    Write(
        "event_director.draw", form("{entering}/director", "/rounds"), _by_key, "event_director.draw, the first round"
    ),
    Write(
        "event_director.start",
        form("{drawn}/director", "/start"),
        _count(DrawnRound, DrawnRound.started_at.is_not(None)),
    ),
    Write("event_director.undo", form("{drawn}/director", "/undo"), _count(DrawnRound)),
    Write(
        "event_director.pause",
        form("{playing}/director", "/pause"),
        _count(DrawnRound, DrawnRound.paused_at.is_not(None)),
    ),
    Write(
        "event_director.resume",
        form("{paused}/director", "/resume"),
        _count(DrawnRound, DrawnRound.paused_at.is_(None)),
    ),
    Write("event_director.finish", form("{paused}/director", "/finish"), _column(Event.finished_at.is_not(None))),
    Write("event_director.reopen", form("{finished}/director", "/reopen"), _column(Event.finished_at.is_not(None))),
    Write("event_slips.enter", form("{playing}/rounds/1", "/1", (EIGHT, NINE)), _by_key, changed=FIVE),
    Write(
        "event_slips.show_table",
        form("{playing}/rounds/1/tables/1", "/1", (NINE | {"do": "record"}, {"do": "withdraw"})),
        _by_key,
        changed=FIVE,
    ),
    Write(
        "event_table.send",
        sent_by(GUESTS, form("{playing}/tables/2", "/result", (EIGHT, NINE))),
        _by_key,
        changed=FIVE,
    ),
    Write(
        "event_table.confirm",
        form("{playing}/tables/1", "/confirm", ({"side": "0"}, {"side": "1"})),
        _confirmations,
    ),
    Write("event_table.call", sent_by(GUESTS, form("{playing}/tables/2", "/call")), _CALLED),
    Write("event_table.end_call", form("{paused}/tables/1", "/call/end"), _CALLED),
    Write(
        "event_director.take_call",
        form("{paused}/director", "/coming"),
        _of_event(lambda event_id: select(func.max(RoundTable.coming_id)).where(RoundTable.event_id == event_id)),
    ),
    Write("event_director.end_call", form("{paused}/director", "/done"), _CALLED),
    Write(
        "event_pads.open_pad",
        sent_by(GUESTS, form("{playing}/tables/2", "/pad")),
        _count(RoundTable, RoundTable.table_id.is_not(None)),
    ),
    Write("event_money.settle_all", form("{finished}/money", "/settle"), _count(Settlement)),
    Write("event_money.record", form("{playing}/money", "/payments"), _by_key, changed={"subunits": "400"}),
    Write("event_money.waive", form("{playing}/money", "/waivers"), _count(Entrant, Entrant.is_free)),
)
