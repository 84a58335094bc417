"""The pages of a table of any game, where deals are tapped on the pad, without scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from random import Random

from flask import Flask

from ..games import games
from ..i18n import LANGUAGES, format_number
from ..scoring.game import AnyGame, fold
from ..scoring.sheet import score
from ..scoring.standing import AnyStanding
from ..scoring.values import JsonObject
from ..tables.chairs import rename_players
from .guest import Guest
from .playing import NAMES, TappedDeal, pytest_generate_tests, tap_deal  # noqa: F401  # pytest calls the third

DEALS = 4


def record_deals(
    game: AnyGame, players: int, seed: int, record: Callable[[AnyStanding, TappedDeal], None]
) -> tuple[AnyStanding, list[JsonObject]]:
    """Record some deals at a table that was just opened, each by its taps; return the deals with names, too."""
    rng = Random(seed)  # noqa: S311  # not for secrets
    game = game.under(game.usual_options, players)
    standing = game.open(tuple(map(str, range(1, players + 1))), "1", game.usual_options)
    deals = []
    for _ in range(DEALS):
        if standing.is_finished:
            break
        deal = tap_deal(game, standing, rng)
        record(standing, deal)
        assert fold(game, standing, [deal.facts]) is None
        deals.append(deal.facts)
    names = dict(zip(standing.players, NAMES, strict=False))
    return standing, [rename_players(game, deal, names) for deal in deals]


def play_at_table(
    guest: Guest, game: AnyGame, players: int, seed: int = 1
) -> tuple[str, AnyStanding, list[JsonObject]]:
    path = guest.open_table(game.slug, players).path

    def record(_standing: AnyStanding, deal: TappedDeal) -> None:
        guest.visit(f"{path}deals/new")
        guest.send(guest.own_form(), {**deal.taps, "do": "record"})
        assert guest.path == path, guest.text

    return path, *record_deals(game, players, seed, record)


def list_pages(guest: Guest, table: str) -> Sequence[str]:
    own = [link for link in guest.visit(table).links if link.startswith(table)]
    files = re.compile(r"\.(json|zip|csv|xlsx|beancount|hledger|svg|png)\b")
    others = [f"{table}{page}" for page in ("deals/new", "deals/terms", "display", "print")]
    return [link for link in own if not files.search(link)] + others


def test_every_page_of_a_table_has_words_in_every_language(slug: str, app: Flask) -> None:
    game, guest = games()[slug], Guest(app)
    path, *_ = play_at_table(guest, game, max(game.player_counts))
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
        path, standing, named = play_at_table(guest, game, players, seed=players)
        assert guest.visit(path).scores == [format_number("en", points) for points in standing.scores.values()]
        exported = json.loads(guest.download(f"{path}sheet.json"))
        assert exported["deals"] == named
        statement = score(exported, games())
        assert isinstance(statement, dict), statement
        assert list(statement["scores"].values()) == list(standing.scores.values())


def test_a_recorded_deal_opens_with_its_taps_and_can_be_recorded_as_it_was(slug: str, app: Flask) -> None:
    game, guest = games()[slug], Guest(app)
    path, standing, _ = play_at_table(guest, game, min(game.player_counts))
    scores = guest.visit(path).scores
    row = next(link for link in guest.links if re.fullmatch(rf"{path}deals/\d+", link))
    guest.visit(f"{row}/amend")
    assert {field["value"] for field in guest.page.select("form input[checked]")}
    guest.send(guest.page.select_one("form:has(button[value=record])") or guest.own_form(), {"do": "record"})
    assert guest.visit(path).scores == scores
    assert len(standing.rows) == len(guest.page.select(".rows .number"))
