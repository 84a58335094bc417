"""The handicaps of a season: points for each evening, or a factor, by person."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from sqlalchemy import delete, select

from .. import limits
from ..db.outcome import Done, Stale, make_seen
from ..models import Circle, Handicap, Membership, Season, db
from ..people.reading import read_persons
from ..scoring.problems import Problem
from .season_ranking import FACTOR, MONEY, POINTS
from .seasons import writing_to_season


def read_handicaps(circle: Circle, season: Season) -> dict[int, Handicap]:
    """Return the handicaps of a season by person; none where money counts, since real amounts are not changed.

    If players with handicaps were merged, the person's own counts.
    """
    if season.counts == MONEY:
        return {}
    rows = db.session.scalars(select(Handicap).where(Handicap.season_id == season.id).order_by(Handicap.player_id))
    persons = read_persons(circle)
    own_last = sorted(rows, key=lambda row: persons[row.player_id].id == row.player_id)
    return {persons[row.player_id].id: row for row in own_last}


# By kind, the least and the most that a handicap may be.
BOUNDS = {
    POINTS: (Decimal(-limits.MAX_HANDICAP_POINTS), Decimal(limits.MAX_HANDICAP_POINTS)),
    FACTOR: (Decimal(1).scaleb(-limits.HANDICAP_PLACES), Decimal(limits.MAX_HANDICAP_FACTOR)),
}


def find_size_problem(kind: str, size: Decimal | None) -> Problem | None:
    """Return what is wrong with the size of a handicap, None if it is not even a number."""
    least, most = BOUNDS[kind]
    if size is not None and least <= size <= most and size == round(size, limits.HANDICAP_PLACES):
        return None
    return Problem("size", "handicap-between", {"least": least, "most": most, "places": limits.HANDICAP_PLACES})


class WantedHandicap(NamedTuple):
    """A handicap that somebody shall have; without a size, none."""

    kind: str
    size: Decimal | None

    @property
    def changes_nothing(self) -> bool:
        return self.size is None or self.size == (0 if self.kind == POINTS else 1)


def build_seen(handicaps: Mapping[int, Handicap]) -> str:
    return make_seen({player: (row.kind, row.size) for player, row in handicaps.items()})


def set_handicaps(
    season: Season, wanted: Mapping[int, WantedHandicap], seen: str, by: Membership
) -> Done[None] | Stale[None]:
    """Set handicaps by the person's id, if all are still as the page has shown them. Those of others stay."""
    with writing_to_season(season, by) as (circle, locked):
        current = read_handicaps(circle, locked)
        persons = read_persons(circle)
        people = {person.id for person in persons.values() if person.erased_at is None}
        new = {id_: handicap for id_, handicap in wanted.items() if id_ in people}
        if all(is_as_wanted(current.get(id_), handicap) for id_, handicap in new.items()):
            return Done(None)
        if build_seen(current) != seen or locked.counts == MONEY:  # a season of money has no handicaps
            return Stale(None)
        for id_, handicap in new.items():
            _store(locked, id_, [player for player, person in persons.items() if person.id == id_], handicap)
        return Done(None)


def is_as_wanted(row: Handicap | None, wanted: WantedHandicap) -> bool:
    stored = WantedHandicap(row.kind, Decimal(row.size)) if row is not None else None
    return stored == (None if wanted.changes_nothing else wanted)


def _store(season: Season, person_id: int, players: list[int], wanted: WantedHandicap) -> None:
    """Store the handicap of a person. It replaces those of all players who are this person."""
    db.session.execute(delete(Handicap).where(Handicap.season_id == season.id, Handicap.player_id.in_(players)))
    if not wanted.changes_nothing:
        row = Handicap(circle_id=season.circle_id, season_id=season.id, player_id=person_id)
        row.kind = wanted.kind
        row.size = f"{wanted.size:f}"
        db.session.add(row)
