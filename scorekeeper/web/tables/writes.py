"""Write to a table, and respond with the table or with the reason why nothing was written."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flask import g, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from ...exchange.sheets import reason_problems
from ...models import SCORE, Browser
from ...scoring.game import AnyGame
from ...scoring.problems import refuse
from ...services.outcome import Done, Stale
from ...services.tables.table import NotWritten, Recorded, Refused, WriteRequest, WriteResult, write
from ...services.tables.turns import write_together
from ...stats.endings import find_ending
from ...tables.corrections import order_changes
from ...tables.revisions import Change, find_last_mark
from ...tables.state import TableState
from ..support import access
from ..support.forms import WriteForm, new_key, parse_id, read_choice, read_key
from .changes import find_shown_change
from .deal_draft import DealDraft
from .forms import COUNTERS, POINTS, AdjustmentForm

NEXT = "next"  # the value of the button that records a new deal and goes on to the pad of the next one


def submit(table: TableState, change: Change, form: WriteForm, browser: Browser | None = None) -> WriteResult:
    """Write a change under the form's entry key, unless the table has revisions that the form's page did not show.

    `browser` is the author, by default the browser that the request was checked for.
    """
    return write(table, WriteRequest(change, form.version_in(table), read_key()), browser or g.browser)


def submit_together(table: TableState, changes: Sequence[Change], form: WriteForm) -> WriteResult:
    """Write several changes as `submit` writes one: all of them or none."""
    return write_together(table, changes, form.version_in(table), read_key(), g.browser)


def submit_with_kept(draft: DealDraft, change: Change, form: WriteForm) -> WriteResult:
    """Write a change of a draft, with the corrections of earlier deals that are kept for it: all of them or none."""
    if not draft.kept:
        return submit(draft.latest, change, form)
    return submit_together(draft.latest, order_changes(draft.latest, [*draft.kept, change]), form)


def submit_button(table: TableState, *changes: Change, then: str = "table.show") -> ResponseReturnValue:
    """Write what takes a single button; redirect to the table, or show it with the reason for a failure.

    `then` is the endpoint to redirect to; it tells of the change.
    """
    form = WriteForm()
    result = submit(table, changes[0], form) if len(changes) == 1 else submit_together(table, changes, form)
    if isinstance(result, Done):
        return redirect(url_for(then, token=table.token, changed=result.value.revision.number), 303)
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


def respond(
    result: WriteResult, draft: DealDraft, render: Callable[[DealDraft, NotWritten], str]
) -> ResponseReturnValue:
    """Return what follows the write of a form: the table, or the form with the reason why nothing was written.

    `render` renders the form, for the draft as it is now.
    """
    if is_sent_by_script():
        return respond_to_script(result, draft)
    if isinstance(result, Done):
        return redirect_after(result.value)
    if isinstance(result, Stale):
        return render(draft.reloaded(), result), 409
    return render(draft, result), 422


def notice_variables(notice: NotWritten | None) -> dict[str, NotWritten | None]:
    """Return the result of a write that failed as variables of a template, `stale` and `outcome`."""
    is_stale = isinstance(notice, Stale)
    return {"stale": notice if is_stale else None, "outcome": None if is_stale else notice}


def redirect_after(recorded: Recorded) -> Response:
    """Redirect to the page that follows a write."""
    return redirect(_url_after(recorded), 303)


def _url_after(recorded: Recorded) -> str:
    """Return the address of the page that shows the recorded deal.

    After a new deal it is the next one's pad, unless the deal has ended something: the table tells it.
    """
    table = recorded.table
    goes_on = request.form.get("do") == NEXT and table.takes_deals and find_ending(table.game, table.standing) is None
    return url_for("deals.new" if goes_on else "table.show", token=table.token, recorded=recorded.revision.deal)


# --- requests of the page's script ---------------------------------------------------------------------------


def is_sent_by_script() -> bool:
    """Return whether the request asks for JSON, as static/js/offline-entries.js does."""
    return request.headers.get("Accept") == "application/json"


def respond_to_script(result: WriteResult, draft: DealDraft) -> ResponseReturnValue:
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
        table = draft.reloaded().table
        notice = render_template("tables/_stale.html", table=table, stale=result)
        return jsonify(stale=notice, seen=table.mark, key=new_key(), next=table.next_number), 409
    return jsonify(refused=render_template("tables/_refused.html", table=draft.table, refused=result)), 422


def edit_adjustment(draft: DealDraft) -> ResponseReturnValue:
    """Show the form of a new or an amended adjustment, or write it."""
    form = AdjustmentForm()
    form.unit.data = form.unit.data or _largest_unit(draft.table.game)
    if not form.is_submitted():
        _fill(form, draft)
        return _render_form(draft, form)
    if read_choice("kind", POINTS, COUNTERS) == COUNTERS:
        draft = _place(draft, form.version_in(draft.latest))
    facts = form.facts()
    is_same = facts["adjustment"].get("reason") == draft.last_facts.get("adjustment", {}).get("reason")
    problem = form.ambiguity or (None if is_same else next(reason_problems(facts), None))
    if problem is not None:
        result: WriteResult = Refused(refuse(None, [problem]), None, True)
    else:
        result = submit_with_kept(draft, draft.change(facts), form)
    return respond(result, draft, lambda now, notice: _render_form(now, form, notice))


def _largest_unit(game: AnyGame) -> str:
    """Return the unit that an adjustment is in if none is chosen; "" in a game without counters."""
    return max(game.units, key=game.worth_of, default="")


def _fill(form: AdjustmentForm, draft: DealDraft) -> None:
    """Fill the form with the recorded adjustment that is to be amended, if any."""
    recorded = draft.last_facts.get("adjustment", {})
    unit = next((unit for unit in draft.table.game.units if unit in recorded), None)
    form.kind.data = COUNTERS if unit else POINTS
    form.giver.data, form.to.data = recorded.get("from"), recorded.get("to")
    form.unit.data = unit or form.unit.data
    amount = recorded.get(unit or "points")
    form.amount.data = "" if amount is None else str(amount)
    form.reason.data = recorded.get("reason", "")


def _place(draft: DealDraft, version: int) -> DealDraft:
    """Return the draft with the place of a new payment at the table as the page showed it, at this version."""
    return draft if draft.deal is not None else draft.at_version(version).before_end()


def _render_form(draft: DealDraft, form: AdjustmentForm, notice: NotWritten | None = None) -> str:
    draft = _place(draft, draft.table.version)
    form.set_seen(draft.table.mark, notice.current if isinstance(notice, Stale) else ())
    return render_template(
        "tables/adjustment.html", table=draft.table, draft=draft, form=form, **notice_variables(notice)
    )
