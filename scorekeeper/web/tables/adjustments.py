"""The form for an adjustment: points or counters the players agree on outside a deal."""

from __future__ import annotations

from flask import render_template
from flask.typing import ResponseReturnValue

from ...exchange.sheets import reason_problems
from ...scoring.game import AnyGame
from ...scoring.problems import refuse
from ...services.outcome import Stale
from ...services.tables.table import NotWritten, Refused, WriteResult
from ..support.forms import read_choice
from .deal_draft import DealDraft
from .forms import COUNTERS, POINTS, AdjustmentForm
from .writes import notice_variables, respond, submit_with_kept


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
