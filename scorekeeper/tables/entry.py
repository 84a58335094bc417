"""Write to a table, and respond with the table or with the reason why nothing was written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from flask import abort, g, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.utils import cached_property
from wtforms import StringField

from ..db.outcome import Done, Stale
from ..models import SCORE
from ..scoring.game import announcement_problems
from ..scoring.pad import is_part_of
from ..scoring.pad_state import Pad, build_pad, taps_for
from ..scoring.standing import COUNT, DEAL, AnyStanding
from ..site.forms import WriteForm, new_key, parse_id
from . import access as table_access
from .endings import find_ending
from .live import Now
from .revisions import AMEND, INSERT, RECORD, Change, RecordedDeal, RevisionRow, find_last_mark, find_marked
from .seating import to_chairs, to_labels
from .state import TableState
from .words import find_shown_change
from .writing import NotWritten, Recorded, WriteResult, write

T = TypeVar("T")
NEXT = "next"  # the value of the button that records a new deal and goes on to the pad of the next one


class SeenForm(WriteForm):
    """A form that a page of a table shows, with the mark of the last revision there."""

    def set_seen(self, mark: str, since: Iterable[RevisionRow] = ()) -> None:
        """Set the mark of what the page shows; and another key, if one of `since` was recorded under this one."""
        self.seen.data = mark
        if any(revision.entry_key == self.key.data for revision in since):
            self.key.data = new_key()

    def version_in(self, table: TableState) -> int:
        """Return the number of the last revision that the page showed; −1, which is always stale, if it is not here."""
        return find_marked(table.revisions, self.seen.data)


class DealForm(SeenForm):
    """A form that records a deal; `do` is the button that sent it."""

    do = StringField()


@dataclass(frozen=True)
class DealDraft:
    """A new deal, a forgotten one inserted before another, or a recorded one that is amended.

    Attributes:
        latest: the table as it is now.
        table: the table as the page showed it; the taps refer to this one.
        kind: the kind of the revision: RECORD, INSERT or AMEND.
        deal: the deal that is amended.
        before: the deal that an inserted one precedes.
    """

    latest: TableState
    table: TableState
    kind: str
    deal: RecordedDeal | None = None
    before: RecordedDeal | None = None

    @cached_property
    def standing(self) -> AnyStanding:
        deal = self.deal or self.before
        return self.table.standing_before(deal.id) if deal is not None else self.table.standing

    def change(self, facts: dict[str, Any], dealer: str | None = None) -> Change:
        """Return the revision that stores these facts. A dealer out of turn is stored with them.

        The facts name people of the standing; stored facts name their chairs.
        """
        body = facts if dealer in (None, self.standing.dealer) else {"dealer": dealer} | facts
        deal_id = self.deal.id if self.deal is not None else None
        before_id = self.before.id if self.before is not None else None
        return Change(self.kind, deal_id, before_id, self.to_chairs(body))

    def to_chairs(self, facts: dict[str, Any]) -> dict[str, Any]:
        return to_chairs(self.table.game, facts, self.table.chairs, self.standing.players)

    def from_chairs(self, body: dict[str, Any]) -> dict[str, Any]:
        return to_labels(self.table.game, body, self.table.chairs, self.standing.players)

    def chair_of(self, player: str) -> str:
        return self.table.chairs[self.standing.players.index(player)]

    def of_chair(self, chair: str) -> str:
        return self.standing.players[self.table.chairs.index(chair)]

    @property
    def last_facts(self) -> dict[str, Any]:
        """The latest facts of the amended deal, with the people of the standing; empty for a new deal."""
        return self.from_chairs((self.deal and self.deal.last_body) or {})

    @property
    def number(self) -> int:
        """What people call the deal by; of a substitution, the deal that follows."""
        return self.standing.deal_count + 1

    @property
    def is_under_way(self) -> bool:
        kinds = (row.kind for row in reversed(self.standing.rows) if row.kind in (COUNT, DEAL))
        return next(kinds, DEAL) == COUNT

    @property
    def recorded_facts(self) -> dict[str, Any]:
        """The latest facts of the amended deal. Empty for a new deal, a misdeal and an adjustment."""
        return {key: value for key, value in self.last_facts.items() if key not in ("dealer", "misdeal", "adjustment")}

    @property
    def begun_upon(self) -> str:
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
        game, facts = self.table.game, self.table.last_announcement
        if not game.announced_again or facts is None or announcement_problems(game, self.standing, facts):
            return None
        pad = build_pad(game, self.standing, taps_for(game, self.standing, facts))
        is_offered = (pad.left_out | pad.ruled_out).isdisjoint(pad.taps.items()) and is_part_of(facts, pad.facts)
        return facts if is_offered else None

    def at_version(self, version: int) -> DealDraft:
        """Return the draft on the table with its first `version` revisions, as the page showed it."""
        return replace(self, table=self.latest.at_version(version))

    def reloaded(self) -> DealDraft:
        latest = read_anew(self.latest)
        return replace(self, latest=latest, table=latest)

    def before_end(self) -> DealDraft:
        """Return the draft of a new payment: before the last deal if the game has ended with it, else after it.

        Nothing may follow the end in a sheet, and a payment between players changes no score.
        """
        is_over = self.table.standing.is_finished
        last = next((deal for deal in reversed(self.table.deals) if is_over and not deal.is_withdrawn), None)
        return replace(self, kind=INSERT if last is not None else RECORD, before=last)


def load_draft(
    token: str, kind: str, deal_id: int | None = None, *, guests: bool = False, is_adjustment: bool = False
) -> DealDraft:
    """Return the draft of a new deal, or with `deal_id` of a deal that is amended or inserted before it.

    404 without access to the table and if it has no such deal, 403 without the right to score. `guests` as
    `get_table_or_404` has it. Shows the table instead of a form with which nothing can be recorded any more.
    """
    table = table_access.get_table_or_404(token, SCORE, guests=guests)
    takes_new = table.takes_adjustments if is_adjustment else table.takes_deals
    if request.method == "GET" and (table.is_closed or (kind == RECORD and not takes_new)):
        abort(redirect(url_for("table.show", token=token)))
    if deal_id is None:
        return DealDraft(table, table, kind)
    deal = table.deal(deal_id)
    if deal is None:
        abort(404)
    return DealDraft(table, table, kind, deal=deal) if kind == AMEND else DealDraft(table, table, kind, before=deal)


def submit(table: TableState, changes: Sequence[Change], form: WriteForm) -> WriteResult:
    """Write changes under the form's entry key, unless the form's page did not show all."""
    return write(table, changes, form.seen.data or "", form.read_key(), g.browser)


def submit_button(table: TableState, *changes: Change, then: str = "table.show") -> ResponseReturnValue:
    """Write what takes a single button; redirect to the endpoint `then`, or show the table with the reason."""
    return respond_with_table(
        submit(table, changes, WriteForm()),
        table,
        lambda done: url_for(then, token=table.token, changed=done.revision.number),
    )


def respond(
    result: Done[T] | NotWritten, table: TableState, show: Callable[[NotWritten], str], url: Callable[[T], str]
) -> ResponseReturnValue:
    """Answer a write: redirect to the page that follows, or show the form again with the reason, to a script as JSON.

    The phone keeps its entry until this arrives. Notices are HTML; `seen` is the mark of the last revision, `after`
    that of the one before the entry: an entry that waits and has seen `after` as well has now seen `seen`. `next` is
    the number of the next deal, by which the phone labels what waits.
    """
    is_script = is_sent_by_script()
    if isinstance(result, Done):
        at = url(result.value)
        if not is_script or not isinstance(result.value, Recorded):
            return redirect(at, 303)
        mark, after = result.value.revision.mark, result.value.table
        before = find_last_mark(after.revisions[: result.value.revision.number - 1])
        return jsonify(recorded=True, seen=mark, after=before, at=at, next=after.next_number)
    if not is_script:
        return show(result), 409 if isinstance(result, Stale) else 422
    table = read_anew(table) if isinstance(result, Stale) else table
    notice = render_template("tables/_not_written.html", table=table, notice=result)
    if isinstance(result, Stale):
        return jsonify(stale=notice, seen=table.mark, key=new_key(), next=table.next_number), 409
    return jsonify(refused=notice), 422


def respond_with_table(result: Done[T] | NotWritten, table: TableState, url: Callable[[T], str]) -> ResponseReturnValue:
    """Answer a write from a table's page: with the table and the reason, if nothing was written."""
    return respond(result, table, lambda notice: render_table(table, notice), url)


