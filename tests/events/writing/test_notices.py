"""Notices are found when they are sent: what is no longer so is not said."""

from __future__ import annotations

from flask import g

from scorekeeper.events.hooks import NEW_SEATS

from ..hall import EIGHT, Drive


def test_everybody_is_told_their_seat_in_the_current_round_and_in_no_earlier_one(drive: Drive) -> None:
    drive.play(2)
    g.language = "en_GB"
    assert [*NEW_SEATS.find(drive.event.circle, drive.token, 1)] == []
    found = {notice.person_id: notice.words() for notice in NEW_SEATS.find(drive.event.circle, drive.token, 2)}
    assert len(found) == len(EIGHT)
    assert {words["table"] for words in found.values()} == {1, 2}
