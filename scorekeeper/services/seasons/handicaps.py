"""The handicaps of a season: points for each evening, or a factor, by person."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from sqlalchemy import delete

from ...limits import HANDICAP_PLACES, MAX_HANDICAP_FACTOR, MAX_HANDICAP_POINTS
from ...models import Browser, Circle, Handicap, Season, db
from ...scoring.problems import Problem, Refusal, refuse
from ...stats.seasons import FACTOR, MONEY, POINTS
from ..circles.players import read_persons
from ..outcome import Done, Stale
from .results import read_handicaps
from .seasons import write_to_season


class WantedHandicap(NamedTuple):
    """A handicap as it is typed: the number, or what was typed that is none; None for no handicap."""

    kind: str
    size: Decimal | str | None

    def problems(self, field: str) -> Iterator[Problem]:
        """Yield what is wrong, at this field."""
        limits = {POINTS: (Decimal(-MAX_HANDICAP_POINTS), MAX_HANDICAP_POINTS), FACTOR: (LEAST, MAX_HANDICAP_FACTOR)}
        if self.size is None:
            return
        if self.kind not in limits:
            yield Problem(field, "not-among-choices")
            return
        if not isinstance(self.size, Decimal) or not _fits(self.size, *limits[self.kind]):
            least, most = limits[self.kind]
            yield Problem(field, "handicap-between", {"least": least, "most": most, "places": HANDICAP_PLACES})

    @property
    def changes_nothing(self) -> bool:
        """Whether it is the same as none."""
        return self.size is None or self.size == (0 if self.kind == POINTS else 1)


def _fits(size: Decimal, least: Decimal, most: int) -> bool:
    return least <= size <= most and size == round(size, HANDICAP_PLACES)


LEAST = Decimal(1).scaleb(-HANDICAP_PLACES)  # of a factor

Wanted = Mapping[int, WantedHandicap]  # by the person's id


def make_mark(handicaps: Mapping[str, Handicap]) -> str:
    """Return a short hash, by which a page says which handicaps it has shown."""
    shown = sorted((player, row.kind, row.size) for player, row in handicaps.items())
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]


def set_handicaps(season: Season, wanted: Wanted, seen: str, by: Browser) -> Done[None] | Stale[None] | Refusal:
    """Set the handicaps of these persons if all are still as the page has shown them; those of others stay.

    Raises:
        CircleErasedError: the circle, or the season, is no longer there.
        AccessRevokedError, RightRevokedError: the browser's access ended meanwhile, or its right.
    """

    def work(circle: Circle, locked: Season) -> Done[None] | Stale[None] | Refusal:
        current, persons = read_handicaps(circle, locked), read_persons(circle)
        people = {person.id: person for person in persons.values() if person.erased_at is None}
        new = {id_: each for id_, each in wanted.items() if id_ in people}
        if all(_is_as_wanted(current.get(str(id_)), each) for id_, each in new.items()):
            return Done(None)
        if make_mark(current) != seen or locked.counts == MONEY:  # which has none
            return Stale(None)
        problems = [problem for id_, each in new.items() for problem in each.problems(people[id_].token)]
        if problems:
            return refuse(None, problems)
        for id_, each in new.items():
            _store(locked, id_, [player for player, person in persons.items() if person.id == id_], each)
        return Done(None)

    return write_to_season(season, work, by)


def _is_as_wanted(row: Handicap | None, wanted: WantedHandicap) -> bool:
    if row is None or wanted.changes_nothing:
        return row is None and wanted.changes_nothing
    return (row.kind, Decimal(row.size)) == (wanted.kind, wanted.size)


def _store(season: Season, person_id: int, players: list[int], wanted: WantedHandicap) -> None:
    """Store the handicap of a person, instead of those of the players who are this person."""
    of_season = Handicap.circle_id == season.circle_id, Handicap.season_id == season.id
    db.session.execute(delete(Handicap).where(*of_season, Handicap.player_id.in_(players)))
    if not wanted.changes_nothing:
        ids = {"circle_id": season.circle_id, "season_id": season.id, "player_id": person_id}
        db.session.add(Handicap(**ids, kind=wanted.kind, size=f"{wanted.size:f}"))
