"""Tables: opening one, reading it, and every write to its facts."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import joinedload

from .. import history
from ..games import games
from ..history import Change
from ..scoring import record, sheet
from ..scoring.game import Game, announcement_faults, fold
from ..scoring.remarks import Refusal, Remark, first_twice, refuse
from ..scoring.sheet import Sheet
from ..scoring.standing import Row, Standing
from ..store import SEATED, Browser, Circle, Link, Revision, Seat, Table, db
from ..table import Open, evening_of
from . import summaries
from .circles import Held, browser_of, matches
from .commits import TRIES, committed, now
from .people import MOST_LETTERS, players_called

RULES_VERSION = 1  # of the rules in games/; a table remembers the one it was opened under


def tables_of(circle: Circle, *, closed: bool, most: int = 20) -> list[Table]:
    """The circle's tables that are closed, or those that are open, newest first."""
    query = (
        select(Table)
        .where(Table.circle_id == circle.id, Table.closed_at.is_not(None) if closed else Table.closed_at.is_(None))
        .options(SEATED)
        .order_by(Table.id.desc())
        .limit(most)
    )
    return list(db.session.scalars(query))


_COUNT = (
    select(func.coalesce(func.max(Revision.number), 0))
    .where(Revision.table_id == Table.id)
    .correlate(Table)
    .scalar_subquery()
)

# --- opening a table ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Opening:
    """What is told of a table before the first deal; names in order of turn, `dealer` one of them."""

    game: Game
    names: tuple[str, ...]
    dealer: str
    house_rules: Mapping[str, Any]
    value: Mapping[str, str] | None = None

    def checked(self) -> Sheet | Refusal:
        raw: dict[str, Any] = {
            "format": sheet.FORMAT,
            "game": self.game.slug,
            "players": list(self.names),
            "dealer": self.dealer,
            "house_rules": dict(self.house_rules),
            "deals": [],
        }
        if self.value is not None:
            raw["value"] = dict(self.value)
        if any(len(name) > MOST_LETTERS for name in self.names):
            return refuse(None, [Remark("players", "long-name", {"most": MOST_LETTERS})])
        return sheet.load(raw, games())


def open_table(circle: Circle, opening: Opening) -> Table | Refusal:
    checked = opening.checked()
    if isinstance(checked, Refusal):
        return checked
    players = players_called(circle, opening.names)
    twice = first_twice(player.name for player in players)
    if twice is not None:
        return refuse(None, [Remark("players", "same-person", {"found": twice})])
    return committed(lambda: _new_table(circle, opening, checked))


def _new_table(circle: Circle, opening: Opening, checked: Sheet) -> Table:
    value, moment = checked.value, now()
    players, evening = players_called(circle, opening.names), evening_of(moment)
    table = Table(
        token=secrets.token_urlsafe(16),
        circle_id=circle.id,
        game=opening.game.slug,
        rules_version=RULES_VERSION,
        house_rules=record.dump(checked.options),
        dealer=str(opening.names.index(opening.dealer) + 1),
        value_currency=value and value.currency,
        value_unit=value and value.unit,
        value_amount=value and str(value.amount),
        played_on=evening,
        day=evening,
        opened_at=moment,
    )
    for number, player in enumerate(players, start=1):
        table.seats.append(Seat(seat=str(number), player=player))
    db.session.add(table)
    db.session.flush()
    summaries.keep(Open(table, []))
    return table


# --- reading and writing a table ---------------------------------------------------------------------------


def read_table(held: Mapping[str, Held], token: str) -> tuple[Open, Browser] | None:
    """The table at that address and who is reading it; `held` is what the reader's cookie says of each circle.

    None for a table that does not exist and for one of another circle: nobody can tell the two apart.
    """
    table = db.session.scalar(select(Table).where(Table.token == token).options(joinedload(Table.circle), SEATED))
    reader = browser_of(held, table.circle.name) if table is not None else None
    return (Open(table, _revisions(table)), reader) if table is not None and reader is not None else None


def count_revisions(held: Mapping[str, Held], token: str) -> int | None:
    """How many revisions the table has, in one read; None for one who may not see it."""
    browsers = {told.browser: told for told in held.values()}
    found = db.session.execute(
        select(Browser.id, Browser.secret_hash, _COUNT)
        .select_from(Table)
        .join(Browser, Browser.circle_id == Table.circle_id)
        .join(Browser.link)
        .where(Table.token == token, Browser.id.in_(browsers), Browser.ended_at.is_(None), Link.ended_at.is_(None))
    ).all()
    return next((count for id_, hashed, count in found if matches(hashed, browsers[id_].secret)), None)


