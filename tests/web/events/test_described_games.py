"""An event in a game that the circle has described: chosen, played with pads and slips, and looked at."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from scorekeeper.games import games
from scorekeeper.i18n import LANGUAGES
from scorekeeper.services.events.games import event_games

from ...visitor import Visitor, filled_in
from .director import NAMES

GAME = next(game for game in event_games().values() if game.named_by)
BELOTE = {"rule-name": "Belote", "rule-sides": "yes", "rule-target": "1000"}
HEARTS = {"rule-name": "Hearts", "rule-best": "lowest", "rule-target": "100"}
EVENT = {"title": "Belote drive", "rounds": "2", "length": "2", "scoring": "total"}


@pytest.fixture
def form(visitor: Visitor) -> Visitor:
    """Return a visitor whose circle plays Belote, with the form for a new event before them."""
    visitor.open_table(GAME.slug, **BELOTE)
    return new_event(visitor)


def new_event(visitor: Visitor, query: str = "") -> Visitor:
    return visitor.visit(f"/circles/{visitor.circle}/events/new{query}")


def offered(visitor: Visitor) -> dict[str, str]:
    return {option.get_text(): str(option["value"]) for option in visitor.page.select("[name=game] option")}


def chosen(visitor: Visitor) -> str:
    return visitor.find("[name=game] option[selected]").get_text()


def rules(visitor: Visitor) -> dict[str, Any]:
    return {name: value for name, value in filled_in(visitor.form()).items() if name.startswith("rule-")}


def begin(form: Visitor, **fields: str) -> str:
    """Create the event with eight people, draw its first round, and return its address."""
    form.send(EVENT | fields)
    assert form.path.endswith("/entrants"), form.problems()
    event = form.path.removesuffix("/entrants")
    form.send({"names": "\n".join(NAMES[:8])}, "/names")
    form.visit(f"{event}/director").send({}, "/rounds")
    return event


def test_the_game_that_was_played_last_is_proposed_with_its_description(form: Visitor) -> None:
    assert chosen(form) == "Belote"
    assert rules(form)["rule-target"] == "1000"
    assert rules(form)["rule-sides"] == "yes"


def test_for_a_game_that_everybody_plays_alone_only_what_fits_is_offered(visitor: Visitor) -> None:
    visitor.open_table(GAME.slug, **HEARTS)
    slugs = [field["value"] for field in new_event(visitor).page.select("[name=scoring]")]
    assert slugs == ["total", "parties"]
    assert "Your points, added up" in visitor.text
    settings = visitor.visit(f"{begin(visitor)}/settings")
    assert [field["value"] for field in settings.page.select("[name=scoring]")] == slugs


def test_all_other_games_can_be_chosen(form: Visitor) -> None:
    form.open_table(GAME.slug, **{"rule-name": "Hearts"})
    names = offered(new_event(form))
    assert {"Belote", "Whist", "Hearts"} <= names.keys()
    assert {slug for slug, game in games().items() if game.in_sides} <= {*names.values()}


def test_a_game_that_nobody_has_described_yet_is_described_in_the_form(visitor: Visitor) -> None:
    visitor.open_table("whist")
    new_event(visitor, f"?game={GAME.slug}")
    assert rules(visitor)["rule-name"] == ""
    assert "plays this game alone, only these can be counted: Total points & Rounds won." in visitor.text
    assert "Say what you play." in visitor.send(EVENT).text
    assert "Everybody plays this game alone" in visitor.send({"rule-name": "Belote", "scoring": "difference"}).text
    assert visitor.send({"rule-sides": "yes"}).path.endswith("/entrants")
    assert "Belote" in new_event(visitor).text


def test_choosing_another_game_brings_its_own_description(form: Visitor) -> None:
    form.open_table(GAME.slug, **BELOTE | {"rule-name": "Manille", "rule-target": "101"})
    keys = offered(new_event(form))
    form.send({"game": keys["Belote"], "do": "show"})
    assert (chosen(form), rules(form)["rule-target"]) == ("Belote", "1000")
    form.send({"game": keys["Manille"], "title": "Drive"})  # without looking at its options
    assert rules(form.visit(form.path.replace("/entrants", "/settings")))["rule-target"] == "101"


def test_what_was_typed_stays_if_the_circle_has_no_such_game_any_more(form: Visitor) -> None:
    form.send({"game": "any-game.000000000000", "shown_game": "any-game.000000000000", "rule-target": "77"} | EVENT)
    assert rules(form.visit(form.path.replace("/entrants", "/settings")))["rule-target"] == "77"


def test_an_event_keeps_its_description_when_the_circle_changes_its_own(form: Visitor) -> None:
    event = begin(form)
    form.open_table(GAME.slug, **BELOTE | {"rule-target": "501"})
    form.visit(f"{event}/settings")
    assert rules(form)["rule-target"] == "1000"
    assert "Belote · Individual" in form.text
    form.send({"rule-name": "Belote bridgée"})
    assert "Belote bridgée · Individual" in form.visit(f"/circles/{form.circle}/events").text


def test_the_deals_on_a_pad_make_the_result_and_slips_the_others(form: Visitor) -> None:
    event = begin(form)
    form.visit(f"{event}/tables/1").send({}, "/pad")
    table = form.table
    assert form.export()["house_rules"] == {"name": "Belote", "sides": True, "target": 1000}
    form.record(points_ns="100", points_ew="62")
    form.visit(table).record(points_ns="162", points_ew="0")
    form.visit(table).follow("Send the result")
    assert [form.find(f"input[name=score-{side}]")["value"] for side in (0, 1)] == ["262", "62"]
    form.send({}, "/result")
    form.visit(f"{event}/rounds/1").send({"table": "2", "score-0": "82", "score-1": "80"})
    assert not form.problems()
    scores = [cell.get_text() for cell in form.visit(f"{event}/results").page.select("td.score")]
    assert scores == ["262", "262", "82", "82", "80", "80", "62", "62"]
    assert "262" in form.client.get(f"{event}/results/tables.csv").get_data(as_text=True)
    assert "Belote" in form.visit(f"/circles/{form.circle}/events").text


def test_the_fewest_points_come_first_and_the_page_says_so(form: Visitor) -> None:
    event = begin(form, **{"rule-best": "lowest", "prize-1-text": "A ham", "prize-1-rule": "highest"})
    for table, first, second in (("1", "100", "62"), ("2", "30", "132")):
        form.visit(f"{event}/rounds/1").send({"table": table, "score-0": first, "score-1": second})
    form.visit(f"{event}/results")
    scores = [cell.get_text() for cell in form.page.select("td.score")]
    assert scores == ["30", "30", "62", "62", "100", "100", "132", "132"]
    assert "The fewest points win." in form.text
    assert "Best score" in form.text
    round_one = form.visit(f"{event}/results/rounds/1").text
    assert "100" in round_one
    assert "−100" not in round_one
    best = form.visit(f"{event}/results").page.select_one(".event-standings tbody a")
    assert best is not None
    assert "Points: 30" in form.visit(str(best["href"])).text


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize("rules", [BELOTE | {"rule-best": "lowest"}, HEARTS], ids=lambda rules: rules["rule-name"])
def test_every_page_of_such_an_event_has_words(app: Flask, language: str, rules: dict[str, str]) -> None:
    visitor = Visitor(app, language)
    visitor.open_table(GAME.slug, **rules)
    event = begin(new_event(visitor))
    pages = ("", "/director", "/settings", "/results", "/results/rounds/1", "/results/numbers/1", "/tables/1", "/wall")
    for page in (*pages, "/rounds/1", "/paper/slips", "/paper/sheet", "/paper/cards", "/paper/tables"):
        assert visitor.visit(f"{event}{page}").status == 200, page
        assert "event-results.how" not in visitor.text
    assert visitor.visit(f"/circles/{visitor.circle}/events").status == 200


def test_each_of_the_four_has_a_field_confirms_and_is_ranked(visitor: Visitor) -> None:
    visitor.open_table(GAME.slug, **HEARTS)
    event = begin(new_event(visitor))
    table = visitor.visit(f"{event}/tables/1")
    fields = {f"score-{side}": score for side, score in enumerate(("26", "0", "13", "5"))}
    assert {*fields} <= {*filled_in(table.form("/result"))}
    assert "Enter" in table.send(fields | {"score-2": ""}, "/result").text
    table.send(fields, "/result")
    for side in "0123":
        table.visit(f"{event}/tables/1").send({"side": side}, "/confirm")
    assert "Recorded and confirmed" in table.text
    slip = visitor.visit(f"{event}/rounds/1").send({"table": "2"} | fields)
    assert not slip.problems()
    scores = [cell.get_text() for cell in visitor.visit(f"{event}/results").page.select("td.score")]
    assert scores == ["0", "0", "5", "5", "13", "13", "26", "26"]
    rows = [cell.get_text() for cell in visitor.visit(f"{event}/results/rounds/1").page.select("td.score")]
    assert rows == ["26", "0", "13", "5"] * 2
    lines = visitor.client.get(f"{event}/results/tables.csv").get_data(as_text=True).splitlines()
    assert [len(line.split(",")) for line in lines[:3]] == [15] * 3
