"""Documents as bytes: text that cannot be encoded as UTF-8 is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scorekeeper.files.json_documents import read
from scorekeeper.files.sheets import read_sheet
from scorekeeper.scoring.problems import Problem, Refusal

from ..support.game_data import sheets

UNPAIRED = "\ud800"  # half of a surrogate pair; JSON can express it, UTF-8 cannot
SHEET = sheets("whist")[0]


@pytest.mark.parametrize(
    "changes",
    [{"title": f"a{UNPAIRED}b"}, {UNPAIRED: 1}, {"deals": [{"tricks": {"ns": UNPAIRED}}]}, {"title": "\\" + UNPAIRED}],
)
def test_half_of_a_character_is_refused(changes: dict[str, Any]) -> None:
    refusal = read(json.dumps(SHEET | changes).encode())
    assert isinstance(refusal, Refusal)
    assert refusal.problems == (Problem("format", "half-character", {"found": r"'\ud800'"}),)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le"])
def test_json_may_be_in_any_unicode_encoding(encoding: str) -> None:
    assert read(json.dumps(SHEET, ensure_ascii=False).encode(encoding)) == SHEET


def test_the_file_of_a_circle_is_no_sheet_and_recognised() -> None:
    refusal = read_sheet(b'{"format": "scorekeeper-circle/1", "circle": {}}')
    assert isinstance(refusal, Refusal)
    assert [(problem.field, problem.key) for problem in refusal.problems] == [("format", "a-circle")]


def test_a_sheet_that_is_no_json_is_refused_where_that_shows() -> None:
    refusal = read_sheet(b'{"game":')
    assert isinstance(refusal, Refusal)
    assert refusal.problems == (Problem("format", "not-json", {"line": 1, "column": 9}),)
