"""Shared by the pages that write a deal: the draft a form edits, how it is stored, and the responses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from flask import abort, g, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ... import services
from ...scoring.standing import Standing
from ...services import SCORE, Recorded, Refused, Stale, WriteRequest
from ...tables import revisions
from ...tables.revisions import Change, RecordedDeal
from ...tables.state import TableState
from ..support import access
from ..support.forms import WriteForm, new_key

Answer = str | Response | tuple[str, int] | tuple[Response, int]


@dataclass(frozen=True)
class Telling:
    """What is being told: a new deal, one put in before another, or one that is amended."""

    latest: TableState  # the table as it is
    table: TableState  # the table as the page showed it
    kind: str
    standing: Standing  # in which the deal is played
    deal: RecordedDeal | None = None
    before: RecordedDeal | None = None

    def change(self, body: dict[str, Any]) -> Change:
        deal = self.deal.id if self.deal is not None else None
        before = self.before.id if self.before is not None else None
        return Change(self.kind, deal, before, body)

    @property
    def number(self) -> int:
        """Which deal it is, as the sheet counts them."""
        return len(self.standing.rows) + 1

    @property
    def recorded(self) -> dict[str, Any]:
        body = (self.deal and self.deal.last_body) or {}
        return {key: value for key, value in body.items() if key not in ("dealer", "misdeal", "adjustment")}

    @property
    def dealer(self) -> str:
        """Who dealt, or whose turn it is to deal."""
        return str(((self.deal and self.deal.last_body) or {}).get("dealer", self.standing.dealer))

    def at(self, table: TableState) -> Telling:
        """The same, told to the table as it stands there."""
        place = self.deal or self.before
        standing = table.before(place.id) if place is not None else table.standing
        return replace(self, table=table, standing=standing)

    def as_seen(self, seen: int) -> Telling:
        """The same, told to the table as its page showed it."""
        table = self.latest.as_seen(seen)
        return self if table is self.latest else self.at(table)


def telling_of(token: str, kind: str, deal_id: int | None = None) -> Telling:
    table = access.get_table_or_404(token, SCORE)
    if deal_id is None:
        return Telling(table, table, kind, table.standing)
    deal = table.deal(deal_id)
    if deal is None:
        abort(404)
    standing = table.before(deal_id)
    return Telling(table, table, kind, standing, **{"deal" if kind == revisions.AMEND else "before": deal})


def look_again(telling: Telling) -> Telling:
    """The same, told to the table as it is now that others have written to it."""
    latest = access.get_table_or_404(telling.latest.token, SCORE)
    return replace(telling, latest=latest).at(latest)


def write_told(telling: Telling, form: WriteForm, change: Change) -> Recorded | Stale | Refused:
    entry = WriteRequest(change, form.has_seen, form.entry_key)
    return services.write(telling.latest, entry, g.browser)


def to_the_table(result: Recorded) -> Response:
    return redirect(_at_the_table(result), 303)


def _at_the_table(result: Recorded) -> str:
    return url_for("table.show", token=result.table.token, recorded=result.revision.deal)


def is_sent_by_script() -> bool:
    return request.headers.get("Accept") == "application/json"


def told_to_a_script(result: Recorded | Stale | Refused, telling: Telling) -> Answer:
    """What became of an entry, for the phone that keeps it until it is told."""
    if isinstance(result, Recorded):
        return jsonify(recorded=True, seen=result.revision.number, at=_at_the_table(result))
    if isinstance(result, Stale):
        table = look_again(telling).table
        notice = render_template("tables/_stale.html", table=table, stale=result)
        return jsonify(stale=notice, seen=table.seen, key=new_key()), 409
    return jsonify(refused=render_template("tables/_refused.html", table=telling.table, refused=result)), 422