def _revisions(table: Table) -> list[Revision]:
    query = (
        select(Revision)
        .where(Revision.table_id == table.id)
        .options(joinedload(Revision.browser))
        .order_by(Revision.number)
        .execution_options(populate_existing=True)
    )
    return list(db.session.scalars(query))


@dataclass(frozen=True)
class Entry:
    """One write: the change, how many revisions its writer had seen, and the key that makes it one and the same."""

    change: Change
    seen: int
    key: str


@dataclass(frozen=True)
class Recorded:
    revision: Revision
    table: Open


@dataclass(frozen=True)
class Stale:
    """The writer had not seen all: `since` is what came in between, oldest first. Nothing was recorded."""

    since: list[Revision]
    table: Open


@dataclass(frozen=True)
class Refused:
    """The facts could not have been, here or in a later deal. Nothing was recorded.

    `number` is the deal at fault as the table counts it now, None where none is; `is_own` says whether it is the
    deal that was told.
    """

    refusal: Refusal
    number: int | None
    is_own: bool

    @property
    def remarks(self) -> tuple[Remark, ...]:
        return self.refusal.remarks


@dataclass(frozen=True)
class Foreseen:
    """What a change would bring: the standing after it, and the row of the deal that was told (None: withdrawn)."""

    standing: Standing
    row: Row | None


def foresee(table: Open, change: Change) -> Foreseen | Refused:
    """Fold the deals as the change would leave them. Writes nothing."""
    new_id = table.seen + 1
    deals = history.proposed(table.deals, change, new_id)
    standing = table.opened()
    told = new_id if change.deal is None else change.deal
    refusal = fold(table.game, standing, [body for _, body in deals])
    if refusal is not None:
        at_fault = deals[(refusal.deal or 1) - 1][0]
        return Refused(refusal, table.number_of(at_fault) or refusal.deal, at_fault == told)
    row = next((row for (id_, _), row in zip(deals, standing.rows, strict=True) if id_ == told), None)
    return Foreseen(standing, row)


def write(table: Open, entry: Entry, browser: Browser) -> Recorded | Stale | Refused:
    """Add a revision if the deals stand with it. The same entry sent again is answered, not recorded again."""
    for _ in range(TRIES):
        answer = _write_once(table, entry, browser)
        if answer is not None:
            return answer
        table = Open(table.table, _revisions(table.table))
    return Stale([], table)


def _write_once(table: Open, entry: Entry, browser: Browser) -> Recorded | Stale | Refused | None:
    """None where another revision took the number meanwhile."""
    twin = next((revision for revision in table.revisions if revision.entry_key == entry.key), None)
    if twin is not None:
        return Recorded(twin, table) if _is_same(twin, entry.change) else Stale([twin], table)
    if entry.seen != table.seen:
        return Stale(table.revisions[entry.seen :], table)
    refused = _refusal(table, entry.change)
    if refused is not None:
        return refused
    revision = _revision(table, entry, browser)
    try:
        db.session.flush()
        if not _follows(revision):
            db.session.rollback()
            return None
        summaries.keep(Open(table.table, [*table.revisions, revision]))
        db.session.commit()
    except IntegrityError:
        db.session.rollback()
        return None
    return Recorded(revision, Open(table.table, _revisions(table.table)))


def _follows(revision: Revision) -> bool:
    """Whether all that its writer had seen is still there: a backup may have been restored meanwhile."""
    before = select(func.count()).where(Revision.table_id == revision.table_id, Revision.number < revision.number)
    return db.session.scalars(before).one() == revision.number - 1


def _is_same(revision: Revision, change: Change) -> bool:
    return (revision.kind, revision.body, revision.before) == (change.kind, change.body, change.before)


def _refusal(table: Open, change: Change) -> Refused | None:
    if change.kind in history.OF_THE_TABLE:
        return None
    if table.is_closed:
        return Refused(refuse(None, [Remark("deals", "table-closed")]), None, True)
    if change.kind == history.ANNOUNCE:
        remarks = announcement_faults(table.game, table.standing, change.body) if change.body is not None else []
        return Refused(refuse(None, remarks), None, True) if remarks else None
    outcome = foresee(table, change)
    return outcome if isinstance(outcome, Refused) else None


def _revision(table: Open, entry: Entry, browser: Browser) -> Revision:
    change, number = entry.change, table.seen + 1
    is_new = change.kind in (history.RECORD, history.INSERT)
    revision = Revision(
        table_id=table.table.id,
        number=number,
        kind=change.kind,
        deal=number if is_new else change.deal,
        before=change.before,
        body=change.body,
        undoes=change.undoes,
        browser_id=browser.id,
        at=now(),
        entry_key=entry.key,
    )
    if change.kind == history.CLOSE:
        table.table.closed_at = now()
    elif change.kind == history.REOPEN:
        table.table.closed_at = None
    db.session.add(revision)
    return revision
