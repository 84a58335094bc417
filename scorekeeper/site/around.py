"""What stands around every page: the choice of language, and the circle's places at its foot; and where events are."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import PurePosixPath
from types import ModuleType
from typing import NamedTuple

from babel import Locale
from flask import Flask, g, request, url_for
from flask.globals import request_ctx

from .. import i18n
from ..models import Event
from .language import has_message, t

TABLE, MONEY, EVENING, MORE = "table", "money", "evening", "more"
# The place that pages belong to, by the name of their blueprint; of single pages, by their endpoint.
PLACES: dict[str, str] = {}
# The endpoint of an event's page, as "show". Events register it; where they are removed there is none, though there may
# be rows of events.
EVENT_PAGES: dict[str, str] = {}


def find_event_url(event: Event) -> str | None:
    return url_for(EVENT_PAGES["show"], token=event.token) if EVENT_PAGES else None


class LanguageChoice(NamedTuple):
    tag: str
    name: str
    is_current: bool


class Around:
    """What `base.html` shows around a page."""

    @property
    def served_at(self) -> str:
        return datetime.now(UTC).isoformat(timespec="seconds")

    @property
    def place(self) -> str:
        return PLACES.get(request.endpoint or "") or PLACES.get(request.blueprint or "", MORE)

    @property
    def languages(self) -> list[LanguageChoice]:
        current = i18n.find_language(g.language)
        return [LanguageChoice(tag, Locale(tag).display_name or tag, tag == current) for tag in i18n.LANGUAGES]

    @property
    def regions(self) -> list[LanguageChoice]:
        """The locales of the page's language."""
        locales = [(tag, Locale.parse(tag)) for tag in i18n.list_locales(g.language)]
        return [LanguageChoice(tag, locale.territory_name or "", tag == g.language) for tag, locale in locales]

    @property
    def address(self) -> str:
        """The address of the page that was asked for, below the site's name."""
        return request.script_root + (request.full_path if request.query_string else request.path)

    def tell_done(self, key: str, **params: object) -> str:
        """Return what the address says has been done; the key of its message begins with `key`; "" if there is none."""
        message = f"{key}{request.args.get('done', '')}"
        return t(message, **params) if has_message(message) else ""

    @property
    def way_back(self) -> str:
        """The address to show after a choice of language: this page, or the page of a form that was refused.

        An address with a secret is not repeated on a page.
        """
        if "secret" in (request.view_args or {}):
            return url_for("home.home")
        adapter = request_ctx.url_adapter
        if request.method == "GET" or adapter is None or adapter.test(request.path, method="GET"):
            return self.address
        above = (str(path) for path in PurePosixPath(request.path).parents)
        found = next((path for path in above if adapter.test(path, method="GET")), "/")
        return request.script_root + found


def register(app: Flask, *views: ModuleType, place: str | None = None) -> None:
    """Register the blueprints of modules with pages, which belong to this place at the foot; without one, to *More*."""
    for view in views:
        app.register_blueprint(view.blueprint)
        if place is not None:
            PLACES[view.blueprint.name] = place


def init_app(app: Flask) -> None:
    app.context_processor(lambda: {"around": Around()})
