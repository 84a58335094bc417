"""IBANs and payment links as people type them, and what is said about wrong ones."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.payment_details import fill_in, group_iban, parse_iban, parse_payment_link
from scorekeeper.scoring.problems import Problem

GERMAN = "DE89370400440532013000"
LINK = "https://paypal.me/anne/{amount}"


# The examples of the IBAN registry.
@pytest.mark.parametrize(
    "typed",
    [
        "DE89 3704 0044 0532 0130 00",
        "FR14 2004 1010 0505 0001 3M02 606",
        "CH93 0076 2011 6238 5295 7",
        "AT61 1904 3002 3457 3201",
        "BE68 5390 0754 7034",
        "NL91 ABNA 0417 1643 00",
        "LU28 0019 4006 4475 0000",
        "ES91 2100 0418 4502 0005 1332",
        "IT60 X054 2811 1010 0000 0123 456",
        "PT50 0002 0123 1234 5678 9015 4",
        "IE29 AIBK 9311 5212 3456 78",
        "GB29 NWBK 6016 1331 9268 19",
        "GR16 0110 1250 0000 0001 2300 695",
        "FI21 1234 5600 0007 85",
        "MT84 MALT 0110 0001 2345 MTLC AST0 01S",
        "NO93 8601 1117 947",
        "PL61 1090 1014 0000 0712 1981 2874",
        "SE45 5000 0000 0583 9825 7466",
        "MC58 1122 2000 0101 2345 6789 030",
        "TN59 1000 6035 1835 9847 8831",
    ],
)
def test_ibans_of_many_countries_are_stored_without_spaces_and_shown_in_groups_of_four(typed: str) -> None:
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
        "DE٨٩ ٣٧٠٤ ٠٠٤٤ ٠٥٣٢ ٠١٣٠ ٠٠",
        "ＤＥ８９３７０４００４４０５３２０１３０００",
        "DE८९३७०४००४४०५३२०१३०००",
    ],
)
def test_the_same_iban_may_be_typed_in_many_ways(typed: str) -> None:
    assert parse_iban(typed) == GERMAN


@pytest.mark.parametrize("typed", [None, "", "   ", "\u200b", "IBAN", "iban:"])
def test_nothing_typed_is_no_iban(typed: str | None) -> None:
    assert parse_iban(typed) == ""


@pytest.mark.parametrize(
    ("typed", "key", "params"),
    [
        ("DE88 3704 0044 0532 0130 00", "iban-check", {}),
        ("DE89 3704 0044 0532 0310 00", "iban-check", {}),  # two digits swapped
        ("DE89 3704 0044 0532 013A 00", "iban-check", {}),
        ("NL91 0417 0417 1643 00", "iban-check", {}),
        ("DE89 3704 0044 0532 0130 0", "iban-length", {"found": 21, "must": 22, "country": "DE"}),
        ("GB29 NWBK 6016 1331 9268 199", "iban-length", {"found": 23, "must": 22, "country": "GB"}),
        ("XX89 3704 0044 0532 0130 00", "iban-country", {"found": "XX"}),
        ("US12 3456 7890", "iban-country", {"found": "US"}),
        ("0532013000", "iban-start", None),
        ("DE", "iban-start", None),
        ("DE" + "8" * 5000, "iban-start", None),
        ("DE89 3704 0044 0532 0130 0é", "iban-character", None),
        ("<script>", "iban-character", None),
        ("ДЕ89370400440532013000", "iban-character", None),
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
        ("https://pay.example.org/@anne", None),
        ("https://pay.example.org", None),
        ("https://wise.com/pay/me/annec/é?q=ü", "https://wise.com/pay/me/annec/%C3%A9?q=%C3%BC"),
        ("https://müller.example/{amount}", "https://xn--mller-kva.example/{amount}"),
        ("https://раураl.com/anne", "https://xn--l-7sba6dbr.com/anne"),  # letters of another alphabet
        ("https://xn--mller-kva.example/", None),
        ("https://pay.example/'\"<b>", None),  # escaped where it is shown
    ],
)
def test_a_link_is_stored_in_ascii(typed: str, stored: str | None) -> None:
    assert parse_payment_link(typed) == (stored or typed)


@pytest.mark.parametrize("typed", [None, "", "  \n"])
def test_nothing_typed_is_no_link(typed: str | None) -> None:
    assert parse_payment_link(typed) == ""


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("http://paypal.me/anne", "link-https"),
        ("javascript:alert(1)", "link-https"),
        ("JavaScript://paypal.me/%0aalert(1)", "link-https"),
        ("data:text/html,x", "link-https"),
        ("//paypal.me/anne", "link-https"),
        ("paypal.me/anne", "link-https"),
        ("https:paypal.me", "link-https"),
        ("java\tscript:alert(1)", "link-characters"),
        ("https://paypal.me/an ne", "link-characters"),
        ("https://paypal.me/\nanne", "link-characters"),
        ("https://paypal.me/\u202eenna", "link-characters"),
        ("https://paypal.me\\@evil.example/", "link-characters"),
        ("https://anne:secret@paypal.me/", "link-credentials"),
        ("https://paypal.me@evil.example/{amount}", "link-credentials"),
        ("https:///anne", "link-host"),
        ("https://", "link-host"),
        ("https://localhost/", "link-host"),
        ("https://192.168.0.1/pay", "link-host"),
        ("https://[::1]/", "link-host"),
        ("https://[oops/", "link-host"),
        ("https://paypal.me:99999/", "link-host"),
        ("https://paypal.me:x/", "link-host"),
        ("https://{amount}.example/", "link-host"),
        ("https://straße.example/", "link-host"),  # another host in browsers than in older programs
        ("https://paypal..me/", "link-host"),
        (f"https://{'a' * 64}.example/", "link-host"),
        ("https://paypal.me/" + "a" * 500, "link-long"),
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
