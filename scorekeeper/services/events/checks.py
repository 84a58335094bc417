"""What the tables of rounds keep of their results: compared by `scorekeeper verify`, computed by `rebuild`."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import func, select, update

from ...models import ResultConfirmation, RoundResult, RoundTable, db

Place = tuple[int, int, int]  # event, round and table


class CachedResult(NamedTuple):
    """What a table of a round keeps of its last result: the columns of `models.RoundTable`."""

    result: int = 0
    scores: dict[str, Any] | None = None
    is_confirmed: bool = False


def rebuild_events(circle_id: int) -> None:
    """Compute what the tables of all rounds keep of their results; the caller holds the circle's lock."""
    fresh = _fresh_caches(circle_id)
    for event, number, table in wrong_caches(circle_id):
        of_event = update(RoundTable).where(RoundTable.circle_id == circle_id, RoundTable.event_id == event)
        one = of_event.where(RoundTable.round == number, RoundTable.number == table)
        db.session.execute(one.values(**fresh.get((event, number, table), CachedResult())._asdict()))


def wrong_caches(circle_id: int) -> list[Place]:
    """List the tables that keep another result than their last one."""
    columns = RoundTable.event_id, RoundTable.round, RoundTable.number
    kept = (getattr(RoundTable, name) for name in CachedResult._fields)
    query = select(*columns, *kept).where(RoundTable.circle_id == circle_id).order_by(*columns)
    fresh = _fresh_caches(circle_id)
    return [
        (event, number, table)
        for event, number, table, *found in db.session.execute(query)
        if CachedResult(*found) != fresh.get((event, number, table), CachedResult())
    ]


def _fresh_caches(circle_id: int) -> dict[Place, CachedResult]:
    said = (
        select(ResultConfirmation.result_id, func.count().label("sides"))
        .where(ResultConfirmation.circle_id == circle_id)
        .group_by(ResultConfirmation.result_id)
        .subquery()
    )
    query = (
        select(
            *(RoundResult.event_id, RoundResult.round, RoundResult.table_number, RoundResult.number),
            *(RoundResult.body, RoundResult.is_slip, func.coalesce(said.c.sides, 0)),
        )
        .outerjoin(said, said.c.result_id == RoundResult.id)
        .where(RoundResult.circle_id == circle_id)
        .order_by(RoundResult.number)
    )
    return {
        (event, number, table): CachedResult(
            version, body, body is not None and (is_slip or sides == len(body["scores"]))
        )
        for event, number, table, version, body, is_slip, sides in db.session.execute(query)
    }
