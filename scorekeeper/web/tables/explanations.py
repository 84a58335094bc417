"""Explanations of a table's scores and balances: deal by deal, each entry with its rule and the rule's source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from flask import Blueprint, abort, render_template, request

from ...scoring.standing import MANCHE, PARTIE, POINTS, Closing, Entry, Row
from ...tables.state import ScoredDeal, TableState
from ..support import access
from .history import number_arg, valid_deals

blueprint = Blueprint("explanations", __name__, url_prefix="/tables/<token>/why")

MAX_DEALS_PER_PAGE = 40


class EntryLine(NamedTuple):
    """An entry in a running sum.

    Attributes:
        amount: what the entry adds to the sum.
        after: the sum after it.
    """

    entry: Entry
    amount: int
    after: int


@dataclass(frozen=True)
class Step:
    """A deal that changed the sum, with its entries."""

    scored: ScoredDeal
    lines: list[EntryLine] = field(default_factory=list)


class Page(NamedTuple):
    """The steps on a page.

    Attributes:
        carried: the sum of all earlier steps.
        older, newer: the last step on the previous and on the next page; None if there is no such page.
    """

    steps: Sequence[Step]
    carried: int
    older: int | None
    newer: int | None


class Won(NamedTuple):
    """A manche or robre that was won, and the deal that ended it."""

    scored: ScoredDeal
    closing: Closing


@blueprint.get("/score/<party>")
def score(token: str, party: str) -> str:
    """Explain a party's score: every mark of the current manche or partie, and what it has won before.

    Where points are paid as they are won, it is the player's balance.
    """
    table = access.get_table_or_404(token)
    if table.game.scores_are_payments:
        return balance(token, party)
    if party not in table.standing.parties:
        abort(404)
    place = table.standing.parties.index(party)
    steps = _steps(
        _deals_since_reset(table), lambda row, entry: entry.amount * _is_mark_of([*row.scores][place], entry)
    )
    won = _won_by(party, table)
    return render_template(
        "tables/explanations/score.html",
        table=table,
        explained=party,
        amount=table.standing.scores[party],
        page=_page(steps),
        won=won,
        anchors=[*_reasons(steps), *(end.closing.kind for end in won), *_goal(table)],
    )


def _deals_since_reset(table: TableState) -> list[ScoredDeal]:
    """Return the deals since the scores were last reset to 0."""
    deals = valid_deals(table)
    resets = [
        number
        for number, scored in enumerate(deals, start=1)
        if any(closing.kind == MANCHE for closing in _closings(scored))
    ]
    return deals[resets[-1] if resets else 0 :]


def _closings(scored: ScoredDeal) -> Sequence[Closing]:
    return scored.row.closings if scored.row is not None else ()


def _is_mark_of(party: str, entry: Entry) -> bool:
    return entry.unit == POINTS and entry.taker == party


def _won_by(party: str, table: TableState) -> list[Won]:
    return [
        Won(scored, closing)
        for scored in table.scored_deals
        for closing in _closings(scored)
        if party in closing.winners
    ]


def _goal(table: TableState) -> list[str]:
    """Return what points win in this game: a manche or the partie; nothing in a game without an end."""
    return [kind for kind in table.game.ends if kind in (MANCHE, PARTIE)][:1]


@blueprint.get("/balance/<seat>")
def balance(token: str, seat: str) -> str:
    """Explain a player's balance: every payment from or to the player in `?unit=`, or in the game's first unit."""
    table = access.get_table_or_404(token)
    if seat not in table.everybody or not table.game.units:
        abort(404)
    requested = request.args.get("unit", "")
    unit = requested if requested in table.game.units else table.game.units[0]
    steps = _steps(valid_deals(table), lambda _row, entry: _amount_for(entry, seat) if entry.unit == unit else 0)
    return render_template(
        "tables/explanations/balance.html",
        table=table,
        explained=seat,
        unit=unit,
        amount=table.standing.balances[seat][unit],
        page=_page(steps),
        anchors=_reasons(steps),
    )


def _amount_for(entry: Entry, player: str) -> int:
    return entry.amount * ((entry.taker == player) - (entry.giver == player))


@blueprint.get("/stake")
def stake(token: str) -> str:
    """Explain what is at stake in the next deal, by the game's own template."""
    return render_template("tables/explanations/stake.html", table=access.get_table_or_404(token))


# --- sums --------------------------------------------------------------------------------------------------


def _steps(deals: Iterable[ScoredDeal], amount_of: Callable[[Row, Entry], int]) -> list[Step]:
    """Return the deals that change a sum, oldest first; `amount_of` returns what an entry of a row adds to it."""
    steps, after = [], 0
    for scored in deals:
        step, row = Step(scored), scored.row
        for entry in row.entries if row is not None else ():
            if row is not None and (amount := amount_of(row, entry)):
                after += amount
                step.lines.append(EntryLine(entry, amount, after))
        if step.lines:
            steps.append(step)
    return steps


def _reasons(steps: Iterable[Step]) -> list[str]:
    return list(dict.fromkeys(line.entry.reason for step in steps for line in step.lines))


def _page(steps: list[Step]) -> Page:
    """Return the last steps, or those up to `?to=<step>`."""
    last = min(max(number_arg("to", len(steps)), 1), len(steps))
    first = max(0, last - MAX_DEALS_PER_PAGE)
    carried = steps[first - 1].lines[-1].after if first else 0
    newer = min(last + MAX_DEALS_PER_PAGE, len(steps)) if last < len(steps) else None
    return Page(steps[first:last], carried, first or None, newer)


@blueprint.app_template_global()
def list_reasons(entries: Iterable[Entry]) -> list[str]:
    """Return the reasons of entries, each once: anchors in the game's rules."""
    return list(dict.fromkeys(entry.reason for entry in entries))
