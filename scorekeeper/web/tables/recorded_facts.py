"""The page of a table whose game is not installed or fails: its facts as they were recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from flask import render_template, request

from ...scoring.missing import rename_unread
from ...scoring.standing import RowName, name_rows
from ...scoring.values import Facts
from ...services.tables.table import NotWritten
from ...tables.revisions import RecordedDeal
from ...tables.state import TableState
from ..support.forms import WriteForm, parse_id
from ..support.language import number, t

MAX_PER_PAGE = 50  # deals


class RecordedFacts(NamedTuple):
    """A deal as the page lists it; `name` is what people call it, None for a withdrawn deal."""

    deal: RecordedDeal
    name: RowName | None
    facts: dict[str, str]


def render_facts(table: TableState, notice: NotWritten | None = None, sent: list[tuple[str, str]] | None = None) -> str:
    """Render the table's page, with the newest deals or, with `?before=<position>`, an older page of them.

    `notice` is the result of a write that failed, `sent` the fields of its form, by which it can be sent again.
    """
    count = len(table.deals)
    before = parse_id(request.args.get("before"))
    last = count if before is None else max(0, min(before - 1, count))
    first = max(0, last - MAX_PER_PAGE)
    return render_template(
        "tables/missing_game.html",
        table=table,
        house_rules=facts_in_words(table.stored.house_rules, table.names),
        deals=_in_words(table)[first:last][::-1],
        newer=min(last + MAX_PER_PAGE, count) + 1 if last < count else None,
        older=first + 1 if first else None,
        form=WriteForm(formdata=None, seen=table.mark),
        notice=notice,
        sent=sent,
    )


def _in_words(table: TableState) -> list[RecordedFacts]:
    names = name_rows(deal.body for deal in table.deals if deal.body is not None)
    return [
        RecordedFacts(
            deal,
            None if deal.is_withdrawn else next(names),
            facts_in_words(table.facts_of(deal) or {}, table.names),
        )
        for deal in table.deals
    ]


def facts_in_words(facts: Facts, names: Mapping[str, str]) -> dict[str, str]:
    """Return facts as keys and values, as they are stored but for the players' names."""
    return {key: _value_in_words(value) for key, value in rename_unread(facts, names).items()}


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
