"""A correction of what was paid for already is said before it is saved, and afterwards until somebody pays."""

from __future__ import annotations

from ..support.club import EUROS
from ..support.visitor import Visitor, tag_of
from .settling import pay, planned_payments, this_evening

PAID = "This changes payments already made."
CHANGED = "What is open has changed."
CORRECTED = f"After the payment, deal 4 was corrected. {CHANGED}"
REMOVED = CORRECTED.replace("corrected", "removed")
REOPENED = f"The table was reopened after the payment. {CHANGED}"


def tell_corrections(visitor: Visitor) -> list[str]:
    """Return what the table's page and its Settle up, which say the same, say of corrections after a payment."""
    said_there = visitor.visit(visitor.table).page.select(".due-again > p:first-child")
    sentences = [line.get_text(strip=True) for line in said_there]
    visitor.visit(f"{visitor.table}settlement")
    assert [line.get_text() for line in visitor.page.select("main > p.notice")] == sentences
    return sentences


def pay_everybody(visitor: Visitor, table: str) -> None:
    while planned_payments(visitor.visit(f"{table}settlement")):
        pay(visitor)
    visitor.visit(table)


def paid_robre(visitor: Visitor) -> Visitor:
    """Play a robre of four deals, and pay for its table."""
    table = visitor.play_robre(**EUROS).table
    pay_everybody(visitor, table)
    assert tell_corrections(visitor.visit(table)) == []
    return visitor


def remove(visitor: Visitor, table: str, deal: int) -> Visitor:
    return visitor.visit(f"{table}deals/{deal}").send({}, "/withdraw")


def put_into_the_box(visitor: Visitor, table: str) -> None:
    visitor.visit(f"{visitor.circle}cash-box")
    form = visitor.find(".other form")
    giver = str(form.select("[name=giver] option")[1]["value"])
    visitor.send({"giver": giver, "taker": "box", "amount": "50", "account": "EUR"}, form=form)
    assert visitor.visit(table).path == table


def test_a_correction_of_what_was_paid_for_is_said_until_it_is_undone_or_somebody_pays(visitor: Visitor) -> None:
    table = paid_robre(visitor).table
    assert PAID not in visitor.visit(f"{table}deals/4/amend").text
    assert PAID in visitor.send({"tricks": "ns-1", "do": "check"}).text
    visitor.send({"tricks": "ns-1", "do": "record"})
    assert tell_corrections(visitor) == [CORRECTED]
    visitor.visit(table).send({}, "/undo")
    assert tell_corrections(visitor) == []
    remove(visitor, table, 4)
    assert tell_corrections(visitor) == [REMOVED]
    assert planned_payments(visitor) == ["Anne pays €1.25 5 fiches Bruno", "Chloé pays €1.25 5 fiches David"]
    pay(visitor)
    assert tell_corrections(visitor.visit(table)) == []


def test_the_other_phones_hear_of_the_payment(visitor: Visitor) -> None:
    table = remove(paid_robre(visitor), visitor.table, 4).table
    tag = tag_of(visitor.visit(table).find("[data-follow]"))
    assert visitor.client.get(f"{table}update", headers={"If-None-Match": tag}).status_code == 304
    pay(visitor.visit(f"{table}settlement"))
    update = visitor.client.get(f"{table}update", headers={"If-None-Match": tag})
    assert update.status_code == 200
    assert CHANGED not in update.text


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


def test_a_correction_that_changed_no_money_is_not_blamed_for_what_is_played_later(visitor: Visitor) -> None:
    table = paid_robre(visitor).table
    visitor.visit(f"{table}deals/1/amend").send({"tricks": "ns-6", "do": "record"})
    assert tell_corrections(visitor.visit(table)) == []
    for _ in range(4):
        visitor.record(tricks="ew-5")
    assert planned_payments(visitor.visit(f"{table}settlement")) != []
    put_into_the_box(visitor, table)
    assert tell_corrections(visitor) == []


def test_a_correction_that_was_taken_back_or_paid_for_is_not_blamed_for_what_is_played_later(visitor: Visitor) -> None:
    table = paid_robre(visitor).table
    remove(visitor, table, 4).visit(f"{table}deals/4").send({}, "/restore")
    remove(visitor, table, 3)
    pay_everybody(visitor, table)
    for _ in range(4):
        visitor.record(tricks="ew-5")
    assert planned_payments(visitor.visit(f"{table}settlement")) != []
    assert tell_corrections(visitor.visit(table)) == []


def test_a_payment_into_the_cash_box_pays_for_no_table(visitor: Visitor) -> None:
    table = paid_robre(visitor).table
    remove(visitor, table, 4)
    put_into_the_box(visitor, table)
    assert tell_corrections(visitor) == [REMOVED]
    everything = visitor.visit(f"{visitor.circle}settlement").page.select("main > p.notice")
    assert [line.get_text().endswith(REMOVED) for line in everything] == [True]


def test_a_removal_that_leaves_a_table_with_nothing_owed_is_said_where_everything_was_paid(visitor: Visitor) -> None:
    table = visitor.play_robre(**EUROS).table
    while planned_payments(visitor.visit(f"{visitor.circle}settlement")):
        pay(visitor)
    for deal in range(4, 0, -1):
        remove(visitor, table, deal)
    visitor.visit(table)
    said = tell_corrections(visitor)
    assert len(said) == 1
    assert "were removed" in said[0]
    assert planned_payments(visitor) != []
    everything = visitor.visit(f"{visitor.circle}settlement")
    assert said[0] in everything.find("main > p.notice").get_text()
    assert said[0] in visitor.visit(f"{this_evening(visitor)}settlement").text


def test_changing_what_was_played_after_the_payment_changes_no_payment(visitor: Visitor) -> None:
    table = paid_robre(visitor).table
    remove(visitor, table, 1)
    visitor.visit(table)
    for _ in range(4):
        visitor.record(tricks="ew-5")
    newest = str(visitor.visit(table).page.select(".rows li a")[0]["href"])
    assert PAID not in visitor.visit(newest).text
    assert PAID in visitor.visit(f"{table}deals/2").text


def test_reopening_takes_back_what_closing_an_unfinished_robre_paid(visitor: Visitor) -> None:
    rules = {"rule-unfinished_robre": "points"}
    table = visitor.open_table("whist", **EUROS, **rules).record(tricks="ns-5").record(tricks="ns-5").table
    visitor.visit(table).more().send({}, "/close")
    pay_everybody(visitor, table)
    assert tell_corrections(visitor) == []
    visitor.visit(table).more().send({}, "/reopen")
    assert tell_corrections(visitor) == [REOPENED]
    visitor.visit(table).more().send({}, "/close")
    assert tell_corrections(visitor) == []


def test_settle_up_of_everything_names_the_table_and_the_deals_that_were_corrected(visitor: Visitor) -> None:
    table = paid_robre(visitor).table
    visitor.visit(f"{table}deals/4/amend").send({"tricks": "ew-5", "do": "record"})
    remove(visitor, table, 2)
    for page in (visitor.circle, this_evening(visitor)):
        said = visitor.visit(f"{page}settlement").find("main > p.notice").get_text()
        assert said.startswith("Whist, ")
        assert "deal 4 & deal 2 were corrected." in said
