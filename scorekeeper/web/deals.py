"""Telling a deal: the pad, its working, recording; amending, withdrawing, restoring and inserting deals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from flask import Blueprint, abort, g, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from .. import book, history
from ..book import SCORE, Entry, Foreseen, Recorded, Refused, Stale
from ..history import Change, KeptDeal
from ..scoring.layout import Pad, lay_out, taps_of
from ..scoring.remarks import Remark
from ..scoring.standing import Standing
from ..table import Open
from . import access
from . import table as table_pages
from .forms import AdjustmentForm, WriteForm, pad_form

blueprint = Blueprint("deals", __name__, url_prefix="/tables/<token>/deals")

Answer = str | Response | tuple[str, int] | tuple[Response, int]


@dataclass(frozen=True)
class Telling:
    """What is being told: a new deal, one put in before another, or one that is amended."""

    latest: Open  # the table as it is
    table: Open  # the table as the page showed it
    kind: str
    standing: Standing  # in which the deal is played
    deal: KeptDeal | None = None
    before: KeptDeal | None = None

    def change(self, body: dict[str, Any]) -> Change:
        deal = self.deal.id if self.deal is not None else None
        before = self.before.id if self.before is not None else None
        return Change(self.kind, deal, before, body)

    @property
    def number(self) -> int:
        """Which deal it is, as the sheet counts them."""
        return len(self.standing.rows) + 1

    @property
    def recorded(self) -> dict[str, Any]:
        body = (self.deal and self.deal.last_body) or {}
        return {key: value for key, value in body.items() if key not in ("dealer", "misdeal", "adjustment")}

    @property
    def dealer(self) -> str:
        """Who dealt, or whose turn it is to deal."""
        return str(((self.deal and self.deal.last_body) or {}).get("dealer", self.standing.dealer))

    def at(self, table: Open) -> Telling:
        """The same, told to the table as it stands there."""
        place = self.deal or self.before
        standing = table.before(place.id) if place is not None else table.standing
        return replace(self, table=table, standing=standing)

    def as_seen(self, seen: int) -> Telling:
        """The same, told to the table as its page showed it."""
        table = self.latest.as_seen(seen)
        return self if table is self.latest else self.at(table)


def _telling(token: str, kind: str, deal_id: int | None = None) -> Telling:
    table = access.table_or_not_yours(token, SCORE)
    if deal_id is None:
        return Telling(table, table, kind, table.standing)
    deal = table.deal(deal_id)
    if deal is None:
        abort(404)
    standing = table.before(deal_id)
    return Telling(table, table, kind, standing, **{"deal" if kind == history.AMEND else "before": deal})


@blueprint.route("/new", methods=["GET", "POST"])
def new(token: str) -> Answer:
    return _tell(_telling(token, history.RECORD))


@blueprint.route("/<int:deal_id>/amend", methods=["GET", "POST"])
def amend(token: str, deal_id: int) -> Answer:
    telling = _telling(token, history.AMEND, deal_id)
    if telling.deal is not None and "adjustment" in (telling.deal.last_body or {}):
        return _tell_adjustment(telling)
    return _tell(telling)


@blueprint.route("/<int:deal_id>/insert", methods=["GET", "POST"])
def insert(token: str, deal_id: int) -> Answer:
    return _tell(_telling(token, history.INSERT, deal_id))


@blueprint.get("/<int:deal_id>")
def show(token: str, deal_id: int) -> str:
    table = access.table_or_not_yours(token)
    played = next((played for played in table.played if played.deal.id == deal_id), None)
    if played is None:
        abort(404)
    return render_template("history/deal.html", table=table, played=played, form=WriteForm(seen=table.seen))


@blueprint.post("/<int:deal_id>/withdraw")
def withdraw(token: str, deal_id: int) -> Answer:
    return _one_tap(token, deal_id, history.WITHDRAW)


@blueprint.post("/<int:deal_id>/restore")
def restore(token: str, deal_id: int) -> Answer:
    return _one_tap(token, deal_id, history.RESTORE)


def _one_tap(token: str, deal_id: int, kind: str) -> Answer:
    table = access.table_or_not_yours(token, SCORE)
    deal = table.deal(deal_id)
    if deal is None:
        abort(404)
    body = deal.last_body if kind == history.RESTORE else None
    return table_pages.answer(table_pages.write(table, Change(kind, deal_id, body=body)), table)


# --- the pad -----------------------------------------------------------------------------------------------


def _tell(telling: Telling) -> Answer:
    game = telling.table.game
    form = pad_form(game.pad(telling.standing, {}))()
    if not form.is_submitted():
        taps = taps_of(game, telling.standing, telling.recorded) if telling.recorded else {}
        return _pad_page(telling, form, _pad(telling, taps, telling.dealer), telling.dealer)
    telling = telling.as_seen(form.has_seen)
    dealer = form.dealer.data if form.dealer.data in telling.table.names else telling.dealer
    taps = {group.name: form[group.name].data for group in game.pad(telling.standing, {}) if form[group.name].data}
    pad = _pad(telling, taps, dealer)
    doing = request.form.get("do", "record")
    if doing == "misdeal":
        return _record(telling, form, pad, dealer, {"misdeal": True})
    if doing == "preview":
        return _preview(telling, pad, dealer)
    if pad.unanswered:
        if _is_sent_by_script():
            return jsonify(refused=render_template("_refused.html", remarks=[], unanswered=len(pad.unanswered))), 422
        remarks = tuple(Remark(group.name, "tap-one") for group in pad.unanswered)
        return _pad_page(telling, form, pad, dealer, remarks), 422
    if doing == "check":
        outcome = _foresee(telling, pad, dealer)
        remarks = outcome.remarks if isinstance(outcome, Refused) and outcome.is_own else ()
        return _pad_page(telling, form, pad, dealer, remarks, outcome=outcome)
    return _record(telling, form, pad, dealer, pad.facts)


def _pad(telling: Telling, taps: Mapping[str, str], dealer: str) -> Pad:
    """The pad as it is for who deals: the others stand in order of turn from him."""
    standing = replace(telling.standing, dealer=dealer)
    return lay_out(telling.table.game, standing, taps, telling.recorded)


def _body(telling: Telling, dealer: str, facts: dict[str, Any]) -> dict[str, Any]:
    return facts if dealer == telling.standing.dealer else {"dealer": dealer} | facts


def _foresee(telling: Telling, pad: Pad, dealer: str) -> Foreseen | Refused:
    return book.foresee(telling.table, telling.change(_body(telling, dealer, pad.facts)))


def _preview(telling: Telling, pad: Pad, dealer: str) -> Response:
    """For the page's script: the working as HTML, and which cells follow or can no longer be."""
    outcome = None if pad.unanswered else _foresee(telling, pad, dealer)
    working = render_template("_working.html", table=telling.table, telling=telling, pad=pad, outcome=outcome)
    return jsonify(
        working=working,
        withheld=sorted(f"{group}={choice}" for group, choice in pad.withheld),
        worked_out=[f"{group}={choice}" for group, choice in pad.worked_out.items()],
    )


