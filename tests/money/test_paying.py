"""How people want to be paid, who may change it, and the page that shows how to make a planned payment."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
import segno
from flask import Flask
from sqlalchemy import select

from scorekeeper.models import Player, db
from scorekeeper.site.qr_codes import transfer_code

from ..support.club import EUROS
from ..support.visitor import Visitor

IBAN = "DE89370400440532013000"
IN_GROUPS = "DE89 3704 0044 0532 0130 00"
LINK = "https://paypal.me/anne/{amount}"


def details_path(app: Flask, visitor: Visitor, name: str) -> str:
    return f"{visitor.circle}players/{tokens(app)[name]}/paying"


def tokens(app: Flask) -> dict[str, str]:
    with app.app_context():
        return {player.name: player.token for player in db.session.scalars(select(Player))}


def person_page(app: Flask, visitor: Visitor, name: str) -> str:
    return f"{visitor.circle}people/{tokens(app)[name]}"


def set_details(app: Flask, visitor: Visitor, name: str = "Anne", **fields: str) -> Visitor:
    """Say how a person wants to be paid; fields that are not given stay as they are."""
    return visitor.visit(details_path(app, visitor, name)).send(fields)


def stored(app: Flask, name: str) -> tuple[str | None, str | None]:
    with app.app_context():
        player = db.session.scalars(select(Player).where(Player.name == name)).one()
        return player.iban, player.payment_link


def pay_page(app: Flask, visitor: Visitor, **details: str) -> Visitor:
    """Open the page of the payment to Anne, who is owed 1.25 euros by Bruno."""
    table = visitor.play_robre(**EUROS).table
    set_details(app, visitor, **details)
    return visitor.visit(f"{table}settlement").follow("Pay")


def full_path(visitor: Visitor) -> str:
    return visitor.response.request.full_path


# --- saying it ---------------------------------------------------------------------------------------------


def test_an_iban_is_stored_without_spaces_and_shown_in_groups(app: Flask, visitor: Visitor) -> None:
    visitor.play_robre()
    visitor.visit(person_page(app, visitor, "Anne")).follow("How to be paid")
    visitor.send({"iban": " de89 3704 0044 0532 013000 ", "payment_link": f" {LINK} "})
    assert visitor.find(".recorded").get_text() == "Saved."
    assert visitor.find("#iban")["value"] == IN_GROUPS
    assert stored(app, "Anne") == (IBAN, LINK)
    set_details(app, visitor, iban="  ")
    assert stored(app, "Anne") == (None, LINK)


def test_a_refused_form_says_why_at_the_field_and_keeps_what_was_typed(app: Flask, visitor: Visitor) -> None:
    visitor.play_robre()
    set_details(app, visitor, iban=IBAN)
    set_details(app, visitor, iban="DE89 3704 0044 0532 0130", payment_link="http://paypal.me/anne ")
    assert visitor.status == 422
    assert visitor.problems() == [
        "This IBAN has 20 characters. One that starts with DE must have 22.",
        "The payment link must start with https://. Write it in full, such as https://paypal.me/anne/{amount}.",
    ]
    assert visitor.find("#iban")["value"] == "DE89 3704 0044 0532 0130"
    assert visitor.find("#payment_link")["value"] == "http://paypal.me/anne "
    assert stored(app, "Anne") == (IBAN, None)


def test_the_persons_own_phone_may_enter_it_and_only_hosts_may_change_it(
    app: Flask, visitor: Visitor, another: Visitor
) -> None:
    table = visitor.play_robre().table
    path = details_path(app, visitor, "Anne")
    csrf = {"csrf_token": str(another.join(visitor.link("score")).visit(table).find("[name=csrf_token]")["value"])}
    assert another.visit(path).page.select("#iban") == []
    assert another.client.post(path, data=csrf | {"iban": IBAN}).status_code == 403
    another.visit(table).send({"seat": "1"}, "/me")
    assert another.visit(path).send({"iban": IBAN}).status == 200
    assert IN_GROUPS in another.text
    assert another.page.select("#iban") == []
    assert another.client.post(path, data=csrf | {"iban": IBAN}).status_code == 303  # sent twice
    for changed in ({"iban": ""}, {"iban": IBAN, "payment_link": LINK}):
        assert another.client.post(path, data=csrf | changed).status_code == 403
    set_details(app, visitor, iban=IBAN, payment_link=LINK)
    assert stored(app, "Anne") == (IBAN, LINK)


# --- merged and erased people ------------------------------------------------------------------------------


def test_a_merged_person_takes_what_is_missing_and_separating_loses_nothing(app: Flask, visitor: Visitor) -> None:
    visitor.play_robre()
    visitor.play_robre(**{"seat-1": "Nina"})
    set_details(app, visitor, "Anne", payment_link=LINK)
    set_details(app, visitor, "Nina", iban=IBAN, payment_link="https://nina.example")
    visitor.merge("Nina", "Anne")
    visitor.visit(details_path(app, visitor, "Nina"))
    assert visitor.path == details_path(app, visitor, "Anne")
    assert visitor.find("#iban")["value"] == IN_GROUPS
    assert visitor.find("#payment_link")["value"] == LINK
    visitor.visit(person_page(app, visitor, "Anne")).send({}, "/apart")
    assert stored(app, "Anne") == (None, LINK)
    assert stored(app, "Nina") == (IBAN, "https://nina.example")


def test_erasing_a_name_erases_it_for_merged_players_too(app: Flask, visitor: Visitor) -> None:
    visitor.play_robre()
    visitor.play_robre(**{"seat-1": "Nina"})
    set_details(app, visitor, "Nina", iban=IBAN)
    visitor.merge("Nina", "Anne")
    set_details(app, visitor, "Anne", payment_link=LINK)
    path, anne = details_path(app, visitor, "Anne"), tokens(app)["Anne"]
    visitor.visit(f"{person_page(app, visitor, 'Anne')}/erase")
    assert "The IBAN and the payment link are deleted." in visitor.text
    visitor.send({"typed": "Anne"})
    assert visitor.visit(path).status == 404
    assert visitor.visit(f"{visitor.circle}players/{anne}").page.select("a[href$='/paying']") == []
    with app.app_context():
        assert db.session.scalars(select(Player.id).where(Player.iban.is_not(None))).all() == []
        assert db.session.scalars(select(Player.id).where(Player.payment_link.is_not(None))).all() == []


# --- paying ------------------------------------------------------------------------------------------------


def test_the_page_shows_a_transfer_with_its_qr_code(app: Flask, visitor: Visitor, codes: list[list[str]]) -> None:
    visitor.open_table("whist").visit(visitor.circle).more().send({"title": "Thursdays 🂡\u00a0at Anne’s"}, "/title")
    pay_page(app, visitor, iban=IBAN)
    assert "Pay Anne from Bruno" in visitor.text
    assert "€1.25" in visitor.text
    assert visitor.find(".iban").get_text() == IN_GROUPS
    reference = visitor.find(".reference").get_text()
    assert reference.startswith("Thursdays at Anne s Whist 20")
    assert codes == [["BCD", "002", "1", "SCT", "", "Anne", IBAN, "EUR1.25", "", "", reference]]
    assert visitor.page.select(".code svg")
    assert not visitor.page.select("a[href^=https]")
    assert visitor.find("[data-copy]")["data-copy"] == IBAN
    assert visitor.response.headers["Cache-Control"] == "no-store"
    assert IBAN not in full_path(visitor)


@pytest.fixture
def codes(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The lines in each QR code of a transfer that is drawn."""
    drawn: list[list[str]] = []
    make = segno.make_qr

    def make_qr(data: bytes, **options: Any) -> segno.QRCode:
        assert len(data) <= 331
        drawn.append(data.decode().split("\n"))
        return make(data, **options)

    monkeypatch.setattr(segno, "make_qr", make_qr)
    return drawn


