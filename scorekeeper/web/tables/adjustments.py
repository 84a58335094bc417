"""The form for an adjustment: points or counters the players agree on outside a deal."""

from __future__ import annotations

from flask import render_template

from ...scoring.problems import refuse
from ...services import Recorded, Refused, Stale
from ..support.forms import AdjustmentForm
from .deal_writes import Answer, Telling, is_sent_by_script, look_again, to_the_table, told_to_a_script, write_told


def tell(telling: Telling) -> Answer:
    form = AdjustmentForm()
    if not form.is_submitted():
        _fill(form, telling)
        return _adjustment_page(telling, form)
    unclear = form.unclear
    if unclear is not None:
        result: Recorded | Stale | Refused = Refused(refuse(None, [unclear]), None, True)
    else:
        result = write_told(telling, form, telling.change(form.facts()))
    if is_sent_by_script():
        return told_to_a_script(result, telling)
    if isinstance(result, Recorded):
        return to_the_table(result)
    if isinstance(result, Stale):
        return _adjustment_page(look_again(telling), form, stale=result), 409
    return _adjustment_page(telling, form, outcome=result), 422


def _fill(form: AdjustmentForm, telling: Telling) -> None:
    """Fill the form with the recorded adjustment that is to be amended, if any."""
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
    form.see(telling.table.seen, stale.since if stale is not None else ())
    return render_template(
        "tables/adjustment.html", table=telling.table, telling=telling, form=form, outcome=outcome, stale=stale
    )
