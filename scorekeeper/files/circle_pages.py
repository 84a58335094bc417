"""The file of a whole circle: its download, and the import of one as a new circle."""

from __future__ import annotations

from flask import Blueprint, Response, abort, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf.file import FileRequired
from werkzeug.exceptions import HTTPException

from ..circles import access
from ..circles.phones import find_membership
from ..models import HOST
from ..scoring.problems import Problem
from ..site import rate_limits
from ..site.forms import WriteForm
from ..site.http import file_response
from ..site.rate_limits import costly
from .circle_transfer import Imported, export, import_circle
from .sheets import MAX_BYTES, MILLION
from .upload_fields import UploadField

blueprint = Blueprint("circle_files", __name__)

MAX_UPLOAD_BYTES = MAX_BYTES + MILLION  # with the rest of the form


@blueprint.url_value_preprocessor
def _raise_limit(_endpoint: str | None, _values: object) -> None:
    """Allow larger requests. Runs before anything of the body is read; large files go to a temporary file."""
    if request.method == "POST":
        request.max_content_length = MAX_UPLOAD_BYTES


@blueprint.errorhandler(413)
def _too_large(_error: HTTPException) -> tuple[str, int]:
    form = CircleFileForm(formdata=None)
    form.add_problems([Problem("file", "too-large-a-circle", {"most": MAX_BYTES // MILLION})])
    return _page(form), 413


@blueprint.get("/circles/<circle_token>/circle.json")
@costly
def download(circle_token: str) -> Response:
    circle = access.get_membership_or_404(circle_token, HOST).circle
    return file_response("scorekeeper-circle.json", "application/json", lambda file: export(circle, file))


class CircleFileForm(WriteForm):
    file = UploadField(validators=[FileRequired(Problem("file", "no-circle-file"))])


@blueprint.route("/import-circle", methods=["GET", "POST"])
def import_file() -> ResponseReturnValue:
    return _import() if request.method == "POST" else _page(CircleFileForm())


@costly
def _import() -> ResponseReturnValue:
    form = CircleFileForm()
    key = form.read_key()
    if not form.validate():
        return _page(form), 422
    rate_limits.require_creation()
    result = import_circle(form.file.data.read(), access.device_secret(), key)
    if not isinstance(result, Imported):
        form.add_problems(result)
        return _page(form), 422
    access.make_session_permanent()
    membership = find_membership(access.device_secret(), result.token)
    if membership is None:  # erased since it was imported
        abort(404)
    access.set_home(membership)
    return redirect(url_for("circles.show", circle_token=result.token, imported="yes"), 303)


def _page(form: CircleFileForm) -> str:
    needs_code = current_app.config["CREATE"] == rate_limits.CODE
    return render_template(
        "files/import_circle.html",
        form=form,
        limits={"megabytes": MAX_BYTES // MILLION},
        code_field=rate_limits.CODE_FIELD if needs_code else None,
    )
