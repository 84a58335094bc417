"""One table's history: its chart, its state after each deal, its changes, its printed sheet and its recap."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

from babel.dates import format_date
from babel.numbers import format_compact_decimal
from flask import Blueprint, abort, g, render_template, request

from ...currency import coin
from ...scoring.accounts import round_to_coins, table_result
from ...scoring.settlement import settle
from ...scoring.standing import MANCHE, ROBRE
from ...scoring.statement import settlement_unit
from ...stats import chart
from ...tables import revisions as history
from ...tables.revisions import RevisionLike
from ...tables.state import ScoredDeal, TableState
from ..support import access
from ..support.forms import parse_id
from ..support.language import number, signed
from . import recap

blueprint = Blueprint("history", __name__, url_prefix="/tables/<token>")

MAX_CHARTED_DEALS = 60  # in a chart and in its figures: as many as can be told apart on a phone
MAX_PER_PAGE = 50  # deals or changes
SHORT = 8  # letters of a player's name beside a line
SHORT_SIDE = 4  # those of a side: N–S
LONG = 10_000  # from here on an axis says 10K


# --- the chart ---------------------------------------------------------------------------------------------


@blueprint.get("/chart", endpoint="chart")
def show_chart(token: str) -> str:
    """Show the last deals, or those up to `?to=<number>`, as a chart and as a table."""
    table = access.get_table_or_404(token)
    standing, deals = table.standing, len(table.standing.rows)
    last = min(max(asked_number("to", deals), 1), deals)
    first = max(0, last - MAX_CHARTED_DEALS)
    course = chart.balances(table.game, standing)
    return render_template(
        "tables/history/chart.html",
        table=table,
        first=first,
        last=last,
        scores=chart.draw(chart.scores(standing, first, last), SHORT_SIDE if table.game.in_sides else SHORT, tick),
        balances=chart.draw(course, SHORT, lambda amount: tick(amount, True)) if _is_paid(table) else None,
        every=course.every,
        held=chart.running_balances(table.game, standing),
        unit=settlement_unit(table.game),
        played=standing_deals(table)[first:last],
        newer=min(last + MAX_CHARTED_DEALS, deals) if last < deals else None,
        older=first or None,
    )


def standing_deals(table: TableState) -> list[ScoredDeal]:
    """Those that are not withdrawn, in order."""
    return [played for played in table.played if played.row is not None]


def _is_paid(table: TableState) -> bool:
    return any(entry.is_payment for row in table.standing.rows for entry in row.entries)


def asked_number(field: str, otherwise: int) -> int:
    told = parse_id(request.args.get(field))
    return otherwise if told is None else told


# --- stepping back -----------------------------------------------------------------------------------------


@blueprint.get("/after/<int:number>")
def after(token: str, number: int) -> str:
    """Show the table as it was after `number` deals; 0 is before the first one."""
    table = access.get_table_or_404(token)
    deals = standing_deals(table)
    if number > len(deals):
        abort(404)
    return render_template(
        "tables/history/step_back.html",
        table=table,
        standing=table.after(number),
        at=number,
        last=len(deals),
        played=deals[number - 1] if number else None,
    )


# --- all deals ---------------------------------------------------------------------------------------------


@blueprint.get("/deals")
def deals(token: str) -> str:
    """List all deals, withdrawn ones too, newest first; with `?before=<position>`, an older page of them."""
    table = access.get_table_or_404(token)
    number = len(table.deals)
    last = max(0, min(asked_number("before", number + 1) - 1, number))
    first = max(0, last - MAX_PER_PAGE)
    return render_template(
        "tables/history/deals.html",
        table=table,
        shown=table.played[first:last][::-1],
        newer=min(last + MAX_PER_PAGE, number) + 1 if last < number else None,
        older=first + 1 if first else None,
    )


# --- who changed what --------------------------------------------------------------------------------------


class RevisionView(NamedTuple):
    """A revision as the list of changes shows it."""

    revision: RevisionLike
    number: int | None
    before: dict[str, Any] | None


@blueprint.get("/changes")
def changes(token: str) -> str:
    """List every revision, newest first; with `?before=<number>`, an older page of them."""
    table = access.get_table_or_404(token)
    last = min(asked_number("before", table.seen + 1) - 1, table.seen)
    first = max(0, last - MAX_PER_PAGE)
    return render_template(
        "tables/history/changes.html",
        table=table,
        changes=_changes(table, table.revisions[first : max(last, 0)]),
        newer=min(last + MAX_PER_PAGE, table.seen) + 1 if last < table.seen else None,
        older=first + 1 if first else None,
    )


def _changes(table: TableState, revisions: Sequence[RevisionLike]) -> list[RevisionView]:
    numbers = {played.deal.id: played.row.number for played in table.played if played.row is not None}
    said: dict[int, dict[str, Any] | None] = {}
    for deal in table.deals:
        for earlier, later in zip(deal.revisions, deal.revisions[1:], strict=False):
            said[later.number] = earlier.body
    return [
        RevisionView(revision, numbers.get(revision.deal or 0), said.get(revision.number))
        for revision in reversed(revisions)
    ]


@blueprint.app_template_test("of_the_table")
def _is_of_the_table(revision: RevisionLike) -> bool:
    """Return whether a revision concerns the table and no deal: it was closed, reopened or its counters counted."""
    return revision.kind in history.OF_THE_TABLE


# --- on paper, and handed on -------------------------------------------------------------------------------


@blueprint.get("/print")
def printed(token: str) -> str:
    """Show the score sheet for printing."""
    table = access.get_table_or_404(token)
    money = table_result(table.game, table.value, table.standing.balances)
    return render_template(
        "tables/history/print.html",
        table=table,
        played=standing_deals(table),
        ends=_won(table),
        worth=money,
        payments=settle(round_to_coins(money.subunits, coin(money.account))),
    )


def _won(table: TableState) -> dict[str, dict[str, int]]:
    """How many robres and manches each party has won, where any has ended; a partie is won once, and seen."""
    closings = [closing for row in table.standing.rows for closing in row.closings]
    return {
        kind: {party: sum(c.kind == kind and c.winner == party for c in closings) for party in table.standing.parties}
        for kind in (ROBRE, MANCHE)
        if any(closing.kind == kind for closing in closings)
    }


@blueprint.get("/recap", endpoint="recap")
def show_recap(token: str) -> str:
    """Show a summary of the table as plain text to share."""
    table = access.get_table_or_404(token)
    return render_template("tables/history/recap.html", table=table, text=recap.of_table(table.table))


@blueprint.app_template_global()
def day_and_year(day: date) -> str:
    """Return a date in words with its weekday and year."""
    return format_date(day, "EEEE d MMMM y", locale=g.language)


@blueprint.app_template_global()
def tick(value: int, is_signed: bool = False) -> str:
    """Return a number as it stands beside an axis: 25, −100, 12K; `is_signed` adds a + to positive ones."""
    if abs(value) < LONG:
        return signed(value) if is_signed or value < 0 else number(value)
    told = format_compact_decimal(abs(value), locale=g.language)
    return f"{'−' if value < 0 else '+' if is_signed else ''}{told}"
