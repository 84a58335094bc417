"""Notices are found when they are sent: what is no longer so is not said."""

from __future__ import annotations

from scorekeeper.push.queue import TABLE
from scorekeeper.services.notices import KINDS
from scorekeeper.services.outcome import Done

from .club import Club
from .events.test_events import EIGHT, Drive


def test_everybody_is_told_their_seat_in_the_current_round_and_in_no_earlier_one(club: Club) -> None:
    drive = Drive(club)
    for number in (1, 2):
        assert isinstance(drive.draw(number), Done)
    find = KINDS[TABLE].find
    assert [*find(club.circle, drive.token, 1)] == []
    found = {notice.person_id: notice.seat for notice in find(club.circle, drive.token, 2)}
    assert len(found) == len(EIGHT)
    assert {seat.table for seat in found.values() if seat} == {1, 2}
