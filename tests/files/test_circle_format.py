"""The file of a circle: what its values may be."""

from __future__ import annotations

import io
from typing import Any

import pytest

from scorekeeper.files.circle_format import FORMAT, LISTS, CircleFileError, read_circle_file
from scorekeeper.files.json_documents import write_lists
from scorekeeper.limits import MAX_BONUS, MAX_PLACE_POINTS
from scorekeeper.scoring.problems import Problem

CIRCLE = {"created_at": "2026-01-02T03:04:05Z", "title": "Café « Ö »"}


def written(circle: dict[str, Any] = CIRCLE, **lists: Any) -> bytes:
    file = io.BytesIO()
    write_lists({"format": FORMAT, "circle": circle}, dict.fromkeys(LISTS, ()) | lists, file)
    return file.getvalue()


def fault(content: bytes) -> Problem:
    with pytest.raises(CircleFileError) as caught:
        read_circle_file(content)
    return caught.value.problems[0]


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"created_at": "2026-02-30T00:00:00Z"}, "moment"),
        ({"created_at": "2026-02-03 00:00:00"}, "moment"),
        ({"created_at": "1600-01-01T00:00:00Z"}, "early-day"),
        ({"created_at": "9000-01-01T00:00:00Z"}, "late-day"),
        ({"created_at": None}, "text"),
        ({"motto": ""}, "blank-text"),
        ({"token": "secret"}, "unknown-key"),
        ({"iban": "de89 3704 0044 0532 0130 00"}, "not-as-stored"),
        ({"iban": "DE00370400440532013000"}, "iban-check"),
        ({"payment_link": "javascript:alert(1)"}, "link-https"),
    ],
)
def test_a_value_that_cannot_be_stored_is_refused_with_the_reason(values: dict[str, Any], key: str) -> None:
    is_of_player = bool(values.keys() & {"iban", "payment_link"})
    found = fault(written(players=[{"name": "Anne"} | values]) if is_of_player else written(CIRCLE | values))
    assert found.field == f"{'players.1' if is_of_player else 'circle'}.{next(iter(values))}"
    assert found.key == key


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"name": ""}, "blank-text"),
        ({"counts": "luck"}, "one-of"),
        ({"currency": "XYZ"}, "currency"),
        ({"best": 0}, "whole-number"),
        ({"bonus": MAX_BONUS + 1}, "whole-number"),
        ({"ties": "toss"}, "one-of"),
        ({"places": [MAX_PLACE_POINTS + 1]}, "whole-number"),
    ],
)
def test_the_limits_of_a_seasons_form_hold_for_a_file(values: dict[str, Any], key: str) -> None:
    season = {"name": "Winter", "first": "2026-01-01", "last": "2026-03-01", "counts": "won", "ties": "best"}
    found = fault(written(seasons=[season | values]))
    assert found.field.startswith(f"seasons.1.{next(iter(values))}")
    assert found.key == key
