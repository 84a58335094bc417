"""The front page, and the choice of language."""

from __future__ import annotations

import re
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...games import games
from ...i18n import is_offered
from ...services.events import phones
from ...services.tables.table import list_tables
from ..pages.rules import emblem, emblem_of, emblem_of_key, letter_emblem
from ..support import access, places
from ..support.language import remember_language

blueprint = Blueprint("home", __name__)

# A path on this host. Browsers take "//host" and "/\\host" for other hosts, and skip control characters.
_LOCAL_PATH = re.compile(r"/(?:[^/\\\x00-\x20\x7f][^\\\x00-\x20\x7f]*)?")


@blueprint.app_context_processor
def _template_functions() -> dict[str, Any]:
    return {
        "emblem": emblem,
        "emblem_of": emblem_of,
        "emblem_of_key": emblem_of_key,
        "letter_emblem": letter_emblem,
        "games": games,
    }


@blueprint.get("/")
def home() -> str:
    """Show the tables of the home circle, and the device's other circles."""
    browsers = access.device_browsers()
    browser = places.show_home_circle(browsers)
    circle = browser.circle if browser is not None else None
    return render_template(
        "circles/home.html",
        browser=browser,
        browsers=browsers,
        joined_events=phones.phones_of_device(access.device_secret()),
        open_tables=list_tables(circle, closed=False) if circle is not None else [],
        closed_tables=list_tables(circle, closed=True, limit=5) if circle is not None else [],
    )


@blueprint.post("/language")
def switch_language() -> Response:
    """Choose a language, and return to the page the form was sent from."""
    language = request.form.get("language", "")
    if is_offered(language):
        remember_language(language)
    back = request.form.get("back", "")
    home_page = url_for("home.home")
    return redirect(back if back.startswith(home_page) and _LOCAL_PATH.fullmatch(back) else home_page, 303)
