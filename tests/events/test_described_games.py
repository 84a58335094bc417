"""An event in a game that the circle has described: chosen, played with pads and slips, and looked at."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.events.event_game import find_games_for_four
from scorekeeper.events.formats import FORMATS

from ..support.visitor import Visitor, filled_in
from .hall import EIGHT

GAME = next(game for game in find_games_for_four().values() if game.house_rules.named_by)
BELOTE = {"rule-name": "Belote", "rule-sides": "yes", "rule-target": "1000"}
HEARTS = {"rule-name": "Hearts", "rule-best": "lowest", "rule-target": "100"}
EVENT = {"title": "Belote drive", "rounds": "2", "length": "2", "scoring": "total"}


def test_a_game_that_the_form_describes_may_have_sides_and_is_offered_in_every_format(visitor: Visitor) -> None:
    visitor.open_table("whist").visit(f"{visitor.circle}events/new?game={GAME.slug}")
    offered = [option["value"] for option in visitor.page.select("select[name=format] option")]
    assert offered == list(FORMATS)
    visitor.send({**EVENT, **BELOTE, "format": "swiss"})
    assert visitor.path.endswith("/entrants")


@pytest.fixture
def form(visitor: Visitor) -> Visitor:
    """Return a visitor whose circle plays Belote, with the form for a new event before them."""
    visitor.open_table(GAME.slug, **BELOTE)
    return new_event(visitor)


def new_event(visitor: Visitor) -> Visitor:
    return visitor.visit(f"{visitor.circle}events/new")


def chosen(visitor: Visitor) -> str:
    return visitor.find("[name=game] option[selected]").get_text()


def rules(visitor: Visitor) -> dict[str, Any]:
    return {name: value for name, value in filled_in(visitor.form()).items() if name.startswith("rule-")}


def begin(form: Visitor, **fields: str) -> str:
    form.send(EVENT | fields)
    assert form.path.endswith("/entrants"), form.problems()
    event = form.path.removesuffix("/entrants")
    form.send({"names": "\n".join(EIGHT)}, "/entrants")
    form.visit(f"{event}/director").send({}, "/draw")
    return event


def test_the_game_that_was_played_last_is_proposed_with_its_description(form: Visitor) -> None:
    assert chosen(form) == "Belote"
    assert rules(form)["rule-target"] == "1000"
    assert rules(form)["rule-sides"] == "yes"


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
    assert "Belote" in form.visit(f"{form.circle}events").text


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
