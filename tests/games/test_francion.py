"""The rules of Francion, clause by clause."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from ..support.sheets import francion_deal, points, refused_deals, scored_deals

scored = partial(scored_deals, "francion", players=3)
fields_refused = partial(refused_deals, "francion", players=3)


# --- the Welche ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tricks", "event", "by"),
    [
        ((0, 4, 5), "taken", "Anne"),  # lost the only trick it might have won
        ((8, 1, 0), "taken", "Anne"),
        ((1, 4, 4), "won", "Anne"),
        ((9, 0, 0), "won", "Anne"),
        ((9, 0, 0), "taken", "Chloé"),
    ],
)
def test_a_possible_outcome_of_the_welche_is_accepted(tricks: tuple[int, ...], event: str, by: str) -> None:
    assert len(scored([francion_deal(*tricks, welche=event, by=by)])["deals"]) == 1


# --- impossible deals ----------------------------------------------------------------------------------------

HIDDEN = {"event": "hidden"}


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        (francion_deal(3, 3, 2), "tricks"),
        (francion_deal(4, 4, 2), "tricks"),
        (francion_deal(9, 9, 9), "tricks"),
        ({"tricks": {}, "welche": HIDDEN}, "tricks"),
        ({"tricks": {"Anne": 0}, "welche": HIDDEN}, "tricks"),
        ({"welche": HIDDEN}, "tricks"),
        ({"tricks": {"Anne": 10}, "welche": HIDDEN}, "tricks.Anne"),
        ({"tricks": {"Anne": 10, "Bruno": -1}, "welche": HIDDEN}, "tricks.Anne"),
        ({"tricks": {"Anne": 8, "David": 1}, "welche": HIDDEN}, "tricks.David"),
        ({"tricks": {"Anne": 9, "ns": 0}, "welche": HIDDEN}, "tricks.ns"),
        ({"tricks": {"Anne": 9}}, "welche"),
        ({"tricks": {"Anne": 9}, "welche": {}}, "welche.event"),
        (francion_deal(9, 0, 0, welche="lost"), "welche.event"),
        (francion_deal(9, 0, 0, welche="won"), "welche.player"),
        (francion_deal(3, 3, 3, welche="taken"), "welche.player"),
        (francion_deal(9, 0, 0, welche="won", by="David"), "welche.player"),
        (francion_deal(0, 4, 5, welche="won", by="Anne"), "welche.player"),
        ({"tricks": {"Bruno": 9}, "welche": {"event": "won", "player": "Anne"}}, "welche.player"),
        (francion_deal(9, 0, 0, welche="taken", by="Anne"), "welche.player"),
        (francion_deal(9, 0, 0, welche="hidden", by="Anne"), "welche.player"),
        (francion_deal(9, 0, 0, welche="turned", by="Anne"), "welche.player"),
        (francion_deal(9, 0, 0, welche="hidden", hearts_led=True), "welche.hearts_led"),
        (francion_deal(9, 0, 0, welche="turned", hearts_led=True), "welche.hearts_led"),
        (points("Anne", -2), "adjustment.points"),
        ({"adjustment": {"to": "Anne", "from": "Bruno", "points": 1}}, "adjustment.from"),
    ],
)
def test_an_impossible_deal_is_refused_with_its_field(facts: dict[str, Any], field: str) -> None:
    number, fields = fields_refused([francion_deal(3, 3, 3), facts])
    assert (number, fields[0]) == (2, field)
