"""Opening a table: its seats, first dealer, counter value and house rules.

The page that opens a table sends an entry key: the same page sent twice opens one table.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from secrets import SystemRandom
from typing import Any

from sqlalchemy import insert, select

from ..db.outcome import Done, Stale
from ..db.transactions import get_id, writing_to_circle
from ..games import games
from ..models import SCORE, Circle, Membership, Player, Revision, Seat, Table, db, now
from ..people.names import Meanings, find_or_build_players
from ..scoring import schema, sheet
from ..scoring.game import AnyGame
from ..scoring.problems import Problem, Refusal, first_duplicate, refuse
from ..scoring.seating_draw import DrawState, draw_rounds, replay_draw
from ..scoring.sheet import Sheet
from ..site.time_zones import find_evening
from .details import Details
from .revisions import CLOSE, Change, RevisionRow, count_seen, first_rows
from .state import TableState
from .turns import is_deal
from .writing import NotWritten, Refused, refuse_change, store_summary, write_locked, writing_to_table


@dataclass(frozen=True)
class Opening:
    """The contents of the form that opens a table."""

    game: AnyGame
    names: tuple[str, ...]  # in order of turn
    dealer: str  # one of the names
    house_rules: Mapping[str, Any]
    value: Mapping[str, str] | None = None
    has_stakes: bool = True
    details: Details = field(default_factory=Details)
    meanings: Meanings = field(default_factory=dict)  # the answers to questions whom the names mean

    def checked(self) -> Sheet | Refusal:
        """Validate the form as an empty score sheet."""
        document: dict[str, Any] = {
            "format": sheet.FORMAT,
            "game": self.game.slug,
            "players": list(self.names),
            "dealer": self.dealer,
            "house_rules": dict(self.house_rules),
            "deals": [],
        }
        if self.value is not None:
            document["value"] = dict(self.value)
        return sheet.load(document, games())


OpeningResult = Done[str] | Stale[str] | Refusal  # a token: of the table, of the one that the page opened before


def open_table(opening: Opening, key: str, by: Membership, changes: Sequence[Change] = ()) -> OpeningResult:
    """Open a table in the circle of the phone `by`, with valid `changes` as its first revisions."""
    rows = first_rows(changes, get_id(by), now(), key)
    with writing_to_circle(get_id(by.circle), membership=by, right=SCORE) as circle:
        return open_locked(circle, opening, key, rows)


def open_locked(circle: Circle, opening: Opening, key: str | None, rows: Sequence[RevisionRow] = ()) -> OpeningResult:
    """Open a table; the caller holds the circle's lock."""
    checked = opening.checked()
    if isinstance(checked, Refusal):
        return checked
    players = find_or_build_players(circle, opening.names, opening.meanings)
    if isinstance(players, Refusal):
        return players
    details = opening.details
    dealer = str(opening.names.index(opening.dealer) + 1)
    table = build_table(circle, checked, dealer, details.day)
    table.played_on = table.day
    table.has_stakes = opening.has_stakes
    table.title = details.title or None
    table.place = details.place or None
    table.note = details.note or None
    table.turns = details.turns or None
    earlier = find_opened(circle, key)
    if earlier is not None:
        return Done(earlier.token) if _is_same(earlier, table, players, rows) else Stale(earlier.token)
    twice = first_duplicate(player.name for player in players)
    if twice is not None:
        return refuse([Problem("players", "same-person", {"found": twice})])
    table.entry_key = key
    if rows:
        table.opened_at = rows[0].at
    for number, player in enumerate(players, start=1):
        table.seats.append(Seat(circle_id=circle.id, label=str(number), player=player))
    add_table(table, rows)
    return Done(table.token)


def add_table(table: Table, rows: Sequence[RevisionRow]) -> None:
    """Add a table and its first revisions; the caller holds the circle's lock."""
    if rows and rows[-1].kind == CLOSE:
        table.closed_at = rows[-1].at
    db.session.add(table)
    db.session.flush()
    if rows:
        ids = {"circle_id": table.circle_id, "table_id": table.id}
        db.session.execute(insert(Revision), [row._asdict() | ids for row in rows])
    store_summary(TableState(table, rows))


def find_opened(circle: Circle, key: str | None) -> Table | None:
    query = select(Table).where(Table.circle_id == circle.id, Table.entry_key == key)
    return db.session.scalar(query) if key is not None else None


