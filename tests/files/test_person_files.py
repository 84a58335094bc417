"""Everything about a person: each row about them is in it, nothing of others and no secret, and who may read it."""

from __future__ import annotations

import io
import json
from itertools import chain
from typing import Any

from flask import Flask
from sqlalchemy import select, update

from scorekeeper.circles.phones import get_or_add_device, get_or_add_membership
from scorekeeper.files.personal_data import SECTIONS, TABLES, Section, find_referred, write_everything
from scorekeeper.models import Base, Membership, Payment, Player, db, new_secret

from ..support.filled import fill_every_table
from ..support.visitor import NAMES, Visitor

PEOPLE = {"player", "membership"}  # tables whose rows are a person or a phone of theirs
REFERENCES = [(section, column) for section in SECTIONS for column in section.references]


def read_file(person: Player) -> dict[str, Any]:
    file = io.BytesIO()
    write_everything(person, file)
    document: dict[str, Any] = json.loads(file.getvalue())
    return document


def path_of(app: Flask, visitor: Visitor, name: str) -> str:
    with app.app_context():
        person = db.session.scalars(select(Player).where(Player.name == name)).one()
        return f"{visitor.circle}players/{person.token}/everything"


def download(app: Flask, visitor: Visitor, name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(visitor.client.get(f"{path_of(app, visitor, name)}.json").get_data())
    return document


def add_person(like: Player) -> tuple[Player, Membership]:
    person = Player(circle_id=like.circle_id, name="Zoë")
    db.session.add(person)
    phone = get_or_add_membership(like.circle, get_or_add_device(new_secret()))
    db.session.flush()
    phone.player_id = person.id
    db.session.commit()
    return person, phone


def test_each_column_that_refers_to_a_person_or_a_phone_is_declared() -> None:
    declared = {str(column) for _, column in REFERENCES}
    references = {
        f"{table.name}.{key.parent.name}"
        for table in Base.metadata.tables.values()
        for key in chain.from_iterable(column.foreign_keys for column in table.columns)
        if key.column.table.name in PEOPLE and key.column.name == "id"
    }
    assert references | {"player.id", "event_phone.number"} == declared


def test_each_row_about_a_person_is_in_their_file(app: Flask, visitor: Visitor) -> None:
    """Let a row by each reference become one about somebody, and look for it."""
    fill_every_table(app, visitor)
    with app.app_context():
        person, phone = add_person(db.session.scalars(select(Player).where(Player.name == "Anne")).one())
        for section, column in REFERENCES:
            before = len(read_file(person)[section.name])
            if str(column) == "player.id":
                assert before == 1
                continue
            let_refer(section, column, person, phone)
            assert len(read_file(person)[section.name]) > before, (section.name, column.key)
            db.session.rollback()


def let_refer(section: Section, column: Any, person: Player, phone: Membership) -> None:
    """Let the first row of a table refer to a person or their phone."""
    id_ = phone.id if find_referred(column) == "membership" else person.id
    if str(column) == "event_phone.number":  # it is the phone of an entrant
        column = TABLES["entrant"].c.player_id
    keys = list(column.table.primary_key)
    first = db.session.execute(select(*keys).where(column.is_distinct_from(id_)).order_by(*keys)).first()
    assert first is not None, f"{section.table} has no row: add one to fill_every_table"
    where = [key == value for key, value in zip(keys, first, strict=True)]
    db.session.execute(update(column.table).where(*where).values({column.key: id_}))
    db.session.expire_all()


def test_a_table_has_the_persons_own_deals_and_entries(visitor: Visitor, app: Flask) -> None:
    visitor.open_table("whist").record(tricks="ns-3").record(tricks="ew-2")
    anne, bruno = (download(app, visitor, name)["tables"][0] for name in ("Anne", "Bruno"))
    assert anne["players"] == bruno["players"] == list(NAMES[:4])
    assert [(deal["deal"], deal["scored"]) for deal in anne["deals"]] == [(1, 3), (2, 0)]
    assert [(deal["deal"], deal["scored"]) for deal in bruno["deals"]] == [(1, 0), (2, 2)]
    assert anne["deals"][0]["entries"] == [{"amount": 3, "unit": "points", "reason": "tricks"}]
    assert anne["deals"][1]["entries"] == []


def test_the_page_says_in_words_what_the_file_holds(app: Flask, visitor: Visitor) -> None:
    fill_every_table(app, visitor)
    with app.app_context():
        payment = db.session.scalars(select(Payment)).one()
        payment.method, payment.evening, payment.withdrawn_at = "transfer", payment.paid_on, payment.at
        person, phone = add_person(db.session.scalars(select(Player).where(Player.name == "Anne")).one())
        payment.giver_id, payment.withdrawn_by_id, person.is_cashier = person.id, phone.id, True
        for section, column in REFERENCES:
            if section.table not in ("player", "payment", "event_phone"):
                let_refer(section, column, person, phone)
        db.session.commit()
    page = visitor.visit(path_of(app, visitor, "Zoë"))
    assert "Method: by transfer" in page.text
    assert "Payments removed" in page.text
    assert "Access: Host" in page.text
    assert "own." not in page.text


def test_only_hosts_and_the_persons_only_phone_may_read_it(app: Flask, visitor: Visitor, another: Visitor) -> None:
    table = visitor.open_table("whist").table
    anne, bruno = (path_of(app, visitor, name) for name in ("Anne", "Bruno"))
    page = anne.removesuffix("/everything")
    another.join(visitor.link("watch"))
    another.visit(table).send({"seat": "1"}, "/me")
    assert "Everything about" not in another.visit(page).text  # anybody with the link could have said so
    another.join(visitor.link("score"))
    for path in (anne, f"{anne}.json"):
        assert visitor.client.get(path).status_code == another.client.get(path).status_code == 200
        assert another.client.get(path.replace(anne, bruno)).status_code == 403
    assert another.visit(page).follow("Everything about Anne").path == anne
    third = Visitor(app).join(visitor.link("score"))
    third.visit(table).send({"seat": "1"}, "/me")  # two phones say so: it may be either
    assert [who.client.get(f"{anne}.json").status_code for who in (visitor, another, third)] == [200, 403, 403]
    for right in ("watch", "score"):
        visitor.visit(f"{visitor.circle}links").send({}, f"/links/{right}/renew")
    assert another.client.get(f"{anne}.json").status_code == 404


def test_where_others_are_paid_is_not_in_it(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist", note="Anne brought cake")
    with app.app_context():
        bruno = db.session.scalars(select(Player).where(Player.name == "Bruno")).one()
        bruno.payment_link = "https://pay.example/to-Bruno-not-Anne"
        db.session.commit()
    assert [found["text"] for found in download(app, visitor, "Anne")["texts"]] == ["Anne brought cake"]
