"""What people read as the number of a deal: deals are counted, substitutions and adjustments are not."""

from __future__ import annotations

import csv
import io
import re
from itertools import product
from typing import Any

import pytest
from flask import Flask
from werkzeug.routing import Rule
from werkzeug.routing.converters import AnyConverter

from scorekeeper.i18n import translate

from ..support.visitor import Visitor

FIRST, LAST = 1, 6  # the rows that are deals; between them, two substitutions and two adjustments
ROWS = range(FIRST, LAST + 1)


@pytest.fixture
def table(visitor: Visitor) -> Visitor:
    """Return a host at a table where a deal, a substitution, an adjustment, both again, and a deal were recorded."""
    visitor.open_table("whist", amount="1", unit="fiche", currency="EUR")
    visitor.record(tricks="ns-5", honours="ns-4")
    for out, name in (("2", "Emma"), ("5", "Bruno II.")):
        visitor.visit(f"{visitor.table}deals/substitution").send({"out": out, "name": name})
        visitor.visit(f"{visitor.table}deals/adjustment")
        visitor.send({"to": "ns", "amount": "1", "kind": "points"})
    return visitor.record(tricks="ns-5")


def paths(app: Flask, visitor: Visitor) -> list[str]:
    """Return every address under the table, for each of its rows, and those of its circle that name deals."""
    token = visitor.table.split("/")[2]
    day = re.search(r"evenings/([\d-]+)", visitor.visit(f"{visitor.table}recap").response.get_data(as_text=True))
    assert day is not None
    circle = visitor.circle
    found = [f"{circle}evenings/{day[1]}", f"{circle}evenings/{day[1]}/settlement", circle]
    adapter = app.url_map.bind("localhost")
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith("/tables/<token>") and "GET" in (rule.methods or ()) and "stream" not in rule.endpoint:
            found += [adapter.build(rule.endpoint, {"token": token} | values) for values in arguments(rule)]
    return [path for path in found if visitor.client.get(path).status_code == 200]


def arguments(rule: Rule) -> list[dict[str, Any]]:
    known: dict[str, Any] = {"deal_id": ROWS, "number": range(LAST + 1), "party": ("ns", "ew"), "seat": "12"}
    words = {name: sorted(one.items) for name, one in rule._converters.items() if isinstance(one, AnyConverter)}
    choices = {name: (known | words)[name] for name in sorted(rule.arguments - {"token"})}
    return [dict(zip(choices, chosen, strict=True)) for chosen in product(*choices.values())]


def read(visitor: Visitor, path: str) -> str:
    """Return what an address answers; a live update says all that was recorded so far."""
    headers = visitor.headers | {"If-None-Match": '"0"'}
    return visitor.client.get(path, headers=headers).get_data().decode(errors="replace")


def test_no_page_counts_a_substitution_or_an_adjustment_as_a_deal(app: Flask, table: Visitor) -> None:
    found = paths(app, table)
    assert len(found) > 40, found
    wrong = [translate("en", "deal.title", number=number) for number in (*ROWS, LAST + 1)[3:]]
    pattern = re.compile("|".join(rf"\b{title}\b" for title in wrong), re.IGNORECASE)
    texts = {path: read(table, path) for path in found}
    assert {path: match[0] for path, text in texts.items() if (match := pattern.search(text))} == {}
    assert table.visit(table.table).find("#main-action").get_text() == "Record deal 3"
    assert "Substitution after deal 1" in texts[f"{table.table}deals/2"]
    assert "Adjustment after deal 1" in texts[f"{table.table}deals/3"]


def test_tables_of_deals_have_numbers_for_deals_only(table: Visitor) -> None:
    numbers = ["1", "–", "–", "–", "–", "2"]
    for page in ("chart", "print"):
        heads = table.visit(f"{table.table}{page}").page.select("table:has(thead) tbody th[scope=row]")
        assert [head.get_text(strip=True) for head in heads][: len(numbers)] == numbers, page
    rows = table.visit(table.table).page.select(".rows .number")
    assert [row.get_text() for row in rows] == numbers[::-1]


def test_spreadsheets_number_deals_only_and_sheets_stay_as_they_were(table: Visitor) -> None:
    deals = read(table, f"{table.table}deals.csv").lstrip("\ufeff")
    column = [row[3] for row in csv.reader(io.StringIO(deals))][1::2]
    assert column == ["1", "", "", "", "", "2"]
    assert len(table.export()["deals"]) == LAST


def test_scores_of_several_players_stand_with_their_names_and_those_of_sides_beside_theirs(visitor: Visitor) -> None:
    visitor.open_table("francion", 3).record(**{"tricks-1": "5", "tricks-2": "4", "tricks-3": "0", "welche": "hidden"})
    named = "Anne 1, Bruno 0, Chloé 0"
    assert named in visitor.find("title").get_text().replace("\xa0", " ")
    for address in ("deals/1", "after/1"):
        assert named in visitor.visit(f"{visitor.table}{address}").text.replace("\xa0", " ")
    visitor.visit(visitor.table).more().send({}, "/close")
    assert f"Score: {named}" in visitor.find(".ending").get_text().replace("\xa0", " ")
    visitor.open_table("whist").record(tricks="ns-3")
    pad = visitor.visit(f"{visitor.table}deals/new")
    assert " ".join(pad.find(".score-line").get_text().split()) == "Anne & Chloé 3 Bruno & David 0"


def test_the_rows_of_a_pad_keep_the_order_of_the_seats_from_deal_to_deal(visitor: Visitor) -> None:
    visitor.open_table("francion", 3)
    for number in range(3):
        rows = visitor.visit(f"{visitor.table}deals/new").page.select(".players .row-name")
        assert [row.get_text(strip=True) for row in rows] == ["Anne", "Bruno", "Chloé"], number
        visitor.record(**{"tricks-1": "5", "tricks-2": "4", "tricks-3": "0", "welche": "hidden"})
