"""Flags on deals and payments: adding and resolving them, and the circle's list of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from ...models import Circle, Flag, Payment, Settlement
from ...models.rights import SCORE
from ...services.money.confirmations import payment_numbered
from ...services.money.scopes import Scope
from ...services.outcome import Conflict, Done
from ...services.tables import flags
from ...services.tables.flags import FlagRequest, FlagRow, TableFlags
from ...tables.state import ScoredDeal, TableState
from ..circles.forms import FlagForm
from ..support import access
from ..support.forms import new_key, parse_id, read_key, require_shown

blueprint = Blueprint("flags", __name__)


@dataclass(frozen=True)
class Target:
    """The deal of a table, or the payment, that is flagged; and where the page leads back to."""

    back_url: str
    table: TableState | None = None
    scored: ScoredDeal | None = None
    payment: Payment | None = None

    def request(self, form: FlagForm) -> FlagRequest:
        """Build the request from the form."""
        comment, key = form.comment.data, read_key()
        if self.payment is not None:
            return FlagRequest(comment, key, payment=self.payment.number)
        if self.table is None or self.scored is None:
            abort(404)
        return FlagRequest(comment, key, table_id=self.table.stored.id, deal=self.scored.deal.id)


@blueprint.get("/circles/<name>/flags")
def show(name: str) -> str:
    """List a circle's flags, newest first; with `?before=<number>`, an older page of them."""
    circle = access.get_circle_or_404(name).circle
    rows = flags.list_flags(circle, before=parse_id(request.args.get("before")))
    return render_template("tables/flags/flags.html", circle=circle, rows=rows, page_size=flags.PAGE_SIZE)


@blueprint.route("/tables/<token>/deals/<int:deal_id>/flag", methods=["GET", "POST"])
def flag_deal(token: str, deal_id: int) -> ResponseReturnValue:
    """Flag a deal."""
    return _flag(lambda: _get_deal_or_404(token, deal_id))


def _get_deal_or_404(token: str, deal_id: int) -> Target:
    table = access.get_table_or_404(token)
    scored = table.scored_deal(deal_id)
    if scored is None:
        abort(404)
    return Target(url_for("deals.show", token=token, deal_id=deal_id), table=table, scored=scored)


@blueprint.route("/circles/<name>/payments/<int:number>/flag", methods=["GET", "POST"])
def flag_payment(name: str, number: int) -> ResponseReturnValue:
    """Flag a payment."""
    return _flag(lambda: _get_payment_or_404(name, number))


def _get_payment_or_404(name: str, number: int) -> Target:
    circle = access.get_circle_or_404(name).circle
    payment = payment_numbered(circle, number)
    if payment is None or payment.withdraws is not None:
        abort(404)
    if request.method == "POST":
        require_shown(payment)
    return Target(
        url_for("settlements.settlement", name=name, settlement_token=payment.settlement.token), payment=payment
    )


def _flag(load: Callable[[], Target]) -> ResponseReturnValue:
    """Show the form, or add the flag; `load` reads the target and sets `g.browser`."""
    target, form = load(), FlagForm()
    if not form.is_submitted():
        return _page(target, form)
    result = flags.add(g.browser.circle, target.request(form), g.browser)
    if result is None:
        abort(404)
    if isinstance(result, Done):
        return redirect(target.back_url, 303)
    if isinstance(result, Conflict):
        form.key.data = new_key()
        return _page(load(), form, result.earlier), 409
    for problem in result.problems:
        form.add_problem(problem)
    return _page(load(), form), 422


def _page(target: Target, form: FlagForm, recorded: Flag | None = None) -> str:
    return render_template(
        "tables/flags/flag.html",
        circle=g.browser.circle,
        target=target,
        table=target.table,
        form=form,
        recorded=recorded,
    )


@blueprint.post("/circles/<name>/flags/<int:number>/resolve")
def resolve(name: str, number: int) -> Response:
    """Resolve a flag."""
    browser = access.get_circle_or_404(name, SCORE)
    flag = flags.find_numbered(browser.circle, number)
    if flag is None:
        abort(404)
    require_shown(flag)
    flags.resolve(browser.circle, number, browser)
    return redirect(url_for("flags.show", name=name), 303)


@blueprint.app_template_global()
def open_flags(circle: Circle, scope: Scope | None = None, settlement: Settlement | None = None) -> list[FlagRow]:
    """List the open flags on what a settle page contains."""
    return flags.open_flags(circle, scope or Scope(), settlement)


@blueprint.app_template_global()
def flags_at(table: TableState) -> TableFlags:
    """Return which deals of a table are flagged, read once per request."""
    read: dict[int, TableFlags] = g.setdefault("flags_at", {})
    if table.id not in read:
        read[table.id] = flags.flags_at(table)
    return read[table.id]


blueprint.app_template_global()(flags.flags_on_deal)
