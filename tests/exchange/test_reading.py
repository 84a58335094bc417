"""Documents of others, as bytes: what is not text that UTF-8 can write is refused, and said where."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scorekeeper.exchange.json_documents import read
from scorekeeper.games import games
from scorekeeper.i18n import LANGUAGES, problem_text
from scorekeeper.scoring.problems import Refusal
from scorekeeper.scoring.statement import score

from ..cases import sheets
from ..fuzz import horrors

HALF = horrors.HALF
SHEET = sheets("whist")[0]


@pytest.mark.parametrize(
    ("spoiled", "deal", "field"),
    [
        ({"title": HALF}, None, "title"),
        ({"title": f"a{HALF}b"}, None, "title"),
        ({"players": [HALF, "b", "c", "d"]}, None, "players"),
        ({HALF: 1}, None, r"\ud800"),
        ({"value": {"currency": HALF}}, None, "value.currency"),
        ({"value": {HALF: 1}}, None, r"value.\ud800"),
        ({"house_rules": {HALF: 1}}, None, r"house_rules.\ud800"),
        ({"deals": HALF}, None, "deals"),
        ({"deals": {"a": HALF}}, None, "deals.a"),
        ({"deals": [{"misdeal": True}, HALF]}, 2, "deals"),
        ({"deals": [{HALF: 1}]}, 1, r"\ud800"),
        ({"deals": [{"tricks": {"ns": HALF}}]}, 1, "tricks.ns"),
        ({"deals": [{"tricks": {HALF: 1}}]}, 1, r"tricks.\ud800"),
        ({"deals": [{"adjustment": {"reason": HALF}}]}, 1, "adjustment.reason"),
        ({"deals": [{"auction": [["Anne", [HALF]]]}]}, 1, "auction"),
    ],
)
def test_half_a_character_is_refused_where_it_stands(spoiled: dict[str, Any], deal: int | None, field: str) -> None:
    refusal = read(json.dumps(SHEET | spoiled).encode())
    assert isinstance(refusal, Refusal)
    assert (refusal.deal, refusal.first.field, refusal.first.key) == (deal, field, "half-character")


def test_a_character_outside_the_first_65536_may_be_written_as_two_halves() -> None:
    assert read(b'{"title": "\\ud83c\\udca1"}') == {"title": "🂡"}
    assert read(b'"\\\\ud800"') == "\\ud800"  # a backslash, and no escape


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le"])
def test_json_may_be_in_any_encoding_that_json_has_been_written_in(encoding: str) -> None:
    assert read(json.dumps(SHEET, ensure_ascii=False).encode(encoding)) == SHEET


@pytest.mark.parametrize("text", [b'"\xff"', b'"\xed\xa0\x80"', '"é"'.encode("latin-1"), b'"\xc0\xaf"', b"\xff\xfea"])
def test_bytes_that_are_no_text_are_told_so(text: bytes) -> None:
    refusal = read(text)
    assert isinstance(refusal, Refusal)
    assert refusal.first.key == "not-utf-8"


@pytest.mark.parametrize("file", horrors.files(SHEET), ids=lambda file: file.name[:20])
def test_whatever_is_read_what_is_said_of_it_can_be_written(file: horrors.File) -> None:
    raw = read(file.content)
    result = raw if isinstance(raw, Refusal) else score(raw, games())
    if isinstance(result, Refusal):
        for problem in result.problems:
            for language in LANGUAGES:
                problem_text(problem, language).encode()
            problem.field.encode()
    else:
        json.dumps(result, ensure_ascii=False).encode()


def test_what_is_scored_without_having_been_read_is_told_in_text_that_can_be_written() -> None:
    """A program that uses the scoring itself may pass any string."""
    for spoiled in ({"title": HALF}, {HALF: 1}, {"game": HALF}, {"dealer": HALF}, {"players": [HALF, HALF, "c", "d"]}):
        result = score(SHEET | spoiled, games())
        assert isinstance(result, Refusal)
        for problem in result.problems:
            f"{problem.field} {problem_text(problem, 'en')}".encode()
