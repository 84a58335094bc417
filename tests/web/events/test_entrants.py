"""Who takes part: lists, people of the circle, leaving, coming back, substitutes."""

from __future__ import annotations

import pytest
from flask import Flask

from ...visitor import Visitor, filled_in
from .director import NAMES, Director


@pytest.fixture
def director(visitor: Visitor) -> Director:
    return Director(visitor)


@pytest.fixture
def playing(director: Director) -> Director:
    director.enter(*NAMES[:8])
    director.begin()
    return director


def listed(director: Director) -> list[str]:
    return [row.get_text(" ", strip=True) for row in director.visit("entrants").page.select(".entrants a")]


def about(director: Director, number: int) -> str:
    return director.visit(f"entrants/{number}").find(".about").get_text(" ", strip=True)


def change(director: Director, number: int, what: str, **fields: str) -> Visitor:
    """Send the form of an entrant's page that does this."""
    page = director.visit(f"entrants/{number}")
    form = next(form for form in page.page.find_all("form") if filled_in(form).get("do") == what)
    return page.send(fields, form=form)


# --- entering ----------------------------------------------------------------------------------------------


def test_a_pasted_list_is_entered_in_its_order(director: Director) -> None:
    director.visit("entrants").send({"names": "1. Anne\r\n2. Bruno\r\nChloé, David\tEmma"}, "/names")
    assert "5 people added." in director.visitor.text
    assert listed(director) == ["1 Anne", "2 Bruno", "3 Chloé", "4 David", "5 Emma"]


def test_names_that_are_too_long_are_named(director: Director) -> None:
    page = director.enter("Anne", "B" * 41, "Chloé", "D" * 300)
    assert page.status == 422
    assert page.problems() == [f"Too long: {'B' * 40}…, {'D' * 40}…. Use at most 40 characters for a name."]


@pytest.mark.parametrize("form", ["names", "people"])
def test_a_list_that_was_refused_can_be_loaded_again(director: Director, form: str) -> None:
    director.visit(f"entrants/{form}")
    assert (director.visitor.status, director.visitor.path) == (200, f"/events/{director.token}/entrants")


def test_who_is_on_the_list_twice_is_entered_once_and_stays_in_the_field(director: Director) -> None:
    page = director.enter("Anne", "Bruno", "Anne")
    assert page.status == 200
    assert "On the list more than once, and added once: Anne" in page.text
    assert page.find("#names").get_text().strip() == "Anne"
    assert listed(director) == ["1 Anne", "2 Bruno"]


def test_who_takes_part_already_is_named_and_the_others_are_entered(director: Director) -> None:
    director.enter("Anne", "Bruno")
    page = director.enter("Bruno", "Chloé")
    assert "Already taking part, so not added again: Bruno" in page.text
    assert page.find("#names").get_text().strip() == "Bruno"
    assert listed(director) == ["1 Anne", "2 Bruno", "3 Chloé"]


def test_a_list_sent_twice_enters_nobody_twice(director: Director) -> None:
    page = director.visit("entrants")
    form = page.form("/names")
    for _ in range(2):
        page.send({"names": "Anne\nBruno"}, form=form)
    assert listed(director) == ["1 Anne", "2 Bruno"]


@pytest.mark.parametrize("typed", ["", " \n , \t", "1\n2"])
def test_an_empty_list_is_answered_in_words(director: Director, typed: str) -> None:
    page = director.visit("entrants").send({"names": typed}, "/names")
    assert (page.status, page.problems()) == (422, ["There is no name. Type one, or paste a list."])


def test_a_list_with_a_name_that_is_too_long_enters_nobody_and_loses_nothing(director: Director) -> None:
    page = director.enter("Anne", "B" * 41)
    assert page.status == 422
    assert page.find("#names").get_text().split() == ["Anne", "B" * 41]
    assert listed(director) == []


def test_a_thousand_people_take_part_and_no_more(director: Director) -> None:
    page = director.enter(*(f"Player {number:04}" for number in range(1, 1001)))
    assert "1,000 people added." in page.text
    page = director.enter("One More")
    assert (page.status, page.problems()) == (422, ["At most 1,000 people can take part."])
    assert page.find("#names").get_text() == "One More"


