"""A table's pages: how it stands, its journal, its settlement; closing and sharing it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from .. import book, history
from ..book import SCORE, Entry, Recorded, Refused, Stale, exports
from ..exchange.archive import sheet_text
from ..history import Change
from ..scoring.ledger import Entry as LedgerEntry
from ..scoring.standing import Closing
from ..table import Open, Played
from . import access
from .forms import WriteForm, told_number

blueprint = Blueprint("table", __name__, url_prefix="/tables/<token>")


@blueprint.get("/")
def show(token: str) -> str:
    return page(access.table_or_not_yours(token))


def page(table: Open, notice: Stale | Refused | None = None) -> str:
    recorded = told_number(request.args.get("recorded"))
    return render_template(
        "table.html",
        table=table,
        form=WriteForm(formdata=None, seen=table.seen),  # not what a refused write has sent
        notice=notice,
        recorded=table.deal(recorded) if recorded is not None else None,
    )


def answer(result: Recorded | Stale | Refused, table: Open) -> AnyResponse | tuple[str, int]:
    """To a write that is one tap: the table as it is now, or why nothing was done."""
    if isinstance(result, Recorded):
        return redirect(url_for("table.show", token=table.token), 303)
    shown = result.table if isinstance(result, Stale) else table
    return page(shown, result), 409 if isinstance(result, Stale) else 422


def write(table: Open, change: Change) -> Recorded | Stale | Refused:
    form = WriteForm()
    entry = Entry(change, form.has_seen, form.key.data or "")
    return book.write(table, entry, g.browser)


@blueprint.post("/undo")
def undo(token: str) -> AnyResponse | tuple[str, int]:
    table = access.table_or_not_yours(token, SCORE)
    seen = table.as_seen(WriteForm().has_seen)  # what is taken back is what the page showed as the last
    last = seen.last_undoable
    if last is None:
        return redirect(url_for("table.show", token=token), 303)
    return answer(write(table, history.undoing(seen.deals, last)), table)


@blueprint.post("/close")
def close(token: str) -> AnyResponse | tuple[str, int]:
    table = access.table_or_not_yours(token, SCORE)
    return answer(write(table, Change(history.CLOSE)), table)


@blueprint.post("/reopen")
def reopen(token: str) -> AnyResponse | tuple[str, int]:
    table = access.table_or_not_yours(token, SCORE)
    return answer(write(table, Change(history.REOPEN)), table)


@blueprint.get("/journal")
def journal(token: str) -> str:
    """Every payment; where a player's seat is asked for, those that went through his hands, and what they come to."""
    table = access.table_or_not_yours(token)
    seat = request.args.get("of")
    return render_template("history/journal.html", table=table, of=seat if seat in table.names else None)


@blueprint.get("/sheet.json")
def export(token: str) -> Response:
    """The table as a portable score sheet."""
    told = exports.labelled(access.table_or_not_yours(token))
    text, name = sheet_text(told.table.sheet()), f"{told.label}.json"
    return Response(
        text, mimetype="application/json", headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@blueprint.app_template_global()
def said_once(table: Open, played: Played, say: Callable[[Played], Any]) -> Any:
    """What is said of a deal, in the reader's words. Kept with the table's replay: to say it takes longer than all
    that follows from the deal.
    """
    said, key = table.replay.said, (played.deal.id, g.language, *table.names.values(), *g.sides.values())
    if key not in said:
        said[key] = say(played)
    return said[key]


@blueprint.app_template_test("payment")
def _is_payment(entry: LedgerEntry) -> bool:
    return entry.is_payment


@blueprint.app_template_test("through")
def _goes_through(entry: LedgerEntry, player: str) -> bool:
    """Whether a player gave or took it."""
    return player in (entry.giver, entry.taker)


@blueprint.app_template_global()
def closing_numbers(closing: Closing) -> dict[str, int]:
    """The single numbers of a closing, for the words that tell of it."""
    return {name: figure for name, figure in closing.figures.items() if isinstance(figure, int)}
