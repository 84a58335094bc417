"""What stands among the deals: adjustments and substitutions. The game validates what they say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flask import abort, g
from flask.typing import ResponseReturnValue
from wtforms import StringField

from ..people.reading import read_ids_by_token
from ..scoring.common_facts import find_long_reason
from ..scoring.game import AnyGame
from ..scoring.problems import Problem
from ..scoring.standing import ADJUSTMENT, SUBSTITUTION, TERMS, find_kind
from ..scoring.values import clean_name
from ..site.amounts import ambiguity, parse_int
from ..site.forms import MEANING, SentField
from ..site.language import party_name, party_people, unit_text
from .record import DealDraft, DealForm, blueprint, edit_deal, load_draft, render_form, respond_to_deal, submit
from .revisions import AMEND, INSERT, RECORD
from .terms import edit_terms
from .turns import Newcomer, list_candidates, substitute
from .writing import NotWritten, WriteResult, refuse_change

COUNTERS, POINTS = "counters", "points"  # adjustments from one player to another, and for a party


class AdjustmentForm(DealForm):
    kind = StringField()  # COUNTERS or POINTS
    giver = StringField()
    to = StringField()
    unit = StringField()
    amount = StringField()
    reason = StringField()

    @property
    def amount_key(self) -> str:
        return (self.unit.data or "") if self.kind.data == COUNTERS else POINTS

    def fill_in(self, game: AnyGame, recorded: Mapping[str, Any]) -> None:
        unit = next((unit for unit in game.units if unit in recorded), None)
        self.kind.data = COUNTERS if unit else POINTS
        self.giver.data, self.to.data = recorded.get("from"), recorded.get("to")
        self.unit.data = unit or self.unit.data
        self.amount.data = str(recorded.get(unit or POINTS, ""))
        self.reason.data = recorded.get("reason", "")

    def facts(self) -> dict[str, Any]:
        """Return the facts as a sheet stores them, not yet validated."""
        facts = {
            "to": self.to.data,
            "from": self.giver.data if self.kind.data == COUNTERS else None,
            self.amount_key: parse_int(self.amount.data),
            "reason": clean_name(self.reason.data) or None,
        }
        return {"adjustment": {key: value for key, value in facts.items() if value is not None}}


@blueprint.route("/adjustment", methods=["GET", "POST"])
def adjustment(token: str) -> ResponseReturnValue:
    return edit_adjustment(load_draft(token, RECORD, is_adjustment=True))


def edit_adjustment(draft: DealDraft) -> ResponseReturnValue:
    form = AdjustmentForm()
    game = draft.table.game
    recorded = draft.last_facts.get("adjustment", {})
    form.unit.data = form.unit.data or max(game.units, key=game.worth_of, default="")  # a page with one unit sends none
    if not form.is_submitted():
        form.fill_in(game, recorded)
        return _render_adjustment(draft, form)
    if form.kind.data not in (POINTS, COUNTERS):
        abort(400)
    if form.kind.data == COUNTERS:
        draft = _place(draft, form.seen.data)
    facts = form.facts()
    is_same = facts["adjustment"].get("reason") == recorded.get("reason")
    problem = ambiguity(f"adjustment.{form.amount_key}", form.amount.data, 0)
    problem = problem or (None if is_same else find_long_reason(facts))
    result = refuse_change(problem) if problem else submit(draft.latest, [draft.change(facts)], form)
    return respond_to_deal(result, draft, form, lambda now, notice: _render_adjustment(now, form, notice))


def _place(draft: DealDraft, seen: str) -> DealDraft:
    """Return the draft with the place of a new payment at the table as the page showed it.

    It is before the last deal if the game has ended with that, else after it. Nothing may follow the end in a sheet,
    and a payment between players changes no score.
    """
    if draft.deal is not None:
        return draft
    draft = draft.as_seen(seen)
    is_over = draft.table.standing.is_finished
    last = next((deal for deal in reversed(draft.table.deals) if is_over and not deal.is_withdrawn), None)
    return replace(draft, kind=INSERT if last is not None else RECORD, before=last)


def _render_adjustment(draft: DealDraft, form: AdjustmentForm, notice: NotWritten | None = None) -> str:
    draft = _place(draft, draft.table.seen)
    game, standing = draft.table.game, draft.standing
    return render_form(
        "tables/adjustment.html",
        draft,
        form,
        notice,
        "adjustment.",
        parties=[(party, party_people(party, standing)) for party in standing.parties],
        players=[(player, party_people(player, standing)) for player in standing.balances],
        units=[(unit, unit_text(game, "unit", unit)) for unit in game.units],
    )


class SubstitutionForm(DealForm):
    """Who leaves; who comes in, by the person's token or by name; and whom a typed name means."""

    out = StringField()
    newcomer = StringField()
    name = StringField()
    meanings = SentField(MEANING)


@blueprint.route("/substitution", methods=["GET", "POST"])
@blueprint.route("/<int:deal_id>/substitution", methods=["GET", "POST"])
def substitution(token: str, deal_id: int | None = None) -> ResponseReturnValue:
    return edit_substitution(load_draft(token, RECORD if deal_id is None else INSERT, deal_id))


def edit_substitution(draft: DealDraft) -> ResponseReturnValue:
    form = SubstitutionForm()
    if not form.is_submitted():
        recorded = draft.last_facts.get(SUBSTITUTION, {})
        form.out.data = recorded.get("out")
        seats = (seat for seat in draft.table.stored.seats if seat.label == recorded.get("in"))
        form.newcomer.data = next((seat.player.person.token for seat in seats), None)
        return _render_substitution(draft, form)
    shown = draft.as_seen(form.seen.data)
    token = form.newcomer.data
    result: WriteResult = refuse_change(Problem(f"{SUBSTITUTION}.out", "nobody-leaves"))
    if form.out.data in shown.standing.players:
        # 0, which no player has, is for one who is not in the circle.
        chosen = read_ids_by_token(draft.table.stored.circle).get(token, 0) if token else None
        newcomer = Newcomer(chosen, form.name.data or "", form.meanings.data)
        chair = shown.chair_of(form.out.data)  # who leaves sat where the page showed them
        result = substitute(
            draft.latest, draft.change({}), chair, newcomer, form.seen.data, form.read_key(), g.membership
        )
    return respond_to_deal(result, draft, form, lambda now, notice: _render_substitution(now, form, notice))


def _render_substitution(draft: DealDraft, form: SubstitutionForm, notice: NotWritten | None = None) -> str:
    return render_form(
        "tables/substitution.html",
        draft,
        form,
        notice,
        f"{SUBSTITUTION}.",
        "meanings",
        leaving=[(player, party_name(player)) for player in draft.standing.players],
        # Those without a seat before it.
        candidates=[(each.token, each.name) for each in list_candidates(draft.table, draft.standing.players)],
    )


# --- amending them, or a deal ---


@blueprint.route("/<int:deal_id>/amend", methods=["GET", "POST"])
def amend(token: str, deal_id: int) -> ResponseReturnValue:
    draft = load_draft(token, AMEND, deal_id, guests=True)
    editors = {ADJUSTMENT: edit_adjustment, SUBSTITUTION: edit_substitution, TERMS: edit_terms}
    return editors.get(find_kind(draft.last_facts), edit_deal)(draft)
