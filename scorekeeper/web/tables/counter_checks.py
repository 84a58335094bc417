"""Counter checks: compare the counters in front of each player with the balances of the sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ...models import SCORE
from ...scoring.problems import Problem
from ...scoring.sheet import balances_in_unit, settlement_unit
from ...services.outcome import Done
from ...services.tables.writing import NotWritten, Refused
from ...tables.revisions import COUNT, Change, RevisionRow, find_count_problems
from ...tables.state import TableState
from ..support import access
from ..support.amounts import ambiguity, parse_int
from ..support.forms import WriteForm, parse_id
from ..support.language import problem_message
from .writes import submit

blueprint = Blueprint("counter_checks", __name__, url_prefix="/tables/<token>/count")


class CounterCheck(NamedTuple):
    """A count of all counters at a table, compared with the sheet at that revision.

    Attributes:
        start: what each player started with, by unit.
        counted, expected: what each player has, and should have, by seat and unit.
        unit: that of the differences; players may have exchanged larger counters for these.
        differences: by seat, below 0 if counters are missing.
    """

    revision: RevisionRow
    table: TableState
    start: dict[str, int]
    counted: dict[str, dict[str, int]]
    expected: dict[str, dict[str, int]]
    unit: str
    differences: dict[str, int]


def find_check(table: TableState, number: int | None = None) -> CounterCheck | None:
    """Return the check that a revision has recorded, by default the last one; None if there is none."""
    counts = [row for row in table.revisions if row.kind == COUNT and row.body and number in (None, row.number)]
    if not counts or counts[-1].body is None:
        return None
    then, start, counted = table.at_version(counts[-1].number), counts[-1].body["start"], counts[-1].body["held"]
    expected = {
        seat: {unit: start[unit] + amount for unit, amount in units.items()}
        for seat, units in then.standing.balances.items()
    }
    have, should_have = (balances_in_unit(then.game, held) for held in (counted, expected))
    differences = {seat: have[seat] - should_have[seat] for seat in then.everybody}
    return CounterCheck(counts[-1], then, start, counted, expected, settlement_unit(then.game), differences)


@blueprint.get("")
def count(token: str) -> str:
    """Show the check of revision `?of=<number>`, or the last one, and a form for the next."""
    table = access.get_table_or_404(token)
    if not table.game.units:
        abort(404)
    return _render(table, WriteForm(formdata=None, seen=table.mark))


@blueprint.post("")
def create(token: str) -> ResponseReturnValue:
    table = access.get_table_or_404(token, SCORE)
    if not table.game.units:
        abort(404)
    form, body = WriteForm(), _parse_counters(table)
    # Of a number with two readings, the problem shows how to write each.
    problems = [
        ambiguity(problem.field, request.form.get(problem.field.replace(".", "-")), 0) or problem
        for problem in find_count_problems(table.game, table.everybody, body)
    ]
    if problems:
        return _render(table, form, problems), 422
    result = submit(table, [Change(COUNT, body=body)], form)
    if isinstance(result, Done):
        return redirect(url_for("counter_checks.count", token=token, of=result.value.revision.number), 303)
    if isinstance(result, Refused):
        return _render(table, form, notice=result), 422
    table = access.get_table_or_404(token, SCORE)
    form.set_seen(table.mark, result.current)
    return _render(table, form, notice=result), 409


def _parse_counters(table: TableState) -> dict[str, Any]:
    """Return the body of the revision: `start` by unit, `held` by seat and unit. Other text than numbers is kept."""
    units = table.game.units
    return {
        "start": {unit: parse_int(request.form.get(f"start-{unit}")) for unit in units},
        "held": {
            seat: {unit: parse_int(request.form.get(f"held-{seat}-{unit}")) for unit in units}
            for seat in table.everybody
        },
    }


def _group_problems(problems: Iterable[Problem]) -> dict[str, dict[str, list[str]]]:
    """Return the messages by the line of the form, each with the units whose fields it is about."""
    lines: dict[str, dict[str, list[str]]] = {}
    for problem in problems:
        line, _, unit = problem.field.rpartition(".")
        lines.setdefault(line, {}).setdefault(problem_message(problem), []).append(unit)
    return lines


def _render(
    table: TableState, form: WriteForm, problems: Sequence[Problem] = (), notice: NotWritten | None = None
) -> str:
    last, number = find_check(table), parse_id(request.args.get("of"))
    check = last if number is None else find_check(table, number) or last
    start = last.start if last else table.standing.opening_counters
    return render_template(
        "tables/counter_check.html",
        table=table,
        standing=table.standing,
        form=form,
        check=check if request.method == "GET" else None,
        start={unit: request.form.get(f"start-{unit}", start.get(unit, "")) for unit in table.game.units},
        problems=_group_problems(problems),
        notice=notice,
    )
