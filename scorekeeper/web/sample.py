"""A sample evening of each game, for one who wants to try things out before there is anything to keep."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, session, url_for
from werkzeug.wrappers import Response

from .. import book
from ..book import samples
from ..book.circles import browser_of, erase_circle
from ..games import games
from ..store import Browser, Table
from . import access
from .language import t
from .rules import SAMPLE, sheet_of

blueprint = Blueprint("sample", __name__)

KEPT = "sample"  # of the cookie: the name of this browser's sample


@blueprint.post("/sample/<slug>")
def make(slug: str) -> Response:
    """A table that is under way, in a sample of its own; the sample that this browser had before goes."""
    game = games().get(slug)
    sheet = sheet_of(game, SAMPLE) if game is not None else None
    if sheet is None:
        abort(404)
    _leave()
    sampled = samples.make_sample(sheet, t("sample.title"))
    access.keep(sampled.entered, sampled.links)
    session[KEPT] = sampled.entered.browser.circle.name
    return redirect(url_for("table.show", token=sampled.table.token), 303)


def _leave() -> None:
    here = _here()
    if here is not None:
        erase_circle(here.circle)
    if KEPT in session:
        access.forget(session.pop(KEPT))


def _here() -> Browser | None:
    """Who this browser is in its own sample, while that lasts."""
    name = session.get(KEPT)
    return browser_of(access.held(), name) if name is not None else None


@blueprint.app_template_global()
def sample_under_way() -> Table | None:
    """The table of this browser's sample, to go on with."""
    here = _here()
    return next(iter(book.tables_of(here.circle, closed=False, most=1)), None) if here is not None else None


@blueprint.app_template_global()
def has_sample(slug: str) -> bool:
    return sheet_of(games()[slug], SAMPLE) is not None
