"""Telling a deal: the pad, its working, recording; amending, withdrawing, restoring and inserting deals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flask import Blueprint, abort, jsonify, render_template, request
from werkzeug.wrappers import Response

from .. import book, history
from ..book import SCORE, Foreseen, Recorded, Refused, Stale
from ..history import Change
from ..scoring.layout import Pad, lay_out, taps_of
from ..scoring.remarks import Remark
from . import access, adjustments
from . import table as table_pages
from .forms import PadForm, WriteForm
from .telling import Answer, Telling, is_sent_by_script, telling_of, to_the_table, told_to_a_script, write_told

blueprint = Blueprint("deals", __name__, url_prefix="/tables/<token>/deals")


@blueprint.route("/new", methods=["GET", "POST"])
def new(token: str) -> Answer:
    return _tell(telling_of(token, history.RECORD))


@blueprint.route("/<int:deal_id>/amend", methods=["GET", "POST"])
def amend(token: str, deal_id: int) -> Answer:
    telling = telling_of(token, history.AMEND, deal_id)
    if telling.deal is not None and "adjustment" in (telling.deal.last_body or {}):
        return adjustments.tell(telling)
    return _tell(telling)


@blueprint.route("/<int:deal_id>/insert", methods=["GET", "POST"])
def insert(token: str, deal_id: int) -> Answer:
    return _tell(telling_of(token, history.INSERT, deal_id))


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


@blueprint.route("/adjustment", methods=["GET", "POST"])
def adjustment(token: str) -> Answer:
    return adjustments.tell(telling_of(token, history.RECORD))


# --- the pad -----------------------------------------------------------------------------------------------


def _tell(telling: Telling) -> Answer:
    game = telling.table.game
    form = PadForm()
    if not form.is_submitted():
        known = telling.recorded or _known_beforehand(telling)
        taps = taps_of(game, telling.standing, known) if known else {}
        return _pad_page(telling, form, _pad(telling, taps, telling.dealer), telling.dealer)
    telling = telling.as_seen(form.has_seen)
    dealer = form.dealer.data if form.dealer.data in telling.standing.players else telling.dealer
    pad = _pad(telling, form.taps, dealer)
    doing = request.form.get("do", "record")
    if doing == "misdeal":
        return _record(telling, form, pad, dealer, {"misdeal": True})
    if doing == "announce":
        return _announce(telling, form, pad)
    if doing == "preview":
        return _preview(telling, pad, dealer)
    if pad.unanswered:
        if is_sent_by_script():
            return jsonify(refused=render_template("_refused.html", remarks=[], unanswered=len(pad.unanswered))), 422
        remarks = tuple(Remark(group.name, "tap-one") for group in pad.unanswered)
        return _pad_page(telling, form, pad, dealer, remarks), 422
    if doing == "check":
        outcome = _foresee(telling, pad, dealer)
        remarks = outcome.remarks if isinstance(outcome, Refused) and outcome.is_own else ()
        return _pad_page(telling, form, pad, dealer, remarks, outcome=outcome)
    return _record(telling, form, pad, dealer, pad.facts)


def _known_beforehand(telling: Telling) -> dict[str, Any]:
    """What was announced of the deal; or, where that is asked for, what was announced of the last one once more."""
    if telling.kind != history.RECORD:
        return {}
    if "again" in request.args:
        return telling.table.last_announcement or {}
    return telling.table.announced or {}


def _announce(telling: Telling, form: WriteForm, pad: Pad) -> Answer:
    """Keep what the taps say of the contract and the like; the rest is told when the deal has been played."""
    facts = {key: value for key, value in pad.facts.items() if key in telling.table.game.announced}
    result = write_told(telling, form, Change(history.ANNOUNCE, body=facts))
    return _answer(result, telling, form, pad, telling.dealer)


@blueprint.post("/announced/withdraw")
def withdraw_announcement(token: str) -> Answer:
    table = access.table_or_not_yours(token, SCORE)
    return table_pages.answer(table_pages.write(table, Change(history.ANNOUNCE)), table)


def _pad(telling: Telling, taps: Mapping[str, str], dealer: str) -> Pad:
    """The pad as it is for who deals: the others stand in order of turn from him."""
    standing = telling.standing
    if dealer != standing.dealer:
        standing = replace(standing, dealer=dealer)
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
    return _answer(write_told(telling, form, change), telling, form, pad, dealer)


def _answer(result: Recorded | Stale | Refused, telling: Telling, form: WriteForm, pad: Pad, dealer: str) -> Answer:
    """The table where it was recorded; else the pad with all its taps, and what stands in the way."""
    if is_sent_by_script():
        return told_to_a_script(result, telling)
    if isinstance(result, Recorded):
        return to_the_table(result)
    if isinstance(result, Stale):
        now = telling.at(result.table)
        dealer = now.dealer if dealer == telling.dealer else dealer
        return _pad_page(now, form, _pad(now, pad.taps, dealer), dealer, stale=result), 409
    own = result.remarks if result.is_own else ()
    return _pad_page(telling, form, pad, dealer, own, outcome=result), 422


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