def test_names_of_other_alphabets_and_with_markup_stay_names(director: Director) -> None:
    director.enter("משה", "陳大文", "<b>Anne</b>")
    assert director.visitor.page.select(".entrants b") == []
    assert listed(director)[1:] == ["2 陳大文", "3 <b>Anne</b>"]


def test_people_of_the_circle_are_ticked(director: Director) -> None:
    page = director.visit("entrants")
    boxes = page.page.select("[name=person]")
    data = filled_in(page.form("/people")) | {"person": [str(box["value"]) for box in boxes[:2]]}
    director.visitor.client.post(f"/events/{director.token}/entrants/people", data=data)
    assert len(listed(director)) == 2
    assert len(director.visit("entrants").page.select("[name=person]")) == len(boxes) - 2


def test_nobody_ticked_is_answered_in_words(director: Director) -> None:
    assert director.visit("entrants").send({}, "/people").problems() == ["Nobody is ticked. Tick somebody first."]


def test_people_of_another_circle_are_not_entered(app: Flask, director: Director) -> None:
    stranger = Director(Visitor(app))
    theirs = stranger.visit("entrants").find("[name=person]")["value"]
    data = filled_in(director.visit("entrants").form("/people")) | {"person": str(theirs)}
    director.visitor.client.post(f"/events/{director.token}/entrants/people", data=data)
    assert listed(director) == []


def test_names_are_found_in_a_long_list(director: Director) -> None:
    director.enter(*(f"Player {number:02}" for number in range(1, 14)))
    page = director.visit("entrants?find=yer+07")
    assert [row.get_text(" ", strip=True) for row in page.page.select(".entrants a")] == ["7 Player 07"]


# --- pairs and forts ---------------------------------------------------------------------------------------


@pytest.fixture
def pairs(visitor: Visitor) -> Director:
    return Director(visitor, format="howell")


def test_partners_are_entered_in_one_line(pairs: Director) -> None:
    pairs.enter("Anne & Bruno", "Chloé & David")
    assert listed(pairs) == ["1 Anne", "2 Bruno", "3 Chloé", "4 David"]
    assert [len(row.select("a")) for row in pairs.visitor.page.select(".entrants li")] == [2, 2]


def test_a_pair_that_is_not_complete_enters_nobody(pairs: Director) -> None:
    page = pairs.enter("Anne & Bruno", "Chloé")
    assert (page.status, page.problems()) == (
        422,
        ["Without a partner: Chloé. Nobody is added yet. Complete the pairs."],
    )
    assert listed(pairs) == []


def test_nobody_is_left_without_a_partner_by_a_name_entered_before(pairs: Director) -> None:
    pairs.enter("Anne & Bruno")
    page = pairs.enter("Bruno & Chloé")
    assert page.problems() == ["Entered twice: Bruno. Nobody is added yet. Correct the list."]
    assert page.find("#names").get_text() == "Bruno & Chloé"
    assert listed(pairs) == ["1 Anne", "2 Bruno"]


def test_a_fort_has_four(visitor: Visitor) -> None:
    forts = Director(visitor, format="military")
    assert forts.enter(*NAMES[:6]).problems() == ["There are 6 names. A fort has 4. Nobody is added yet."]
    assert "8 people added." in forts.enter(*NAMES[:8]).text


# --- changes during the event ------------------------------------------------------------------------------


def test_who_comes_late_plays_from_the_next_round(playing: Director) -> None:
    assert "Anyone added now plays from round 2." in playing.visit("entrants").text
    playing.enter("Inès")
    assert listed(playing)[-1] == "9 Inès from round 2"
    change(playing, 9, "first", first_round="3")
    assert about(playing, 9) == "from round 3"


def test_who_left_and_is_on_a_list_again_is_named_with_the_way_back(playing: Director) -> None:
    assert "Left earlier" not in playing.enter("Chloé").text
    change(playing, 3, "leave", last_round="1")
    page = playing.enter("Anne", "Chloé")
    assert "Left earlier. To let them play again, say on their page that they come back: Chloé" in page.text
    assert page.find("section.notice a")["href"] == f"/events/{playing.token}/entrants/3"


def test_who_leaves_early_comes_back(playing: Director) -> None:
    change(playing, 3, "leave", last_round="1")
    assert "left after round 1" in about(playing, 3)
    change(playing, 3, "return")
    assert "left" not in about(playing, 3)


