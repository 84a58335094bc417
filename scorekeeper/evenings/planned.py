"""Evenings to come: when and where, who comes, and the calendars that phones follow.

A calendar's secret address belongs to the phone that made it, and opens as long as the phone has access to the
circle. It shows all evenings of the circle, or those to which the phone's owner comes, or perhaps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import chain
from typing import NamedTuple

from sqlalchemy import Select, delete, select
from sqlalchemy.orm import undefer

from .. import limits
from ..circles.phones import seal
from ..db.outcome import Done, Stale, make_seen
from ..db.transactions import get_id, writing_to_circle
from ..models import (
    SCORE,
    WATCH,
    CalendarFeed,
    Circle,
    EveningAnswer,
    Membership,
    PlannedEvening,
    Player,
    db,
    hash_secret,
    may,
    new_secret,
)
from ..people.names import Meanings, find_or_build_person
from ..people.reading import list_newcomers, read_owner, read_persons
from ..people.writing import claim
from ..scoring.problems import Problem, Refusal, refuse
from ..site.occasions import notify
from ..site.time_zones import find_today, now, utc_moment
from .calendars import CANCELLED, CONFIRMED, TENTATIVE, CalendarEntry

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

NOTICE = "evening"  # the kind of notices of evenings to come
AHEAD = timedelta(days=limits.MAX_DAYS_AHEAD)
KEPT = timedelta(days=60)  # after an evening, until it is forgotten
_TIME = re.compile(r"([01]?\d|2[0-3])(?:[:.h]([0-5]\d)|h)", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class EveningPlan:
    """An evening as it was typed, with the day in ISO format and the time as 19:30; `repeats` is "" for once."""

    day: str = ""
    begins: str = ""
    place: str = ""
    repeats: str = ""

    def problems(self, today: date, current: EveningPlan | None = None) -> Iterator[Problem]:
        known = current or EveningPlan()
        day = limits.parse_day(self.day)
        if not self.day:
            yield Problem("day", "day-missing")
        elif day is None:
            yield Problem("day", "date", {"found": self.day[: limits.MAX_PLACE_LENGTH]})
        elif self.day != known.day and (key := "past-day" if day < today else limits.find_day_problem(day, today)):
            yield Problem("day", key)
        if not self.begins:
            yield Problem("begins", "time-missing")
        elif not _TIME.fullmatch(self.begins):
            yield Problem("begins", "time", {"found": self.begins[: limits.MAX_PLACE_LENGTH]})
        if not self.place:
            yield Problem("place", "place-missing")
        elif len(self.place) > limits.MAX_PLACE_LENGTH and self.place != known.place:
            yield Problem("place", "long-text", {"most": limits.MAX_PLACE_LENGTH})
        if self.repeats and self.repeats not in REPEATS:
            yield Problem("repeats", "not-among-choices")


def normalize_time(text: str) -> str:
    """Return 19.30 and 19h30 as 19:30; what is no time, as it is."""
    found = _TIME.fullmatch(text)
    return f"{found[1]:0>2}:{found[2] or '00'}" if found else text


class Meeting(NamedTuple):
    evening: PlannedEvening
    day: date

    @property
    def is_cancelled(self) -> bool:
        return self.day.isoformat() in self.evening.skipped

    @property
    def key(self) -> tuple[int, date]:
        return self.evening.id, self.day


def find(circle: Circle, token: str) -> PlannedEvening | None:
    return db.session.scalar(_of_circle(circle).where(PlannedEvening.token == token))


def find_meeting(circle: Circle, token: str, day: str) -> Meeting | None:
    """Return the meeting on this day, in ISO format, of the evening with this token, if it is still to come."""
    evening, parsed = find(circle, token), limits.parse_day(day)
    return _find_meeting_on(circle, evening, parsed) if evening is not None and parsed is not None else None


def _find_meeting_on(circle: Circle, evening: PlannedEvening, day: date) -> Meeting | None:
    """Return the meeting of an evening on a day, if it is still to come."""
    today = find_today(circle.time_zone)
    return next(iter(list_meetings_of(evening, max(day, today), min(day, today + AHEAD))), None)


def _of_circle(circle: Circle) -> Select[PlannedEvening]:
    return select(PlannedEvening).where(PlannedEvening.circle_id == circle.id).order_by(PlannedEvening.id)


def list_meetings(
    circle: Circle, most: int, behind: timedelta = timedelta(), ahead: timedelta = AHEAD
) -> list[Meeting]:
    """List the meetings from `behind` before today to `ahead` after it; of each evening, at most `most`."""
    today = find_today(circle.time_zone)
    evenings = db.session.scalars(_of_circle(circle)).all()
    by_evening = (list_meetings_of(evening, today - behind, today + ahead)[:most] for evening in evenings)
    found = chain.from_iterable(by_evening)
    return sorted(found, key=lambda meeting: (meeting.day, meeting.evening.begins, meeting.evening.id))


def list_meetings_of(evening: PlannedEvening, since: date, until: date) -> list[Meeting]:
    """List the days of a planned evening, also those that are cancelled."""
    return [Meeting(evening, day) for day in list_days(evening.day, evening.repeats, since, until)]


def read_plan(evening: PlannedEvening, today: date) -> EveningPlan:
    day = next(iter(list_days(evening.day, evening.repeats, today, today + AHEAD)), evening.day)
    return EveningPlan(day.isoformat(), evening.begins, evening.place, evening.repeats)


# --- planning, changing and cancelling. Each raises RowDeletedError, AccessRevokedError or RightRevokedError if the
# circle is no longer there, or the phone's access or right has ended meanwhile


def plan(circle: Circle, wanted: EveningPlan, key: str, by: Membership) -> Done[str] | Stale[str] | Refusal:
    """Plan an evening and return its token. A form sent twice, or the same plan twice, makes one evening."""
    with writing_to_circle(get_id(circle), membership=by, right=SCORE) as circle:
        today = find_today(circle.time_zone)
        evenings = db.session.scalars(_of_circle(circle)).all()
        earlier = next((evening for evening in evenings if evening.entry_key == key), None)
        if earlier is not None and read_plan(earlier, today) != wanted:
            return Stale(earlier.token)
        for evening in evenings:
            if read_plan(evening, today) == wanted:
                return Done(evening.token)  # planned by another phone: two evenings would split the answers
        problems = [*wanted.problems(today)]
        if len(list_meetings(circle, 1)) >= limits.MAX_PLANNED_EVENINGS:
            problems.append(Problem("day", "too-many-planned", {"most": limits.MAX_PLANNED_EVENINGS}))
        if problems:
            return refuse(problems)
        _forget_before(circle, today - KEPT)
        evening = PlannedEvening(circle_id=circle.id, skipped=[], entry_key=key, changed_at=now())
        _apply(evening, wanted)
        db.session.add(evening)
        db.session.flush()
        _notify(evening, evening.day, get_id(by))
        return Done(evening.token)


def _notify(evening: PlannedEvening, day: date, membership_id: int) -> None:
    notify(NOTICE, evening.circle_id, (evening.token, day.isoformat()), membership_id)


def _mark_changed(evening: PlannedEvening, day: date, membership_id: int) -> None:
    evening.changes, evening.changed_at = evening.changes + 1, now()
    _notify(evening, day, membership_id)


def _forget_before(circle: Circle, day: date) -> None:
    is_over = PlannedEvening.day < day, PlannedEvening.repeats == ""
    db.session.execute(delete(EveningAnswer).where(EveningAnswer.circle_id == circle.id, EveningAnswer.day < day))
    db.session.execute(delete(PlannedEvening).where(PlannedEvening.circle_id == circle.id, *is_over))


def _apply(evening: PlannedEvening, wanted: EveningPlan) -> None:
    evening.day, evening.begins = date.fromisoformat(wanted.day), wanted.begins
    evening.place, evening.repeats = wanted.place, wanted.repeats


def find_seen(evening: PlannedEvening) -> str:
    return make_seen(evening.changes, evening.changed_at)


def change(
    evening: PlannedEvening, wanted: EveningPlan, seen: str, by: Membership
) -> Done[None] | Stale[None] | Refusal:
    """Change an evening if it is still as the page has shown it. Answers for days that it no longer has are deleted."""
    with writing_to_circle(evening.circle_id, membership=by, right=SCORE) as circle:
        today, first = find_today(circle.time_zone), evening.day
        current = read_plan(evening, today)
        if wanted == current:
            return Done(None)
        if seen != find_seen(evening):
            return Stale(None)
        if problems := [*wanted.problems(today, current)]:
            return refuse(problems)
        _apply(evening, wanted)
        if (wanted.day, wanted.repeats) == (current.day, current.repeats):
            evening.day = first
        else:
            _forget_other_days(evening, today)
        _mark_changed(evening, date.fromisoformat(wanted.day), get_id(by))
        return Done(None)


def _forget_other_days(evening: PlannedEvening, today: date) -> None:
    """Delete answers and cancellations for coming days that an evening no longer has."""
    days = list_days(evening.day, evening.repeats, today, today + AHEAD)
    conditions = (EveningAnswer.day >= today, EveningAnswer.day.not_in(days))
    db.session.execute(delete(EveningAnswer).where(EveningAnswer.evening_id == evening.id, *conditions))
    evening.skipped = [day for day in evening.skipped if date.fromisoformat(day) in days]


def cancel(
    evening: PlannedEvening, day: date, is_cancelled: bool, seen: str, by: Membership
) -> Done[None] | Stale[None]:
    """Cancel one day of an evening that is still as the page has shown it, or have it take place after all."""
    with writing_to_circle(evening.circle_id, membership=by, right=SCORE) as circle:
        meeting = _find_meeting_on(circle, evening, day)
        if meeting is not None and meeting.is_cancelled == is_cancelled:
            return Done(None)
        if meeting is None or seen != find_seen(evening):
            return Stale(None)
        evening.skipped = sorted({*evening.skipped} ^ {day.isoformat()})
        _mark_changed(evening, day, get_id(by))
        return Done(None)


# --- who comes ---------------------------------------------------------------------------------------------

YES, PERHAPS, NO = "yes", "perhaps", "no"
ANSWERS = (YES, PERHAPS, NO)


@dataclass(frozen=True)
class Coming:
    """The answers for one day, by the id of the person, in the order in which they came."""

    by_person: Mapping[int, EveningAnswer]

    def list_people(self, answer: str) -> list[int]:
        return [id_ for id_, row in self.by_person.items() if row.answer == answer]

    def count(self, answer: str = YES) -> int:
        return sum(1 + row.guests for row in self.by_person.values() if row.answer == answer)


def read_coming(circle: Circle, meetings: Iterable[Meeting]) -> dict[tuple[int, date], Coming]:
    """Return the answers for meetings, by the meeting's key. After a merge, a person's last answer counts."""
    found: dict[tuple[int, date], dict[int, EveningAnswer]] = {meeting.key: {} for meeting in meetings}
    evenings, days = {id_ for id_, _ in found}, {day for _, day in found}
    query = select(EveningAnswer).where(EveningAnswer.circle_id == circle.id, EveningAnswer.evening_id.in_(evenings))
    query = query.where(EveningAnswer.day.in_(days)).order_by(EveningAnswer.at, EveningAnswer.player_id)
    rows = db.session.scalars(query).all() if found else []
    persons = read_persons(circle) if rows else {}
    for row in rows:
        found.get((row.evening_id, row.day), {})[persons[row.player_id].id] = row
    return {key: Coming(by_person) for key, by_person in found.items()}


def list_expected(circle: Circle) -> list[int]:
    """List the ids of the people who have said yes for today."""
    meetings = [meeting for meeting in list_meetings(circle, 1, ahead=timedelta()) if not meeting.is_cancelled]
    return [id_ for coming in read_coming(circle, meetings).values() for id_ in coming.list_people(YES)]


@dataclass(frozen=True)
class Reply:
    """An answer as it was sent: for the person with this name, or without a name, with this id.

    `guests` is None if it is no number. `is_own`: a phone that is nobody's yet is the player's own from now on.
    `meanings` says whom the name means, where the form has asked.
    """

    day: date
    seen: str = ""
    answer: str = ""
    guests: int | None = 0
    player_id: int | None = None
    name: str = ""
    is_own: bool = True
    meanings: Meanings = field(default_factory=dict)

    def problems(self) -> Iterator[Problem]:
        if self.answer not in ANSWERS:
            yield Problem("answer", "answer-missing")
        if self.guests is None or self.guests > limits.MAX_GUESTS:
            yield Problem("guests", "number-between", {"least": 0, "most": limits.MAX_GUESTS})
        if len(self.name) > limits.MAX_NAME_LENGTH:
            yield Problem("name", "long-name", {"most": limits.MAX_NAME_LENGTH})
        if not self.name and self.player_id is None:
            yield Problem("player", "who-answers")


def answer(evening: PlannedEvening, reply: Reply, by: Membership) -> Done[None] | Stale[None] | Refusal:
    """Record an answer, which replaces the person's earlier one. Nothing is recorded if the day has changed since."""
    with writing_to_circle(evening.circle_id, membership=by, right=WATCH) as circle:
        meeting = _find_meeting_on(circle, evening, reply.day)
        if meeting is None or meeting.is_cancelled or reply.seen != find_seen(evening):
            return Stale(None)
        if problems := [*reply.problems()]:
            return refuse(problems)
        person = find_or_build_person(circle, "player", reply.player_id, reply.name, reply.meanings)
        owner = find_owner(by)
        if isinstance(person, Problem):
            return refuse([person])
        is_own = owner is person if owner is not None else reply.is_own
        if problem := _find_problem(circle, meeting, person, is_own, may(by.right, SCORE)):
            return refuse([problem])
        db.session.add(person)
        db.session.flush()
        if is_own and not claim(by, person):  # never of somebody new, who has no phone
            return refuse([Problem("player", "has-a-phone", {"found": person.name})])
        row = EveningAnswer(circle_id=circle.id, evening_id=evening.id, day=meeting.day, player_id=person.id, at=now())
        row.answer, row.guests = reply.answer, (reply.guests or 0) if reply.answer != NO else 0
        db.session.merge(row)
        return Done(None)


