"""Normalized names: those that look the same are equal."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.scoring.values import clean_name

SIGNS = st.one_of(
    st.characters(),
    st.sampled_from("aeA \t\n\u0301\u0323\u200b\u200c\u200d\u202e\u2066\ufe0e\ufe0f\u034f\u3164❤👩مक🏴"),
)
TEXTS = st.text(SIGNS, max_size=12)


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("Jose\u0301", "José"),
        ("A\u030angstro\u0308m", "Ångström"),
        ("\u212bngstr\xf6m", "Ångström"),
        ("ㄱㅏ", "ㄱㅏ"),
        ("\u1112\u1161\u11ab", "한"),
        ("  Anne \t\n Marie ", "Anne Marie"),
        ("Anne\u00a0Marie\u3000", "Anne Marie"),
        ("An\u200bne\ufeff", "Anne"),
        ("A\u00adnne\u034f", "Anne"),
        ("Anne\ufe0f", "Anne"),
        ("An\u200dne", "Anne"),
        ("e\u200d\u0301\u200ca", "éa"),
        ("\u202eAnne\u202c", "Anne"),
        ("\u2067Anne\u2069\u200f", "Anne"),
        ("\ud800Anne", "Anne"),
        ("Anne\0\x1b[31m", "Anne[31m"),
        ("\u200b\u3164\ufe0f\u200d", ""),
        ("", ""),
        ("❤️", "❤️"),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
        ("👩\u200d\u200d\u200d👧", "👩‍👧"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("م\u200c\u200cم\u200c", "م\u200cم"),
        ("葛\U000e0100", "葛\U000e0100"),
    ],
)
def test_a_name_is_stored_as_it_is_displayed(typed: str, stored: str) -> None:
    assert clean_name(typed) == stored


@given(TEXTS)
def test_cleaning_a_clean_name_changes_nothing(text: str) -> None:
    cleaned = clean_name(text)
    assert clean_name(cleaned) == cleaned
    assert normalize("NFC", cleaned) == cleaned


@given(TEXTS)
def test_equivalent_spellings_are_the_same_name(text: str) -> None:
    assert clean_name(normalize("NFD", text)) == clean_name(normalize("NFC", text)) == clean_name(text)
