"""New tables of games that the players describe: the circle remembers them by name, and links to them are shared."""

from __future__ import annotations

import re
from datetime import date
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask import Flask
from sqlalchemy import select

from scorekeeper.circles.lifecycle import change_setting
from scorekeeper.games import games, make_game_key
from scorekeeper.i18n import translate
from scorekeeper.models import Circle, Player, Table, db
from scorekeeper.people import erasure
from scorekeeper.scoring import schema
from scorekeeper.standings.reading import read_ratings, read_totals

from ..support.visitor import NAMES, Visitor

GAME = next(game for game in games().values() if game.house_rules.named_by)
NAME = f"rule-{GAME.house_rules.named_by}"
SEATS = {f"seat-{number}": name for number, name in enumerate(NAMES[:4], start=1)}


def open_named(visitor: Visitor, name: str, players: int = 4, /, **fields: str) -> str:
    """Open a table of a game with this name; return its token."""
    return visitor.open_table(GAME.slug, players, **{NAME: name}, **fields).table.split("/")[2]


def own_games(visitor: Visitor) -> list[str]:
    """Return the circle's own games among those that a new table can be of, in their order."""
    links = visitor.visit("/tables/new").page.select("a.table-card[href*='like=']")
    return [" ".join(link.get_text(" ").split()) for link in links]


def test_a_circle_remembers_its_games_by_name_with_the_last_players(app: Flask, visitor: Visitor) -> None:
    assert own_games(visitor) == []
    open_named(visitor, "Rami", 3)
    open_named(visitor, "Zicke-Zacke", 2)
    open_named(visitor, "Old", 2)
    last = open_named(visitor, " rami ", 2, **{"rule-target": "300"})
    with app.app_context():
        tables = {table.house_rules[GAME.house_rules.named_by]: table for table in db.session.scalars(select(Table))}
        tables["Zicke-Zacke"].day = tables["rami"].day = date(2026, 1, 3)
        tables["Old"].day = date(2026, 1, 1)
        tables["Rami"].day = date(2026, 1, 2)  # was played later on paper, and entered first
        db.session.commit()
    names = [text.split(" Last time: ") for text in own_games(visitor)]
    assert [(name, who[: len("Anne, Bruno")]) for name, who in names] == [
        ("R rami", "Anne, Bruno"),
        ("Z Zicke-Zacke", "Anne, Bruno"),
        ("O Old", "Anne, Bruno"),
    ]
    visitor.follow("rami")
    assert visitor.response.request.args["like"] == last
    visitor.send({})
    assert visitor.export()["house_rules"] == {GAME.house_rules.named_by: "rami", "target": 300}


def test_everything_that_is_wrong_with_a_new_table_is_said_at_once_and_kept(visitor: Visitor) -> None:
    typed = {"rule-name": "", "rule-deals": "many", "day": "2026-13-45", "amount": "little", "place": "Kitchen"}
    visitor.visit(f"/tables/new/{GAME.slug}").send({"seat-1": "Anne"} | typed)
    assert len(visitor.page.select(".notice.refused li")) == 5  # and one player is too few
    assert "Say what you play." in visitor.find(".notice.refused").text
    assert {name: visitor.find(f"[name={name}]")["value"] for name in typed} == typed


def test_the_games_that_a_circle_has_named_count_apart(app: Flask, visitor: Visitor) -> None:
    for name, points in (("Rami", "7"), ("Ramsch", "40"), ("RAMI", "9")):
        open_named(visitor, name, **{"rule-target": "5"})
        visitor.record(**{f"points-{seat}": points if seat == 2 else "0" for seat in range(1, 5)})
    with app.app_context():
        circle = db.session.scalars(select(Circle)).one()
        change_setting(circle, "shows_ratings", True, circle.memberships[0])
        totals, rated = read_totals(circle).games, read_ratings(circle)
        bruno = db.session.scalars(select(Player.token).where(Player.name == "Bruno")).one()
    rami, ramsch = (make_game_key(GAME, {GAME.house_rules.named_by: name}) for name in ("Rami", "Ramsch"))
    assert [totals[key].tables for key in (rami, ramsch)] == [2, 1]
    assert rated.keys() == totals.keys() == {rami, ramsch}
    for path in ("figures", f"standings?account={rami}", f"players/{bruno}"):
        visitor.visit(visitor.circle + path)
        assert {"RAMI", "Ramsch"} <= {*re.findall(r"\w+", visitor.find("main").get_text(" "))}, path
        assert translate("en", f"{GAME.slug}.name") not in visitor.find("main").get_text(), path
    rows = visitor.visit(f"{visitor.circle}standings?account={rami}&by=won").page.select("tbody tr")
    assert rows[0].get_text(" ", strip=True).startswith("1 Bruno 2 of 2")


def test_a_game_whose_name_is_erased_keeps_its_statistics(app: Flask, visitor: Visitor) -> None:
    open_named(visitor, "Bruno special")
    visitor.record(**{f"points-{seat}": "7" for seat in range(1, 5)})
    figures = f"{visitor.circle}figures"
    assert visitor.visit(figures).find(".of-game h2").get_text(" ", strip=True).startswith("B Bruno special")
    with app.app_context():
        bruno = db.session.scalars(select(Player).where(Player.name == "Bruno")).one()
        assert erasure.erase(bruno) is None
    assert visitor.visit(figures).find(".of-game h2").get_text(" ", strip=True).startswith("N N. N. 2 special 1 table")


def shared(visitor: Visitor, token: str) -> str:
    """Return the path and the query of the link by which a table's game is shared."""
    visitor.visit(f"/tables/{token}/more").follow("Share this game")
    assert visitor.page.select_one("svg.qr")
    url = urlsplit(str(visitor.find("#link")["value"]))
    return f"{url.path}?{url.query}"


@pytest.mark.parametrize(
    "options",
    [options for options in GAME.house_rules.examples if not [*GAME.house_rules.check(options, 4)]][:2],
    ids=str,
)
def test_a_shared_game_is_played_elsewhere_by_the_same_house_rules(
    visitor: Visitor, another: Visitor, options: Any
) -> None:
    visitor.visit(f"/tables/new/{GAME.slug}")
    rules = schema.dump(options)
    texts = {key: "\n".join(map(str, value)) if isinstance(value, list) else value for key, value in rules.items()}
    visitor.send(SEATS | {f"rule-{key}": "yes" if value is True else str(value) for key, value in texts.items()})
    link = shared(visitor, visitor.table.split("/")[2])
    assert not any(name in link for name in SEATS.values())
    assert visitor.circle.split("/")[2] not in link
    another.visit(link).send(SEATS)
    assert another.export()["house_rules"] == rules


def test_a_name_that_is_typed_twice_is_named_once(visitor: Visitor) -> None:
    visitor.visit("/tables/new/whist").send(SEATS | {"seat-2": f"{NAMES[0].lower()} "})
    assert visitor.text.count("has two seats here") == 1


def test_a_counter_is_proposed_to_be_worth_what_it_was_last_time(visitor: Visitor) -> None:
    visitor.open_table("whist", 4, currency="GBP", unit="fiche", amount="0.50")
    visitor.visit("/tables/new/whist")
    assert visitor.find("[name=amount]")["value"] == "0.50"
    assert visitor.find("[name=currency] [selected]")["value"] == "GBP"
    assert not visitor.visit("/tables/new/joffre").find("[name=amount]")["value"]
    assert "0.50 GBP" in visitor.visit("/tables/new/whist").text
