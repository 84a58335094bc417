"""Names on one line, text that can be encoded, and numbers shared between the sides."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.games import games
from scorekeeper.scoring.common_facts import clean_reason
from scorekeeper.scoring.standing import AnyStanding, tricks_by_side, with_both_sides
from scorekeeper.scoring.values import JsonObject, clean_lines, clean_name, without_accents


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        (None, ""),
        ("", ""),
        ("  Anne \t B.\n", "Anne B."),
        ("Jean\u00a0Paul", "Jean Paul"),
        # Invisible characters are removed: control characters, marks of direction, zero-width and blank letters.
        ("\x00An\x07ne", "Anne"),
        ("\u202eAnne\u200b", "Anne"),
        ("\ufeffAnne", "Anne"),
        ("An\u00adne", "Anne"),
        ("\u3164\u115f\u1160\u2800\uffa0", ""),
        ("A\u2800B", "AB"),
        # Joiners are kept where other alphabets and emoji need them: within a word, not after a Latin letter.
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क्\u200dष", "क्\u200dष"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("e\u0300\u200dx", "\u00e8x"),
        ("A\u200dB", "AB"),
        ("Max X. XX", "Max X. XX"),
        # Variation selectors belong to what has variants: emoji and ideographs.
        ("\u2764\ufe0f", "\u2764\ufe0f"),
        ("\u845b\U000e0100\U000e0101", "\u845b\U000e0100"),
        ("A\ufe0f\U000e0100", "A"),
        *((f"\u2764{chr(selector)}", f"\u2764{chr(selector)}") for selector in (0xFE00, 0xFE0F, 0xE0100, 0xE01EF)),
        *((f"\u2764{chr(other)}\u2764", f"\u2764{chr(other)}\u2764") for other in (0xFDFF, 0xFE10)),
        ("A\ufe10", "A\ufe10"),  # a sign after the selectors
        *((f"A{chr(selector)}", "A") for selector in (0xFE00, 0xFE0F, 0xE0100, 0xE01EF)),
        ("\U0001f3f4\U000e0067\U000e007f\U000e0062", "\U0001f3f4\U000e0067\U000e007f\U000e0062"),  # of flags
        ("A\U000e0067", "A"),
        ("é\u200cé", "éé"),
        ("\u02ff\u200dx", "\u02ffx"),
        ("\u200dم", "م"),
        ("م\u200c", "م"),
        ("م\u200c\u200d ن", "م ن"),
        ("م \u200dن", "م ن"),
        ("\u200c \u200d", ""),
    ],
)
def test_a_name_is_stored_as_it_is_displayed(typed: str | None, name: str) -> None:
    assert clean_name(typed) == name
    assert clean_name(name) == name


def test_a_note_keeps_its_lines_and_single_blank_ones() -> None:
    assert clean_lines(" Rain. \n\n\n Anne\tdeals\n") == "Rain.\n\nAnne deals"
    assert clean_lines(None) == clean_lines("") == ""


# --- sides ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "spelled"),
    [
        ({"tricks": {"ew": 9}}, {"tricks": {"ns": 4, "ew": 9}}),
        ({"tricks": {"ns": 4, "ew": 4}}, {"tricks": {"ns": 4, "ew": 4}}),
        ({"tricks": {}}, {"tricks": {}}),
        ({"tricks": 7}, {"tricks": 7}),
        ({"other": 1}, {"other": 1}),
    ],
)
def test_the_missing_side_is_filled_in(facts: dict[str, Any], spelled: dict[str, Any]) -> None:
    assert with_both_sides(facts, "tricks", 13) == spelled


# --- who sits where ------------------------------------------------------------------------------------------

PLAYERS = ("Anne", "Bruno", "Chloé", "David")


def sitting(slug: str) -> AnyStanding:
    return games()[slug].open(PLAYERS, "Anne", games()[slug].usual_options)


@pytest.mark.parametrize(
    ("slug", "left"),
    [
        ("whist", {"Anne": "Bruno", "Bruno": "Chloé", "Chloé": "David", "David": "Anne"}),
        ("quarante-de-rois", {"Anne": "David", "Bruno": "Anne", "Chloé": "Bruno", "David": "Chloé"}),
    ],
)
def test_the_next_player_clockwise_sits_on_the_left(slug: str, left: dict[str, str]) -> None:
    standing = sitting(slug)
    assert {player: standing.left_of(player) for player in PLAYERS} == left
    assert [standing.next_player(player) for player in PLAYERS] == ["Bruno", "Chloé", "David", "Anne"]


def test_case_and_accents_do_not_matter_in_a_comparison() -> None:
    assert without_accents("Chloé ÅSA") == without_accents("chloe\u0301 asa") == "chloe asa"


def test_a_reason_is_stored_as_it_is_displayed_and_an_empty_one_not_at_all() -> None:
    def deal(**reason: object) -> JsonObject:
        return {"adjustment": {"to": "ns", "points": 1} | reason}

    clean = [deal(), deal(reason="late"), deal(reason=5), deal(reason="\ud800")]
    for kept in (*clean, {"misdeal": True}, {"adjustment": 5}):
        assert clean_reason(kept) is kept
    assert clean_reason(deal(reason="  too\n late ")) == deal(reason="too late")
    assert clean_reason(deal(reason=" \u200b ")) == deal()


@pytest.mark.parametrize(
    ("taken", "total", "by_side"),
    [
        ({"ns": 7}, 13, (7, 6)),
        ({"ew": 7}, 13, (6, 7)),
        ({"ns": 7, "ew": 6}, 13, (7, 6)),
        ({"ns": 7}, None, None),
        ({"Anne": 7}, 13, None),
        (7, 13, None),
    ],
)
def test_a_deals_tricks_are_known_where_it_says_those_of_a_side(
    taken: object, total: int | None, by_side: tuple[int, int] | None
) -> None:
    assert tricks_by_side(SimpleNamespace(tricks=taken), total) == by_side
    assert tricks_by_side(SimpleNamespace(), total) is None


# --- any text ------------------------------------------------------------------------------------------------

SIGNS = st.one_of(
    st.characters(),
    st.sampled_from("aeA \t\n\u0301\u0323\u200b\u200c\u200d\u202e\u2066\ufe0e\ufe0f\u034f\u3164❤👩مक🏴"),
)
TEXTS = st.text(SIGNS, max_size=12)


@given(TEXTS)
def test_cleaning_a_clean_name_changes_nothing(text: str) -> None:
    cleaned = clean_name(text)
    assert clean_name(cleaned) == cleaned
    assert normalize("NFC", cleaned) == cleaned


@given(TEXTS)
def test_equivalent_spellings_are_the_same_name(text: str) -> None:
    assert clean_name(normalize("NFD", text)) == clean_name(normalize("NFC", text)) == clean_name(text)
