"""A table's main page, its journal and its score sheet; undoing and redoing, closing, reopening and removing."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

from flask import Blueprint, Response, abort, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ...exchange.archives import sheet_text
from ...models import SCORE
from ...scoring.sheet import has_balances
from ...scoring.standing import POT, Closing, Entry
from ...services.files import exports
from ...services.tables import details
from ...tables import revisions
from ...tables.revisions import Change
from ...tables.state import ScoredDeal, TableState
from ..support import access
from ..support.forms import WriteForm
from ..support.language import has_right
from .writes import render_table, submit_button

blueprint = Blueprint("table", __name__, url_prefix="/tables/<token>")
blueprint.app_template_global()(has_balances)

MAX_CACHED_ROWS = 20_000  # at about 1 KB each
MAX_CACHED_PARTS = 2_000  # at up to 10 KB each
_row_html: OrderedDict[tuple[Hashable, ...], tuple[object, Any]] = OrderedDict()  # oldest first
_part_html: OrderedDict[tuple[Hashable, ...], tuple[object, Any]] = OrderedDict()


@blueprint.get("/")
def show(token: str) -> str:
    """Show the table's scores, balances and deals."""
    return render_table(access.get_table_or_404(token, guests=True))


@blueprint.post("/undo")
def undo(token: str) -> ResponseReturnValue:
    """Undo what the last tap that the page showed has changed, perhaps not the table's last; then show table or pad."""
    table = access.get_table_or_404(token, SCORE, guests=True)
    then = "deals.new" if request.form.get("then") == "pad" else "table.show"
    shown = table.at_version(WriteForm().version_in(table))
    last = shown.last_undoable
    if last is None:
        return redirect(url_for(then, token=token), 303)
    undone = revisions.find_together(shown.revisions, last)
    changes = (revisions.build_undo(shown.deals, revision) for revision in undone)
    return submit_button(table, *changes, then=then)


@blueprint.post("/redo")
def redo(token: str) -> ResponseReturnValue:
    """Do again what the undo has taken back that was the last change on the page; then show table or pad."""
    table = access.get_table_or_404(token, SCORE, guests=True)
    then = "deals.new" if request.form.get("then") == "pad" else "table.show"
    shown = table.at_version(WriteForm().version_in(table))
    if not shown.revisions or shown.revisions[-1].kind != revisions.UNDO:
        return redirect(url_for(then, token=token), 303)
    undos = revisions.find_together(shown.revisions, shown.revisions[-1])
    return submit_button(table, *(revisions.build_redo(shown.revisions, undo) for undo in undos), then=then)


@blueprint.post("/close")
def close(token: str) -> ResponseReturnValue:
    """Close the table."""
    return submit_button(access.get_table_or_404(token, SCORE), Change(revisions.CLOSE))


@blueprint.post("/reopen")
def reopen(token: str) -> ResponseReturnValue:
    """Reopen a closed table."""
    return submit_button(access.get_table_or_404(token, SCORE), Change(revisions.REOPEN))


@blueprint.post("/remove")
def remove(token: str) -> ResponseReturnValue:
    """Remove the table if nothing was recorded there; show what was, otherwise."""
    table = access.get_table_or_404(token, SCORE)
    circle = url_for("circles.show", name=table.stored.circle.name)
    is_removed = details.remove(table.stored, g.browser)
    return redirect(circle if is_removed else url_for("table.show", token=token), 303)


blueprint.add_app_template_global(details.may_be_removed)


@blueprint.get("/journal")
def journal(token: str) -> str:
    """List every payment in counters; with `?of=<seat>`, those of one player and their sum."""
    table = access.get_table_or_404(token)
    seat = request.args.get("of")
    if seat is not None and seat not in table.everybody:
        abort(404)
    payments = (entry for row in table.standing.rows for entry in row.entries if entry.is_payment)
    return render_template(
        "tables/history/journal.html",
        table=table,
        seat=seat,
        has_pot=any(POT in (entry.giver, entry.taker) for entry in payments),
    )


@blueprint.get("/sheet.json")
def export(token: str) -> Response:
    """Download the table as a portable score sheet."""
    exported = exports.export_table(access.get_table_or_404(token))
    text, name = sheet_text(exported.table.sheet()), f"{exported.label}.json"
    return Response(
        text, mimetype="application/json", headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@blueprint.app_template_global()
def cached_row_html(table: TableState, scored: ScoredDeal, render: Callable[[ScoredDeal], Any]) -> Any:
    """Return a deal's row as HTML, rendered once per language and set of names.

    Rendering a row takes longer than scoring its deal. A deal that is scored again, as after an earlier one changed,
    gets a new row object; a withdrawn deal has none, and is rendered each time.
    """
    if scored.row is None:
        return render(scored)
    key = (table.token, scored.deal.id, g.language, *table.names.values(), *g.sides.items())
    rendered_from, html = _row_html.get(key, (None, None))
    if rendered_from is not scored.row:
        html = render(scored)
        _row_html[key] = scored.row, html
        if len(_row_html) > MAX_CACHED_ROWS:
            _row_html.popitem(last=False)
    return html


@blueprint.app_template_global()
def cached_part(table: TableState, *part: Hashable, also: object = None, caller: Callable[[], Any]) -> Any:
    """Return a part of a table's page as HTML, rendered once per revision, language and set of names.

    Each entry is followed by as many requests as there are phones, for parts that are mostly the same. They must not
    depend on who asks: `part` includes what they depend on besides the table, `also` what else may change in time.
    """
    key = (*part, table.token, g.language, *table.names.values(), *g.sides.items())
    source = table.edition, table.revisions[-1:], also
    rendered_from, html = _part_html.get(key, (None, None))
    if rendered_from != source:
        html = caller()
        _part_html[key] = source, html
        if len(_part_html) > MAX_CACHED_PARTS:
            _part_html.popitem(last=False)
    return html


@blueprint.app_template_global()
def make_button_form(table: TableState) -> WriteForm:
    """Return the hidden fields of a button that changes the table, for pages whose own form has other fields."""
    return WriteForm(formdata=None, seen=table.mark)


@blueprint.app_template_global("is_guest")
def _is_guest() -> bool:
    return access.is_guest()


@blueprint.app_template_global()
def may_record() -> bool:
    """Return whether the reader may record deals: a member who may score, or a guest at their own table."""
    return has_right(SCORE) or access.is_guest()


@blueprint.app_template_test("payment")
def _is_payment(entry: Entry) -> bool:
    return entry.is_payment


@blueprint.app_template_test("of_player")
def _is_of_player(entry: Entry, player: str) -> bool:
    """Return whether a player is the entry's giver or its taker."""
    return player in (entry.giver, entry.taker)


@blueprint.app_template_global()
def closing_numbers(closing: Closing) -> dict[str, int]:
    """Return the integer figures of a closing, as parameters of its message."""
    return {name: figure for name, figure in closing.figures.items() if isinstance(figure, int)}
