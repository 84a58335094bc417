"""Something told to a table: to which standing of it, how it is written, and what its teller is answered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from flask import abort, g, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from .. import book, history
from ..book import SCORE, Entry, Recorded, Refused, Stale
from ..history import Change, KeptDeal
from ..scoring.standing import Standing
from ..table import Open
from . import access
from .forms import WriteForm

Answer = str | Response | tuple[str, int] | tuple[Response, int]


@dataclass(frozen=True)
class Telling:
    """What is being told: a new deal, one put in before another, or one that is amended."""

    latest: Open  # the table as it is
    table: Open  # the table as the page showed it
    kind: str
    standing: Standing  # in which the deal is played
    deal: KeptDeal | None = None
    before: KeptDeal | None = None

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

    def at(self, table: Open) -> Telling:
        """The same, told to the table as it stands there."""
        place = self.deal or self.before
        standing = table.before(place.id) if place is not None else table.standing
        return replace(self, table=table, standing=standing)

    def as_seen(self, seen: int) -> Telling:
        """The same, told to the table as its page showed it."""
        table = self.latest.as_seen(seen)
        return self if table is self.latest else self.at(table)


def telling_of(token: str, kind: str, deal_id: int | None = None) -> Telling:
    table = access.table_or_not_yours(token, SCORE)
    if deal_id is None:
        return Telling(table, table, kind, table.standing)
    deal = table.deal(deal_id)
    if deal is None:
        abort(404)
    standing = table.before(deal_id)
    return Telling(table, table, kind, standing, **{"deal" if kind == history.AMEND else "before": deal})


def write_told(telling: Telling, form: WriteForm, change: Change) -> Recorded | Stale | Refused:
    entry = Entry(change, form.has_seen, form.key.data or "")
    return book.write(telling.latest, entry, g.browser)


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
        notice = render_template("_stale.html", table=result.table, stale=result)
        return jsonify(stale=notice, seen=result.table.seen), 409
    return jsonify(refused=render_template("_refused.html", table=telling.table, refused=result)), 422
