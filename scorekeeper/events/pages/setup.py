"""A circle's events; creating one, and changing its settings before it and while it goes on."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, g, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from ...circles import access
from ...db.outcome import Done, Stale
from ...models import SCORE, Circle, Event, new_token
from ...scoring.problems import Refusal
from ...site.language import t
from ...tables.details import list_places
from ...tables.option_fields import OptionField, option_fields
from .. import setup
from ..access import get_event_or_404
from ..event_game import find_event_game
from ..phones import DIRECT
from ..reading import list_events, read_state
from .event_form import EventForm, build_event_form, format_fields
from .words import name_game, say_of_parties

blueprint = Blueprint("event_setup", __name__)


@blueprint.get("/circles/<circle_token>/events")
def index(circle_token: str) -> str:
    circle = access.get_membership_or_404(circle_token).circle
    events = [(event, _describe(event)) for event in list_events(circle)]
    return render_template("events/list.html", circle=circle, events=events)


def _describe(event: Event) -> str:
    return f"{name_game(find_event_game(event))} · {t(f'event-format.{event.format}')}"


@blueprint.route("/circles/<circle_token>/events/new", methods=["GET", "POST"])
def new(circle_token: str) -> ResponseReturnValue:
    """Show the form for a new event, of `?game=` and `?format=`; or create it. With `do` it shows other fields."""
    circle = access.get_membership_or_404(circle_token, SCORE).circle
    form = build_event_form(circle)
    if not form.is_submitted() or form.do.data:
        return _render(form, circle)
    if not form.validate():
        return _render(form, circle), 422
    outcome = setup.create(circle, form.read(), form.read_key(), g.membership)
    if isinstance(outcome, Done):
        return redirect(url_for("event_entrants.show", token=outcome.value), 303)
    circle = access.get_membership_or_404(circle_token, SCORE).circle
    if isinstance(outcome, Stale):
        form.key.data = new_token()
        return _render(form, circle, created=outcome.current), 409
    form.add_problems(outcome.problems)
    return _render(form, circle), 422


@blueprint.route("/events/<token>/settings", methods=["GET", "POST"])
def settings(token: str) -> ResponseReturnValue:
    event = get_event_or_404(token, DIRECT)
    form = build_event_form(event.circle, setup.read_details(event))
    if not form.is_submitted() or form.do.data:
        return _render(form, event.circle, event)
    if not form.validate():
        return _render(form, event.circle, event), 422
    outcome = setup.change(event, form.read(), form.seen.data or "", g.membership)
    if isinstance(outcome, Done):
        return redirect(url_for("event_director.show", token=token, done="settings"), 303)
    event = get_event_or_404(token, DIRECT)
    if isinstance(outcome, Stale):
        form.seen.data = outcome.current.seen
        return _render(form, event.circle, event, is_stale=True), 409
    form.add_problems(outcome.problems)
    return _render(form, event.circle, event), 422


@blueprint.post("/events/<token>/delete")
def delete(token: str) -> ResponseReturnValue:
    event = get_event_or_404(token, DIRECT)
    circle_token = event.circle.token
    outcome = setup.delete_event(event, g.membership)
    if isinstance(outcome, Refusal):
        event = get_event_or_404(token, DIRECT)
        form = build_event_form(event.circle, setup.read_details(event), formdata=None)
        form.add_problems(outcome.problems)
        return _render(form, event.circle, event), 422
    return redirect(url_for("event_setup.index", circle_token=circle_token), 303)


def _render(
    form: EventForm, circle: Circle, event: Event | None = None, *, is_stale: bool = False, created: str = ""
) -> str:
    """Render the form for a new event or for that of one; `created` is the token of what the page created before."""
    game = form.event_game.game
    tables = read_state(event).tables.values() if event is not None else ()
    stakes = [field.name for field in option_fields(game) if field.option == "stake"]
    return render_template(
        "events/setup.html",
        circle=circle,
        event=event,
        form=form,
        game=game,
        event_format=form.event_format,
        is_stale=is_stale,
        created=created,
        drawn=len(event.drawn) if event is not None else 0,
        current_game=find_event_game(event).key if event is not None else "",
        has_results=any(row.result is not None for row in tables),
        say=partial(say_of_parties, form.plays_alone),
        fields=_group_fields(form),
        format_fields=format_fields(form.event_format),
        lacks_stake=any(form[name].data in ("", "0") for name in stakes),
        places=list_places(circle),
        currencies=dict(form.currency.choices or ()),
    )


def _group_fields(form: EventForm) -> dict[str, list[OptionField]]:
    """Return the fields of the game's house rules by where they stand."""
    fields: dict[str, list[OptionField]] = {"described": [], "asked": [], "folded": []}
    rules = form.event_game.game.house_rules
    for field in option_fields(form.event_game.game):
        is_asked = field.option in rules.asked
        fields["folded" if not is_asked else "described" if field.is_required else "asked"].append(field)
    return fields
