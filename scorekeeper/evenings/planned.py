"""Evenings to come: when and where they are, planned, changed and cancelled."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, time, timedelta
from itertools import chain
from typing import NamedTuple

from sqlalchemy import Select, delete, select

from .. import limits
from ..db.outcome import Done, Stale, make_seen
from ..db.transactions import get_id, writing_to_circle
from ..models import SCORE, Circle, EveningAnswer, Membership, PlannedEvening, db, now
from ..scoring.problems import Problem, Refusal, refuse
from ..site.occasions import notify
from ..site.time_zones import find_today

# --- the days of an evening that repeats -------------------------------------------------------------------

WEEK, FORTNIGHT, MONTH = "week", "fortnight", "month"
REPEATS = (WEEK, FORTNIGHT, MONTH)
LAST = 5  # stands for the last weekday of a month: not every month has a fifth one


def list_days(first: date, repeats: str, since: date, until: date) -> list[date]:
    """List the days from `since` to `until`, both included, of an evening that begins on `first`.

    Monthly evenings keep the weekday: each second Friday if `first` is a second one, each last one if it is a fifth.
    """
    since = max(first, since)
    steps = range((first - since).days % 7, (until - since).days + 1, 7)
    same_weekday = (since + timedelta(days) for days in steps)
    return [day for day in same_weekday if _takes_place(first, repeats, day)]


def _takes_place(first: date, repeats: str, day: date) -> bool:
    if repeats == MONTH:
        is_last = (day + timedelta(weeks=1)).month != day.month
        return is_last if find_week(first) == LAST else find_week(day) == find_week(first)
    if repeats == FORTNIGHT:
        return (day - first).days % 14 == 0
    return repeats == WEEK or day == first


def find_week(day: date) -> int:
    """Return which weekday of its month a day is: 1 for the first Friday, `LAST` for the fifth."""
    return (day.day - 1) // 7 + 1


# --- evenings ----------------------------------------------------------------------------------------------

EVENING_NOTICE = "evening"  # the kind of notices of evenings to come
AHEAD = timedelta(days=limits.MAX_DAYS_AHEAD)
KEPT = timedelta(days=60)  # after an evening, until it is forgotten
_TIME = re.compile(r"([01]?\d|2[0-3])(?:[:.h]([0-5]\d)|h)", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class EveningPlan:
    """When and where an evening is; `day` is the first still to come, `repeats` one of `REPEATS`, or "" for once."""

    day: date
    begins: time
    place: str
    repeats: str = ""


def parse_time(text: str) -> time | None:
    """Return the time that 19:30, 19.30, 19h30 or 19h is."""
    match = _TIME.fullmatch(text)
    return time(int(match[1]), int(match[2] or 0)) if match else None


class Meeting(NamedTuple):
    evening: PlannedEvening
    day: date

    @property
    def is_cancelled(self) -> bool:
        return self.day.isoformat() in self.evening.skipped


def find(circle: Circle, token: str) -> PlannedEvening | None:
    return db.session.scalar(_select_evenings(circle).where(PlannedEvening.token == token))


def find_meeting(circle: Circle, token: str, day: str) -> Meeting | None:
    """Return the meeting on this day, in ISO format, of the evening with this token, if it is still to come."""
    evening = find(circle, token)
    parsed = limits.parse_day(day)
    return find_meeting_on(circle, evening, parsed) if evening is not None and parsed is not None else None


def find_meeting_on(circle: Circle, evening: PlannedEvening, day: date) -> Meeting | None:
    """Return the meeting of an evening on a day, if it is still to come."""
    today = find_today(circle.time_zone)
    is_to_come = today <= day <= today + AHEAD
    meetings = list_meetings_of(evening, day, day)
    return meetings[0] if meetings and is_to_come else None


def _select_evenings(circle: Circle) -> Select[PlannedEvening]:
    return select(PlannedEvening).where(PlannedEvening.circle_id == circle.id).order_by(PlannedEvening.id)


def list_meetings(
    circle: Circle, most: int | None = None, behind: timedelta = timedelta(), ahead: timedelta = AHEAD
) -> list[Meeting]:
    """List the meetings from `behind` before today to `ahead` after it; of each evening, the first `most`."""
    today = find_today(circle.time_zone)
    evenings = db.session.scalars(_select_evenings(circle)).all()
    by_evening = (list_meetings_of(evening, today - behind, today + ahead)[:most] for evening in evenings)
    meetings = chain.from_iterable(by_evening)
    return sorted(meetings, key=lambda meeting: (meeting.day, meeting.evening.begins, meeting.evening.id))


def list_meetings_of(evening: PlannedEvening, since: date, until: date) -> list[Meeting]:
    """List the days of a planned evening, also those that are cancelled."""
    return [Meeting(evening, day) for day in list_days(evening.day, evening.repeats, since, until)]


def read_plan(evening: PlannedEvening, today: date) -> EveningPlan:
    day = next(iter(list_days(evening.day, evening.repeats, today, today + AHEAD)), evening.day)
    return EveningPlan(day, time.fromisoformat(evening.begins), evening.place, evening.repeats)


# --- planning, changing and cancelling. Each raises RowDeletedError, AccessRevokedError or RightRevokedError if the
# circle is no longer there, or the phone's access or right has ended meanwhile


def plan(circle: Circle, wanted: EveningPlan, key: str, by: Membership) -> Done[str] | Stale[str] | Refusal:
    """Plan an evening and return its token. A form sent twice, or the same plan twice, makes one evening."""
    with writing_to_circle(get_id(circle), membership=by, right=SCORE) as circle:
        today = find_today(circle.time_zone)
        evenings = db.session.scalars(_select_evenings(circle)).all()
        earlier = next((evening for evening in evenings if evening.entry_key == key), None)
        if earlier is not None and read_plan(earlier, today) != wanted:
            return Stale(earlier.token)
        for evening in evenings:
            if read_plan(evening, today) == wanted:
                return Done(evening.token)  # planned by another phone: two evenings would split the answers
        if len(list_meetings(circle, 1)) >= limits.MAX_PLANNED_EVENINGS:
            return refuse([Problem("day", "too-many-planned", {"most": limits.MAX_PLANNED_EVENINGS})])
        _forget_before(circle, today - KEPT)
        evening = PlannedEvening(
            circle_id=circle.id,
            day=wanted.day,
            begins=_format_time(wanted.begins),
            place=wanted.place,
            repeats=wanted.repeats,
            skipped=[],
            changed_at=now(),
            entry_key=key,
        )
        db.session.add(evening)
        db.session.flush()
        _notify(evening, evening.day, get_id(by))
        return Done(evening.token)


def _format_time(moment: time) -> str:
    return f"{moment:%H:%M}"


def _notify(evening: PlannedEvening, day: date, membership_id: int) -> None:
    notify(EVENING_NOTICE, evening.circle_id, (evening.token, day.isoformat()), membership_id)


def _mark_changed(evening: PlannedEvening, day: date, membership_id: int) -> None:
    evening.changes += 1
    evening.changed_at = now()
    _notify(evening, day, membership_id)


def _forget_before(circle: Circle, day: date) -> None:
    db.session.execute(delete(EveningAnswer).where(EveningAnswer.circle_id == circle.id, EveningAnswer.day < day))
    of_circle = delete(PlannedEvening).where(PlannedEvening.circle_id == circle.id)
    db.session.execute(of_circle.where(PlannedEvening.day < day, PlannedEvening.repeats == ""))


def build_seen(evening: PlannedEvening) -> str:
    return make_seen(evening.changes, evening.changed_at)


def change(evening: PlannedEvening, wanted: EveningPlan, seen: str, by: Membership) -> Done[None] | Stale[None]:
    """Change an evening if it is still as the page has shown it. Answers for days that it no longer has are deleted."""
    with writing_to_circle(evening.circle_id, membership=by, right=SCORE) as circle:
        today = find_today(circle.time_zone)
        current = read_plan(evening, today)
        if wanted == current:
            return Done(None)
        if seen != build_seen(evening):
            return Stale(None)
        evening.begins = _format_time(wanted.begins)
        evening.place = wanted.place
        if (wanted.day, wanted.repeats) != (current.day, current.repeats):
            evening.day = wanted.day
            evening.repeats = wanted.repeats
            _forget_other_days(evening, today)
        _mark_changed(evening, wanted.day, get_id(by))
        return Done(None)


def _forget_other_days(evening: PlannedEvening, today: date) -> None:
    """Delete answers and cancellations for coming days that an evening no longer has."""
    days = list_days(evening.day, evening.repeats, today, today + AHEAD)
    of_evening = delete(EveningAnswer).where(EveningAnswer.evening_id == evening.id)
    db.session.execute(of_evening.where(EveningAnswer.day >= today, EveningAnswer.day.not_in(days)))
    evening.skipped = [day for day in evening.skipped if date.fromisoformat(day) in days]


def cancel(
    evening: PlannedEvening, day: date, is_cancelled: bool, seen: str, by: Membership
) -> Done[None] | Stale[None]:
    """Cancel one day of an evening that is still as the page has shown it, or have it take place after all."""
    with writing_to_circle(evening.circle_id, membership=by, right=SCORE) as circle:
        meeting = find_meeting_on(circle, evening, day)
        if meeting is not None and meeting.is_cancelled == is_cancelled:
            return Done(None)
        if meeting is None or seen != build_seen(evening):
            return Stale(None)
        evening.skipped = sorted({*evening.skipped} ^ {day.isoformat()})
        _mark_changed(evening, day, get_id(by))
        return Done(None)
