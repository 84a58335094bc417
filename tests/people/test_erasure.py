"""Erasing a name: texts that hold it inside of another word are shown to the host, and no file keeps the name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import JSON, String, select
from sqlalchemy.engine import make_url

from scorekeeper.games import games
from scorekeeper.i18n import has_message
from scorekeeper.models import Base, Circle, Event, Player, Revision, db
from scorekeeper.people.erasure import WORDLESS, read_written_texts, written_columns
from scorekeeper.tables import caches

from ..support.filled import fill_every_table
from ..support.visitor import Visitor, filled_in

NAME, INSIDE, OTHER = "Zoë田中", "Zoë田中さん", "Zoë田中ia"  # another player has the last one


@pytest.fixture
def host(app: Flask, visitor: Visitor) -> Visitor:
    """A host in whose circle every column that people write in holds the name, inside of another word."""
    fill_every_table(app, visitor)
    described = next(game for game in games().values() if game.house_rules.named_by)
    visitor.open_table(described.slug, **{f"rule-{described.house_rules.named_by}": INSIDE})
    with app.app_context():
        erased, other, *_ = db.session.scalars(select(Player).order_by(Player.id)).all()
        erased.name, other.name = NAME, OTHER
        recorded = select(Revision).where(Revision.kind == "record").order_by(Revision.table_id, Revision.number)
        revision = db.session.scalars(recorded).first()
        assert revision is not None
        revision.body = {"adjustment": {"to": "ns", "points": 1, "reason": INSIDE}}
        event = db.session.scalars(select(Event)).one()
        event.prizes = [{"kind": "place", "place": 1, "text": INSIDE}]
        event.game, event.house_rules = described.slug, {described.house_rules.named_by: INSIDE, "sides": True}
        for model, columns in written_columns().items():
            rows = [row for row in db.session.scalars(select(model)) if row is not erased]
            assert rows, f"{model} has no row: add one to fill_every_table"
            for column in columns:
                if isinstance(column.type, String):
                    setattr(rows[0], column.key, f"https://example.org/{INSIDE}" if "link" in column.key else INSIDE)
        db.session.commit()
        caches.rebuild()
    return visitor


def open_page(app: Flask, host: Visitor) -> Visitor:
    with app.app_context():
        player = db.session.scalars(select(Player).where(Player.name == NAME)).one()
        path = f"{host.circle}people/{player.token}/erase"
    return host.visit(path)


def texts_with_name(app: Flask) -> dict[str, str]:
    with app.app_context():
        texts = list(read_written_texts(db.session.scalars(select(Circle)).one()))
        return {written.kind: written.text for written in texts if NAME in written.text}


def fields_of(host: Visitor) -> list[str]:
    return [str(field["name"]) for field in host.page.select("[name^='text:']")]


def test_each_column_of_text_is_searched_or_holds_no_words() -> None:
    columns = [column for table in Base.metadata.sorted_tables for column in table.columns]
    texts = [column for column in columns if isinstance(column.type, String | JSON)]
    searched = [str(column) for columns in written_columns().values() for column in columns]
    for column in texts:
        assert (str(column) in searched) != (not WORDLESS.isdisjoint({column.name, str(column)})), column
    assert {name for column in texts for name in (column.name, str(column))} >= WORDLESS
    for language in ("en", "fr", "de", "fr_CA"):
        assert [kind for kind in searched if not has_message(language, f"erase.text.{kind}")] == []


def test_each_text_that_holds_the_name_is_shown_to_change_or_to_keep(app: Flask, host: Visitor) -> None:
    before = texts_with_name(app)
    kinds = {str(column) for columns in written_columns().values() for column in columns}
    assert before.keys() == kinds
    open_page(app, host)
    assert {field.split(":")[1] for field in fields_of(host)} == kinds
    kept = [name for name in fields_of(host)[::2] if "link" not in name]  # a link is kept with the name in escapes
    changed = [name for name in fields_of(host) if name not in kept]
    host.send({"typed": NAME} | {name: "https://example.org/x" if "link" in name else "Z" for name in changed})
    assert "The name is erased." in host.text, host.problems()
    assert texts_with_name(app).keys() == {field.split(":")[1] for field in kept}
    with app.app_context():
        assert OTHER in db.session.scalars(select(Player.name)).all()


def test_nothing_is_erased_before_all_texts_were_shown_as_they_are(app: Flask, host: Visitor) -> None:
    form = filled_in(open_page(app, host).form()) | {"typed": NAME}
    field = fields_of(host)[0]
    for sent in (
        {key: text for key, text in form.items() if ":" not in key},
        {f"{key}x" if key == field else key: text for key, text in form.items()},
    ):
        answer = host.client.post(host.path, data=sent)
        assert answer.status_code == 422
        assert "Look at these texts" in answer.get_data(as_text=True)
        assert texts_with_name(app)
    typed = {name: f"typed {number}" for number, name in enumerate(fields_of(host))}
    host.send({"typed": "wrong"} | typed)
    assert all(text in str(host.page) for text in typed.values())


def files_with(app: Flask, text: str) -> list[str]:
    """Return the files of the database's folder that contain a text, in any way it may be written."""
    database = make_url(app.config["SQLALCHEMY_DATABASE_URI"]).database
    assert database is not None
    ways = [text.encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be")]
    ways += [json.dumps(text).strip('"').encode(), json.dumps(text).strip('"').upper().encode()]
    files = [path for path in Path(database).parent.rglob("*") if path.is_file()]
    return [path.name for path in files if any(way in path.read_bytes() for way in ways)]


@pytest.mark.parametrize("what", ["name", "circle"])
def test_no_file_keeps_what_was_erased(app: Flask, host: Visitor, what: str) -> None:
    with app.app_context():
        event = db.session.scalars(select(Event)).one()
        event.prizes = [*event.prizes, {"far": 10**30}]  # beyond 64 bits: written with escapes
        db.session.scalars(select(Player).where(Player.name == OTHER)).one().name = "Other"
        db.session.commit()
    assert files_with(app, NAME)
    if what == "name":
        open_page(app, host)
        texts = {name: "https://example.org/x" if "link" in name else "Z" for name in fields_of(host)}
        host.send({"typed": NAME} | texts)
        assert "The name is erased." in host.text, host.problems()
    else:
        host.visit(f"{host.circle}erase")
        with app.app_context():
            title = db.session.scalars(select(Circle.title)).one()
        host.send({"typed": str(title)})
        assert "The circle is erased." in host.text
    assert files_with(app, NAME) == []
