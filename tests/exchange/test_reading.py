"""Documents as bytes: text that cannot be encoded as UTF-8 is refused with its location."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scorekeeper.exchange.json_documents import read, unreadable
from scorekeeper.exchange.sheets import read_sheet
from scorekeeper.games import games
from scorekeeper.i18n import LANGUAGES, problem_text
from scorekeeper.scoring.problems import Problem, Refusal
from scorekeeper.scoring.statement import score

from ..cases import sheets

UNPAIRED = "\ud800"  # half of a surrogate pair; JSON can express it, UTF-8 cannot
SHEET = sheets("whist")[0]


@pytest.mark.parametrize(
    ("changes", "deal", "field"),
    [
        ({"title": UNPAIRED}, None, "title"),
        ({"title": f"a{UNPAIRED}b"}, None, "title"),
        ({"players": [UNPAIRED, "b", "c", "d"]}, None, "players"),
        ({UNPAIRED: 1}, None, r"\ud800"),
        ({"value": {"currency": UNPAIRED}}, None, "value.currency"),
        ({"value": {UNPAIRED: 1}}, None, r"value.\ud800"),
        ({"house_rules": {UNPAIRED: 1}}, None, r"house_rules.\ud800"),
        ({"deals": UNPAIRED}, None, "deals"),
        ({"deals": {"a": UNPAIRED}}, None, "deals.a"),
        ({"deals": [{"misdeal": True}, UNPAIRED]}, 2, "deals"),
        ({"deals": [{UNPAIRED: 1}]}, 1, r"\ud800"),
        ({"deals": [{"tricks": {"ns": UNPAIRED}}]}, 1, "tricks.ns"),
        ({"deals": [{"tricks": {UNPAIRED: 1}}]}, 1, r"tricks.\ud800"),
        ({"deals": [{"adjustment": {"reason": UNPAIRED}}]}, 1, "adjustment.reason"),
        ({"deals": [{"auction": [["Anne", [UNPAIRED]]]}]}, 1, "auction"),
    ],
)
def test_an_unpaired_surrogate_is_refused_with_its_location(
    changes: dict[str, Any], deal: int | None, field: str
) -> None:
    refusal = read(json.dumps(SHEET | changes).encode())
    assert isinstance(refusal, Refusal)
    assert (refusal.deal, refusal.first.field, refusal.first.key) == (deal, field, "half-character")


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert read(b'{"title": "\\ud83c\\udca1"}') == {"title": "🂡"}
    assert read(b'"\\\\ud800"') == "\\ud800"  # a backslash, not an escape


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le"])
def test_json_may_be_in_any_unicode_encoding(encoding: str) -> None:
    assert read(json.dumps(SHEET, ensure_ascii=False).encode(encoding)) == SHEET


def test_the_file_of_a_circle_is_no_sheet_and_recognised() -> None:
    refusal = read_sheet(b'{"format": "scorekeeper-circle/1", "circle": {}}')
    assert isinstance(refusal, Refusal)
    assert [(problem.field, problem.key) for problem in refusal.problems] == [("format", "a-circle")]


@pytest.mark.parametrize(
    ("error", "key"),
    [
        (FileNotFoundError, "no-such-file"),
        (IsADirectoryError, "is-a-folder"),
        (PermissionError, "may-not-be-read"),
        (OSError, "cannot-be-read"),
    ],
)
def test_a_file_that_cannot_be_opened_says_why(error: type[OSError], key: str) -> None:
    problem = unreadable(error())
    assert (problem.field, problem.key) == ("file", key)
    assert all(problem_text(problem, language) for language in LANGUAGES)


@pytest.mark.parametrize("text", [b'"\xff"', b'"\xed\xa0\x80"', '"é"'.encode("latin-1"), b'"\xc0\xaf"', b"\xff\xfea"])
def test_bytes_that_are_not_text_are_refused(text: bytes) -> None:
    refusal = read(text)
    assert isinstance(refusal, Refusal)
    assert refusal.first.key == "not-utf-8"


def test_messages_about_sheets_that_were_not_read_can_be_encoded() -> None:
    """A program may call the scoring with any strings."""
    for changes in (
        {"title": UNPAIRED},
        {UNPAIRED: 1},
        {"game": UNPAIRED},
        {"dealer": UNPAIRED},
        {"players": [UNPAIRED, UNPAIRED, "c", "d"]},
    ):
        result = score(SHEET | changes, games())
        assert isinstance(result, Refusal)
        for problem in result.problems:
            f"{problem.field} {problem_text(problem, 'en')}".encode()


def test_a_sheet_that_is_no_json_is_refused_where_that_shows() -> None:
    refusal = read_sheet(b'{"game":')
    assert isinstance(refusal, Refusal)
    assert refusal.problems == (Problem("format", "not-json", {"line": 1, "column": 9}),)
