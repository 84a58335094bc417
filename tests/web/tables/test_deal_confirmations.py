"""Pages on which deals are confirmed: the switch, marks and buttons, and the list before settling."""

from __future__ import annotations

import pytest
from bs4 import Tag
from flask import Flask

from ...missing import uninstalled
from ...visitor import Visitor, filled_in, tag_of


class Evening:
    """A table of Whist that asks for confirmations, with a phone for each player; Anne's records."""

    def __init__(self, app: Flask, visitor: Visitor) -> None:
        self.app, self.scorer = app, visitor.open_table("whist", confirms_deals="yes")
        self.table = visitor.table
        self.claim(visitor, "1")
        self.links = {right: visitor.link(right) for right in ("watch", "score")}
        self.record("ns-3")

    def claim(self, visitor: Visitor, seat: str) -> None:
        visitor.visit(self.table).send({"seat": seat}, "/me")

    def phone(self, seat: str = "", right: str = "watch") -> Visitor:
        visitor = Visitor(self.app).join(self.links[right])
        if seat:
            self.claim(visitor, seat)
        return visitor.visit(self.table)

    def record(self, tricks: str) -> None:
        self.scorer.visit(self.table).record(tricks=tricks)


@pytest.fixture
def evening(app: Flask, visitor: Visitor) -> Evening:
    return Evening(app, visitor)


def press(visitor: Visitor, button: Tag) -> Visitor:
    """Press a button of the form that it belongs to."""
    form = visitor.find(f"#{button['form']}") if button.get("form") else button.find_parent("form")
    assert form is not None
    return visitor.send({str(button["name"]): str(button["value"])}, form=form)


def marks(visitor: Visitor, table: str) -> list[str]:
    """Return the marks of the deals in the list, newest first."""
    return [mark.get_text(" ", strip=True)[2:] for mark in visitor.visit(table).page.select(".rows .confirmation")]


def test_a_tap_on_the_row_confirms_the_deal_for_everybody(evening: Evening) -> None:
    bruno = evening.phone("2")
    press(bruno, bruno.find("#deal-1 button.confirm"))
    assert bruno.path == evening.table
    assert marks(bruno, evening.table) == marks(evening.scorer, evening.table) == ["confirmed by Bruno"]
    assert bruno.page.select_one("button.confirm") is None


def seen(evening: Evening) -> str:
    """Return the mark of what the table's page shows, for a page without a form that has it."""
    return filled_in(evening.scorer.visit(evening.table).form("/undo"))["seen"]


def test_neither_the_scorer_nor_the_partner_has_a_button(evening: Evening) -> None:
    for visitor in (evening.scorer.visit(evening.table), evening.phone("3")):
        assert marks(visitor, evening.table) == ["not confirmed"]
        assert visitor.page.select_one("button.confirm, #confirm-deals") is None
        form = filled_in(visitor.form("/me")) | {"seen": seen(evening)}
        posted = visitor.client.post(f"{evening.table}confirm", data=form | {"revision": "1"})
        assert posted.status_code == 422
        assert "confirmed by the other side" in posted.get_data(as_text=True)


def test_a_phone_that_has_not_said_who_it_is_is_asked(evening: Evening) -> None:
    visitor = evening.phone()
    assert visitor.find(".confirm-all a")["href"] == f"{evening.table}#me"
    visitor.send({"revision": "1", "seen": seen(evening)}, form=_form_to_confirm(visitor, evening.table))
    assert visitor.status == 422
    assert "Choose your seat" in visitor.find(".refused").get_text()
    assert "Choose your seat" in visitor.visit(f"{evening.table}deals/1").find("#confirmation").get_text()
    assert marks(visitor, evening.table) == ["not confirmed"]


def _form_to_confirm(visitor: Visitor, table: str) -> Tag:
    """Return a form of the page as one that confirms, for a page without it."""
    form = visitor.page.find("form")
    assert isinstance(form, Tag)
    form["action"] = f"{table}confirm"
    return form


def test_all_that_waits_is_confirmed_with_one_tap(evening: Evening) -> None:
    evening.record("ew-2")
    evening.record("ns-1")
    bruno = evening.phone("2")
    button = bruno.find("#confirm-deals button[name=all]")
    assert button.get_text() == "Confirm all (3)"
    press(bruno, button)
    assert marks(bruno, evening.table) == ["confirmed by Bruno"] * 3