def read_anew(table: TableState) -> TableState:
    return table_access.get_table_or_404(table.token, SCORE)


def render_table(table: TableState, notice: NotWritten | None = None) -> str:
    """Render the table's page; `notice` is the result of a write that failed."""
    if isinstance(notice, Stale):
        table = read_anew(table)
    change = find_shown_change(table)
    recorded = parse_id(request.args.get("recorded")) or (change and change.body and change.deal)
    return render_template(
        "tables/table.html",
        table=table,
        now=Now(table),
        notice=notice,
        recorded=table.deal(recorded) if recorded else None,
        change=change,
    )


def respond_to_deal(
    result: WriteResult, draft: DealDraft, form: DealForm, render: Callable[[DealDraft, NotWritten], str]
) -> ResponseReturnValue:
    """Answer the write of a deal. After a new one comes the next one's pad, unless it has ended something."""

    def url(recorded: Recorded) -> str:
        table = recorded.table
        goes_on = form.do.data == NEXT and table.takes_deals and find_ending(table.game, table.standing) is None
        return url_for("deals.new" if goes_on else "table.show", token=table.token, recorded=recorded.revision.deal)

    def show(notice: NotWritten) -> str:
        return render(draft.reloaded() if isinstance(notice, Stale) else draft, notice)

    return respond(result, draft.table, show, url)


def set_notice(form: SeenForm, table: TableState, notice: NotWritten | None) -> dict[str, NotWritten | None]:
    """Set what a form shows of the table now; return a failed write as variables of a template."""
    is_stale = isinstance(notice, Stale)
    form.set_seen(table.mark, notice.current if isinstance(notice, Stale) else ())
    return {"stale": notice if is_stale else None, "outcome": None if is_stale else notice}


def is_sent_by_script() -> bool:
    return request.headers.get("Accept") == "application/json"
