"""The font of images: its characters, widths, and lines of a given width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.web.support.fonts import SEMIBOLD, has_all_characters, text_width, wrap


@pytest.mark.parametrize(
    "text",
    [
        "Àéîõüçñß Œuvre ŁódźŐřğışț",
        "Đặng Thị Hằng",
        "Жанна Ї Ђ",
        "Ωμέγα Αθηνά",
        "−3 – 12\u202f500,00 € “«…’ ½ ×",
        "\u2068x\u2069",
        "x\u0336",
    ],
)
def test_it_has_the_letters_of_europe_and_vietnam(text: str) -> None:
    assert has_all_characters(text)


@pytest.mark.parametrize("text", ["محمد", "שרה", "陳大文", "😀", "♠", "สมชาย"])
def test_other_scripts_need_another_font(text: str) -> None:
    assert not has_all_characters(f"Anne {text}")
    assert text_width(text, 100) >= 50


@pytest.mark.parametrize(
    ("text", "regular", "semibold"), [("W", 962, 971), ("Œuvre", 2959, 3003), ("Жанна", 3202, 3264), ("½−", 1392, 1404)]
)
def test_widths_are_those_of_the_font(text: str, regular: int, semibold: int) -> None:
    """They were read with fontTools."""
    assert (text_width(text, 1000), text_width(text, 1000, SEMIBOLD)) == (regular, semibold)


def test_widths_follow_the_letters_the_size_and_the_weight() -> None:
    assert text_width("iiii", 40) < text_width("WWWW", 40)
    assert abs(text_width("Anne", 80) - 2 * text_width("Anne", 40)) <= 1
    assert text_width("Anne", 40) < text_width("Anne", 40, SEMIBOLD)
    assert text_width("\u2068Anne\u2069", 40) == text_width("Anne", 40)


def test_lines_break_at_spaces_and_within_words_that_are_too_wide() -> None:
    assert wrap("Anne and Bruno", 200, 40) == ["Anne and", "Bruno"]
    assert all(0 < text_width(line, 40) <= 200 for line in wrap("W" * 40, 200, 40))
    assert wrap("", 200, 40) == []


def test_a_mark_stays_on_its_letter() -> None:
    assert all(line.count("\u0301") == line.count("q") for line in wrap("q\u0301" * 30, 200, 40))


def test_each_line_of_a_name_from_right_to_left_is_isolated() -> None:
    first, second = wrap("\u2068محمد العربي\u2069 12", 270, 40)
    assert (first, second) == ("\u2068محمد\u2069", "\u2068العربي\u2069 12")


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf"]), max_size=60), st.integers(60, 900))
def test_no_character_is_lost(text: str, width: int) -> None:
    assert "".join(wrap(text, width, 40)).replace(" ", "") == text.replace(" ", "")
