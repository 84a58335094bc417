"""Settle up: what is open, payments in full and in part, for others days and in advance, and what was taken back."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask

from scorekeeper.models import Circle, Payment, db
from scorekeeper.money.reading import read_ledger

from ..support.club import EUROS
from ..support.visitor import Visitor, filled_in
from .settling import other_payment, pay, planned_payments, this_evening


def is_settled(app: Flask, number: int = 1) -> bool:
    with app.app_context():
        return number not in read_ledger(db.session.scalars(db.select(Circle)).one()).find_unsettled_tables()


def test_a_table_is_settled_once_its_payments_are_recorded(app: Flask, visitor: Visitor) -> None:
    visitor.play_robre().visit(f"{visitor.table}settlement")
    assert planned_payments(visitor) == ["Bruno pays 5 fiches Anne", "David pays 5 fiches Chloé"]
    assert not is_settled(app)
    pay(visitor)
    assert planned_payments(visitor) == ["David pays 5 fiches Chloé"]
    assert not is_settled(app)
    pay(visitor)
    assert planned_payments(visitor) == []
    assert "Everything is paid" in visitor.text
    assert is_settled(app)


def test_a_later_correction_of_a_settled_table_opens_a_difference(app: Flask, visitor: Visitor) -> None:
    pay(pay(visitor.play_robre().visit(f"{visitor.table}settlement")))
    table = visitor.table
    visitor.visit(f"{table}deals/4").send({}, "/withdraw")
    visitor.visit(f"{table}settlement")
    assert planned_payments(visitor) == ["Anne pays 5 fiches Bruno", "Chloé pays 5 fiches David"]
    assert not is_settled(app)
    with app.app_context():
        assert [payment.amount for payment in db.session.query(Payment)] == [5, 5]
    visitor.visit(f"{table}deals/4").send({}, "/restore")
    assert planned_payments(visitor.visit(f"{table}settlement")) == []
    assert is_settled(app)


def test_a_payment_is_removed_and_put_back_in_one_tap_each(app: Flask, visitor: Visitor) -> None:
    pay(pay(visitor.play_robre().visit(f"{visitor.table}settlement")))
    visitor.visit(f"{visitor.circle}payments").follow("David paid Chloé 5 fiches").send({}, "/withdraw")
    assert "Removed." in visitor.text
    assert visitor.find(".struck").get_text(strip=True) == "David paid Chloé 5 fiches"
    assert planned_payments(visitor.visit(f"{visitor.table}settlement")) == ["David pays 5 fiches Chloé"]
    visitor.visit(f"{visitor.circle}payments").follow("David paid Chloé 5 fiches").send({}, "/restore")
    assert "Put back." in visitor.text
    assert not visitor.page.select(".struck")
    assert is_settled(app)


def test_undo_takes_back_all_that_one_tap_has_recorded(app: Flask, visitor: Visitor) -> None:
    visitor.play_robre().visit(f"{visitor.table}settlement")
    planned = planned_payments(visitor)
    assert len(planned) == 2
    form = visitor.form("/payments/all")
    answer = visitor.client.post(str(form["action"]), data=filled_in(form))
    assert len(parse_qs(urlsplit(answer.location).query)["paid"][0]) < 20  # however many payments there are
    visitor.visit(answer.location).send({}, "/payments/undo")
    assert visitor.find(".recorded").get_text() == "2 payments are removed. They count no longer."
    assert planned_payments(visitor) == planned
    assert not is_settled(app)
    pay(visitor).send({}, "/payments/undo")
    assert planned_payments(visitor) == planned


def test_everybody_has_paid_from_an_outdated_page_says_what_has_changed(visitor: Visitor, another: Visitor) -> None:
    table = visitor.play_robre().table
    visitor.let_in(another)
    pay(another.visit(f"{table}settlement"), amount="1")
    another.visit(f"{table}settlement")
    for _ in range(4):
        visitor.visit(table).record(tricks="ns-5")
    another.send({}, "/payments/all")
    assert another.status == 409
    assert another.find(".stale h2").get_text() == "What is open has changed since this page was shown"
    assert another.page.select(".stale li") == []
    pay(visitor.visit(f"{table}settlement"), amount="2")
    another.send({}, "/payments/all")
    assert another.find(".stale h2").get_text() == "Another payment was recorded meanwhile"
    assert len(another.page.select(".stale li")) == 1


def test_a_payment_cannot_be_of_a_day_to_come(visitor: Visitor) -> None:
    form = visitor.play_robre().visit(f"{visitor.table}settlement").find(".other form")
    giver, taker = (str(form.select(f"[name={role}] option")[at]["value"]) for role, at in (("giver", 1), ("taker", 2)))
    visitor.send({"giver": giver, "taker": taker, "amount": "1", "paid_on": "2031-01-01"}, form=form)
    assert visitor.problems() == ["This day is in the future. Enter the day when it was paid."]


@pytest.mark.parametrize("amount", ["0", "-1", "9" * 400])
def test_an_invalid_amount_is_refused_with_the_reason(visitor: Visitor, amount: str) -> None:
    pay(visitor.play_robre().visit(f"{visitor.table}settlement"), amount=amount)
    assert visitor.status == 422
    assert "whole number above 0" in visitor.text
    assert len(planned_payments(visitor)) == 2


def test_more_than_is_open_is_paid_only_as_an_advance(visitor: Visitor) -> None:
    pay(visitor.play_robre().visit(f"{visitor.table}settlement"), amount="6")
    assert visitor.status == 422
    assert visitor.problems()[0].startswith("What is open is 5 fiches.")
    assert len(planned_payments(visitor)) == 2
    visitor.send({}, form=visitor.find(".other form"))
    assert planned_payments(visitor.visit(f"{visitor.table}settlement")) == [
        "David pays 5 fiches Chloé",
        "Anne pays 1 fiche Bruno",
    ]


def test_an_evening_is_settled_over_all_its_tables_by_account(app: Flask, visitor: Visitor) -> None:
    visitor.play_robre(**EUROS)
    visitor.play_robre(**EUROS)
    visitor.play_robre()
    visitor.visit(f"{this_evening(visitor)}settlement")
    assert planned_payments(visitor) == [
        "Bruno pays €2.50 Anne",
        "David pays €2.50 Chloé",
        "Bruno pays 5 fiches Anne",
        "David pays 5 fiches Chloé",
    ]
    for _ in range(4):
        pay(visitor)
    assert planned_payments(visitor) == []
    assert all(is_settled(app, number) for number in (1, 2, 3))


def test_a_payment_can_be_traced_to_its_tables_and_their_deals(visitor: Visitor) -> None:
    visitor.play_robre()
    visitor.play_robre()
    visitor.visit(f"{visitor.circle}settlement")
    visitor.visit(str(visitor.find(".due a.opens")["href"]))
    sections = visitor.page.select(".sources")
    assert [heading.get_text(strip=True) for heading in visitor.page.select(".sources h2")] == ["Bruno", "Anne"]
    amounts = [
        [cell.get_text(strip=True) for cell in row.select(".number")] for row in sections[0].select(".entries li")
    ]
    assert amounts == [["−5 fiches", "−10 fiches"], ["−5 fiches", "−5 fiches"]]
    visitor.follow("Whist")
    assert visitor.find(".explains").get_text(" ", strip=True).startswith("Bruno −5 fiches")
    assert "Bruno pays Anne 5 fiches" in visitor.text
    assert "David pays" not in visitor.text


def test_why_still_leads_to_the_tables_once_a_part_was_paid(visitor: Visitor) -> None:
    pay(visitor.play_robre().visit(f"{visitor.table}settlement"), amount="2")
    visitor.visit(f"{visitor.table}settlement")
    links = [str(link["href"]) for link in visitor.page.select(".due a.opens")]
    rows = [row.get_text(" ", strip=True) for row in visitor.visit(links[-1]).page.select(".entries li")]
    assert [row for row in rows if "Whist" in row and "5 fiches" in row]
    assert [row for row in rows if "Paid to Anne" in row and "+2 fiches" in row]


def test_what_was_paid_in_part_with_everything_is_not_offered_again_for_the_table(visitor: Visitor) -> None:
    table = visitor.play_robre().table
    pay(visitor.visit(f"{visitor.circle}settlement"))
    assert planned_payments(visitor.visit(f"{table}settlement?only=yes")) == []
    assert "count there" in visitor.text
    assert not visitor.page.select("form[action$='/payments/all']")
    assert planned_payments(visitor.visit(f"{table}settlement")) == ["David pays 5 fiches Chloé"]


def typed(visitor: Visitor, name: str) -> str:
    """Return what stands in a field of the form for any payment."""
    field = visitor.find(f".other[open] form [name={name}]")
    chosen = field.select_one("option[selected]")
    return chosen.get_text() if chosen is not None else str(field.get("value") or field.get_text(strip=True))


def test_a_payment_on_another_day_by_transfer_with_a_note_is_shown_on_its_receipt(visitor: Visitor) -> None:
    visitor.play_robre(**EUROS).visit(f"{visitor.table}settlement")
    how = {"account": "EUR", "paid_on": "2026-11-02", "method": "transfer", "note": "For the rubber"}
    other_payment(visitor, giver="Bruno", taker="Anne", amount="1.00", **how)
    visitor.follow("Bruno paid Anne €1.00")
    for text in ("Monday 2 November 2026", "by transfer", "For the rubber", "Whist"):
        assert text in visitor.text
    receipt, table = visitor.path, visitor.table
    assert "phone 1" in visitor.text
    assert "· Anne" in visitor.open_table("whist").send({"seat": "1"}, "/me").visit(receipt).text
    assert planned_payments(visitor.visit(f"{table}settlement"))[-1] == "Bruno pays €0.25 Anne"


def test_what_is_wrong_is_said_and_all_that_was_typed_stays(visitor: Visitor) -> None:
    visitor.play_robre(**EUROS).visit(f"{visitor.table}settlement")
    assert visitor.find(".other [name=paid_on]")["type"] == "date"
    other_payment(visitor, giver="Bruno", taker="Bruno", amount="x1", account="EUR", paid_on="soon", note="Mine")
    assert visitor.status == 422
    fields = ("giver", "amount", "paid_on", "note")
    assert [typed(visitor, name) for name in fields] == ["Bruno", "x1", "soon", "Mine"]
    assert len(visitor.page.select(".other .problem")) == 2
    assert visitor.find("[autofocus]")["name"] == "amount"


@pytest.mark.parametrize(
    ("field", "typed", "problem"),
    [
        ("giver", "", "The player who pays is missing. Choose a player of the circle."),
        ("giver", "nobody", "This cannot be chosen. Choose one from the list."),
        ("taker", "", "The player who is paid is missing. Choose another player of the circle."),
        ("taker", "outside", "This cannot be chosen. Choose one from the list."),
        ("taker", "Anne", "Anne is chosen on both sides. Choose another player to pay."),
        ("account", "nothing", "This cannot be chosen. Choose one from the list."),
        ("method", "gold", "This cannot be chosen. Choose one from the list."),
        ("paid_on", "2999-01-01", "This day is in the future. Enter the day when it was paid."),
        ("paid_on", "1600-01-01", "This day is before 1700. Check the year."),
        ("note", "x" * 1001, "This text is too long. Use at most 1,000 characters."),
    ],
)
def test_a_field_of_a_payment_says_what_is_wrong_with_it(
    visitor: Visitor, field: str, typed: str, problem: str
) -> None:
    visitor.play_robre(**EUROS).visit(f"{visitor.table}settlement")
    fields = {"giver": "Anne", "taker": "Bruno", "amount": "1", "account": "EUR"} | {field: typed}
    assert other_payment(visitor, **fields).status == 422
    assert [each["id"] for each in visitor.page.select(".other .problem")] == [f"wrong-{field}"]
    assert visitor.problems() == [problem]
    assert visitor.find("[autofocus]")["name"] == field


def test_the_cash_box_cannot_pay_itself(visitor: Visitor) -> None:
    visitor.play_robre(**EUROS).visit(f"{visitor.circle}cash-box")
    other_payment(visitor, giver="box", taker="box", amount="1", account="EUR")
    assert visitor.problems() == ["The cash box is chosen on both sides. Choose another player to pay."]


@pytest.mark.parametrize("giver", ["Anne", "Income"])
def test_an_expense_is_paid_by_the_cash_box(visitor: Visitor, giver: str) -> None:
    visitor.play_robre(**EUROS).visit(f"{visitor.circle}cash-box")
    assert other_payment(visitor, giver=giver, taker="outside", amount="1", account="EUR").status == 422
    assert [each["id"] for each in visitor.page.select(".problem")] == ["wrong-taker"]


def test_a_payment_by_somebody_merged_since_is_one_of_their_person(visitor: Visitor) -> None:
    visitor.play_robre(**EUROS).play_robre(**EUROS | {"seat-1": "Nina"}).visit(f"{visitor.circle}cash-box")
    form = visitor.find(".other form")
    tokens = {option.get_text(strip=True): str(option["value"]) for option in form.select("[name=giver] option")}
    visitor.merge("Nina", "Anne")
    sent = {"giver": tokens["Nina"], "taker": tokens["the cash box"], "amount": "1", "account": "EUR"}
    for _ in "12":
        assert "Anne paid the cash box €1.00" in visitor.send(sent, form=form).text
    assert len(visitor.visit(f"{visitor.circle}payments").texts(".made li")) == 1


FRANCS = {"amount": "0.206", "unit": "fiche", "currency": "CHF"}  # five fiches are 1.03 francs


def due_amounts(visitor: Visitor) -> list[str]:
    return [amount.get_text(strip=True) for amount in visitor.page.select(".due .arrow b")]


def test_in_cash_only_coins_are_accepted_and_the_right_amounts_are_said(visitor: Visitor) -> None:
    visitor.play_robre(**FRANCS).visit(f"{visitor.table}settlement")
    assert due_amounts(visitor) == ["CHF\N{NO-BREAK SPACE}1.05", "CHF\N{NO-BREAK SPACE}1.05"]
    other_payment(visitor, giver="Bruno", taker="Anne", amount="1.03", account="CHF", method="cash")
    assert visitor.status == 422
    assert visitor.problems() == [
        "CHF\N{NO-BREAK SPACE}1.03 cannot be paid in cash: the smallest coin is CHF\N{NO-BREAK SPACE}0.05. "
        "Write 1.00 or 1.05, or choose a transfer."
    ]
    other_payment(visitor, giver="Bruno", taker="Anne", amount="1.03", account="CHF", method="transfer")
    assert visitor.status == 200
    assert due_amounts(visitor) == ["CHF\N{NO-BREAK SPACE}1.03"]


def test_the_plan_is_in_coins_or_by_transfer_to_the_cent(visitor: Visitor) -> None:
    visitor.play_robre(**FRANCS).visit(f"{visitor.table}settlement").follow("By transfer")
    assert due_amounts(visitor) == ["CHF\N{NO-BREAK SPACE}1.03", "CHF\N{NO-BREAK SPACE}1.03"]
    pay(visitor)
    assert due_amounts(visitor) == ["CHF\N{NO-BREAK SPACE}1.03"]
    assert "by transfer" in visitor.visit(f"{visitor.circle}payments").text
    visitor.visit(f"{visitor.table}settlement")
    assert pay(visitor, amount="1.03").status == 422
    pay(visitor)
    assert "CHF 1.05" in visitor.visit(f"{visitor.circle}payments").text
    assert due_amounts(visitor.visit(f"{visitor.table}settlement")) == []
    assert "Everything is paid" in visitor.text


def test_a_table_is_settled_with_everything_once_something_older_is_open(visitor: Visitor) -> None:
    first, second = visitor.play_robre().table, visitor.play_robre().table
    assert "Bruno pays 10 fiches Anne" in planned_payments(visitor.visit(f"{second}settlement"))
    visitor.follow("This table")
    assert "Bruno pays 5 fiches Anne" in planned_payments(visitor)
    pay(pay(visitor))
    assert "Bruno pays 5 fiches Anne" in planned_payments(visitor.visit(f"{first}settlement"))


def test_the_cash_box_says_what_it_should_hold(visitor: Visitor) -> None:
    visitor.play_robre(**EUROS).visit(f"{visitor.circle}cash-box")
    visitor.send({"person": visitor.find("[name=person] option:-soup-contains(Chloé)")["value"]}, "/cashier")
    assert visitor.find(".banker option[selected]").get_text() == "Chloé"
    sent = ("Anne", "the cash box", "50", "Float"), ("the cash box", "Expense", "12.50", "Room")
    for giver, taker, amount, note in sent:
        visitor.visit(f"{visitor.circle}cash-box")
        takers = {each.get_text(strip=True): str(each["value"]) for each in visitor.page.select("[name=taker] option")}
        other_payment(visitor, giver=giver, taker=takers[taker], amount=amount, account="EUR", note=note)
        assert visitor.status == 200
    assert "It should hold €37.50" in visitor.text
    assert "Anne still gets €50.00 from it" in visitor.text
    rows = [row.get_text(" ", strip=True) for row in visitor.page.select(".entries li")]
    assert len(rows) == 2
    assert "Room" in rows[0]
    assert rows[0].endswith("−€12.50 +€37.50")


def test_payments_and_the_cash_book_are_in_the_order_of_days(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scorekeeper.money.payment_pages.PAGE", 2)
    visitor.play_robre(**EUROS)
    for day, amount in (("2026-10-09", "3"), ("2026-10-02", "1"), ("2026-10-09", "4"), ("2026-10-05", "2")):
        visitor.visit(f"{visitor.circle}cash-box")
        other_payment(visitor, giver="Anne", taker="the cash box", amount=amount, account="EUR", paid_on=day)
    held = [each.get_text() for each in visitor.visit(f"{visitor.circle}cash-box").page.select(".amounts small")]
    assert held == ["+€10.00", "+€6.00", "+€3.00", "+€1.00"]
    pages = visitor.visit(f"{visitor.circle}payments").texts(".made a"), visitor.follow("Older").texts(".made a")
    assert [each.split("€")[1] for page in pages for each in page] == ["4.00", "3.00", "2.00", "1.00"]


def test_a_plan_is_through_the_banker_only_if_its_payments_are(visitor: Visitor) -> None:
    visitor.play_robre().visit(f"{visitor.circle}settlement")
    visitor.send({"person": visitor.find(".banker option:-soup-contains(Chloé)")["value"]}, "/banker")
    assert "through Chloé" in visitor.text
    visitor.send({}, "/payments/all").visit(f"{visitor.circle}cash-box")
    other_payment(visitor, giver="Anne", taker="the cash box", amount="5", account="EUR")
    assert "1 payment settles everything" in visitor.visit(f"{visitor.circle}settlement").text
    assert "through Chloé" not in visitor.text


def test_a_statement_has_a_running_balance_and_what_is_open_with_whom(visitor: Visitor) -> None:
    visitor.play_robre(**EUROS).visit(f"{visitor.table}settlement")
    pay(visitor, amount="1")
    visitor.visit(f"{visitor.circle}people").follow("Bruno").follow("Statement")
    rows = [[cell.get_text(strip=True) for cell in row.select(".number")] for row in visitor.page.select(".entries li")]
    assert rows == [["−€1.25", "−€1.25"], ["+€1.00", "−€0.25"]]
    assert "Bruno pays Anne €0.25" in visitor.text
    written = visitor.client.get(f"{visitor.path}.csv").text.splitlines()
    assert [line.partition(",")[2] for line in written[1:]] == [
        "Whist,EUR,-1.25,-1.25",
        "Paid to Anne,EUR,1.00,-0.25",
    ]
    visitor.visit(f"{visitor.path}?first=2030-01-01")
    rows = [[cell.get_text(strip=True) for cell in row.select(".number")] for row in visitor.page.select(".entries li")]
    assert rows[0][-1] == "−€0.25"
    written = visitor.client.get(f"{visitor.path.partition('?')[0]}.csv?first=2030-01-01").text.splitlines()
    assert written[1:] == ["2030-01-01,Balance before,EUR,,-0.25"]


def test_a_statement_shows_what_was_paid_to_the_cent_after_half_a_cent(visitor: Visitor) -> None:
    visitor.play_robre(**EUROS | {"amount": "0.333"}).visit(f"{visitor.table}settlement")
    other_payment(visitor, giver="Bruno", taker="Anne", amount="5.00", account="EUR")
    for name, rows in (
        ("Anne", [["+€1.67, rounded", "+€1.67"], ["−€5.00", "−€3.33"]]),
        ("Bruno", [["−€1.66, rounded", "−€1.66"], ["+€5.00", "+€3.34"]]),
    ):
        visitor.visit(f"{visitor.circle}people").follow(name).follow("Statement")
        assert visitor.find(".sources h2 b").get_text() == rows[-1][-1]
        lines = visitor.page.select(".entries li")
        assert [[cell.get_text(strip=True) for cell in line.select(".number")] for line in lines] == rows


def test_less_than_half_a_cent_is_written_as_nothing(visitor: Visitor) -> None:
    visitor.play_robre(**EUROS | {"amount": "0.0333"}).visit(f"{visitor.table}settlement")
    other_payment(visitor, giver="Bruno", taker="Anne", amount="0.17", account="EUR")
    visitor.visit(f"{visitor.circle}settlement")
    assert "€0.00" not in visitor.text
    visitor.visit(f"{visitor.circle}people").follow("Anne").follow("Statement")
    assert "−€0.00" not in visitor.text


@pytest.mark.parametrize("account", ["whist.zz<b>", "whist.0123456789ab", "any-game.zz", "", "XXX"])
def test_a_payment_names_a_currency_or_the_counters_of_a_game(visitor: Visitor, account: str) -> None:
    visitor.play_robre().visit(f"{visitor.table}settlement")
    assert pay(visitor, account=account).status in (404, 422)


@pytest.mark.parametrize("of", ["day:9999-12-31", "day:0001-01-01", "day:x", "event:x", "x"])
def test_a_payment_is_for_something_that_there_is(visitor: Visitor, of: str) -> None:
    visitor.play_robre().visit(f"{visitor.table}settlement")
    assert pay(visitor, of=of).status == 404


def test_a_payment_cannot_name_another_circles_table(app: Flask, visitor: Visitor, another: Visitor) -> None:
    another.play_robre()
    visitor.play_robre().visit(f"{visitor.table}settlement")
    pay(visitor, of=f"table:{another.table.split('/')[2]}")
    assert visitor.status == 404
    with app.app_context():
        assert db.session.query(Payment).count() == 0


@pytest.mark.parametrize("before", ["9223372036854775808", "9" * 5000, "-1", "x"])
def test_a_number_that_no_payment_has_lists_the_newest_payments(visitor: Visitor, before: str) -> None:
    pay(visitor.play_robre().visit(f"{visitor.table}settlement"))
    assert "Bruno paid Anne 5 fiches" in visitor.visit(f"{visitor.circle}payments?before={before}").text
