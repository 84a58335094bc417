"""Seasons: the list, making, changing and removing one, its table, and its handicaps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple

from sqlalchemy import Select, delete, select

from .. import limits
from ..db.outcome import Done, Stale, make_seen
from ..db.transactions import RowDeletedError, get_id, writing_to_circle
from ..games import games, slug_of
from ..models import SCORE, Circle, Event, Handicap, Membership, Season, db
from ..people.reading import read_persons
from ..scoring.currency import list_currencies
from ..scoring.problems import Problem, Refusal, refuse
from ..site.time_zones import find_today
from ..tables.named_games import list_game_keys
from . import season_ranking, statistics
from .reading import EVENTS, add_up, read_evenings, read_person_ids, read_rating_changes
from .season_ranking import (
    BEST,
    COUNTS,
    FACTOR,
    MONEY,
    NET,
    POINTS,
    RATING,
    TIES,
    WITH_ANY_GAMES,
    WON,
    EveningHandicap,
    SeasonRow,
    SeasonRules,
    add_scores,
    has_points,
)
from .statistics import StandingsRow
from .totals import PersonCounts, Totals


@dataclass(frozen=True)
class SeasonPlan:
    """A season as it was typed, with days in ISO format. A number that is none stays as typed; blank for none."""

    name: str = ""
    first: str = ""
    last: str = ""
    counts: str = WON
    games: tuple[str, ...] = ()
    currency: str = ""
    lowest_wins: bool = False
    best: int | str = ""
    least: int | str = ""
    bonus: int | str = ""
    ties: str = BEST
    places: tuple[int | str, ...] = ()

    @property
    def seen(self) -> str:
        return make_seen(asdict(self))

    def normalized(self) -> SeasonPlan:
        """Return the plan as it is stored: without zeros, and without a currency unless money counts."""
        currency = self.currency if self.counts == MONEY else ""
        games = tuple(sorted({*self.games}))
        return replace(self, games=games, currency=currency, least=self.least or "", bonus=self.bonus or "")

    def problems(self, today: date | None, known_games: Collection[str]) -> Iterator[Problem]:
        """Yield what is wrong. `known_games` are the keys that a season may have."""
        if not self.name:
            yield Problem("name", "season-name-missing")
        elif len(self.name) > limits.MAX_CIRCLE_TEXT_LENGTH:
            yield Problem("name", "long-text", {"most": limits.MAX_CIRCLE_TEXT_LENGTH})
        yield from self._day_problems(today)
        yield from self._game_problems(known_games)
        if self.ties not in TIES:
            yield Problem("ties", "not-among-choices")
        yield from _number_problems("best", self.best, 1, limits.MAX_COUNTED_EVENINGS)
        yield from _number_problems("least", self.least, 0, limits.MAX_COUNTED_EVENINGS)
        yield from _number_problems("bonus", self.bonus, 0, limits.MAX_BONUS)
        if self.counts == MONEY and self.bonus:
            yield Problem("bonus", "season-money-is-paid")
        if self.lowest_wins and self.counts != POINTS:
            yield Problem("lowest_wins", "season-lowest-points")
        yield from self._place_problems()

    def _day_problems(self, today: date | None) -> Iterator[Problem]:
        days = [limits.parse_day(day) for day in (self.first, self.last)]
        for field, text, day in zip(("first", "last"), (self.first, self.last), days, strict=True):
            if day is None:
                found = {"found": text[: limits.MAX_CIRCLE_TEXT_LENGTH]}
                yield Problem(field, "date", found) if text else Problem(field, "season-day-missing")
            elif key := limits.find_day_problem(day, today):
                yield Problem(field, key)
        first, last = days
        if first is not None and last is not None and first > last:
            yield Problem("last", "season-ends-first")
        elif first is not None and last is not None and (last - first).days >= limits.MAX_SEASON_DAYS:
            yield Problem("last", "season-too-long", {"most": limits.MAX_SEASON_DAYS})

    def _game_problems(self, known_games: Collection[str]) -> Iterator[Problem]:
        if self.counts not in COUNTS:
            yield Problem("counts", "not-among-choices")
        elif self.counts == MONEY and self.currency not in list_currencies():
            found = {"found": self.currency[: limits.MAX_CIRCLE_TEXT_LENGTH]}
            missing = Problem("currency", "season-currency-missing")
            yield Problem("currency", "currency", found) if self.currency else missing
        if not {*self.games} <= {*known_games}:
            yield Problem("games", "no-such-game")
        elif len(self.games) > limits.MAX_SEASON_GAMES:
            yield Problem("games", "season-too-many-games", {"most": limits.MAX_SEASON_GAMES})
        elif self.counts not in WITH_ANY_GAMES and len(self.games) != 1:
            yield Problem("games", "season-one-game")
        elif any(not can_count(self.counts, key) for key in self.games):
            yield Problem("games", f"season-no-{self.counts}")

    def _place_problems(self) -> Iterator[Problem]:
        if self.places and self.counts not in (POINTS, WON):
            yield Problem("places", "season-places-of-points")
        elif self.places and self.lowest_wins:
            yield Problem("places", "season-places-lowest")
        elif len(self.places) > limits.MAX_COUNTED_PLACES:
            yield Problem("places", "season-too-many-places", {"most": limits.MAX_COUNTED_PLACES})
        wrong = [each for each in self.places if not (isinstance(each, int) and 0 <= each <= limits.MAX_PLACE_POINTS)]
        if wrong:
            yield Problem("places", "season-places", {"found": str(wrong[0])[:20], "most": limits.MAX_PLACE_POINTS})


def can_count(counts: str, key: str) -> bool:
    """Return whether a season at the game with this key can count this; anything, if it is not installed."""
    game = games().get(slug_of(key))
    if game is None:
        return True
    has_contest = bool(game.contest)
    possible = {POINTS: has_points(game), NET: bool(game.units), WON: has_contest, RATING: has_contest}
    return possible.get(counts, True)


def _number_problems(field: str, number: int | str, least: int, most: int) -> Iterator[Problem]:
    if number != "" and not (isinstance(number, int) and least <= number <= most):
        yield Problem(field, "number-between", {"least": least, "most": most})


# --- reading -----------------------------------------------------------------------------------------------


def is_over(circle: Circle, season: Season) -> bool:
    return season.last < find_today(circle.time_zone)


def list_seasons(circle: Circle) -> Sequence[Season]:
    return db.session.scalars(_of_circle(circle).order_by(Season.last.desc(), Season.id.desc())).all()


def find_current(circle: Circle) -> Season | None:
    """Return the season of today; of several, the one that ends first."""
    today = find_today(circle.time_zone)
    query = _of_circle(circle).where(Season.first <= today, Season.last >= today)
    return db.session.scalar(query.order_by(Season.last, Season.id).limit(1))


def find(circle: Circle, token: str) -> Season | None:
    return db.session.scalar(_of_circle(circle).where(Season.token == token))


def _of_circle(circle: Circle) -> Select[Season]:
    return select(Season).where(Season.circle_id == circle.id)


def read_plan(season: Season) -> SeasonPlan:
    """Return a season as its form shows it: with blanks for zeros and None."""
    plan: dict[str, Any] = {each.name: getattr(season, each.name) or "" for each in fields(SeasonPlan)}
    plan |= {"first": season.first.isoformat(), "last": season.last.isoformat(), "lowest_wins": season.lowest_wins}
    return SeasonPlan(**plan | {"games": tuple(season.games), "places": tuple(season.places)})


# --- writing -----------------------------------------------------------------------------------------------


def create(circle: Circle, wanted: SeasonPlan, key: str, by: Membership) -> Done[str] | Stale[str] | Refusal:
    """Create a season and return its token. `key`: a form sent twice creates one."""
    wanted = wanted.normalized()
    with writing_to_circle(get_id(circle), membership=by, right=SCORE) as circle:
        earlier = db.session.scalar(_of_circle(circle).where(Season.entry_key == key))
        if earlier is not None:
            return Done(earlier.token) if read_plan(earlier) == wanted else Stale(earlier.token)
        problems = [*wanted.problems(find_today(circle.time_zone), list_game_keys(circle))]
        if len(list_seasons(circle)) >= limits.MAX_SEASONS:
            problems.append(Problem("name", "too-many-seasons", {"most": limits.MAX_SEASONS}))
        if problems:
            return refuse(problems)
        season = Season(circle_id=circle.id, entry_key=key)
        _apply(season, wanted)
        db.session.add(season)
        db.session.flush()
        return Done(season.token)


def _apply(season: Season, wanted: SeasonPlan) -> None:
    season.name, season.counts, season.ties = wanted.name, wanted.counts, wanted.ties
    season.first, season.last = date.fromisoformat(wanted.first), date.fromisoformat(wanted.last)
    season.games, season.currency = [*wanted.games], wanted.currency or None
    season.best = int(wanted.best) if wanted.best else None
    season.least, season.bonus = int(wanted.least or 0), int(wanted.bonus or 0)
    season.lowest_wins, season.places = wanted.lowest_wins, [*map(int, wanted.places)]


@contextmanager
def _writing_to_season(season: Season, by: Membership) -> Iterator[tuple[Circle, Season]]:
    """Hold the lock of the season's circle; raises RowDeletedError if the season was removed meanwhile."""
    token = season.token
    with writing_to_circle(season.circle_id, membership=by, right=SCORE) as circle:
        locked = find(circle, token)
        if locked is None:
            raise RowDeletedError
        yield circle, locked


