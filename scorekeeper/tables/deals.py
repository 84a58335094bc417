"""Entering a deal: the pad, its preview and recording; amending, withdrawing, restoring and inserting deals.

And adjustments and substitutions, which stand among the deals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from flask import Blueprint, abort, g, jsonify, render_template, request
from flask.typing import ResponseReturnValue
from wtforms import HiddenField, StringField

from ..db.outcome import Stale
from ..models import SCORE
from ..people.players import read_ids_by_token
from ..scoring.pad_state import Pad, build_pad, find_frequent, list_typed, taps_for
from ..scoring.problems import Problem
from ..scoring.standing import DEAL, SUBSTITUTION
from ..scoring.values import clean_name
from ..site.amounts import ambiguity, parse_int
from ..site.forms import MEANING, SentField, WriteForm, parse_id
from ..site.language import party_name, party_people, t, unit_text
from . import access as table_access
from . import revisions
from .corrections import build_withdrawals, find_deals_in_the_way, find_later_changes
from .entry import (
    NEXT,
    DealDraft,
    DealForm,
    is_sent_by_script,
    load_draft,
    respond_to_deal,
    set_notice,
    submit,
    submit_button,
)
from .game_layouts import find_missing, pad_shape
from .history import list_reasons
from .live import Now
from .recap import is_paid_deal_corrected
from .revisions import Change, RevisionRow, find_marked, reason_problems
from .turns import Newcomer, list_candidates, substitute
from .words import find_key_of_kind, find_shown_change
from .writing import NotWritten, Preview, Refused, WriteResult, preview, refuse_change

blueprint = Blueprint("deals", __name__, url_prefix="/tables/<token>/deals")

ZEROS = "zeros"  # the value of the button that enters 0 for every number that is still needed
REMOVE = "remove"  # the value of the button that records a deal and withdraws the later ones in its way
_ACTIONS = (None, "record", NEXT, "check", "preview", "announce", "misdeal", ZEROS, REMOVE)


class PadForm(DealForm):
    """The dealer and the taps; the pad says which groups it has, and validates them.

    `shape` is the mark of the groups that the page shows, `removed` are the later deals that its button withdraws,
    `another` says that the last deal was not this one.
    """

    dealer = StringField()
    shown = HiddenField()
    shape = StringField()
    removed = StringField()
    another = StringField()
    taps = SentField()


@blueprint.route("/new", methods=["GET", "POST"])
@blueprint.route("/<int:deal_id>/insert", methods=["GET", "POST"], endpoint="insert")
def new(token: str, deal_id: int | None = None) -> ResponseReturnValue:
    """Enter a new deal, or with `deal_id` a forgotten one before that deal."""
    return _edit_deal(load_draft(token, _new_kind(deal_id), deal_id, guests=True))


def _new_kind(before: int | None) -> str:
    return revisions.RECORD if before is None else revisions.INSERT


@blueprint.route("/<int:deal_id>/amend", methods=["GET", "POST"])
def amend(token: str, deal_id: int) -> ResponseReturnValue:
    draft = load_draft(token, revisions.AMEND, deal_id, guests=True)
    facts = (draft.deal and draft.deal.last_body) or {}
    if table_access.is_guest() and ("adjustment" in facts or SUBSTITUTION in facts):
        abort(404)  # those are the director's
    if "adjustment" in facts:
        return edit_adjustment(draft)
    return edit_substitution(draft) if SUBSTITUTION in facts else _edit_deal(draft)


@blueprint.route("/adjustment", methods=["GET", "POST"])
def adjustment(token: str) -> ResponseReturnValue:
    return edit_adjustment(load_draft(token, revisions.RECORD, is_adjustment=True))


@blueprint.route("/substitution", methods=["GET", "POST"])
@blueprint.route("/<int:deal_id>/substitution", methods=["GET", "POST"])
def substitution(token: str, deal_id: int | None = None) -> ResponseReturnValue:
    return edit_substitution(load_draft(token, _new_kind(deal_id), deal_id))


@blueprint.get("/<int:deal_id>")
def show(token: str, deal_id: int) -> str:
    """Show a deal with its entries and every revision of it, and what removing or restoring it would do."""
    table = table_access.get_table_or_404(token, guests=True)
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
        anchors=list_reasons(scored.row.entries, scored.row.closings) if scored.row is not None else [],
    )


@blueprint.post("/<int:deal_id>/withdraw")
def withdraw(token: str, deal_id: int) -> ResponseReturnValue:
    """Withdraw a deal: it stays on record and counts for nothing."""
    table = table_access.get_table_or_404(token, SCORE, guests=True)
    if table.deal(deal_id) is None:
        abort(404)
    return submit_button(table, Change(revisions.WITHDRAW, deal_id))


@blueprint.post("/<int:deal_id>/restore")
def restore(token: str, deal_id: int) -> ResponseReturnValue:
    table = table_access.get_table_or_404(token, SCORE, guests=True)
    deal = table.deal(deal_id)
    if deal is None:
        abort(404)
    return submit_button(table, Change(revisions.RESTORE, deal_id, body=deal.last_body))


@blueprint.post("/announced/withdraw")
def withdraw_announcement(token: str) -> ResponseReturnValue:
    table = table_access.get_table_or_404(token, SCORE, guests=True)
    return submit_button(table, Change(revisions.ANNOUNCE))


# --- the pad -----------------------------------------------------------------------------------------------


def _edit_deal(draft: DealDraft) -> ResponseReturnValue:
    form = PadForm()
    if form.is_submitted():
        return _submit_pad(_read_entry(draft.at_version(form.version_in(draft.latest)), form))
    facts = draft.recorded_facts
    if not facts and draft.kind == revisions.RECORD:  # what was announced of this deal, or of the last one
        facts = (draft.announcement_to_repeat if "again" in request.args else draft.table.announced) or {}
    taps = taps_for(draft.table.game, draft.standing, facts) if facts else {}
    return _Entry(draft, form, draft.build_pad(taps, draft.dealer), draft.dealer).render()


def _read_entry(draft: DealDraft, form: PadForm) -> _Entry:
    """Return the pad with the taps, and the dealer: those who sit now on the chairs of those whom the page showed.

    The page shows the revision at which its pad was made: `seen` may be later, since a phone counts the entries that
    it has sent before.
    """
    shown = draft.at_version(find_marked(draft.latest.revisions, form.shown.data or form.seen.data))
    players = shown.standing.players
    if draft.standing.players == players:
        dealer = form.dealer.data if form.dealer.data in players else draft.dealer
        return _Entry(draft, form, draft.build_pad(form.taps.data, dealer), dealer)
    dealer = form.dealer.data if form.dealer.data in players else shown.dealer
    pad = _move_pad(shown.build_pad(form.taps.data, dealer), shown, draft)
    return _Entry(draft, form, pad, draft.of_chair(shown.chair_of(dealer)) if form.dealer.data else draft.dealer)


def _move_pad(pad: Pad, shown: DealDraft, draft: DealDraft) -> Pad:
    """Return a pad as it is when others sit on the chairs of those whom it names."""
    game, facts = draft.table.game, draft.from_chairs(shown.to_chairs(pad.facts))
    parts = {group.name: pad.taps[group.name] for group in pad.groups if group.is_additive and group.name in pad.taps}
    return build_pad(game, draft.standing, taps_for(game, draft.standing, facts) | parts, facts)


def _submit_pad(entry: _Entry) -> ResponseReturnValue:
    """Preview, check, announce or record the deal, as the button `do` says; `next` and no button record it."""
    draft, form, pad, action = entry.draft, entry.form, entry.pad, entry.form.do.data
    if action not in _ACTIONS:
        abort(400)
    if action == "preview":
        return entry.preview()
    if action == ZEROS:
        taps = {**pad.taps, **pad.mistyped, **pad.zeros}
        return replace(entry, pad=draft.build_pad(taps, entry.dealer)).render()
    changes = [entry.change]
    if action == "announce":
        facts = {key: value for key, value in pad.facts.items() if key in draft.table.game.announced}
        changes = [Change(revisions.ANNOUNCE, body=draft.to_chairs(facts))]
        entry = replace(entry, dealer=draft.dealer)
    elif action == "misdeal":
        changes = [draft.change({"misdeal": True}, entry.dealer)]
    elif pad.unanswered:
        return entry.refuse_incomplete()
    elif action == "check":
        outcome = preview(draft.table, entry.change)
        return entry.render(_own_problems(outcome), outcome=outcome)
    elif action == REMOVE:  # the later deals that the button named, if these are still the ones in its way
        named = tuple(parse_id(text) or 0 for text in (form.removed.data or "").split())
        if named == find_deals_in_the_way(draft.table, entry.change):
            changes = [*build_withdrawals(draft.table, named), entry.change]
    theirs = None if action == "misdeal" else _find_their_same_deal(draft, changes[-1], form)
    result: WriteResult = Stale([theirs]) if theirs is not None else submit(draft.latest, changes, form)
    return respond_to_deal(result, draft, form, lambda now, notice: entry.render_again(now, notice, changes[-1]))


@dataclass(frozen=True)
class _Entry:
    """What somebody enters of a deal on its pad."""

    draft: DealDraft
    form: PadForm
    pad: Pad
    dealer: str

    @property
    def change(self) -> Change:
        return self.draft.change(self.pad.facts, self.dealer)

    def preview(self) -> ResponseReturnValue:
        """Return a preview to the page's script.

        JSON keys: `working`, the entries as HTML; `withheld`, cells that are no longer possible; `worked_out`, cells
        that follow from the taps. A cell is "group=choice". If the page shows other groups, also `groups`, as HTML;
        `shape` is the mark of these, which the page sends.
        """
        variables, pad, shape = self._variables(), self.pad, pad_shape(self.pad)
        answer = {
            "working": render_template("tables/_preview.html", **variables),
            "withheld": sorted(f"{group}={choice}" for group, choice in pad.ruled_out),
            "worked_out": [f"{group}={choice}" for group, choice in pad.derived.items()],
        }
        if self.form.shape.data not in (None, shape):
            groups = render_template("tables/_groups.html", **variables, problems=())
            answer |= {"shape": shape, "groups": groups}
        return jsonify(answer)

    def refuse_incomplete(self) -> ResponseReturnValue:
        if is_sent_by_script():
            variables = self._variables() | {"problems": self.pad.problems_of_typing}
            return jsonify(refused=render_template("tables/_not_written.html", **variables)), 422
        return self.render(self.pad.problems_of_unanswered), 422

    def render_again(self, current: DealDraft, notice: NotWritten, change: Change) -> str:
        """Render the pad with its taps and the reason why nothing was written."""
        if isinstance(notice, Refused):
            return replace(self, draft=current).render(_own_problems(notice), outcome=notice)
        draft = self.draft
        is_in_turn = self.dealer == draft.dealer
        dealer = current.dealer if is_in_turn else current.of_chair(draft.chair_of(self.dealer))
        is_same = current.standing.players == draft.standing.players
        pad = current.build_pad(self.pad.taps, dealer) if is_same else _move_pad(self.pad, draft, current)
        same_deal = next((row.deal for row in notice.current if _is_same_deal(row, change)), None)
        return _Entry(current, self.form, pad, dealer).render(stale=notice, same_deal=same_deal)

    def render(
        self,
        problems: tuple[Problem, ...] = (),
        *,
        outcome: Preview | Refused | None = None,
        stale: Stale[Sequence[RevisionRow]] | None = None,
        same_deal: int | None = None,
    ) -> str:
        table, standing, form = self.draft.table, self.draft.standing, self.form
        form.set_seen(table.mark, stale.current if stale is not None else ())
        form.shown.data = form.seen.data
        shown = find_shown_change(table)
        return render_template(
            "tables/deal.html",
            **self._variables(outcome),
            now=Now(table),
            title=self._title,
            shape=pad_shape(self.pad),
            players=[(player, party_name(player)) for player in standing.players],
            frequent=find_frequent(chain(*list_typed(table.game, standing).values())),
            form=form,
            problems=problems,
            stale=stale,
            same_deal=same_deal,
            change=shown,
            recorded=table.scored_deal(shown.deal or 0) if shown and shown.kind == revisions.RECORD else None,
        )

    @property
    def _title(self) -> str:
        draft = self.draft
        deal = draft.deal or draft.before
        row = draft.table.row_of(deal.id) if deal is not None else None
        key = find_key_of_kind(f"pad.title.{draft.kind}", row.kind if row is not None else DEAL)
        return t(key, number=draft.number)

    def _variables(self, outcome: Preview | Refused | None = None) -> dict[str, Any]:
        """Return what the templates of a pad use.

        `outcome` is what the deal would change, None if a group is not answered yet; `later` what becomes of later
        deals, `in_the_way` those that it would make impossible; `is_paid`: something that was paid for changes.
        """
        draft, pad, later, is_paid = self.draft, self.pad, None, False
        in_the_way: tuple[int, ...] = ()
        if outcome is None and not pad.unanswered and (pad.taps or self.form.is_submitted()):
            outcome = preview(draft.table, self.change)
        if isinstance(outcome, Preview) and draft.kind != revisions.RECORD:
            later = find_later_changes(draft.table, outcome.table)
            is_paid = is_paid_deal_corrected(draft.table, outcome.table)
        elif isinstance(outcome, Refused) and not outcome.is_own and not pad.unanswered:
            in_the_way = find_deals_in_the_way(draft.table, self.change)
        return {
            "draft": draft,
            "table": draft.table,
            "standing": draft.standing,
            "pad": pad,
            "dealer": self.dealer,
            "outcome": outcome,
            "later": later,
            "is_paid": is_paid,
            "in_the_way": in_the_way,
            "missing": find_missing(draft.table.game, pad, draft.standing),
        }


def _own_problems(outcome: Preview | Refused) -> tuple[Problem, ...]:
    """Return the problems of the deal on the pad, which are shown at its groups; none of a later deal's."""
    return outcome.problems if isinstance(outcome, Refused) and outcome.is_own else ()


