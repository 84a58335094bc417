"""Seasons: which there are; making, changing and removing one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date

from sqlalchemy import Select, delete, select

from .. import limits
from ..db.outcome import Done, Stale
from ..db.transactions import RowDeletedError, get_id, writing_to_circle
from ..models import SCORE, Circle, Handicap, Membership, Season, db
from ..scoring.problems import Problem, Refusal, refuse
from ..site.time_zones import find_today
from ..tables.named_games import list_game_keys
from .season_plan import SeasonPlan, read_plan


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
    season.name = wanted.name
    season.first = date.fromisoformat(wanted.first)
    season.last = date.fromisoformat(wanted.last)
    season.counts = wanted.counts
    season.games = [*wanted.games]
    season.currency = wanted.currency or None
    season.lowest_wins = wanted.lowest_wins
    season.best = int(wanted.best) if wanted.best else None
    season.least = int(wanted.least or 0)
    season.bonus = int(wanted.bonus or 0)
    season.ties = wanted.ties
    season.places = [int(points) for points in wanted.places]


@contextmanager
def writing_to_season(season: Season, by: Membership) -> Iterator[tuple[Circle, Season]]:
    """Hold the lock of the season's circle; raises RowDeletedError if the season was removed meanwhile."""
    token = season.token
    with writing_to_circle(season.circle_id, membership=by, right=SCORE) as circle:
        locked = find(circle, token)
        if locked is None:
            raise RowDeletedError
        yield circle, locked


def change(season: Season, wanted: SeasonPlan, seen: str, by: Membership) -> Done[None] | Stale[SeasonPlan] | Refusal:
    wanted = wanted.normalized()
    with writing_to_season(season, by) as (circle, locked):
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
