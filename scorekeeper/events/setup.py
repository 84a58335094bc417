"""Creating an event, and changing its settings."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from typing import Any

from sqlalchemy import delete, select

from .. import limits
from ..db.outcome import Done, Stale, make_seen
from ..db.transactions import get_id, writing_to_circle
from ..games import find_game, games
from ..models import SCORE, Circle, Entrant, EntrantSubstitution, Event, EventPhone, Membership, db, now
from ..scoring import schema
from ..scoring.currency import list_currencies
from ..scoring.game import AnyGame
from ..scoring.problems import Problem, Refusal, check_bounds, refuse
from ..scoring.terms import value_problems
from ..scoring.values import NO_SEATS
from ..site.time_zones import local_time
from .event_game import DEALS, GAMES, SEATS, UNITS, EventGame, find_games_for_four
from .event_money import find_amount_problem, has_payments
from .formats import FORMATS, Format
from .live import touch_event
from .phones import Outcome, writing_to_event
from .prizes import read_prizes
from .reading import read_state
from .scorings import SCORINGS, SITTING_OUT


@dataclass(frozen=True)
class EventDetails:
    title: str
    day: date
    game: str
    format: str
    scoring: str
    rounds: int
    place: str | None = None
    house_rules: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    round_unit: str = DEALS
    length: int = 1  # in units
    fee: str | None = None  # a decimal number
    currency: str | None = None
    prizes: Sequence[Mapping[str, Any]] = ()
    has_stakes: bool = False
    value: Mapping[str, str] | None = None
    has_check_in: bool = False
    sitting_out: str = ""  # the scoring's default

    @property
    def event_game(self) -> EventGame:
        return EventGame(find_game(self.game), self.house_rules)

    @property
    def usual_sitting_out(self) -> str:
        """What a round that is sat out counts by the scoring itself."""
        return SCORINGS[self.scoring].under(lowest_wins=False, plays_alone=self.event_game.plays_alone).sitting_out

    @property
    def seen(self) -> str:
        return make_seen(asdict(self))


def read_details(event: Event) -> EventDetails:
    return EventDetails(**{field.name: getattr(event, field.name) for field in fields(EventDetails)})


def create(circle: Circle, details: EventDetails, key: str, by: Membership) -> Done[str] | Stale[str] | Refusal:
    """Create an event. By the page's key, a form sent twice creates one event."""
    with writing_to_circle(get_id(circle), membership=by, right=SCORE) as locked:
        if problems := [*find_problems(locked, details)]:
            return refuse(problems)
        earlier = db.session.scalar(select(Event).where(Event.circle_id == locked.id, Event.entry_key == key))
        if earlier is not None:
            is_same = read_details(earlier) == normalize(details)
            return Done(earlier.token) if is_same else Stale(earlier.token)
        token = secrets.token_urlsafe(16)
        new = {"token": token, "seed": secrets.randbelow(2**31), "created_at": now(), "entry_key": key}
        event = Event(circle_id=locked.id, **new)
        apply(event, details)
        db.session.add(event)
        return Done(token)


def normalize(details: EventDetails) -> EventDetails:
    event = Event()
    apply(event, details)
    return read_details(event)


def apply(event: Event, details: EventDetails) -> None:
    """Store valid settings in an event."""
    for column in fields(details):
        setattr(event, column.name, getattr(details, column.name))
    event.house_rules = _dump(games()[details.game].options, details.house_rules)
    event.options = _dump(FORMATS[details.format].options, details.options)
    event.prizes = [dict(prize) for prize in details.prizes]
    event.sitting_out = details.sitting_out or details.usual_sitting_out


