"""What phones read aloud: sentences about the last change, in the reader's language and without signs for the eye."""

from __future__ import annotations

import re
from typing import Any

import pytest
from bs4 import BeautifulSoup
from flask import Flask

from scorekeeper.games import games
from scorekeeper.models import now
from scorekeeper.tables import words as spoken_words

from ..support.game_data import data
from ..support.visitor import Visitor

DEALS = {slug: [deal["taps"] for deal in deals] for slug, deals in data("deals").items()}
SENTENCE = re.compile(r"[\w\s',.:’-]+")


def taps_of(taps: str) -> dict[str, str]:
    return dict(tap.split("=") for tap in taps.split())


def update(visitor: Visitor) -> Any:
    """Return what the live update of a table says, as a page that has seen nothing gets it."""
    token = visitor.table.split("/")[2]
    other = visitor.client.get(f"/tables/{token}/update", headers=visitor.headers | {"If-None-Match": '"0"'})
    return BeautifulSoup(other.get_data(as_text=True), "html.parser").select_one("[data-spoken]")


def spoken(visitor: Visitor) -> str:
    return " ".join(update(visitor).get_text().split())


@pytest.mark.parametrize(("slug", "language"), [("francion", "fr-CA"), ("joffre", "de-DE"), ("whist", "en-GB")])
def test_every_game_is_read_in_plain_sentences(app: Flask, slug: str, language: str) -> None:
    visitor = Visitor(app, language).open_table(slug, min(games()[slug].player_counts))
    played = data("played").get(slug, [])
    seats = {str(seat) for seat in range(1, min(games()[slug].player_counts) + 1)}
    for taps in [*DEALS[slug], *played, DEALS[slug][0]]:
        if any(name.startswith("tricks-") and name[7:] not in seats for name in taps_of(taps)):
            continue  # a deal of more players
        visitor.visit(f"{visitor.table}deals/new")
        visitor.send(taps_of(taps) | {"do": "record"})
        said = spoken(visitor)
        assert SENTENCE.fullmatch(said), said
        assert said.endswith(".")
        assert "spoken" not in said
        assert ".." not in said
        if visitor.page.select(".winner"):
            return
        assert any(name in said for name in ("Anne", "Bruno", "Chloé", "David"))


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "North and South take 3 points. The score is North and South 3, East and West 0. Bruno deals next."),
        ("fr", "Nord-Sud marquent 3 points. Le score : Nord-Sud 3, Est-Ouest 0. C’est à Bruno de donner."),
        ("fr-CA", "Nord-Sud marquent 3 points. Le pointage : Nord-Sud 3, Est-Ouest 0. C’est à Bruno de brasser."),
        ("de", "Nord Süd bekommen 3 Punkte. Es steht: Nord Süd 3, Ost West 0. Als Nächstes gibt Bruno."),
    ],
)
def test_a_deal_is_read_with_its_points_the_score_and_the_next_dealer(app: Flask, language: str, said: str) -> None:
    assert spoken(Visitor(app, language).open_table("whist").record(tricks="ns-3")) == said


def test_misdeals_adjustments_corrections_and_closing_have_words(visitor: Visitor) -> None:
    visitor.open_table("whist").visit(f"{visitor.table}deals/new").send({"do": "misdeal"})
    assert spoken(visitor) == "Misdeal. Anne deals next."
    visitor.record(tricks="ns-3")
    visitor.visit(f"{visitor.table}deals/2/amend").send({"tricks": "ns-2", "do": "record"})
    assert spoken(visitor).startswith("Deal 2 is corrected. The score is North and South 2, East and West 0.")
    visitor.visit(visitor.table).send({}, "/undo")
    assert spoken(visitor).startswith("Deal 2 is as it was before the edit. The score is North and South 3,")
    visitor.visit(f"{visitor.table}deals/2").send({}, "/withdraw")
    assert spoken(visitor) == "Deal 2 is removed. Anne deals next."
    visitor.visit(f"{visitor.table}deals/2").send({}, "/restore")
    assert spoken(visitor).startswith("Deal 2 is restored.")
    visitor.visit(visitor.table).more().send({}, "/close")
    assert spoken(visitor) == "The table is closed. The score is North and South 3, East and West 0."


def test_a_phone_hears_its_own_entry_on_the_page_that_follows_and_not_an_old_one(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.open_table("whist")
    assert not visitor.page.select("[data-spoken]")
    assert visitor.record(tricks="ns-3").page.select("[data-spoken]")
    assert visitor.visit(visitor.table).page.select("[data-spoken]")
    later = now() + 2 * spoken_words.NEWS
    monkeypatch.setattr(spoken_words, "now", lambda: later)
    assert not visitor.visit(visitor.table).page.select("[data-spoken]")
