"""What phones read aloud: sentences about the last change, in the reader's language and without signs for the eye."""

from __future__ import annotations

import re
from typing import Any

import pytest
from bs4 import BeautifulSoup
from flask import Flask

from scorekeeper.db.clock import now
from scorekeeper.games import games
from scorekeeper.web.tables import spoken as spoken_words

from ...game_data import data
from ...visitor import Visitor

DEALS = {slug: [deal["taps"] for deal in deals] for slug, deals in data("deals").items()}
LANGUAGES = ["en-GB", "fr-FR", "fr-CA", "de-DE"]
SENTENCE = re.compile(r"[\w\s',.:’-]+")


def taps_of(taps: str) -> dict[str, str]:
    return dict(tap.split("=") for tap in taps.split())


def update(visitor: Visitor, page: str = "") -> Any:
    """Return what the live update of a table says, as a page that has seen nothing gets it."""
    token = visitor.table.split("/")[2]
    other = visitor.client.get(f"/tables/{token}/now{page}", headers=visitor.headers | {"If-None-Match": '"0"'})
    return BeautifulSoup(other.get_data(as_text=True), "html.parser").select_one("[data-spoken]")


def spoken(visitor: Visitor) -> str:
    return " ".join(update(visitor).get_text().split())


@pytest.mark.parametrize("slug", sorted(DEALS))
@pytest.mark.parametrize("language", LANGUAGES)
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


def test_one_point_is_one(visitor: Visitor) -> None:
    assert "East and West take 1 point. " in spoken(visitor.open_table("whist").record(tricks="ew-1"))


def test_points_that_are_lost_are_lost(visitor: Visitor) -> None:
    visitor.open_table("joffre").visit(f"{visitor.table}deals/new")
    visitor.send(taps_of(DEALS["joffre"][0]) | {"do": "record"})
    said = spoken(visitor)
    assert "North and South lose 1 point." in said
    assert "North and South minus 1" in said


def test_a_manche_that_ends_is_read(visitor: Visitor) -> None:
    said = spoken(visitor.open_table("short-whist").record(tricks="ew-7"))
    assert "East and West win the game" in said


def test_misdeals_adjustments_corrections_and_closing_have_words(visitor: Visitor) -> None:
    visitor.open_table("whist").visit(f"{visitor.table}deals/new").send({"do": "misdeal"})
    assert spoken(visitor) == "Misdeal. Anne deals next."
    visitor.record(tricks="ns-3")
    visitor.visit(f"{visitor.table}deals/2/amend").send({"tricks": "ns-2", "do": "record"})
    assert spoken(visitor).startswith("Deal 2 was corrected. The score is North and South 2, East and West 0.")
    visitor.visit(visitor.table).send({}, "/undo")
    assert spoken(visitor).startswith("The last change was undone. The score is North and South 3,")
    visitor.visit(f"{visitor.table}deals/2").send({}, "/withdraw")
    assert spoken(visitor) == "A deal was removed. Anne deals next."
    visitor.visit(f"{visitor.table}deals/2").send({}, "/restore")
    assert spoken(visitor).startswith("Deal 2 was restored.")
    visitor.visit(visitor.table).more().send({}, "/close")
    assert spoken(visitor) == "The table is closed. The score is North and South 3, East and West 0."


def test_adjustments_are_read_as_such(visitor: Visitor) -> None:
    visitor.open_table("whist").record(tricks="ns-3")
    for kind, fields in {
        "points": {"to": "ns", "amount": "-2"},
        "counters": {"giver": "1", "to": "4", "amount": "3"},
    }.items():
        page = visitor.visit(f"{visitor.table}deals/adjustment").page
        form = next(form for form in page.find_all("form") if form.select_one(f"button[value={kind}]"))
        visitor.send(fields | {"kind": kind}, form=form)
        said = "North and South lose 2 points" if kind == "points" else "Anne pays David 3 fiches"
        assert spoken(visitor).startswith(f"Adjustment. {said}. The score is North and South 1, East and West 0.")


def test_the_display_hears_the_same(visitor: Visitor) -> None:
    visitor.open_table("whist").record(tricks="ns-3")
    assert update(visitor, "?page=display").get_text() == update(visitor).get_text()


def test_a_name_with_markup_is_escaped(app: Flask) -> None:
    name = "<img src=x onerror=alert(1)> & Co"
    visitor = Visitor(app).open_table("whist", **{"seat-2": name}).record(tricks="ns-3")
    assert update(visitor).find("img") is None
    assert name in spoken(visitor)


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


def test_another_phone_that_opens_the_table_hears_nothing_until_something_new(app: Flask) -> None:
    mine = Visitor(app).open_table("whist")
    table, link = mine.table, mine.link("score")
    hers = Visitor(app).join(link)
    mine.visit(table).record(tricks="ns-3")
    assert not hers.visit(table).page.select("[data-spoken]")
    assert hers.visit(f"{table}?recorded=1").page.select("[data-spoken]")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Emma plays in place of Anne. Emma deals next."),
        ("fr", "Emma joue à la place d’Anne. C’est à Emma de donner."),
        ("de", "Emma spielt für Anne. Als Nächstes gibt Emma."),
    ],
)
def test_a_substitution_is_read_with_who_comes_and_who_leaves(app: Flask, language: str, said: str) -> None:
    visitor = Visitor(app, language).open_table("whist")
    visitor.visit(f"{visitor.table}deals/substitution")
    visitor.send({"out": "1", "name": "Emma"})
    assert spoken(visitor) == said
