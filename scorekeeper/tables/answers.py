"""Writes to a table from its pages: forms that say what they have seen, and the answers, for scripts as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from flask import abort, g, jsonify, redirect, render_template, request
from flask.typing import ResponseReturnValue

from ..db.outcome import Done, Stale
from ..models import SCORE, new_token
from ..site.forms import WriteForm
from . import access as table_access
from .live import read_page
from .revisions import Change, find_last_seen, find_together
from .state import TableState
from .writing import NotWritten, Recorded, Refused, WriteResult, write

T = TypeVar("T")


class SeenForm(WriteForm):
    """A form that a page of a table shows, with the last revision there as `seen`."""

    def set_seen(self, table: TableState, notice: NotWritten | None) -> None:
        """Set what the page shows; and another key, if something else was recorded under this one."""
        self.seen.data = table.seen
        if isinstance(notice, Stale) and any(revision.entry_key == self.key.data for revision in notice.current):
            self.key.data = new_token()


def submit(table: TableState, changes: Sequence[Change], form: WriteForm) -> WriteResult:
    """Write changes under the form's entry key, unless the form's page did not show all.

    404 if one of them is of a deal that the phone may not change.
    """
    if not all(table_access.may_change(table, change.deal) for change in changes):
        abort(404)
    return write(table, changes, form.seen.data, form.read_key(), g.membership)


def respond(
    result: Done[T] | NotWritten, table: TableState, show: Callable[[NotWritten], str], url: Callable[[T], str]
) -> ResponseReturnValue:
    """Answer a write: redirect to the page that follows, or show the form again with the reason, to a script as JSON.

    The phone keeps what it has sent until this arrives. Notices are HTML; `seen` names the last revision, `after` the
    one before the entry: an entry that waits and has seen `after` as well has now seen `seen`. `next` is
    the number of the next deal, by which the phone labels what waits.
    """
    is_script = is_sent_by_script()
    if isinstance(result, Done):
        at = url(result.value)
        if not is_script or not isinstance(result.value, Recorded):
            return redirect(at, 303)
        last, after = result.value.revision, result.value.table
        before = find_last_seen(after.revisions[: last.number - len(find_together(after.revisions, last))])
        return jsonify(recorded=True, seen=last.seen, after=before, at=at, next=after.next_number)
    if not is_script:
        return show(result), 409 if isinstance(result, Stale) else 422
    table = read_anew(table) if isinstance(result, Stale) else table
    notice = render_template("tables/_not_written.html", table=table, table_page=read_page(table), notice=result)
    if isinstance(result, Stale):
        return jsonify(stale=notice, seen=table.seen, key=new_token(), next=table.next_number), 409
    return jsonify(refused=notice), 422


def set_notice(form: SeenForm, table: TableState, notice: NotWritten | None, *fields: str) -> dict[str, Any]:
    """Set what a form shows of the table now; return a failed write as variables of a template.

    `problems` are what is wrong with the change itself; there is no `notice` of them if they begin with one of the
    fields, where the form says so.
    """
    form.set_seen(table, notice)
    problems = notice.problems if isinstance(notice, Refused) and notice.is_own else ()
    is_at_field = bool(problems) and problems[0].field.startswith(fields)
    return {"notice": None if is_at_field else notice, "problems": problems}


def is_sent_by_script() -> bool:
    return request.headers.get("Accept") == "application/json"


def read_anew(table: TableState) -> TableState:
    return table_access.get_table_or_404(table.token, SCORE)
