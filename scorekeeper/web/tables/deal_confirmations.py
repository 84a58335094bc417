"""Confirming deals at a table that asks for it, and taking a confirmation back."""

from __future__ import annotations

from flask import Blueprint, abort, g, redirect, request, url_for
from flask.typing import ResponseReturnValue

from ...models import Circle
from ...scoring.problems import Problem, Refusal, refuse
from ...services.money.scopes import Scope
from ...services.tables import deal_confirmations, unconfirmed_deals
from ...services.tables.deal_confirmations import TableConfirmations
from ...services.tables.table import Refused
from ...services.tables.unconfirmed_deals import UnconfirmedDeals
from ...tables.state import TableState
from ..support import access
from ..support.forms import WriteForm, parse_id
from .writes import render_table

blueprint = Blueprint("deal_confirmations", __name__, url_prefix="/tables/<token>")


@blueprint.post("/confirm")
def confirm(token: str) -> ResponseReturnValue:
    """Do what the button says: confirm the deal of a `revision`, or `all` that were shown, or `take-back` one's own."""
    table = access.get_table_or_404(token)
    try:
        refusal = _apply(table)
    except LookupError:
        abort(404)
    if refusal is None:
        return redirect(_url_after(table), 303)
    keys = {problem.key for problem in refusal.problems}
    status = 409 if keys & {"deal-changed", "confirming-is-off"} else 422
    return render_table(access.get_table_or_404(token), Refused(refusal, None, True)), status


def _apply(table: TableState) -> Refusal | None:
    number, is_all = _revision(), "all" in request.form
    if number is None and not is_all:
        abort(400)
    seen = WriteForm().version_in(table)
    if seen < 0:  # from before a backup was restored: its revisions may be others
        return refuse(None, [Problem("confirmation", "deal-changed")])
    if number is None or is_all:
        return deal_confirmations.confirm_all(table, seen, g.browser)
    if "take-back" in request.form:
        return deal_confirmations.take_back(table, number, g.browser)
    return deal_confirmations.confirm(table, number, g.browser)


def _revision() -> int | None:
    return parse_id(request.form.get("take-back", request.form.get("revision")))


def _url_after(table: TableState) -> str:
    """Return the address of the page with the button: the deal's, or the table's at that deal."""
    number = _revision() or 0
    deal = table.revisions[number - 1].deal if 0 < number <= table.version else None
    if deal is not None and request.form.get("back") == "deal":
        return url_for("deals.show", token=table.token, deal_id=deal)
    return url_for("table.show", token=table.token, _anchor=f"deal-{deal}" if deal is not None else None)


@blueprint.app_template_global("deal_confirmations")
def _read_confirmations(table: TableState) -> TableConfirmations | None:
    """Return a table's confirmations as this browser sees them, read once per request; None if it asks for none."""
    read: dict[int, TableConfirmations | None] = g.setdefault("deal_confirmations", {})
    if table.id not in read:
        read[table.id] = deal_confirmations.read(table, g.browser) if table.has_rules else None
    return read[table.id]


@blueprint.app_template_global("unconfirmed_deals")
def _unconfirmed_deals(circle: Circle, scope: Scope) -> list[UnconfirmedDeals]:
    """List the deals of a scope that nobody has confirmed, by table."""
    return unconfirmed_deals.unconfirmed_deals(circle, scope)
