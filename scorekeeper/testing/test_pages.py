"""The pages of a table of any game, without scripts: deals are tapped on the pad, and every page shows them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from flask import Flask

from ..games import games
from ..i18n import LANGUAGES, digits
from ..scoring.game import AnyGame, fold
from ..scoring.sheet import score
from ..scoring.standing import AnyStanding
from ..scoring.values import JsonObject
from ..tables.seating import rename_players
from .guest import Guest
from .parameters import pytest_generate_tests  # noqa: F401  # pytest looks for it in this module
from .playing import NAMES, PseudoRandom, tapped

DEALS = 4


class Played(NamedTuple):
    """A table that was played by taps: its path, and what must follow from them."""

    path: str
    standing: AnyStanding
    deals: list[JsonObject]


def played(guest: Guest, game: AnyGame, players: int, seed: int = 1) -> Played:
    """Open a table and record some deals on its pad."""
    guest.open_table(game.slug, players)
    path = guest.path
    seats = tuple(map(str, range(1, players + 1)))
    chooser = PseudoRandom(seed)
    game = game.under(game.usual_options, players)
    standing, deals = game.open(seats, "1", game.usual_options), []
    for _ in range(DEALS):
        if standing.is_finished:
            break
        deal = tapped(game, standing, chooser)
        guest.record(path, deal.taps)
        assert guest.path == path, guest.text
        assert fold(game, standing, [deal.facts]) is None
        deals.append(deal.facts)
    return Played(path, standing, deals)


def list_pages(guest: Guest, table: str) -> Sequence[str]:
    """Return the pages that a table's page links to, and some that others do."""
    own = [link for link in guest.visit(table).links if link.startswith(table)]
    files = re.compile(r"\.(json|zip|csv|xlsx|beancount|journal|svg|png)\b")
    return [link for link in own if not files.search(link)] + [f"{table}deals/new", f"{table}display", f"{table}print"]


def test_every_page_of_a_table_has_words_in_every_language(slug: str, app: Flask) -> None:
    game, guest = games()[slug], Guest(app)
    path = played(guest, game, max(game.player_counts)).path
    pages = (*list_pages(guest, path), f"/tables/new/{slug}", f"/tables/new/{slug}/paper", f"/rules/{slug}")
    for language in LANGUAGES:
        guest.headers = {"Accept-Language": language}
        for page in pages:
            text = re.sub(r"<[^>]*>", " ", guest.download(page).decode())
            assert not re.findall(rf"(?<![\w/.-]){slug}\.[a-z][\w.-]*", text), (page, language)
            assert not re.findall(r"\{\w+\}", text), (page, language)


def test_what_is_tapped_is_recorded_and_scored(slug: str, app: Flask) -> None:
    game = games()[slug]
    for players in game.player_counts:
        guest = Guest(app)
        path, standing, deals = played(guest, game, players, seed=players)
        assert guest.visit(path).scores == [digits("en", points) for points in standing.scores.values()]
        names = dict(zip(standing.players, NAMES, strict=False))
        exported = json.loads(guest.download(f"{path}sheet.json"))
        adapted = game.under(game.usual_options, players)
        assert exported["deals"] == [rename_players(adapted, deal, names) for deal in deals]
        statement = score(exported, games())
        assert isinstance(statement, dict), statement
        assert list(statement["scores"].values()) == list(standing.scores.values())


def test_an_exported_table_can_be_imported_again(slug: str, app: Flask) -> None:
    game, guest, other = games()[slug], Guest(app), Guest(app)
    path = played(guest, game, min(game.player_counts)).path
    content = guest.download(f"{path}sheet.json")
    own = other.open_table(slug, min(game.player_counts)).path
    other.upload(other.circle, content)
    tables = {link for link in other.visit(f"/circles/{other.circle}").links if re.fullmatch(r"/tables/[^/]+/", link)}
    (imported,) = tables - {own}
    assert json.loads(other.download(f"{imported}sheet.json"))["deals"] == json.loads(content)["deals"]


def test_a_deal_can_be_amended_and_the_last_change_undone(slug: str, app: Flask) -> None:
    game, guest = games()[slug], Guest(app)
    path, standing, _ = played(guest, game, min(game.player_counts))
    scores = guest.visit(path).scores
    row = next(link for link in guest.links if re.fullmatch(rf"{path}deals/\d+", link))
    guest.visit(f"{row}/amend")
    assert {field["value"] for field in guest.page.select("form input[checked]")}
    guest.send(guest.page.select_one("form:has(button[value=record])") or guest.own_form(), {"do": "record"})
    assert guest.visit(path).scores == scores
    assert len(standing.rows) == len(guest.page.select(".rows .number"))
