"""What pages call the rows of a sheet. Only deals have numbers: anything else is called what it is."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint

from ...scoring.standing import DEAL, RowName
from ...tables.revisions import RecordedDeal
from ...tables.state import TableState
from ..support.language import number, t
from .deal_draft import DealDraft

blueprint = Blueprint("titles", __name__)


@blueprint.app_template_global()
def row_title(name: RowName) -> str:
    """Return a row's name in words: "Deal 3", "Count in deal 3", "Substitution after deal 3"."""
    key = find_key_of_kind("deal.title", name.kind)
    if name.deal_number is not None:
        return t(key, number=name.deal_number)
    return t(key if name.deals else f"{key}.first", number=name.deals)


@blueprint.app_template_global()
def row_number(name: RowName) -> str:
    """Return a deal's number for a table's first column; a dash for a row that is no part of a deal."""
    return number(name.deal_number) if name.deal_number is not None else "–"


@blueprint.app_template_global()
def deal_title(table: TableState, deal: RecordedDeal) -> str:
    """Return what a deal of a table is called; while it is withdrawn, that it is."""
    row = table.row_of(deal.id)
    return row_title(row.name) if row is not None else removed_title(table, deal)


@blueprint.app_template_global()
def removed_title(table: TableState, deal: RecordedDeal) -> str:
    """Return what a withdrawn deal is called."""
    return t(find_key_of_kind("deal.withdrawn-title", table.find_kind(deal.last_body or {})))


@blueprint.app_template_global()
def remove_label(table: TableState, deals: Sequence[int]) -> str:
    """Return the words of the button that saves a deal and removes these: "deals 6–9", "deals 6, 8", "3 entries"."""
    rows = [row for deal in deals if (row := table.row_of(deal)) is not None]
    numbers = [row.deals for row in rows if row.kind == DEAL]
    if len(numbers) < len(rows):
        return t("later.remove.entries", count=len(rows))
    listed = ", ".join(map(number, numbers))
    if len(numbers) > 1 and numbers[-1] - numbers[0] == len(numbers) - 1:
        listed = f"{number(numbers[0])}–{number(numbers[-1])}"
    return t("later.remove", count=len(numbers), numbers=listed)


@blueprint.app_template_global()
def after_title(name: RowName | None) -> str:
    """Return the title of the table as it was after a row; None: before the first."""
    if name is None:
        return t("after.title.none")
    return t("after.title", number=name.deals) if name.kind == DEAL else row_title(name)


@blueprint.app_template_global()
def refused_title(name: RowName) -> str:
    """Say that a later row would no longer be valid."""
    return t(find_key_of_kind("refused.later", name.kind), number=name.deals_begun)


@blueprint.app_template_global()
def amend_title(name: RowName) -> str:
    """Return the words of a link that opens a row to be edited."""
    return t(find_key_of_kind("pad.title.amend", name.kind), number=name.deals_begun)


@blueprint.app_template_global()
def pad_title(draft: DealDraft) -> str:
    """Return the title of the pad."""
    deal = draft.deal or draft.before
    row = draft.table.row_of(deal.id) if deal is not None else None
    key = find_key_of_kind(f"pad.title.{draft.kind}", row.kind if row is not None else DEAL)
    return t(key, number=draft.number)


def find_key_of_kind(key: str, kind: str) -> str:
    """Return the key of the words for a kind of row; those for a deal have none of their own."""
    return key if kind == DEAL else f"{key}.{kind}"
