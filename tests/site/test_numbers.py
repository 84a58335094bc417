"""Numbers as people type them: read as meant, refused if ambiguous, never wrong by a factor of 1000."""

from __future__ import annotations

from decimal import Decimal

import pytest
from flask import Flask, g
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.site.numbers import AmbiguousNumber, format_for_input, parse_number

from ..support.club import EUROS
from ..support.visitor import Visitor

LANGUAGES = ("en", "fr", "de")
BOTH = AmbiguousNumber(Decimal(1), Decimal(1000))


def parse(app: Flask, typed: str, places: int = 2, language: str = "en") -> Decimal | AmbiguousNumber | None:
    with app.test_request_context():
        g.locale = language
        return parse_number(typed, places)


@pytest.mark.parametrize(
    ("number", "ways"),
    [
        ("12.5", ("12,50", "12.50", " 12.5 ", "１２，５０", "१२.५०", "۱۲٫۵۰")),
        ("0.5", (".5", ",5", "0,500", "0.500")),
        ("1234.5", ("1234,50", "1 234,50", "1\u202f234,50", "1\xa0234.50", "1,234.50", "1.234,50", "1’234.50")),
        ("1000000", ("1,000,000", "1.000.000", "1000000", "1 000 000")),
        ("-3", ("−3", "-3")),
    ],
)
def test_an_unambiguous_number_is_read_in_every_language(app: Flask, number: str, ways: tuple[str, ...]) -> None:
    for language in LANGUAGES:
        assert {typed: parse(app, typed, 2, language) for typed in ways} == dict.fromkeys(ways, Decimal(number))


def test_a_number_that_may_be_one_or_a_thousand_is_ambiguous(app: Flask) -> None:
    for language in LANGUAGES:
        for places in (0, 2, 3):
            assert {parse(app, typed, places, language) for typed in ("1,000", "1.000", "+1,000")} == {BOTH}


def test_thousands_are_read_by_the_readers_language_if_decimals_are_impossible(app: Flask) -> None:
    assert parse(app, "1,234", 2) == Decimal(1234)
    assert parse(app, "1,234", 3) == AmbiguousNumber(Decimal("1.234"), Decimal(1234))
    assert isinstance(parse(app, "1.234", 2), AmbiguousNumber)
    assert isinstance(parse(app, "1,234", 2, "fr"), AmbiguousNumber)


def test_text_that_is_no_number_is_none(app: Flask) -> None:
    for typed in (
        "",
        " ",
        "a lot",
        "1e3",
        "1_0",
        "0x1",
        "NaN",
        "½",
        "²",
        "1 €",
        "--1",
        "1..0",
        "1,2,3",
        "1 00",
        "1" * 13,
    ):
        assert parse(app, typed) is None, typed


@given(st.text("0123456789.,' +-−\u202fe_٣", max_size=20), st.integers(0, 6))
def test_any_text_is_read_as_one_number_with_few_enough_places_two_or_none(app: Flask, typed: str, places: int) -> None:
    found = parse(app, typed, places)
    if isinstance(found, Decimal):
        assert found == round(found, places)
        assert abs(found) < 10**12
    elif found is not None:
        assert found.large == found.small * 1000


@given(st.decimals(min_value=0, max_value=10**9, places=6), st.integers(0, 6), st.sampled_from(LANGUAGES))
def test_a_number_formatted_for_an_input_is_read_back_unchanged(
    app: Flask, number: Decimal, places: int, language: str
) -> None:
    exact = round(number, places)
    with app.test_request_context():
        g.locale = language
        assert parse_number(format_for_input(exact), places) == exact


@pytest.mark.parametrize(
    ("language", "typed", "says"),
    [
        ("en", "1,000", "“1,000” can mean 1 or 1000. Write 1.00 or 1000."),
        ("en", "1.005", "“1.005” has too many decimals. Write 1005 if you mean thousands."),
        ("fr", "1.000", "«\u202f1.000\u202f» peut vouloir dire 1 ou 1000. Écrivez 1,00 ou 1000."),
        ("en", "-1", "“-1” is not an amount of money."),
        ("de", " ", "Ein leeres Feld ist kein Geldbetrag."),
    ],
)
def test_an_ambiguous_or_invalid_payment_is_refused_and_stays_typed(
    app: Flask, language: str, typed: str, says: str
) -> None:
    visitor = Visitor(app, language).play_robre(**EUROS)
    visitor.visit(f"{visitor.table}settlement")
    visitor.send({"amount": typed}, form=visitor.find(".due form.pay"))
    assert visitor.status == 422
    assert says in " ".join(visitor.problems())
    assert visitor.page.select(f'input[name=amount][value="{typed}"]')


def test_a_value_is_confirmed_in_words_and_filled_in_unambiguously(visitor: Visitor) -> None:
    visitor.open_table("whist", amount="1 234,5", currency="EUR")
    assert "One fiche is worth €1,234.50." in visitor.text
    again = visitor.visit(f"/tables/new/whist?like={visitor.table.split('/')[2]}").send({})
    assert again.export()["value"]["amount"].rstrip("0") == "1234.5"


@pytest.mark.parametrize(
    ("query", "words", "wrong"),
    [
        ({"typed": "1,5", "account": "EUR"}, "€1.50", False),
        ({"typed": "1,000", "account": "EUR"}, "“1,000” can mean 1 or 1000. Write 1.00 or 1000.", True),
        ({"typed": "1.5", "account": "JPY"}, "“1.5” is not an amount in this currency.", True),
        ({"typed": "22", "account": "francion"}, "2 fiches and 4 jetons", False),
        (
            {"typed": "0,125", "currency": "CAD", "game": "francion", "unit": "jeton"},
            "One jeton is worth CA$0.125.",
            False,
        ),
    ],
)
def test_an_amount_is_interpreted_while_it_is_typed(
    visitor: Visitor, query: dict[str, str], words: str, wrong: bool
) -> None:
    answer = visitor.client.get("/understood", query_string=query, headers=visitor.headers).get_json()
    assert words in answer["words"]
    assert answer["wrong"] is wrong
