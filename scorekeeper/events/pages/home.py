"""What the home pages offer of events: their rules, the first one of a new circle, and a sample to try out.

The sample is a progressive drive in its third round, in a circle of its own that is erased after a day.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, url_for
from werkzeug.wrappers import Response

from ... import i18n
from ...circles import access
from ...circles.lifecycle import create_sample_circle
from ...db.outcome import Done
from ...home.home import Link, Sample, SampleForm, make_room
from ...home.rules import take_off_title
from ...home.samples import erase_expired
from ...models import Circle, Event, Membership, new_token, now
from ...scoring.game import AnyGame
from ...site.language import t
from ...site.time_zones import local_time
from ...tables.rule_texts import rules_text
from .. import entrants, results, rounds, setup
from ..drawing import Result
from ..event_game import find_games_for_four
from ..prizes import HIGHEST, LOWEST
from ..reading import Place, find_event, list_events, read_state
from ..results import ResultRequest

blueprint = Blueprint("event_home", __name__)

# How many tricks above half of a deal's the first pair of each table has taken; None: no result is sent yet.
AHEAD: tuple[tuple[int | None, ...], ...] = (
    (2, -1, 3, 0, 7, 1),
    (-2, 1, -4, 2, 0, 4),
    (1, None, -3, 2, None, 3),
)


@blueprint.get("/rules/events")
def show_rules() -> str:
    rules = rules_text(i18n.EVENTS, g.locale)
    chapters = [heading for heading in rules.headings.values() if heading.anchor == heading.section]
    heading, text = take_off_title(rules.html)
    title = t("event-rules.title")
    return render_template("home/rules.html", title=title, heading=heading, text=text, chapters=chapters)


@blueprint.post("/events/new")
def begin() -> Response:
    """Lead a phone to the form for a new event; one that has no circle yet gets a new one."""
    circle = access.get_scoring_membership(SampleForm().time_zone.data or "").circle
    return redirect(url_for("event_setup.new", circle_token=circle.token), 303)


# --- the sample --------------------------------------------------------------------------------------------


def _find_sample_game() -> AnyGame | None:
    """Return the game of the sample: of those for events, the one of most tricks a deal that is no variant."""
    games = [game for game in find_games_for_four().values() if game.limits.tricks and not game.variant_of]
    return max(games, key=lambda game: game.limits.tricks or 0, default=None)


def find_sample() -> Sample | None:
    if _find_sample_game() is None:
        return None
    return Sample(
        "event_home.make_sample",
        "sample-event.try",
        "events",
        _find_newest,
        begin="event_home.begin",
        begin_title="events.new",
    )


def _find_newest(circle: Circle) -> Link | None:
    links = (Link(url_for("events.show", token=each.token), t("sample-event.go-on")) for each in list_events(circle))
    return next(links, None)


@blueprint.post("/sample/event")
def make_sample() -> Response:
    game = _find_sample_game() or abort(404)
    make_room()
    erase_expired()
    membership = create_sample_circle(access.device_secret(), t("sample.title"), SampleForm().time_zone.data or "")
    prizes = ((HIGHEST, "sample-event.highest"), (LOWEST, "sample-event.lowest"))
    details = setup.EventDetails(
        title=t("sample-event.title"),
        day=local_time(now(), membership.circle.time_zone).date(),
        game=game.slug,
        format="progressive",
        scoring="tricks",
        rounds=24,
        prizes=[{"rule": rule, "text": t(key)} for rule, key in prizes],
    )
    token = str(_check(setup.create(membership.circle, details, new_token(), membership)))
    event = find_event(token) or abort(404)
    _check(entrants.add_names(event, [name.strip() for name in t("sample-event.names").split(",")], membership))
    for number in range(1, len(AHEAD) + 1):
        _check(rounds.draw(event, number, new_token(), membership))
        _check(rounds.set_clock(event, number, "start", membership))
        _send_results(event, number, game.limits.tricks or 0, membership)
    access.make_session_permanent()
    return redirect(url_for("events.show", token=token), 303)


def _send_results(event: Event, number: int, tricks: int, by: Membership) -> None:
    """Enter slips of the earlier rounds. In the last one tables send results, and both sides confirm some of them."""
    is_slip = number < len(AHEAD)
    for table, ahead in enumerate(AHEAD[number - 1], start=1):
        if ahead is None:
            continue
        first = tricks // 2 + ahead
        result = Result((first, tricks - first), (int(first == tricks), int(first == 0)))
        place = Place(number, table)
        request = ResultRequest(*place, read_state(event).tables[place].seen, new_token(), result, is_slip=is_slip)
        _check(results.record(event, request, by))
        for side in () if is_slip else range(1 + table % 2):
            _check(results.confirm(event, place, read_state(event).tables[place].seen, side, by))


def _check(outcome: Any) -> Any:
    if not isinstance(outcome, Done):
        raise TypeError(f"the sample event is invalid: {outcome}")
    return outcome.value
