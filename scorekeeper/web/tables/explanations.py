"""Explanations of a table's scores and balances: deal by deal, each entry with its rule and the rule's source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from flask import Blueprint, abort, render_template, request

from ...scoring.entries import POINTS, Entry
from ...scoring.standing import MANCHE, PARTIE, Closing
from ...tables.state import ScoredDeal, TableState
from ..support import access
from .history import asked_number, standing_deals

blueprint = Blueprint("explanations", __name__, url_prefix="/tables/<token>/why")

MAX_DEALS_PER_PAGE = 40  # on a page


class EntryLine(NamedTuple):
    """An entry in a running sum."""

    entry: Entry
    amount: int
    after: int


@dataclass(frozen=True)
class Step:
    """A deal that changed the sum, with its entries."""

    played: ScoredDeal
    lines: list[EntryLine] = field(default_factory=list)


class Shown(NamedTuple):
    """The steps on a page; `carried` is what those before them came to, `older` and `newer` lead to other pages."""

    steps: Sequence[Step]
    carried: int
    older: int | None
    newer: int | None


class Won(NamedTuple):
    """A manche or robre that was won, and the deal that ended it."""

    played: ScoredDeal
    closing: Closing


@blueprint.get("/score/<of>")
def score(token: str, of: str) -> str:
    """Explain a party's score: every mark of the current manche or partie, and what it has won before."""
    table = access.get_table_or_404(token)
    if of not in table.standing.parties:
        abort(404)
    steps = _steps(_under_way(table), lambda entry: entry.amount * _marks(entry, of))
    won = _won(table, of)
    return render_template(
        "tables/explanations/score.html",
        table=table,
        of=of,
        amount=table.standing.scores[of],
        shown=_page(steps),
        won=won,
        anchors=[*_reasons(steps), *(end.closing.kind for end in won), *_aim(table)],
    )


def _under_way(table: TableState) -> list[ScoredDeal]:
    """The deals since points last began at 0."""
    played = standing_deals(table)
    ends = [at for at, one in enumerate(played, start=1) if any(end.kind == MANCHE for end in _closings(one))]
    return played[ends[-1] if ends else 0 :]


def _closings(played: ScoredDeal) -> Sequence[Closing]:
    return played.row.closings if played.row is not None else ()


def _marks(entry: Entry, party: str) -> bool:
    return entry.unit == POINTS and entry.taker == party


def _won(table: TableState, party: str) -> list[Won]:
    return [Won(played, closing) for played in table.played for closing in _closings(played) if closing.winner == party]


def _aim(table: TableState) -> Iterable[str]:
    """What the points are for: the rule of what they win."""
    return (next(kind for kind in table.game.ends if kind in (MANCHE, PARTIE)),)


@blueprint.get("/balance/<seat>")
def balance(token: str, seat: str) -> str:
    """Explain a player's balance: every payment from or to the player in `?unit=`, or in the game's first unit."""
    table = access.get_table_or_404(token)
    if seat not in table.names:
        abort(404)
    asked = request.args.get("unit", "")
    unit = asked if asked in table.game.units else table.game.units[0]
    steps = _steps(standing_deals(table), lambda entry: _amount_for(entry, seat) if entry.unit == unit else 0)
    return render_template(
        "tables/explanations/balance.html",
        table=table,
        of=seat,
        unit=unit,
        amount=table.standing.balances[seat][unit],
        shown=_page(steps),
        anchors=_reasons(steps),
    )


def _amount_for(entry: Entry, player: str) -> int:
    return entry.amount * ((entry.taker == player) - (entry.giver == player))


@blueprint.get("/stake")
def stake(token: str) -> str:
    """Explain what is at stake in the next deal, by the game's own template."""
    return render_template("tables/explanations/stake.html", table=access.get_table_or_404(token))


# --- sums --------------------------------------------------------------------------------------------------


def _steps(deals: Iterable[ScoredDeal], amount_of: Callable[[Entry], int]) -> list[Step]:
    steps, after = [], 0
    for played in deals:
        step = Step(played)
        for entry in played.row.entries if played.row is not None else ():
            if amount := amount_of(entry):
                after += amount
                step.lines.append(EntryLine(entry, amount, after))
        if step.lines:
            steps.append(step)
    return steps


def _reasons(steps: Iterable[Step]) -> list[str]:
    return list(dict.fromkeys(line.entry.reason for step in steps for line in step.lines))


def _page(steps: list[Step]) -> Shown:
    """Return the last steps, or those up to `?to=<step>`."""
    last = min(max(asked_number("to", len(steps)), 1), len(steps))
    first = max(0, last - MAX_DEALS_PER_PAGE)
    carried = steps[first - 1].lines[-1].after if first else 0
    newer = min(last + MAX_DEALS_PER_PAGE, len(steps)) if last < len(steps) else None
    return Shown(steps[first:last], carried, first or None, newer)


@blueprint.app_template_global()
def reasons_of(entries: Iterable[Entry]) -> list[str]:
    """Return the reasons of entries, each once: anchors in the game's rules."""
    return list(dict.fromkeys(entry.reason for entry in entries))
