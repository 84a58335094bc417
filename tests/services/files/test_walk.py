"""Every field of a circle's file, found in its declaration: one more than its limit is refused with its place."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import is_dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from scorekeeper.cli.main import main
from scorekeeper.exchange.circle_records import LISTS, SECTIONS, CircleRecord
from scorekeeper.exchange.circle_values import Account, Currency, Day, Moment, Reference
from scorekeeper.limits import FIRST_DAY, MAX_DAYS_AHEAD
from scorekeeper.models import Circle, db
from scorekeeper.scoring import schema
from scorekeeper.scoring.problems import Problem
from scorekeeper.scoring.values import Cleaned, Items, JsonObject, Range, Text
from scorekeeper.services.circles.lifecycle import erase_circle
from scorekeeper.services.files.circle_import import Imported, import_circle

from .test_circle_files import exported, problems_of, spoil
from .test_events import World
from .test_events import world as world  # noqa: PLC0414  # a fixture

MOMENT = "2026-11-21T19:30:00Z"
# Lists that pages do not limit. The characters of what they are in are limited.
UNLIMITED = {"handicaps", "revisions", "tables.1.revisions.1.confirmed", "results", "parts"}
RULES = "tables.1.rules_version"  # at most the version of the rules that this app has
LIMITS = {"whole-number", "long-text", "items"}  # the problems with what is beyond a limit
LATE = (date.today() + timedelta(MAX_DAYS_AHEAD + 2)).isoformat()  # later than that in every time zone
EDGES = {
    schema.find_limit(Day, Text): ((FIRST_DAY - timedelta(1)).isoformat(), LATE),
    schema.find_limit(Moment, Text): ("1969-12-31T23:59:59Z", f"{LATE}T00:00:00Z"),
}


class Field(NamedTuple):
    path: str
    annotation: Any

    @property
    def limits(self) -> tuple[Text | None, Range | None, Items | None]:
        kinds = schema.find_limit(self.annotation, Text), schema.find_limit(self.annotation, Range)
        return *kinds, schema.find_limit(self.annotation, Items)

    def beyond(self) -> Iterator[object]:
        """Yield values that must be refused."""
        yield None
        text, numbers, items = self.limits
        if text is not None:
            yield from EDGES.get(text, ())
            yield from ("x" * (text.most + 1), "", 7, "\ud800")
            yield from () if text.clean else ("A\0b",)
            yield from () if text.pattern else (" ",)
        elif numbers is not None:
            yield from (numbers.low - 1, numbers.high + 1, str(numbers.low), True)
        elif items is not None:
            yield from ([7] * (items.most + 1), {}, *([[7] * (items.least - 1)] if items.least else []))
        else:
            yield from (7.5, "nonsense", -1)

    def at_limit(self) -> Iterator[object]:
        """Yield values that are not refused because of the limit."""
        text, numbers, items = self.limits
        if text is not None and text.pattern is None:
            yield "x" * text.most
        elif numbers is not None:
            yield from numbers
        elif items is not None:
            yield from ([7] * items.most, [7] * items.least)


def fields_of(cls: Any, path: str) -> Iterator[Field]:
    """Yield the fields of a record with their paths in the document, and those of the records in it."""
    for name, declared, _ in schema.list_fields(cls):
        where = f"{path}.{name.rstrip('_')}"
        annotation = schema.unwrap(declared)
        if schema.find_limit(annotation, Cleaned) is not None:
            annotation = annotation.__origin__
        yield Field(where, annotation)
        of_list = getattr(annotation, "__origin__", annotation) if schema.find_limit(annotation, Items) else annotation
        item = get_args(of_list)[0] if get_origin(of_list) is tuple else None
        if is_dataclass(annotation):
            yield from fields_of(annotation, where)
        elif item is not None and is_dataclass(item):
            yield from fields_of(item, f"{where}.1")
        elif item is not None:
            yield Field(f"{where}.1", item)


FIELDS = [
    *fields_of(CircleRecord, "circle"),
    *(field for name, cls in LISTS.items() for field in fields_of(cls, f"{name}.1")),
]


def complete(world: World) -> dict[str, Any]:
    """Return a valid document with at least one of every record."""
    document = world.document
    players, table = document["players"], document["tables"][0]
    players[0]["present"] = {"day": "2026-11-21", "at": MOMENT}
    document["browsers"].append({"number": 9, "created_at": MOMENT})
    table["substitutes"] = [players[-1]["number"]]
    table["value"] = {"currency": "EUR", "unit": "fiche", "amount": "0.5"}
    deal = next(revision for revision in table["revisions"] if "deal" in revision)
    deal["confirmed"] = [{"by": 9, "player": 1, "at": MOMENT}]
    table["revisions"].insert(0, table["revisions"].pop(table["revisions"].index(deal)))
    event = document["events"][0]
    event["drawn"][0]["tables"][0]["results"] = event["drawn"][1]["tables"][0]["results"]
    event["drawn"][1]["tables"][0]["results"] = []
    body = event["drawn"][0]["tables"][0]["results"][0]["body"]
    body["boards"] = [body["scores"]]
    event["value"] = {"currency": "EUR", "unit": "fiche", "amount": "0.5"}
    document["circle"]["transferred"] = ["CHF"]
    parts = document["settlements"][0]["parts"]
    payment = {"number": 1, "settlement": 1, "from": parts[1]["player"], "to": parts[0]["player"], "amount": "1"}
    signed = {"by": 1, "at": MOMENT}
    document["payments"] = [payment | signed | {"confirmed": dict(signed)}]
    document["flags"] = [{"number": 1, "comment": "Why?", "key": "flag", "payment": 1, "resolved": signed} | signed]
    handicap = {"player": 1, "kind": "factor", "size": "1.25"}
    counted = {"counts": "won", "ties": "best", "games": ["whist"], "places": [3, 2], "handicaps": [handicap]}
    document["seasons"] = [{"name": "Winter", "first": "2026-11-01", "last": "2026-12-31"} | counted]
    return {section: document[section] for section in SECTIONS}


def accept(document: object) -> Circle | tuple[Problem, ...]:
    result = import_circle(io.BytesIO(json.dumps(document).encode()))
    if not isinstance(result, Imported):
        return result
    return db.session.scalars(select(Circle).where(Circle.name == result.name)).one()


def test_the_complete_document_is_accepted_and_exported_as_it_was(world: World) -> None:
    document = complete(world)
    circle = accept(document)
    assert isinstance(circle, Circle), circle
    assert json.loads(exported(circle)) == document
    erase_circle(circle.id)


def test_every_field_has_a_limit() -> None:
    for field in FIELDS:
        path, annotation = field
        has_limit = any(limit is not None for limit in field.limits)
        is_closed = annotation in (bool, JsonObject) or get_origin(annotation) is Literal or is_dataclass(annotation)
        assert has_limit or is_closed or path.rpartition(".")[2] in UNLIMITED or path in UNLIMITED, path


@pytest.mark.once_on_postgresql
@pytest.mark.parametrize("section", ["circle", *LISTS])
def test_one_more_than_a_limit_is_refused_with_its_place(world: World, section: str) -> None:
    for field in FIELDS:
        for value in field.beyond() if field.path.startswith(section) else ():
            document = complete(world)
            spoil(field.path, value)(document)
            problems = problems_of(document)
            # The numbers in a list have the place of the list.
            assert any(field.path.startswith(problem.field) for problem in problems), (field, value, problems)


@pytest.mark.once_on_postgresql
@pytest.mark.parametrize("code", ["XXX", "XAU", "DEM"])
def test_what_is_no_currency_is_refused_with_its_place(world: World, code: str) -> None:
    currencies = {field.path for field in FIELDS if field.annotation in (Account, Currency)}
    assert {"events.1.currency", "seasons.1.currency", "settlements.1.account"} <= currencies
    for path in currencies:
        document = complete(world)
        spoil(path, code)(document)
        assert any(path in (problem.field, f"{problem.field}.1") for problem in problems_of(document)), path


@pytest.mark.once_on_postgresql
def test_a_reference_to_what_is_not_in_the_file_is_refused_with_its_place(world: World) -> None:
    references = [field.path for field in FIELDS if schema.find_limit(field.annotation, Reference) is not None]
    assert "settlements.1.parts.1.player" in references
    for path in references:
        document = complete(world)
        spoil(path, 77)(document)
        assert any(path in (problem.field, f"{problem.field}.1") for problem in problems_of(document)), path


@pytest.mark.once_on_postgresql
@pytest.mark.parametrize("section", ["circle", *LISTS])
def test_exactly_a_limit_is_not_beyond_it(world: World, section: str) -> None:
    for field in FIELDS:
        for value in field.at_limit() if field.path.startswith(section) else ():
            document = complete(world)
            spoil(field.path, value)(document)
            result = accept(document)
            if isinstance(result, Circle):
                erase_circle(result.id)
            else:
                found = {problem.key for problem in result if problem.field == field.path}
                assert not found & LIMITS or field.path == RULES, (field, value)


SPOILED, STORED = "A\u202eB\0 e\u0301", "AB é"  # as each form stores it
NAMED = {"circle.time_zone", "events.1.format", "events.1.scoring"}  # that of something known, or refused


def test_each_text_is_cleaned_as_a_form_cleans_it_and_exporting_again_gives_the_same_bytes(world: World) -> None:
    document = complete(world)
    document["tables"][0] |= {"title": "Final", "note": "Rain", "place": "Kitchen"}
    del document["events"][0]["prizes"][0]["amount"]
    written = [field.path for field in FIELDS if field.limits[0] is not None and field.limits[0].pattern is None]
    cleaned = {path: f"{STORED}{number}" for number, path in enumerate(sorted({*written} - NAMED))}
    for number, path in enumerate(cleaned):
        spoil(path, f"{SPOILED}{number}")(document)
    cleaned |= {"tables.1.note": f"{STORED}\n{STORED}", "tables.1.revisions.2.body.adjustment.reason": STORED}
    spoil("tables.1.note", f"{SPOILED}\r\n{SPOILED}")(document)
    adjusted = {"adjustment": {"to": "ns", "points": 1, "reason": SPOILED}}
    deal, *others = document["tables"][0]["revisions"]
    second = {"number": 2, "kind": "record", "deal": 2, "key": "second", "body": adjusted}
    document["tables"][0]["revisions"] = [deal, {**deal, **second, "confirmed": []}]
    assert not others
    result = import_circle(io.BytesIO(json.dumps(document).encode()))
    assert isinstance(result, Imported), result
    assert dict(result.cleaned) == cleaned
    content = exported(db.session.scalars(select(Circle).where(Circle.name == result.name)).one())
    assert SPOILED not in (text := content.decode()), text
    assert text.count(STORED) == len(cleaned) + 1
    again = import_circle(io.BytesIO(content))
    assert isinstance(again, Imported), again
    assert again.cleaned == ()
    assert exported(db.session.scalars(select(Circle).where(Circle.name == again.name)).one()) == content


def test_a_command_refuses_what_is_beyond_a_limit_in_one_line(world: World, tmp_path: Path) -> None:
    env: dict[str, str | None] = dict.fromkeys(("DATABASE_URL", "LC_ALL", "LANG"))
    env["SCOREKEEPER_INSTANCE"] = str(tmp_path)
    CliRunner().invoke(main, ["migrate"], env=env)
    seen: set[Any] = set()
    for field in FIELDS:
        kind = next((type(limit) for limit in getattr(field.annotation, "__metadata__", ())), None)
        if kind in seen:
            continue
        seen.add(kind)
        document = complete(world)
        spoil(field.path, list(field.beyond())[1])(document)
        (tmp_path / "circle.json").write_text(json.dumps(document))
        done = CliRunner().invoke(main, ["import-circle", str(tmp_path / "circle.json")], env=env)
        assert done.exit_code == 2, done.output
        assert field.path in done.stderr
        assert done.stderr.count("\n") == 1
