"""Seasons: which there are; making, changing and removing one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import date

from sqlalchemy import Select, delete, select

from .. import limits
from ..db.outcome import Done, Stale, make_seen
from ..db.transactions import RowDeletedError, get_id, writing_to_circle
from ..games import games, slug_of
from ..models import SCORE, Circle, Handicap, Membership, Season, db
from ..scoring.problems import Problem, Refusal, refuse
from ..site.time_zones import find_today
from .season_ranking import BEST, MONEY, NET, POINTS, RATING, WITH_ANY_GAMES, WON, has_points


@dataclass(frozen=True)
class SeasonSettings:
    """What can be set of a season: see `models.Season`."""

    name: str
    first: date
    last: date
    counts: str = WON
    games: tuple[str, ...] = ()
    currency: str | None = None
    lowest_wins: bool = False
    best: int | None = None
    least: int = 0
    bonus: int = 0
    ties: str = BEST
    places: tuple[int, ...] = ()

    @classmethod
    def of(cls, season: Season) -> SeasonSettings:
        values = {field.name: getattr(season, field.name) for field in fields(cls)}
        return cls(**values | {"games": tuple(season.games), "places": tuple(season.places)})

    @property
    def seen(self) -> str:
        return make_seen(asdict(self))

    def find_problems(self, today: date | None) -> Iterator[Problem]:
        """Yield what does not go together, and days that are too far away; `today` as in `limits.find_day_problem`."""
        yield from self._find_day_problems(today)
        yield from self._find_game_problems()
        if self.counts == MONEY and not self.currency:
            yield Problem("currency", "season-currency-missing")
        if self.counts == MONEY and self.bonus:
            yield Problem("bonus", "season-money-is-paid")
        if self.lowest_wins and self.counts != POINTS:
            yield Problem("lowest_wins", "season-lowest-points")
        if self.places and self.counts not in (POINTS, WON):
            yield Problem("places", "season-places-of-points")
        elif self.places and self.lowest_wins:
            yield Problem("places", "season-places-lowest")

    def _find_day_problems(self, today: date | None) -> Iterator[Problem]:
        for field, day in (("first", self.first), ("last", self.last)):
            if key := limits.find_day_problem(day, today):
                yield Problem(field, key)
        if self.first > self.last:
            yield Problem("last", "season-ends-first")
        elif (self.last - self.first).days >= limits.MAX_SEASON_DAYS:
            yield Problem("last", "season-too-long", {"most": limits.MAX_SEASON_DAYS})

    def _find_game_problems(self) -> Iterator[Problem]:
        if self.counts not in WITH_ANY_GAMES and len(self.games) != 1:
            yield Problem("games", "season-one-game")
        elif any(not can_count(self.counts, key) for key in self.games):
            yield Problem("games", f"season-no-{self.counts}")


def can_count(counts: str, key: str) -> bool:
    """Return whether a season at the game with this key can count this; anything, if it is not installed."""
    game = games().get(slug_of(key))
    if game is None:
        return True
    has_contest = bool(game.contest)
    possible = {POINTS: has_points(game), NET: bool(game.units), WON: has_contest, RATING: has_contest}
    return possible.get(counts, True)


# --- reading -----------------------------------------------------------------------------------------------


def is_over(circle: Circle, season: Season) -> bool:
    return season.last < find_today(circle.time_zone)


def list_seasons(circle: Circle) -> Sequence[Season]:
    return db.session.scalars(_select_seasons(circle).order_by(Season.last.desc(), Season.id.desc())).all()


def find_current(circle: Circle) -> Season | None:
    """Return the season of today; of several, the one that ends first."""
    today = find_today(circle.time_zone)
    query = _select_seasons(circle).where(Season.first <= today, Season.last >= today)
    return db.session.scalar(query.order_by(Season.last, Season.id).limit(1))


def find(circle: Circle, token: str) -> Season | None:
    return db.session.scalar(_select_seasons(circle).where(Season.token == token))


def _select_seasons(circle: Circle) -> Select[Season]:
    return select(Season).where(Season.circle_id == circle.id)


# --- writing -----------------------------------------------------------------------------------------------


def create(circle: Circle, settings: SeasonSettings, key: str, by: Membership) -> Done[str] | Stale[str] | Refusal:
    """Create a season and return its token. `key`: a form sent twice creates one."""
    with writing_to_circle(get_id(circle), membership=by, right=SCORE) as circle:
        earlier = db.session.scalar(_select_seasons(circle).where(Season.entry_key == key))
        if earlier is not None:
            return Done(earlier.token) if SeasonSettings.of(earlier) == settings else Stale(earlier.token)
        problems = [*settings.find_problems(find_today(circle.time_zone))]
        if len(list_seasons(circle)) >= limits.MAX_SEASONS:
            problems.append(Problem("name", "too-many-seasons", {"most": limits.MAX_SEASONS}))
        if problems:
            return refuse(problems)
        season = Season(circle_id=circle.id, entry_key=key)
        _set(season, settings)
        db.session.add(season)
        db.session.flush()
        return Done(season.token)


def _set(season: Season, settings: SeasonSettings) -> None:
    season.name = settings.name
    season.first = settings.first
    season.last = settings.last
    season.counts = settings.counts
    season.games = [*settings.games]
    season.currency = settings.currency
    season.lowest_wins = settings.lowest_wins
    season.best = settings.best
    season.least = settings.least
    season.bonus = settings.bonus
    season.ties = settings.ties
    season.places = [*settings.places]


@contextmanager
def writing_to_season(season: Season, by: Membership) -> Iterator[tuple[Circle, Season]]:
    """Hold the lock of the season's circle; raises RowDeletedError if the season was removed meanwhile."""
    token = season.token
    with writing_to_circle(season.circle_id, membership=by, right=SCORE) as circle:
        locked = find(circle, token)
        if locked is None:
            raise RowDeletedError
        yield circle, locked


def change(season: Season, settings: SeasonSettings, seen: str, by: Membership) -> Done[None] | Stale[None] | Refusal:
    """Change a season if it is still as the page has shown it."""
    with writing_to_season(season, by) as (circle, locked):
        current = SeasonSettings.of(locked)
        if settings == current:
            return Done(None)
        if seen != current.seen:
            return Stale(None)
        problems = [*settings.find_problems(find_today(circle.time_zone))]
        if problems:
            return refuse(problems)
        _set(locked, settings)
        return Done(None)


def remove(season: Season, seen: str, by: Membership) -> Done[None] | Stale[None]:
    """Remove a season and its handicaps if it is still as the page has shown it. The results stay."""
    token = season.token
    with writing_to_circle(season.circle_id, membership=by, right=SCORE) as circle:
        locked = find(circle, token)
        if locked is None:  # removed meanwhile
            return Done(None)
        if seen != SeasonSettings.of(locked).seen:
            return Stale(None)
        db.session.execute(delete(Handicap).where(Handicap.circle_id == circle.id, Handicap.season_id == locked.id))
        db.session.delete(locked)
        return Done(None)
