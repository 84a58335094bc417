"""A correction of what was paid for already is said before it is saved, and afterwards what is still to pay."""

from __future__ import annotations

from ..visitor import Visitor, tag_of
from .test_settlements import EUROS, pay, planned_payments, robre

PAID = "This changes payments already made."
BACK = ["Anne pays Bruno €1.25", "Chloé pays David €1.25"]


def due_again(visitor: Visitor) -> list[str]:
    """Return what is still to pay by the table's page, which is what its settlement plans."""
    lines = [line.get_text() for line in visitor.visit(visitor.table).page.select(".due-again li")]
    planned = planned_payments(visitor.visit(f"{visitor.table}settlement"))
    assert not lines or len(lines) == len(planned)
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
    assert len(due_again(visitor)) == 2
    visitor.visit(table).more().send({}, "/close")
    assert due_again(visitor) == []
