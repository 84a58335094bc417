"""Samples to try out, each in a circle of its own: an evening of each game, and an event."""

from __future__ import annotations

from contextlib import suppress

from flask import Blueprint, abort, redirect, request, url_for
from werkzeug.wrappers import Response

from ...db.transactions import AccessRevokedError
from ...games import games
from ...models import Browser, Event, Table
from ...services import demo
from ...services.access import browsers_of_device
from ...services.circles.lifecycle import erase_circle
from ...services.events.reading import list_events
from ...services.events.sample import SampleTexts, create_sample_event, sample_game
from ...services.tables.table import list_tables
from ..support import access
from ..support.language import t
from ..support.rate_limits import may_make_sample, require_sample
from .rules import SAMPLE, find_sheet

blueprint = Blueprint("demo", __name__)


@blueprint.post("/sample/<slug>")
def make(slug: str) -> Response:
    """Create a demo circle with an unfinished table, in place of this device's earlier demo circles."""
    game = games().get(slug)
    sheet = find_sheet(game, SAMPLE) if game is not None else None
    if sheet is None:
        abort(404)
    _make_room()
    sample = demo.create_sample(sheet, t("sample.title"), access.device_secret(), request.form.get("time_zone", ""))
    access.make_session_permanent()
    return redirect(url_for("table.show", token=sample.token), 303)


@blueprint.post("/sample/event")
def make_event() -> Response:
    """Create a demo circle with an event in its third round, in place of this device's earlier demo circles."""
    game = sample_game()
    if game is None:
        abort(404)
    _make_room()
    names = [name.strip() for name in t("sample-event.names").split(",")]
    texts = SampleTexts(
        t("sample.title"),
        t("sample-event.title"),
        names,
        t("sample-event.highest"),
        t("sample-event.lowest"),
    )
    sample = create_sample_event(game, texts, access.device_secret(), request.form.get("time_zone", ""))
    access.make_session_permanent()
    return redirect(url_for("events.show", token=sample.token), 303)


def _make_room() -> None:
    """Check that this device may make a demo circle, and erase its earlier ones."""
    # The circles' ids are read first: each erasure expires what the session has loaded.
    earlier = [(browser.circle_id, browser) for browser in _sample_hosts()]
    require_sample(is_member=bool(access.device_browsers()), is_first=not earlier)
    for circle_id, browser in earlier:
        with suppress(AccessRevokedError):
            erase_circle(circle_id, by=browser)


def _sample_hosts() -> list[Browser]:
    """List this device's browsers in the demo circles that it created and that have not expired."""
    browsers = browsers_of_device(access.device_secret())
    return [browser for browser in browsers if browser.circle.is_sample and browser.number == 1]


@blueprint.app_template_global()
def open_sample_table() -> Table | None:
    """Return the open table of this device's demo circle, if any."""
    circles = [browser.circle for browser in _sample_hosts()]
    return next(iter(list_tables(circles[-1], closed=False, limit=1)), None) if circles else None


@blueprint.app_template_global()
def open_sample_event() -> Event | None:
    """Return the event of this device's demo circle, if any."""
    circles = [browser.circle for browser in _sample_hosts()]
    return next(iter(list_events(circles[-1])), None) if circles else None


@blueprint.app_template_global()
def may_try_samples() -> bool:
    """Return whether this device may make a demo circle."""
    return may_make_sample(is_member=bool(access.device_browsers()))


@blueprint.app_template_global()
def has_sample_event() -> bool:
    """Return whether there is a game for the sample event."""
    return sample_game() is not None


@blueprint.app_template_global()
def has_sample(slug: str) -> bool:
    """Return whether a game has a sample evening."""
    return find_sheet(games()[slug], SAMPLE) is not None
