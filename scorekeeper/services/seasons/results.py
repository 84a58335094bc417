"""The table of a season, from the circle's tables and finished events; computed whenever it is shown.

What each evening gave each person comes from the functions that statistics and standings use: the totals of tables
(`services.totals.periods`), standings (`stats.standings`), ratings (`services.totals.ratings`) and the places of events
(`services.events.played`). A table that belongs to an event counts with the event's places only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from sqlalchemy import delete, select

from ...games import games
from ...limits import HANDICAP_PLACES, MAX_HANDICAP_FACTOR, MAX_HANDICAP_POINTS
from ...models import Browser, Circle, Event, Handicap, Season, db
from ...scoring.problems import Problem, Refusal, refuse
from ...stats import seasons, standings
from ...stats.seasons import FACTOR, MONEY, NET, POINTS, RATING, SeasonRow, SeasonRules
from ...stats.standings import StandingsRow
from ...stats.summary_data import slug_of
from ...stats.totals import Totals
from ..circles.players import read_persons
from ..events.played import list_places
from ..outcome import Done, Stale
from ..totals import ratings
from ..totals.periods import read_evening_scores, read_evening_totals
from .seasons import write_to_season


class PlaceAtEvent(NamedTuple):
    """Somebody's place at an event, and the points that it gives."""

    event: Event
    place: int
    points: int


class SeasonTable(NamedTuple):
    """The table of a season: its rows, how many evenings it had so far, the handicaps by person, what is missing.

    `places` are those at events, by person and day.
    """

    rows: list[SeasonRow]
    evenings: int = 0
    handicaps: Mapping[str, Handicap] = MappingProxyType({})
    places: Mapping[tuple[str, date], list[PlaceAtEvent]] = MappingProxyType({})
    missing_games: Sequence[str] = ()


def read_table(circle: Circle, season: Season) -> SeasonTable:
    """Compute the table of a season. Where the circle does not show ratings, one of ratings is empty."""
    if season.counts == RATING and not circle.shows_ratings:
        return SeasonTable([])
    unread = {slug_of(key) for key in season.games} - games().keys()
    evenings: dict[date, dict[str, int]] = {}
    places = _read_places(circle, season)
    of_events = ((day, {player: sum(each.points for each in at)}) for (player, day), at in places.items())
    for day, made in (*_list_evenings(circle, season, unread), *of_events):
        of_day = evenings.setdefault(day, {})
        for player, amount in made.items():
            of_day[player] = of_day.get(player, 0) + amount
    given = read_handicaps(circle, season)
    handicaps = {player: read_handicap(row) for player, row in given.items()}
    rows = seasons.rank(evenings, get_rules(season), handicaps)
    return SeasonTable(rows, len(evenings), given, places, sorted(unread))


def get_rules(season: Season) -> SeasonRules:
    """Return how the evenings of a season count."""
    return SeasonRules(season.best, season.least, season.bonus, season.ties, season.lowest_wins)


def read_handicaps(circle: Circle, season: Season) -> dict[str, Handicap]:
    """Return the handicaps of a season by person; none where money counts, which is paid as it is.

    A person's own is stronger than that of a player merged into them.
    """
    query = select(Handicap).where(Handicap.circle_id == circle.id, Handicap.season_id == season.id)
    rows = db.session.scalars(query.order_by(Handicap.player_id)).all() if season.counts != MONEY else []
    persons = read_persons(circle) if rows else {}
    own_last = sorted(rows, key=lambda row: persons[row.player_id].id == row.player_id)
    return {str(persons[row.player_id].id): row for row in own_last}


def read_handicap(row: Handicap) -> seasons.EveningHandicap:
    """Return a handicap as it counts."""
    size = Fraction(row.size)
    return seasons.EveningHandicap(points=size) if row.kind == POINTS else seasons.EveningHandicap(factor=size)


def _list_evenings(circle: Circle, season: Season, unread: set[str]) -> Iterator[tuple[date, dict[str, int]]]:
    """Yield what each evening's tables gave each person; add to `unread` the games that are not installed."""
    span = circle.id, season.first, season.last, season.games
    if season.counts == POINTS:
        yield from read_evening_scores(*span)
    elif season.counts == RATING:
        yield from ratings.read_changes(circle, season.games[0], season.first, season.last)
    else:
        for day, totals in read_evening_totals(*span):
            unread |= totals.unread
            made: dict[str, int] = {}
            for row in _list_rows(season, totals):
                made[row.player] = made.get(row.player, 0) + (row.net if season.counts in (NET, MONEY) else row.won)
            yield day, made


def _list_rows(season: Season, totals: Totals) -> Iterator[StandingsRow]:
    """Yield the rows of an evening's standings: in the season's currency, or at each game."""
    if season.counts == MONEY:
        yield from standings.in_currency(season.currency or "", totals, standings.NET)
        return
    for key, of_game in totals.games.items():
        if slug_of(key) in games():
            yield from standings.of_game(games()[slug_of(key)], of_game, {}, standings.NET)


def _read_places(circle: Circle, season: Season) -> dict[tuple[str, date], list[PlaceAtEvent]]:
    """Return the places at events, if they count. Coming to one counts as coming to an evening."""
    found: dict[tuple[str, date], list[PlaceAtEvent]] = {}
    for event, places in list_places(circle, season.first, season.last, season.games) if season.places else ():
        for person, place in places.items():
            at_event = PlaceAtEvent(event, place, _find_points(season.places, place))
            found.setdefault((str(person), event.day), []).append(at_event)
    return found


def _find_points(places: list[int], place: int) -> int:
    return places[place - 1] if place <= len(places) else 0


# --- the handicaps of a season: points for each evening, or a factor, by person


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
