"""Counter checks: compare the counters in front of each player with the balances of the sheet."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...scoring.problems import Problem
from ...services import SCORE, Recorded, Refused, Stale, counter_checks
from ...tables.state import TableState
from ..support import access
from ..support.forms import WriteForm
from ..support.language import sentence
from ..support.numbers import ambiguity, parse_int

blueprint = Blueprint("counter_checks", __name__, url_prefix="/tables/<token>/count")

MAX_EXPLANATIONS = 20  # explanations on a page


@blueprint.get("")
def count(token: str) -> str:
    """Show the check of revision `?of=<number>`, or the last one, and a form for the next."""
    table = access.get_table_or_404(token)
    return _page(table, WriteForm(formdata=None, seen=table.version))


@blueprint.post("")
def keep(token: str) -> str | Response | tuple[str, int]:
    """Store a check."""
    table = access.get_table_or_404(token, SCORE)
    form, body = WriteForm(), _told(table)
    problems = [_clearer(problem) for problem in counter_checks.faults(table.game, table.names, body)]
    if problems:
        return _page(table, form, problems), 422
    result = counter_checks.record(table, body, form.seen_version, form.entry_key, g.browser)
    if isinstance(result, Recorded):
        return redirect(url_for("counter_checks.count", token=token, of=result.revision.number), 303)
    if isinstance(result, Refused):
        return _page(table, form, notice=result), 422
    table = access.get_table_or_404(token, SCORE)
    form.set_version(table.version, result.since)
    return _page(table, form, notice=result), 409


def _told(table: TableState) -> dict[str, Any]:
    units = table.game.units
    return {
        "start": {unit: parse_int(request.form.get(f"start-{unit}")) for unit in units},
        "held": {
            seat: {unit: parse_int(request.form.get(f"held-{seat}-{unit}")) for unit in units} for seat in table.names
        },
    }


def _clearer(problem: Problem) -> Problem:
    """The problem; where two numbers may have been meant, that one, which names both."""
    return ambiguity(problem.field, request.form.get(problem.field.replace(".", "-")), 0) or problem


@blueprint.app_template_global()
def problems_in(problems: list[Problem], line: str) -> dict[str, list[str]]:
    """What is to be said of a line of the form, and of which counters in it."""
    said: dict[str, list[str]] = {}
    for problem in problems:
        at, _, unit = problem.field.rpartition(".")
        if at == line:
            said.setdefault(sentence(problem), []).append(unit)
    return said


def _page(
    table: TableState, form: WriteForm, problems: list[Problem] | None = None, notice: Stale | Refused | None = None
) -> str:
    """Render the page; `notice` is the result of a write that failed."""
    every = counter_checks.last_counts(table)
    asked = request.args.get("of", "")
    shown = next((one for one in every if str(one.revision.number) == asked), every[0] if every else None)
    box = getattr(table.standing.options, "box", None)
    start = every[0].start if every else {unit: getattr(box, unit) for unit in table.game.units} if box else {}
    return render_template(
        "tables/counter_check.html",
        table=table,
        standing=table.standing,
        form=form,
        counts=every,
        shown=shown if request.method == "GET" else None,
        start={unit: request.form.get(f"start-{unit}", start.get(unit, "")) for unit in table.game.units},
        most=MAX_EXPLANATIONS,
        problems=problems or [],
        notice=notice,
    )