@pytest.mark.parametrize(
    ("name", "amount", "reference", "fields"),
    [
        ("Anne", "0.01", "Whist", ("Anne", "EUR0.01", "Whist")),
        ("Anne", "100", "Whist", ("Anne", "EUR100", "Whist")),
        ("Anne", "999999999.99", "Whist", ("Anne", "EUR999999999.99", "Whist")),
        ("Élise", "1.50", "a  b\n\u2028c", ("Élise", "EUR1.5", "a b c")),
        ("משה", "1", "ウィスト", ("משה", "EUR1", "ウィスト")),
        ("A\nDE00", "1", "x", ("A DE00", "EUR1", "x")),
        ("x" * 80, "1", "y" * 200, ("x" * 70, "EUR1", "y" * 120)),
        ("🂡" * 80, "999999999.99", "あ" * 200, ("🂡" * 35, "EUR999999999.99", "あ" * 40)),
    ],
)
def test_a_code_holds_what_fits(
    codes: list[list[str]], name: str, amount: str, reference: str, fields: tuple[str, str, str]
) -> None:
    assert transfer_code(name, "MT84MALT011000012345MTLCAST001S", Decimal(amount), reference)
    assert (codes[0][5], codes[0][7], codes[0][10]) == fields
    assert len(codes[0]) == 11


def test_only_payments_in_money_to_people_who_said_how_have_the_link(app: Flask, visitor: Visitor) -> None:
    in_euros = visitor.play_robre(**EUROS).table
    in_fiches = visitor.play_robre().table
    set_details(app, visitor, iban=IBAN)
    assert len(visitor.visit(f"{in_euros}settlement?only=yes").page.select(".due")) == 2
    assert len(visitor.page.select("a[href*='/pay?']")) == 1
    assert visitor.visit(f"{in_fiches}settlement?only=yes").page.select("a[href*='/pay?']") == []
