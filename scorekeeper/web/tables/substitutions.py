"""The form for a substitution: who leaves a table, and who takes the seat."""

from __future__ import annotations

from flask import g, render_template
from flask.typing import ResponseReturnValue

from ...scoring.problems import Problem, refuse
from ...scoring.standing import SUBSTITUTION
from ...services.circles.players import read_ids_by_token
from ...services.outcome import Stale
from ...services.tables import substitutes
from ...services.tables.substitutes import Newcomer, SubstitutionRequest
from ...services.tables.table import NotWritten, Refused, WriteResult
from ..support.forms import read_key, read_meanings
from .deal_draft import DealDraft
from .forms import SubstitutionForm
from .writes import notice_variables, respond


def edit_substitution(draft: DealDraft) -> ResponseReturnValue:
    """Show the form of a new or an amended substitution, or write it."""
    form = SubstitutionForm()
    if not form.is_submitted():
        _fill(form, draft)
        return _render_form(draft, form)
    result = _write(draft, form)
    return respond(result, draft, lambda now, notice: _render_form(now, form, notice))


def _fill(form: SubstitutionForm, draft: DealDraft) -> None:
    """Fill the form with the recorded substitution that is to be amended, if any."""
    recorded = draft.last_facts.get(SUBSTITUTION, {})
    form.out.data = recorded.get("out")
    seats = (seat for seat in draft.table.stored.seats if seat.seat == recorded.get("in"))
    form.newcomer.data = next((seat.player.person.token for seat in seats), None)


def _write(draft: DealDraft, form: SubstitutionForm) -> WriteResult:
    """Write the substitution; who leaves sat where the page showed them."""
    players = draft.at_version(form.version_in(draft.latest)).standing.players
    if form.out.data not in players:
        return Refused(refuse(None, [Problem(f"{SUBSTITUTION}.out", "nobody-leaves")]), None, True)
    request = SubstitutionRequest(
        kind=draft.kind,
        chair=draft.table.chairs[players.index(form.out.data)],
        newcomer=Newcomer(_newcomer_id(draft, form), form.name.data or "", read_meanings()),
        last_revision=form.version_in(draft.latest),
        key=read_key(),
        deal=draft.deal.id if draft.deal is not None else None,
        before=draft.before.id if draft.before is not None else None,
    )
    return substitutes.write(draft.latest, request, g.browser)


def _newcomer_id(draft: DealDraft, form: SubstitutionForm) -> int | None:
    """Return the id of the person who was chosen; 0, which no player has, for one who is not in the circle."""
    token = form.newcomer.data
    return read_ids_by_token(draft.table.stored.circle).get(token, 0) if token else None


def _render_form(draft: DealDraft, form: SubstitutionForm, notice: NotWritten | None = None) -> str:
    form.set_seen(draft.table.mark, notice.current if isinstance(notice, Stale) else ())
    return render_template(
        "tables/substitution.html",
        table=draft.table,
        draft=draft,
        form=form,
        candidates=substitutes.candidates(draft.table, draft.standing.players),  # those without a seat before it
        **notice_variables(notice),
    )
