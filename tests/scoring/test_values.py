"""Names on one line, text that can be encoded, and numbers shared between the sides."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.adjustments import clean_reason
from scorekeeper.scoring.sheet import value_problems
from scorekeeper.scoring.sides import other_side, share_of, sum_problems, with_both_sides
from scorekeeper.scoring.standing import AnyStanding
from scorekeeper.scoring.values import (
    MAX_AMOUNT,
    JsonObject,
    clean_lines,
    clean_name,
    is_text,
    single_line,
    without_accents,
)

from ..problems import in_words


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


@pytest.mark.parametrize(
    ("text", "can_be_written"),
    [
        ("", True),
        ("Anne", True),
        ("Chloé", True),
        ("\ud7ff", True),
        ("\ud800", False),
        ("Anne\udfff", False),
        ("\ue000", True),
        ("🂡", True),
    ],
)
def test_half_a_surrogate_pair_is_not_allowed(text: str, can_be_written: bool) -> None:
    assert is_text(text) == can_be_written


def test_a_number_in_a_sheet_may_be_up_to_a_thousand_million() -> None:
    assert MAX_AMOUNT == 10**9


# --- sides ---------------------------------------------------------------------------------------------------


def test_each_side_has_what_the_other_lacks_of_the_total() -> None:
    assert (other_side("ns"), other_side("ew")) == ("ew", "ns")
    assert (share_of("ns", {"ns": 5}, 13), share_of("ew", {"ns": 5}, 13)) == (5, 8)
    assert (share_of("ns", {"ns": 5, "ew": 8}, 13), share_of("ew", {"ns": 5, "ew": 8}, 13)) == (5, 8)


def test_two_numbers_must_make_the_total_and_one_cannot_be_wrong() -> None:
    assert sum_problems("tricks", {"ns": 99}, 13) == []
    assert sum_problems("tricks", {"ns": 5, "ew": 8}, 13) == []
    (problem,) = sum_problems("tricks", {"ns": 5, "ew": 9}, 13)
    assert problem.field == "tricks"
    assert "14" in in_words(problem)
    assert "13" in in_words(problem)


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


def test_partners_face_each_other_and_the_others_follow_in_turn() -> None:
    standing = sitting("whist")
    assert (standing.partners("ns"), standing.partners("ew")) == (("Anne", "Chloé"), ("Bruno", "David"))
    assert [standing.side_of(player) for player in PLAYERS] == ["ns", "ew", "ns", "ew"]
    assert standing.others("Bruno") == ["Chloé", "David", "Anne"]
    assert standing.others("Anne") == ["Bruno", "Chloé", "David"]


def test_a_copy_of_a_standing_is_independent() -> None:
    standing = sitting("whist")
    copy = standing.copy()
    copy.scores["ns"] += 1
    copy.balances["Anne"]["fiches"] += 1
    copy.rows.append(None)  # type: ignore[arg-type]  # the copy only counts rows
    assert (standing.scores["ns"], standing.balances["Anne"]["fiches"], standing.rows) == (0, 0, [])


def test_a_line_of_output_keeps_no_break_spaces_and_no_control_characters() -> None:
    assert single_line("12\u202f000\u00a0fiches\n\x1b[2J\u2028é") == "12\u202f000\u00a0fiches  [2J é"


def test_case_and_accents_do_not_matter_in_a_comparison() -> None:
    assert without_accents("Chloé ÅSA") == without_accents("chloe\u0301 asa") == "chloe asa"


def test_a_game_without_boxes_or_counters_has_nothing_to_explain_about_them() -> None:
    standing = sitting("quarante-de-rois")
    assert (standing.opening_counters, standing.hand_overs, standing.settlement_hand_overs((), {})) == ({}, {}, ())
    assert games()["whist"].shows_balances


def test_a_reason_is_stored_as_it_is_displayed_and_an_empty_one_not_at_all() -> None:
    def deal(**reason: object) -> JsonObject:
        return {"adjustment": {"to": "ns", "points": 1} | reason}

    clean = [deal(), deal(reason="late"), deal(reason=5), deal(reason="\ud800")]
    for kept in (*clean, {"misdeal": True}, {"adjustment": 5}):
        assert clean_reason(kept) is kept
    assert clean_reason(deal(reason="  too\n late ")) == deal(reason="too late")
    assert clean_reason(deal(reason=" \u200b ")) == deal()


def test_what_is_wrong_with_a_value_is_found_without_a_sheet() -> None:
    value = {"currency": "EUR", "unit": "fiche", "amount": "0.25"}
    assert value_problems(games()["whist"], value) == []
    assert [problem.field for problem in value_problems(games()["whist"], value | {"amount": "x"})] == ["value.amount"]
