"""IBANs and payment links as people type them, and what is said about wrong ones."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.people.payment_details import fill_in, group_iban, parse_iban, parse_payment_link
from scorekeeper.scoring.problems import Problem

GERMAN = "DE89370400440532013000"
LINK = "https://paypal.me/anne/{amount}"


EXAMPLES = ("FR14 2004 1010 0505 0001 3M02 606", "MT84 MALT 0110 0001 2345 MTLC AST0 01S", "NO93 8601 1117 947")


def test_ibans_of_many_countries_are_stored_without_spaces_and_shown_in_groups_of_four() -> None:
    for typed in EXAMPLES:  # of the registry
        assert parse_iban(typed) == typed.replace(" ", "")
        assert group_iban(typed.replace(" ", "")) == typed


@pytest.mark.parametrize(
    "typed",
    [
        "de89 3704 0044 0532 0130 00",
        "  DE89370400440532013000\t\r\n",
        "DE89-3704-0044-0532-0130-00",
        "DE89\u00a03704\u202f0044\u200b0532 0130 00",
        "IBAN: DE89 3704 0044 0532 0130 00",
        "\u202aDE89 3704 0044 0532 0130 00\u202c",
        "ＤＥ８９３７０４００４４０５３２０１３０００",
    ],
)
def test_the_same_iban_may_be_typed_in_many_ways(typed: str) -> None:
    assert parse_iban(typed) == GERMAN


@pytest.mark.parametrize(
    ("typed", "key", "params"),
    [
        ("DE89 3704 0044 0532 0310 00", "iban-check", {}),  # two digits swapped
        ("DE89 3704 0044 0532 0130 0", "iban-length", {"found": 21, "must": 22, "country": "DE"}),
        ("XX89 3704 0044 0532 0130 00", "iban-country", {"found": "XX"}),
        ("0532013000", "iban-start", None),
        ("DE" + "8" * 5000, "iban-length", None),
        ("DE89 3704 0044 0532 0130 0é", "iban-character", None),
    ],
)
def test_a_wrong_iban_is_refused_with_the_reason(typed: str, key: str, params: dict[str, object] | None) -> None:
    problem = parse_iban(typed)
    assert isinstance(problem, Problem)
    assert (problem.field, problem.key) == ("iban", key)
    if params is not None:
        assert problem.params == params


@given(st.text(max_size=120))
def test_any_text_is_an_iban_or_a_problem(typed: str) -> None:
    result = parse_iban(typed)
    if isinstance(result, str):
        assert result.isascii()
        assert parse_iban(result) == result
        assert len(result) <= 34


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        (f"  {LINK} ", LINK),
        ("HTTPS://PayPal.me/anne", "https://paypal.me/anne"),
        ("https://pay.example.org:8443/p?sum={amount}&to=a%20b#x", None),
        ("https://wise.com/pay/me/annec/é?q=ü", "https://wise.com/pay/me/annec/%C3%A9?q=%C3%BC"),
        ("https://раураl.com/anne", "https://xn--l-7sba6dbr.com/anne"),  # letters of another alphabet
        ("https://xn--mller-kva.example/", None),
        ("https://pay.example/'\"<b>", None),  # escaped where it is shown
    ],
)
def test_a_link_is_stored_in_ascii(typed: str, stored: str | None) -> None:
    assert parse_payment_link(typed) == (stored or typed)


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("http://paypal.me/anne", "link-https"),
        ("JavaScript://paypal.me/%0aalert(1)", "link-https"),
        ("paypal.me/anne", "link-https"),
        ("java\tscript:alert(1)", "link-characters"),
        ("https://paypal.me/\u202eenna", "link-characters"),
        ("https://paypal.me\\@evil.example/", "link-characters"),
        ("https://anne:secret@paypal.me/", "link-credentials"),
        ("https://localhost/", "link-host"),
        ("https://192.168.0.1/pay", "link-host"),
        ("https://straße.example/", "link-host"),  # another host in phones than in older programs
        ("https://paypal.me/" + "é" * 200, "link-long"),  # six characters each
    ],
)
def test_a_link_that_is_not_safe_is_refused_with_the_reason(typed: str, key: str) -> None:
    problem = parse_payment_link(typed)
    assert isinstance(problem, Problem)
    assert (problem.field, problem.key) == ("payment_link", key)


@given(st.one_of(st.text(max_size=60), st.text(max_size=40).map(lambda text: f"https://{text}")))
def test_any_text_is_a_safe_link_or_a_problem(typed: str) -> None:
    result = parse_payment_link(typed)
    if isinstance(result, str) and result:
        assert result.startswith("https://")
        assert result.isascii()
        assert result.isprintable()
        assert parse_payment_link(result) == result


def test_the_amount_is_filled_in_with_a_point_and_the_places_of_the_currency() -> None:
    assert fill_in(LINK, Decimal("12.5"), 2) == "https://paypal.me/anne/12.50"
    assert fill_in(LINK, Decimal(1200), 0) == "https://paypal.me/anne/1200"
    assert fill_in("https://pay.example/{amount}/{amount}", Decimal("0.5"), 3) == "https://pay.example/0.500/0.500"
    assert fill_in("https://pay.example/anne", Decimal(1), 2) == "https://pay.example/anne"
    assert fill_in("https://pay.example/{who}/{amount}", Decimal("1E+3"), 2) == "https://pay.example/{who}/1000.00"
