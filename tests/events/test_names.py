"""Names as they are entered: pasted lists, and the question about another accent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scorekeeper.events.pages.entrants import parse_names
from scorekeeper.models import Player, db

from ..support.visitor import Visitor, filled_in
from .hall import Hall


@pytest.mark.parametrize(
    "text",
    [
        "Anne\nBruno\nChloé",
        "Anne, Bruno, Chloé",
        "Anne\tBruno\tChloé",
        "Anne;Bruno;;Chloé;",
        "\r\n Anne \r\n\r\n Bruno\r\nChloé\r\n",
        "1. Anne\n2. Bruno\n3. Chloé",
        "1\tAnne\n2\tBruno\n3\tChloé",
        "(1) Anne\n2) Bruno\n3: Chloé",
    ],
)
def test_names_are_found_in_lines_and_between_commas_and_tabs(text: str) -> None:
    assert parse_names(text, in_pairs=False) == (["Anne", "Bruno", "Chloé"], [])


@pytest.mark.parametrize(
    "text", ["Anne & Bruno\nChloé & David", "Anne\nBruno\nChloé\nDavid", "Anne/Bruno, Chloé + David"]
)
def test_partners_stand_in_one_line_or_one_after_the_other(text: str) -> None:
    assert parse_names(text, in_pairs=True) == (["Anne", "Bruno", "Chloé", "David"], [])


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("Anne\nBruno & Chloé", ["Anne"]),
        ("Anne & Bruno & Chloé\nDavid", ["Chloé", "David"]),
        ("Anne\nBruno\nChloé", ["Chloé"]),
        ("Anne &\nBruno & Chloé", ["Anne"]),
    ],
)
def test_names_without_a_partner_are_listed(text: str, broken: list[str]) -> None:
    assert parse_names(text, in_pairs=True)[1] == broken


def empty_hall(visitor: Visitor, **changed: Any) -> Hall:
    return Hall(visitor.client.application, (), visitor, **changed)


def ask_at_event(visitor: Visitor) -> Visitor:
    return empty_hall(visitor).visit("entrants").send({"names": "anne, Bruno , Chloe, DAVID"}, "/entrants")


def ask_at_entrant(visitor: Visitor) -> Visitor:
    hall = empty_hall(visitor)
    hall.enter("Anne", "Bruno")
    page = hall.visit("entrants/1")
    return page.send({"name": "Chloe"}, form=page.find("form:has(#substitute)"))


@pytest.mark.parametrize(("ask", "answer"), [(ask_at_event, "Chloe"), (ask_at_entrant, "Chloé")])
def test_another_accent_is_asked_about_with_everything_typed_still_there(
    visitor: Visitor, ask: Callable[[Visitor], Visitor], answer: str
) -> None:
    ask(visitor.open_table("whist"))
    assert (visitor.status, visitor.text.count("Is Chloe Chloé?")) == (422, 1)
    form = visitor.find("form:has([name='is:Chloe'])")
    assert "Chloe" in filled_in(form).values() or "Chloe" in form.get_text()
    assert visitor.send({"is:Chloe": answer}, form=form).status == 200
    with visitor.client.application.app_context():
        names = db.session.scalars(db.select(Player.name)).all()
    assert ("Chloe" in names) == (answer == "Chloe")


def test_partners_who_are_one_person_are_not_entered(visitor: Visitor) -> None:
    visitor.open_table("whist")
    page = empty_hall(visitor, format="howell").enter("Anne & Bruno", "Chloe & Chloé")
    page.send({"is:Chloe": "Chloé"}, "/entrants")
    assert page.problems() == ["Entered twice: Chloé. Nobody is added yet. Correct the list."]
