"""Explanations of scores, balances and stakes, with their rules, sources and house rules."""

from __future__ import annotations

import re

import pytest
from bs4 import BeautifulSoup, Tag
from flask import Flask

from scorekeeper.games import games
from scorekeeper.i18n import LANGUAGES
from scorekeeper.scoring.game import AnyGame
from scorekeeper.tables import rule_texts
from scorekeeper.tables.option_fields import option_fields

from ..support.visitor import Visitor

GAMES = [pytest.param(games()[slug], id=slug) for slug in ("francion", "joffre", "whist")]


def text_of(tag: Tag | None) -> str:
    assert tag is not None
    return " ".join(tag.get_text(" ").split())


def texts(tags: list[Tag]) -> list[str]:
    return [text_of(tag) for tag in tags]


def sums(visitor: Visitor) -> list[str]:
    """Return the running sum beside each entry."""
    return texts(visitor.page.select(".steps-of-sum ul b"))


def links_of(visitor: Visitor, selector: str) -> list[str]:
    """Return the links of the numbers on the table's page."""
    visitor.visit(visitor.table)
    return [str(link["href"]) for link in visitor.page.select(selector)]


def sample(visitor: Visitor, slug: str) -> Visitor:
    return visitor.visit(f"/rules/{slug}").send({}, f"/sample/{slug}")


# --- scores ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_score_is_explained_by_marks_that_sum_to_it(visitor: Visitor, game: AnyGame) -> None:
    sample(visitor, game.slug)
    links = links_of(visitor, ".board .score a")
    scores = texts(visitor.page.select(".board .score"))
    assert len(links) == len(scores) >= 2
    for link, score in zip(links, scores, strict=True):
        visitor.visit(link)
        assert text_of(visitor.page.select_one(".explains b")) == score
        assert (sums(visitor) or ["0"])[-1].lstrip("+") == score
        assert visitor.page.select(".behind .source")


def test_an_unknown_party_or_seat_has_no_explanation(visitor: Visitor) -> None:
    visitor.open_table("whist")
    for page in ("score/1", "score/nobody", "balance/ns", "balance/9"):
        assert visitor.visit(f"{visitor.table}why/{page}").status == 404, page
        visitor.visit("/").visit(str(visitor.find(".table-card")["href"]))


# --- balances ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_balance_is_explained_by_payments_that_sum_to_it(visitor: Visitor, game: AnyGame) -> None:
    sample(visitor, game.slug)
    links = links_of(visitor, ".balances td a")
    balances = texts(visitor.page.select(".balances tbody td"))
    assert len(links) == len(balances) >= 3
    for link, balance in zip(links, balances, strict=True):
        visitor.visit(link)
        assert text_of(visitor.page.select_one(".explains b")) == balance
        assert (sums(visitor) or ["0"])[-1] == balance


# --- what is at stake --------------------------------------------------------------------------------------


def francion(visitor: Visitor, **fields: str) -> Visitor:
    """Record three deals: David makes the bête in a pot of 9, then in one of 18; the Welche hides twice."""
    visitor.open_table("francion", 4, **fields)
    for _ in range(2):
        visitor.record(tricks_1="3", tricks_2="4", tricks_3="2", tricks_4="0", welche="hidden")
    return visitor


def test_the_pot_is_explained_by_the_dealers_stake_and_the_betes(visitor: Visitor) -> None:
    francion(visitor)
    link, *_ = links_of(visitor, ".stakes a")
    visitor.visit(link)
    assert "Chloé deals and stakes 9 jetons." in visitor.text
    assert "Deal 2 : David took no trick. The pot was 18 jetons, so the bête is as much." in visitor.text
    assert "In the pot: 27 jetons · 3 jetons a trick" in visitor.text
    assert visitor.page.select("a[href$='/rules/francion#bete']")


# --- rules, sources, house rules ---------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_every_heading_of_the_rules_names_its_source(game: AnyGame) -> None:
    for language in LANGUAGES:
        headings = rule_texts.rules_text(game.slug, language).headings
        assert set(game.reasons) | {"adjustment", "misdeal", "play"} <= set(headings)
        assert [anchor for anchor, heading in headings.items() if not heading.source] == ["sources"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_name_a_house_rule_as_the_form_does_and_by_its_key_only_for_a_sheet(language: str) -> None:
    for slug in games():
        page = BeautifulSoup(rule_texts.rules_text(slug, language).html, "html.parser")
        by_key = [paragraph.get_text() for paragraph in page.select("p:has(code)")]
        assert [text for text in by_key if not re.match(r"[^:]*:\s*[a-z_]+", text)] == []
    whist = BeautifulSoup(rule_texts.rules_text("whist", language).html, "html.parser")
    named = {"en": "tricks alone", "fr": "levées seules", "de": "nur Stiche"}
    assert named[language] in [quoted.get_text() for quoted in whist.select("q")]


@pytest.mark.parametrize("game", GAMES)
def test_every_house_rule_is_listed_under_the_rule_it_changes(app: Flask, game: AnyGame) -> None:
    with app.test_request_context():
        app.preprocess_request()
        headings = rule_texts.rules_text(game.slug, "en").headings
        options = {
            house.option
            for rule in rule_texts.list_rules(game, [game.usual_options], headings)
            for house in rule.house_rules
        }
    usual = game.usual_options
    names = [field.option for field in option_fields(game) if not field.part]
    assert set(names) <= headings.keys()
    assert len(options) == len([name for name in names if getattr(usual, name) not in (None, ())])
