"""The front page, help, security, the choice of language, and samples to try out, each in a circle of its own."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from flask import Blueprint, abort, current_app, redirect, render_template, url_for
from werkzeug.wrappers import Response
from wtforms import HiddenField, StringField

from ...db.transactions import AccessRevokedError
from ...games import games
from ...i18n import is_offered
from ...models import Browser
from ...services import demo
from ...services.access import browsers_of_device
from ...services.circles.lifecycle import erase_circle
from ...services.events import phones
from ...services.events.reading import list_events
from ...services.events.sample import SampleTexts, create_sample_event, sample_game
from ...services.tables.reading import list_tables
from ..support import access
from ..support.access import show_home_circle
from ..support.forms import Form
from ..support.language import remember_language, t
from ..support.rate_limits import may_make_sample, require_sample
from .rules import SAMPLE, find_sheet

blueprint = Blueprint("home", __name__)

# A path on this host. Browsers take "//host" and "/\\host" for other hosts, and skip control characters.
_LOCAL_PATH = re.compile(r"/(?:[^/\\\x00-\x20\x7f][^\\\x00-\x20\x7f]*)?")


@blueprint.get("/")
def home() -> str:
    """Show the tables of the home circle, and the device's other circles; on a first visit, samples."""
    browser = show_home_circle()
    circle = browser.circle if browser is not None else None
    return render_template(
        "circles/home.html",
        browser=browser,
        browsers=access.device_browsers(),
        joined_events=phones.phones_of_device(access.device_secret()),
        open_tables=list_tables(circle, closed=False) if circle is not None else [],
        closed_tables=list_tables(circle, closed=True, limit=5) if circle is not None else [],
        **(_samples() if circle is None else {}),
    )


class LanguageForm(Form):
    language = StringField(default="")
    back = HiddenField(default="")


@blueprint.post("/language")
def switch_language() -> Response:
    form = LanguageForm()
    language, back = form.language.data or "", form.back.data or ""
    if is_offered(language):
        remember_language(language)
    home_page = url_for("home.home")
    return redirect(back if back.startswith(home_page) and _LOCAL_PATH.fullmatch(back) else home_page, 303)


@blueprint.get("/help")
def help_page() -> str:
    browser = show_home_circle()
    circle = browser.circle if browser is not None else None
    tables = list_tables(circle, closed=False, limit=1) if circle is not None else []
    return render_template("pages/help.html", circle=circle, newest=tables[0] if tables else None)


@blueprint.get("/security")
def security() -> str:
    return render_template("pages/security.html", contact=current_app.config["CONTACT"])


# --- samples -----------------------------------------------------------------------------------------------


def _samples() -> dict[str, Any]:
    circles = [browser.circle for browser in _sample_hosts()]
    return {
        "samples": [slug for slug, game in games().items() if find_sheet(game, SAMPLE)],
        "has_sample_event": sample_game() is not None,
        "may_try_samples": may_make_sample(is_member=False),
        "sample_table": next(iter(list_tables(circles[-1], closed=False, limit=1)), None) if circles else None,
        "sample_event": next(iter(list_events(circles[-1])), None) if circles else None,
    }


def _sample_hosts() -> list[Browser]:
    browsers = browsers_of_device(access.device_secret())
    return [browser for browser in browsers if browser.circle.is_sample and browser.number == 1]


class SampleForm(Form):
    time_zone = HiddenField(default="")  # the device's, filled in by a script


@blueprint.post("/sample/<slug>")
def make_sample(slug: str) -> Response:
    game = games().get(slug)
    sheet = find_sheet(game, SAMPLE) if game is not None else None
    if sheet is None:
        abort(404)
    _make_room()
    token = demo.create_sample(sheet, t("sample.title"), access.device_secret(), SampleForm().time_zone.data or "")
    access.make_session_permanent()
    return redirect(url_for("table.show", token=token), 303)


@blueprint.post("/sample/event")
def make_sample_event() -> Response:
    game = sample_game()
    if game is None:
        abort(404)
    _make_room()
    names = [name.strip() for name in t("sample-event.names").split(",")]
    prizes = (t("sample-event.highest"), t("sample-event.lowest"))
    texts = SampleTexts(t("sample.title"), t("sample-event.title"), names, *prizes)
    sample = create_sample_event(game, texts, access.device_secret(), SampleForm().time_zone.data or "")
    access.make_session_permanent()
    return redirect(url_for("events.show", token=sample.token), 303)


def _make_room() -> None:
    # The circles' ids are read first: each erasure expires what the session has loaded.
    earlier = [(browser.circle_id, browser) for browser in _sample_hosts()]
    require_sample(is_member=bool(access.device_browsers()), is_first=not earlier)
    for circle_id, browser in earlier:
        with suppress(AccessRevokedError):
            erase_circle(circle_id, by=browser)
