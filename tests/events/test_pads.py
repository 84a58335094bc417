"""The game's pad at an event's table: opened once for the four who sit there, and used by the phone of that table."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from flask import Flask

from scorekeeper.db.outcome import Done
from scorekeeper.db.transactions import AccessRevokedError
from scorekeeper.events import rounds
from scorekeeper.events.drawing import Result
from scorekeeper.models import EventPhone, Membership, Table, db
from scorekeeper.tables import revisions
from scorekeeper.tables.reading import read_table
from scorekeeper.tables.revisions import Change
from scorekeeper.tables.writing import write

from ..support.visitor import Visitor, filled_in
from .hall import Hall


@pytest.fixture
def hall(app: Flask) -> Hall:
    hall = Hall(app, scoring="difference", length=4)
    hall.draw(1)
    return hall


def open_pad(hall: Hall, table: int = 1) -> Visitor:
    return hall.phone(table).visit(hall.table(table)).send({}, "/pad")


def test_the_pad_opens_a_table_for_the_four_in_the_order_of_their_seats(hall: Hall) -> None:
    phone = open_pad(hall)
    assert phone.status == 200
    state = hall.state()
    row = state.tables[1, 1]
    with hall.app.app_context():
        table = db.session.scalars(db.select(Table).filter_by(id=row.table_id)).one()
        seated = [seat.player.name for seat in table.seats]
        assert table.title == "Spring drive, round 1, table 1"
    assert seated == [state.name_of(row.seats[at]) for at in ("north", "east", "south", "west")]
    assert "Round 1 · Table 1" in phone.text
    assert not phone.page.select(".places")


def test_a_guest_records_corrects_and_undoes_deals_and_sends_their_sum(hall: Hall) -> None:
    phone = open_pad(hall)
    table = phone.table
    for _ in range(2):
        phone.visit(table).record(tricks="ns-3")
        assert phone.status == 200
    phone.visit(f"{table}deals/1")
    assert phone.status == 200
    assert phone.visit(f"{table}deals/1/amend").send({"tricks": "ew-2", "do": "record"}).status == 200
    phone.visit(table).send({}, "/undo")
    phone.visit(f"{table}deals/2").send({}, "/withdraw")
    phone.visit(f"{table}deals/2").send({}, "/restore")
    phone.visit(table).follow("Send the result")
    first, second = (int(str(phone.find(f"input[name=score-{side}]")["value"])) for side in (0, 1))
    assert first > second
    phone.send({}, "/result")
    assert hall.state().tables[1, 1].result == Result((first, second))


def test_after_the_last_deal_of_a_round_its_result_is_sent(app: Flask) -> None:
    hall = Hall(app, length=2)
    hall.draw(1)
    phone = open_pad(hall)
    for following, button in (("deals/new", "Record deal"), ("", "Send the result")):
        phone.visit(f"{phone.table}deals/new").send({"tricks": "ns-3", "do": "next"})
        assert phone.path == f"{phone.table}{following}"
        assert phone.find("#main-action").get_text().startswith(button)
    assert phone.visit(f"{phone.table}deals/new").path == phone.table
    phone.follow("Send the result")
    assert filled_in_form(phone) == (18, 8)


def test_a_pad_says_nothing_of_a_result_to_send_once_the_event_is_over(hall: Hall) -> None:
    table = open_pad(hall).table
    assert "Send the result" in hall.director.visit(table).text
    hall.change(finished_at=datetime(2026, 11, 20, 22))
    assert "Send the result" not in hall.director.visit(table).text


def test_the_phone_of_another_table_has_no_access(hall: Hall) -> None:
    table = open_pad(hall, 1).table
    assert hall.phone(2).visit(table).status == 404
    assert hall.phone().visit(table).status == 404


def test_a_guest_who_may_watch_in_the_circle_is_shown_what_came_in_between(hall: Hall) -> None:
    phone = open_pad(hall)
    table = phone.table
    phone.join(hall.director.link("watch")).visit(f"{table}deals/new")
    hall.director.visit(table).record(tricks="ns-3")
    assert phone.send({"tricks": "ew-2", "do": "record"}).status == 409


def test_the_rules_of_an_events_table_are_the_events(hall: Hall) -> None:
    phone = open_pad(hall)
    table = phone.table
    for visitor in (phone, hall.director):
        assert visitor.visit(f"{table}deals/terms").status == 404
    assert "Change the rules" not in hall.director.visit(f"{table}more").text


@pytest.fixture
def adjusted(hall: Hall) -> Visitor:
    """The phone of a table at which the guests have recorded a deal, and the director an adjustment, its deal 2."""
    phone = open_pad(hall).record(tricks="ns-3")
    fields = {"kind": "points", "to": "ns", "amount": "5"}
    assert hall.director.visit(f"{phone.table}deals/adjustment").send(fields).path == phone.table
    return phone


def post(phone: Visitor, path: str) -> int:
    """Send what the buttons of the page of deal 1 send, to another address of the table."""
    table = phone.table
    fields = filled_in(phone.visit(f"{table}deals/1").form("/withdraw"))
    return phone.client.post(f"{table}{path}", data=fields).status_code


def adjustment_of(hall: Hall, table: str) -> dict[str, Any]:
    hall.director.visit(table)
    found: dict[str, Any] = hall.director.export()["deals"][1]
    return found


def test_a_guest_does_not_change_an_adjustment_of_the_directors(hall: Hall, adjusted: Visitor) -> None:
    table = adjusted.table
    recorded = adjustment_of(hall, table)
    adjusted.visit(f"{table}deals/2")
    assert adjusted.status == 200
    assert not adjusted.page.select(".bar form, .bar a[href$='/amend']")
    assert "Undo" not in adjusted.visit(table).find(".bar").get_text()
    assert adjusted.client.get(f"{table}deals/2/amend").status_code == 404
    for path in ("deals/2/amend", "deals/2/withdraw", "deals/2/restore", "undo"):
        assert post(adjusted, path) == 404, path
    assert adjustment_of(hall, table) == recorded


def test_a_guest_neither_undoes_nor_redoes_what_the_director_did_to_an_adjustment(
    hall: Hall, adjusted: Visitor
) -> None:
    table = adjusted.table
    recorded = adjustment_of(hall, table)
    hall.director.visit(f"{table}deals/2").send({}, "/withdraw")
    for path in ("deals/2/restore", "undo"):
        assert post(adjusted, path) == 404, path
    hall.director.visit(table).send({}, "/undo")
    assert adjustment_of(hall, table) == recorded
    assert post(adjusted, "redo") == 404
    assert adjustment_of(hall, table) == recorded


def test_a_guest_inserts_a_deal_before_an_adjustment_and_corrects_the_deals_around_it(
    hall: Hall, adjusted: Visitor
) -> None:
    table = adjusted.table
    assert adjusted.visit(f"{table}deals/2/insert").send({"tricks": "ns-2", "do": "record"}).path == table
    assert adjusted.visit(f"{table}deals/1/amend").send({"tricks": "ew-2", "do": "record"}).path == table
    assert adjusted.send({}, "/undo").path == table
    hall.director.visit(table)
    deals = hall.director.export()["deals"]
    assert [deal.get("tricks", {}).get("ns") for deal in deals] == [9, 8, None]


def test_a_change_of_rules_that_came_with_a_file_is_not_amended_at_an_events_table(app: Flask) -> None:
    hall = Hall(app, game="joffre", scoring="total", length=3)
    hall.draw(1)
    table = open_pad(hall).table
    with hall.director.client.session_transaction() as session:
        secret = session["device"]
    with app.app_context():
        found = read_table(secret, table.split("/")[2])
        assert found is not None
        state, membership, _ = found
        change = Change(revisions.RECORD, body={"terms": {"house_rules": {"minimum_bid": 6}}})
        assert isinstance(write(state, [change], state.seen, "terms", membership), Done)
    assert hall.director.visit(f"{table}deals/1").status == 200
    assert not hall.director.page.select(".bar a[href$='/amend']")
    assert hall.director.visit(f"{table}deals/1/amend").status == 404


@pytest.mark.parametrize("change", ["renew_links", "draw", "undo", "finish", "revoke"])
def test_a_deal_is_not_recorded_if_the_access_ends_meanwhile(hall: Hall, change: str) -> None:
    phone = open_pad(hall)
    token = phone.table.split("/")[2]
    with phone.client.session_transaction() as session:
        secret = session["device"]
    with hall.app.app_context():
        found = read_table(secret, token, guests=True)
        assert found is not None
        table, membership, _ = found
        other_app_context = hall.app.app_context()
        with other_app_context:
            end_access(hall, change)
        misdeal = Change(revisions.RECORD, body={"misdeal": True})
        with pytest.raises(AccessRevokedError):
            write(table, [misdeal], table.seen, "k", membership)
        assert read_table(secret, token, guests=True) is None


def end_access(hall: Hall, change: str) -> None:
    if change == "renew_links":
        hall.renew_links()
    elif change == "draw":
        hall.draw(2)
    elif change == "undo":
        with hall.drive() as drive:
            rounds.undo(drive.event, 1, drive.by)
    elif change == "finish":
        hall.change(finished_at=datetime(2026, 11, 20, 22))
    else:
        membership = db.session.scalars(
            db.select(Membership).join(EventPhone, EventPhone.membership_id == Membership.id)
        ).one()
        membership.revoked_at = datetime(2026, 11, 20, 22)
        db.session.commit()


WHIST = ({"tricks": "ns-3"}, {"tricks": "ew-2"}, {"tricks": "ns-7"})  # 9:4, 5:8, 13:0 tricks; 3:0, 0:2, 7:0 points
JOFFRE = (
    {"bidder": "1", "bid": "7", "tricks": "5", "five_of_hearts": "ns", "three_of_spades": "ew"},  # 10:0
    {"bidder": "1", "bid": "8", "tricks": "1", "five_of_hearts": "ew", "three_of_spades": "ns"},  # −2:12
    {"bidder": "1", "bid": "6", "tricks": "4", "five_of_hearts": "ew", "three_of_spades": "ns"},  # 1:9
)


def test_a_guests_correction_does_not_withdraw_an_adjustment_in_its_way(app: Flask) -> None:
    hall = Hall(app, game="joffre", scoring="total", length=3, house_rules={"target": 10, "win": "either"})
    hall.draw(1)
    phone = record(open_pad(hall), JOFFRE[2])
    table = phone.table
    fields = {"kind": "points", "to": "ns", "amount": "1"}
    assert hall.director.visit(f"{table}deals/adjustment").send(fields).path == table
    for visitor, offered in (hall.director, 1), (phone, 0):
        visitor.visit(f"{table}deals/1/amend").send({**JOFFRE[0], "do": "check"})  # it ends the game
        assert len(visitor.page.select("button[value=remove]")) == offered
    phone.send({"do": "remove", "removed": "2"})
    assert phone.status == 404
    assert "adjustment" in adjustment_of(hall, table)


@pytest.mark.parametrize(
    ("game", "deals", "scoring", "filled_in"),
    [
        ("whist", WHIST, "tricks", (9 + 5 + 13, 4 + 8 + 0)),
        ("whist", WHIST, "total", (3 + 0 + 7, 0 + 2 + 0)),
        ("whist", WHIST, "parties", (2, 1)),  # deals won
        ("joffre", JOFFRE, "tricks", (5 + 1 + 4, 3 + 7 + 4)),
        ("joffre", JOFFRE, "total", (10 - 8 - 6, 0 + 12 + 9)),  # North–South bid each time, and go down twice
        ("joffre", JOFFRE, "parties", (1, 2)),
    ],
)
def test_the_pad_fills_in_the_result_in_what_the_event_counts(
    app: Flask, game: str, deals: tuple[dict[str, str], ...], scoring: str, filled_in: tuple[int, int]
) -> None:
    hall = Hall(app, game=game, scoring=scoring, length=3)
    hall.draw(1)
    phone = open_pad(hall)
    table = phone.table
    for deal in deals:
        assert record(phone, deal).status == 200
    phone.visit(table).follow("Send the result")
    values = filled_in_form(phone)
    assert values == filled_in
    phone.send({}, "/result")
    sent = hall.state().tables[1, 1].result
    assert sent is not None
    assert sent.scores == filled_in


def record(phone: Visitor, deal: dict[str, str]) -> Visitor:
    return phone.visit(f"{phone.table}deals/new").send(deal | {"do": "record"})


def filled_in_form(phone: Visitor) -> tuple[int, int]:
    form = filled_in(phone.form("/result"))
    return int(form["score-0"]), int(form["score-1"])


def test_several_games_of_a_round_are_recorded_one_after_the_other_and_added_up(app: Flask) -> None:
    rules = {"target": 10, "win": "either"}
    hall = Hall(app, game="joffre", scoring="total", round_unit="games", length=2, house_rules=rules)
    hall.draw(1)
    phone = open_pad(hall)
    first = phone.table
    for deal in JOFFRE[2], JOFFRE[0]:  # −6:9, 4:9
        assert record(phone, deal).status == 200
    unfinished = "The last game on the pad is not finished."
    assert unfinished in phone.visit(first).follow("Send the result").text
    phone.visit(first)
    assert not phone.page.select("form[action$='/pad']")
    assert record(phone, JOFFRE[0]).status == 200  # 14:9: the first game has ended
    assert "Record the next game" in phone.visit(hall.table(1)).text
    other = hall.phone(1).visit(first)
    phone.visit(first).send({}, "/pad")
    assert phone.table != first
    assert other.send({}, "/pad").table == phone.table  # opened once, for all phones
    assert other.visit(first).path == hall.table(1)  # the first game is over for its phone
    assert "Reopen table" in hall.director.visit(first).more().text
    record(phone, JOFFRE[1])  # −8:12: the second game has ended
    phone.visit(phone.table).follow("Send the result")
    assert unfinished not in phone.text
    assert filled_in_form(phone) == (-6 + 10 + 10 - 8, 9 + 0 + 0 + 12)
    phone.send({}, "/result")
    assert hall.state().tables[1, 1].result == Result((6, 21))


@pytest.mark.parametrize(("length", "is_counted"), [(1, False), (2, True)])
def test_a_round_ends_with_its_last_robre_though_the_table_goes_on(app: Flask, length: int, is_counted: bool) -> None:
    hall = Hall(app, scoring="total", round_unit="games", length=length)
    hall.draw(1)
    phone = open_pad(hall)
    table, unfinished = phone.table, "The last game on the pad is not finished."
    other = hall.phone(1).visit(f"{table}deals/new")
    for deals in range(1, 5):
        assert record(phone.visit(table), {"tricks": "ns-5"}).status == 200
        assert (unfinished in phone.visit(table).follow("Send the result").text) == (deals < 4)
    assert filled_in_form(phone) == (20, 0)
    for status in (409, 200):  # its pad was opened when the round was not over
        assert other.send({"tricks": "ew-4", "do": "record"}).status == status
    assert (unfinished in phone.visit(table).follow("Send the result").text) == is_counted
    assert filled_in_form(phone) == (20, 4 if is_counted else 0)
