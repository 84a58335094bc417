"""The draw for seats and dealer between two deals: those who sit at a table go on at the next one, in the seats drawn.

The next table's entry key follows from the deal before the draw, so that two taps draw once.
"""

from __future__ import annotations

from secrets import SystemRandom

from sqlalchemy import select

from ...db.transactions import get_id, write_to_circle
from ...models import Browser, Circle, Table, db
from ...models.rights import SCORE
from ...scoring.problems import Problem, Refusal, refuse
from ...scoring.seating_draw import DrawState, Seating, draw_rounds, replay_draw
from ...tables.revisions import CLOSE, Change
from ...tables.state import TableState
from ...tables.turns import is_deal
from ..outcome import Done, Stale
from . import replayed
from .details import Details
from .opening import Opening, open_locked
from .table import KEY_AT_EVENTS, NotWritten, PreparedWrite, Refused, WriteRequest, append_locked, prepare


def is_due(table: TableState) -> bool:
    """Return whether seats and dealer are to be drawn before the next deal."""
    if table.game.draw is None or (table.stored.entry_key or "").startswith(KEY_AT_EVENTS):
        return False
    return table.game.is_redrawn(table.standing)


def next_table(table: TableState) -> str | None:
    """Return the token of the table that was opened by the draw after the last deal; None if there is none."""
    if not is_due(table):
        return None
    of_circle = (Table.circle_id == table.circle_id, Table.entry_key == _entry_key(table))
    return db.session.scalar(select(Table.token).where(*of_circle))


def draw(table: TableState, last_revision: int, key: str, browser: Browser) -> Done[str] | NotWritten:
    """Draw, open the next table, and close this one; once after a deal, however often it is sent.

    `last_revision` and `key` are as in `WriteRequest`.

    Raises:
        CircleErasedError: the circle, or the table, is no longer there.
        AccessRevokedError: the browser's access ended meanwhile.
    """
    table_id, browser_id = table.id, get_id(browser)
    request = WriteRequest(Change(CLOSE), last_revision, key)
    return write_to_circle(
        table.circle_id, lambda circle: _draw(circle, table_id, request, browser_id), browser=browser, right=SCORE
    )


def _draw(circle: Circle, table_id: int, request: WriteRequest, browser_id: int) -> Done[str] | NotWritten:
    """Draw for the table as it is now; the caller holds the circle's lock."""
    table = replayed.read_locked(circle, table_id)
    drawn = next_table(table)
    if drawn is not None and table.is_closed:
        return Done(drawn)
    if request.last_revision != table.version:
        return Stale(table.revisions[request.last_revision :])
    closing = prepare(table, request, browser_id) if is_due(table) else None
    if isinstance(closing, Stale | Refused):
        return closing
    if not isinstance(closing, PreparedWrite):  # nothing is due, or the table is closed
        return _refused(refuse(None, [Problem("drawn", "nothing-to-draw")]))
    # Once reopened, a table is closed again, and the earlier draw stands.
    opened = open_locked(circle, _opening(table), _entry_key(table)) if drawn is None else Done(drawn)
    if not isinstance(opened, Done):
        return _refused(opened) if isinstance(opened, Refusal) else Stale(())
    append_locked(closing)
    return opened


def _opening(table: TableState) -> Opening:
    """Return the next table: the same people, in the seats drawn, with this one's rules and value."""
    seated, row, value = _drawn_seating(table), table.stored, table.value
    day = row.day.isoformat() if row.is_dated else ""
    return Opening(
        table.game,
        tuple(table.names[label] for label in seated.seats),
        table.names[seated.dealer],
        row.house_rules,
        {"currency": value.currency, "unit": value.unit, "amount": str(value.amount)} if value is not None else None,
        row.has_stakes,
        Details(row.title or "", day, row.place or "", "", row.turns or ""),
    )


def _drawn_seating(table: TableState) -> Seating:
    draw, players = table.game.draw, table.seated_now
    if draw is None:
        raise ValueError(f"{table.game.slug} has no draw")
    state = replay_draw(draw, players, draw_rounds(draw, players, SystemRandom().sample))
    if not isinstance(state, DrawState) or state.seated is None:
        raise ValueError(f"the draw of {table.game.slug} decides nothing")
    return state.seated


def _entry_key(table: TableState) -> str:
    """Return the key of the table that a draw after the last deal opens; a deal that is corrected has another."""
    last = next((item.deal for item in table.newest_first() if is_deal(item)), None)
    return f"drawn-{table.token}-{last.revisions[-1].number if last is not None else 0}"


def _refused(refusal: Refusal) -> Refused:
    return Refused(refusal, None, True)
