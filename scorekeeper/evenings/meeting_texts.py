"""What pages and notices show of a meeting: its address, when it is, and how many come."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import time
from typing import NamedTuple

from babel.dates import format_date, format_time
from flask import g, url_for

from ..models import Circle, PlannedEvening
from ..site.language import day_in_words, t
from .answers import Coming, read_coming
from .planned import MONTH, Meeting, find_week, list_meetings

SEATS = 4  # of a full table


def find_meeting_url(circle: Circle, meeting: Meeting, *, is_external: bool = False) -> str:
    token = meeting.evening.token
    return url_for(
        "planned.show", circle_token=circle.token, planned_token=token, day=meeting.day, _external=is_external
    )


def describe_meeting(meeting: Meeting) -> str:
    """Say when it begins: Friday 4 December, 19:30."""
    begins = format_time(time.fromisoformat(meeting.evening.begins), "short", locale=g.locale)
    return t("planned.when", day=day_in_words(meeting.day), time=begins)


def describe_repeats(evening: PlannedEvening) -> str:
    if not evening.repeats:
        return ""
    weekday = format_date(evening.day, "EEEE", locale=g.locale)
    week = f".{find_week(evening.day)}" if evening.repeats == MONTH else ""
    return t(f"planned.repeats.{evening.repeats}{week}", weekday=weekday)


def describe_coming(coming: Coming) -> str:
    """Say how many come, and how many are missing to fill the last table: 7 are coming. 1 more makes 2 tables."""
    people = coming.count()
    if not people:
        return t("planned.nobody")
    missing = -people % SEATS
    tables = t("planned.tables", count=(people + missing) // SEATS)
    more = t("planned.missing", count=missing, tables=tables) if missing else t("planned.full", tables=tables)
    return f"{t('planned.come', count=people)} {more}"


class MeetingCard(NamedTuple):
    url: str
    when: str
    place: str
    coming: str  # how many come, or that it is cancelled


def list_cards(circle: Circle, meetings: Sequence[Meeting]) -> list[MeetingCard]:
    return [
        MeetingCard(
            find_meeting_url(circle, meeting),
            describe_meeting(meeting),
            meeting.evening.place,
            t("planned.is-cancelled") if meeting.is_cancelled else describe_coming(coming),
        )
        for meeting, coming in read_coming(circle, meetings).items()
    ]


def find_next_card(circle: Circle) -> MeetingCard | None:
    to_come = [meeting for meeting in list_meetings(circle) if not meeting.is_cancelled]
    return next(iter(list_cards(circle, to_come[:1])), None)
