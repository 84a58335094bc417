"""Live updates of an event: for members, guests and who has a link; and what they are not told."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from scorekeeper.live.hub import HOLD, Stream
from scorekeeper.live.messages import EVENT, PLAN

from ...live.following import Follower
from ...statements import counted
from ...visitor import Visitor
from .hall import Hall


@pytest.fixture
def hall(app: Flask) -> Hall:
    return Hall(app)


def follow(visitor: Visitor, hall: Hall, kind: str, query: str = "") -> Follower:
    held: list[Stream] = []
    environ: dict[str, Any] = {HOLD: held.append}
    answer = visitor.client.get(f"{hall.path}/stream?kind={kind}{query}", environ_overrides=environ)
    assert answer.status_code == 200
    return Follower(held[0], answer.data)


def shared(hall: Hall) -> str:
    return "&shared=" + hall.link("watch").rpartition("/")[2]


# --- streams -------------------------------------------------------------------------------------------------


def test_who_follows_results_is_told_of_each_and_who_follows_the_plan_of_none(hall: Hall) -> None:
    hall.draw(1)
    guest = hall.phone()
    walls, phone = follow(hall.director, hall, EVENT), follow(guest, hall, PLAN)
    before = walls.numbers(EVENT)[-1], phone.numbers(PLAN)
    hall.enter_slip(1, 1, 7)
    hall.enter_slip(1, 2, 5)
    assert walls.numbers(EVENT) == [before[0], before[0] + 1, before[0] + 2]
    assert phone.numbers(PLAN) == before[1]
    hall.draw(2, start=False)
    assert phone.numbers(PLAN) == [*before[1], before[1][-1] + 1]
    assert walls.numbers(EVENT)[-1] == before[0] + 3
    assert walls.numbers(PLAN) == phone.numbers(EVENT) == []


@pytest.mark.parametrize("path", ["now", "stream", "wall/now", "wall"])
@pytest.mark.parametrize("query", ["", "?shared=", "?shared=WzEsMCwid2F0Y2giLG51bGxd.forged", "?shared=é"])
def test_a_stranger_learns_nothing(app: Flask, hall: Hall, path: str, query: str) -> None:
    assert Visitor(app).client.get(f"{hall.path}/{path}{query}").status_code == 404
    assert Visitor(app).client.get(f"/events/none/{path}{query}").status_code == 404


# --- polls ---------------------------------------------------------------------------------------------------


def test_a_poll_without_news_is_one_query(hall: Hall) -> None:
    guest = hall.phone()
    tag = guest.client.get(f"{hall.path}/now?kind=plan").headers["ETag"]
    for client in (guest.client, hall.director.client):
        with counted(hall.app) as made:
            answer = client.get(f"{hall.path}/now?kind=plan", headers={"If-None-Match": tag})
        assert (answer.status_code, len(made)) == (304, 1)


# --- two phones at a table -----------------------------------------------------------------------------------


def follow_table(phone: Visitor, hall: Hall, number: int) -> Follower:
    return follow(phone, hall, PLAN, f"&table={number}")


def test_phones_at_a_table_are_told_of_its_result_its_confirmation_and_its_pad_and_of_no_others(hall: Hall) -> None:
    hall.draw(1)
    first, second, other = hall.phone(1), hall.phone(1), hall.phone(2)
    streams = [follow_table(second, hall, 1), follow_table(other, hall, 2)]
    kinds = ["table-1", "table-2"]
    before = [stream.numbers(kind)[-1] for stream, kind in zip(streams, kinds, strict=True)]
    for action, fields in (("/pad", {}), ("/result", {"score-0": "7"}), ("/confirm", {"side": "0"})):
        mark = second.client.get(f"{hall.table(1)}/now").headers["ETag"].strip('"').partition(".")[2]
        first.visit(hall.table(1)).send(fields, action)
        assert first.status == 200
        assert streams[0].numbers("table-1")[-1] > int(mark)
    assert [number > before[0] for number in streams[0].numbers("table-1")] == [False, True, True, True]
    assert streams[1].numbers("table-2") == [before[1]]
    for stream, kind in zip(streams, kinds, strict=True):
        assert stream.numbers("table-2" if kind == "table-1" else "table-1") == []
    assert (
        int(str(second.visit(hall.table(1)).find("[data-table]")["data-mark"]).partition(".")[2])
        == streams[0].numbers("table-1")[-1]
    )
    hall.enter_slip(1, 2, 5)
    assert len(streams[1].numbers("table-2")) == 2
    hall.draw(2, start=False)
    assert len(streams[1].numbers(PLAN)) == 2
    assert (
        hall.director.client.get(f"{hall.path}/stream?table=1000", environ_overrides={HOLD: print}).status_code == 404
    )
