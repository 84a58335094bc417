"""One table's history: its chart, its state after each deal, its changes, its printed sheet and its recap."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple
from unicodedata import category, east_asian_width

from babel.numbers import format_compact_decimal
from flask import Blueprint, abort, g, render_template, request

from ...i18n import dates
from ...scoring.sheet import has_payments, running_balances, settlement_unit
from ...scoring.standing import MANCHE, ROBRE
from ...services.money.scopes import Scope
from ...stats import chart
from ...tables.revisions import RevisionRow
from ...tables.state import ScoredDeal, TableState
from ..support import access
from ..support.forms import parse_id
from ..support.language import number, signed
from . import recap

blueprint = Blueprint("history", __name__, url_prefix="/tables/<token>")
blueprint.add_app_template_global(recap.who_plays)

MAX_CHARTED_DEALS = 60  # more cannot be distinguished on a phone
MAX_PER_PAGE = 50  # deals or changes
PLAYER_LABEL = 8  # letters of a player's name beside a line
SIDE_LABEL = 4  # letters of a side's name: N–S
COMPACT_FROM = 10_000  # an axis shows 10K


# --- the chart ---------------------------------------------------------------------------------------------


@blueprint.get("/chart", endpoint="chart")
def show_chart(token: str) -> str:
    """Show the last deals, or those up to `?to=<number>`, as a chart and as a table."""
    table = access.get_table_or_404(token)
    standing, deals = table.standing, len(table.standing.rows)
    last = min(max(number_arg("to", deals), 1), deals)
    first = max(0, last - MAX_CHARTED_DEALS)
    label_length = SIDE_LABEL if table.game.in_sides else PLAYER_LABEL
    balances = chart.balances(table.game, standing)
    is_drawn = table.game.shows_balances and has_payments(standing)
    if table.game.scores_are_payments:
        scores = chart.paid_scores(table.game, standing, first, last)
    else:
        scores = chart.scores(standing, first, last)
    return render_template(
        "tables/history/chart.html",
        table=table,
        first=first,
        last=last,
        scores=chart.draw(scores, label_length, tick),
        balances=chart.draw(balances, PLAYER_LABEL, lambda amount: tick(amount, True)) if is_drawn else None,
        every=balances.step,
        running_balances=running_balances(table.game, standing),
        unit=settlement_unit(table.game),
        scored_deals=valid_deals(table)[first:last],
        newer=min(last + MAX_CHARTED_DEALS, deals) if last < deals else None,
        older=first or None,
    )


def valid_deals(table: TableState) -> list[ScoredDeal]:
    """Return the deals that are not withdrawn, in order."""
    return [scored for scored in table.scored_deals if scored.row is not None]


def number_arg(name: str, default: int) -> int:
    """Return a number from the query string, or the default if it has no such number."""
    number = parse_id(request.args.get(name))
    return default if number is None else number


# --- stepping back -----------------------------------------------------------------------------------------


@blueprint.get("/after/<int:number>")
def after(token: str, number: int) -> str:
    """Show the table as it was after the first `number` rows; 0 is before the first one."""
    table = access.get_table_or_404(token)
    deals = valid_deals(table)
    if number > len(deals):
        abort(404)
    return render_template(
        "tables/history/step_back.html",
        table=table,
        standing=table.standing_after(number),
        row_count=number,
        last=len(deals),
        scored=deals[number - 1] if number else None,
    )


# --- all deals ---------------------------------------------------------------------------------------------


@blueprint.get("/deals")
def deals(token: str) -> str:
    """List all deals, withdrawn ones too, newest first; with `?before=<position>`, an older page of them."""
    table = access.get_table_or_404(token)
    number = len(table.deals)
    last = max(0, min(number_arg("before", number + 1) - 1, number))
    first = max(0, last - MAX_PER_PAGE)
    return render_template(
        "tables/history/deals.html",
        table=table,
        scored_deals=table.scored_deals[first:last][::-1],
        newer=min(last + MAX_PER_PAGE, number) + 1 if last < number else None,
        older=first + 1 if first else None,
    )


# --- revisions ---------------------------------------------------------------------------------------------


class RevisionView(NamedTuple):
    """A revision as the list of changes shows it, with the deal's facts before it."""

    revision: RevisionRow
    before: dict[str, Any] | None


