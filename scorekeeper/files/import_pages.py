"""Import of score sheets in two steps: one page uploads them, the next asks who the players are and records them."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException
from wtforms import HiddenField, StringField
from wtforms.validators import ValidationError

from ..circles import access
from ..circles.phones import find_membership
from ..games import games
from ..i18n import in_name_order
from ..limits import MAX_DEALS
from ..models import SCORE, Circle, Membership, may
from ..people.reading import list_all_players, read_ids_by_token
from ..scoring.problems import Problem
from ..site.forms import Form, SentField
from ..site.rate_limits import costly, require_table
from . import imports
from .imports import Answers, Report
from .sheets import MAX_BYTES, MAX_FILES, MILLION, UploadedFile, pack
from .upload_fields import UploadsField

blueprint = Blueprint("imports", __name__)

# The first page's uploads are sent back to the phone, packed into a form field, and come again with the answers: so
# nothing has to be stored on the server, and any process can handle the second request. They are validated again then.
MAX_UPLOAD_BYTES = MAX_BYTES * 4 // 3 + MILLION  # Base64 makes the packed files a third larger
MAX_FORM_PARTS = 11 * MAX_FILES  # a question and its answer for five players of every sheet, and some more
MAX_LISTED = 100  # files, or problems of a file, on the page
NEW_PLAYER = "new"  # the answer for a name that is a new player's


@blueprint.url_value_preprocessor
def _raise_limits(_endpoint: str | None, values: Mapping[str, Any] | None) -> None:
    """Allow larger requests to those who may import. Runs before anything of the body is read."""
    is_upload = request.method == "POST"
    membership = find_membership(access.device_secret(), (values or {}).get("circle_token", "")) if is_upload else None
    if membership is not None and may(membership.right, SCORE):
        g.membership = membership
        request.max_content_length = request.max_form_memory_size = MAX_UPLOAD_BYTES
        request.max_form_parts = MAX_FORM_PARTS


@blueprint.errorhandler(413)
def _too_large(_error: HTTPException) -> tuple[str, int]:
    if "membership" not in g:
        return render_template("error.html", page="too-large"), 413
    form = ImportForm(formdata=None)
    form.add_problems([_make_too_large()])
    return _page(g.membership.circle, form), 413


@blueprint.route("/circles/<circle_token>/import", methods=["GET", "POST"])
def import_sheets(circle_token: str) -> ResponseReturnValue:
    membership = access.get_membership_or_404(circle_token, SCORE)
    return _import(membership) if request.method == "POST" else _page(membership.circle, ImportForm())


def _make_too_large() -> Problem:
    return Problem("sheets", "too-much-sent", {"most": MAX_BYTES // MILLION})


class ImportForm(Form):
    """The sheets, uploaded or carried by the page, and who the people on them are: a name and an answer each."""

    do = StringField()
    sheets = UploadsField()
    carried = HiddenField()
    names = SentField("name-")
    answers = SentField("who-")
    uploads: list[UploadedFile]  # set by `validate`

    def validate_sheets(self, field: UploadsField) -> None:
        if self.carried.data is not None:
            try:
                self.uploads = [UploadedFile("", b64decode(self.carried.data, validate=True))]
            except ValueError:  # not Base64, or not even ASCII
                raise ValidationError(Problem("sheets", "no-sheets")) from None
            return
        self.uploads = [UploadedFile(file.filename, file.read()) for file in field.data or ()]
        if not self.uploads:
            raise ValidationError(Problem("sheets", "no-file"))
        if sum(len(upload.content) for upload in self.uploads) > MAX_BYTES:
            raise ValidationError(_make_too_large())


@costly
def _import(membership: Membership) -> ResponseReturnValue:
    circle = membership.circle
    form = ImportForm()
    if not form.validate():
        return _page(circle, form), 422
    if form.do.data == "record":
        return _record(membership, form)
    report = imports.preview(circle, form.uploads, {})
    if not report.files:
        form.add_problems([Problem("sheets", "no-sheets")])
        return _page(circle, form), 422
    return _report_page(circle, form, report, {}), 422 if report.refused else 200


def _record(membership: Membership, form: ImportForm) -> ResponseReturnValue:
    circle = membership.circle
    circle_token = circle.token
    answers = _read_answers(circle, form)
    require_table(circle)
    report = imports.record(circle, membership, form.uploads, answers)
    if report.can_be_recorded:
        duplicates = len(report.files) - len(report.new)
        return redirect(
            url_for("files.show", circle_token=circle_token, recorded=len(report.new), here=duplicates), 303
        )
    return _report_page(access.get_membership_or_404(circle_token, SCORE).circle, form, report, answers), 422


def _report_page(circle: Circle, form: ImportForm, report: Report, answers: Answers) -> str:
    form.carried.data = form.carried.data or ("" if report.refused else b64encode(pack(form.uploads)).decode())
    return _page(circle, form, report, {**answers, **imports.suggest_people(circle, report.unknown)})


def _read_answers(circle: Circle, form: ImportForm) -> dict[str, int | None]:
    ids = read_ids_by_token(circle)
    sent = form.answers.data
    answered = {name: sent.get(number, "") for number, name in form.names.data.items()}
    return {name: ids.get(answer) for name, answer in answered.items() if answer == NEW_PLAYER or answer in ids}


def _page(circle: Circle, form: ImportForm, report: Report | None = None, answers: Answers | None = None) -> str:
    """Render the page; `answers` are preselected: by name, a person's id, or None for a new player."""
    everybody = in_name_order(list_all_players(circle))
    persons = [player for player in everybody if player.person_id is None and player.erased_at is None]
    return render_template(
        "files/import.html",
        circle=circle,
        persons=persons,
        limits={"files": MAX_FILES, "megabytes": MAX_BYTES // MILLION, "deals": MAX_DEALS},
        max_listed=MAX_LISTED,
        games=games(),
        new_player=NEW_PLAYER,
        report=report,
        answers=answers,
        form=form,
    )
