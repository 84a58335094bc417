"""Events in games that are described by their house rules, in every format and scoring."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from scorekeeper.db.outcome import Done
from scorekeeper.events import pad_tables, setup
from scorekeeper.events.event_game import EventGame, find_games_for_four
from scorekeeper.events.formats import FORMATS
from scorekeeper.events.reading import read_state
from scorekeeper.events.scorings import IN_WINS, SCORINGS
from scorekeeper.events.setup import find_house_rule_problems
from scorekeeper.models import Event, Table, db
from scorekeeper.scoring import schema
from scorekeeper.tables.caches import verify

from ...files.importing import exported, imported
from ...support.club import Club
from ..hall import DETAILS, Drive

GAME = next(game for game in find_games_for_four().values() if game.house_rules.named_by)
EXAMPLES = [dict(schema.dump(options)) for options in GAME.house_rules.examples]
OF_FOUR = [rules for rules in EXAMPLES if not [*find_house_rule_problems(GAME, rules, FORMATS["individual"])]]
RULES = {"name": "Belote", "sides": True, "target": 1000}
LOW = RULES | {"best": "lowest"}
OF_FORMATS = {slug: FORMATS[slug].scorings_for(None) for slug in FORMATS}
# Each format once, and each scoring of one of them.
CHOICES = [(slug, scorings[0]) for slug, scorings in OF_FORMATS.items()]
CHOICES += [("swiss", scoring) for scoring in OF_FORMATS["swiss"][1:]]


def details(**changed: Any) -> setup.EventDetails:
    usual: dict[str, Any] = {"game": GAME.slug, "house_rules": RULES, "scoring": "difference", "length": 4, "rounds": 2}
    return replace(DETAILS, **usual | changed)


def described(club: Club, **changed: Any) -> Drive:
    return Drive(club.membership, **vars(details(**changed)))


@pytest.mark.parametrize("rules", OF_FOUR, ids=lambda rules: rules["name"])
def test_an_event_keeps_the_description_and_opens_its_tables_with_it(club: Club, rules: dict[str, Any]) -> None:
    unit = "deals" if EventGame(GAME, rules).under_rules.contest else "minutes"
    drive = described(club, house_rules=rules, round_unit=unit, scoring="total")
    drive.draw(1)
    opened = pad_tables.open_pad(drive.event, 1, 1, "Table 1", drive.by)
    assert isinstance(opened, Done)
    table = db.session.scalars(db.select(Table).filter_by(token=opened.value)).one()
    assert table.house_rules == drive.event.house_rules == rules
    assert verify().faults == []


@pytest.mark.parametrize(("slug", "scoring"), CHOICES)
@pytest.mark.parametrize("rules", [RULES, LOW], ids=["highest", "lowest"])
def test_two_rounds_are_played_in_every_format_and_scoring(
    club: Club, slug: str, scoring: str, rules: dict[str, Any]
) -> None:
    drive = described(club, format=slug, scoring=scoring, house_rules=rules)
    scores = (3, 1) if SCORINGS[scoring].results_in == IN_WINS else (162, 40)
    is_low = rules is LOW and SCORINGS[scoring].counted_in(None) == "points"
    assert drive.draw(1) == Done(None)
    drive.record_all(scores)
    state = drive.state
    best = {number for row in state.standings if row.rank == 1 for number in row.numbers}
    winners = {number for table in state.rounds[0].tables for number in table.pairs[1 if is_low else 0]}
    assert best == winners if state.format.team_size < 4 else best <= {*state.entrants}
    assert drive.draw(2) == Done(None)
    drive.record_all(scores)
    drive.finish()
    assert verify().faults == []


@pytest.mark.parametrize(
    ("scoring", "rules", "facts", "result"),
    [
        ("difference", {}, [{"points": {"ns": 100, "ew": 62}}, {"points": {"ew": 162}}], (100, 224)),
        ("total", {"best": "lowest"}, [{"points": {"ns": 100, "ew": 62}}], (100, 62)),
        ("parties", {}, [{"points": {"ns": 100, "ew": 62}}, {"points": {"ns": 90}}], (2, 0)),
        ("parties", {"best": "lowest"}, [{"points": {"ns": 100, "ew": 62}}, {"points": {"ns": 90}}], (0, 2)),
        ("total", {"start": 50}, [{"points": {"ns": 7}}], (7, 0)),
        ("total", {"entry": "winner", "target": 3}, [{"winner": "ew"}, {"winner": "ew"}], (0, 2)),
        ("total", {"entry": "places", "place_points": [5, 1]}, [{"places": [["ew"], ["ns"]]}], (1, 5)),
        (
            "total",
            {"categories": ["belote", "tricks"]},
            [{"points": {"belote": {"ns": 20}, "tricks": {"ns": 100, "ew": 62}}}],
            (120, 62),
        ),
    ],
)
def test_the_deals_of_a_table_make_its_result(
    club: Club, scoring: str, rules: dict[str, Any], facts: list[dict[str, Any]], result: tuple[int, int]
) -> None:
    found = described(club, scoring=scoring, house_rules=RULES | rules, length=3).play_on_pad(club, facts)
    assert found is not None
    assert found.scores == result


def test_the_file_of_a_circle_has_the_description_and_is_the_same_after_an_import(club: Club) -> None:
    drive = described(club, house_rules=LOW)
    drive.draw(1)
    assert isinstance(pad_tables.open_pad(drive.event, 1, 1, "Table 1", drive.by), Done)
    drive.record((1, 2), (162, 40))
    content = exported(club.circle)
    assert json.loads(content)["events"][0]["house_rules"] == LOW
    copy = imported(content)
    assert exported(copy) == content
    event = db.session.scalars(db.select(Event).filter_by(circle_id=copy.id)).one()
    assert read_state(event).standings == drive.state.standings
