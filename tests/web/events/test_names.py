"""Reading pasted lists of names."""

from __future__ import annotations

import pytest

from scorekeeper.web.events.names import parse_names


@pytest.mark.parametrize(
    "text",
    [
        "Anne\nBruno\nChloé",
        "Anne, Bruno, Chloé",
        "Anne\tBruno\tChloé",
        "Anne;Bruno;;Chloé;",
        "\r\n Anne \r\n\r\n Bruno\r\nChloé\r\n",
        "1. Anne\n2. Bruno\n3. Chloé",
        "1\tAnne\n2\tBruno\n3\tChloé",
        "(1) Anne\n2) Bruno\n3: Chloé",
    ],
)
def test_names_are_found_in_lines_and_between_commas_and_tabs(text: str) -> None:
    assert parse_names(text).names == ("Anne", "Bruno", "Chloé")


def test_two_with_an_ampersand_are_one_name_where_there_are_no_pairs() -> None:
    assert parse_names("Anne & Bruno").names == ("Anne & Bruno",)


@pytest.mark.parametrize(
    "text", ["Anne & Bruno\nChloé & David", "Anne\nBruno\nChloé\nDavid", "Anne/Bruno, Chloé + David"]
)
def test_partners_stand_in_one_line_or_one_after_the_other(text: str) -> None:
    assert parse_names(text, in_pairs=True) == (("Anne", "Bruno", "Chloé", "David"), ())


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("Anne\nBruno & Chloé", ("Anne",)),
        ("Anne & Bruno & Chloé\nDavid", ("Chloé", "David")),
        ("Anne\nBruno\nChloé", ("Chloé",)),
        ("Anne &\nBruno & Chloé", ("Anne",)),
    ],
)
def test_who_has_no_partner_is_named(text: str, broken: tuple[str, ...]) -> None:
    assert parse_names(text, in_pairs=True).broken_pairs == broken


@pytest.mark.parametrize("text", ["", " \n\t, ;", "1\n2\n3", "\u200b"])
def test_a_list_without_names_has_none(text: str) -> None:
    assert parse_names(text).names == ()


def test_names_of_other_alphabets_and_with_digits_stay() -> None:
    assert parse_names("משה\n陳大文\nAnne 2\n2e Régiment").names == ("משה", "陳大文", "Anne 2", "2e Régiment")
