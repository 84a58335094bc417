"""Enter whole evenings in a real browser, and compare every page with the command's result for the exported sheet."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .evenings import FRANCION, JOFFRE, QUARANTE, QUARANTE_AGAIN, SHORT_WHIST, WHIST, Adjustment, Deal, Evening
from .table import TablePage, in_a_row, number

pytestmark = pytest.mark.browser

FICHE = 9  # jetons
SIDES = {"ns": "North–South", "ew": "East–West"}


def play(table: TablePage, evening: Evening) -> None:
    """Enter all deals of an evening."""
    for deal in evening:
        if isinstance(deal, Deal):
            table.open_pad().tap(*deal.taps.split()).shows_score(deal.score)
            expect(table.working).to_contain_text(deal.says)
            table.press("record")
        elif isinstance(deal, Adjustment):
            table.adjust(deal.kind, deal.taps, deal.amount)
        else:
            table.misdeal()
        table.on_table_page()


def export(table: TablePage, folder: Path) -> Path:
    with table.visit("export").page.expect_download() as download:
        table.page.locator("a[download][href$='sheet.json']").tap()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file


def command(file: Path) -> dict[str, Any]:
    """Return the statement that the installed command prints for a sheet."""
    done = subprocess.run(  # noqa: S603  # our own command
        [sys.executable, "-m", "scorekeeper", "score", "--json", str(file)], capture_output=True, check=True
    )
    assert not done.stderr
    return dict(json.loads(done.stdout))


def pages_show(table: TablePage, statement: dict[str, Any]) -> None:
    """Every page of the table agrees with the statement."""
    table_shows(table.visit(), statement)
    payments_are(table.visit("settlement"), statement["settlement"])
    journal_is(table.visit("journal"), statement["journal"])


def table_shows(table: TablePage, statement: dict[str, Any]) -> None:
    page = table.page
    assert table.scores == list(statement["scores"].values())
    if statement["status"] == "finished":
        expect(page.locator(".rows .closing").first).to_contain_text(SIDES[statement["winner"]])
    else:
        table.is_dealt_by(statement["dealer"])
    balances = {
        row.locator("th").inner_text(): [number(cell) for cell in row.locator("td").all_inner_texts()]
        for row in page.locator(".balances tbody tr").all()
    }
    assert balances == {player: list(units.values()) for player, units in statement["balances"].items()}
    assert {number(cell) for cell in page.locator(".balances tfoot td").all_inner_texts()} == {0}
    rows = page.locator(".rows .number").all_inner_texts()
    assert len(rows) == min(12, len(statement["deals"]))  # the last ones; the others are behind a link
    numbers = [int(text) for text in rows if text != "–"]  # an adjustment has none
    assert numbers == list(range(numbers[0], numbers[0] - len(numbers), -1))


def payments_are(table: TablePage, settlement: list[dict[str, Any]]) -> None:
    fewest = table.page.locator(".account .due")
    listed = [
        (
            line.locator(".giver").inner_text(),
            line.locator(".taker").inner_text(),
            amount(line.locator("b").inner_text()),
        )
        for line in fewest.all()
    ]
    due = [
        (payment["from"], payment["to"], payment.get("jetons") or payment["fiches"] * FICHE) for payment in settlement
    ]
    assert listed == due
    if not due:
        expect(table.page.locator(".empty")).to_be_visible()


def amount(text: str) -> int:
    """Parse counters such as "2 fiches and 4 jetons"; return jetons."""
    worth = {"fiche": FICHE, "jeton": 1}
    return sum(number(count) * worth[unit] for count, unit in re.findall(r"([\d,]+)\s(fiche|jeton)", text))


def journal_is(table: TablePage, journal: list[dict[str, Any]]) -> None:
    lines = table.page.locator(".journal .entries li")
    assert lines.count() == len(journal)
    links = table.page.locator(".journal .entries .reason")
    reasons = [str(link.get_attribute("href")).partition("#")[2] for link in links.all()]
    assert reasons == [entry["reason"] for entry in journal]
    for line, entry in zip(lines.all_inner_texts(), journal, strict=True):
        assert re.search(rf"\b{entry['amount']}\b", line), (line, entry)


def scores_after(statement: dict[str, Any]) -> list[str]:
    """The scores after each deal are those that the working showed before."""
    return [in_a_row(deal["scores"].values()) for deal in statement["deals"]]


def ends_as_the_command_says(table: TablePage, evening: Evening, folder: Path) -> dict[str, Any]:
    play(table, evening)
    statement = command(export(table, folder))
    assert scores_after(statement) == [deal.score for deal in evening]
    pages_show(table, statement)
    return statement


def test_an_evening_of_whist_over_two_robres_agrees_with_the_command(
    phone: Callable[..., Page], tmp_path: Path
) -> None:
    table = TablePage.open_by_form(phone(), "whist")
    statement = ends_as_the_command_says(table, WHIST, tmp_path)
    assert [robre["margin"] for robre in statement["robres"]] == [2, 4]
    assert [deal["called"] for deal in table.sheet["deals"] if "called" in deal] == ["ew", "ns"]


def test_an_evening_of_short_whist_to_a_bumper_agrees_with_the_command(
    phone: Callable[..., Page], tmp_path: Path
) -> None:
    statement = ends_as_the_command_says(TablePage.open_by_form(phone(), "short-whist"), SHORT_WHIST, tmp_path)
    assert [robre["margin"] for robre in statement["robres"]] == [4, 8]


def test_an_evening_of_two_parties_of_quarante_de_rois_agrees_with_the_command(
    phone: Callable[..., Page], tmp_path: Path
) -> None:
    table = TablePage.open_by_form(phone(), "quarante-de-rois", stake="2")
    first = ends_as_the_command_says(table, QUARANTE, tmp_path)
    assert first["winner"] == "ew"
    again = table.play_again()
    second = ends_as_the_command_says(again, QUARANTE_AGAIN, tmp_path)
    assert second["winner"] == "ns"
    assert second["deals"][0]["dealer"] == "Bruno"  # the deal went on round
    assert again.path != table.path


def test_an_evening_of_joffre_to_a_won_partie_agrees_with_the_command(
    phone: Callable[..., Page], tmp_path: Path
) -> None:
    table = TablePage.open_by_form(phone(), "joffre", stake="3")
    statement = ends_as_the_command_says(table, JOFFRE, tmp_path)
    assert statement["winner"] == "ns"
    assert [deal["auction"] for deal in table.sheet["deals"] if "auction" in deal] == [
        [["Anne", "pass", False], ["Bruno", "pass", False], ["Chloé", 5, False], ["David", 5, False]]
    ]


def test_an_evening_of_francion_over_a_manche_agrees_with_the_command(
    phone: Callable[..., Page], tmp_path: Path
) -> None:
    table = TablePage.open_by_form(phone(), "francion")
    statement = ends_as_the_command_says(table, FRANCION, tmp_path)
    assert [manche["winner"] for manche in statement["manches"]] == ["Bruno"]
    played = [deal for deal in table.sheet["deals"] if "tricks" in deal]
    assert {(deal["welche"]["event"], deal["welche"].get("hearts_led", False)) for deal in played} == {
        ("won", False),
        ("won", True),
        ("taken", False),
        ("taken", True),
        ("turned", False),
        ("hidden", False),
    }
    assert all(sum(deal["tricks"].values()) == 9 for deal in played)
    assert any(0 in deal["tricks"].values() for deal in played)
