"""Substitutions: somebody takes the chair of somebody else at a table, from one deal on.

Everybody who has a chair of a table for the first time gets a label there, in the transaction that records it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import select

from ...db.transactions import get_id, write_to_circle
from ...limits import MAX_LABEL, MAX_NAME_LENGTH
from ...models import SCORE, Browser, Circle, Player, Seat, Table, db
from ...scoring.problems import Problem, Refusal, refuse
from ...scoring.standing import SUBSTITUTION
from ...scoring.values import clean_name
from ...tables.revisions import Change
from ...tables.seating import next_label
from ...tables.state import TableState
from ..circles.players import Meanings, find_or_build_players, list_players
from ..outcome import Done
from . import replayed
from .table import Prepared, PreparedWrite, Recorded, Refused, WriteRequest, WriteResult, append_locked, prepare


@dataclass(frozen=True)
class Newcomer:
    """A person who sits down: one of the circle's people by id, or by a typed name, which may be new.

    `meanings` are the answers to questions whom the name means.
    """

    person_id: int | None = None
    name: str = ""
    meanings: Meanings = field(default_factory=dict)


@dataclass(frozen=True)
class SubstitutionRequest:
    """One write of a substitution; `kind`, `deal` and `before` are as in `Change`, the rest as in `WriteRequest`.

    `chair` is the chair that the newcomer takes.
    """

    kind: str
    chair: str
    newcomer: Newcomer
    last_revision: int
    key: str
    deal: int | None = None
    before: int | None = None


def write(table: TableState, request: SubstitutionRequest, browser: Browser) -> WriteResult:
    """Record a substitution, or amend one, as `tables.write` does. A new name becomes a player only with it.

    Raises:
        CircleErasedError: the circle, or the table, is no longer there.
        AccessRevokedError: the browser's access ended meanwhile.
    """
    browser_id = get_id(browser)
    prepared = write_to_circle(
        table.circle_id, lambda circle: _write(circle, table.id, request, browser_id), browser=browser, right=SCORE
    )
    if not isinstance(prepared, PreparedWrite):
        return prepared
    replayed.store(prepared.after)
    return Done(Recorded(prepared.revision, prepared.after))


def candidates(table: TableState, players: Sequence[str]) -> list[Player]:
    """List who may come when these labels are seated: the circle's other people, and who has left the table."""
    seated = {at.person_id for at in table.seated if at.seat in players}
    known = {player.id: player for player in list_players(table.stored.circle)}
    known |= {seat.player.person.id: seat.player.person for seat in table.stored.seats}
    return [player for id_, player in known.items() if id_ not in seated and player.erased_at is None]


def _write(circle: Circle, table_id: int, request: SubstitutionRequest, browser_id: int) -> Prepared:
    """Build the revision from the table as it is now, and append it; the caller holds the circle's lock."""
    table = replayed.read_locked(circle, table_id)
    is_sent_again = any(revision.entry_key == request.key for revision in table.revisions)
    player = _find_newcomer(circle, request.newcomer, may_be_erased=is_sent_again)
    if isinstance(player, Problem):
        return Refused(refuse(None, [player]), None, True)
    label = find_label(table, player)
    is_new = label is None
    label = label or next_label(seat.seat for seat in table.stored.seats)
    if label is None:
        return Refused(
            refuse(None, [Problem(f"{SUBSTITUTION}.in", "too-many-people", {"most": MAX_LABEL})]), None, True
        )
    body = {SUBSTITUTION: {"out": request.chair, "in": label}}
    change = Change(request.kind, request.deal, request.before, body)
    prepared = prepare(table, WriteRequest(change, request.last_revision, request.key), browser_id)
    if isinstance(prepared, PreparedWrite):
        if is_new:
            add_seat(table.stored, label, player)
        append_locked(prepared)
    return prepared


def _find_newcomer(circle: Circle, newcomer: Newcomer, *, may_be_erased: bool) -> Player | Problem:
    """Return the person, who is not in the session yet if the name is new; or what is wrong."""
    field = f"{SUBSTITUTION}.in"
    name = clean_name(newcomer.name)
    if newcomer.person_id is None and not name:
        return Problem(field, "nobody-chosen")
    if newcomer.person_id is not None and name:
        return Problem(field, "two-newcomers")
    if len(name) > MAX_NAME_LENGTH:
        return Problem(field, "long-name", {"most": MAX_NAME_LENGTH})
    if name:
        found = find_or_build_players(circle, [name], newcomer.meanings)
        if isinstance(found, Refusal):
            return found.first
        player: Player | None = found[0]
    else:
        player = _person_by_id(circle, newcomer.person_id)
    if player is None or (player.erased_at is not None and not may_be_erased):
        return Problem(field, "player-changed")
    return player


def _person_by_id(circle: Circle, person_id: int | None) -> Player | None:
    player = db.session.scalar(select(Player).where(Player.circle_id == circle.id, Player.id == person_id))
    return player.person if player is not None else None


def find_label(table: TableState, person: Player) -> str | None:
    """Return the label of a person who has one at the table."""
    seats: Sequence[Seat] = table.stored.seats
    return next((seat.seat for seat in seats if person.id is not None and seat.player.person.id == person.id), None)


def add_seat(table: Table, label: str, player: Player) -> None:
    """Give a person a label at a table at which they have none yet; the caller holds the circle's lock."""
    table.seats.append(Seat(circle_id=table.circle_id, seat=label, player=player, is_substitute=True, has_sat=True))
    db.session.flush()
