"""What stands among the deals: adjustments and substitutions. The game validates what they say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from flask import abort, g
from flask.typing import ResponseReturnValue
from wtforms import StringField
from wtforms.validators import InputRequired

from ..limits import MAX_NAME_LENGTH, MAX_TEXT_LENGTH
from ..people.reading import read_ids_by_token
from ..scoring.game import AnyGame
from ..scoring.problems import Problem
from ..scoring.standing import ADJUSTMENT, SUBSTITUTION, TERMS, find_kind
from ..scoring.values import MAX_AMOUNT, JsonObject
from ..site.fields import MaxLength, NumberField, TapField, TextField
from ..site.forms import MEANING, SentField
from ..site.language import party_name, party_people, unit_text
from .deal_forms import DealForm, render_form
from .record import DealDraft, blueprint, edit_deal, leave_form, load_draft, respond_to_deal, submit
from .revisions import AMEND, INSERT, RECORD
from .terms import edit_terms
from .turns import Newcomer, list_candidates, substitute
from .writing import NotWritten, WriteResult

COUNTERS, POINTS = "counters", "points"  # adjustments from one player to another, and for a party


class AdjustmentForm(DealForm):
    """An adjustment; the page has two such forms, and the button says which of them was sent."""

    kind = ADJUSTMENT
    button = StringField(name="kind")  # POINTS or COUNTERS
    to = TapField(validators=[InputRequired(Problem("to", "field-missing"))])

    def add_problems_of_deal(self, problems: Iterable[Problem], game: AnyGame) -> None:
        names = {"adjustment.from": "giver"} | {f"adjustment.{unit}": "amount" for unit in (*game.units, POINTS)}
        renamed = (problem._replace(field=names.get(problem.field, problem.field)) for problem in problems)
        super().add_problems_of_deal(renamed, game)


_AMOUNT_REQUIRED = InputRequired(Problem("amount", "field-missing"))


class PointsForm(AdjustmentForm):
    """Points for a party, up or down."""

    amount = NumberField(least=-MAX_AMOUNT, most=MAX_AMOUNT, id="amount-points", validators=[_AMOUNT_REQUIRED])
    reason = TextField(id="reason-points", validators=[MaxLength(MAX_TEXT_LENGTH)])

    @staticmethod
    def name_facts(_game: AnyGame, recorded: Mapping[str, Any]) -> dict[str, Any]:
        """Return recorded facts by field; nothing if they are of the other form."""
        return {**recorded, "amount": recorded[POINTS]} if POINTS in recorded else {}

    def prepare(self, draft: DealDraft) -> None:
        self.to.choices = [(party, party_people(party, draft.standing)) for party in draft.standing.parties]

    def read(self) -> JsonObject:
        return {"to": self.to.data, POINTS: self.amount.data}


class CountersForm(AdjustmentForm):
    """Counters from one player to another."""

    giver = TapField(validators=[InputRequired(Problem("giver", "field-missing"))])
    unit = TapField()
    amount = NumberField(least=1, most=MAX_AMOUNT, id="amount-counters", validators=[_AMOUNT_REQUIRED])
    reason = TextField(id="reason-counters", validators=[MaxLength(MAX_TEXT_LENGTH)])

    @staticmethod
    def name_facts(game: AnyGame, recorded: Mapping[str, Any]) -> dict[str, Any]:
        """Return recorded facts by field; of the other form, only the dearest unit: a page with one unit sends none."""
        unit = next((unit for unit in game.units if unit in recorded), None)
        if unit is None:
            return {"unit": max(game.units, key=game.worth_of, default="")}
        return {**recorded, "giver": recorded["from"], "unit": unit, "amount": recorded[unit]}

    def prepare(self, draft: DealDraft) -> None:
        players = [(player, party_people(player, draft.standing)) for player in draft.standing.balances]
        self.giver.choices = self.to.choices = players
        self.unit.choices = [(unit, unit_text(draft.table.game, "unit", unit)) for unit in draft.table.game.units]

    def read(self) -> JsonObject:
        return {"to": self.to.data, "from": self.giver.data, self.unit.data: self.amount.data}


@blueprint.route("/adjustment", methods=["GET", "POST"])
def adjustment(token: str) -> ResponseReturnValue:
    return edit_adjustment(load_draft(token, RECORD))


def edit_adjustment(draft: DealDraft) -> ResponseReturnValue:
    game, recorded = draft.table.game, draft.last_facts.get(ADJUSTMENT, {})
    points = PointsForm(data=PointsForm.name_facts(game, recorded))
    counters = CountersForm(data=CountersForm.name_facts(game, recorded))
    if not points.is_submitted():
        return leave_form(draft, is_adjustment=True) or _render_adjustment(draft, points, points, counters)
    form: PointsForm | CountersForm = points
    if points.button.data == COUNTERS:
        form, points = counters, PointsForm(formdata=None)
        draft = _place(draft, form.seen.data)
    elif points.button.data == POINTS:
        counters = CountersForm(formdata=None, data=CountersForm.name_facts(game, {}))
    else:
        abort(400)
    form.prepare(draft.as_seen(form.seen.data))
    if form.validate():
        reason = {"reason": form.reason.data} if form.reason.data else {}
        result = submit(draft.latest, [draft.change({ADJUSTMENT: form.read() | reason})], form)
    else:
        result = form.refuse()
    return respond_to_deal(result, draft, lambda now, notice: _render_adjustment(now, form, points, counters, notice))


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


def _render_adjustment(
    draft: DealDraft, form: AdjustmentForm, points: PointsForm, counters: CountersForm, notice: NotWritten | None = None
) -> str:
    """Render the page with both forms; `form` is the one that was sent."""
    draft = _place(draft, draft.table.seen)
    points.prepare(draft)
    counters.prepare(draft)
    points.set_seen(draft.table, notice)
    counters.set_seen(draft.table, notice)
    return render_form("tables/adjustment.html", draft, form, notice, points=points, counters=counters)


class SubstitutionForm(DealForm):
    """Who leaves; who comes in, by the person's token or by name; and whom a typed name means."""

    kind = SUBSTITUTION
    out = TapField(validators=[InputRequired(Problem("out", "nobody-leaves"))])
    newcomer = TapField(validate_choice=False)  # who was merged meanwhile still means a person
    name = TextField(validators=[MaxLength(MAX_NAME_LENGTH, "long-name")])
    meanings = SentField(MEANING)

    def prepare(self, draft: DealDraft) -> None:
        players = draft.standing.players
        self.out.choices = [(player, party_name(player)) for player in players]
        self.newcomer.choices = [(person.token, person.name) for person in list_candidates(draft.table, players)]

    def add_problems_of_deal(self, problems: Iterable[Problem], game: AnyGame) -> None:
        names = {"substitution.in": "newcomer"}
        renamed = (problem._replace(field=names.get(problem.field, problem.field)) for problem in problems)
        super().add_problems_of_deal(renamed, game)


