"""The phone at a table of an event: who sits where, the slip, both sides' confirmation, who moves where."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.events.drawing import Result
from scorekeeper.events.reading import RoundTableRow

from .hall import Hall


def row_of(hall: Hall) -> RoundTableRow:
    return hall.state().tables[1, 1]


def test_the_page_shows_who_sits_where(hall: Hall) -> None:
    phone = hall.phone(1)
    hall.draw(1, start=False)
    phone.visit(hall.table(1))
    state = hall.state()
    for direction, number in row_of(hall).seats.items():
        assert state.name_of(number) in phone.find(f".compass .{direction}").get_text()
    assert "The round has not started yet" in phone.text


def test_one_tap_gives_the_tricks_of_both_sides_and_both_sides_confirm(hall: Hall) -> None:
    hall.draw(1)
    phone = hall.phone(1).visit(hall.table(1))
    cells = [cell.get_text(strip=True) for cell in phone.page.select(".splits .cell")]
    assert (cells[:4], len(cells)) == (["13–0", "0–13", "12–1", "1–12"], 14)
    phone.send({"score-0": "9"}, "/result")
    assert "the phone at table 1" in hall.visit("rounds/1/tables/1").find(".versions").get_text()
    assert row_of(hall).result == Result((9, 4))
    assert not row_of(hall).is_confirmed
    for side in ("0", "1"):
        phone.send({"side": side}, "/confirm")
    assert phone.status == 200
    assert row_of(hall).is_confirmed
    assert "Recorded and confirmed" in phone.text
    assert "Wait for the next round" in phone.text


def test_a_side_that_says_it_is_wrong_corrects_it_and_both_confirm_again(hall: Hall) -> None:
    hall.draw(1)
    phone = hall.phone(1).visit(hall.table(1)).send({"score-0": "9"}, "/result")
    phone.send({"side": "0"}, "/confirm").follow("This is wrong")
    assert phone.find("input[name=score-0][checked]")["value"] == "9"
    phone.send({"score-0": "8"}, "/result")
    assert row_of(hall).result == Result((8, 5))
    assert len(phone.page.select(".confirming button")) == 2


@pytest.mark.parametrize("typed", ["12x", "99999", "1.5", "−" * 30, "٣" * 12, "9" * 100])
def test_a_number_that_is_none_stays_in_the_form(app: Flask, typed: str) -> None:
    hall = Hall(app, scoring="difference", length=24)
    hall.draw(1)
    phone = hall.phone(1).visit(hall.table(1)).send({"score-0": typed, "score-1": "7"}, "/result")
    assert phone.status == 422
    assert len(phone.problems()) == 1
    assert phone.find("input[name=score-0]")["value"] == typed
    assert phone.find("input[name=score-1]")["value"] == "7"
    assert row_of(hall).result is None


@pytest.mark.parametrize("do", ["withdraw", "not-played"])
def test_a_table_neither_withdraws_its_result_nor_says_that_it_did_not_play(hall: Hall, do: str) -> None:
    hall.draw(1)
    phone = hall.phone(1).visit(hall.table(1)).send({"do": do}, "/result")
    assert (phone.status, phone.problems()) == (422, ["The result is missing. Enter it."])
    phone.send({"score-0": "9"}, "/result").visit(f"{hall.table(1)}?correct=yes").send({"do": do}, "/result")
    assert row_of(hall).result == Result((9, 4))


def test_a_confirmation_of_a_result_that_was_corrected_meanwhile_says_so(hall: Hall) -> None:
    hall.draw(1)
    first = hall.phone(1).visit(hall.table(1)).send({"score-0": "9"}, "/result")
    confirm = first.form("/confirm")
    hall.phone(1).visit(f"{hall.table(1)}?correct=yes").send({"score-0": "8"}, "/result")
    assert first.send({"side": "0"}, form=confirm).status == 409
    assert not hall.state().tables[1, 1].is_confirmed


def test_after_the_next_draw_the_page_says_where_each_of_the_four_sits(hall: Hall) -> None:
    hall.draw(1)
    phone = hall.phone(1)
    before = row_of(hall).seats.values()
    hall.draw(2, start=False)
    phone.visit(hall.table(1))
    state = hall.state()
    lines = {li.find("strong").get_text(): li.find("span").get_text() for li in phone.page.select(".moving li")}  # type: ignore[union-attr]  # each has both
    for number in before:
        seat = state.seats.get(number)
        assert seat is not None
        direction = seat.direction.capitalize()
        assert lines[state.name_of(number)] == f"Table {seat.table}, {direction}, with {state.name_of(seat.partner)}"


def test_a_phone_gets_304_until_its_table_changes(hall: Hall) -> None:
    hall.draw(1)
    phone = hall.phone(1).visit(hall.table(1))
    etag = str(phone.find("[data-mark]")["data-mark"])

    def status() -> int:
        return phone.client.get(hall.table(1), headers={"If-None-Match": f'"{etag}"'}).status_code

    assert status() == 304
    hall.phone(2).visit(hall.table(2)).send({"score-0": "9"}, "/result")
    assert status() == 304  # another table's result is no news here
    phone.send({"score-0": "9"}, "/result")
    assert status() == 200
    etag = str(phone.find("[data-mark]")["data-mark"])
    phone.send({"side": "0"}, "/confirm")
    assert status() == 200
    etag = str(phone.find("[data-mark]")["data-mark"])
    hall.draw(2)
    assert status() == 200


def test_a_result_that_a_phone_has_kept_for_a_round_that_is_over_is_not_filled_in(hall: Hall) -> None:
    hall.draw(1)
    phone = hall.phone(1).visit(hall.table(1))
    form = phone.form("/result")
    hall.draw(2)
    phone.send({"score-0": "9", "do": "check"}, form=form)
    assert phone.problems() == ["Round 1 is over. Ask the director to enter the result."]
    assert not phone.page.select("[name=score-0][checked]")
