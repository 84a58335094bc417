"""The handicaps of a season: points for each evening, or a factor, by person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from sqlalchemy import delete, select

from .. import limits
from ..db.outcome import Done, Stale, make_seen
from ..models import Circle, Handicap, Membership, Season, db
from ..people.reading import read_persons
from ..scoring.problems import Problem, Refusal, refuse
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


class WantedHandicap(NamedTuple):
    """A handicap as it was typed: a number, or a string that is none; None for no handicap."""

    kind: str
    size: Decimal | str | None

    def problems(self, field: str) -> Iterator[Problem]:
        between = {
            POINTS: (Decimal(-limits.MAX_HANDICAP_POINTS), limits.MAX_HANDICAP_POINTS),
            FACTOR: (Decimal(1).scaleb(-limits.HANDICAP_PLACES), limits.MAX_HANDICAP_FACTOR),
        }
        size = self.size
        if size is None:
            return
        if self.kind not in between:
            yield Problem(field, "not-among-choices")
            return
        least, most = between[self.kind]
        if isinstance(size, str) or not least <= size <= most or size != round(size, limits.HANDICAP_PLACES):
            yield Problem(field, "handicap-between", {"least": least, "most": most, "places": limits.HANDICAP_PLACES})

    @property
    def changes_nothing(self) -> bool:
        return self.size is None or self.size == (0 if self.kind == POINTS else 1)


def build_seen(handicaps: Mapping[int, Handicap]) -> str:
    return make_seen({player: (row.kind, row.size) for player, row in handicaps.items()})


def set_handicaps(
    season: Season, wanted: Mapping[int, WantedHandicap], seen: str, by: Membership
) -> Done[None] | Stale[None] | Refusal:
    """Set handicaps by the person's id, if all are still as the page has shown them. Those of others stay."""
    with writing_to_season(season, by) as (circle, locked):
        current = read_handicaps(circle, locked)
        persons = read_persons(circle)
        people = {person.id: person for person in persons.values() if person.erased_at is None}
        new = {id_: each for id_, each in wanted.items() if id_ in people}
        if all(_is_as_wanted(current.get(id_), each) for id_, each in new.items()):
            return Done(None)
        if build_seen(current) != seen or locked.counts == MONEY:  # a season of money has no handicaps
            return Stale(None)
        problems = [problem for id_, each in new.items() for problem in each.problems(people[id_].token)]
        if problems:
            return refuse(problems)
        for id_, each in new.items():
            _store(locked, id_, [player for player, person in persons.items() if person.id == id_], each)
        return Done(None)


def _is_as_wanted(row: Handicap | None, wanted: WantedHandicap) -> bool:
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