@blueprint.route("/substitution", methods=["GET", "POST"])
@blueprint.route("/<int:deal_id>/substitution", methods=["GET", "POST"])
def substitution(token: str, deal_id: int | None = None) -> ResponseReturnValue:
    return edit_substitution(load_draft(token, RECORD if deal_id is None else INSERT, deal_id))


def edit_substitution(draft: DealDraft) -> ResponseReturnValue:
    form = SubstitutionForm()
    if not form.is_submitted():
        recorded = draft.last_facts.get(SUBSTITUTION)
        if recorded is not None:
            form.out.data, form.newcomer.data = recorded["out"], draft.table.persons[recorded["in"]].token
        return leave_form(draft) or _render_substitution(draft, form)
    shown = draft.as_seen(form.seen.data)
    form.prepare(shown)
    result: WriteResult
    if form.validate():
        result = substitute(
            draft.latest,
            draft.change({}),
            shown.chair_of(form.out.data),  # who leaves sat where the page showed them
            _read_newcomer(draft, form),
            form.seen.data,
            form.read_key(),
            g.membership,
        )
    else:
        result = form.refuse()
    return respond_to_deal(result, draft, lambda now, notice: _render_substitution(now, form, notice))


def _read_newcomer(draft: DealDraft, form: SubstitutionForm) -> Newcomer:
    """Return who comes in; 0, which no player has, is the id of one who is not in the circle."""
    chosen = form.newcomer.data
    person_id = read_ids_by_token(draft.table.stored.circle).get(chosen, 0) if chosen else None
    return Newcomer(person_id, form.name.data or "", form.meanings.data)


def _render_substitution(draft: DealDraft, form: SubstitutionForm, notice: NotWritten | None = None) -> str:
    form.prepare(draft)
    return render_form("tables/substitution.html", draft, form, notice)


# --- amending them, or a deal ---


@blueprint.route("/<int:deal_id>/amend", methods=["GET", "POST"])
def amend(token: str, deal_id: int) -> ResponseReturnValue:
    draft = load_draft(token, AMEND, deal_id, guests=True)
    editors = {ADJUSTMENT: edit_adjustment, SUBSTITUTION: edit_substitution, TERMS: edit_terms}
    return editors.get(find_kind(draft.last_facts), edit_deal)(draft)
