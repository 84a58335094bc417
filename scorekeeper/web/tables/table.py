"""A table's main page, its journal and its score sheet; undoing, closing and reopening."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from ... import services
from ...exchange.zip_writer import sheet_text
from ...scoring.entries import Entry as LedgerEntry
from ...scoring.standing import Closing
from ...services import SCORE, Recorded, Refused, Stale, WriteRequest, exports
from ...tables import revisions
from ...tables.revisions import Change
from ...tables.state import ScoredDeal, TableState
from ..support import access
from ..support.forms import WriteForm, parse_id

blueprint = Blueprint("table", __name__, url_prefix="/tables/<token>")


@blueprint.get("/")
def show(token: str) -> str:
    """Show the table's scores, balances and deals."""
    return page(access.get_table_or_404(token))


def page(table: TableState, notice: Stale | Refused | None = None) -> str:
    """Render the table's page; `notice` is the result of a write that failed."""
    recorded = parse_id(request.args.get("recorded"))
    return render_template(
        "tables/table.html",
        table=table,
        form=WriteForm(formdata=None, seen=table.seen),  # without the fields of a refused write
        notice=notice,
        recorded=table.deal(recorded) if recorded is not None else None,
    )


def answer(result: Recorded | Stale | Refused, table: TableState) -> AnyResponse | tuple[str, int]:
    """Return the response to a write made by one button: the table as it is now, or why nothing was written."""
    if isinstance(result, Recorded):
        return redirect(url_for("table.show", token=table.token), 303)
    if isinstance(result, Stale):
        return page(access.get_table_or_404(table.token, SCORE), result), 409
    return page(table, result), 422


def write(table: TableState, change: Change) -> Recorded | Stale | Refused:
    """Store a change under the key of the submitted form, unless the table has newer revisions than its page."""
    form = WriteForm()
    entry = WriteRequest(change, form.has_seen, form.entry_key)
    return services.write(table, entry, g.browser)


@blueprint.post("/undo")
def undo(token: str) -> AnyResponse | tuple[str, int]:
    """Undo the last change that the page showed, which need not be the table's last."""
    table = access.get_table_or_404(token, SCORE)
    seen = table.as_seen(WriteForm().has_seen)  # what is taken back is what the page showed as the last
    last = seen.last_undoable
    if last is None:
        return redirect(url_for("table.show", token=token), 303)
    return answer(write(table, revisions.undoing(seen.deals, last)), table)


@blueprint.post("/close")
def close(token: str) -> AnyResponse | tuple[str, int]:
    """Close the table."""
    table = access.get_table_or_404(token, SCORE)
    return answer(write(table, Change(revisions.CLOSE)), table)


@blueprint.post("/reopen")
def reopen(token: str) -> AnyResponse | tuple[str, int]:
    """Reopen a closed table."""
    table = access.get_table_or_404(token, SCORE)
    return answer(write(table, Change(revisions.REOPEN)), table)


@blueprint.get("/journal")
def journal(token: str) -> str:
    """List every payment in counters; with `?of=<seat>`, those of one player and their sum."""
    table = access.get_table_or_404(token)
    seat = request.args.get("of")
    return render_template("tables/history/journal.html", table=table, of=seat if seat in table.names else None)


@blueprint.get("/sheet.json")
def export(token: str) -> Response:
    """Download the table as a portable score sheet."""
    told = exports.export_table(access.get_table_or_404(token))
    text, name = sheet_text(told.table.sheet()), f"{told.label}.json"
    return Response(
        text, mimetype="application/json", headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@blueprint.app_template_global()
def cached_row_html(table: TableState, played: ScoredDeal, say: Callable[[ScoredDeal], Any]) -> Any:
    """Return a deal's row as HTML, rendered once per language and set of names.

    Cached with the table's replay, because rendering a row takes longer than scoring its deal.
    """
    said, key = table.replay.said, (played.deal.id, g.language, *table.names.values(), *g.sides.values())
    if key not in said:
        said[key] = say(played)
    return said[key]


@blueprint.app_template_test("payment")
def _is_payment(entry: LedgerEntry) -> bool:
    return entry.is_payment


@blueprint.app_template_test("through")
def _goes_through(entry: LedgerEntry, player: str) -> bool:
    """Return whether a player gave or took it."""
    return player in (entry.giver, entry.taker)


@blueprint.app_template_global()
def closing_numbers(closing: Closing) -> dict[str, int]:
    """Return the integer figures of a closing, as parameters of its message."""
    return {name: figure for name, figure in closing.figures.items() if isinstance(figure, int)}
