"""A table's history: chart, state after each deal, changes, printed sheet and recap."""

from __future__ import annotations

import re
from typing import Any

import pytest
from bs4 import Tag
from flask import Flask

from scorekeeper.models import Revision, Table, db

from ..support.visitor import Visitor

PAGES = ("chart", "after/0", "changes", "print", "recap")


@pytest.fixture
def table(visitor: Visitor) -> str:
    """Record five deals of Whist: East-West win a manche, and the score is 3–0 in the next."""
    visitor.open_table("whist", amount="0.25", currency="EUR")
    for tricks in ("ns-2", "ew-5", "ew-4", "ew-1", "ns-3"):
        visitor.record(tricks=tricks)
    return visitor.table


def texts(places: Any) -> list[str]:
    return [" ".join(place.get_text(" ").split()) for place in places]


def strokes(visitor: Visitor) -> list[int]:
    """Return how many deals each stroke of the first chart spans, line by line."""
    chart = visitor.page.select_one("svg.chart")
    assert isinstance(chart, Tag)
    return [len(str(stroke["points"]).split()) - 1 for stroke in chart.select(".line polyline")]


def recorded(app: Flask, visitor: Visitor, deals: int) -> str:
    """Insert a table with this many deals into the database: North-South take seven tricks each time."""
    visitor.open_table("whist").record(tricks="ns-1")
    with app.app_context():
        table = db.session.scalars(db.select(Table)).one()
        first = db.session.scalars(db.select(Revision)).one()
        common: dict[str, Any] = {"circle_id": table.circle_id, "table_id": table.id, "body": first.body}
        common |= {"membership_id": first.membership_id, "at": first.at}
        for number in range(2, deals + 1):
            columns = {"number": number, "kind": "record", "deal_id": number, "entry_key": f"k{number}"}
            db.session.add(Revision(**common, **columns))
        db.session.commit()
    return visitor.table


# --- a long table ------------------------------------------------------------------------------------------


def test_a_long_table_shows_its_newest_deals_and_leads_to_all(app: Flask, visitor: Visitor) -> None:
    recorded(app, visitor, 120)

    def numbers(page: Visitor) -> list[int]:
        return [int(cell.get_text()) for cell in page.page.select(".rows .number")]

    assert numbers(visitor.visit(visitor.table)) == list(range(120, 108, -1))
    assert numbers(visitor.follow("Earlier deals")) == list(range(108, 58, -1))
    assert numbers(visitor.follow("Earlier deals")) == list(range(58, 8, -1))
    assert numbers(visitor.follow("Later deals")) == list(range(108, 58, -1))
    assert numbers(visitor.follow("Later deals")) == list(range(120, 70, -1))
    visitor.follow("120")
    assert visitor.path.endswith("/deals/120")


# --- the chart ---------------------------------------------------------------------------------------------


def test_the_chart_draws_a_line_for_each_side_and_manche(visitor: Visitor, table: str) -> None:
    visitor.visit(f"{table}chart")
    assert strokes(visitor) == [4, 1, 4, 1]  # deals in the manche and after it, for each side
    assert len(visitor.page.select("svg.chart .end.manche")) == 1
    assert "Both sides start each game at 0" in visitor.text


def test_the_same_numbers_are_in_a_table_below(visitor: Visitor, table: str) -> None:
    visitor.visit(f"{table}chart")
    rows = texts(visitor.page.select("table.figures tbody tr"))
    assert rows[0] == "1 Anne +2 2 0"
    assert rows[2] == "3 Chloé 2 +4 9"
    assert rows[3] == "4 David 2 +1 10"
    assert rows[4] == "East–West win the game: double, 2 points"
    assert rows[5] == "5 Anne +3 3 0"


def test_every_page_of_a_table_without_deals_works(visitor: Visitor) -> None:
    visitor.headers["Accept-Language"] = "fr"
    visitor.open_table("francion")
    for page in PAGES:
        assert visitor.visit(f"{visitor.table}{page}").status == 200
        for area in ("history", "chart", "after", "changes", "sheet", "recap", "outcome", "tables"):
            assert not re.search(rf"\b{area}\.\w", visitor.text)


# --- stepping back -----------------------------------------------------------------------------------------


def test_the_table_is_shown_as_it_was_after_each_deal(visitor: Visitor, table: str) -> None:
    stood = []
    visitor.visit(f"{table}after/0")
    assert "Before the first deal" in visitor.text
    for _ in range(6):
        line = visitor.find(".turn-line")
        stood.append(("–".join(texts(visitor.page.select(".score"))), line.get_text().split()[0]))
        step = visitor.page.select_one(".steps [rel=next]")
        if step is not None:
            visitor.visit(str(step["href"]))
    assert stood == [
        ("0–0", "Anne"),
        ("2–0", "Bruno"),
        ("2–5", "Chloé"),
        ("2–9", "David"),
        ("0–0", "Anne"),
        ("3–0", "Bruno"),
    ]
    assert visitor.page.select_one(".steps [rel=next]") is None


# --- changes -----------------------------------------------------------------------------------------------


