"""Entering a deal: the pad, its preview and recording; amending, withdrawing, restoring and inserting deals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, abort, g, jsonify, redirect, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from ...models import SCORE
from ...scoring.pad_state import Pad, build_pad, taps_for
from ...scoring.problems import Problem
from ...scoring.standing import SUBSTITUTION
from ...services.outcome import Stale
from ...services.tables.table import NotWritten, Preview, Refused, WriteResult, preview
from ...tables import revisions
from ...tables.corrections import build_withdrawals, find_later_changes, find_way_out, order_changes
from ...tables.revisions import Change, RevisionRow
from ..support import access
from ..support.forms import WriteForm, read_choice
from ..support.pads import pad_shape
from .changes import find_shown_change
from .deal_draft import DealDraft, build_later_address, load_draft, takes_adjustments
from .forms import PadForm
from .recap import is_paid_deal_corrected, list_due_since_paid
from .substitutions import edit_substitution
from .writes import (
    NEXT,
    edit_adjustment,
    is_sent_by_script,
    respond,
    submit,
    submit_button,
    submit_together,
    submit_with_kept,
)

blueprint = Blueprint("deals", __name__, url_prefix="/tables/<token>/deals")
blueprint.app_template_global()(takes_adjustments)
blueprint.app_template_global()(list_due_since_paid)

ZEROS = "zeros"  # the value of the button that enters 0 for every number that is still needed
REMOVE = "remove"  # the value of the button that records a deal and withdraws the later ones in its way
LATER = "later"  # the value of the button that leads to the pad or the form of the later row in its way


@blueprint.route("/new", methods=["GET", "POST"])
def new(token: str) -> ResponseReturnValue:
    """Show the pad of the next deal, or record it."""
    return _edit_deal(load_draft(token, revisions.RECORD, guests=True))


@blueprint.route("/<int:deal_id>/amend", methods=["GET", "POST"])
def amend(token: str, deal_id: int) -> ResponseReturnValue:
    """Amend a deal, an adjustment or a substitution."""
    draft = load_draft(token, revisions.AMEND, deal_id, guests=True)
    facts = (draft.deal and draft.deal.last_body) or {}
    if access.is_guest() and ("adjustment" in facts or SUBSTITUTION in facts):
        abort(404)  # those are the director's
    if "adjustment" in facts:
        return edit_adjustment(draft)
    return edit_substitution(draft) if SUBSTITUTION in facts else _edit_deal(draft)


@blueprint.route("/<int:deal_id>/insert", methods=["GET", "POST"])
def insert(token: str, deal_id: int) -> ResponseReturnValue:
    """Insert a forgotten deal before another."""
    return _edit_deal(load_draft(token, revisions.INSERT, deal_id, guests=True))


@blueprint.route("/adjustment", methods=["GET", "POST"])
def adjustment(token: str) -> ResponseReturnValue:
    """Show the form of a new adjustment, or record it."""
    return edit_adjustment(load_draft(token, revisions.RECORD, is_adjustment=True))


@blueprint.route("/substitution", methods=["GET", "POST"])
def substitution(token: str) -> ResponseReturnValue:
    """Show the form of a new substitution, or record it."""
    return edit_substitution(load_draft(token, revisions.RECORD))


@blueprint.route("/<int:deal_id>/substitution", methods=["GET", "POST"])
def insert_substitution(token: str, deal_id: int) -> ResponseReturnValue:
    """Insert a substitution before a deal."""
    return edit_substitution(load_draft(token, revisions.INSERT, deal_id))


@blueprint.get("/<int:deal_id>")
def show(token: str, deal_id: int) -> str:
    """Show a deal with its entries and every revision of it, and what removing or restoring it would do."""
    table = access.get_table_or_404(token, guests=True)
    scored = table.scored_deal(deal_id)
    if scored is None:
        abort(404)
    kind = revisions.WITHDRAW if scored.row is not None else revisions.RESTORE
    body = scored.deal.last_body if kind == revisions.RESTORE else None
    outcome = None if table.is_closed else preview(table, Change(kind, deal_id, body=body))
    return render_template(
        "tables/history/deal.html",
        table=table,
        scored=scored,
        form=WriteForm(seen=table.mark),
        outcome=outcome,
        later=find_later_changes(table, outcome.table) if isinstance(outcome, Preview) else None,
        is_paid=isinstance(outcome, Preview) and is_paid_deal_corrected(table, outcome.table),
    )


@blueprint.post("/<int:deal_id>/withdraw")
def withdraw(token: str, deal_id: int) -> ResponseReturnValue:
    """Withdraw a deal: it stays on record and counts for nothing."""
    table = access.get_table_or_404(token, SCORE, guests=True)
    if table.deal(deal_id) is None:
        abort(404)
    return submit_button(table, Change(revisions.WITHDRAW, deal_id))


@blueprint.post("/<int:deal_id>/restore")
def restore(token: str, deal_id: int) -> ResponseReturnValue:
    """Restore a withdrawn deal with its last facts."""
    table = access.get_table_or_404(token, SCORE, guests=True)
    deal = table.deal(deal_id)
    if deal is None:
        abort(404)
    return submit_button(table, Change(revisions.RESTORE, deal_id, body=deal.last_body))


@blueprint.post("/announced/withdraw")
def withdraw_announcement(token: str) -> ResponseReturnValue:
    """Withdraw the announcement of the next deal."""
    table = access.get_table_or_404(token, SCORE, guests=True)
    return submit_button(table, Change(revisions.ANNOUNCE))


# --- the pad -----------------------------------------------------------------------------------------------


def _edit_deal(draft: DealDraft) -> ResponseReturnValue:
    """Show the pad of a deal, or do what its submitted form asks."""
    form = PadForm()
    if form.is_submitted():
        return _submit_pad(draft.at_version(form.version_in(draft.latest)), form)
    facts = draft.recorded_facts or _announced_facts(draft)
    taps = taps_for(draft.table.game, draft.standing, facts) if facts else {}
    return _render_pad(draft, form, draft.build_pad(taps, draft.dealer), draft.dealer)


def _announced_facts(draft: DealDraft) -> dict[str, Any]:
    """Return what was announced of the new deal; with `?again`, the last deal's announcement."""
    if draft.kind != revisions.RECORD:
        return {}
    if "again" in request.args:
        return draft.announcement_to_repeat or {}
    return draft.table.announced or {}


