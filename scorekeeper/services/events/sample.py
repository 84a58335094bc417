"""A sample event, a progressive drive in its third round, in a circle of its own that is erased after a day."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import select

from ...events.drawing import Result
from ...events.prizes import HIGHEST, LOWEST
from ...models import Browser, Event, db
from ...scoring.game import AnyGame
from ...scoring.problems import Problem, Refusal
from ...time_zones import local_time, now
from ..circles.lifecycle import create_circle
from ..demo import erase_expired
from ..outcome import Conflict, Done, Stale
from . import entrants, results, rounds, setup
from .games import event_games, find_sides
from .reading import DEALS, read
from .results import ResultRequest

T = TypeVar("T")
Unwanted = Stale[Any] | Conflict[Any] | Refusal | Problem

FORMAT, SCORING = "progressive", "tricks"
ROUNDS = 24
# How many tricks more than half of a deal's the first pair of each table has taken; None: not yet sent.
AHEAD: tuple[tuple[int | None, ...], ...] = (
    (2, -1, 3, 0, 7, 1),
    (-2, 1, -4, 2, 0, 4),
    (1, None, -3, 2, None, 3),
)


class SampleTexts(NamedTuple):
    """What a sample event is called, and who takes part, in the reader's language; prizes are in kind."""

    circle: str
    title: str
    names: Sequence[str]
    highest: str
    lowest: str


class SampleEvent(NamedTuple):
    """The token of a sample's event, and the browser of its host."""

    token: str
    browser: Browser


def sample_game() -> AnyGame | None:
    """Return the game of the sample: of those for events, the one of most tricks a deal that is no variant."""
    games = [game for game in event_games().values() if game.tricks and not game.variant_of]
    return max(games, key=lambda game: game.tricks or 0, default=None)


def create_sample_event(game: AnyGame, texts: SampleTexts, device_secret: str, zone: str = "") -> SampleEvent:
    """Create a sample circle with an event in its third round; erase expired samples."""
    erase_expired()
    browser = create_circle(device_secret, texts.circle, zone)[0]
    event = _create(game, texts, browser)
    _check(entrants.add_names(event, texts.names, browser))
    for number in range(1, len(AHEAD) + 1):
        _check(rounds.draw(event, number, secrets.token_urlsafe(12), browser))
        _check(rounds.set_clock(event, number, "start", browser))
        _send_results(event, number, game.tricks or 0, browser)
    return SampleEvent(event.token, browser)


def _create(game: AnyGame, texts: SampleTexts, browser: Browser) -> Event:
    details = setup.EventDetails(
        title=texts.title,
        day=local_time(now(), browser.circle.time_zone).date().isoformat(),
        game=game.slug,
        format=FORMAT,
        scoring=SCORING,
        rounds=ROUNDS,
        round_unit=DEALS,
        length=1,
        prizes=({"rule": HIGHEST, "text": texts.highest}, {"rule": LOWEST, "text": texts.lowest}),
    )
    created = _check(setup.create(browser.circle, details, secrets.token_urlsafe(12), browser))
    return db.session.scalars(select(Event).where(Event.token == created)).one()


def _send_results(event: Event, number: int, tricks: int, browser: Browser) -> None:
    """Enter slips of the earlier rounds. In the last one tables send results, and both sides confirm some of them."""
    is_slip = number < len(AHEAD)
    for row, ahead in zip(read(event).current_tables, AHEAD[number - 1], strict=False):
        if ahead is None:
            continue
        table = row.number
        first = tricks // 2 + ahead
        result = Result((first, tricks - first), (int(first == tricks), int(first == 0)))
        request = ResultRequest(number, table, 0, secrets.token_urlsafe(12), result, is_slip)
        recorded = _check(results.record(event, request, browser))
        if not is_slip:
            for side in find_sides(event)[: 1 + table % 2]:
                _check(results.confirm(event, (number, table), recorded, side, browser))


def _check(outcome: Done[T] | Unwanted) -> T:
    if not isinstance(outcome, Done):
        raise ValueError(f"the sample event is invalid: {outcome}")
    return outcome.value
