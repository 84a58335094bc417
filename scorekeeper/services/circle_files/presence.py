"""Who is here on the last evening for which that is known, as it stands in a circle's file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sqlalchemy import select

from ...exchange.circle_records import PlayerRecord, PresenceRecord
from ...exchange.circle_values import format_moment, parse_day, parse_moment
from ...models import Presence, db


def read_presences(circle_id: int) -> dict[int, PresenceRecord]:
    """Return who is here, by the player's id."""
    rows = db.session.scalars(select(Presence).where(Presence.circle_id == circle_id))
    return {
        row.player_id: PresenceRecord(day=row.day.isoformat(), at=format_moment(row.arrived_at) or "") for row in rows
    }


def presences(circle_id: int, players: Iterable[PlayerRecord], ids: Mapping[int, int]) -> Iterator[Presence]:
    """Yield who is here as rows; `ids` are those of the players by number."""
    for player in players:
        if player.present is not None:
            day, at = parse_day(player.present.day), parse_moment(player.present.at)
            yield Presence(circle_id=circle_id, player_id=ids[player.number], day=day, arrived_at=at)
