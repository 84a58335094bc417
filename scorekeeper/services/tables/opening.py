"""Opening a table: its seats, first dealer, counter value and house rules.

The page that opens a table sends an entry key: the same page sent twice opens one table.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import insert, select

from ...db.clock import now
from ...db.transactions import get_id, write_to_circle
from ...games import games
from ...limits import MAX_NAME_LENGTH
from ...models import Browser, Circle, Player, Revision, Seat, Table, db
from ...models.rights import SCORE
from ...scoring import schema, sheet
from ...scoring.game import AnyGame
from ...scoring.problems import Problem, Refusal, first_duplicate, refuse
from ...scoring.sheet import Sheet
from ...tables.revisions import CLOSE, IMPORTED, Change, RevisionRow, first_rows
from ...tables.state import TableState
from ...time_zones import find_evening
from ..circles.players import Meanings, find_or_build_players
from ..outcome import Conflict, Done
from . import summaries
from .details import Details

RULES_VERSION = 1  # of the rules in games/; stored with every table that is opened


@dataclass(frozen=True)
class Opening:
    """The contents of the form that opens a table; `names` in order of turn, `dealer` is one of them.

    `meanings` are the answers to questions whom the names mean.
    """

    game: AnyGame
    names: tuple[str, ...]
    dealer: str
    house_rules: Mapping[str, Any]
    value: Mapping[str, str] | None = None
    has_stakes: bool = True
    details: Details = field(default_factory=Details)
    meanings: Meanings = field(default_factory=dict)

    def checked(self, zone: str | None = None) -> Sheet | Refusal:
        """Validate the form as an empty score sheet; `zone` is the time zone of its circle."""
        problems = [*self.details.problems(zone)]
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
        if any(len(name) > MAX_NAME_LENGTH for name in self.names):
            problems.append(Problem("players", "long-name", {"most": MAX_NAME_LENGTH}))
        loaded = sheet.load(document, games())
        problems += loaded.problems if isinstance(loaded, Refusal) else ()
        return refuse(None, problems) if problems else loaded


OpeningResult = Done[str] | Conflict[str] | Refusal  # a token: of the table, of the one that the page opened before


def open_table(
    circle: Circle,
    opening: Opening,
    key: str | None = None,
    by: Browser | None = None,
    changes: Sequence[Change] = (),
) -> OpeningResult:
    """Open a table in the circle, with valid `changes` as its first revisions, which need a key and an author.

    Raises:
        CircleErasedError: there is no such circle any more.
        AccessRevokedError: the browser's access ended meanwhile.
    """
    checked = opening.checked(circle.time_zone)
    if isinstance(checked, Refusal):
        return checked
    rows = first_rows(changes, get_id(by), now(), key or "") if by is not None else []
    return write_to_circle(
        get_id(circle), lambda locked: _open(locked, opening, checked, key, rows), browser=by, right=SCORE
    )


def is_opened(circle: Circle, key: str) -> bool:
    """Return whether the page with this key has opened a table in the circle before."""
    return _opened_with(circle, key) is not None


def open_locked(circle: Circle, opening: Opening, key: str) -> OpeningResult:
    """Open a table as `open_table` does; the caller holds the circle's lock."""
    checked = opening.checked(circle.time_zone)
    return checked if isinstance(checked, Refusal) else _open(circle, opening, checked, key, ())


def _open(
    circle: Circle, opening: Opening, checked: Sheet, key: str | None, rows: Sequence[RevisionRow]
) -> OpeningResult:
    players = find_or_build_players(circle, opening.names, opening.meanings)
    if isinstance(players, Refusal):
        return players
    earlier = _opened_with(circle, key)
    if earlier is not None:
        requested = _new_table(circle, opening, checked)
        is_same = _is_same(earlier, requested, players) and _has_rows(earlier, rows, key)
        return Done(earlier.token) if is_same else Conflict(earlier.token)
    twice = first_duplicate(player.name for player in players)
    if twice is not None:
        return refuse(None, [Problem("players", "same-person", {"found": twice})])
    table = _new_table(circle, opening, checked)
    table.entry_key = key
    for number, player in enumerate(players, start=1):
        table.seats.append(Seat(seat=str(number), player=player))
    db.session.add(table)
    if rows and rows[-1].kind == CLOSE:
        table.closed_at = rows[-1].at
    db.session.flush()
    if rows:
        ids = {"circle_id": circle.id, "table_id": table.id}
        db.session.execute(insert(Revision), [row._asdict() | ids for row in rows])
    summaries.store(TableState(table, rows))
    return Done(table.token)


def _has_rows(table: Table, rows: Sequence[RevisionRow], key: str | None) -> bool:
    """Return whether the page with this key has recorded the same revisions."""
    recorded = [revision for revision in table.revisions if revision.entry_key.startswith(f"{IMPORTED}{key}-")]
    bodies = [(row.kind, json.loads(json.dumps(row.body))) for row in rows]
    return [(revision.kind, revision.body) for revision in recorded] == bodies


def _opened_with(circle: Circle, key: str | None) -> Table | None:
    if key is None:
        return None
    return db.session.scalar(select(Table).where(Table.circle_id == circle.id, Table.entry_key == key))


_COMPARED = ("game", "house_rules", "dealer", "value_currency", "value_unit", "value_amount")
_ENTERED = ("title", "place", "note", "is_dated", "turns")


def _is_same(earlier: Table, requested: Table, players: Sequence[Player]) -> bool:
    """Return whether the tables have the same players, game, rules, value and details."""
    if [seat.player.person for seat in earlier.seats if not seat.is_substitute] != list(players):
        return False
    if requested.is_dated and earlier.day != requested.day:
        return False
    return all(getattr(earlier, name) == getattr(requested, name) for name in (*_COMPARED, *_ENTERED))


def _new_table(circle: Circle, opening: Opening, checked: Sheet) -> Table:
    """Build the table without its seats; the caller adds it to the session."""
    value, details, moment = checked.value, opening.details, now()
    entered = details.parsed_day
    day = entered or find_evening(moment, circle.time_zone)
    return Table(
        token=secrets.token_urlsafe(16),
        circle_id=circle.id,
        game=opening.game.slug,
        rules_version=RULES_VERSION,
        house_rules=schema.dump(checked.options),
        dealer=str(opening.names.index(opening.dealer) + 1),
        value_currency=value and value.currency,
        value_unit=value and value.unit,
        value_amount=value and str(value.amount),
        has_stakes=opening.has_stakes,
        title=details.title or None,
        played_on=day,
        day=day,
        is_dated=entered is not None,
        place=details.place or None,
        note=details.note or None,
        turns=details.turns or None,
        opened_at=moment,
    )