def test_a_deal_that_was_corrected_meanwhile_is_not_confirmed(evening: Evening) -> None:
    evening.record("ew-2")
    bruno, david = evening.phone("2"), evening.phone("4")
    evening.scorer.visit(f"{evening.table}deals/1/amend").send({"tricks": "ns-4", "do": "record"})
    press(bruno, bruno.find("#deal-1 button.confirm"))
    assert bruno.status == 409
    assert "corrected a deal in the meantime" in bruno.find(".refused").get_text()
    press(david, david.find("button[name=all]"))
    assert david.status == 409
    assert marks(david, evening.table) == ["not confirmed"] * 2
    press(bruno, bruno.find("#deal-1 button.confirm"))  # of the page that says so
    assert marks(bruno, evening.table) == ["not confirmed", "confirmed by Bruno"]


def test_the_page_of_a_deal_says_who_confirmed_it_and_when_also_before_it_was_amended(evening: Evening) -> None:
    deal = f"{evening.table}deals/1"
    bruno = evening.phone("2").visit(deal)
    assert "Nobody has confirmed this deal yet." in bruno.find("#confirmation").get_text()
    press(bruno, bruno.find("#confirmation button"))
    assert bruno.path == deal
    assert "confirmed by Bruno · " in bruno.find("#confirmation").get_text()
    assert "phone 2" in bruno.find("#confirmation").get_text()
    evening.scorer.visit(f"{deal}/amend").send({"tricks": "ns-4", "do": "record"})
    evening.scorer.visit(deal)
    assert "Nobody has confirmed" in evening.scorer.find("#confirmation").get_text()
    assert "confirmed by Bruno" in evening.scorer.find(".revisions li").get_text()


def test_a_confirmation_is_taken_back_by_a_second_tap(evening: Evening) -> None:
    deal = f"{evening.table}deals/1"
    bruno = evening.phone("2").visit(deal)
    form = bruno.find("#confirmation form")
    press(bruno, bruno.find("#confirmation button"))
    bruno.send({"revision": "1"}, form=form)  # sent twice
    button = bruno.find("#confirmation button")
    assert button.get_text() == "Take back my confirmation"
    press(bruno, button)
    assert marks(bruno, evening.table) == ["not confirmed"]


def test_the_list_of_a_settle_page_blocks_nothing(evening: Evening) -> None:
    for _ in range(4):
        evening.record("ns-5")
    scorer, table = evening.scorer, evening.table
    circle = f"/circles/{scorer.circle}"
    day = str(scorer.visit(f"{circle}/tables").find("a[href*='/evenings/']")["href"])
    pages = (f"{table}settlement", f"{day}/settlement", f"{circle}/settlement")
    for page in pages:
        section = scorer.visit(page).find(".unconfirmed-deals")
        assert [link.get_text() for link in section.select("li a")] == [f"Deal {number}" for number in range(1, 6)]
        assert section.select_one(f"a[href='{table}deals/1']") is not None
        assert scorer.page.select_one(".due form.pay") is not None
    bruno = evening.phone("2")
    press(bruno, bruno.find("button[name=all]"))
    for page in pages:
        assert scorer.visit(page).page.select_one(".unconfirmed-deals") is None


def test_a_long_list_leads_to_the_table(evening: Evening) -> None:
    for number in range(12):
        evening.record("ns-1" if number % 2 else "ew-1")
    section = evening.scorer.visit(f"{evening.table}settlement").find(".unconfirmed-deals")
    assert len(section.select("li")) == 11
    assert section.select("li")[-1].get_text(strip=True) == "3 more"


def test_the_switch_is_in_the_details_and_goes_with_the_next_table(evening: Evening) -> None:
    scorer = evening.scorer.visit(f"{evening.table}details")
    assert scorer.page.select_one("input[name=confirms_deals][checked]") is not None
    bruno = evening.phone("2")
    scorer.send({"confirms_deals": None})
    assert marks(scorer, evening.table) == []
    press(bruno, bruno.find("#deal-1 button.confirm"))
    assert bruno.status == 409
    assert "no longer asks for confirmations" in bruno.text
    assert scorer.visit(f"{evening.table}deals/1").page.select_one("#confirmation") is None
    scorer.visit(f"{evening.table}details").send({"confirms_deals": "yes"})
    assert marks(scorer, evening.table) == ["not confirmed"]
    token = evening.table.split("/")[2]
    scorer.visit(f"/tables/new/whist?like={token}")
    assert scorer.page.select_one("input[name=confirms_deals][checked]") is not None
    scorer.visit("/tables/new/whist")
    assert scorer.page.select_one("input[name=confirms_deals][checked]") is None


def test_details_that_somebody_else_changed_say_what_the_switch_is_now(evening: Evening) -> None:
    form = evening.scorer.visit(f"{evening.table}details").form()
    other = evening.phone("2", "score").visit(f"{evening.table}details")
    other.send({"confirms_deals": None})
    evening.scorer.send({"title": "Late"}, form=form)
    assert evening.scorer.status == 409
    assert "Ask for confirmation of each deal no" in " ".join(evening.scorer.find("dl.details").get_text(" ").split())