def _submit_pad(draft: DealDraft, form: PadForm) -> ResponseReturnValue:
    """Preview, check, announce or record the deal, as the button `do` says; `next` and no button record it."""
    action = read_choice("do", "record", NEXT, "check", "preview", "announce", "misdeal", ZEROS, REMOVE, LATER)
    pad, dealer = _read_pad(draft, form)
    if action == "preview":
        return _preview(draft, pad, dealer)
    if action == ZEROS:
        return _render_pad(draft, form, draft.build_pad({**pad.taps, **pad.mistyped, **pad.zeros}, dealer), dealer)
    if action == "announce":
        facts = {key: value for key, value in pad.facts.items() if key in draft.table.game.announced}
        change = Change(revisions.ANNOUNCE, body=draft.to_chairs(facts))
        return _respond(submit(draft.latest, change, form), change, draft, form, pad, draft.dealer)
    if action == "misdeal":
        change = draft.change({"misdeal": True}, dealer)
        return _respond(submit(draft.latest, change, form), change, draft, form, pad, dealer)
    if pad.unanswered:
        return _refuse_incomplete(draft, form, pad, dealer)
    change = draft.change(pad.facts, dealer)
    if action in ("check", LATER):
        outcome = preview(draft.table, *draft.kept, change)
        if action == LATER and isinstance(outcome, Refused) and not outcome.is_own:
            return _lead_to_later(draft, form, pad, dealer)
        return _render_pad(draft, form, pad, dealer, _own_problems(outcome), outcome=outcome)
    if action == REMOVE:
        return _record_and_remove(draft, form, pad, dealer)
    theirs = _find_their_same_deal(draft, change, form)
    result: WriteResult = Stale([theirs]) if theirs is not None else submit_with_kept(draft, change, form)
    return _respond(result, change, draft, form, pad, dealer)


