"""Write to a table, and respond with the table or with the reason why nothing was written."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import abort, g, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.utils import cached_property

from ...models import SCORE, Browser
from ...scoring.game import announcement_problems
from ...scoring.pad import is_part_of
from ...scoring.pad_state import Pad, build_pad, taps_for
from ...scoring.standing import COUNT, DEAL, AnyStanding
from ...services.outcome import Done, Stale
from ...services.tables.writing import NotWritten, Recorded, WriteResult, write
from ...stats.endings import find_ending
from ...tables.revisions import AMEND, INSERT, RECORD, Change, RecordedDeal, find_last_mark
from ...tables.seating import to_chairs, to_labels
from ...tables.state import TableState
from ..support import access
from ..support.forms import WriteForm, new_key, parse_id, read_key
from .live import Now
from .words import find_shown_change


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
        """Return stored facts with the people of the standing."""
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
        """Return the draft on the table as it is now, after others have written to it."""
        latest = access.get_table_or_404(self.latest.token, SCORE)
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
    table = access.get_table_or_404(token, SCORE, guests=guests)
    takes_new = table.takes_adjustments if is_adjustment else table.takes_deals
    if request.method == "GET" and (table.is_closed or (kind == RECORD and not takes_new)):
        abort(redirect(url_for("table.show", token=token)))
    if deal_id is None:
        return DealDraft(table, table, kind)
    deal = table.deal(deal_id)
    if deal is None:
        abort(404)
    return DealDraft(table, table, kind, deal=deal) if kind == AMEND else DealDraft(table, table, kind, before=deal)


NEXT = "next"  # the value of the button that records a new deal and goes on to the pad of the next one


def submit(
    table: TableState, changes: Sequence[Change], form: WriteForm, browser: Browser | None = None
) -> WriteResult:
    """Write changes under the form's entry key, unless the form's page did not show all; `browser` is the author."""
    return write(table, changes, form.seen.data or "", read_key(), browser or g.browser)


def submit_button(table: TableState, *changes: Change, then: str = "table.show") -> ResponseReturnValue:
    """Write what takes a single button; redirect to the endpoint `then`, or show the table with the reason."""
    result = submit(table, changes, WriteForm())
    if isinstance(result, Done):
        return redirect(url_for(then, token=table.token, changed=result.value.revision.number), 303)
    return render_failure(table, result)


def render_failure(table: TableState, result: NotWritten) -> ResponseReturnValue:
    """Show a table with the reason why nothing was written."""
    if isinstance(result, Stale):
        return render_table(access.get_table_or_404(table.token, SCORE), result), 409
    return render_table(table, result), 422


def render_table(table: TableState, notice: NotWritten | None = None) -> str:
    """Render the table's page; `notice` is the result of a write that failed."""
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


# --- pads and other forms of a deal ---------------------------------------------------------------------------


def respond(
    result: WriteResult, draft: DealDraft, render: Callable[[DealDraft, NotWritten], str]
) -> ResponseReturnValue:
    """Return what follows the write of a form: the table; or the form, as `render` renders it, with the reason."""
    if is_sent_by_script():
        return _respond_to_script(result, draft.table)
    if isinstance(result, Done):
        return redirect(_url_after(result.value), 303)
    if isinstance(result, Stale):
        return render(draft.reloaded(), result), 409
    return render(draft, result), 422


def set_notice(form: WriteForm, table: TableState, notice: NotWritten | None) -> dict[str, NotWritten | None]:
    """Set what a form shows of the table now; return a failed write as variables of a template."""
    is_stale = isinstance(notice, Stale)
    form.set_seen(table.mark, notice.current if isinstance(notice, Stale) else ())
    return {"stale": notice if is_stale else None, "outcome": None if is_stale else notice}


def _url_after(recorded: Recorded) -> str:
    """Return the address of the page that shows the recorded deal.

    After a new deal it is the next one's pad, unless the deal has ended something: the table tells it.
    """
    table = recorded.table
    goes_on = request.form.get("do") == NEXT and table.takes_deals and find_ending(table.game, table.standing) is None
    return url_for("deals.new" if goes_on else "table.show", token=table.token, recorded=recorded.revision.deal)


def is_sent_by_script() -> bool:
    return request.headers.get("Accept") == "application/json"


def _respond_to_script(result: WriteResult, shown: TableState) -> ResponseReturnValue:
    """Return the result of a write as JSON, with notices as HTML. The phone keeps its entry until this arrives.

    `seen` is the mark of the last revision, `after` that of the one before the entry: an entry that waits and has seen
    `after` as well has now seen `seen`. `next` is the number of the next deal, by which the phone labels what waits.
    """
    if isinstance(result, Done):
        recorded = result.value
        at = _url_after(recorded)
        after = find_last_mark(recorded.table.revisions[: recorded.revision.number - 1])
        return jsonify(recorded=True, seen=recorded.revision.mark, after=after, at=at, next=recorded.table.next_number)
    if isinstance(result, Stale):
        table = access.get_table_or_404(shown.token, SCORE)
        notice = render_template("tables/_stale.html", table=table, stale=result)
        return jsonify(stale=notice, seen=table.mark, key=new_key(), next=table.next_number), 409
    return jsonify(refused=render_template("tables/_refused.html", table=shown, refused=result)), 422
