"""Changing the house rules and the value of a counter at an open table: from the next deal on, or from the start."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from decimal import Decimal
from typing import Any

from flask import abort, render_template
from flask.typing import ResponseReturnValue
from wtforms import HiddenField, StringField

from ..db.outcome import Stale
from ..scoring import schema
from ..scoring.problems import Problem
from ..scoring.standing import TERMS, AnyStanding
from ..scoring.terms import TermsChange, read_terms
from ..scoring.values import JsonObject, Value
from ..site.amounts import currency_choices
from .corrections import LaterChanges, find_later_changes
from .live import read_now
from .new_table import RulesFields
from .option_fields import OptionField, option_fields, with_fields
from .recap import is_paid_deal_corrected
from .record import DealDraft, DealForm, blueprint, load_draft, respond_to_deal, set_notice, submit
from .revisions import INSERT, RECORD, Change
from .state import TableState
from .writing import NotWritten, Refused, preview, refuse_change

NEXT, START = "next", "start"  # the deals from which on a change holds


class TermsForm(RulesFields, DealForm):
    """House rules and a value, and since when. `explained` is the change whose consequences the page has shown."""

    since = StringField(default=NEXT)
    explained = HiddenField(default="")


@blueprint.route("/terms", methods=["GET", "POST"])
def terms(token: str) -> ResponseReturnValue:
    draft = load_draft(token, INSERT)
    return edit_terms(draft) if not draft.table.stored.is_at_event else abort(404)  # an event has settings of its own


def edit_terms(draft: DealDraft) -> ResponseReturnValue:
    shown_fields = [each for each in option_fields(draft.table.game) if each.option != _find_name(draft.table)]
    form = with_fields(TermsForm, shown_fields)()
    if not form.is_submitted():
        standing, problems = _find_present(draft), list[Problem]()
        changed = read_terms(draft.table.game, standing, TermsChange(draft.last_facts.get(TERMS, {})), problems)
        form.fill_in(shown_fields, *(changed if not problems else (standing.options, standing.value)))
        return _render(draft, form, shown_fields)
    shown = _place(draft.at_version(form.version_in(draft.latest)), form)
    facts = _read_facts(shown, form, shown_fields)
    change, problem = shown.change({TERMS: facts}), _find_problem(shown, facts)
    if problem is not None:
        return _render(shown, form, shown_fields, refuse_change(problem)), 422
    explained = json.dumps([change.kind, facts])
    if change.kind != RECORD and form.explained.data != explained:
        form.explained.data = explained
        return _explain(shown, form, shown_fields, change)

    def render_again(now: DealDraft, notice: NotWritten) -> str:
        if isinstance(notice, Stale):
            form.explained.data = ""
            unchanged = [field for field in shown_fields if field.option not in facts.get("house_rules", ())]
            standing = _find_present(now)
            form.fill_in(unchanged, standing.options, standing.value if "value" not in facts else None)
        return _render(now, form, shown_fields, notice)

    return respond_to_deal(submit(shown.latest, [change], form), shown, form, render_again)


def _find_name(table: TableState) -> str:
    return table.game.house_rules.named_by


def _find_present(draft: DealDraft) -> AnyStanding:
    """Return the standing whose terms change: that before an amended change, else the present one."""
    return draft.standing if draft.deal is not None else draft.table.standing


def _place(draft: DealDraft, form: TermsForm) -> DealDraft:
    """Return the draft of a new change with its place in the list of deals."""
    if draft.deal is not None:
        return draft
    first = next(iter(draft.table.deals), None) if form.since.data == START else None
    return replace(draft, kind=INSERT if first is not None else RECORD, before=first)


def _read_facts(draft: DealDraft, form: TermsForm, shown_fields: Sequence[OptionField]) -> JsonObject:
    """Return what the form changes, as a sheet stores it; what is not valid, as it was entered."""
    game, standing, facts = draft.table.game, _find_present(draft), dict[str, Any]()
    typed = form.read_rules(game, shown_fields, len(standing.players))
    before: JsonObject = schema.dump(standing.options)
    name = _find_name(draft.table)
    whole = typed | ({name: before[name]} if name else {})
    options = schema.load(game.options, whole, game.seats(standing.players), [])
    after = schema.dump(options) if options is not None else whole
    names = [each.name for each in fields(game.options)]
    if rules := {each: after.get(each) for each in names if after.get(each) != before.get(each)}:
        facts["house_rules"] = rules
    value = form.read_value(game)
    return facts if _is_same(standing.value, value) else facts | {"value": value}


def _is_same(value: Value | None, typed: Mapping[str, str] | None) -> bool:
    if value is None or typed is None:
        return value is None and typed is None
    is_same_amount = typed["amount"] != "" and Decimal(typed["amount"]) == value.amount
    return is_same_amount and (typed["currency"], typed["unit"]) == (value.currency, value.unit)


def _find_problem(draft: DealDraft, facts: JsonObject) -> Problem | None:
    """Return the problem with a change that would change nothing, now or because a later one does the same."""
    if not facts:
        return Problem(TERMS, "terms-same")
    later = [deal.body[TERMS] for deal in draft.table.deals if deal.body is not None and TERMS in deal.body]
    is_changed_later = any(not _list_changed(facts).isdisjoint(_list_changed(each)) for each in later)
    return Problem(TERMS, "terms-changed-later") if draft.kind == INSERT and is_changed_later else None


def _list_changed(facts: JsonObject) -> set[str]:
    return {*facts.get("house_rules", ())} | (facts.keys() & {"value"})


def _explain(draft: DealDraft, form: TermsForm, shown_fields: Sequence[OptionField], change: Change) -> str:
    """Show what becomes of the deals since; or why the change is not possible."""
    outcome = preview(draft.table, change)
    if isinstance(outcome, Refused):
        return _render(draft, form, shown_fields, outcome)
    later = find_later_changes(draft.table, outcome.table)
    return _render(draft, form, shown_fields, later=later, is_paid=is_paid_deal_corrected(draft.table, outcome.table))


def _render(
    draft: DealDraft,
    form: TermsForm,
    shown_fields: Sequence[OptionField],
    notice: NotWritten | None = None,
    *,
    later: LaterChanges | None = None,
    is_paid: bool = False,
) -> str:
    table = draft.table
    shown = set_notice(form, table, notice, TERMS)
    problems = (problem._replace(field=problem.field.removeprefix(f"{TERMS}.")) for problem in shown["problems"])
    shown["problems"] = [form.specify(problem, table.game) for problem in problems]
    return render_template(
        "tables/terms.html",
        table=table,
        now=read_now(table),
        form=form,
        options=shown_fields,
        currencies=currency_choices(),
        is_new=draft.deal is None,
        later=later,
        is_paid=is_paid,
        **shown,
    )
