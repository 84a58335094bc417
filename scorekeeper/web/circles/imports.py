"""Import of score sheets in two steps: one page uploads them, the next asks who the players are and records them."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from flask import Blueprint, g, redirect, render_template, request, url_for
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from ...exchange.archives import MAX_BYTES, MAX_FILES, MILLION, UploadedFile, pack
from ...exchange.sheets import MAX_DEALS
from ...models import Circle
from ...scoring.problems import Problem
from ...services import SCORE, imports, may
from ...services.access.devices import browser_of
from ...services.imports import Answers, Report
from ...services.people import all_players
from ..support import access
from ..support.forms import parse_id

blueprint = Blueprint("imports", __name__)

# What is read is sent back to the browser, packed, and comes again with the answers: nothing waits on the server for
# an answer that may never come, and any process may take it. It is read as strictly the second time. In letters, as
# a form carries it, it takes a third more.
MAX_REQUEST_BYTES = MAX_BYTES * 4 // 3 + MILLION  # bytes
MAX_FORM_PARTS = 11 * MAX_FILES  # of a form: a question and its answer for five players of every sheet, and some more
SHOWN = 100  # files told of on the page
NEW = "new"  # the answer: somebody who has not played here


@blueprint.url_value_preprocessor
def _let_more_in(_endpoint: str | None, values: Mapping[str, Any] | None) -> None:
    """Who may import may send more than others: told before anything of the body is read."""
    is_sent = request.method == "POST"
    browser = browser_of(access.device_secret(), (values or {}).get("name", "")) if is_sent else None
    if browser is not None and may(browser.right, SCORE):
        g.browser = browser
        request.max_content_length = request.max_form_memory_size = MAX_REQUEST_BYTES
        request.max_form_parts = MAX_FORM_PARTS


@blueprint.errorhandler(413)
def _too_much(_error: HTTPException) -> tuple[str, int]:
    if "browser" not in g:
        return render_template("pages/error.html", page="too-large"), 413
    return _page(g.browser.circle, problems=(_too_much_sent(),)), 413


@blueprint.route("/circles/<name>/import", methods=["GET", "POST"])
def sheets_in(name: str) -> str | Response | tuple[str, int]:
    """Show the form, check the uploaded sheets, or record them."""
    me = access.get_circle_or_404(name, SCORE)
    if request.method == "GET":
        return _page(me.circle)
    uploads = _uploads()
    if isinstance(uploads, Problem):
        return _page(me.circle, problems=(uploads,)), 422
    if request.form.get("do") == "record":
        answers = _answers()
        report = imports.record(me.circle, me, uploads, answers)
        if report.can_be_recorded:
            here = len(report.files) - len(report.new)
            return redirect(url_for("exchange.show", name=name, recorded=len(report.new), here=here), 303)
        circle = access.get_circle_or_404(name, SCORE).circle
        asked = answers | imports.suggestions(circle, report.unknown)
        return _reported(circle, uploads, report, asked), 422
    report = imports.preview(me.circle, uploads)
    if not report.files:
        return _page(me.circle, problems=(Problem("sheets", "no-sheets"),)), 422
    asked = imports.suggestions(me.circle, report.unknown)
    return _reported(me.circle, uploads, report, asked), 422 if report.refused else 200


def _uploads() -> list[UploadedFile] | Problem:
    """Return the files uploaded on the first page, or sent again by the second."""
    carried = request.form.get("carried")
    if carried is not None:
        try:
            return [UploadedFile("", b64decode(carried, validate=True))]
        except ValueError:  # no Base64, or not even ASCII
            return Problem("sheets", "no-sheets")
    files = [file for file in request.files.getlist("sheets") if file.filename]
    uploads = [UploadedFile(file.filename or "", file.read()) for file in files]
    if not uploads:
        return Problem("sheets", "no-file")
    if sum(len(upload.content) for upload in uploads) > MAX_BYTES:
        return _too_much_sent()
    return uploads


def _too_much_sent() -> Problem:
    return Problem("sheets", "too-much-sent", {"most": MAX_BYTES // MILLION})


def _answers() -> dict[str, int | None]:
    """Return the submitted answers: a player's id, or None for a new player, by name."""
    answers: dict[str, int | None] = {}
    for field, name in request.form.items():
        number = field.removeprefix("name-")
        who = request.form.get(f"who-{number}", "")
        if field.startswith("name-") and (who == NEW or parse_id(who) is not None):
            answers[name] = parse_id(who)
    return answers


def _reported(circle: Circle, uploads: Sequence[UploadedFile], report: Report, asked: Answers) -> str:
    """What was found, with the uploads packed for the way there and back; not those that must be mended first."""
    carried = request.form.get("carried", "")
    if not carried and not report.refused:
        packed = pack(uploads)
        if len(packed) > MAX_BYTES:
            return _page(circle, problems=(_too_much_sent(),))
        carried = b64encode(packed).decode()
    return _page(circle, report=report, asked=asked, carried=carried)


def _page(circle: Circle, **told: Any) -> str:
    known = [player for player in all_players(circle) if player.person_id is None and player.erased_at is None]
    limits = {"files": MAX_FILES, "megabytes": MAX_BYTES // MILLION, "deals": MAX_DEALS}
    return render_template(
        "circles/exchange/import.html", circle=circle, known=known, limits=limits, shown=SHOWN, new=NEW, **told
    )
