"""Entering a paper sheet: a table with all its deals in one form."""

from __future__ import annotations

import random
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import func, select

from scorekeeper.games import games
from scorekeeper.models import Circle, Revision, Table, db
from scorekeeper.scoring.game import AnyGame, fold
from scorekeeper.scoring.pad import Pad
from scorekeeper.scoring.standing import AnyStanding
from scorekeeper.scoring.taps import build_pad
from scorekeeper.tables import caches
from scorekeeper.tables.paper import is_number_field
from scorekeeper.testing.guest import describe_game
from scorekeeper.testing.playing import NAMES, offered

from ..support.visitor import Visitor, filled_in

Taps = dict[str, str]
GAMES = ("any-game", "francion", "whist")


def opening_of(game: AnyGame) -> AnyStanding:
    players = tuple(str(n) for n in range(1, max(game.player_counts) + 1))
    return game.open(players, players[0], game.usual_options)


def random_taps(game: AnyGame, standing: AnyStanding, rng: random.Random) -> tuple[Taps, Pad]:
    """Tap offered choices until a deal is complete and obeys the rules."""
    for _attempt in range(500):
        taps: Taps = {}
        while pad := build_pad(game, standing, taps):
            if not pad.unanswered:
                break
            group = pad.unanswered[0]
            taps[group.name] = rng.choice([choice.key for choice in offered(pad, group)] or [""])
            if not taps[group.name]:
                break
        if not pad.unanswered and fold(game, standing.copy(), [pad.facts]) is None:
            return taps, pad
    raise AssertionError(game.slug)


def play(game: AnyGame, deals: int, seed: int = 1) -> list[Taps]:
    standing, rng, played = opening_of(game), random.Random(seed), []  # noqa: S311  # no secret
    for _deal in range(deals):
        if standing.is_finished:
            break
        taps, pad = random_taps(game, standing, rng)
        played.append(taps)
        assert fold(game, standing, [pad.facts]) is None
    return played


def typed(game: AnyGame, row: int, taps: Taps) -> dict[str, str]:
    """Return what is filled in on paper for these taps: numbers where the field takes one."""
    pad = build_pad(game, opening_of(game), taps)
    fields = {}
    for group in pad.groups:
        choice = group.choice(taps.get(group.name, ""))
        if choice is not None:
            fields[f"{row}.{group.name}"] = str(choice.label) if is_number_field(group) else choice.key
    return fields


def seats_of(game: AnyGame) -> dict[str, str]:
    seats = {f"seat-{n}": name for n, name in enumerate(NAMES[: max(game.player_counts)], start=1)}
    return seats | describe_game(game)


def sheet_of(game: AnyGame, deals: list[Taps], **more: str) -> dict[str, str]:
    fields = seats_of(game) | {"do": "record"} | more
    for row, taps in enumerate(deals, start=1):
        fields |= typed(game, row, taps)
    return fields


def enter(visitor: Visitor, game: AnyGame, fields: dict[str, Any]) -> Visitor:
    return visitor.visit(f"/tables/new/{game.slug}/paper").send(fields)


def counts(app: Flask) -> tuple[int, ...]:
    with app.app_context():
        return tuple(
            db.session.scalar(select(func.count()).select_from(kind)) or 0 for kind in (Circle, Table, Revision)
        )


# --- what is recorded


@pytest.mark.parametrize("slug", GAMES)
def test_a_paper_sheet_equals_the_same_deals_recorded_one_by_one(
    app: Flask, visitor: Visitor, another: Visitor, slug: str
) -> None:
    game = games()[slug]
    deals = play(game, 6)
    assert enter(visitor, game, sheet_of(game, deals)).path.startswith("/tables/")
    another.open_table(slug, max(game.player_counts))
    for taps in deals:
        another.visit(f"{another.table}deals/new").send(taps | {"do": "record"})
    assert visitor.export() == another.export()
    assert len(visitor.export()["deals"]) == len(deals)
    with app.app_context():
        assert caches.verify().faults == []


# --- what is refused


@pytest.mark.parametrize("slug", GAMES)
def test_nothing_is_recorded_while_a_row_is_wrong_and_all_that_was_typed_stays(
    app: Flask, visitor: Visitor, slug: str
) -> None:
    game = games()[slug]
    deals = play(game, 3)
    fields = sheet_of(game, deals)
    field = sorted(name for name in fields if name.startswith("2."))[0]
    enter(visitor, game, fields | {field: "no such thing"})
    assert visitor.status == 422
    assert visitor.page.select("#row-2 .problem")
    assert not visitor.page.select("#row-1 .problem")
    assert visitor.find("a[href='#row-2']")
    assert counts(app) == (0, 0, 0)
    kept = filled_in(visitor.form())
    assert {name: kept[name] for name in fields if name[0] in "13"} == {n: v for n, v in fields.items() if n[0] in "13"}
    assert visitor.send({**fields}).path.startswith("/tables/")
    assert counts(app)[:2] == (1, 1)


# --- keys, rows and the preview


def test_sent_twice_one_table_is_recorded_and_with_changes_none(app: Flask, visitor: Visitor) -> None:
    game = games()["whist"]
    visitor.open_table("whist")
    page = "/tables/new/whist/paper"
    form = visitor.visit(page).form()
    fields = sheet_of(game, play(game, 3))

    def send(**changed: str) -> Visitor:
        visitor.path = page
        return visitor.send(fields | changed, form=form)

    first = send().path
    before = counts(app)
    assert send().path == first
    for changed in ({"3.tricks": "ns-1"}, {"place": "elsewhere"}, {"4.misdeal": "yes"}):
        assert send(**changed).status == 409
        assert first in str(visitor.page)
    assert counts(app) == before


def test_a_row_has_the_fields_that_its_other_fields_ask_for(full_table: AnyGame, visitor: Visitor) -> None:
    names = ("Anne", "Bruno", "Chloé", "David", "Élise")
    seats = {f"seat-{number}": name for number, name in enumerate(names, start=1)}
    first = {"1.taker": "2", "1.contract": "large", "1.points": "63"}
    enter(visitor, full_table, seats | first | {"2.taker": "passed", "2.points": "70", "do": "check"})
    shown = [str(field["name"]) for field in visitor.page.select("#row-1 [name]:not([type=hidden])")]
    assert shown == ["1.taker", "1.contract", "1.partner", "1.slam", "1.points", "1.misdeal"]
    shown = [str(field["name"]) for field in visitor.page.select("#row-2 [name]:not([type=hidden])")]
    assert shown == ["2.taker", "2.misdeal"]
    assert visitor.find("[name='1.points']")["inputmode"] == "numeric"
    visitor.send({"1.partner": "5", "1.points": "92", "do": "record"})
    assert any("92" in problem for problem in visitor.problems())
    visitor.send({"1.partner": "5", "1.points": "63", "do": "record"})
    large = {"taker": "Bruno", "contract": "large", "partner": "Élise", "points": 63}
    assert visitor.export()["deals"] == [large, {"passed": True}]
