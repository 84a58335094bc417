"""Recording a deal on its pad: the request is read, previewed or checked, written, and answered.

A new deal, a forgotten one before another, or a recorded one that is amended. What else is written to a table is sent
and answered in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

from flask import Blueprint, Response, abort, g, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, HiddenField, StringField

from ..db.outcome import Done, Stale
from ..models import SCORE, new_token
from ..scoring.game import announcement_problems
from ..scoring.pad import Pad, is_part_of
from ..scoring.problems import Problem
from ..scoring.standing import DEAL, AnyStanding
from ..scoring.taps import build_pad, find_frequent, list_typed, taps_for
from ..site.fields import parse_digits
from ..site.forms import SentField, WriteForm
from ..site.http import is_sent_by_script
from ..site.language import party_name, party_people, t
from . import access as table_access
from .chairs import to_chairs, to_labels
from .corrections import build_withdrawals, find_consequences, find_deals_in_the_way
from .endings import find_ending
from .game_layouts import find_missing, pad_shape
from .live import read_followed_page, read_page
from .revisions import (
    ANNOUNCE,
    INSERT,
    RECORD,
    Change,
    RecordedDeal,
    RevisionRow,
    find_last_announced,
    find_last_seen,
    find_together,
)
from .state import TableState
from .words import find_key_of_kind, find_shown_change
from .writing import NotWritten, Preview, Recorded, Refused, WriteResult, preview, write

# Other modules add the pages of a deal that is recorded already, and those of what stands among the deals.
blueprint = Blueprint("deals", __name__, url_prefix="/tables/<token>/deals")
T = TypeVar("T")

NEXT = "next"  # the value of the button that records a new deal and goes on to the pad of the next one
ZEROS = "zeros"  # the value of the button that enters 0 for every number that is still needed
MISDEAL = "misdeal"  # the value of the button that records that cards are dealt again
WITHDRAW_LATER = "remove"  # the value of the button that also withdraws the later deals in its way
_ACTIONS = (None, "record", NEXT, "check", "preview", "announce", MISDEAL, ZEROS, WITHDRAW_LATER)


class SeenForm(WriteForm):
    """A form that a page of a table shows, with the last revision there as `seen`."""

    def set_seen(self, table: TableState, notice: NotWritten | None) -> None:
        """Set what the page shows; and another key, if something else was recorded under this one."""
        self.seen.data = table.seen
        if isinstance(notice, Stale) and any(revision.entry_key == self.key.data for revision in notice.current):
            self.key.data = new_token()


class PadForm(SeenForm):
    """The dealer and the taps; the pad says which groups it has, and validates them."""

    do = StringField()  # the button that sent the form
    dealer = StringField()
    shown = HiddenField()
    shape = StringField()  # identifies the groups that the page shows
    withdrawn = StringField(name="removed")  # the later deals that its button withdraws
    another = BooleanField()  # says that the last deal was not this one
    taps = SentField()


@dataclass(frozen=True)
class DealDraft:
    """A new deal, a forgotten one inserted before another, or a recorded one that is amended."""

    latest: TableState  # the table as it is now
    table: TableState  # the table as the page showed it; the taps refer to this one
    kind: str  # the kind of the revision: RECORD, INSERT or AMEND
    deal: RecordedDeal | None = None  # the deal that is amended
    before: RecordedDeal | None = None  # the deal that an inserted one precedes

    @cached_property
    def standing(self) -> AnyStanding:
        deal = self.deal or self.before
        return self.table.standing_before(deal.id) if deal is not None else self.table.standing

    def name_party(self, party: str) -> str:
        return party_people(party, self.standing)

    def change(self, facts: dict[str, Any], dealer: str | None = None) -> Change:
        """Return the revision that stores these facts. A dealer out of turn is stored with them."""
        body = facts if dealer in (None, self.standing.dealer) else {"dealer": dealer} | facts
        deal_id = self.deal.id if self.deal is not None else None
        before_id = self.before.id if self.before is not None else None
        stored = to_chairs(self.table.game, body, self.table.chairs, self.standing.players)
        return Change(self.kind, deal_id, before_id, stored)

    def chair_of(self, player: str) -> str:
        return self.table.chairs[self.standing.players.index(player)]

    def player_on(self, chair: str) -> str:
        return self.standing.players[self.table.chairs.index(chair)]

    @cached_property
    def last_facts(self) -> dict[str, Any]:
        """The latest facts of the amended deal, with the people of the standing; empty for a new deal."""
        body = self.deal.last_body if self.deal is not None else None
        return to_labels(self.table.game, body, self.table.chairs, self.standing.players) if body else {}

    @property
    def number(self) -> int:
        """What people call the deal by; of a substitution, the deal that follows."""
        return self.standing.deal_count + 1

    @property
    def recorded_facts(self) -> dict[str, Any]:
        """The latest facts of the amended deal. Empty for a new deal, a misdeal and an adjustment."""
        return {key: value for key, value in self.last_facts.items() if key not in ("dealer", "misdeal", "adjustment")}

    @property
    def draft_basis(self) -> str:
        """What must be the same for taps that a phone has kept: who plays, and what is recorded of the deal."""
        return json.dumps([self.standing.players, self.recorded_facts])

    @property
    def dealer(self) -> str:
        """The dealer of the amended deal, or the player whose turn it is to deal a new one."""
        return str(self.last_facts.get("dealer", self.standing.dealer))

    def build_pad(self, taps: Mapping[str, str], dealer: str) -> Pad:
        standing = self.standing if dealer == self.standing.dealer else replace(self.standing, dealer=dealer)
        return build_pad(self.table.game, standing, taps, self.recorded_facts)

    @property
    def announcement_to_repeat(self) -> dict[str, Any] | None:
        """What was announced of the last deal, if the game offers it again and it can be played now; else None."""
        game = self.table.game
        stored = find_last_announced(self.table.deals, game.announced)
        if stored is None:
            return None
        facts = to_labels(game, stored, self.table.chairs, self.standing.players)
        if announcement_problems(game, self.standing, facts):
            return None
        pad = build_pad(game, self.standing, taps_for(game, self.standing, facts))
        is_offered = (pad.left_out | pad.ruled_out).isdisjoint(pad.taps.items()) and is_part_of(facts, pad.facts)
        return facts if is_offered else None

    def as_seen(self, seen: str) -> DealDraft:
        """Return the draft on the table as the page showed it whose last revision was `seen`.

        As it is now, if its deal was not there then: no page has shown that.
        """
        table = self.latest.as_seen(seen)
        deal = self.deal or self.before
        was_there = deal is None or table.find_deal(deal.id) is not None
        return replace(self, table=table if was_there else self.latest)


def load_draft(token: str, kind: str, deal_id: int | None = None, *, guests: bool = False) -> DealDraft:
    """Return the draft of a new deal, or with `deal_id` of a deal that is amended or inserted before it.

    404 without access to the table, or to such a deal; 403 without the right to score. `guests` as `get_table_or_404`
    has it.
    """
    table = table_access.get_table_or_404(token, SCORE, guests=guests)
    if deal_id is None:
        return DealDraft(table, table, kind)
    deal = (table.find_deal(deal_id) or abort(404)).deal
    if kind == INSERT:
        return DealDraft(table, table, kind, before=deal)
    return DealDraft(table, table, kind, deal=deal) if table_access.may_change(table, deal_id) else abort(404)


def leave_form(draft: DealDraft, *, is_adjustment: bool = False) -> ResponseReturnValue | None:
    """Show the table instead of a form with which nothing more can be recorded; None if something can."""
    table = draft.table
    if table.is_closed:
        return redirect(url_for("table.show", token=table.token, refused="closed"))
    opened_for = table_access.find_opened_for(table)
    is_over = opened_for is not None and opened_for.main is not None and not is_adjustment
    takes_new = table.takes_adjustments if is_adjustment else table.takes_deals
    if draft.kind == RECORD and (is_over or not takes_new):
        return redirect(url_for("table.show", token=table.token, recorded=request.args.get("recorded")), 303)
    return None


# --- the pad -----------------------------------------------------------------------------------------------


@blueprint.route("/new", methods=["GET", "POST"])
@blueprint.route("/<int:deal_id>/insert", methods=["GET", "POST"], endpoint="insert")
def new(token: str, deal_id: int | None = None) -> ResponseReturnValue:
    """Enter a new deal, or with `deal_id` a forgotten one before that deal."""
    return edit_deal(load_draft(token, RECORD if deal_id is None else INSERT, deal_id, guests=True))


def edit_deal(draft: DealDraft) -> ResponseReturnValue:
    form = PadForm()
    if form.is_submitted():
        return _submit_pad(_read_pad_input(draft.as_seen(form.seen.data), form))
    facts = draft.recorded_facts
    if not facts and draft.kind == RECORD:  # what was announced of this deal, or of the last one
        facts = (draft.announcement_to_repeat if "again" in request.args else draft.table.announced) or {}
    taps = taps_for(draft.table.game, draft.standing, facts) if facts else {}
    return leave_form(draft) or _PadInput(draft, form, draft.build_pad(taps, draft.dealer), draft.dealer).render()


def _read_pad_input(draft: DealDraft, form: PadForm) -> _PadInput:
    """Return the pad with the taps, and the dealer, for the people who sit now on the chairs that the page showed.

    The page shows the revision at which its pad was made: `seen` may be later, since a phone counts the entries that
    it has sent before.
    """
    shown = draft.as_seen(form.shown.data or form.seen.data)
    players = shown.standing.players
    if draft.standing.players == players:
        dealer = form.dealer.data if form.dealer.data in players else draft.dealer
        return _PadInput(draft, form, draft.build_pad(form.taps.data, dealer), dealer)
    dealer = form.dealer.data if form.dealer.data in players else shown.dealer
    pad = _move_pad(shown.build_pad(form.taps.data, dealer), shown, draft)
    return _PadInput(draft, form, pad, draft.player_on(shown.chair_of(dealer)) if form.dealer.data else draft.dealer)


def _move_pad(pad: Pad, shown: DealDraft, draft: DealDraft) -> Pad:
    """Return a pad as it is with the people who sit now on the chairs of those that it names."""
    game, table = draft.table.game, draft.table
    stored = to_chairs(game, pad.facts, table.chairs, shown.standing.players)
    facts = to_labels(game, stored, table.chairs, draft.standing.players)
    parts = {group.name: pad.taps[group.name] for group in pad.groups if group.is_additive and group.name in pad.taps}
    return build_pad(game, draft.standing, taps_for(game, draft.standing, facts) | parts, facts)


def _submit_pad(sent: _PadInput) -> ResponseReturnValue:
    """Preview, check, announce or record the deal, as the button `do` says; `next` and no button record it."""
    draft, action = sent.draft, sent.form.do.data
    if action not in _ACTIONS:
        abort(400)
    if action == "preview":
        return sent.preview()
    if action == ZEROS:
        return sent.with_zeros().render()
    if action == MISDEAL:
        return sent.write(draft.change({"misdeal": True}, sent.dealer))
    if action == "announce":
        facts = {key: value for key, value in sent.pad.facts.items() if key in draft.table.game.announced}
        return replace(sent, dealer=draft.dealer).write(Change(ANNOUNCE, body=draft.change(facts).body))
    if sent.pad.unanswered:
        return sent.refuse_incomplete()
    if action == "check":
        return sent.render(sent.outcome.own_problems if isinstance(sent.outcome, Refused) else ())
    return sent.write(*(sent.build_withdrawals() if action == WITHDRAW_LATER else ()), sent.change)


@dataclass(frozen=True)
class _PadInput:
    """What somebody enters of a deal on its pad."""

    draft: DealDraft
    form: PadForm
    pad: Pad
    dealer: str
    refused: Refused | None = None  # why it was not recorded

    @property
    def change(self) -> Change:
        return self.draft.change(self.pad.facts, self.dealer)

    @cached_property
    def outcome(self) -> Preview | Refused | None:
        """What the deal would change; None before the first tap, and while a group is not answered."""
        if self.refused is None and not self.pad.unanswered and (self.pad.taps or self.form.is_submitted()):
            return preview(self.draft.table, self.change)
        return self.refused

    def with_zeros(self) -> _PadInput:
        taps = {**self.pad.taps, **self.pad.mistyped, **self.pad.zeros}
        return replace(self, pad=self.draft.build_pad(taps, self.dealer))

    def build_withdrawals(self) -> list[Change]:
        """Return the withdrawals of the later deals that the button named, if these are still the ones in its way."""
        table = self.draft.table
        named = tuple(parse_digits(number) or 0 for number in (self.form.withdrawn.data or "").split())
        return build_withdrawals(table, named) if named == find_deals_in_the_way(table, self.change) else []

    def write(self, *changes: Change) -> ResponseReturnValue:
        theirs = _find_their_same_deal(self.draft, changes[-1], self.form)
        result: WriteResult = Stale([theirs]) if theirs is not None else submit(self.draft.latest, changes, self.form)
        return respond_to_deal(
            result,
            self.draft,
            lambda now, notice: self.render_again(now, notice, changes[-1]),
            goes_on=self.draft.kind == RECORD and self.form.do.data in (NEXT, MISDEAL),
        )

    def preview(self) -> ResponseReturnValue:
        """Return a preview to the page's script.

        JSON keys: `working`, the entries as HTML; `withheld`, cells that are no longer possible; `worked_out`, cells
        that follow from the taps. A cell is "group=choice". If the page shows other groups, also `groups`, as HTML;
        `shape` identifies these; the page sends it.
        """
        variables = self._variables()
        pad = self.pad
        shape = pad_shape(pad)
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
        if isinstance(notice, Refused):
            return replace(self, draft=current, refused=notice).render(notice.own_problems)
        draft = self.draft
        is_in_turn = self.dealer == draft.dealer
        dealer = current.dealer if is_in_turn else current.player_on(draft.chair_of(self.dealer))
        is_same = current.standing.players == draft.standing.players
        pad = current.build_pad(self.pad.taps, dealer) if is_same else _move_pad(self.pad, draft, current)
        same_deal = next((row.deal_id for row in notice.current if _is_same_deal(row, change)), None)
        return _PadInput(current, self.form, pad, dealer).render(stale=notice, same_deal=same_deal)

    def render(
        self,
        problems: tuple[Problem, ...] = (),
        *,
        stale: Stale[Sequence[RevisionRow]] | None = None,
        same_deal: int | None = None,
    ) -> str:
        draft, table, standing, form = self.draft, self.draft.table, self.draft.standing, self.form
        deal = draft.deal or draft.before
        row = table.find_row(deal.id) if deal is not None else None
        form.set_seen(table, stale)
        form.shown.data = form.seen.data
        shown = find_shown_change(table)
        return render_template(
            "tables/deal.html",
            **self._variables(),
            table_page=read_followed_page(table),
            title=t(find_key_of_kind(f"pad.title.{draft.kind}", row.kind if row else DEAL), number=draft.number),
            shape=pad_shape(self.pad),
            players=[(player, party_name(player)) for player in standing.players],
            frequent=find_frequent(chain(*list_typed(table.game, standing).values())),
            form=form,
            problems=problems,
            stale=stale,
            same_deal=same_deal,
            change=shown,
            recorded=table.find_deal(shown.deal_id) if shown and shown.kind == RECORD else None,
        )

    def _variables(self) -> dict[str, Any]:
        """Return what all templates of a pad use."""
        draft, pad = self.draft, self.pad
        return {
            "draft": draft,
            "table": draft.table,
            "standing": draft.standing,
            "pad": pad,
            "dealer": self.dealer,
            "outcome": self.outcome,
            "later": find_consequences(draft.table, self.outcome) if draft.kind != RECORD else None,
            "in_the_way": self._find_in_the_way(),
            "missing": find_missing(draft.table.game, pad, draft.standing),
        }

    def _find_in_the_way(self) -> tuple[int, ...]:
        """Return the later deals that this one would make impossible, if this phone may withdraw them all."""
        table, outcome = self.draft.table, self.outcome
        if not isinstance(outcome, Refused) or outcome.is_own or self.pad.unanswered:
            return ()
        found = find_deals_in_the_way(table, self.change)
        return found if all(table_access.may_change(table, deal_id) for deal_id in found) else ()


def _is_same_deal(row: RevisionRow, change: Change) -> bool:
    return row.kind == change.kind == RECORD and row.body == change.body


def _find_their_same_deal(draft: DealDraft, change: Change, form: PadForm) -> RevisionRow | None:
    """Return the last deal if another phone has recorded these facts, and the pad has not asked about that before."""
    rows = draft.latest.revisions
    is_misdeal = "misdeal" in (change.body or {})  # several in a row are usual
    if draft.table is not draft.latest or not rows or rows[-1].membership_id == g.membership.id or is_misdeal:
        return None
    is_asked = form.another.data or any(row.entry_key == form.key.data for row in rows)
    return rows[-1] if not is_asked and _is_same_deal(rows[-1], change) else None


# --- writing and answering ---------------------------------------------------------------------------------


def submit(table: TableState, changes: Sequence[Change], form: WriteForm) -> WriteResult:
    """Write changes under the form's entry key, unless the form's page did not show all.

    404 if one of them is of a deal that the phone may not change.
    """
    if not all(table_access.may_change(table, change.deal_id) for change in changes):
        abort(404)
    return write(table, changes, form.seen.data, form.read_key(), g.membership)


def respond(
    result: Done[T] | NotWritten, table: TableState, show: Callable[[NotWritten], str], url: Callable[[T], str]
) -> ResponseReturnValue:
    """Answer a write: redirect to the page that follows, or show the form again with the reason; a script gets JSON."""
    is_script = is_sent_by_script()
    if isinstance(result, Done):
        at = url(result.value)
        if is_script and isinstance(result.value, Recorded):
            return _tell_recorded(result.value, at)
        return redirect(at, 303)
    if is_script:
        return _tell_not_written(result, table)
    return show(result), 409 if isinstance(result, Stale) else 422


def _tell_recorded(recorded: Recorded, at: str) -> Response:
    """Tell a script that its entry is recorded; only now the phone forgets it.

    Others may wait on the phone, which have seen the same revision, `after`: they have now seen `seen` as well.
    `next` is the number of the next deal, by which the phone labels them.
    """
    last, table = recorded
    before = find_last_seen(table.revisions[: last.number - len(find_together(table.revisions, last))])
    return jsonify(recorded=True, seen=last.seen, after=before, at=at, next=table.standing.deal_count + 1)


def _tell_not_written(result: NotWritten, table: TableState) -> ResponseReturnValue:
    """Tell a script the reason as HTML; after other entries, also what to send the same entry again with."""
    table = read_anew(table) if isinstance(result, Stale) else table
    notice = render_template("tables/_not_written.html", table=table, table_page=read_page(table), notice=result)
    if isinstance(result, Stale):
        return jsonify(stale=notice, seen=table.seen, key=new_token(), next=table.standing.deal_count + 1), 409
    return jsonify(refused=notice), 422


def respond_to_deal(
    result: WriteResult, draft: DealDraft, render: Callable[[DealDraft, NotWritten], str], *, goes_on: bool = False
) -> ResponseReturnValue:
    """Answer the write of a deal. If it `goes_on`, the next pad follows, unless the deal has ended something."""

    def url(recorded: Recorded) -> str:
        table = recorded.table
        is_next = goes_on and table.takes_deals and find_ending(table.game, table.standing) is None
        return url_for("deals.new" if is_next else "table.show", token=table.token, recorded=recorded.revision.deal_id)

    def show(notice: NotWritten) -> str:
        latest = read_anew(draft.latest) if isinstance(notice, Stale) else None
        return render(replace(draft, latest=latest, table=latest) if latest is not None else draft, notice)

    return respond(result, draft.table, show, url)


def read_anew(table: TableState) -> TableState:
    return table_access.get_table_or_404(table.token, SCORE)
