"""What a sheet may hold in the app, beyond what scoring can read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scorekeeper.exchange.sheets import ImportedSheet, read_sheet
from scorekeeper.limits import MAX_LABEL, MAX_NAME_LENGTH, MAX_TEXT_LENGTH
from scorekeeper.scoring.problems import Refusal

from ..games.played import points, sheet

LONG = "N" * MAX_NAME_LENGTH


def substitution(newcomer: str, out: str = "Anne") -> dict[str, Any]:
    return {"substitution": {"out": out, "in": newcomer}}


def read(**change: Any) -> ImportedSheet | Refusal:
    return read_sheet(json.dumps(sheet("whist", []) | change).encode())


@pytest.mark.parametrize(
    ("change", "deal", "field", "key"),
    [
        ({"players": ["A" * 41, "Bruno", "Chloé", "David"]}, None, "players", "long-name"),
        ({"players": ["Anne", " Anne", "Chloé", "David"]}, None, "players", "same-name"),
        ({"players": ["Anne", "\x00", "Chloé", "David"]}, None, "players", "blank-name"),
        ({"title": "T" * 201}, None, "title", "long-text"),
        ({"played_on": "1699-12-31"}, None, "played_on", "early-day"),
        ({"played_on": "9999-12-31"}, None, "played_on", "late-day"),
        ({"deals": [{"misdeal": True}] * 3001}, None, "deals", "too-many-deals"),
        (
            {"deals": [{"adjustment": {"to": "ns", "points": 1, "reason": "R" * 201}}]},
            1,
            "adjustment.reason",
            "long-text",
        ),
        ({"deals": [substitution("\u200b")]}, 1, "substitution.in", "blank-name"),
        ({"deals": [{"misdeal": True}, substitution(" Bruno")]}, 2, "substitution.in", "same-name"),
        ({"deals": [substitution(LONG + "N")]}, 1, "substitution.in", "long-name"),
        (
            {"deals": [substitution(f"N{n}", f"N{n - 1}" if n else "Anne") for n in range(MAX_LABEL)]},
            MAX_LABEL - 3,
            "substitution.in",
            "too-many-people",
        ),
    ],
)
def test_values_beyond_the_apps_limits_are_refused(
    change: dict[str, Any], deal: int | None, field: str, key: str
) -> None:
    refusal = read(**change)
    assert isinstance(refusal, Refusal)
    assert (refusal.deal, refusal.first.field, refusal.first.key) == (deal, field, key)


def test_values_up_to_the_limits_and_players_who_come_back_are_read() -> None:
    reasons = [points("ns", 1)["adjustment"] | {"reason": "R" * MAX_TEXT_LENGTH}]
    newcomers = [substitution(LONG), substitution("Anne", LONG), substitution(f" {LONG[1:]} ")]
    deals = [*newcomers, *({"adjustment": reason} for reason in reasons)]
    found = read(deals=deals, title="T" * MAX_TEXT_LENGTH)
    assert isinstance(found, ImportedSheet)
    assert found.names == ("Anne", "Bruno", "Chloé", "David", LONG, LONG[1:])
    assert found.people[5] == f" {LONG[1:]} "
