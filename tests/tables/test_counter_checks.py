"""Counter checks: differences by player; no balance changes."""

from __future__ import annotations

from typing import Any

from flask import Flask
from sqlalchemy import select

from scorekeeper.models import Revision, db
from scorekeeper.tables import caches

from ..support.visitor import NAMES, Visitor

BOX = {"rule-box-fiches": "10", "rule-box-jetons": "45"}


def francion(visitor: Visitor, deals: int = 1, /, **fields: str) -> str:
    """Open a table of three. In each deal Anne wins a trick with the Welche: Bruno and Chloé pay her 4 each."""
    visitor.open_table("francion", 3, **fields)
    for _ in range(deals):
        visitor.record(tricks_1="3", tricks_2="3", tricks_3="3", welche="won", holder="1")
    return visitor.table


def count_form(visitor: Visitor, table: str, **off: int) -> dict[str, str]:
    """Return the form of a count that agrees with the sheet, except for these additional jetons by player."""
    jetons, fiches = 45, 10  # in each box at the start
    sheet = visitor.visit(table).page.select(".balances tbody tr")
    form = {"start-jetons": str(jetons), "start-fiches": str(fiches)}
    for seat, row in enumerate(sheet, start=1):
        balance = [int(cell.get_text().replace("−", "-")) for cell in row.find_all("td")[:2]]
        more = off.get(NAMES[seat - 1], 0)
        form[f"held-{seat}-jetons"] = str(jetons + balance[0] + more)
        form[f"held-{seat}-fiches"] = str(fiches + balance[1])
    return form


def count(visitor: Visitor, table: str, /, **off: int) -> Visitor:
    form = count_form(visitor, table, **off)
    return visitor.visit(f"{table}count").send(form)


def test_a_correct_count_says_so(visitor: Visitor) -> None:
    count(visitor, francion(visitor, **BOX))
    assert "The count is right" in visitor.text


def test_a_wrong_count_names_the_players_and_the_amounts(visitor: Visitor) -> None:
    table = francion(visitor, 2, **BOX)
    count(visitor, table, Anne=-4, Bruno=4)
    assert "Anne has 4 jetons too few" in visitor.text
    assert "Bruno has 4 jetons too many" in visitor.text
    assert "Nothing is missing overall" in visitor.text


def test_a_missing_count_is_marked_below_its_player(visitor: Visitor) -> None:
    table = francion(visitor, **BOX)
    form = count_form(visitor, table) | {"held-2-jetons": "", "held-2-fiches": ""}
    visitor.visit(f"{table}count").send(form)
    line = visitor.find(".problem").find_previous_sibling("div")
    assert line is not None
    assert "Bruno" in line.get_text()


def test_a_count_is_recorded_and_changes_no_balance(app: Flask, visitor: Visitor) -> None:
    table = francion(visitor, 2, **BOX)
    before, sheet = visitor.visit(f"{table}sheet.json").response.get_data(), visitor.export()
    balances = visitor.visit(table).page.select_one(".balances")
    count(visitor, table, Anne=-4, Bruno=4)
    assert visitor.visit(table).page.select_one(".balances") == balances
    assert visitor.export() == sheet
    assert visitor.visit(f"{table}sheet.json").response.get_data() == before
    assert visitor.visit(table).record(tricks_1="9", tricks_2="0", welche="hidden").status == 200
    assert "counted the counters" in visitor.visit(f"{table}changes").text
    assert "Anne 54 jetons + 10 fiches" in visitor.text  # 45 started with, 13 won, 4 missing
    visitor.follow("counted the counters")
    assert "Anne has 4 jetons too few" in visitor.text  # by the sheet at that time
    with app.app_context():
        assert caches.verify().faults == []


def test_an_invalid_count_is_refused_beside_its_field_and_stays_typed(app: Flask, visitor: Visitor) -> None:
    table = francion(visitor, **BOX)
    form = count_form(visitor, table) | {"held-2-jetons": "many", "held-3-fiches": "", "held-1-jetons": "-1"}
    visitor.visit(f"{table}count").send(form)
    assert visitor.status == 422
    assert [problem.split(":")[0] for problem in visitor.problems()] == ["Jetons", "Jetons", "Fiches"]
    assert "“many” is not a number of counters" in visitor.problems()[1]
    assert visitor.page.select_one("[name=held-2-jetons][value=many]")
    with app.app_context():
        assert not db.session.scalars(select(Revision).where(Revision.kind == "count")).all()
    visitor.send({"held-2-jetons": "41", "held-3-fiches": "10", "held-1-jetons": "53"})
    assert visitor.status == 200


def test_a_count_sent_twice_is_recorded_once_and_a_stale_one_not_at_all(
    app: Flask, visitor: Visitor, another: Visitor
) -> None:
    table = francion(visitor, **BOX)
    another.join(visitor.link("score"))
    counts = count_form(visitor, table)
    visitor.visit(f"{table}count")
    form: dict[str, Any] = {
        str(field["name"]): field.get("value", "") for field in visitor.page.select("form.counting input")
    }
    for _ in range(2):
        assert visitor.client.post(f"{table}count", data=form | counts).status_code == 303
    another.visit(f"{table}count")
    visitor.visit(table).record(tricks_1="9", tricks_2="0", welche="hidden")
    another.send(counts)
    assert another.status == 409
    assert another.page.select_one(f"[name=held-1-jetons][value='{counts['held-1-jetons']}']")
    with app.app_context():
        assert len(db.session.scalars(select(Revision).where(Revision.kind == "count")).all()) == 1
