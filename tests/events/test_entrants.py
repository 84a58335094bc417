"""Who takes part: lists, people of the circle, leaving, coming back, substitutes."""

from __future__ import annotations

import pytest
from flask import Flask

from ..support.visitor import Visitor, filled_in
from .hall import Hall


@pytest.fixture
def hall(app: Flask) -> Hall:
    return Hall(app, ())


def listed(hall: Hall) -> list[str]:
    return [row.get_text(" ", strip=True) for row in hall.visit("entrants").page.select(".entrants a")]


def about(hall: Hall, number: int) -> str:
    return hall.visit(f"entrants/{number}").find(".about").get_text(" ", strip=True)


def change(hall: Hall, number: int, what: str, **fields: str) -> Visitor:
    return hall.visit(f"entrants/{number}").send(fields, f"/{what}")


# --- entering ----------------------------------------------------------------------------------------------


def test_a_pasted_list_is_entered_in_its_order(hall: Hall) -> None:
    hall.visit("entrants").send({"names": "1. Anne\r\n2. Bruno\r\nChloé, David\tEmma"}, "/entrants")
    assert "5 people added." in hall.director.text
    assert listed(hall) == ["1 Anne", "2 Bruno", "3 Chloé", "4 David", "5 Emma"]


def test_a_name_that_is_on_the_list_twice_is_entered_once_and_stays_in_the_field(hall: Hall) -> None:
    page = hall.enter("Anne", "Bruno", "Anne")
    assert page.status == 200
    assert "On the list more than once, and added once: Anne" in page.text
    assert page.find("#names").get_text().strip() == "Anne"
    assert listed(hall) == ["1 Anne", "2 Bruno"]


def test_a_list_with_a_name_that_is_too_long_enters_nobody_and_loses_nothing(hall: Hall) -> None:
    page = hall.enter("Anne", "B" * 41)
    assert page.status == 422
    assert page.find("#names").get_text().split() == ["Anne", "B" * 41]
    assert listed(hall) == []


def test_people_of_the_circle_are_ticked(hall: Hall) -> None:
    page = hall.visit("entrants")
    boxes = page.page.select("[name=person]")
    data = filled_in(page.find("form:has([name=person])")) | {"person": [str(box["value"]) for box in boxes[:2]]}
    hall.director.client.post(f"{hall.path}/entrants/people", data=data)
    assert len(listed(hall)) == 2
    assert len(hall.visit("entrants").page.select("[name=person]")) == len(boxes) - 2


def test_ticked_people_who_cannot_come_any_more_are_answered_beside_the_boxes(app: Flask) -> None:
    playing = Hall(app, rounds=1)
    page = playing.visit("entrants")
    form = page.find("form:has([name=person])")
    playing.draw(1)
    page.send({"person": str(form.select("[name=person]")[0]["value"])}, form=form)
    assert len(page.texts("form:has([name=person]) #wrong-person")) == 1


def test_nobody_ticked_is_answered_in_words(hall: Hall) -> None:
    page = hall.visit("entrants")
    assert page.send({}, form=page.find("form:has([name=person])")).problems() == [
        "Nobody is ticked. Tick somebody first."
    ]


def test_ticked_people_who_are_sent_twice_are_entered_once(hall: Hall) -> None:
    page = hall.visit("entrants")
    form = page.form("/people")
    for _ in range(2):
        page.send({"person": str(form.select("[name=person]")[0]["value"])}, form=form)
        assert page.status == 200
    assert len(listed(hall)) == 1


def test_a_list_or_a_substitute_that_no_form_can_record_stays_in_its_field_with_what_is_wrong(app: Flask) -> None:
    playing = Hall(app)
    assert playing.enter().problems() == ["There is no name. Type one, or paste a list."]
    playing.visit("entrants").send({"names": "x" * 60_001}, "/entrants")
    assert playing.director.problems()[0] == "This text is too long. Use at most 60,000 characters."
    for name, problem in {
        " ": "The name is blank. Write one that can be read.",
        "Z" * 41: "This name is too long. Use at most 40 characters.",
    }.items():
        page = change(playing, 1, "substitute", name=name)
        assert (page.status, page.problems()) == (422, [problem])
        assert page.find("#substitute")["value"] == name.strip()
    page = change(playing, 1, "substitute", name="Bruno")
    assert page.texts("#wrong-name") == ["Bruno plays already, with the number 2. Choose somebody else."]
    page = change(playing, 1, "substitute", name="Zoé", round="9")
    assert (page.status, page.problems()) == (422, ["This cannot be chosen. Choose one from the list."])
    assert change(playing, 1, "leave", round="soon").problems() == ["This cannot be chosen. Choose one from the list."]


# --- pairs and forts ---------------------------------------------------------------------------------------


@pytest.fixture
def pairs(app: Flask) -> Hall:
    return Hall(app, (), format="howell")


def test_partners_are_entered_in_one_line(pairs: Hall) -> None:
    pairs.enter("Anne & Bruno", "Chloé & David")
    assert listed(pairs) == ["1 Anne", "2 Bruno", "3 Chloé", "4 David"]
    assert [len(row.select("a")) for row in pairs.director.page.select(".entrants li")] == [2, 2]


def test_a_pair_that_is_not_complete_enters_nobody(pairs: Hall) -> None:
    page = pairs.enter("Anne & Bruno", "Chloé")
    assert (page.status, page.problems()) == (
        422,
        ["Without a partner: Chloé. Nobody is added yet. Complete the pairs."],
    )
    assert listed(pairs) == []


def test_nobody_is_left_without_a_partner_by_a_name_entered_before(pairs: Hall) -> None:
    pairs.enter("Anne & Bruno")
    page = pairs.enter("Bruno & Chloé")
    assert page.problems() == ["Entered twice: Bruno. Nobody is added yet. Correct the list."]
    assert page.find("#names").get_text().strip() == "Bruno & Chloé"
    assert listed(pairs) == ["1 Anne", "2 Bruno"]


# --- changes during the event ------------------------------------------------------------------------------


def test_a_substitute_plays_under_the_number_until_the_entrant_is_back(app: Flask) -> None:
    playing = Hall(app)
    playing.draw(1)
    change(playing, 1, "substitute", name="Zoé", round="1")
    assert "played by Zoé" in about(playing, 1)
    assert "Zoé" in playing.visit("rounds/1").text
    change(playing, 1, "substitute", themselves="yes", round="2")
    assert "Anne plays from round 2" in about(playing, 1)


def test_a_late_arrival_is_removed_as_long_as_nobody_from_them_on_has_had_a_table(app: Flask) -> None:
    playing = Hall(app, format="swiss")
    playing.draw(1)
    playing.enter_slips()
    playing.enter("Zoé & Ysé", "Xavier & William")
    for number in (10, 12):
        change(playing, number, "leave", round="1")
    playing.draw(2)
    assert playing.state().sits_out == (9, 11)
    assert "Remove from the event" not in playing.visit("entrants/8").text
    change(playing, 9, "remove")
    assert listed(playing)[8:] == ["9 Xavier from round 2", "10 William from round 2 left after round 1"]
    assert playing.state().sits_out == (9,)
    assert playing.visit("results").status == 200