def _is_same_deal(row: RevisionRow, change: Change) -> bool:
    return row.kind == change.kind == revisions.RECORD and row.body == change.body


def _find_their_same_deal(draft: DealDraft, change: Change, form: PadForm) -> RevisionRow | None:
    """Return the last deal if another phone has recorded these facts, and the pad has not asked about that before."""
    rows = draft.latest.revisions
    if draft.table is not draft.latest or not rows or rows[-1].browser_id == g.browser.id:
        return None
    is_asked = form.another.data or any(row.entry_key == form.key.data for row in rows)
    return rows[-1] if not is_asked and _is_same_deal(rows[-1], change) else None


# --- adjustments and substitutions; the game validates what they say ------------------------------------------

COUNTERS, POINTS = "counters", "points"  # the kinds of adjustments


class AdjustmentForm(DealForm):
    """An adjustment. `kind` is "points", given to a party, or "counters", from one player to another."""

    kind = StringField()
    giver = StringField()
    to = StringField()
    unit = StringField()
    amount = StringField()
    reason = StringField()

    @property
    def amount_key(self) -> str:
        """The key of the amount in a sheet: points, or a unit of the game."""
        return (self.unit.data or "") if self.kind.data == COUNTERS else POINTS

    def facts(self) -> dict[str, Any]:
        """Return the facts as a sheet stores them, not yet validated."""
        facts = {
            "to": self.to.data,
            "from": self.giver.data if self.kind.data == COUNTERS else None,
            self.amount_key: parse_int(self.amount.data),
            "reason": clean_name(self.reason.data) or None,
        }
        return {"adjustment": {key: value for key, value in facts.items() if value is not None}}


