"""The table of a season, computed from what was played whenever it is shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date
from fractions import Fraction
from itertools import chain
from typing import NamedTuple

from ..games import games, slug_of
from ..models import Circle, Handicap, Season
from ..site.features import features
from . import statistics
from .handicaps import read_handicaps
from .reading import EventPlaces, add_up, read_evenings, read_person_ids, read_rating_changes
from .season_ranking import MONEY, POINTS, RATING, WON, EveningHandicap, SeasonRow, SeasonRules, add_scores, rank
from .statistics import StandingsRow
from .totals import PersonCounts, Totals


class PlaceAtEvent(NamedTuple):
    event: EventPlaces
    place: int
    points: int


class SeasonTable(NamedTuple):
    rows: list[SeasonRow]
    evenings: int  # how many it had so far
    handicaps: Mapping[int, Handicap]  # by person
    places: Mapping[tuple[int, date], list[PlaceAtEvent]]  # at events, by person and day


def read_table(circle: Circle, season: Season) -> SeasonTable:
    """Compute the table of a season; empty if it counts ratings and the circle does not show them."""
    if season.counts == RATING and not circle.shows_ratings:
        return SeasonTable([], 0, {}, {})
    evenings: defaultdict[date, PersonCounts] = defaultdict(PersonCounts)
    for day, made in _list_evenings(circle, season):
        evenings[day].update(made)
    places = _read_places(circle, season)
    for (player, day), at_events in places.items():
        evenings[day][player] += sum(place.points for place in at_events)
    given = read_handicaps(circle, season)
    handicaps = {player: _convert_handicap(row) for player, row in given.items()}
    rules = SeasonRules(
        best=season.best, least=season.least, bonus=season.bonus, ties=season.ties, lowest_wins=season.lowest_wins
    )
    rows = rank(evenings, rules, handicaps)
    return SeasonTable(rows, len(evenings), given, places)


def _convert_handicap(row: Handicap) -> EveningHandicap:
    size = Fraction(row.size)
    return EveningHandicap(points=size) if row.kind == POINTS else EveningHandicap(factor=size)


def _list_evenings(circle: Circle, season: Season) -> Iterator[tuple[date, Mapping[int, int]]]:
    if season.counts == RATING:
        yield from read_rating_changes(circle, season.games[0], season.first, season.last)
        return
    person_ids = read_person_ids(circle.id)
    for day, tables in read_evenings(circle.id, season.first, season.last, season.games):
        made = PersonCounts()
        if season.counts == POINTS:
            for table in tables:
                add_scores(made, table.data, person_ids)
        else:
            for row in _list_rows(season, add_up(tables, person_ids)):
                made[row.player] += row.wins.won if season.counts == WON else row.net
        yield day, made


def _list_rows(season: Season, totals: Totals) -> Iterator[StandingsRow]:
    if season.counts == MONEY:
        yield from statistics.rank_in_currency(season.currency or "", totals, statistics.NET)
        return
    for key, of_game in totals.games.items():
        yield from statistics.rank_at_game(games()[slug_of(key)], of_game, {}, statistics.NET)


def _read_places(circle: Circle, season: Season) -> dict[tuple[int, date], list[PlaceAtEvent]]:
    """Return the places at events by person and day, if they count. Each event counts as an evening."""
    by_day: dict[tuple[int, date], list[PlaceAtEvent]] = {}
    if not season.places:
        return by_day
    events = (feature.list_places(circle, season.first, season.last, season.games) for feature in features())
    for event in chain.from_iterable(events):
        for person, place in event.places.items():
            points = season.places[place - 1] if place <= len(season.places) else 0
            by_day.setdefault((person, event.day), []).append(PlaceAtEvent(event, place, points))
    return by_day
