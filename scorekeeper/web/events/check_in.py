"""Checking in to an event: whoever has its link adds themselves, with their partner if pairs play."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ...models import Event
from ...scoring.problems import Problem, Refusal
from ...scoring.values import clean_name
from ...services.events import entrants
from ...services.events.phones import VIEW
from ...services.events.reading import read
from ..support import event_access, rate_limits
from ..support.forms import read_meanings

blueprint = Blueprint("event_check_in", __name__, url_prefix="/events/<token>/check-in")


@blueprint.get("")
def show(token: str) -> str:
    """Show the form to check in."""
    return _page(_joined_event_or_404(token), [])


@blueprint.post("")
def check_in(token: str) -> ResponseReturnValue:
    """Enter the people of the form.

    Raises:
        TooManyError: too many have checked in from this address.
    """
    event = _joined_event_or_404(token)
    rate_limits.count_check_in()
    names = [clean_name(name) for name in request.form.getlist("name")]
    outcome = entrants.check_in(event, names, g.browser, read_meanings())
    if isinstance(outcome, Refusal):
        return _page(event, names, outcome.problems), 422
    return redirect(url_for("events.show", token=token, back=outcome.value), 303)


def _joined_event_or_404(token: str) -> Event:
    """Return the event; 404 for who only looks, by a shared link."""
    event = event_access.get_event_or_404(token, VIEW)
    if event_access.current_access() is None:
        abort(404)
    return event


def _page(event: Event, names: Sequence[str], problems: Sequence[Problem] = ()) -> str:
    form = read(event).format
    return render_template(
        "events/check_in.html",
        event=event,
        names=[*names, *[""] * form.members][: form.members],
        problems=problems,
    )