def _lead_to_later(draft: DealDraft, form: PadForm, pad: Pad, dealer: str) -> ResponseReturnValue:
    """Lead to the page of the later row in the way, where what was tapped here is kept; nothing is recorded yet."""
    change = draft.change(pad.facts, dealer)
    way_out = find_way_out(draft.table, *draft.kept, change)
    if draft.table is not draft.latest or way_out is None:
        return _respond(submit_with_kept(draft, change, form), change, draft, form, pad, dealer)
    return redirect(build_later_address(draft, pad, dealer, way_out.deal), 303)


def _record_and_remove(draft: DealDraft, form: PadForm, pad: Pad, dealer: str) -> ResponseReturnValue:
    """Record the deal and withdraw the later ones that the button named, if these are still the ones in its way."""
    change = draft.change(pad.facts, dealer)
    changes = [*draft.kept, change]
    way_out = find_way_out(draft.table, *changes)
    if way_out is None or not way_out.removed or form.removed_deals != way_out.removed:
        return _respond(submit_with_kept(draft, change, form), change, draft, form, pad, dealer)
    steps = [
        *build_withdrawals(draft.table, way_out.removed),
        *order_changes(draft.table, changes, way_out.removed),
    ]
    return _respond(submit_together(draft.latest, steps, form), change, draft, form, pad, dealer)


def _read_pad(draft: DealDraft, form: PadForm) -> tuple[Pad, str]:
    """Return the pad with the taps, and the dealer: those who sit now on the chairs of those whom the page showed."""
    shown = draft.at_version(form.shown_in(draft.latest))
    if draft.standing.players == shown.standing.players:
        dealer = form.dealer.data if form.dealer.data in draft.standing.players else draft.dealer
        return draft.build_pad(form.taps, dealer), dealer
    dealer = form.dealer.data if form.dealer.data in shown.standing.players else shown.dealer
    pad = shown.build_pad(form.taps, dealer)
    return _move_pad(pad, shown, draft), draft.of_chair(shown.chair_of(dealer)) if form.dealer.data else draft.dealer


def _move_pad(pad: Pad, shown: DealDraft, draft: DealDraft) -> Pad:
    """Return a pad as it is when others sit on the chairs of those whom it names."""
    game, facts = draft.table.game, draft.from_chairs(shown.to_chairs(pad.facts))
    parts = {group.name: pad.taps[group.name] for group in pad.groups if group.is_additive and group.name in pad.taps}
    return build_pad(game, draft.standing, taps_for(game, draft.standing, facts) | parts, facts)


def _preview(draft: DealDraft, pad: Pad, dealer: str) -> Response:
    """Return a preview to the page's script.

    JSON keys: `working`, the entries as HTML; `withheld`, cells that are no longer possible; `worked_out`, cells that
    follow from the taps. A cell is "group=choice". If the page shows other groups, also `groups`, as HTML; `shape`
    is the mark of these, which the page sends.
    """
    outcome = _outcome_so_far(draft, pad, dealer)
    later = _later_variables(draft, pad, dealer, outcome)
    answer = {
        "working": render_template("tables/_preview.html", **_pad_variables(draft, pad), outcome=outcome, **later),
        "withheld": sorted(f"{group}={choice}" for group, choice in pad.ruled_out),
        "worked_out": [f"{group}={choice}" for group, choice in pad.derived.items()],
    }
    shape = pad_shape(pad)
    if request.form.get("shape", shape) != shape:
        groups = render_template("tables/_groups.html", **_pad_variables(draft, pad), dealer=dealer, problems=())
        answer |= {"shape": shape, "groups": groups}
    return jsonify(answer)


def _pad_variables(draft: DealDraft, pad: Pad) -> dict[str, Any]:
    """Return what the templates of a pad's parts use."""
    return {"draft": draft, "table": draft.table, "standing": draft.standing, "pad": pad}


def _outcome_so_far(draft: DealDraft, pad: Pad, dealer: str) -> Preview | Refused | None:
    """Return what the deal on the pad would change; None if a group is not answered yet."""
    return None if pad.unanswered else preview(draft.table, *draft.kept, draft.change(pad.facts, dealer))