def change(season: Season, wanted: SeasonPlan, seen: str, by: Membership) -> Done[None] | Stale[SeasonPlan] | Refusal:
    wanted = wanted.normalized()
    with _writing_to_season(season, by) as (circle, locked):
        current = read_plan(locked)
        if wanted == current:
            return Done(None)
        if seen != current.seen:
            return Stale(current)
        problems = [*wanted.problems(find_today(circle.time_zone), [*list_game_keys(circle), *locked.games])]
        if problems:
            return refuse(problems)
        _apply(locked, wanted)
        return Done(None)


def remove(season: Season, seen: str, by: Membership) -> Done[None] | Stale[SeasonPlan]:
    """Remove a season and its handicaps if it is still as the page has shown it. The results stay."""
    token = season.token
    with writing_to_circle(season.circle_id, membership=by, right=SCORE) as circle:
        locked = find(circle, token)
        if locked is None:  # removed meanwhile
            return Done(None)
        current = read_plan(locked)
        if seen != current.seen:
            return Stale(current)
        db.session.execute(delete(Handicap).where(Handicap.circle_id == circle.id, Handicap.season_id == locked.id))
        db.session.delete(locked)
        return Done(None)


class PlaceAtEvent(NamedTuple):
    event: Event
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
    places = _read_places(circle, season)
    of_events = ((day, {player: sum(each.points for each in at)}) for (player, day), at in places.items())
    for day, made in (*_list_evenings(circle, season), *of_events):
        evenings[day].update(made)
    given = read_handicaps(circle, season)
    handicaps = {player: EveningHandicap(**{row.kind: Fraction(row.size)}) for player, row in given.items()}
    rules = SeasonRules(
        best=season.best, least=season.least, bonus=season.bonus, ties=season.ties, lowest_wins=season.lowest_wins
    )
    rows = season_ranking.rank(evenings, rules, handicaps)
    return SeasonTable(rows, len(evenings), given, places)


