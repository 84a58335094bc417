"""Seasons: the list, making one, changing and removing it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import TypeVar

from sqlalchemy import Select, delete, func, select

from ...db.clock import now
from ...db.transactions import CircleErasedError, get_id, write_to_circle
from ...games import find_game, games
from ...limits import (
    MAX_BONUS,
    MAX_CIRCLE_TEXT,
    MAX_EVENINGS,
    MAX_PLACE_POINTS,
    MAX_PLACES_COUNTED,
    MAX_SEASON_DAYS,
    MAX_SEASON_GAMES,
    MAX_SEASONS,
    find_day_problem,
)
from ...models import Browser, Circle, Handicap, Season, db
from ...models.rights import SCORE
from ...scoring.currencies import list_currencies
from ...scoring.problems import Problem, Refusal, refuse
from ...stats.seasons import BEST, COUNTS, MONEY, NET, POINTS, RATING, TIES, WITH_ANY_GAMES, WON, has_points
from ...stats.summary_data import slug_of
from ...time_zones import find_evening
from ..outcome import Conflict, Done, Stale
from ..tables.opening import read_names

T = TypeVar("T")


@dataclass(frozen=True)
class SeasonPlan:
    """A season as it is typed: days in ISO format; numbers, or what was typed that is none, blank for none."""

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
    def mark(self) -> str:
        """A short hash, by which a page says which plan it has shown."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:16]

    def normalized(self) -> SeasonPlan:
        """Return the plan as `read_plan` does: without zeros, and without a currency unless money counts."""
        currency = self.currency if self.counts == MONEY else ""
        games = tuple(sorted({*self.games}))
        return replace(self, games=games, currency=currency, least=self.least or "", bonus=self.bonus or "")

    def problems(self, today: date | None, known_games: Collection[str]) -> Iterator[Problem]:
        """Yield what is wrong. `known_games` are the keys that a season may have."""
        if not self.name:
            yield Problem("name", "season-name-missing")
        elif len(self.name) > MAX_CIRCLE_TEXT:
            yield Problem("name", "long-text", {"most": MAX_CIRCLE_TEXT})
        yield from self._day_problems(today)
        yield from self._game_problems(known_games)
        if self.ties not in TIES:
            yield Problem("ties", "not-among-choices")
        yield from _number_problems("best", self.best, 1, MAX_EVENINGS)
        yield from _number_problems("least", self.least, 0, MAX_EVENINGS)
        yield from _number_problems("bonus", self.bonus, 0, MAX_BONUS)
        if self.counts == MONEY and self.bonus:
            yield Problem("bonus", "season-money-is-paid")
        if self.lowest_wins and self.counts != POINTS:
            yield Problem("lowest_wins", "season-lowest-points")
        yield from self._place_problems()

    def _day_problems(self, today: date | None) -> Iterator[Problem]:
        days = [_parse(day) for day in (self.first, self.last)]
        for field, text, day in zip(("first", "last"), (self.first, self.last), days, strict=True):
            if day is None:
                found = {"found": text[:MAX_CIRCLE_TEXT]}
                yield Problem(field, "date", found) if text else Problem(field, "season-day-missing")
            elif key := find_day_problem(day, today):
                yield Problem(field, key)
        first, last = days
        if first is not None and last is not None and first > last:
            yield Problem("last", "season-ends-first")
        elif first is not None and last is not None and (last - first).days >= MAX_SEASON_DAYS:
            yield Problem("last", "season-too-long", {"most": MAX_SEASON_DAYS})

    def _game_problems(self, known_games: Collection[str]) -> Iterator[Problem]:
        if self.counts not in COUNTS:
            yield Problem("counts", "not-among-choices")
        elif self.counts == MONEY and self.currency not in list_currencies():
            found = {"found": self.currency[:MAX_CIRCLE_TEXT]}
            yield (
                Problem("currency", "currency", found)
                if self.currency
                else Problem("currency", "season-currency-missing")
            )
        if not {*self.games} <= {*known_games}:
            yield Problem("games", "no-such-game")
        elif len(self.games) > MAX_SEASON_GAMES:
            yield Problem("games", "season-too-many-games", {"most": MAX_SEASON_GAMES})
        elif self.counts not in WITH_ANY_GAMES and len(self.games) != 1:
            yield Problem("games", "season-one-game")
        elif any(not can_count(self.counts, key) for key in self.games):
            yield Problem("games", f"season-no-{self.counts}")

    def _place_problems(self) -> Iterator[Problem]:
        if self.places and self.counts not in (POINTS, WON):
            yield Problem("places", "season-places-of-points")
        elif self.places and self.lowest_wins:
            yield Problem("places", "season-places-lowest")
        elif len(self.places) > MAX_PLACES_COUNTED:
            yield Problem("places", "season-too-many-places", {"most": MAX_PLACES_COUNTED})
        wrong = [each for each in self.places if not (isinstance(each, int) and 0 <= each <= MAX_PLACE_POINTS)]
        if wrong:
            yield Problem("places", "season-places", {"found": str(wrong[0])[:20], "most": MAX_PLACE_POINTS})