@pytest.mark.parametrize("fields", [{}, {"revision": "x"}, {"revision": "9" * 40}, {"take-back": ""}])
def test_a_request_without_a_number_is_no_request(evening: Evening, fields: dict[str, str]) -> None:
    bruno = evening.phone("2")
    form = filled_in(bruno.find("#confirm-deals"))
    assert bruno.client.post(f"{evening.table}confirm", data=form | fields).status_code == 400


@pytest.mark.parametrize("revision", ["0", "2", "999999999"])
def test_a_revision_that_is_not_there_is_not_found(evening: Evening, revision: str) -> None:
    bruno = evening.phone("2")
    form = filled_in(bruno.find("#confirm-deals"))
    assert bruno.client.post(f"{evening.table}confirm", data=form | {"revision": revision}).status_code == 404
    taken_back = bruno.client.post(f"{evening.table}confirm", data=form | {"take-back": revision})
    assert taken_back.status_code == 303


def test_a_stranger_confirms_nothing_and_neither_does_a_phone_that_was_removed(app: Flask, evening: Evening) -> None:
    stranger = Visitor(app).open_table("whist")
    form = filled_in(stranger.form("/me"))
    assert stranger.client.post(f"{evening.table}confirm", data=form | {"revision": "1"}).status_code == 404
    bruno = evening.phone("2")
    form = filled_in(bruno.find("#confirm-deals"))
    evening.scorer.visit(f"/circles/{evening.scorer.circle}/links").send({}, "/2/end")
    assert bruno.client.post(f"{evening.table}confirm", data=form | {"revision": "1"}).status_code in (403, 404)
    assert marks(evening.scorer, evening.table) == ["not confirmed"]


def test_a_closed_table_can_still_be_confirmed(evening: Evening) -> None:
    evening.scorer.visit(evening.table).more().send({}, "/close")
    bruno = evening.phone("2")
    press(bruno, bruno.find("button.confirm"))
    assert marks(bruno, evening.table) == ["confirmed by Bruno"]


def test_rows_are_cached_for_phones_that_may_not_confirm_apart_from_those_that_may(evening: Evening) -> None:
    bruno = evening.phone("2")
    for _ in range(2):
        assert evening.scorer.visit(evening.table).page.select_one("button.confirm") is None
        assert bruno.visit(evening.table).page.select_one("button.confirm") is not None


def test_another_phone_sees_a_confirmation_at_once(evening: Evening) -> None:
    scorer = evening.scorer.visit(evening.table)
    element = scorer.find("[data-follow]")
    tag = tag_of(element)
    assert scorer.client.get(str(element["data-follow"]), headers={"If-None-Match": tag}).status_code == 304
    bruno = evening.phone("2")
    press(bruno, bruno.find("button.confirm"))
    update = scorer.client.get(str(element["data-follow"]), headers={"If-None-Match": tag})
    assert update.status_code == 200
    assert "confirmed by Bruno" in update.get_data(as_text=True)
    later = update.headers["ETag"].replace(":br", "").replace(":gzip", "")
    assert tag_of(scorer.visit(evening.table).find("[data-follow]")) == later


def test_deals_of_a_game_that_is_missing_are_listed_and_not_confirmed(evening: Evening) -> None:
    bruno = evening.phone("2")
    form = filled_in(bruno.find("#confirm-deals"))
    with uninstalled("whist"):
        posted = bruno.client.post(f"{evening.table}confirm", data=form | {"revision": "1"})
        assert posted.status_code == 409
        section = evening.scorer.visit(f"{evening.table}settlement").find(".unconfirmed-deals")
        assert section.select_one(f"a[href='{evening.table}deals/1']") is not None
    assert marks(bruno, evening.table) == ["not confirmed"]


def test_a_table_that_asks_for_nothing_shows_nothing(visitor: Visitor) -> None:
    visitor.open_table("whist").record(tricks="ns-3")
    assert visitor.page.select_one(".confirmation, .confirm-all, #confirm-deals") is None
    assert visitor.visit(f"{visitor.table}deals/1").page.select_one("#confirmation") is None


def test_a_page_that_showed_another_revision_with_the_number_confirms_nothing(evening: Evening) -> None:
    """As once an older backup is restored."""
    bruno = evening.phone("2")
    form = filled_in(bruno.find("#confirm-deals")) | {"revision": "1", "seen": "1.0123456789abcdef"}
    assert bruno.client.post(f"{evening.table}confirm", data=form).status_code == 409
    assert marks(bruno, evening.table) == ["not confirmed"]
