"""Numbers as people type them: read as meant, refused if ambiguous, never wrong by a factor of 1000."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from flask import Flask, g
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scorekeeper.i18n.locales import locales
from scorekeeper.web.support.numbers import AmbiguousNumber, format_for_input, parse_number

from ...apps import open_app
from ...fuzz.hostile_input import TEXTS
from ...visitor import Visitor
from ..money.test_settlements import EUROS, pay, robre

# Nothing here depends on the database.
pytestmark = pytest.mark.sqlite

FRENCH, ENGLISH = "fr", "en"
EVERY = [FRENCH, ENGLISH, *locales(), "de_CH", "de_AT", "es", "hi", "ar"]
BOTH = AmbiguousNumber(Decimal(1), Decimal(1000))


@pytest.fixture(scope="module")
def reading_app() -> Iterator[Flask]:
    """An app for hundreds of tests that store nothing."""
    with open_app("sqlite://") as app:
        yield app


@pytest.fixture
def reader(reading_app: Flask) -> Iterator[None]:
    with reading_app.test_request_context():
        g.language = ENGLISH
        yield


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("language", EVERY)
@pytest.mark.parametrize(
    ("typed", "number"),
    [
        *(("12,50", "12.50"), ("12.50", "12.50"), (" 12.5 ", "12.5"), ("0,05", "0.05"), (".5", "0.5"), (",5", "0.5")),
        *(("1234,50", "1234.50"), ("1 234,50", "1234.50"), ("1\u202f234,50", "1234.50"), ("1\xa0234.50", "1234.50")),
        *(("1,234.50", "1234.50"), ("1.234,50", "1234.50"), ("1’234.50", "1234.50"), ("1'234.50", "1234.50")),
        *(("1 000", "1000"), ("1,000,000", "1000000"), ("1.000.000", "1000000"), ("0,500", "0.5"), ("0.500", "0.5")),
        *(("1.0000", "1"), ("1000.000", "1000"), ("007", "7"), ("+3", "3"), ("−3", "-3"), ("-3", "-3"), ("5.", "5")),
        *(("٣", "3"), ("१२.५०", "12.5"), ("１２，５０", "12.5"), ("۱۲٫۵۰", "12.5"), ("999999999999", "999999999999")),
    ],
)
def test_an_unambiguous_number_is_read_in_every_language(typed: str, number: str, language: str) -> None:
    g.language = language
    assert parse_number(typed, 2) == Decimal(number)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("language", EVERY)
@pytest.mark.parametrize("places", [0, 2, 3, 6])
@pytest.mark.parametrize("typed", ["1,000", "1.000", "\uff11.000", "+1,000"])
def test_a_number_that_may_be_one_or_a_thousand_is_ambiguous(typed: str, places: int, language: str) -> None:
    g.language = language
    assert parse_number(typed, places) == BOTH


@pytest.mark.usefixtures("reader")
def test_thousands_are_read_by_the_readers_language_if_decimals_are_impossible() -> None:
    assert parse_number("1,234", 2) == Decimal(1234)
    assert parse_number("1,234", 3) == AmbiguousNumber(Decimal("1.234"), Decimal(1234))
    assert isinstance(parse_number("1.234", 2), AmbiguousNumber)
    g.language = FRENCH
    assert isinstance(parse_number("1,234", 2), AmbiguousNumber)
    assert isinstance(parse_number("1.234", 2), AmbiguousNumber)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "typed",
    [
        *("", " ", "a lot", "1e3", "1e30", "1_0", "0x1", "NaN", "sNaN", "Infinity", "1/2", "½", "²", "Ⅻ", "1 €", "$1"),
        *("--1", "+-1", "1-", "5-5", ".", ",", "-", "1..0", "1,,000", "1,2,3", "1 00", "1,00,000.5", "0.000.001"),
        *("12.3456", "1" * 13, "9" * 5_000, "1\0", "\ud800", "1,000 000", "1.000,000.5"),
    ],
)
def test_text_that_is_no_number_is_none(typed: str) -> None:
    assert parse_number(typed, 2) is None


@pytest.mark.usefixtures("reader")
@given(st.one_of(st.sampled_from(TEXTS), st.text("0123456789.,' +-−\u202fe_٣", max_size=20)), st.integers(0, 6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_read_as_one_number_with_few_enough_places_two_or_none(typed: str, places: int) -> None:
    found = parse_number(typed, places)
    if isinstance(found, Decimal):
        assert found == round(found, places)
        assert abs(found) < 10**12
        assert "e" not in typed.lower()
        assert "_" not in typed
    elif found is not None:
        assert found.large == found.small * 1000


@pytest.mark.usefixtures("reader")
@given(st.decimals(min_value=0, max_value=10**9, places=6), st.integers(0, 6), st.sampled_from(EVERY))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_number_formatted_for_an_input_is_read_back_unchanged(number: Decimal, places: int, language: str) -> None:
    g.language = language
    exact = round(number, places)
    assert parse_number(format_for_input(exact), places) == exact


# --- fields ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "typed", "says"),
    [
        ("en", "1,000", "“1,000” can mean 1 or 1000. Write 1.00 or 1000."),
        ("en", "1.234", "“1.234” can mean 1.234 or 1234. Write 1234."),
        ("fr", "1.000", "«\u202f1.000\u202f» peut vouloir dire 1 ou 1000. Écrivez 1,00 ou 1000."),
        ("en", "1e3", "“1e3” is not an amount of money. Write a number above 0 with at most 2 decimal places"),
        ("fr", "1e30", "«\u202f1e30\u202f» n’est pas un montant."),
        ("en", "1_0", "“1_0” is not an amount of money."),
        ("en", "-1", "“-1” is not an amount of money."),
        ("en", "1.255", "can mean 1.255 or 1255"),
        ("en", "", "An empty field is not an amount of money."),
        ("de", " ", "Ein leeres Feld ist kein Geldbetrag."),
    ],
)
def test_an_ambiguous_or_invalid_payment_is_refused_and_stays_typed(
    app: Flask, language: str, typed: str, says: str
) -> None:
    visitor = robre(Visitor(app, language), **EUROS)
    pay(visitor.visit(f"{visitor.table}settlement"), amount=typed)
    assert visitor.status == 422
    assert says in " ".join(visitor.problems())
    assert visitor.page.select(f'input[name=amount][value="{typed}"]')


@pytest.mark.parametrize(
    ("language", "typed", "says"),
    [("en", "0,50", "Recorded. Bruno paid Anne €0.50"), ("fr", "0.5", "C’est noté. Bruno a payé 0,50\xa0€ à Anne")],
)
def test_a_payment_is_confirmed_in_words(app: Flask, language: str, typed: str, says: str) -> None:
    visitor = robre(Visitor(app, language), **EUROS)
    pay(visitor.visit(f"{visitor.table}settlement"), amount=typed)
    recorded = visitor.find(".recorded")
    assert " ".join(recorded.get_text().split(" ")).strip().startswith(says)


def test_the_payment_of_another_circle_is_not_shown(visitor: Visitor) -> None:
    robre(visitor).visit(f"{visitor.table}settlement?paid=1")
    assert not visitor.page.select(".recorded")


@pytest.mark.parametrize("typed", ["1,000", "1.000", "0", "1e1", "1_0", "-0.25", "0.0000001"])
def test_an_ambiguous_or_invalid_value_opens_no_table(visitor: Visitor, typed: str) -> None:
    visitor.open_table("whist", amount=typed, currency="EUR")
    assert visitor.status == 422
    assert f"“{typed}”" in " ".join(visitor.problems())
    assert visitor.page.select(f'#amount[value="{typed}"]')


@pytest.mark.parametrize(
    ("typed", "says", "offered"),
    [
        ("1 234,5", "One fiche is worth €1,234.50.", "1234.5"),
        ("0.125", "One fiche is worth €0.125.", "0.125"),
        ("٠٫٢٥", "One fiche is worth €0.25.", "0.25"),
        ("0.2500000", "One fiche is worth €0.25.", "0.250000"),
    ],
)
def test_a_value_is_confirmed_in_words_and_filled_in_unambiguously(
    visitor: Visitor, typed: str, says: str, offered: str
) -> None:
    visitor.open_table("whist", amount=typed, currency="EUR")
    assert says in visitor.text
    assert visitor.export()["value"]["amount"] == offered
    again = visitor.visit(f"/tables/new/whist?like={visitor.table.split('/')[2]}").send({})
    assert again.export()["value"]["amount"].rstrip("0") == offered.rstrip("0")


def test_a_house_rule_accepts_thousands_and_refuses_ambiguous_numbers(visitor: Visitor) -> None:
    visitor.open_table("quarante-de-rois", **{"rule-target": "1.000"})
    assert visitor.status == 422
    assert visitor.problems() == ["“1.000” can mean 1 or 1000. Write 1 or 1000."]
    visitor.open_table("quarante-de-rois", **{"rule-target": "abc"})
    assert "is not a whole number" in visitor.problems()[0]
    visitor.open_table("quarante-de-rois", **{"rule-target": "2 00"})
    assert "is not a whole number" in visitor.problems()[0]


@pytest.mark.parametrize("script", [False, True])
def test_an_ambiguous_adjustment_is_refused_and_stays_typed(visitor: Visitor, script: bool) -> None:
    visitor.open_table("whist").more().follow("Adjustment")
    form = {"kind": "counters", "giver": "1", "to": "2", "amount": "1.000"}
    if script:
        visitor.headers |= {"Accept": "application/json"}
    visitor.send(form)
    assert visitor.status == 422
    says = "“1.000” can mean 1 or 1000. Write 1 or 1000."
    assert says in (visitor.response.get_json()["refused"] if script else visitor.problems()[0])
    assert script or visitor.page.select('[name=amount][value="1.000"]')
    visitor.headers.pop("Accept", None)
    visitor.visit(f"{visitor.table}deals/adjustment").send(form | {"amount": "1 000"})
    assert visitor.export()["deals"] == [{"adjustment": {"from": "Anne", "to": "Bruno", "fiches": 1000}}]


def test_an_ambiguous_count_is_refused_beside_its_player(visitor: Visitor) -> None:
    visitor.open_table("whist").visit(f"{visitor.table}count")
    form = {f"held-{seat}-fiches": "10" for seat in range(1, 5)}
    visitor.send(form | {"start-fiches": "1,000", "held-2-fiches": "1.000"})
    assert visitor.status == 422
    assert len([says for says in visitor.problems() if "can mean 1 or 1000. Write 1 or 1000." in says]) == 2


# --- while typing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "words", "wrong"),
    [
        ({"typed": "1,5", "account": "EUR"}, "€1.50", False),
        ({"typed": "1,000", "account": "EUR"}, "“1,000” can mean 1 or 1000. Write 1.00 or 1000.", True),
        ({"typed": "1 000", "account": "JPY"}, "¥1,000", False),
        ({"typed": "1.5", "account": "JPY"}, "“1.5” is not an amount in this currency.", True),
        ({"typed": "22", "account": "francion"}, "2 fiches and 4 jetons", False),
        ({"typed": "x", "account": "whist"}, "Write a whole number above 0", True),
        ({"typed": "0,125", "currency": "CAD", "unit": "jeton"}, "One jeton is worth CA$0.125.", False),
        ({"typed": "0", "currency": "CAD"}, "“0” is not an amount of money.", True),
    ],
)
def test_an_amount_is_interpreted_while_it_is_typed(
    visitor: Visitor, query: dict[str, str], words: str, wrong: bool
) -> None:
    response = visitor.client.get("/understood", query_string=query, headers=visitor.headers)
    answer = response.get_json()
    assert words in answer["words"]
    assert answer["wrong"] is wrong


@pytest.mark.parametrize("account", ["", "eur", "ÀÀÀ", "EURO", "chess"])
def test_no_amount_is_interpreted_for_an_unknown_account(visitor: Visitor, account: str) -> None:
    query = {"typed": "1", "account": account}
    assert visitor.client.get("/understood", query_string=query).status_code == 404
