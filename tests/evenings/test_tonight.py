"""Who is here tonight, who sits out, and one tap that seats the others; tried by several phones, and by attackers."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask

from scorekeeper.limits import MAX_NAME_LENGTH
from scorekeeper.models import Player, Presence, Table, base, db
from scorekeeper.people import erasure, writing
from scorekeeper.tables.caches import verify

from ..support.visitor import Visitor, filled_in

SIX = ("Anne", "Bruno", "Chloé", "David", "Emma", "Fanny")


@pytest.fixture
def host(visitor: Visitor) -> Visitor:
    """A host in whose circle four people have played a deal of whist, at a table that is open."""
    return visitor.open_table("whist").record(tricks="ns-5")


def page(visitor: Visitor, query: str = "") -> Visitor:
    return visitor.visit(f"{visitor.circle}tonight{query}")


def fields(visitor: Visitor, action: str = "/tonight") -> dict[str, Any]:
    """Return what the phone would send for a form."""
    return dict(filled_in(visitor.form(action)))


def ids(visitor: Visitor) -> dict[str, str]:
    """Return the values of the boxes of those who can be ticked, by name."""
    return {
        label.get_text(strip=True): str(label.input["value"])
        for label in visitor.page.select("label:has(input[name=here])")
        if label.input is not None
    }


def post(visitor: Visitor, data: dict[str, Any], path: str = "tonight") -> Visitor:
    address = visitor.circle + path
    return visitor.receive(visitor.client.post(address, data=data, headers=visitor.headers, follow_redirects=True))


def here(visitor: Visitor) -> list[str]:
    page(visitor)
    return [name for name, box in ids(visitor).items() if box in visitor.here]


def lists(visitor: Visitor) -> tuple[list[str], list[str]]:
    """Return who plays, in order of their seats, and who sits out."""
    playing, waiting = visitor.page.select("ol.roll strong"), visitor.page.select("#next ul.roll strong")
    return [name.get_text() for name in playing], [name.get_text() for name in waiting]


def seat(visitor: Visitor) -> Visitor:
    return post(visitor, fields(visitor, "/seat"), "tonight/seat")


def tables(app: Flask) -> int:
    with app.app_context():
        return db.session.query(Table).count()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """Make time pass by a minute whenever somebody looks; a test may set another time."""
    moment = [datetime(2026, 11, 20, 19)]

    def tick(zone: tzinfo) -> datetime:
        moment[0] += timedelta(minutes=1)
        return moment[0].replace(tzinfo=zone)

    monkeypatch.setattr(base, "datetime", SimpleNamespace(now=tick))
    return moment


# --- who is here ---------------------------------------------------------------------------------------------


def test_people_are_ticked_and_new_names_are_added(host: Visitor) -> None:
    host.come("Emma", "Anne")
    assert here(host) == ["Anne", "Emma"]
    assert list(ids(host)) == ["Anne", "Bruno", "Chloé", "David", "Emma"]
    host.leave("Emma")
    assert here(host) == ["Anne"]
    assert "Emma" in ids(host)


def test_two_phones_tick_at_once_and_neither_takes_back_what_the_other_did(app: Flask, host: Visitor) -> None:
    host.come("Anne")
    other = Visitor(app).join(host.link("score"))
    first, second = fields(page(host)), fields(page(other))
    known = ids(host)
    first["here"] = [known["Anne"], known["Bruno"]]
    second["here"] = [known["Chloé"]]
    post(host, first)
    post(other, second)
    assert here(host) == ["Bruno", "Chloé"]
    post(host, first)  # sent again: Anne's box was ticked on it from the beginning
    assert here(host) == ["Bruno", "Chloé"]


def test_after_five_in_the_morning_the_list_is_that_of_a_new_evening(
    app: Flask, host: Visitor, clock: list[datetime]
) -> None:
    host.come("Anne", "Bruno")
    data = fields(page(host))
    clock[0] += timedelta(days=1)
    assert here(host) == []
    data["here"] = [*data["here"], ids(host)["Chloé"]]
    post(host, data)  # from the page of the evening before
    assert here(host) == ["Anne", "Bruno", "Chloé"]
    with app.app_context():
        assert len({row.day for row in db.session.query(Presence)}) == 1


def test_who_was_erased_is_gone_and_who_was_merged_or_retired_can_leave(app: Flask, host: Visitor) -> None:
    host.come(*SIX)
    with app.app_context():
        player = {player.name: player for player in db.session.query(Player)}
        assert writing.merge(player["Emma"], player["Fanny"]) is None
        assert writing.set_retired(player["Anne"], True) is None
        assert erasure.erase(player["Bruno"]) is None
    assert here(host) == ["Anne", "Chloé", "David", "Fanny"]
    host.leave("Fanny")  # and so Emma
    assert here(host) == ["Anne", "Chloé", "David"]
    host.leave("Anne")
    assert "Anne" not in ids(page(host))
    with app.app_context():
        assert verify().faults == []


def test_a_name_that_is_too_long_is_refused_and_what_was_ticked_stays(host: Visitor) -> None:
    anne = ids(page(host))["Anne"]
    host.send({"here": anne, "name": "x" * (MAX_NAME_LENGTH + 1)}, "/tonight")
    assert host.status == 422
    assert host.problems() == [f"This name is too long. Use at most {MAX_NAME_LENGTH} characters."]
    assert host.here == [anne]
    assert here(host) == []


# --- who plays next ------------------------------------------------------------------------------------------


def test_over_five_tables_everybody_sits_out_once(app: Flask, clock: list[datetime]) -> None:
    host = Visitor(app).open_table("whist")
    clock[0] += timedelta(days=1)
    host.come(*SIX[:5])
    out = []
    for _ in range(5):
        out += lists(page(host, "?game=whist"))[1]
        seat(host)
        assert host.record(tricks="ns-5").status == 200
    assert out == ["Emma", "David", "Chloé", "Bruno", "Anne"]
    assert lists(page(host))[1] == ["Emma"]
    assert host.text.count("played 4 times · sat out 1 time") == 5


def test_the_game_and_new_partners_stay_chosen_when_somebody_comes(host: Visitor) -> None:
    host.come(*SIX[:4])
    page(host, "?game=joffre&partners=yes").send({"name": "Emma"}, "/tonight")
    assert host.find("#game option[selected]")["value"] == "joffre"
    assert host.page.select("[name=partners][checked]")
    assert page(host, "?game=chess").find("#game option[selected]")["value"] == "whist"


def test_whoever_sits_at_a_table_without_a_deal_is_not_proposed(visitor: Visitor) -> None:
    names = [*SIX, "Gaston", "Hugo", "Inès"]
    visitor.open_table("whist").come(*names)
    assert lists(page(visitor))[0] == names[4:8]
    table = seat(visitor).path
    assert "Not enough people are free" in page(visitor).text
    visitor.visit(table).record(tricks="ns-5")
    assert len(lists(page(visitor))[0]) == 4


# --- seating them --------------------------------------------------------------------------------------------


def test_one_tap_opens_a_table_with_the_last_ones_house_rules(visitor: Visitor) -> None:
    visitor.open_table("whist", amount="0.40", currency="CHF")
    visitor.visit(f"{visitor.table}deals/terms").send({"rule-robre_points": "4", "amount": "0.50"})
    visitor.come(*SIX[:5])
    seat(page(visitor))
    sheet = visitor.export()
    assert sheet["players"] == ["Anne", "Bruno", "Chloé", "Emma"]
    assert sheet["dealer"] == "Anne"
    assert sheet["value"] == {"currency": "CHF", "unit": "fiche", "amount": "0.50"}
    assert sheet["house_rules"] == {"robre_points": 4}


@pytest.mark.parametrize("field", ["game", "turns", "people"])
def test_nothing_is_opened_for_what_the_page_does_not_offer(app: Flask, host: Visitor, field: str) -> None:
    host.come(*SIX[:4])
    data = fields(page(host, "?game=whist"), "/seat")
    assert post(host, data | {field: "invented"}, "tonight/seat").status == 400
    assert tables(app) == 1


def test_seat_them_sent_twice_opens_one_table_and_changed_none(app: Flask, host: Visitor) -> None:
    host.come(*SIX[:5])
    data = fields(page(host, "?game=whist"), "/seat")
    path = post(host, data, "tonight/seat").path
    assert post(host, data, "tonight/seat").path == path
    assert tables(app) == 2
    changed = data | {"people": data["people"][::-1]}
    assert post(host, changed, "tonight/seat").status == 409
    assert "already" in host.text
    assert tables(app) == 2
    host.leave("Anne")
    assert post(host, data, "tonight/seat").path == path  # it is open, no matter who has left since


def test_who_may_only_watch_sees_who_plays_and_changes_nothing(app: Flask, host: Visitor) -> None:
    host.come(*SIX[:5])
    data = fields(page(host, "?game=whist"), "/seat")
    watcher = Visitor(app).join(host.link("watch"))
    assert lists(page(watcher, "?game=whist"))[1] == ["David"]
    assert not watcher.page.select("form[method=post][action*='/tonight']")
    data["csrf_token"] = watcher.find("[name=csrf_token]")["value"]
    assert post(watcher, data, "tonight/seat").status == 403
    assert post(watcher, {"csrf_token": data["csrf_token"], "was_here": "1"}).status == 403
    assert len(here(host)) == 5
