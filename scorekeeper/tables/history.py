"""A table's history: its chart, its changes, its printed sheet and recap; and where scores and balances come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby, pairwise
from typing import NamedTuple

from flask import Blueprint, abort, render_template, request, url_for

from ..scoring.sheet import has_balances, running_balances, settlement_unit
from ..scoring.standing import MANCHE, PARTIE, POINTS, POT, ROBRE, TERMS, Closing, Entry, Row
from ..scoring.values import JsonObject
from ..site.amounts import format_balance
from ..site.fields import parse_digits
from ..site.language import game_text, isolate_rtl, join_parties, name_of_game, number, signed, t, unit_text
from . import access as table_access
from . import chart, recap, words
from .chairs import list_people_by_chair
from .corrections import find_consequences
from .game_layouts import ends_won
from .live import read_page
from .record import blueprint as deal_pages
from .revisions import RESTORE, WITHDRAW, Change
from .rule_texts import RuleReference, list_rules
from .settling import read_settling
from .state import ScoredDeal, TableState
from .writing import Preview, preview

blueprint = Blueprint("history", __name__, url_prefix="/tables/<token>")

MAX_CHARTED_DEALS = 60  # more cannot be distinguished on a phone
MAX_PER_PAGE = 50  # deals or changes
MAX_STEPS = 40  # of a sum, on a page
PLAYER_LABEL = 8  # letters of a player's name beside a line
SIDE_LABEL = 4  # letters of a side's name: N–S


# --- the chart ---------------------------------------------------------------------------------------------


@blueprint.get("/chart", endpoint="chart")
def show_chart(token: str) -> str:
    """Show the last deals, or those up to `?to=<number>`."""
    table = table_access.get_table_or_404(token)
    standing = table.standing
    page = paginate(len(standing.rows), MAX_CHARTED_DEALS)
    unit = unit_text(table.game, "unit.within", settlement_unit(table.game)) if table.game.units else ""
    charts = [_chart_scores(table, page, unit)]
    if table.game.shows_balances and standing.has_payments:
        data = chart.balances(table.game, standing, 0, len(standing.rows))
        drawn = chart.draw(data, PLAYER_LABEL, signed)
        hints = words.list_worths(table.game)
        charts.append(ShownChart("balances", t("chart.balances", unit=unit), unit, drawn, hints, signed))
    return render_template(
        "tables/history/chart.html",
        table=table,
        page=page,
        charts=charts,
        partners={side: join_parties(standing.partners(side)) for side in standing.parties if table.game.in_sides},
        running_balances=running_balances(table.game, standing),
        scored_deals=valid_deals(table)[page.first : page.last],
        most_letters=PLAYER_LABEL,
    )


class ShownChart(NamedTuple):
    name: str
    title: str
    unit: str  # what its numbers count
    chart: chart.Chart
    hints: Sequence[str]
    format_amount: Callable[[int], str]


def _chart_scores(table: TableState, page: Page, unit: str) -> ShownChart:
    standing = table.standing
    are_payments = table.game.stakes.scores_are_payments
    if are_payments:
        data = chart.balances(table.game, standing, page.first, page.last)
    else:
        data = chart.scores(standing, page.first, page.last)
    drawn = chart.draw(data, SIDE_LABEL if table.game.in_sides else PLAYER_LABEL, number)
    begins_again = not are_payments and any(kind in (MANCHE, ROBRE) for _, kind in drawn.ends)
    hints = [game_text(table.game.slug, "chart.start-again")] if begins_again else []
    if page.older_url or page.newer_url:
        first = standing.rows[page.first - 1].deal_count + 1 if page.first else 1
        last = standing.rows[page.last - 1].deal_count
        hints.append(t("chart.these", first=first, last=last, all_deals=standing.rows[-1].deal_count))
    return ShownChart("scores", t("chart.scores"), unit if are_payments else t("chart.points"), drawn, hints, number)


def valid_deals(table: TableState) -> list[ScoredDeal]:
    return [scored for scored in table.scored_deals if scored.row is not None]


class Page(NamedTuple):
    """`items[first:last]` of a list, and the addresses of the parts beside it, if there are any."""

    first: int
    last: int
    older_url: str | None
    newer_url: str | None


def paginate(count: int, size: int = MAX_PER_PAGE) -> Page:
    """Return the page that ends with the item `?to=<number>`, by default the last one of the list."""
    to = parse_digits(request.args.get("to"))
    last = count if to is None else min(max(to, 1), count)
    first = max(0, last - size)

    def url_to(last: int) -> str:
        return url_for(request.endpoint or "", **{**(request.view_args or {}), **request.args, "to": last})

    newer = url_to(min(last + size, count)) if last < count else None
    return Page(first, last, url_to(first) if first else None, newer)


@blueprint.get("/after/<int:number>")
def after(token: str, number: int) -> str:
    """Show the table as it was after so many rows."""
    table = table_access.get_table_or_404(token)
    deals = valid_deals(table)
    if number > len(deals):
        abort(404)
    standing = table.standing_before(deals[number].deal.id) if number < len(deals) else table.standing
    return render_template(
        "tables/history/step_back.html",
        table=table,
        standing=standing,
        table_page=read_page(table),
        has_balances=has_balances(table.game, standing),
        row_count=number,
        last_number=table.standing.deal_count,
        last=len(deals),
        scored=deals[number - 1] if number else None,
    )


@blueprint.get("/deals")
def deals(token: str) -> str:
    table = table_access.get_table_or_404(token)
    page = paginate(len(table.deals))
    deals = table.scored_deals[page.first : page.last][::-1]
    return render_template("tables/history/deals.html", table=table, scored_deals=deals, page=page)


@blueprint.get("/changes")
def changes(token: str) -> str:
    table = table_access.get_table_or_404(token)
    page = paginate(table.version)
    facts_before: dict[int, JsonObject | None] = {}
    for deal in table.deals:
        for earlier, later in pairwise(deal.revisions):
            facts_before[later.number] = earlier.body
    return render_template(
        "tables/history/changes.html",
        table=table,
        table_page=read_page(table),
        changes=table.revisions[page.first : page.last][::-1],
        facts_before=facts_before,
        page=page,
    )


@blueprint.get("/journal")
def journal(token: str) -> str:
    table = table_access.get_table_or_404(token)
    deals = list[tuple[ScoredDeal, list[Entry]]]()
    for scored in table.scored_deals:
        if scored.row is not None:
            payments = [entry for entry in scored.row.entries if entry.is_payment]
            if payments or scored.row.kind == TERMS or table.game.is_passed(scored.row.fact):
                deals.append((scored, payments))
    paid = [entry for _, payments in deals for entry in payments]
    return render_template(
        "tables/history/journal.html",
        table=table,
        has_pot=any(POT in (entry.giver, entry.taker) for entry in paid),
        has_payments=bool(paid),
        shown_deals=deals,
    )


@deal_pages.get("/<int:deal_id>", endpoint="show")
def show_deal(token: str, deal_id: int) -> str:
    table = table_access.get_table_or_404(token, guests=True)
    scored = table.find_deal(deal_id) or abort(404)
    if scored.row is not None:
        change = Change(WITHDRAW, deal_id)
        rules = list_rules(table.game, [scored.row.options], list_reasons(scored.row.entries, scored.row.closings))
    else:
        change = Change(RESTORE, deal_id, body=scored.deal.last_body)
        rules = []
    outcome = None if table.is_closed else preview(table, change)
    return render_template(
        "tables/history/deal.html",
        table=table,
        table_page=read_page(table),
        scored=scored,
        outcome=outcome,
        next_dealer=_find_next_dealer(table, outcome.table) if isinstance(outcome, Preview) else None,
        later=find_consequences(table, outcome),
        rules=rules,
    )


def _find_next_dealer(before: TableState, after: TableState) -> str | None:
    """Return who deals next after a change, if that is somebody else than before."""
    is_same = not before.standing.is_finished and before.standing.dealer == after.standing.dealer
    return None if is_same or after.standing.is_finished else after.standing.dealer


# --- printing and sharing ----------------------------------------------------------------------------------


@blueprint.get("/print")
def printed(token: str) -> str:
    table = table_access.get_table_or_404(token)
    row = table.stored
    parties = table.standing.parties if table.game.in_sides else table.everybody
    ended = {closing.kind for each in table.standing.rows for closing in each.closings}
    result = table.result
    won = {party: ends_won(table.game, table.standing, party) for party in parties}
    subtitle = (name_of_game(row) if row.title else "", words.day_and_year(row.day), row.place, row.circle.title)
    return render_template(
        "tables/history/print.html",
        table=table,
        subtitle=" · ".join(isolate_rtl(each) for each in subtitle if each),
        scored_deals=valid_deals(table),
        people_by_chair=list_people_by_chair(table.chairs, table.standing),
        # How many robres and manches each party has won; without kinds of which none has ended.
        ends={kind: {p: won[p].get(kind, 0) for p in parties} for kind in (ROBRE, MANCHE) if kind in ended},
        has_balances=has_balances(table.game, table.standing),
        balances_in_money={seat: format_balance(result.account, result.subunits[seat]) for seat in result.subunits},
        settling=read_settling([table.stored]),
    )


@blueprint.get("/recap", endpoint="recap")
def show_recap(token: str) -> str:
    table = table_access.get_table_or_404(token)
    return render_template("tables/history/recap.html", table=table, recap=recap.of_table(table.stored))


# --- explanations: deal by deal, each entry with its rule and the rule's source --------------------------------


class Step(NamedTuple):
    scored: ScoredDeal
    entries: list[tuple[Entry, int]]  # each with the sum after it; none of a change of rules
    after: int


@blueprint.get("/why/score/<party>")
def score(token: str, party: str) -> str:
    """Explain a party's score: every mark of the current manche or partie, and what it has won before."""
    table = table_access.get_table_or_404(token)
    if table.game.stakes.scores_are_payments:
        return balance(token, party)
    if party not in table.standing.parties:
        abort(404)
    place = table.standing.parties.index(party)
    deals = valid_deals(table)
    closings = [(at, scored, end) for at, scored in enumerate(deals, 1) if scored.row for end in scored.row.closings]
    reset = max((at for at, _, end in closings if end.kind == MANCHE), default=0)  # the scores were 0 after it

    def score_change(row: Row, mark: Entry) -> int:
        party_then = [*row.scores][place]  # somebody else may have had the seat
        return mark.amount if mark.unit == POINTS and mark.taker == party_then else 0

    won = [(scored, end) for _, scored, end in closings if party in end.winners]
    goal = [kind for kind in table.game.ending.kinds if kind in (MANCHE, PARTIE)][:1]  # what points win, if anything
    anchors = [*(end.kind for _, end in won), *goal]
    steps = _list_steps(deals[reset:], score_change)
    return _explain(table, steps, anchors, explained=party, amount=table.standing.scores[party], won=won)