def _find_problem(circle: Circle, meeting: Meeting, person: Player, is_own: bool, may_score: bool) -> Problem | None:
    """Return what forbids an answer of this person, who need not be stored yet."""
    if not is_own and not may_score:
        return Problem("player", "only-own-answer")
    if person.id is None and not may_score and len(list_newcomers(circle)) >= limits.MAX_NEWCOMERS:
        return Problem("name", "too-many-newcomers")
    answered = read_coming(circle, [meeting])[meeting.key].by_person
    if person.id not in answered and len(answered) >= limits.MAX_ANSWERS:
        return Problem("answer", "too-many-answers", {"most": limits.MAX_ANSWERS})
    return None


def find_owner(membership: Membership) -> Player | None:
    """Return the person whose phone it is, if that is known and their name is not erased."""
    owner = read_owner(membership)
    return owner if owner is not None and owner.erased_at is None else None


# --- calendars ---------------------------------------------------------------------------------------------

CALENDAR_BEHIND = timedelta(days=30)
CALENDAR_AHEAD = timedelta(days=366)
MAX_CALENDAR_DAYS = 60  # of one evening: more than weeks in that time


def list_feeds(membership: Membership) -> list[CalendarFeed]:
    return list(db.session.scalars(select(CalendarFeed).where(CalendarFeed.membership_id == membership.id)))