def edit_adjustment(draft: DealDraft) -> ResponseReturnValue:
    form, game = AdjustmentForm(), draft.table.game
    form.unit.data = form.unit.data or max(game.units, key=game.worth_of, default="")
    recorded = draft.last_facts.get("adjustment", {})
    if not form.is_submitted():
        unit = next((unit for unit in game.units if unit in recorded), None)
        form.kind.data = COUNTERS if unit else POINTS
        form.giver.data, form.to.data = recorded.get("from"), recorded.get("to")
        form.unit.data = unit or form.unit.data
        form.amount.data = str(recorded.get(unit or POINTS, ""))
        form.reason.data = recorded.get("reason", "")
        return _render_adjustment(draft, form)
    if form.kind.data not in (POINTS, COUNTERS):
        abort(400)
    if form.kind.data == COUNTERS:
        draft = _place(draft, form.version_in(draft.latest))
    facts = form.facts()
    is_same = facts["adjustment"].get("reason") == recorded.get("reason")
    problem = ambiguity(f"adjustment.{form.amount_key}", form.amount.data, 0)
    problem = problem or (None if is_same else next(reason_problems(facts), None))
    result = refuse_change(problem) if problem else submit(draft.latest, [draft.change(facts)], form)
    return respond_to_deal(result, draft, form, lambda now, notice: _render_adjustment(now, form, notice))


