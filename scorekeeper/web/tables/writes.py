"""Write to a table, and respond with the table or with the reason why nothing was written."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flask import g, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ...models import SCORE, Browser
from ...services.outcome import Done, Stale
from ...services.tables.writing import NotWritten, Recorded, WriteResult, write
from ...stats.endings import find_ending
from ...tables.revisions import Change, find_last_mark
from ...tables.state import TableState
from ..support import access
from ..support.forms import WriteForm, new_key, parse_id, read_key
from .deal_draft import DealDraft
from .words import find_shown_change

MAX_PER_PAGE = 50  # deals or changes
NEXT = "next"  # the value of the button that records a new deal and goes on to the pad of the next one


def submit(
    table: TableState, changes: Sequence[Change], form: WriteForm, browser: Browser | None = None
) -> WriteResult:
    """Write changes under the form's entry key, unless the table has revisions that the form's page did not show.

    `browser` is the author, by default the browser that the request was checked for.
    """
    return write(table, changes, form.seen.data or "", read_key(), browser or g.browser)


def submit_button(table: TableState, *changes: Change, then: str = "table.show") -> ResponseReturnValue:
    """Write what takes a single button; redirect to the table, or show it with the reason for a failure.

    `then` is the endpoint to redirect to; it tells of the change.
    """
    result = submit(table, changes, WriteForm())
    if isinstance(result, Done):
        return redirect(url_for(then, token=table.token, changed=result.value.revision.number), 303)
    return render_failure(table, result)


def render_failure(table: TableState, result: NotWritten) -> ResponseReturnValue:
    """Show a table with the reason why nothing was written."""
    if isinstance(result, Stale):
        return render_table(access.get_table_or_404(table.token, SCORE), result), 409
    return render_table(table, result), 422


def render_table(table: TableState, notice: NotWritten | None = None) -> str:
    """Render the table's page; `notice` is the result of a write that failed."""
    change = find_shown_change(table)
    recorded = parse_id(request.args.get("recorded")) or (change and change.body and change.deal)
    return render_template(
        "tables/table.html",
        table=table,
        form=WriteForm(formdata=None, seen=table.mark),  # without the fields of a refused write
        notice=notice,
        recorded=table.deal(recorded) if recorded else None,
        change=change,
    )


def paginate(count: int) -> tuple[int, int, dict[str, int | None]]:
    """Return where in a list of `count` items the page `?before=<position>` begins and ends, by default the last one.

    And the `before` of the pages with `newer` and `older` items, None if there are none.
    """
    before = parse_id(request.args.get("before"))
    last = count if before is None else max(0, min(before - 1, count))
    first = max(0, last - MAX_PER_PAGE)
    newer = min(last + MAX_PER_PAGE, count) + 1 if last < count else None
    return first, last, {"newer": newer, "older": first + 1 if first else None}


# --- pads and other forms of a deal ---------------------------------------------------------------------------


def respond(
    result: WriteResult, draft: DealDraft, render: Callable[[DealDraft, NotWritten], str]
) -> ResponseReturnValue:
    """Return what follows the write of a form: the table, or the form with the reason why nothing was written.

    `render` renders the form, for the draft as it is now.
    """
    if is_sent_by_script():
        return _respond_to_script(result, draft.table)
    if isinstance(result, Done):
        return redirect(_url_after(result.value), 303)
    if isinstance(result, Stale):
        return render(draft.reloaded(), result), 409
    return render(draft, result), 422


def set_notice(form: WriteForm, table: TableState, notice: NotWritten | None) -> dict[str, NotWritten | None]:
    """Set what a form shows of the table now; return a failed write as variables of a template."""
    is_stale = isinstance(notice, Stale)
    form.set_seen(table.mark, notice.current if isinstance(notice, Stale) else ())
    return {"stale": notice if is_stale else None, "outcome": None if is_stale else notice}


def _url_after(recorded: Recorded) -> str:
    """Return the address of the page that shows the recorded deal.

    After a new deal it is the next one's pad, unless the deal has ended something: the table tells it.
    """
    table = recorded.table
    goes_on = request.form.get("do") == NEXT and table.takes_deals and find_ending(table.game, table.standing) is None
    return url_for("deals.new" if goes_on else "table.show", token=table.token, recorded=recorded.revision.deal)


def is_sent_by_script() -> bool:
    return request.headers.get("Accept") == "application/json"


def _respond_to_script(result: WriteResult, shown: TableState) -> ResponseReturnValue:
    """Return the result of a write as JSON, with notices as HTML. The phone keeps its entry until this arrives.

    `seen` is the mark of the last revision, `after` that of the one before the entry: an entry that waits and has seen
    `after` as well has now seen `seen`. `next` is the number of the next deal, by which the phone labels what waits.
    """
    if isinstance(result, Done):
        recorded = result.value
        at = _url_after(recorded)
        after = find_last_mark(recorded.table.revisions[: recorded.revision.number - 1])
        return jsonify(recorded=True, seen=recorded.revision.mark, after=after, at=at, next=recorded.table.next_number)
    if isinstance(result, Stale):
        table = access.get_table_or_404(shown.token, SCORE)
        notice = render_template("tables/_stale.html", table=table, stale=result)
        return jsonify(stale=notice, seen=table.mark, key=new_key(), next=table.next_number), 409
    return jsonify(refused=render_template("tables/_refused.html", table=shown, refused=result)), 422