@pytest.mark.parametrize("last", ["0", "99", "", "soon"])
def test_nobody_leaves_after_a_round_that_cannot_be(playing: Director, last: str) -> None:
    page = change(playing, 3, "leave", last_round=last)
    assert (page.status, page.problems()) == (422, ["This must be a whole number from 1 to 3."])


def test_nobody_is_asked_to_leave_or_come_back_without_a_round_to_come(playing: Director) -> None:
    change(playing, 3, "leave", last_round="1")
    for rounds, offered in (("2", {"leave", "return"}), ("1", set())):
        playing.visit("settings").send({"rounds": rounds})
        pages = [playing.visit(f"entrants/{number}").page for number in (1, 3)]
        assert {field["value"] for page in pages for field in page.select("[name=do]")} & {"leave", "return"} == offered


def test_a_substitute_plays_under_the_number_until_the_entrant_is_back(playing: Director) -> None:
    change(playing, 1, "substitute", name="Zoé", round="1")
    assert "played by Zoé" in about(playing, 1)
    assert "Zoé" in playing.visit("rounds/1").text
    change(playing, 1, "substitute", themselves="yes", round="2")
    assert "Anne plays from round 2" in about(playing, 1)


def test_a_substitute_who_plays_already_is_refused(playing: Director) -> None:
    page = change(playing, 1, "substitute", name="Bruno", round="1")
    assert (page.status, page.problems()) == (
        422,
        ["Bruno plays already, with the number 2. Choose somebody else."],
    )


def test_who_keeps_the_table_is_marked(playing: Director) -> None:
    change(playing, 4, "stationary", is_stationary="yes")
    assert "4 David keeps the table" in listed(playing)


def test_groups_are_set_where_the_format_has_them(visitor: Visitor) -> None:
    drive = Director(visitor, format="progressive")
    drive.enter("Anne", "Bruno", group="a")
    assert listed(drive) == ["1 Anne Group A", "2 Bruno Group A"]
    change(drive, 2, "group", group="b")
    assert listed(drive)[1] == "2 Bruno Group B"


def test_who_is_removed_before_the_first_round_is_removed_once(director: Director) -> None:
    director.enter("Anne", "Bruno", "Chloé")
    page = director.visit("entrants/1")
    form = next(form for form in page.page.find_all("form") if filled_in(form).get("do") == "remove")
    for _ in range(2):
        page.send({}, form=form)
    assert listed(director) == ["1 Bruno", "2 Chloé"]


def test_nobody_is_removed_once_a_round_is_drawn(playing: Director) -> None:
    assert "Remove from the event" not in playing.visit("entrants/1").text
    data = filled_in(playing.visit("entrants/1").form()) | {"do": "remove"}
    answer = playing.visitor.client.post(f"/events/{playing.token}/entrants/1", data=data)
    assert answer.status_code == 422


def test_what_no_page_sends_is_refused(playing: Director) -> None:
    data = filled_in(playing.visit("entrants/1").form()) | {"do": "promote"}
    assert playing.visitor.client.post(f"/events/{playing.token}/entrants/1", data=data).status_code == 400
    assert playing.visit("entrants/99").status == 404


def test_the_first_people_lead_on_to_the_first_draw(visitor: Visitor) -> None:
    director = Director(visitor)
    assert "A round needs at least four people." in director.enter("Anne").text
    page = director.enter("Bruno", "Chloé", "David")
    page.follow("Next: draw round 1").send({}, "/rounds")
    assert "Round 1 of 3" in page.text
    assert "Next: draw round 1" not in director.visit("entrants").text


def test_rounds_are_not_taken_away_in_which_somebody_begins(visitor: Visitor) -> None:
    director = Director(visitor)
    director.enter("Anne", "Bruno", "Chloé", "David", "Emma")
    late = director.visit("entrants/5").find("form:has([name=first_round])")
    visitor.send({"first_round": "3"}, form=late)
    for rounds, refused in (("2", True), ("4", False), ("3", False)):
        director.visit("settings").send({"rounds": rounds}, form=visitor.find("form.event-form"))
        assert [problem for problem in visitor.problems() if "begins in round 3" in problem] == [
            "Somebody begins in round 3. Enter 3 or more, or have them begin earlier."
        ] * refused
