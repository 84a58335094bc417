"""Counter checks: compare the counters in front of each player with the balances of the sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from flask import Blueprint, abort, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ..db.outcome import Stale
from ..models import SCORE, WATCH
from ..scoring.problems import Problem
from ..scoring.sheet import balances_in_smallest_unit, settlement_unit
from ..site.fields import parse_digits
from ..site.forms import SentField
from ..site.language import has_message, problem_message, t
from ..site.numbers import ambiguity, parse_int
from . import access as table_access
from .live import read_page
from .record import SeenForm, read_anew, respond, submit
from .revisions import COUNT, Change, RevisionRow, find_count_problems
from .state import TableState
from .writing import NotWritten

blueprint = Blueprint("counter_checks", __name__, url_prefix="/tables/<token>/count")


class CounterCheck(NamedTuple):
    """A count of all counters at a table, compared with the sheet at that revision."""

    revision: RevisionRow
    table: TableState
    start: dict[str, int]  # what each player started with, by unit
    counted: dict[str, dict[str, int]]  # what each player has, by seat and unit
    expected: dict[str, dict[str, int]]  # what each should have
    unit: str  # of the differences; players may have exchanged larger counters for these
    differences: dict[str, int]  # by seat, below 0 if counters are missing

    @property
    def surplus(self) -> int:
        """How many counters are too many in all; below 0 if some are lost."""
        return sum(self.differences.values())

    @property
    def is_correct(self) -> bool:
        return not any(self.differences.values())


def find_check(table: TableState, number: int | None = None) -> CounterCheck | None:
    """Return the check that a revision has recorded, by default the last one."""
    counts = [row for row in table.revisions if row.kind == COUNT and number in (None, row.number)]
    if not counts or counts[-1].body is None:
        return None
    then = table.at_version(counts[-1].number)
    start, counted = counts[-1].body["start"], counts[-1].body["held"]
    expected = {
        seat: {unit: start[unit] + amount for unit, amount in units.items()}
        for seat, units in then.standing.balances.items()
    }
    have, should_have = (balances_in_smallest_unit(then.game, held) for held in (counted, expected))
    differences = {seat: have[seat] - should_have[seat] for seat in then.everybody}
    return CounterCheck(counts[-1], then, start, counted, expected, settlement_unit(then.game), differences)


class CountForm(SeenForm):
    sent = SentField(keeps_empty=True)  # "start-unit" has what everybody started with, "held-seat-unit" what they have


def _read_counts(table: TableState, sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the body of the revision, with None for what is not a number."""
    units = table.game.units
    return {
        "start": {unit: parse_int(sent.get(f"start-{unit}")) for unit in units},
        "held": {
            seat: {unit: parse_int(sent.get(f"held-{seat}-{unit}")) for unit in units} for seat in table.everybody
        },
    }


@blueprint.get("")
def count(token: str) -> str:
    return _render(_get_table(token), CountForm())


@blueprint.post("")
def create(token: str) -> ResponseReturnValue:
    table, form = _get_table(token, SCORE), CountForm()
    body = _read_counts(table, form.sent.data)
    # Of a number with two readings, the problem shows how to write each.
    problems = [
        ambiguity(problem.field, form.sent.data.get(problem.field.replace(".", "-")), 0) or problem
        for problem in find_count_problems(table.game, table.everybody, body)
    ]
    if problems:
        return _render(table, form, problems), 422
    return respond(
        submit(table, [Change(COUNT, body=body)], form),
        table,
        lambda notice: _render(table, form, notice=notice),
        lambda recorded: url_for("counter_checks.count", token=token, of=recorded.revision.number),
    )


def _get_table(token: str, needs: str = WATCH) -> TableState:
    table = table_access.get_table_or_404(token, needs)
    return table if table.game.units else abort(404)


def _render(
    table: TableState, form: CountForm, problems: Sequence[Problem] = (), notice: NotWritten | None = None
) -> str:
    if isinstance(notice, Stale):
        table = read_anew(table)
    if notice is not None or not form.is_submitted():
        form.set_seen(table, notice)
    # The messages by the line of the form, each with the units whose fields it is about.
    lines: dict[str, dict[str, list[str]]] = {}
    for problem in problems:
        line, _, unit = problem.field.rpartition(".")
        lines.setdefault(line, {}).setdefault(problem_message(problem), []).append(unit)
    last = find_check(table)
    check = find_check(table, parse_digits(request.args.get("of"))) or last
    start = last.start if last else table.standing.opening_counters
    return render_template(
        "tables/counter_check.html",
        table=table,
        table_page=read_page(table),
        form=form,
        check=check if not form.is_submitted() else None,
        start=start,
        own_hint=t(own_hint) if has_message(own_hint := f"{table.game.slug}.counting.explained") else "",
        problems=lines,
        notice=notice,
    )