def renew_feed(membership: Membership, is_personal: bool, seen: str, device_secret: str) -> None:
    """Make the address of a calendar; an earlier one of this kind and phone opens no more.

    Nothing is done unless that is still the one with the hash `seen`, blank if there was none: a tap may come twice.
    """
    secret, membership_id = new_secret(), get_id(membership)
    sealed = seal(device_secret, secret)
    with writing_to_circle(membership.circle_id, membership=membership, right=WATCH) as circle:
        key = (membership_id, is_personal)
        feed = db.session.get(CalendarFeed, key, populate_existing=True)
        if (feed.secret_hash if feed is not None else "") != seen:
            return
        feed = feed or CalendarFeed(circle_id=circle.id, membership_id=membership_id, is_personal=is_personal)
        feed.secret_hash, feed.sealed_secret, feed.created_at = hash_secret(secret), sealed, now()
        db.session.add(feed)


def find_feed(circle_token: str, secret: str) -> tuple[CalendarFeed, Membership] | None:
    """Return the calendar with this secret in the circle, and whose it is; None without access."""
    is_of_membership = Membership.id == CalendarFeed.membership_id
    query = select(CalendarFeed, Membership).join(Membership, is_of_membership).join(Membership.circle)
    query = query.where(CalendarFeed.secret_hash == hash_secret(secret), Circle.token == circle_token)
    query = query.where(Membership.right.is_not(None)).options(undefer(Membership.right))
    return db.session.execute(query).one_or_none()


def list_entries(
    feed: CalendarFeed, membership: Membership, find_url: Callable[[Meeting], str]
) -> Iterator[CalendarEntry]:
    circle = membership.circle
    meetings = list_meetings(circle, MAX_CALENDAR_DAYS, CALENDAR_BEHIND, CALENDAR_AHEAD)
    coming = read_coming(circle, meetings if feed.is_personal else [])
    owner = read_owner(membership) if feed.is_personal else None
    for meeting in meetings:
        own = coming[meeting.key].by_person.get(owner.id) if owner is not None else None
        if not feed.is_personal or (own is not None and own.answer != NO):
            status = TENTATIVE if own is not None and own.answer == PERHAPS else CONFIRMED
            status = CANCELLED if meeting.is_cancelled else status
            evening, day = meeting
            # The first keeps its name if it is moved; those after it are named by their day.
            uid = evening.token if day == evening.day else f"{evening.token}-{day:%Y%m%d}"
            begins = utc_moment(datetime.combine(day, time.fromisoformat(evening.begins)), circle.time_zone)
            url = find_url(meeting)
            yield CalendarEntry(
                uid, begins, evening.place, url, status=status, changes=evening.changes, changed_at=evening.changed_at
            )