_ENTERED = (
    *("game", "house_rules", "dealer", "value_currency", "value_unit", "value_amount"),
    *("title", "place", "note", "is_dated", "turns"),
)


def _is_same(earlier: Table, requested: Table, players: Sequence[Player], rows: Sequence[RevisionRow]) -> bool:
    recorded = [(each.kind, each.body) for each in earlier.revisions if each.at == earlier.opened_at]
    return (
        [seat.player.person for seat in earlier.seats if not seat.is_substitute] == list(players)
        and (not requested.is_dated or earlier.day == requested.day)
        and all(getattr(earlier, name) == getattr(requested, name) for name in _ENTERED)
        and recorded == [(row.kind, json.loads(json.dumps(row.body))) for row in rows]
    )


def build_table(circle: Circle, sheet: Sheet, dealer: str, day: date | None) -> Table:
    """Return the row of a new table of the circle, not yet in the session; `dealer` is a chair."""
    value = sheet.value
    moment = now()
    return Table(
        token=secrets.token_urlsafe(16),
        circle_id=circle.id,
        game=sheet.game.slug,
        house_rules=schema.dump(sheet.options),
        dealer=dealer,
        value_currency=value and value.currency,
        value_unit=value and value.unit,
        value_amount=value and str(value.amount),
        day=day or find_evening(moment, circle.time_zone),
        is_dated=day is not None,
        opened_at=moment,
    )


def is_draw_due(table: TableState) -> bool:
    """Return whether seats and dealer are to be drawn before the next deal."""
    dealing = table.game.dealing
    return dealing.draw is not None and not table.stored.is_at_event and dealing.is_redrawn(table.standing)


def find_drawn_table(table: TableState) -> str | None:
    """Return the token of the table that the draw after the last deal has opened; None if there is none."""
    if not is_draw_due(table):
        return None
    drawn = find_opened(table.stored.circle, _entry_key(table))
    return drawn.token if drawn is not None else None


def draw_next_table(table: TableState, seen: str, key: str, membership: Membership) -> Done[str] | NotWritten:
    """Draw, open the next table, and close this one; only once after a deal. `seen`: what the page showed of it."""
    author = get_id(membership)
    with writing_to_table(table, membership) as (circle, now):
        drawn = find_drawn_table(now)
        if drawn is not None and now.is_closed:
            return Done(drawn)
        if seen != now.seen:
            return Stale(now.revisions[count_seen(now.revisions, seen) :])
        if now.is_closed or not is_draw_due(now):
            return refuse_change(Problem("drawn", "nothing-to-draw"))
        # Once reopened, a table is closed again, and the earlier draw stands.
        opened = open_locked(circle, _draw_opening(now), _entry_key(now)) if drawn is None else Done(drawn)
        if not isinstance(opened, Done):
            return Refused(opened) if isinstance(opened, Refusal) else Stale(())
        closed = write_locked(now, [Change(CLOSE)], seen, key, author)
        return opened if isinstance(closed, Done) else closed


def _draw_opening(table: TableState) -> Opening:
    """Draw seats and dealer, and return the next table: the same people there, with this one's rules and value."""
    draw = table.game.dealing.draw
    row = table.stored
    value = table.standing.value
    players = table.standing.players
    state = draw and replay_draw(draw, players, draw_rounds(draw, players, SystemRandom().sample))
    if not isinstance(state, DrawState) or state.seated is None:
        raise ValueError(f"the draw of {table.game.slug} decides nothing")
    day = row.day if row.is_dated else None
    return Opening(
        game=table.game,
        names=tuple(table.names[label] for label in state.seated.seats),
        dealer=table.names[state.seated.dealer],
        house_rules=schema.dump(table.standing.options),
        value=value and value.dump(),
        has_stakes=row.has_stakes,
        details=Details(title=row.title or "", day=day, place=row.place or "", turns=row.turns or ""),
    )


def _entry_key(table: TableState) -> str:
    """Return the key of the table that a draw after the last deal opens; a deal that is corrected has another."""
    last = next((item.deal for item in reversed(table.scored_deals) if is_deal(item)), None)
    return f"drawn-{table.token}-{last.revisions[-1].number if last is not None else 0}"