def _place(draft: DealDraft, version: int) -> DealDraft:
    """Return the draft with the place of a new payment at the table as the page showed it, at this version."""
    return draft if draft.deal is not None else draft.at_version(version).before_end()


def _render_adjustment(draft: DealDraft, form: AdjustmentForm, notice: NotWritten | None = None) -> str:
    draft = _place(draft, draft.table.version)
    game, standing = draft.table.game, draft.standing
    return render_template(
        "tables/adjustment.html",
        table=draft.table,
        standing=standing,
        draft=draft,
        form=form,
        parties=[(party, party_people(party, standing)) for party in standing.parties],
        players=[(player, party_people(player, standing)) for player in standing.balances],
        units=[(unit, unit_text(game, "unit", unit)) for unit in game.units],
        **set_notice(form, draft.table, notice),
    )


class SubstitutionForm(DealForm):
    """Who leaves; who comes in, by the person's token or by name; and whom a typed name means."""

    out = StringField()
    newcomer = StringField()
    name = StringField()
    meanings = SentField(MEANING)


def edit_substitution(draft: DealDraft) -> ResponseReturnValue:
    form = SubstitutionForm()
    if not form.is_submitted():
        recorded = draft.last_facts.get(SUBSTITUTION, {})
        form.out.data = recorded.get("out")
        seats = (seat for seat in draft.table.stored.seats if seat.seat == recorded.get("in"))
        form.newcomer.data = next((seat.player.person.token for seat in seats), None)
        return _render_substitution(draft, form)
    return respond_to_deal(
        _substitute(draft, form), draft, form, lambda now, notice: _render_substitution(now, form, notice)
    )


