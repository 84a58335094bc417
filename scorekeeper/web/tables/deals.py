"""Entering a deal: the pad, its preview and recording; amending, withdrawing, restoring and inserting deals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flask import Blueprint, abort, jsonify, render_template, request
from werkzeug.wrappers import Response

from ... import services
from ...scoring.pad_state import Pad, build_pad, taps_for
from ...scoring.problems import Problem
from ...services import SCORE, Preview, Recorded, Refused, Stale
from ...tables import revisions
from ...tables.revisions import Change
from ..support import access
from ..support.forms import PadForm, WriteForm
from . import adjustments
from . import table as table_pages
from .deal_writes import (
    Answer,
    Telling,
    is_sent_by_script,
    look_again,
    telling_of,
    to_the_table,
    told_to_a_script,
    write_told,
)

blueprint = Blueprint("deals", __name__, url_prefix="/tables/<token>/deals")


@blueprint.route("/new", methods=["GET", "POST"])
def new(token: str) -> Answer:
    """Show the pad of the next deal, or record it."""
    return _tell(telling_of(token, revisions.RECORD))


@blueprint.route("/<int:deal_id>/amend", methods=["GET", "POST"])
def amend(token: str, deal_id: int) -> Answer:
    """Amend a deal or an adjustment."""
    telling = telling_of(token, revisions.AMEND, deal_id)
    if telling.deal is not None and "adjustment" in (telling.deal.last_body or {}):
        return adjustments.tell(telling)
    return _tell(telling)


@blueprint.route("/<int:deal_id>/insert", methods=["GET", "POST"])
def insert(token: str, deal_id: int) -> Answer:
    """Insert a forgotten deal before another."""
    return _tell(telling_of(token, revisions.INSERT, deal_id))


@blueprint.get("/<int:deal_id>")
def show(token: str, deal_id: int) -> str:
    """Show a deal with its entries and every revision of it."""
    table = access.get_table_or_404(token)
    played = next((played for played in table.played if played.deal.id == deal_id), None)
    if played is None:
        abort(404)
    return render_template("tables/history/deal.html", table=table, played=played, form=WriteForm(seen=table.seen))


@blueprint.post("/<int:deal_id>/withdraw")
def withdraw(token: str, deal_id: int) -> Answer:
    """Withdraw a deal: it stays on record and counts for nothing."""
    return _one_tap(token, deal_id, revisions.WITHDRAW)


@blueprint.post("/<int:deal_id>/restore")
def restore(token: str, deal_id: int) -> Answer:
    """Restore a withdrawn deal with its last facts."""
    return _one_tap(token, deal_id, revisions.RESTORE)


def _one_tap(token: str, deal_id: int, kind: str) -> Answer:
    table = access.get_table_or_404(token, SCORE)
    deal = table.deal(deal_id)
    if deal is None:
        abort(404)
    body = deal.last_body if kind == revisions.RESTORE else None
    return table_pages.answer(table_pages.write(table, Change(kind, deal_id, body=body)), table)


@blueprint.route("/adjustment", methods=["GET", "POST"])
def adjustment(token: str) -> Answer:
    """Show the form of a new adjustment, or record it."""
    return adjustments.tell(telling_of(token, revisions.RECORD))


# --- the pad -----------------------------------------------------------------------------------------------


def _tell(telling: Telling) -> Answer:
    game = telling.table.game
    form = PadForm()
    if not form.is_submitted():
        known = telling.recorded or _known_beforehand(telling)
        taps = taps_for(game, telling.standing, known) if known else {}
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
            return jsonify(
                refused=render_template("tables/_refused.html", problems=[], unanswered=len(pad.unanswered))
            ), 422
        problems = tuple(Problem(group.name, "tap-one") for group in pad.unanswered)
        return _pad_page(telling, form, pad, dealer, problems), 422
    if doing == "check":
        outcome = _foresee(telling, pad, dealer)
        problems = outcome.problems if isinstance(outcome, Refused) and outcome.is_own else ()
        return _pad_page(telling, form, pad, dealer, problems, outcome=outcome)
    return _record(telling, form, pad, dealer, pad.facts)


def _known_beforehand(telling: Telling) -> dict[str, Any]:
    """What was announced of the deal; or, where that is asked for, what was announced of the last one once more."""
    if telling.kind != revisions.RECORD:
        return {}
    if "again" in request.args:
        return telling.table.last_announcement or {}
    return telling.table.announced or {}


def _announce(telling: Telling, form: WriteForm, pad: Pad) -> Answer:
    """Store the facts that are settled before the deal is played, such as the contract."""
    facts = {key: value for key, value in pad.facts.items() if key in telling.table.game.announced}
    result = write_told(telling, form, Change(revisions.ANNOUNCE, body=facts))
    return _answer(result, telling, form, pad, telling.dealer)


@blueprint.post("/announced/withdraw")
def withdraw_announcement(token: str) -> Answer:
    """Withdraw the announcement of the next deal."""
    table = access.get_table_or_404(token, SCORE)
    return table_pages.answer(table_pages.write(table, Change(revisions.ANNOUNCE)), table)


def _pad(telling: Telling, taps: Mapping[str, str], dealer: str) -> Pad:
    """Build the pad, its players in order of turn from the dealer."""
    standing = telling.standing
    if dealer != standing.dealer:
        standing = replace(standing, dealer=dealer)
    return build_pad(telling.table.game, standing, taps, telling.recorded)


def _body(telling: Telling, dealer: str, facts: dict[str, Any]) -> dict[str, Any]:
    """Return the facts to store; a dealer out of turn is stored with them."""
    return facts if dealer == telling.standing.dealer else {"dealer": dealer} | facts


def _foresee(telling: Telling, pad: Pad, dealer: str) -> Preview | Refused:
    return services.preview(telling.table, telling.change(_body(telling, dealer, pad.facts)))


def _preview(telling: Telling, pad: Pad, dealer: str) -> Response:
    """Return a preview to the page's script.

    JSON keys: `working`, the entries as HTML; `withheld`, cells that are no longer possible; `worked_out`, cells that
    follow from the taps. A cell is "group=choice".
    """
    outcome = None if pad.unanswered else _foresee(telling, pad, dealer)
    working = render_template("tables/_preview.html", table=telling.table, telling=telling, pad=pad, outcome=outcome)
    return jsonify(
        working=working,
        withheld=sorted(f"{group}={choice}" for group, choice in pad.ruled_out),
        worked_out=[f"{group}={choice}" for group, choice in pad.derived.items()],
    )


def _record(telling: Telling, form: WriteForm, pad: Pad, dealer: str, facts: dict[str, Any]) -> Answer:
    change = telling.change(_body(telling, dealer, facts))
    return _answer(write_told(telling, form, change), telling, form, pad, dealer)


def _answer(result: Recorded | Stale | Refused, telling: Telling, form: WriteForm, pad: Pad, dealer: str) -> Answer:
    """Redirect to the table if the write succeeded; else show the pad with its taps and the reason."""
    if is_sent_by_script():
        return told_to_a_script(result, telling)
    if isinstance(result, Recorded):
        return to_the_table(result)
    if isinstance(result, Stale):
        now = look_again(telling)
        dealer = now.dealer if dealer == telling.dealer else dealer
        return _pad_page(now, form, _pad(now, pad.taps, dealer), dealer, stale=result), 409
    own = result.problems if result.is_own else ()
    return _pad_page(telling, form, pad, dealer, own, outcome=result), 422


def _pad_page(
    telling: Telling,
    form: WriteForm,
    pad: Pad,
    dealer: str,
    problems: tuple[Problem, ...] = (),
    *,
    outcome: Preview | Refused | None = None,
    stale: Stale | None = None,
) -> str:
    form.see(telling.table.seen, stale.since if stale is not None else ())  # all, now that the page is shown
    return render_template(
        "tables/deal.html",
        table=telling.table,
        telling=telling,
        form=form,
        pad=pad,
        dealer=dealer,
        problems=problems,
        outcome=outcome,
        stale=stale,
    )
