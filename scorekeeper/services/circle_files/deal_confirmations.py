"""The confirmations of a circle's deals, as they stand in its file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from sqlalchemy import select

from ...exchange.circle_records import DealConfirmationRecord, RevisionRecord
from ...exchange.circle_values import format_moment, parse_moment
from ...models import DealConfirmation, db
from ...scoring.problems import Problem

Confirmed = dict[tuple[int, int], tuple[DealConfirmationRecord, ...]]  # by table id and number of the revision


def read_confirmations(
    circle_id: int, table_ids: Collection[int], players: Mapping[int, int], browsers: Mapping[int, int]
) -> Confirmed:
    """Return the confirmations at some tables; `players` and `browsers` are the numbers in the file by id."""
    query = select(DealConfirmation).where(
        DealConfirmation.circle_id == circle_id, DealConfirmation.table_id.in_(table_ids)
    )
    found: Confirmed = {}
    for row in sorted(db.session.scalars(query), key=lambda row: browsers[row.browser_id]):
        key = row.table_id, row.revision
        by, player = browsers[row.browser_id], players[row.player_id]
        record = DealConfirmationRecord(by=by, player=player, at=format_moment(row.at) or "")
        found[key] = (*found.get(key, ()), record)
    return found


def confirmation_problems(
    revision: RevisionRecord, players: Collection[int], browsers: Collection[int]
) -> Iterator[Problem]:
    """Yield what is wrong with a revision's confirmations; `players` and `browsers` are the numbers in the file."""
    by: set[int] = {revision.by}
    for place, given in enumerate(revision.confirmed, start=1):
        path = f"confirmed.{place}"
        if revision.deal is None or revision.body is None or given.by in by:
            yield Problem(path, "not-confirmable")
        if given.by not in browsers:
            yield Problem(f"{path}.by", "not-in-file", {"found": str(given.by), "section": "browsers"})
        if given.player not in players:
            yield Problem(f"{path}.player", "not-in-file", {"found": str(given.player), "section": "players"})
        by.add(given.by)


def confirmation_rows(
    revision: RevisionRecord, players: Mapping[int, int], browsers: Mapping[int, int]
) -> Iterator[dict[str, object]]:
    """Yield a revision's confirmations as rows without their table; the mappings are the ids by number."""
    for given in revision.confirmed:
        ids = {"browser_id": browsers[given.by], "player_id": players[given.player]}
        yield {"revision": revision.number, "at": parse_moment(given.at), **ids}
