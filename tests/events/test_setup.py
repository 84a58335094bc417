"""Setting up an event and changing its settings, without scripts."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from ..support.visitor import Visitor
from .hall import Hall

NOT_A_CHOICE = "This cannot be chosen. Choose one from the list."
NO_AMOUNT = "is not an amount of money. Write a number above 0 with at most 2 decimal places, such as 1.50."


@pytest.fixture
def form(visitor: Visitor) -> Visitor:
    """Return a visitor with the form for a new event before them."""
    visitor.open_table("whist")
    return visitor.visit(f"{visitor.circle}events/new")


def values(visitor: Visitor, *names: str) -> list[Any]:
    return [visitor.find(f"[name={name}]").get("value", "") for name in names]


def chosen(visitor: Visitor, name: str) -> str:
    option = visitor.page.select_one(f"select[name={name}] option[selected], [name={name}][checked]")
    return str(option["value"]) if option is not None else ""


def test_an_event_is_set_up_and_listed(form: Visitor) -> None:
    form.send({"title": "Spring drive", "place": "Village hall", "game": "whist", "rounds": "24", "length": "1"})
    assert form.path.endswith("/entrants")
    form.visit(f"{form.circle}events")
    assert "Spring drive Whist · Individual" in form.text
    assert "Village hall" in form.text


def test_another_game_and_format_show_their_options_and_keep_what_was_typed(form: Visitor) -> None:
    assert form.page.select("[name=options-partners]") == []
    form.send({"title": "Drive", "place": "Hall", "format": "progressive", "game": "kaiser", "do": "show"})
    assert form.status == 200
    assert len(form.page.select("[name=options-partners]")) == 2
    assert values(form, "title", "place") == ["Drive", "Hall"]
    assert (chosen(form, "format"), chosen(form, "game")) == ("progressive", "kaiser")


def test_what_is_usual_in_a_format_is_proposed_unless_something_else_was_typed(form: Visitor) -> None:
    form.send({"format": "progressive", "do": "show"})
    assert (values(form, "rounds", "length"), chosen(form, "scoring")) == (["24", "1"], "tricks")
    form.send({"rounds": "10", "format": "individual", "do": "show"})
    assert values(form, "rounds", "length") == ["10", "4"]


def test_a_game_that_everybody_plays_alone_is_offered_without_formats_of_partners(form: Visitor) -> None:
    form.send({"format": "swiss", "do": "show"}).send({"game": "francion", "do": "show"})
    offered = [option["value"] for option in form.page.select("select[name=format] option")]
    assert (chosen(form, "format"), offered) == ("individual", ["individual", "progressive"])


def test_what_a_round_sat_out_counts_as_usual_follows_the_scoring_later_too(form: Visitor) -> None:
    form.send({"title": "Drive", "format": "mitchell"})
    settings = form.path.replace("/entrants", "/settings")
    assert chosen(form.visit(settings), "sitting_out") == "usual"
    form.send({"scoring": "parties", "sitting_out": "nothing"}).visit(settings)
    assert chosen(form, "sitting_out") == "nothing"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"title": ""}, "The name is missing. Enter one."),
        ({"title": "x" * 201}, "This text is too long. Use at most 200 characters."),
        ({"day": "soon"}, "soon is not a date. Write year, month and day, such as 2026-11-20."),
        ({"day": " "}, "The date is missing. Enter the day of the event."),
        ({"place": "x" * 81}, "This text is too long. Use at most 80 characters."),
        ({"game": "bridgette"}, NOT_A_CHOICE),
        ({"day": "1066-10-14"}, "This day is before 1700. Check the year."),
        ({"rounds": "0"}, "This must be a whole number from 1 to 200."),
        ({"rounds": "many"}, "This must be a whole number from 1 to 200."),
        ({"length": ""}, "This must be a whole number from 1 to 240."),
        ({"fee": "-5"}, f"“-5” {NO_AMOUNT}"),
        ({"fee": "1,000"}, "“1,000” can mean 1 or 1000. Write 1.00 or 1000."),
        ({"scoring": "matchpoints"}, NOT_A_CHOICE),
        ({"sitting_out": "rounded"}, NOT_A_CHOICE),
        ({"round_unit": "years"}, NOT_A_CHOICE),
        ({"fee": "5", "currency": "XXX"}, NOT_A_CHOICE),
        ({"prizes-0-amount": "5", "currency": "XXX"}, NOT_A_CHOICE),
        ({"amount": "0.25", "value_currency": "XXX"}, NOT_A_CHOICE),
        ({"fee": "0.5", "currency": "JPY"}, "“0.5” is not an amount in this currency. Write a whole number above 0."),
        ({"prizes-0-amount": "much"}, f"“much” {NO_AMOUNT}"),
        ({"currency": "EUR", "prizes-0-amount": "0.005"}, f"“0.005” {NO_AMOUNT}"),
        ({"prizes-0-amount": "5", "prizes-0-place": "first"}, "This must be a whole number from 1 to 100."),
        ({"prizes-0-rule": "luck", "prizes-0-amount": "5"}, NOT_A_CHOICE),
        ({"prizes-1-amount": "5", "prizes-2-amount": "0"}, f"“0” {NO_AMOUNT}"),
        ({"prizes-0-amount": "5", "prizes-0-text": "A ham"}, "Enter an amount or what is won in kind, and not both."),
    ],
)
def test_a_wrong_field_is_answered_beside_it_with_everything_typed(
    form: Visitor, fields: dict[str, Any], problem: str
) -> None:
    typed = {"title": "Drive", "place": "Hall", "rounds": "7"} | fields
    form.send(typed)
    assert form.status == 422
    assert form.problems() == [problem]
    name = next(reversed(fields))
    for field in ("place", name):
        if form.page.select(f"input[name={field}]:not([type=radio])"):
            assert values(form, field) == [typed[field].strip()]
    if wrong := form.page.select(f"#wrong-{name}") and form.page.select(f"input[name={name}]:not([type=radio])"):
        assert (wrong[0]["aria-invalid"], wrong[0]["aria-describedby"]) == ("true", f"wrong-{name}")


def test_the_same_page_sent_with_other_settings_is_refused_once(form: Visitor) -> None:
    page, path = form.form(), form.path
    form.send({"title": "Drive"})
    form.path = path
    form.send({"title": "Another"}, form=page)
    assert form.status == 409
    assert "The event exists already" in form.text
    form.send({})
    assert len(form.visit(f"{form.circle}events").page.select(".table-card")) == 2


def test_fee_and_prizes_are_kept(form: Visitor) -> None:
    form.send(
        {
            "title": "Drive",
            "fee": "2.50",
            "currency": "GBP",
            "prizes-0-rule": "highest",
            "prizes-0-amount": "20",
            "prizes-1-rule": "highest",
            "prizes-1-amount": "10",
            "prizes-2-rule": "lowest",
            "prizes-2-text": "A ham",
        }
    )
    token = form.path.split("/")[2]
    form.visit(f"/events/{token}/settings")
    assert values(form, "fee", "prizes-0-amount", "prizes-1-amount", "prizes-2-text") == ["2.50", "20", "10", "A ham"]
    assert values(form, "prizes-0-place", "prizes-1-place", "prizes-2-place") == ["1", "2", "1"]
    assert chosen(form, "currency") == "GBP"


def test_settings_with_a_prize_in_money_are_saved_the_first_time(form: Visitor) -> None:
    form.send({"title": "Drive", "fee": "2.50", "currency": "GBP", "prizes-0-rule": "highest", "prizes-0-amount": "20"})
    form.visit(f"/events/{form.path.split('/')[2]}/settings").send({"place": "Café"})
    assert form.status == 200
    assert "Somebody else" not in form.text


# --- changing ----------------------------------------------------------------------------------------------


def test_settings_that_somebody_else_has_changed_are_not_replaced_unseen(app: Flask, hall: Hall) -> None:
    other = Visitor(app).join(hall.director.link("score"))
    other.visit(f"{hall.path}/settings")
    hall.visit("settings").send({"title": "Summer drive"})
    other.send({"title": "Autumn drive"})
    assert other.status == 409
    assert "The settings have changed" in other.text
    assert values(other, "title") == ["Autumn drive"]
    assert other.send({}).status == 200
    assert values(hall.visit("settings"), "title") == ["Autumn drive"]


def test_a_page_from_before_the_first_round_says_why_the_format_stays_and_saves_the_rest(hall: Hall) -> None:
    form = hall.visit("settings").form()
    hall.draw(1)
    page = hall.director.send({"format": "progressive", "place": "Café"}, form=form)
    problem = "A round is already drawn, so this can no longer change. Undo the round first."
    assert (page.status, page.problems()) == (422, [problem])
    assert (page.send({}).status, page.problems()) == (200, [])
    assert values(hall.visit("settings"), "place", "format") == ["Café", "individual"]


def test_an_event_is_deleted_before_its_first_round_only(hall: Hall) -> None:
    form = hall.visit("settings").form("/delete")
    hall.draw(1)
    hall.director.send({}, form=form)
    assert hall.director.status == 422
    assert "A round is already drawn" in hall.director.text
    hall.press("/rounds/1/undo")
    hall.visit("settings").send({}, "/delete")
    assert "No events yet." in hall.director.text
    assert hall.visit().status == 404
