"""Changes of a table in words: who did what, and what undoing it would do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from flask import Blueprint, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ...scoring.standing import RowName, name_rows
from ...scoring.values import Facts
from ...services.tables.replayed import read_revisions
from ...tables import revisions
from ...tables.replay import MissingGameError
from ...tables.revisions import RevisionRow, apply_revisions
from ...tables.seating import rename_anywhere
from ...tables.state import TableState
from ..support.forms import parse_id
from ..support.language import game_text, isolate_rtl, number, t
from .titles import find_key_of_kind

blueprint = Blueprint("changes", __name__)


@blueprint.app_errorhandler(MissingGameError)
def _show_facts(error: MissingGameError) -> ResponseReturnValue:
    """Answer for a table whose game is not installed: its page shows the facts, and everything else leads to it.

    A script keeps the entry on the phone, as one that was refused.
    """
    table, is_write = error.table, request.method == "POST"
    if request.blueprint == "live":
        return "", 404  # the page loads again
    if is_write and request.headers.get("Accept") == "application/json":
        return jsonify(refused=t("missing-game.note", game=table.game)), 409
    if not is_write and request.endpoint != "table.show":
        return redirect(url_for("table.show", token=table.token), 303)
    names = {seat.seat: seat.player.person.name for seat in table.seats}
    deals, _ = apply_revisions(read_revisions(table), ())
    facts = [facts_in_words(deal.body, names) for deal in deals if deal.body is not None]
    house_rules = facts_in_words(table.house_rules, names)
    page = render_template(
        "tables/missing_game.html", row=table, names=names, house_rules=house_rules, facts=facts, is_write=is_write
    )
    return page, 409 if is_write else 200


def facts_in_words(facts: Facts, names: Mapping[str, str]) -> dict[str, str]:
    """Return facts as keys and values, as they are stored but for the players' names."""
    return {key: _value_in_words(value) for key, value in rename_anywhere(facts, names).items()}


def _value_in_words(value: Any) -> str:
    if isinstance(value, bool):
        return t("yes" if value else "no")
    if isinstance(value, int):
        return number(value)
    if isinstance(value, list):
        return ", ".join(map(_value_in_words, value)) or "–"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}{t('colon')} {_value_in_words(item)}" for key, item in value.items()) or "–"
    return str(value) if value is not None and value != "" else "–"


# What a deal is after an undo of each kind of revision, as another kind leaves it; UNDO: as it was before an edit.
_UNDOING = {
    revisions.RECORD: revisions.WITHDRAW,
    revisions.INSERT: revisions.WITHDRAW,
    revisions.RESTORE: revisions.WITHDRAW,
    revisions.WITHDRAW: revisions.RESTORE,
    revisions.AMEND: revisions.UNDO,
}


@blueprint.app_template_global()
def browser_name(browser: Any) -> str:
    """Return whose phone it is, or else what it is called."""
    if getattr(browser, "owner", None):
        return isolate_rtl(browser.owner)
    return browser.name or t("browser.number", number=browser.number)


@blueprint.app_template_global()
def who_did_what(table: TableState, revision: RevisionRow) -> str:
    """Return a change as a sentence: "Anna recorded deal 8"."""
    browser = table.browsers[revision.browser_id]
    is_named = browser.owner or browser.name
    who = browser_name(browser) if is_named else t("revision.phone", number=browser.number)
    if revision.kind == revisions.ANNOUNCE:
        slug = table.game.slug
        if revision.body is None:
            return game_text(slug, "revision.announce-withdrawn", who=who)
        return game_text(slug, "revision.announce", who=who)
    if revision.deal is None:
        return t(f"revision.{revision.kind}", who=who)
    return t(f"revision.{_find_effect(table, revision)}", who=who, what=_name_row(table, revision, "row.one"))


@blueprint.app_template_global()
def what_was_done(table: TableState, revision: RevisionRow) -> str:
    """Return a change as the phone says it that has made it: "Deal 3 is removed"."""
    if revision.kind == revisions.ANNOUNCE:
        slug, is_withdrawn = table.game.slug, revision.body is None
        return game_text(slug, "spoken.announce-withdrawn") if is_withdrawn else game_text(slug, "spoken.announce")
    if revision.deal is None:
        return t(f"done.{revision.kind}")
    done = t(f"done.{_find_effect(table, revision)}", what=_name_row(table, revision, "row.this"))
    return done[0].upper() + done[1:]


@blueprint.app_template_global()
def undo_label(table: TableState, revision: RevisionRow) -> str:
    """Return the words of a button that undoes a change of a deal: "Undo deal 8"."""
    return t(f"undo.{_UNDOING[revision.kind]}", what=_name_row(table, revision, "row.this"))


class WayBack(NamedTuple):
    """A button that takes a change back: where it is sent, and its words; those with the change's name on a pad."""

    address: str
    label: str
    full_label: str


@blueprint.app_template_global()
def find_way_back(table: TableState, change: RevisionRow) -> WayBack | None:
    """Return the button that takes the table's last change back; None for one that is not undone like this."""
    endpoints = {revisions.CLOSE: "table.reopen", revisions.REOPEN: "table.close", revisions.UNDO: "table.redo"}
    labels = {revisions.CLOSE: "ways.reopen", revisions.REOPEN: "ways.close", revisions.UNDO: "table.redo"}
    if change.kind in endpoints:
        label = t(labels[change.kind])
        return WayBack(url_for(endpoints[change.kind], token=table.token), label, label)
    if change != table.last_undoable:
        return None
    return WayBack(url_for("table.undo", token=table.token), t("table.undo"), undo_label(table, change))


def find_shown_change(table: TableState) -> RevisionRow | None:
    """Return the last change if the page's address names it or its deal, so that the page tells of it."""
    last = table.revisions[-1] if table.revisions else None
    if last is None:
        return None
    is_named = parse_id(request.args.get("changed")) == last.number
    is_recorded = last.body is not None and parse_id(request.args.get("recorded")) == last.deal
    return last if is_named or is_recorded else None


def _find_effect(table: TableState, revision: RevisionRow) -> str:
    """Return the kind of revision that leaves the deal as this one does; UNDO if it is as it was before an edit."""
    if revision.kind != revisions.UNDO or revision.undoes is None:
        return revision.kind
    return _UNDOING[table.revisions[revision.undoes - 1].kind]


def _name_row(table: TableState, revision: RevisionRow, key: str) -> str:
    """Return what the revision's deal was called after it; of a withdrawn deal, what it was called before."""
    name = _find_row_name(table, revision)
    return t(find_key_of_kind(key, name.kind), number=name.deals_begun)


def _find_row_name(table: TableState, revision: RevisionRow) -> RowName:
    bodies = []
    for deal in table.deals:
        until = [each.body for each in deal.revisions if each.number <= revision.number]
        is_changed = deal.id == revision.deal
        if is_changed:
            until = [body for body in until if body is not None]
        bodies += [body for body in until[-1:] if body is not None]
        if is_changed:
            break
    *_, name = name_rows(bodies, table.find_kind)
    return name
