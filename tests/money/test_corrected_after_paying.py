"""A correction of what was paid for already is said before it is saved, and afterwards what is still to pay."""

from __future__ import annotations

from datetime import date

from ..visitor import Visitor, tag_of
from .test_settlements import EUROS, circle_path, pay, planned_payments, robre

PAID = "This changes payments already made."
BACK = ["Anne pays Bruno €1.25", "Chloé pays David €1.25"]
CORRECTED, REOPENED = "After the payment, deal 4 was corrected: ", "The table was reopened after the payment: "


def due_again(visitor: Visitor, said: str = CORRECTED) -> list[str]:
    """Return what is to be paid again, as the table's page and its Settle up say it in one sentence; [] without it."""
    said_there = visitor.visit(visitor.table).page.select(".due-again > p:first-child")
    sentences = [line.get_text(strip=True) for line in said_there]
    planned = planned_payments(visitor.visit(f"{visitor.table}settlement"))
    assert [line.get_text() for line in visitor.page.select("main > p.notice")] == sentences
    if not sentences:
        return []
    assert sentences[0].startswith(said)
    lines = sentences[0].removeprefix(said).removesuffix(".").split(", ")
    assert len(lines) == len(planned)
    return lines


def paid_robre(visitor: Visitor) -> Visitor:
    """Play a robre of four deals, and pay for its table."""
    table = robre(visitor, **EUROS).table
    for _ in "12":
        pay(visitor.visit(f"{table}settlement"))
    assert due_again(visitor.visit(table)) == []
    return visitor


def test_a_correction_of_what_was_paid_for_is_said_until_it_is_undone_or_paid(visitor: Visitor) -> None:
    table = paid_robre(visitor).table
    assert PAID not in visitor.visit(f"{table}deals/4/amend").text
    assert PAID in visitor.send({"tricks": "ns-1", "do": "check"}).text
    visitor.send({"tricks": "ns-1", "do": "record"})
    assert due_again(visitor) == BACK
    visitor.visit(table).send({}, "/undo")
    assert due_again(visitor) == []
    visitor.visit(f"{table}deals/4").send({}, "/withdraw")
    assert due_again(visitor) == BACK
    pay(visitor.visit(f"{table}settlement"))
    assert due_again(visitor.visit(table)) == BACK[1:]
    pay(visitor.visit(f"{table}settlement"))
    assert due_again(visitor.visit(table)) == []


def test_the_other_phones_hear_of_the_payment(visitor: Visitor) -> None:
    table = paid_robre(visitor).table
    visitor.visit(f"{table}deals/4").send({}, "/withdraw")
    tag = tag_of(visitor.visit(table).find("[data-follow]"))
    assert visitor.client.get(f"{table}now", headers={"If-None-Match": tag}).status_code == 304
    for left in (1, 0):
        pay(visitor.visit(f"{table}settlement"))
        update = visitor.client.get(f"{table}now", headers={"If-None-Match": tag})
        assert update.text.count(" pays ") == left


def test_removing_the_last_deal_of_a_paid_robre_says_first_that_play_goes_on_and_payments_change(
    visitor: Visitor,
) -> None:
    last = paid_robre(visitor).visit(visitor.table).page.select(".rows li a")[0]
    visitor.visit(str(last["href"]))
    said = [line.get_text(" ", strip=True) for line in visitor.page.select(".bar .consequences :is(li, p)")]
    number = visitor.find("h1").get_text().split()[1]
    assert f"Deal {number} no longer wins the rubber." in said
    assert said[-2].endswith("deals next.")
    assert said[-1].startswith(PAID)


def test_reopening_takes_back_what_closing_an_unfinished_robre_paid(visitor: Visitor) -> None:
    rules = {"rule-unfinished_robre": "points"}
    table = visitor.open_table("whist", **EUROS, **rules).record(tricks="ns-5").record(tricks="ns-5").table
    visitor.visit(table).more().send({}, "/close")
    for _ in "12":
        pay(visitor.visit(f"{table}settlement"))
    assert due_again(visitor.visit(table)) == []
    visitor.visit(table).more().send({}, "/reopen")
    assert len(due_again(visitor, REOPENED)) == 2
    visitor.visit(table).more().send({}, "/close")
    assert due_again(visitor) == []


def test_settle_up_of_everything_names_the_table_and_the_deals_that_were_corrected(visitor: Visitor) -> None:
    table = paid_robre(visitor).table
    for number in (4, 2):
        visitor.visit(f"{table}deals/{number}").send({}, "/withdraw")
    for page in ("settlement", f"evenings/{date.today()}/settlement"):
        said = visitor.visit(circle_path(visitor) + page).find("main > p.notice").get_text()
        assert said.startswith("Whist, ")
        assert "deal 4 & deal 2 were corrected: " in said
        assert "Anne pays Bruno" in said