def _substitute(draft: DealDraft, form: SubstitutionForm) -> WriteResult:
    """Write the substitution; who leaves sat where the page showed them."""
    shown = draft.at_version(form.version_in(draft.latest))
    if form.out.data not in shown.standing.players:
        return refuse_change(Problem(f"{SUBSTITUTION}.out", "nobody-leaves"))
    token = form.newcomer.data
    # 0, which no player has, is for one who is not in the circle.
    chosen = read_ids_by_token(draft.table.stored.circle).get(token, 0) if token else None
    newcomer = Newcomer(chosen, form.name.data or "", form.meanings.data)
    chair = shown.chair_of(form.out.data)
    return substitute(draft.latest, draft.change({}), chair, newcomer, form.seen.data or "", form.read_key(), g.browser)


def _render_substitution(draft: DealDraft, form: SubstitutionForm, notice: NotWritten | None = None) -> str:
    return render_template(
        "tables/substitution.html",
        table=draft.table,
        standing=draft.standing,
        draft=draft,
        form=form,
        leaving=[(player, party_name(player)) for player in draft.standing.players],
        # Those without a seat before it.
        candidates=[(each.token, each.name) for each in list_candidates(draft.table, draft.standing.players)],
        problems=notice.problems if isinstance(notice, Refused) and notice.is_own else (),
        **set_notice(form, draft.table, notice),
    )