def can_count(counts: str, key: str) -> bool:
    """Return whether this can count at the game with this key. Of a game that is not installed, anything can."""
    slug = slug_of(key)
    if slug not in games():
        return True
    game = find_game(slug)
    return {POINTS: has_points(game), NET: bool(game.units), WON: bool(game.contest), RATING: bool(game.contest)}.get(
        counts, True
    )


def _parse(day: str) -> date | None:
    try:
        return date.fromisoformat(day)
    except ValueError:
        return None


def _number_problems(field: str, number: int | str, least: int, most: int) -> Iterator[Problem]:
    if number != "" and not (isinstance(number, int) and least <= number <= most):
        yield Problem(field, "number-between", {"least": least, "most": most})


# --- reading -----------------------------------------------------------------------------------------------


def list_games(circle: Circle) -> list[str]:
    """List the keys of the games that a season may be of: those that need no description, and the circle's own."""
    return [*(slug for slug, game in games().items() if not game.named_by), *read_names(circle)]


def find_today(circle: Circle) -> date:
    """Return the circle's evening of now."""
    return find_evening(now(), circle.time_zone)


def is_over(circle: Circle, season: Season) -> bool:
    """Return whether the last evening of a season is over."""
    return season.last < find_today(circle)


def list_seasons(circle: Circle) -> Sequence[Season]:
    """List the circle's seasons, the one that ends last first."""
    return db.session.scalars(_of_circle(circle).order_by(Season.last.desc(), Season.id.desc())).all()


def find_current(circle: Circle) -> Season | None:
    """Return the season that today belongs to, the one that ends first of several; None if there is none."""
    today = find_today(circle)
    query = _of_circle(circle).where(Season.first <= today, Season.last >= today)
    return db.session.scalar(query.order_by(Season.last, Season.id).limit(1))


def find(circle: Circle, token: str) -> Season | None:
    """Return the circle's season with this token."""
    return db.session.scalar(_of_circle(circle).where(Season.token == token))


def _of_circle(circle: Circle) -> Select[Season]:
    return select(Season).where(Season.circle_id == circle.id)


def read_plan(season: Season) -> SeasonPlan:
    """Return a season as its form shows it."""
    return SeasonPlan(
        season.name,
        season.first.isoformat(),
        season.last.isoformat(),
        season.counts,
        tuple(season.games),
        season.currency or "",
        season.lowest_wins,
        season.best or "",
        season.least or "",
        season.bonus or "",
        season.ties,
        tuple(season.places),
    )


# --- writing -----------------------------------------------------------------------------------------------


