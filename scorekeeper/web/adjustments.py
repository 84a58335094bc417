"""Telling an adjustment: what the players agree on outside a deal."""

from __future__ import annotations

from flask import render_template

from ..book import Recorded, Refused, Stale
from .forms import AdjustmentForm
from .telling import Answer, Telling, is_sent_by_script, to_the_table, told_to_a_script, write_told


def tell(telling: Telling) -> Answer:
    form = AdjustmentForm()
    if not form.is_submitted():
        _fill(form, telling)
        return _adjustment_page(telling, form)
    result = write_told(telling, form, telling.change(form.facts()))
    if is_sent_by_script():
        return told_to_a_script(result, telling)
    if isinstance(result, Recorded):
        return to_the_table(result)
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
