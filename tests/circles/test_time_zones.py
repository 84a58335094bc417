"""Evenings and times follow the circle's time zone, whatever the server's."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime
from types import SimpleNamespace

import pytest
from flask import Flask

from scorekeeper.models import Circle, base, db

from ..support.visitor import Visitor

VANCOUVER, KIRITIMATI = "America/Vancouver", "Pacific/Kiritimati"
EVENING = ("2025-11-22T03:00", "2025-11-22T06:05", "2025-11-22T12:30")  # 19:00, 22:05 and 4:30 in Vancouver
HOSTILE = ("Atlantis/Capital", "../../etc/passwd", "x" * 100_000, "<script>", "Ευρώπη")


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = datetime(2025, 11, 22, 3)
        monkeypatch.setattr(base, "datetime", SimpleNamespace(now=lambda zone: self.now.replace(tzinfo=zone)))


@pytest.fixture(autouse=True)
def server_in_london() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("TZ", "Europe/London")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def open_at(visitor: Visitor, clock: Clock, *moments: str, zone: str | None = VANCOUVER) -> Visitor:
    """Open a table at each of these times in UTC, on a phone in this zone; without scripts if it is None."""
    for moment in moments:
        clock.now = datetime.fromisoformat(moment)
        visitor.open_table("whist", **({} if zone is None else {"time_zone": zone}))
    return visitor


def more_path(visitor: Visitor) -> str:
    return f"{visitor.circle}more"


def move(visitor: Visitor, zone: str) -> Visitor:
    return visitor.visit(f"{visitor.circle}time-zone").send({"time_zone": zone})


def evenings(visitor: Visitor) -> dict[str, int]:
    visitor.visit(f"{visitor.circle}tables")
    return {
        str(section.select("h2 a")[0]["href"]).split("/")[-1]: len(section.select(".found"))
        for section in visitor.page.select(".evening")
    }


def test_an_evening_in_vancouver_stays_together_on_a_server_in_london(visitor: Visitor, clock: Clock) -> None:
    open_at(visitor, clock, *EVENING)
    assert evenings(visitor) == {"2025-11-21": 3}
    assert visitor.visit(f"{visitor.circle}evenings/2025-11-21").status == 200


def test_a_host_chooses_the_zone_from_a_list_and_evenings_to_come_are_in_it(visitor: Visitor, clock: Clock) -> None:
    open_at(visitor, clock, *EVENING, zone=None)
    assert evenings(visitor) == {"2025-11-22": 2, "2025-11-21": 1}
    visitor.visit(more_path(visitor)).follow("Time zone")
    assert visitor.page.select_one(f"#time-zone optgroup option[value='{VANCOUVER}']")
    visitor.send({"time_zone": VANCOUVER})
    assert visitor.path == more_path(visitor)
    assert "Time zone Vancouver" in visitor.text
    open_at(visitor, clock, EVENING[-1], zone=None)
    assert evenings(visitor) == {"2025-11-22": 2, "2025-11-21": 2}


@pytest.mark.parametrize("zone", HOSTILE)
def test_an_unknown_zone_is_refused_with_a_message(app: Flask, visitor: Visitor, zone: str) -> None:
    visitor.open_table("whist", time_zone=VANCOUVER)
    move(visitor, zone)
    assert (visitor.status, len(visitor.problems())) == (422, 1)
    assert "Choose one from the list" in visitor.problems()[0]
    with app.app_context():
        assert db.session.scalars(db.select(Circle.time_zone)).one() == VANCOUVER
