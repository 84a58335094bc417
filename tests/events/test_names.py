"""Reading pasted lists of names."""

from __future__ import annotations

import pytest

from scorekeeper.events.pages.entrants import parse_names


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