@blueprint.get("/why/balance/<seat>")
def balance(token: str, seat: str) -> str:
    """Explain a player's balance in `?unit=`, or in the game's first unit."""
    table = table_access.get_table_or_404(token)
    if seat not in table.everybody or not table.game.units:
        abort(404)
    requested = request.args.get("unit", "")
    unit = requested if requested in table.game.units else table.game.units[0]

    def balance_change(_row: Row, entry: Entry) -> int:
        if entry.unit != unit or seat not in (entry.giver, entry.taker):
            return 0
        return entry.amount if entry.taker == seat else -entry.amount

    steps = _list_steps(valid_deals(table), balance_change)
    return _explain(table, steps, [], explained=seat, amount=table.standing.balances[seat][unit], unit=unit)


@blueprint.get("/why/stake")
def stake(token: str) -> str:
    table = table_access.get_table_or_404(token)
    return render_template("tables/explanations/stake.html", table=table, list_rules=partial(_list_rules, table))


def _list_steps(deals: Iterable[ScoredDeal], sum_change: Callable[[Row, Entry], int]) -> list[Step]:
    """Return the deals that change a sum, and changes of rules, oldest first; none if nothing changes the sum."""
    steps: list[Step] = []
    after = 0
    for scored in deals:
        row = scored.row
        if row is None:
            continue
        entries = []
        for entry in row.entries:
            if amount := sum_change(row, entry):
                after += amount
                entries.append((entry, after))
        if entries or row.kind == TERMS:
            steps.append(Step(scored, entries, after))
    return steps if any(step.entries for step in steps) else []


def _explain(table: TableState, steps: Sequence[Step], anchors: Iterable[str], **shown: object) -> str:
    """Render a page of a sum's steps, with the rules of all steps and those at further anchors."""
    page = paginate(len(steps), MAX_STEPS)
    return render_template(
        "tables/explanations/sum.html",
        table=table,
        page=page,
        steps=steps[page.first : page.last],
        carried=steps[page.first - 1].after if page.first else 0,
        rules=_list_rules(table, [*list_reasons(entry for step in steps for entry, _ in step.entries), *anchors]),
        **shown,
    )


def _list_rules(table: TableState, anchors: Iterable[str]) -> list[RuleReference]:
    played = [row.options for row in table.standing.rows if row.kind != TERMS]
    in_turn = [options for options, _ in groupby([*played, table.standing.options])]
    return list_rules(table.game, in_turn, anchors)


def list_reasons(entries: Iterable[Entry], closings: Iterable[Closing] = ()) -> list[str]:
    """Return the reasons of entries, each once, and the kinds of closings: anchors in the game's rules."""
    return [*dict.fromkeys(entry.reason for entry in entries), *(closing.kind for closing in closings)]