@blueprint.get("/changes")
def changes(token: str) -> str:
    """List every revision, newest first; with `?before=<number>`, an older page of them."""
    table = access.get_table_or_404(token)
    last = min(number_arg("before", table.version + 1) - 1, table.version)
    first = max(0, last - MAX_PER_PAGE)
    return render_template(
        "tables/history/changes.html",
        table=table,
        changes=_changes(table, table.revisions[first : max(last, 0)]),
        newer=min(last + MAX_PER_PAGE, table.version) + 1 if last < table.version else None,
        older=first + 1 if first else None,
    )


def _changes(table: TableState, revisions: Sequence[RevisionRow]) -> list[RevisionView]:
    """Return the revisions as the page shows them, newest first."""
    facts_before: dict[int, dict[str, Any] | None] = {}
    for deal in table.deals:
        for earlier, later in zip(deal.revisions, deal.revisions[1:], strict=False):
            facts_before[later.number] = earlier.body
    return [RevisionView(revision, facts_before.get(revision.number)) for revision in reversed(revisions)]


# --- printing and sharing ----------------------------------------------------------------------------------


@blueprint.get("/print")
def printed(token: str) -> str:
    """Show the score sheet for printing."""
    table = access.get_table_or_404(token)
    return render_template(
        "tables/history/print.html",
        table=table,
        scored_deals=valid_deals(table),
        ends=_wins(table),
        result=table.result,
        settling=recap.of_scope(table.stored.circle, Scope(table=table.stored), [table.stored]),
    )


def _wins(table: TableState) -> dict[str, dict[str, int]]:
    """Return how many robres and manches each party has won, by kind. A kind of which none has ended is left out."""
    closings = [closing for row in table.standing.rows for closing in row.closings]
    parties = table.standing.parties if table.game.in_sides else table.everybody
    return {
        kind: {party: sum(c.kind == kind and party in c.winners for c in closings) for party in parties}
        for kind in (ROBRE, MANCHE)
        if any(closing.kind == kind for closing in closings)
    }


@blueprint.get("/recap", endpoint="recap")
def show_recap(token: str) -> str:
    """Show a summary of the table as plain text to share."""
    table = access.get_table_or_404(token)
    return render_template("tables/history/recap.html", table=table, recap=recap.of_table(table.stored))


@blueprint.app_template_global()
def day_and_year(day: date) -> str:
    """Return a date in words with its weekday and year."""
    return dates.day_in_words(day, g.language, has_year=True)


@blueprint.app_template_global()
def fit_label(name: str) -> str:
    """Shorten a name to the room beside a line. Chinese characters, W and M count as two letters."""
    shortened, room = "", PLAYER_LABEL
    for char in name:
        if category(char) in ("Cf", "Mn"):
            continue  # takes no room; and a cut-off name must not leave an open isolate
        room -= 2 if east_asian_width(char) in "WF" or char in "WMwm@" else 1
        if room < 0:
            return f"{shortened[:-1]}…"
        shortened += char
    return shortened


@blueprint.app_template_global()
def tick(value: int, is_signed: bool = False) -> str:
    """Format a number for an axis: 25, −100, 12K. `is_signed` adds a + to positive numbers."""
    if abs(value) < COMPACT_FROM:
        return signed(value) if is_signed or value < 0 else number(value)
    compact = format_compact_decimal(abs(value), locale=g.language)
    if compact.isdecimal():  # the language has no short form of thousands
        compact = number(abs(value))
    return f"{'−' if value < 0 else '+' if is_signed else ''}{compact}"
