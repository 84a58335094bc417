"""Seasons: which there are; making, changing and removing one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import date

from sqlalchemy import Select, delete, select

from .. import limits
from ..db.outcome import Done, Stale, make_seen
from ..db.transactions import RowDeletedError, get_id, writing_to_circle
from ..games import games, slug_of
from ..models import SCORE, Circle, Handicap, Membership, Season, db
from ..scoring.currency import list_currencies
from ..scoring.problems import Problem, Refusal, refuse
from ..site.time_zones import find_today
from ..tables.named_games import list_game_keys
from .season_ranking import BEST, COUNTS, MONEY, NET, POINTS, RATING, TIES, WITH_ANY_GAMES, WON, has_points


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
        first, last = limits.parse_day(self.first), limits.parse_day(self.last)
        for field, text, day in (("first", self.first, first), ("last", self.last, last)):
            if not text:
                yield Problem(field, "season-day-missing")
            elif day is None:
                yield Problem(field, "date", {"found": text[: limits.MAX_CIRCLE_TEXT_LENGTH]})
            elif key := limits.find_day_problem(day, today):
                yield Problem(field, key)
        if first is None or last is None:
            return
        if first > last:
            yield Problem("last", "season-ends-first")
        elif (last - first).days >= limits.MAX_SEASON_DAYS:
            yield Problem("last", "season-too-long", {"most": limits.MAX_SEASON_DAYS})

    def _game_problems(self, known_games: Collection[str]) -> Iterator[Problem]:
        if self.counts not in COUNTS:
            yield Problem("counts", "not-among-choices")
        elif self.counts == MONEY and not self.currency:
            yield Problem("currency", "season-currency-missing")
        elif self.counts == MONEY and self.currency not in list_currencies():
            yield Problem("currency", "currency", {"found": self.currency[: limits.MAX_CIRCLE_TEXT_LENGTH]})
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


def read_plan(season: Season) -> SeasonPlan:
    """Return a season as its form shows it: with blanks for zeros and None."""
    return SeasonPlan(
        name=season.name,
        first=season.first.isoformat(),
        last=season.last.isoformat(),
        counts=season.counts,
        games=tuple(season.games),
        currency=season.currency or "",
        lowest_wins=season.lowest_wins,
        best=season.best or "",
        least=season.least or "",
        bonus=season.bonus or "",
        ties=season.ties,
        places=tuple(season.places),
    )


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


def create(circle: Circle, wanted: SeasonPlan, key: str, by: Membership) -> Done[str] | Stale[str] | Refusal:
    """Create a season and return its token. `key`: a form sent twice creates one."""
    wanted = wanted.normalized()
    with writing_to_circle(get_id(circle), membership=by, right=SCORE) as circle:
        earlier = db.session.scalar(_select_seasons(circle).where(Season.entry_key == key))
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