def make(circle: Circle, wanted: SeasonPlan, key: str, by: Browser) -> Done[str] | Conflict[str] | Refusal:
    """Make a season; return its token. By the page's key, a form sent twice makes one.

    Raises:
        CircleErasedError: there is no such circle any more.
        AccessRevokedError, RightRevokedError: the browser's access ended meanwhile, or its right.
    """
    return write_to_circle(
        get_id(circle), lambda locked: _make(locked, wanted.normalized(), key), browser=by, right=SCORE
    )


def _make(circle: Circle, wanted: SeasonPlan, key: str) -> Done[str] | Conflict[str] | Refusal:
    earlier = db.session.scalar(_of_circle(circle).where(Season.entry_key == key))
    if earlier is not None:
        return Done(earlier.token) if read_plan(earlier) == wanted else Conflict(earlier.token)
    problems = [*wanted.problems(find_today(circle), list_games(circle))]
    count = db.session.scalar(select(func.count()).select_from(Season).where(Season.circle_id == circle.id)) or 0
    if count >= MAX_SEASONS:
        problems.append(Problem("name", "too-many-seasons", {"most": MAX_SEASONS}))
    if problems:
        return refuse(None, problems)
    season = Season(circle_id=circle.id, entry_key=key)
    _apply(season, wanted)
    db.session.add(season)
    db.session.flush()
    return Done(season.token)


def _apply(season: Season, wanted: SeasonPlan) -> None:
    season.name = wanted.name
    season.first, season.last = date.fromisoformat(wanted.first), date.fromisoformat(wanted.last)
    season.counts, season.games, season.currency = wanted.counts, [*wanted.games], wanted.currency or None
    season.best = int(wanted.best) if wanted.best else None
    season.least, season.bonus = int(wanted.least or 0), int(wanted.bonus or 0)
    season.lowest_wins, season.ties, season.places = wanted.lowest_wins, wanted.ties, [*map(int, wanted.places)]


def write_to_season(season: Season, work: Callable[[Circle, Season], T], by: Browser) -> T:
    """Run `work` on the season as it is now, with its circle's lock.

    Raises:
        CircleErasedError: the circle, or the season, is no longer there.
        AccessRevokedError, RightRevokedError: the browser's access ended meanwhile, or its right.
    """
    id_, token = get_id(season), season.token

    def work_on_it(circle: Circle) -> T:
        locked = db.session.get(Season, (id_, circle.id), populate_existing=True)
        if locked is None or locked.token != token:
            raise CircleErasedError
        return work(circle, locked)

    return write_to_circle(season.circle_id, work_on_it, browser=by, right=SCORE)


def change(season: Season, wanted: SeasonPlan, seen: str, by: Browser) -> Done[None] | Stale[SeasonPlan] | Refusal:
    """Change a season if it is still as the page has shown it."""
    wanted = wanted.normalized()

    def work(circle: Circle, locked: Season) -> Done[None] | Stale[SeasonPlan] | Refusal:
        current = read_plan(locked)
        if wanted == current:
            return Done(None)
        if seen != current.mark:
            return Stale(current)
        problems = [*wanted.problems(find_today(circle), [*list_games(circle), *locked.games])]
        if problems:
            return refuse(None, problems)
        _apply(locked, wanted)
        return Done(None)

    return write_to_season(season, work, by)


def remove(season: Season, seen: str, by: Browser) -> Done[None] | Stale[SeasonPlan]:
    """Remove a season and its handicaps if it is still as the page has shown it. No result goes with it."""
    token = season.token

    def work(circle: Circle) -> Done[None] | Stale[SeasonPlan]:
        locked = find(circle, token)
        if locked is None:  # removed meanwhile
            return Done(None)
        current = read_plan(locked)
        if seen != current.mark:
            return Stale(current)
        db.session.execute(delete(Handicap).where(Handicap.circle_id == circle.id, Handicap.season_id == locked.id))
        db.session.delete(locked)
        return Done(None)

    return write_to_circle(season.circle_id, work, browser=by, right=SCORE)