def _later_variables(draft: DealDraft, pad: Pad, dealer: str, outcome: Preview | Refused | None) -> dict[str, Any]:
    """Return what becomes of other facts than the deal on the pad, as variables of a template.

    They are `later`, `way_out`, and `is_paid`: something that was paid for changes.
    """
    later = way_out = None
    is_paid = False
    if isinstance(outcome, Preview) and draft.kind != revisions.RECORD:
        later = find_later_changes(draft.table, outcome.table)
        is_paid = is_paid_deal_corrected(draft.table, outcome.table)
    elif isinstance(outcome, Refused) and not outcome.is_own:
        way_out = find_way_out(draft.table, *draft.kept, draft.change(pad.facts, dealer))
    return {"later": later, "way_out": way_out, "is_paid": is_paid}


def _refuse_incomplete(draft: DealDraft, form: WriteForm, pad: Pad, dealer: str) -> ResponseReturnValue:
    """Refuse a deal with groups that are not answered."""
    if is_sent_by_script():
        variables = _pad_variables(draft, pad)
        notice = render_template("tables/_refused.html", **variables, problems=pad.problems_of_typing)
        return jsonify(refused=notice), 422
    return _render_pad(draft, form, pad, dealer, pad.problems_of_unanswered), 422


def _respond(
    result: WriteResult, change: Change, draft: DealDraft, form: WriteForm, pad: Pad, dealer: str
) -> ResponseReturnValue:
    """Redirect to the page that follows if the write succeeded; else show the pad with its taps and the reason."""

    def render(current: DealDraft, notice: NotWritten) -> str:
        if isinstance(notice, Refused):
            return _render_pad(current, form, pad, dealer, _own_problems(notice), outcome=notice)
        new_dealer = current.dealer if dealer == draft.dealer else current.of_chair(draft.chair_of(dealer))
        is_same = current.standing.players == draft.standing.players
        new_pad = current.build_pad(pad.taps, new_dealer) if is_same else _move_pad(pad, draft, current)
        same_deal = _find_same_deal(change, notice)
        return _render_pad(current, form, new_pad, new_dealer, stale=notice, same_deal=same_deal)

    return respond(result, draft, render)


def _find_same_deal(change: Change, stale: Stale[Sequence[RevisionRow]]) -> int | None:
    """Return the new deal that somebody else has recorded meanwhile with the same facts; None if there is none."""
    recorded = (row for row in stale.current if row.kind == change.kind == revisions.RECORD)
    return next((row.deal for row in recorded if row.body == change.body), None)


def _find_their_same_deal(draft: DealDraft, change: Change, form: PadForm) -> RevisionRow | None:
    """Return the last deal if another phone has recorded it and these are its facts again.

    It is None if the pad has asked before, and for an entry that is recorded already and sent again.
    """
    rows = draft.latest.revisions if draft.table is draft.latest else []
    if not rows or (last := rows[-1]).browser_id == g.browser.id or "another" in request.form:
        return None
    if any(row.entry_key == form.key.data for row in rows):
        return None
    return last if last.kind == change.kind == revisions.RECORD and last.body == change.body else None


def _own_problems(outcome: Preview | Refused) -> tuple[Problem, ...]:
    """Return the problems of the deal on the pad, which are shown at its groups; none of a later deal's."""
    return outcome.problems if isinstance(outcome, Refused) and outcome.is_own else ()


def _render_pad(
    draft: DealDraft,
    form: WriteForm,
    pad: Pad,
    dealer: str,
    problems: tuple[Problem, ...] = (),
    *,
    outcome: Preview | Refused | None = None,
    stale: Stale[Sequence[RevisionRow]] | None = None,
    same_deal: int | None = None,
) -> str:
    form.set_seen(draft.table.mark, stale.current if stale is not None else ())
    form.shown.data = form.seen.data
    if outcome is None and pad.taps:
        outcome = _outcome_so_far(draft, pad, dealer)
    shown = find_shown_change(draft.table)
    return render_template(
        "tables/deal.html",
        **_pad_variables(draft, pad),
        form=form,
        dealer=dealer,
        problems=problems,
        outcome=outcome,
        stale=stale,
        same_deal=same_deal,
        change=shown,
        recorded=draft.table.scored_deal(shown.deal or 0) if shown and shown.kind == revisions.RECORD else None,
        **_later_variables(draft, pad, dealer, outcome),
    )