def read_handicaps(circle: Circle, season: Season) -> dict[int, Handicap]:
    """Return the handicaps of a season by person; none where money counts, since real amounts are not changed.

    If players with handicaps were merged, the person's own counts.
    """
    query = select(Handicap).where(Handicap.circle_id == circle.id, Handicap.season_id == season.id)
    rows = db.session.scalars(query.order_by(Handicap.player_id)).all() if season.counts != MONEY else []
    persons = read_persons(circle) if rows else {}
    own_last = sorted(rows, key=lambda row: persons[row.player_id].id == row.player_id)
    return {persons[row.player_id].id: row for row in own_last}


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
    found: dict[tuple[int, date], list[PlaceAtEvent]] = {}
    sources = [source.list_places(circle, season.first, season.last, season.games) for source in EVENTS.values()]
    for event, places in chain.from_iterable(sources if season.places else ()):
        for person, place in places.items():
            points = season.places[place - 1] if place <= len(season.places) else 0
            found.setdefault((person, event.day), []).append(PlaceAtEvent(event, place, points))
    return found


# --- the handicaps of a season: points for each evening, or a factor, by person


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


def find_seen(handicaps: Mapping[int, Handicap]) -> str:
    return make_seen({player: (row.kind, row.size) for player, row in handicaps.items()})


def set_handicaps(
    season: Season, wanted: Mapping[int, WantedHandicap], seen: str, by: Membership
) -> Done[None] | Stale[None] | Refusal:
    """Set handicaps by the person's id, if all are still as the page has shown them. Those of others stay."""
    with _writing_to_season(season, by) as (circle, locked):
        current, persons = read_handicaps(circle, locked), read_persons(circle)
        people = {person.id: person for person in persons.values() if person.erased_at is None}
        new = {id_: each for id_, each in wanted.items() if id_ in people}
        if all(_is_as_wanted(current.get(id_), each) for id_, each in new.items()):
            return Done(None)
        if find_seen(current) != seen or locked.counts == MONEY:  # a season of money has no handicaps
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
        ids = {"circle_id": season.circle_id, "season_id": season.id, "player_id": person_id}
        db.session.add(Handicap(**ids, kind=wanted.kind, size=f"{wanted.size:f}"))
