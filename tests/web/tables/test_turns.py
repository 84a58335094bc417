"""People who take turns at a table: who comes in for whom, and the button that seats them."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from scorekeeper.db.transactions import write_to_circle
from scorekeeper.models import Revision, Table, db
from scorekeeper.services.verify import verify

from ...statements import counted
from ...visitor import Visitor, filled_in, tag_of
from ..people.test_tonight import SIX, come, fields, leave, page, post
from ..totals.test_players import circle_path
from .test_substitutions import RESULT, record

FOR_FIVE = {"tricks-3": "3", "tricks-4": "2", "tricks-5": "1", "tricks-1": "1", "tricks-2": "2", "welche": "hidden"}


def play(visitor: Visitor, game: str, turns: str, *names: str) -> Visitor:
    """Seat those who are due, out of these people, at a table where they take turns; nothing was played before."""
    visitor.open_table("whist").more().send({}, "/close")
    come(visitor, *names)
    data = fields(page(visitor, f"?game={game}"), "/seat") | {"turns": turns}
    return post(visitor, data, "tonight/seat")


@pytest.fixture
def whist(visitor: Visitor) -> Visitor:
    """Anne, Bruno, Chloé and David play, Emma waits; they take turns after each deal."""
    return play(visitor, "whist", "deal", *SIX[:5])


def line(visitor: Visitor) -> str:
    """Return what the page says about who comes in."""
    found = visitor.page.select_one(".turns p")
    return " ".join(found.get_text().split()) if found is not None else ""


def swap(visitor: Visitor, **changed: Any) -> Visitor:
    """Tap the button, with some fields changed."""
    return visitor.send(changed, "/turns")


def seated(visitor: Visitor) -> list[str]:
    """Return who sits at the table, in the order of the seats."""
    sheet = visitor.export()
    players = list(sheet["players"])
    for deal in sheet["deals"]:
        if "substitution" in deal:
            players[players.index(deal["substitution"]["out"])] = deal["substitution"]["in"]
    return players


def revisions(app: Flask) -> int:
    with app.app_context():
        return db.session.query(Revision).filter_by(kind="record").count()


# --- who comes in --------------------------------------------------------------------------------------------


def test_after_each_deal_one_line_says_who_comes_in_and_one_tap_seats_them(app: Flask, whist: Visitor) -> None:
    assert line(whist) == ""
    whist.record(tricks="ns-2")
    assert line(whist) == "Emma comes in for David."
    swap(whist)
    assert line(whist) == ""
    assert seated(whist) == ["Anne", "Bruno", "Chloé", "Emma"]
    said = []
    for _ in range(5):
        whist.record(tricks="ns-1")
        said.append(line(whist))
        swap(whist)
    assert [text.split()[0] for text in said] == ["David", "Chloé", "Bruno", "Anne", "Emma"]
    with app.app_context():
        assert verify().faults == []


def test_after_each_manche_nobody_moves_within_it(visitor: Visitor) -> None:
    play(visitor, "whist", "manche", *SIX[:5])
    visitor.record(tricks="ns-5")
    assert line(visitor) == ""
    visitor.record(tricks="ns-5")
    assert line(visitor) == "Emma comes in for David."
    swap(visitor).record(tricks="ns-2")
    assert line(visitor) == ""


def test_with_two_waiting_both_come_in_at_once(app: Flask, visitor: Visitor) -> None:
    play(visitor, "joffre", "deal", *SIX)
    assert seated(visitor) == ["Anne", "Bruno", "Chloé", "David"]
    record(visitor, **RESULT)
    assert line(visitor) == "Emma comes in for David. Fanny comes in for Chloé."
    swap(visitor)
    assert seated(visitor) == ["Anne", "Bruno", "Fanny", "Emma"]
    with app.app_context():
        assert verify().faults == []


def test_where_all_play_for_themselves_the_newcomer_has_the_seat_too(visitor: Visitor) -> None:
    play(visitor, "francion", "deal", *SIX)
    record(visitor, **FOR_FIVE)
    assert line(visitor) == "Fanny comes in for Emma."
    assert swap(visitor).path == visitor.table
    assert seated(visitor) == ["Anne", "Bruno", "Chloé", "David", "Fanny"]


def test_nothing_forces_anybody(whist: Visitor) -> None:
    whist.record(tricks="ns-2").record(tricks="ns-1")
    assert line(whist) == "Emma comes in for David."
    assert seated(whist) == ["Anne", "Bruno", "Chloé", "David"]


def test_a_substitution_of_their_own_is_not_proposed_away(whist: Visitor) -> None:
    whist.record(tricks="ns-2")
    whist.visit(f"{whist.table}deals/substitution")
    whist.send({"out": "1", "newcomer": whist.find("input[name=newcomer]")["value"]})
    assert line(whist) == ""


def test_who_leaves_is_no_longer_proposed_and_who_arrives_is(whist: Visitor) -> None:
    table = whist.record(tricks="ns-2").table
    leave(whist, "Emma")
    assert line(whist.visit(table)) == ""
    come(whist, "Fanny")
    assert line(whist.visit(table)) == "Fanny comes in for David."
    leave(whist, "Bruno")
    assert line(whist.visit(table)) == "Fanny comes in for Bruno."


def test_who_plays_at_another_table_is_not_proposed(whist: Visitor) -> None:
    table = whist.table
    whist.record(tricks="ns-2")
    whist.visit("/tables/new/whist").send({"seat-1": "Emma", "seat-2": "W", "seat-3": "X", "seat-4": "Y"})
    assert line(whist.visit(table)) == ""


def test_the_line_is_on_the_next_pad_too_and_leads_back_to_it(whist: Visitor) -> None:
    whist.visit(f"{whist.table}deals/new").send({"tricks": "ns-2", "do": "next"})
    assert line(whist) == "Emma comes in for David."
    swap(whist)
    assert whist.path.endswith("/deals/new")
    assert "Emma" in whist.text


def test_undo_takes_the_swap_back_and_the_line_is_there_again(whist: Visitor) -> None:
    swap(whist.record(tricks="ns-2")).send({}, "/undo")
    assert line(whist) == "Emma comes in for David."
    swap(whist)
    assert seated(whist) == ["Anne", "Bruno", "Chloé", "Emma"]


def test_a_table_where_nobody_takes_turns_reads_nothing_for_it(app: Flask, visitor: Visitor) -> None:
    play(visitor, "whist", "", *SIX[:5]).record(tricks="ns-2")
    assert line(visitor) == ""
    with counted(app) as statements:
        visitor.visit(visitor.table).record(tricks="ns-1")
    assert not [each for each in statements if "presence" in each]


def test_phones_that_follow_learn_at_once_who_has_come_and_left(app: Flask, whist: Visitor) -> None:
    table = whist.record(tricks="ns-2").table
    other = Visitor(app).join(whist.link("watch")).visit(table)
    now = other.find("[data-now], [data-follow]")

    def update() -> tuple[int, str, str]:
        answer = other.client.get(f"{table}now", headers=other.headers | {"If-None-Match": tag_of(now)})
        return answer.status_code, answer.headers["ETag"], answer.get_data(as_text=True)

    assert update()[0] == 304
    come(whist, "Fanny")
    assert "Emma comes in for David" in update()[2]
    leave(whist, "Emma")
    status, tag, text = update()
    assert (status, "Fanny comes in for David" in text, "Emma comes" in text) == (200, True, False)
    numbers, now["data-mark"], now["data-marks"] = tag.strip('"').split(".")
    now["data-seen"], now["data-flags"] = numbers.split("-")
    leave(whist, "Fanny")
    assert "comes in for" not in update()[2]
    assert "Change places" not in text  # a phone that only watches has no button


# --- the setting ---------------------------------------------------------------------------------------------


def test_the_units_are_those_of_the_game_in_its_words(whist: Visitor) -> None:
    def choices(query: str) -> list[str]:
        return [option.get_text() for option in page(whist, query).page.select("#turns option")]

    assert choices("?game=whist") == ["with each new table", "after each deal", "end of a game", "end of a rubber"]
    assert choices("?game=joffre") == ["with each new table", "after each deal"]
    assert whist.page.select_one("#turns option[selected][value='']")
    page(whist, "?game=whist")
    assert whist.page.select_one("#turns option[selected][value=deal]")


def test_it_can_be_set_and_turned_off_later(whist: Visitor) -> None:
    table = whist.record(tricks="ns-2").table
    whist.visit(f"{table}details").send({"turns": ""})
    assert line(whist.visit(table)) == ""
    whist.visit(f"{table}details").send({"turns": "deal"})
    assert line(whist.visit(table)) == "Emma comes in for David."
    assert whist.visit(f"{table}details").send({"turns": "evening"}).status == 400


def test_a_table_like_another_takes_turns_as_it_did(app: Flask, whist: Visitor) -> None:
    token = whist.table.split("/")[2]
    whist.visit(f"/tables/new/whist?like={token}")
    assert filled_in(whist.form())["turns"] == "deal"
    assert whist.send({"turns": "evening"}).status == 400
    with app.app_context():
        assert db.session.query(Table).count() == 2


@pytest.mark.parametrize("language", ["fr", "fr-CA", "de"])
def test_the_line_is_there_in_every_language(whist: Visitor, language: str) -> None:
    table = whist.record(tricks="ns-2").table
    whist.headers = {"Accept-Language": language}
    assert all(name in line(whist.visit(table)) for name in ("Emma", "David"))


# --- attacks -------------------------------------------------------------------------------------------------


def button(visitor: Visitor) -> dict[str, Any]:
    """Return what the button sends."""
    return dict(filled_in(visitor.form("/turns")))


def tap(visitor: Visitor, data: dict[str, Any], table: str) -> Visitor:
    token = (
        {"csrf_token": visitor.find("[name=csrf_token]")["value"]} if visitor.page.select("[name=csrf_token]") else {}
    )
    answer = visitor.client.post(f"{table}turns", data=data | token, headers=visitor.headers, follow_redirects=True)
    return visitor._arrive(answer)


def test_sent_twice_it_is_recorded_once(app: Flask, whist: Visitor) -> None:
    table = whist.record(tricks="ns-2").table
    data = button(whist)
    assert tap(whist, data, table).status == 200
    assert tap(whist, data, table).status == 200
    assert revisions(app) == 2
    whist.record(tricks="ns-1")
    assert tap(whist, data, table).status == 200  # a phone that was without a signal
    assert revisions(app) == 3


def test_two_phones_tap_at_once_and_one_swap_is_recorded(
    app: Flask, whist: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = whist.record(tricks="ns-2").table
    other = Visitor(app).join(whist.link("score")).visit(table)
    mine, theirs = button(whist.visit(table)), button(other)
    assert mine["key"] != theirs["key"]

    def meanwhile(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.undo()
        assert tap(other, theirs, table).status == 200
        return write_to_circle(*args, **kwargs)

    monkeypatch.setattr("scorekeeper.services.tables.turns.write_to_circle", meanwhile)
    assert tap(whist, mine, table).status == 200  # it is as this phone wanted it
    assert revisions(app) == 2
    assert seated(whist) == ["Anne", "Bruno", "Chloé", "Emma"]


def test_sent_changed_under_the_same_key_it_is_stale(app: Flask, whist: Visitor) -> None:
    table = whist.record(tricks="ns-2").table
    data = button(whist)
    tap(whist, data, table)
    assert tap(whist, data | {"chair-1": "1"}, table).status == 409
    assert revisions(app) == 2


def test_a_deal_recorded_in_between_makes_it_stale(app: Flask, whist: Visitor) -> None:
    table = whist.record(tricks="ns-2").table
    data = button(whist)
    whist.record(tricks="ns-1")
    assert tap(whist, data, table).status == 409
    assert line(whist) == "Emma comes in for David."
    assert revisions(app) == 2


def test_who_has_left_since_is_not_seated(app: Flask, whist: Visitor) -> None:
    table = whist.record(tricks="ns-2").table
    data = button(whist)
    leave(whist, "Emma")
    assert tap(whist, data, table).status == 409
    assert "somebody else" in whist.text
    assert revisions(app) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"person-1": "0"},
        {"person-1": "x" * 5000},
        {"person-1": ""},
        {"chair-1": "2"},
        {"chair-1": "٣"},
        {"chair-2": "1", "person-2": "1"},
    ],
)
def test_seats_that_are_not_proposed_are_refused(app: Flask, whist: Visitor, changed: dict[str, str]) -> None:
    table = whist.record(tricks="ns-2").table
    assert tap(whist, button(whist) | changed, table).status == 409
    assert revisions(app) == 1


def test_a_form_without_seats_or_a_key_records_nothing(app: Flask, whist: Visitor) -> None:
    table = whist.record(tricks="ns-2").table
    data = button(whist)
    assert tap(whist, {key: data[key] for key in ("seen", "key")}, table).status == 409
    assert tap(whist.visit(table), data | {"key": ""}, table).status == 400
    assert revisions(app) == 1


def test_a_closed_table_proposes_nothing(whist: Visitor) -> None:
    table = whist.record(tricks="ns-2").table
    data = button(whist)
    whist.client.post(f"{table}close", data={key: data[key] for key in ("csrf_token", "seen")} | {"key": "close-1"})
    assert line(whist.visit(table)) == ""
    assert tap(whist, data, table).status == 409


def test_who_may_only_watch_and_whose_right_has_just_ended_record_nothing(
    app: Flask, whist: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = whist.record(tricks="ns-2").table
    data = button(whist)
    watcher = Visitor(app).join(whist.link("watch")).visit(table)
    assert line(watcher) == "Emma comes in for David."
    assert tap(watcher, data, table).status == 403
    other = Visitor(app).join(whist.link("score")).visit(table)

    def meanwhile(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.undo()
        whist.visit(f"{circle_path(whist)}links")
        whist.send({}, "/browsers/3/end")
        return write_to_circle(*args, **kwargs)

    monkeypatch.setattr("scorekeeper.services.tables.turns.write_to_circle", meanwhile)
    assert tap(other, data, table).status in {403, 404}
    assert revisions(app) == 1


def test_another_circles_phone_finds_no_table(app: Flask, whist: Visitor) -> None:
    table = whist.record(tricks="ns-2").table
    stranger = Visitor(app).open_table("whist")
    assert tap(stranger, button(whist), table).status == 404
    assert revisions(app) == 1