def _record(telling: Telling, form: WriteForm, pad: Pad, dealer: str, facts: dict[str, Any]) -> Answer:
    change = telling.change(_body(telling, dealer, facts))
    result = _write(telling, form, change)
    if _is_sent_by_script():
        return _told_to_a_script(result, telling)
    if isinstance(result, Recorded):
        return _recorded(result)
    if isinstance(result, Stale):
        now = telling.at(result.table)
        dealer = now.dealer if dealer == telling.dealer else dealer
        return _pad_page(now, form, _pad(now, pad.taps, dealer), dealer, stale=result), 409
    own = result.remarks if result.is_own else ()
    return _pad_page(telling, form, pad, dealer, own, outcome=result), 422


def _write(telling: Telling, form: WriteForm, change: Change) -> Recorded | Stale | Refused:
    entry = Entry(change, form.has_seen, form.key.data or "")
    return book.write(telling.latest, entry, g.browser)


def _recorded(result: Recorded) -> Response:
    token = result.table.table.token
    return redirect(url_for("table.show", token=token, recorded=result.revision.deal), 303)


def _is_sent_by_script() -> bool:
    return request.accept_mimetypes.best == "application/json"


def _told_to_a_script(result: Recorded | Stale | Refused, telling: Telling) -> Answer:
    """What became of an entry, for the phone that keeps it until it is told."""
    if isinstance(result, Recorded):
        at = url_for("table.show", token=result.table.table.token, recorded=result.revision.deal)
        return jsonify(recorded=result.revision.deal, seen=result.revision.number, at=at)
    if isinstance(result, Stale):
        notice = render_template("_stale.html", table=result.table, stale=result)
        return jsonify(stale=notice, seen=result.table.seen), 409
    return jsonify(refused=render_template("_refused.html", table=telling.table, refused=result)), 422


def _pad_page(
    telling: Telling,
    form: WriteForm,
    pad: Pad,
    dealer: str,
    remarks: tuple[Remark, ...] = (),
    *,
    outcome: Foreseen | Refused | None = None,
    stale: Stale | None = None,
) -> str:
    form.seen.data = str(telling.table.seen)  # whoever is shown the page has now seen all
    return render_template(
        "deal.html",
        table=telling.table,
        telling=telling,
        form=form,
        pad=pad,
        dealer=dealer,
        remarks=remarks,
        outcome=outcome,
        stale=stale,
    )


# --- adjustments -------------------------------------------------------------------------------------------


@blueprint.route("/adjustment", methods=["GET", "POST"])
def adjustment(token: str) -> Answer:
    return _tell_adjustment(_telling(token, history.RECORD))


def _tell_adjustment(telling: Telling) -> Answer:
    form = AdjustmentForm()
    if not form.is_submitted():
        _fill(form, telling)
        return _adjustment_page(telling, form)
    result = _write(telling, form, telling.change(form.facts()))
    if _is_sent_by_script():
        return _told_to_a_script(result, telling)
    if isinstance(result, Recorded):
        return _recorded(result)
    if isinstance(result, Stale):
        return _adjustment_page(telling.at(result.table), form, stale=result), 409
    return _adjustment_page(telling, form, outcome=result), 422


def _fill(form: AdjustmentForm, telling: Telling) -> None:
    told = ((telling.deal and telling.deal.last_body) or {}).get("adjustment", {})
    unit = next((unit for unit in ("jetons", "fiches") if unit in told), None)
    form.kind.data = "counters" if unit else "points"
    form.giver.data, form.to.data = told.get("from"), told.get("to")
    form.unit.data = unit
    amount = told.get(unit or "points")
    form.amount.data = "" if amount is None else str(amount)
    form.reason.data = told.get("reason", "")


def _adjustment_page(
    telling: Telling,
    form: AdjustmentForm,
    *,
    outcome: Refused | None = None,
    stale: Stale | None = None,
) -> str:
    form.seen.data = str(telling.table.seen)
    return render_template(
        "adjustment.html", table=telling.table, telling=telling, form=form, outcome=outcome, stale=stale
    )