def test_changes_are_listed_newest_first_with_the_earlier_facts(visitor: Visitor, another: Visitor, table: str) -> None:
    another.join(visitor.link("score"))
    another.visit(f"{table}deals/1/amend").send({"tricks": "ns-4", "do": "record"})
    visitor.visit(f"{table}deals/2").send({}, "/withdraw")
    visitor.visit(f"{table}deals/2").send({}, "/restore")
    visitor.visit(table).send({}, "/undo")
    visitor.visit(table).more().send({}, "/close")
    changes = texts(visitor.visit(f"{table}changes").page.select(".changes li"))
    assert len(changes) == 10
    assert changes[0].startswith("Phone 1 closed the table")
    assert changes[1].startswith("Phone 1 removed deal 2")
    assert "undone: N–⁠S: 2 tricks · E–⁠W: 11" in changes[1]
    assert changes[2].startswith("Phone 1 restored deal 2")
    assert changes[4].startswith("Phone 2 corrected deal 1")
    assert "N–⁠S: 10 tricks · E–⁠W: 3 before: N–⁠S: 8 tricks · E–⁠W: 5" in changes[4]
    assert changes[-1].startswith("Phone 1 recorded deal 1")
    assert not visitor.page.select("main form")


@pytest.mark.parametrize(
    ("language", "unknown", "known"),
    [
        ("fr-CA", "Le cellulaire 2 a inscrit la brasse 8", "Anne a inscrit la brasse 8"),
        ("de", "Handy 2 hat Spiel 8 eingetragen", "Anne hat Spiel 8 eingetragen"),
    ],
)
def test_a_change_is_by_the_person_whose_phone_it_is(
    visitor: Visitor, another: Visitor, table: str, language: str, unknown: str, known: str
) -> None:
    another.join(visitor.link("score"))
    for _ in range(8 - len(visitor.visit(table).export()["deals"])):
        another.visit(table).record(tricks="ns-1")
    visitor.headers["Accept-Language"] = language
    assert texts(visitor.visit(f"{table}changes").page.select(".changes li"))[0].startswith(unknown)
    another.visit(table).send({"seat": "1"}, "/me")
    assert texts(visitor.visit(f"{table}changes").page.select(".changes li"))[0].startswith(known)


# --- printing --------------------------------------------------------------------------------------------


def test_the_printed_sheet_has_all_deals_sums_and_payments(visitor: Visitor, table: str) -> None:
    for tricks in ("ew-7", "ew-3"):
        visitor.record(tricks=tricks)
    sheet = visitor.visit(f"{table}print").page.select_one(".score-sheet")
    assert isinstance(sheet, Tag)
    rows = texts(sheet.select(".ledger tbody tr"))
    assert len(rows) == 9  # seven deals; the two that ended a manche have a line for it
    assert rows[1] == "2 Bruno N–⁠S: 2 tricks · E–⁠W: 11 2 +5 5"
    assert rows[-1] == "East–West win the game: double, 2 points · East–West win the rubber by 5"
    words = " ".join(texts([sheet]))
    assert "Anne & Chloé" in words
    assert "Rubbers Games North–South 0 0 East–West 1 2" in words
    assert "Anne −5 −€1.25" in words
    assert "Anne pays Bruno €1.25" in words
    assert "Score kept by" in words


# --- recaps ------------------------------------------------------------------------------------------------


def recap(visitor: Visitor) -> str:
    field = visitor.page.select_one("textarea#recap")
    assert isinstance(field, Tag)
    assert field.has_attr("readonly")
    return field.get_text().strip()


def test_a_recap_names_winners_balances_and_payments(visitor: Visitor) -> None:
    visitor.open_table(
        "quarante-de-rois", **{"rule-target": "60", "rule-stake": "2", "amount": "0.5", "currency": "EUR"}
    )
    visitor.record(kings="4", queens="4", jacks="4")
    visitor.record(kings="4", queens="0", jacks="0", clique="kings-4", clique_player="1")
    lines = recap(visitor.visit(f"{visitor.table}recap")).split("\n")
    assert lines[0].startswith("Quarante de rois · ")
    assert lines[1:] == [
        "Anne & Chloé – Bruno & David",
        "",
        "Anne & Chloé won",
        "Score: 108–28",
        "2 deals",
        "",
        "Anne +2 fiches (+€1.00)",
        "Chloé +2 fiches (+€1.00)",
        "Bruno −2 fiches (−€1.00)",
        "David −2 fiches (−€1.00)",
        "",
        "Best clique: 40 points (Anne, deal 2)",
        "",
        "To pay:",
        "Bruno pays Anne €1.00",
        "David pays Chloé €1.00",
    ]


def test_a_recap_contains_no_link_with_access(visitor: Visitor, table: str) -> None:
    secret = visitor.link("score").split("/")[-1]
    circle = visitor.circle.split("/")[2]
    text = recap(visitor.visit(f"{table}recap"))
    for secret_text in (secret, circle, table.split("/")[2], "http", "/join"):
        assert secret_text not in text
