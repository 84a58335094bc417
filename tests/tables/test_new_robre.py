"""The draw of partners and dealer after a robre, and what closing a table pays for a robre that is broken off."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.tables.caches import verify

from ..support.visitor import NAMES, Visitor

TAKES_ALL, TAKES_NINE = {"tricks": "ns-7"}, {"tricks": "ns-3"}
DOUBLE = (TAKES_ALL, TAKES_NINE)  # 7 + 3 points to 0
POINTS, DRAW = {"rule-unfinished_robre": "points"}, {"rule-new_robre": "draw"}
games_of_robres = pytest.mark.parametrize(
    "slug", [slug for slug, game in games().items() if "new_robre" in game.options.__dataclass_fields__]
)


def play(visitor: Visitor, slug: str, deals: tuple[dict[str, str], ...], **rules: str) -> str:
    visitor.open_table(slug, 4, **rules)
    table = visitor.table
    for taps in deals:
        visitor.visit(table).record(**taps)
    return table


def sheet(visitor: Visitor, table: str) -> Any:
    return json.loads(visitor.visit(f"{table}sheet.json").response.get_data(as_text=True))


def balances(visitor: Visitor, table: str) -> list[str]:
    """Return each player's balance in fiches, as the page says it."""
    return [cell.get_text(" ", strip=True) for cell in visitor.visit(table).page.select(".balances li, .balances tr")]


def faults(visitor: Visitor) -> list[Any]:
    """Return what `verify` finds wrong in the database."""
    with visitor.client.application.app_context():
        return list(verify().faults)


# --- a robre that is broken off ------------------------------------------------------------------------------


def test_closing_pays_the_manches_of_a_robre_and_reopening_takes_it_back(visitor: Visitor) -> None:
    table = play(visitor, "whist", DOUBLE, **POINTS)
    before, open_sheet = balances(visitor, table), sheet(visitor, table)
    assert "2 game points ahead" in visitor.visit(f"{table}why/stake").text
    assert "Bruno pays Anne" not in visitor.visit(f"{table}journal").text

    closed = visitor.visit(table).more().send({}, "/close")
    assert "2 game points ahead" in closed.text
    assert balances(visitor, table) != before
    journal = visitor.visit(f"{table}journal").text
    assert "rubber broken off" in journal
    assert "Bruno" in journal
    assert "+2 fiches" in visitor.visit(f"{table}why/balance/1").text
    assert "rubber broken off" in visitor.visit(f"{table}why/balance/1").text
    assert "2 payments" in visitor.visit(f"{table}settlement").text
    assert sheet(visitor, table) == open_sheet
    assert not faults(visitor)

    visitor.visit(table).more().send({}, "/reopen")
    assert balances(visitor, table) == before
    assert "rubber broken off" not in visitor.visit(f"{table}journal").text
    assert not faults(visitor)


# --- the draw ------------------------------------------------------------------------------------------------


@games_of_robres
def test_one_tap_after_a_robre_opens_the_next_table_with_the_same_four(visitor: Visitor, slug: str) -> None:
    table = play(visitor, slug, (), **DRAW)
    while not visitor.visit(table).page.select(f"form[action='{table}draw']"):
        visitor.record(**TAKES_ALL)
    following = visitor.visit(table).send({}, f"{table}draw").table
    assert following != table
    drawn = sheet(visitor, following)
    assert sorted(drawn["players"]) == sorted(NAMES[:4])
    assert drawn["house_rules"] == sheet(visitor, table)["house_rules"]
    assert drawn["deals"] == []
    old = visitor.visit(table)
    assert "This table is closed" in old.text
    assert any(str(link.get("href", "")) == following for link in old.page.select(".ways a"))


@pytest.mark.parametrize(("deals", "rules"), [(DOUBLE * 2, {}), (DOUBLE, DRAW), ((*DOUBLE * 2, TAKES_NINE), DRAW)])
def test_the_draw_is_offered_only_between_robres_by_the_house_rule(
    visitor: Visitor, deals: tuple[dict[str, str], ...], rules: dict[str, str]
) -> None:
    table = play(visitor, "whist", deals, **rules)
    page = visitor.visit(table)
    assert not page.page.select(f"form[action='{table}draw']")
    fields = page.more().form("/close")
    refused = visitor.send({}, form=_with_action(fields, f"{table}draw"))
    assert refused.status == 422
    assert "This table is closed" not in visitor.visit(table).text


def _with_action(form: Any, action: str) -> Any:
    form["action"] = action
    return form
