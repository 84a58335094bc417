"""Counting the counters: what lies before each player, beside what the sheet says should."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ..book import SCORE, Recorded, Refused, Stale, counts
from ..scoring.remarks import Remark
from ..table import Open
from . import access
from .forms import WriteForm, whole
from .language import sentence

blueprint = Blueprint("counting", __name__, url_prefix="/tables/<token>/count")

MOST_SHOWN = 20  # explanations on a page


@blueprint.get("")
def count(token: str) -> str:
    """The count that is asked for, or the last one; and a form for the next."""
    table = access.table_or_not_yours(token)
    return _page(table, WriteForm(formdata=None, seen=table.seen))


@blueprint.post("")
def keep(token: str) -> str | Response | tuple[str, int]:
    table = access.table_or_not_yours(token, SCORE)
    form, body = WriteForm(), _told(table)
    remarks = counts.faults(table.game, table.names, body)
    if remarks:
        return _page(table, form, remarks), 422
    result = counts.keep(table, body, form.has_seen, form.key.data or "", g.browser)
    if isinstance(result, Recorded):
        return redirect(url_for("counting.count", token=token, of=result.revision.number), 303)
    shown = result.table if isinstance(result, Stale) else table
    form.seen.data = str(shown.seen)
    return _page(shown, form, notice=result), 409 if isinstance(result, Stale) else 422


def _told(table: Open) -> dict[str, Any]:
    units = table.game.units
    return {
        "start": {unit: whole(request.form.get(f"start-{unit}")) for unit in units},
        "held": {
            seat: {unit: whole(request.form.get(f"held-{seat}-{unit}")) for unit in units} for seat in table.names
        },
    }


@blueprint.app_template_global()
def remarks_in(remarks: list[Remark], line: str) -> dict[str, list[str]]:
    """What is to be said of a line of the form, and of which counters in it."""
    said: dict[str, list[str]] = {}
    for remark in remarks:
        at, _, unit = remark.field.rpartition(".")
        if at == line:
            said.setdefault(sentence(remark), []).append(unit)
    return said


def _page(
    table: Open, form: WriteForm, remarks: list[Remark] | None = None, notice: Stale | Refused | None = None
) -> str:
    every = counts.last_counts(table)
    asked = request.args.get("of", "")
    shown = next((one for one in every if str(one.revision.number) == asked), every[0] if every else None)
    box = getattr(table.standing.options, "box", None)
    start = every[0].start if every else {unit: getattr(box, unit) for unit in table.game.units} if box else {}
    return render_template(
        "counting/count.html",
        table=table,
        standing=table.standing,
        form=form,
        counts=every,
        shown=shown if request.method == "GET" else None,
        start={unit: request.form.get(f"start-{unit}", start.get(unit, "")) for unit in table.game.units},
        most=MOST_SHOWN,
        remarks=remarks or [],
        notice=notice,
    )