def _dump(cls: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    return dict(schema.dump(schema.load(cls, dict(values), NO_SEATS, [])))


def change(
    event: Event, details: EventDetails, seen: str, by: Membership
) -> Done[None] | Stale[EventDetails] | Refusal:
    """Change the settings if they are still as the page has shown them.

    Game and format stay once a round is drawn. Rounds that are drawn stay as they are.
    """
    with writing_to_event(event, by):
        current = read_details(event)
        if problems := [*find_problems(event.circle, details)]:
            return refuse(problems)
        if normalize(details) == current:
            return Done(None)
        if seen != current.seen:
            return Stale(current)
        if problems := [*_find_change_problems(event, details, current)]:
            return refuse(problems)
        apply(event, details)
        db.session.flush()
        touch_event(event)
        return Done(None)


def _find_change_problems(event: Event, details: EventDetails, current: EventDetails) -> Iterator[Problem]:
    drawn = len(event.drawn)
    if details.currency != current.currency and has_payments(event):
        yield Problem("currency", "event-money-settled")
    yield from find_rounds_problems(details.rounds, len(event.entrants), drawn)
    tables = read_state(event).tables.values()
    has_pads = any(row.table_id is not None for row in tables)
    has_boards = any(row.result is not None and row.result.boards for row in tables)
    if (details.has_stakes, details.value) != (current.has_stakes, current.value) and has_pads:
        yield Problem("value", "event-tables-opened")
    if (details.round_unit, details.length) != (current.round_unit, current.length) and has_boards:
        yield Problem("length", "boards-recorded")
    last = max((entrant.first_round for entrant in event.entrants), default=1)
    if details.rounds < min(last, current.rounds):
        yield Problem("rounds", "entrant-begins-later", {"least": last})
    if drawn and (details.game != current.game or details.event_game.plays_alone != current.event_game.plays_alone):
        yield Problem("game", "event-has-begun")
    if drawn and details.format != current.format:
        yield Problem("format", "event-has-begun")


def find_rounds_problems(rounds: int, entrants: int, drawn: int) -> Iterator[Problem]:
    if entrants * rounds > limits.MAX_ENTRANT_ROUNDS:
        yield Problem("rounds", "too-many-places", {"most": limits.MAX_ENTRANT_ROUNDS // rounds, "rounds": rounds})
    if rounds < drawn:
        yield Problem("rounds", "rounds-drawn", {"least": drawn, "count": drawn})


def find_problems(circle: Circle, details: EventDetails) -> Iterator[Problem]:
    """Yield what is wrong with settings from a form or a file, but for what is missing or too long."""
    if key := limits.find_day_problem(details.day, local_time(now(), circle.time_zone).date()):
        yield Problem("day", key)
    game, chosen = find_games_for_four().get(details.game), FORMATS.get(details.format)
    if game is None or chosen is None:
        yield Problem("game" if game is None else "format", "not-among-choices")
        return
    yield from find_house_rule_problems(game, details.house_rules, chosen)
    yield from value_problems(game, details.value) if details.value is not None else ()
    yield from _find_format_problems(details, chosen, game)
    yield from _find_round_problems(details)
    yield from _find_money_problems(details)


def fits(event_game: EventGame, format_: Format) -> bool:
    """Return whether the game can be played in the format: if everybody plays it alone, in one without partners."""
    return format_.team_size == 1 or not event_game.plays_alone


def find_house_rule_problems(game: AnyGame, house_rules: Mapping[str, Any], format_: Format) -> Iterator[Problem]:
    problems: list[Problem] = []
    options = schema.load(game.options, dict(house_rules), NO_SEATS, problems, "house_rules")
    yield from problems
    if options is not None:
        for problem in game.house_rules.check(options, SEATS):
            yield problem._replace(field=f"house_rules.{problem.field}")
        wanted = EventGame(game, house_rules)
        if not wanted.is_for_four:
            yield Problem("game", "event-game-of-four")
        if not fits(wanted, format_):
            yield Problem("format", "event-format-of-partners")


def _find_format_problems(details: EventDetails, chosen: Format, game: AnyGame) -> Iterator[Problem]:
    problems: list[Problem] = []
    schema.load(chosen.options, dict(details.options), NO_SEATS, problems, "options")
    yield from problems
    if details.sitting_out not in ("", *SITTING_OUT):
        yield Problem("sitting_out", "not-among-choices")
    if details.scoring not in chosen.scorings_for(game.limits.tricks):
        yield Problem("scoring", "not-among-choices")
    elif chosen.team_size == 1 and details.event_game.plays_alone and not SCORINGS[details.scoring].fits_alone:
        yield Problem("scoring", "event-scoring-of-sides")


def _find_round_problems(details: EventDetails) -> Iterator[Problem]:
    if problem := check_bounds("rounds", details.rounds, 1, limits.MAX_ROUNDS):
        yield problem
    if details.round_unit not in UNITS:
        yield Problem("round_unit", "not-among-choices")
    elif details.round_unit == GAMES and details.event_game.under_rules.contest is None:
        yield Problem("round_unit", "event-game-without-end")
    elif problem := check_bounds("length", details.length, 1, limits.MAX_ROUND_LENGTH):
        yield problem


def _find_money_problems(details: EventDetails) -> Iterator[Problem]:
    problems: list[Problem] = []
    prizes = read_prizes([dict(prize) for prize in details.prizes], problems)
    yield from problems
    amounts = [("fee", details.fee)]
    if not problems:
        amounts += [(f"prizes[{index}].amount", prize.amount) for index, prize in enumerate(prizes)]
    stored = [(name, amount) for name, amount in amounts if amount is not None]
    if details.currency is None:
        yield from [Problem("currency", "missing")] if stored else []
    elif details.currency not in list_currencies():
        yield Problem("currency", "currency", {"found": details.currency[:20]})
    else:
        problems_of_amounts = (find_amount_problem(*amount, details.currency) for amount in stored)
        yield from filter(None, problems_of_amounts)


def delete_event(event: Event, by: Membership) -> Outcome:
    """Delete an event of which no round is drawn."""
    with writing_to_event(event, by):
        if event.drawn:
            return refuse([Problem("event", "event-has-begun")])
        if has_payments(event):
            return refuse([Problem("event", "event-money-settled")])
        touch_event(event)
        event_id = event.id
        for model in (EventPhone, EntrantSubstitution, Entrant):
            db.session.execute(delete(model).where(model.event_id == event_id))
        db.session.execute(delete(Event).where(Event.id == event_id))
        return Done(None)
