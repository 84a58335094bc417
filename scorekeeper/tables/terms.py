"""Changing the house rules and the value of a counter at an open table: from the next deal on, or from the start."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields, replace
from decimal import Decimal

from flask import abort
from flask.typing import ResponseReturnValue
from wtforms import HiddenField

from ..db.outcome import Stale
from ..scoring import schema
from ..scoring.game import AnyGame
from ..scoring.problems import Problem
from ..scoring.standing import TERMS
from ..scoring.terms import read_terms
from ..scoring.values import JsonObject, Value
from ..site.currencies import currency_choices
from ..site.fields import TapField
from ..site.language import t
from .corrections import find_consequences
from .deal_forms import DealForm, render_form
from .new_table import RulesFields
from .option_fields import OptionField, option_fields, with_fields
from .record import DealDraft, blueprint, leave_form, load_draft, respond_to_deal, submit
from .revisions import AMEND, INSERT, RECORD
from .words import row_title
from .writing import NotWritten, Preview, Refused, preview, refuse_change

NEXT, START = "next", "start"  # the deals from which on a change holds


class TermsForm(RulesFields, DealForm):
    kind = TERMS
    since = TapField(default=NEXT)
    explained = HiddenField(default="")  # the change whose consequences the page has shown

    def prepare(self) -> None:
        self.since.choices = [(choice, t(f"terms.since.{choice}")) for choice in (NEXT, START)]

    def add_problems_of_deal(self, problems: Iterable[Problem], game: AnyGame) -> None:
        prefix = f"{TERMS}."
        self.add_problems_of_sheet(
            (problem._replace(field=problem.field.removeprefix(prefix)) for problem in problems), game
        )


@blueprint.route("/terms", methods=["GET", "POST"])
def terms(token: str) -> ResponseReturnValue:
    return edit_terms(load_draft(token, INSERT))


def edit_terms(draft: DealDraft) -> ResponseReturnValue:
    if draft.table.stored.is_at_event:
        abort(404)  # an event has settings of its own
    shown_fields = _list_fields(draft.table.game)
    form = with_fields(TermsForm, shown_fields)()
    form.prepare()
    if form.is_submitted():
        return _submit(draft.as_seen(form.seen.data), form)
    problems: list[Problem] = []
    changed = read_terms(draft.table.game, draft.standing, draft.last_facts.get(TERMS, {}), problems)
    form.fill_in(shown_fields, *(changed if not problems else (draft.standing.options, draft.standing.value)))
    return leave_form(draft) or _render(draft, form)


def _submit(shown: DealDraft, form: TermsForm) -> ResponseReturnValue:
    """Record the change. If it comes before other deals, show first what becomes of them."""
    if not form.validate():
        return _render(shown, form), 422
    facts = _read_facts(shown, form)
    placed = _place(shown, form)
    problem = _find_problem(shown, placed, facts)
    if problem is not None:
        return _render(shown, form, refuse_change(problem)), 422
    change = placed.change({TERMS: _add_to(shown, placed, facts)})
    explained = json.dumps([form.since.data, facts])
    if placed.kind != RECORD and form.explained.data != explained:
        form.explained.data = explained
        outcome = preview(shown.table, change)
        return _render(shown, form, outcome), 422 if isinstance(outcome, Refused) else 200

    def render_again(now: DealDraft, notice: NotWritten) -> str:
        if isinstance(notice, Stale):
            form.explained.data = ""
            fields = _list_fields(now.table.game)
            unchanged = [field for field in fields if field.option not in facts.get("house_rules", ())]
            form.fill_in(unchanged, now.standing.options, now.standing.value if "value" not in facts else None)
        return _render(now, form, notice)

    return respond_to_deal(submit(shown.latest, [change], form), shown, render_again)


def _list_fields(game: AnyGame) -> list[OptionField]:
    return [field for field in option_fields(game) if field.option != game.house_rules.named_by]


def _place(draft: DealDraft, form: TermsForm) -> DealDraft:
    """Return the draft with its place in the list of deals. From the start on, it amends a change that stands there."""
    if draft.deal is not None:
        return draft
    first = next((deal for deal in draft.table.deals if deal.body is not None), None)
    if first is None or form.since.data != START:
        return replace(draft, kind=RECORD)
    is_there = TERMS in (first.body or {})
    return replace(draft, kind=AMEND, deal=first) if is_there else replace(draft, kind=INSERT, before=first)


def _add_to(shown: DealDraft, placed: DealDraft, facts: JsonObject) -> JsonObject:
    """Return the facts, added to those of the change that they amend unless it is the one that the page shows."""
    if placed.deal is None or placed.deal is shown.deal:
        return facts
    earlier: JsonObject = placed.last_facts[TERMS]
    rules = earlier.get("house_rules", {}) | facts.get("house_rules", {})
    return earlier | facts | ({"house_rules": rules} if rules else {})


def _read_facts(draft: DealDraft, form: TermsForm) -> JsonObject:
    """Return what the form changes, as a sheet stores it; what is not valid, as it was entered."""
    game = draft.table.game
    standing = draft.standing
    facts: JsonObject = {}
    typed = form.read_rules(game, _list_fields(game), len(standing.players))
    before: JsonObject = schema.dump(standing.options)
    name = game.house_rules.named_by
    whole = typed | ({name: before[name]} if name else {})
    options = schema.load(game.options, whole, game.seats(standing.players), [])
    after = schema.dump(options) if options is not None else whole
    names = [each.name for each in fields(game.options)]
    if rules := {each: after.get(each) for each in names if after.get(each) != before.get(each)}:
        facts["house_rules"] = rules
    value = form.read_value(game)
    typed_value = value and Value(value["currency"], value["unit"], Decimal(value["amount"]))
    return facts if typed_value == standing.value else facts | {"value": value}


def _find_problem(shown: DealDraft, placed: DealDraft, facts: JsonObject) -> Problem | None:
    """Return what is wrong with a change.

    It changes nothing, or it holds from the start and a later change sets the same rule or value.
    """
    if not facts:
        return Problem(TERMS, "terms-same")
    if shown.deal is not None or placed.kind == RECORD:
        return None
    for scored in placed.table.scored_deals:
        change = (scored.deal.body or {}).get(TERMS, {})
        if scored.row is not None and scored.deal is not placed.deal and _list_changed(change) & _list_changed(facts):
            return Problem(TERMS, "terms-changed-later", {"change": row_title(scored.row.name)})
    return None


def _list_changed(facts: JsonObject) -> set[str]:
    return {*facts.get("house_rules", ())} | (facts.keys() & {"value"})


def _render(draft: DealDraft, form: TermsForm, outcome: Preview | NotWritten | None = None) -> str:
    """Render the form with what the change would do, or why it was not recorded."""
    return render_form(
        "tables/terms.html",
        draft,
        form,
        None if isinstance(outcome, Preview) else outcome,
        options=_list_fields(draft.table.game),
        currencies=currency_choices(),
        is_new=draft.deal is None,
        later=find_consequences(draft.table, outcome),
    )
