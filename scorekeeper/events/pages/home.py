"""What the home pages offer of events: their rules, and a sample to try out."""

from __future__ import annotations

from flask import Blueprint, abort, g, redirect, render_template, url_for
from werkzeug.wrappers import Response

from ... import i18n
from ...circles import access
from ...home.home import Link, SampleForm, make_room
from ...home.rules import take_off_title
from ...models import Circle
from ...site.language import t
from ...tables.rule_texts import rules_text
from ..reading import list_events
from ..sample import create_sample_event, sample_game

blueprint = Blueprint("event_home", __name__)


@blueprint.get("/rules/events")
def show_rules() -> str:
    rules = rules_text(i18n.EVENTS, g.language)
    parts = [heading for heading in rules.headings.values() if heading.anchor == heading.section]
    heading, text = take_off_title(rules.html)
    title = t("event-rules.title")
    return render_template("home/rules.html", title=title, heading=heading, text=text, parts=parts)


@blueprint.post("/sample/event")
def make_sample() -> Response:
    game = sample_game()
    if game is None:
        abort(404)
    make_room()
    names = [name.strip() for name in t("sample-event.names").split(",")]
    titles, prizes = (t("sample.title"), t("sample-event.title")), (t("sample-event.highest"), t("sample-event.lowest"))
    zone = SampleForm().time_zone.data or ""
    sample = create_sample_event(game, titles, names, prizes, access.device_secret(), zone)
    access.make_session_permanent()
    return redirect(url_for("events.show", token=sample.token), 303)


def is_offered() -> bool:
    return sample_game() is not None


def find_newest(circle: Circle) -> Link | None:
    links = (Link(url_for("events.show", token=each.token), t("sample-event.go-on")) for each in list_events(circle))
    return next(links, None)
