"""Evenings to come: planning one, changing it, cancelling one of its days, and the days on which they take place."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, replace
from datetime import date, timedelta
from typing import NamedTuple, TypeVar

from sqlalchemy import Select, delete, select

from ...db.clock import now
from ...db.transactions import CircleErasedError, get_id, write_to_circle
from ...limits import MAX_DAYS_AHEAD, MAX_PLACE, MAX_PLANNED, find_day_problem
from ...models import Browser, Circle, EveningAnswer, PlannedEvening, db
from ...models.rights import SCORE
from ...push.queue import EVENING, Occasion, notify
from ...repeating import REPEATS, list_days
from ...scoring.problems import Problem, Refusal, refuse
from ...time_zones import find_evening
from ..outcome import Conflict, Done, Stale

AHEAD = timedelta(days=MAX_DAYS_AHEAD)
KEPT = timedelta(days=60)  # after an evening, until it is forgotten
_TIME = re.compile(r"([01]?\d|2[0-3])(?:[:.h]([0-5]\d)|h)", re.ASCII | re.IGNORECASE)

T = TypeVar("T")


@dataclass(frozen=True)
class EveningPlan:
    """An evening as it is typed: the day in ISO format, the time as 19:30; `repeats` is blank if it does not."""

    day: str = ""
    begins: str = ""
    place: str = ""
    repeats: str = ""

    @property
    def mark(self) -> str:
        """A short hash, by which a page says which plan it has shown."""
        return hashlib.sha256(json.dumps(astuple(self)).encode()).hexdigest()[:16]

    def normalized(self) -> EveningPlan:
        """Return the plan with its time as it is shown: people also write 19.30 and 19h30."""
        found = _TIME.fullmatch(self.begins)
        return replace(self, begins=f"{found[1]:0>2}:{found[2] or '00'}") if found else self

    def problems(self, today: date, current: EveningPlan | None = None) -> Iterator[Problem]:
        """Yield what is wrong. What `current` has already is not checked again."""
        known = current or EveningPlan()
        day = _parse(self.day)
        if day is None:
            yield Problem("day", "date", {"found": self.day[:MAX_PLACE]}) if self.day else Problem("day", "day-missing")
        elif self.day != known.day and (key := "past-day" if day < today else find_day_problem(day, today)):
            yield Problem("day", key)
        if not self.begins:
            yield Problem("begins", "time-missing")
        elif not _TIME.fullmatch(self.begins):
            yield Problem("begins", "time", {"found": self.begins[:MAX_PLACE]})
        if not self.place:
            yield Problem("place", "place-missing")
        elif len(self.place) > MAX_PLACE and self.place != known.place:
            yield Problem("place", "long-text", {"most": MAX_PLACE})
        if self.repeats and self.repeats not in REPEATS:
            yield Problem("repeats", "not-among-choices")


def _parse(day: str) -> date | None:
    try:
        return date.fromisoformat(day)
    except ValueError:
        return None


class Meeting(NamedTuple):
    """One day of a planned evening; `is_cancelled`: it has been cancelled."""

    evening: PlannedEvening
    day: date
    is_cancelled: bool

    @property
    def key(self) -> tuple[int, date]:
        """The id of the evening, and the day."""
        return self.evening.id, self.day

    @property
    def mark(self) -> str:
        """A short hash, by which a page says what somebody has answered to."""
        return EveningPlan(self.day.isoformat(), f"{self.evening.begins} {self.is_cancelled}", self.evening.place).mark


# --- reading -----------------------------------------------------------------------------------------------


def find_today(circle: Circle) -> date:
    """Return the circle's evening of now: what is on it or after is still to come."""
    return find_evening(now(), circle.time_zone)


def find(circle: Circle, token: str) -> PlannedEvening | None:
    """Return the circle's planned evening with this token."""
    return db.session.scalar(_of_circle(circle).where(PlannedEvening.token == token))


def find_meeting(circle: Circle, token: str, day: str) -> Meeting | None:
    """Return the day, in ISO format, of the evening with this token, if it is still to come."""
    evening, parsed = find(circle, token), _parse(day)
    return find_day(circle, evening, parsed) if evening is not None and parsed is not None else None


def find_day(circle: Circle, evening: PlannedEvening, day: date) -> Meeting | None:
    """Return this day of an evening, if it is one that is still to come."""
    today = find_today(circle)
    return next(iter(meet(evening, max(day, today), min(day, today + AHEAD))), None)


def _of_circle(circle: Circle) -> Select[PlannedEvening]:
    return select(PlannedEvening).where(PlannedEvening.circle_id == circle.id).order_by(PlannedEvening.id)


def list_meetings(circle: Circle, most: int, behind: int = 0, ahead: timedelta = AHEAD) -> list[Meeting]:
    """List the days of the circle's evenings to come, and of so many days behind; of each evening at most `most`."""
    today = find_today(circle)
    evenings = db.session.scalars(_of_circle(circle)).all()
    found = [
        meeting for evening in evenings for meeting in meet(evening, today - timedelta(behind), today + ahead)[:most]
    ]
    return sorted(found, key=lambda meeting: (meeting.day, meeting.evening.begins, meeting.evening.id))


def meet(evening: PlannedEvening, since: date, until: date) -> list[Meeting]:
    """List the days of a planned evening, also those that are cancelled."""
    days = list_days(evening.day, evening.repeats, since, until)
    return [Meeting(evening, day, day.isoformat() in evening.skipped) for day in days]


def read_plan(evening: PlannedEvening, today: date) -> EveningPlan:
    """Return a planned evening as its form shows it, with the next day."""
    day = next(iter(list_days(evening.day, evening.repeats, today, today + AHEAD)), evening.day)
    return EveningPlan(day.isoformat(), evening.begins, evening.place, evening.repeats)


# --- writing -----------------------------------------------------------------------------------------------


def plan(circle: Circle, wanted: EveningPlan, key: str, by: Browser) -> Done[str] | Conflict[str] | Refusal:
    """Plan an evening; return its token. By the page's key, a form sent twice plans one; so do two with the same plan.

    Raises:
        CircleErasedError: there is no such circle any more.
        AccessRevokedError, RightRevokedError: the browser's access ended meanwhile, or its right.
    """
    browser_id = get_id(by)
    return write_to_circle(
        get_id(circle), lambda locked: _plan(locked, wanted.normalized(), key, browser_id), browser=by, right=SCORE
    )


def _plan(circle: Circle, wanted: EveningPlan, key: str, browser_id: int) -> Done[str] | Conflict[str] | Refusal:
    today = find_today(circle)
    earlier = db.session.scalar(_of_circle(circle).where(PlannedEvening.entry_key == key))
    if earlier is not None:
        return Done(earlier.token) if read_plan(earlier, today) == wanted else Conflict(earlier.token)
    for planned in db.session.scalars(_of_circle(circle)):
        if read_plan(planned, today) == wanted:
            return Done(planned.token)  # somebody else was quicker: answers would be split
    problems = [*wanted.problems(today)]
    if len(list_meetings(circle, 1)) >= MAX_PLANNED:
        problems.append(Problem("day", "too-many-planned", {"most": MAX_PLANNED}))
    if problems:
        return refuse(None, problems)
    _forget(circle, today - KEPT)
    evening = PlannedEvening(circle_id=circle.id, skipped=[], entry_key=key, changed_at=now())
    _apply(evening, wanted)
    db.session.add(evening)
    db.session.flush()
    _announce(evening, evening.day, browser_id)
    return Done(evening.token)


def _announce(evening: PlannedEvening, day: date, browser_id: int) -> None:
    notify(Occasion(EVENING, evening.circle_id, (evening.token, day.isoformat()), browser_id))


def _forget(circle: Circle, before: date) -> None:
    """Delete the answers and the evenings of days before this one."""
    old_answers = delete(EveningAnswer).where(EveningAnswer.circle_id == circle.id, EveningAnswer.day < before)
    is_old = (PlannedEvening.circle_id == circle.id, PlannedEvening.day < before, PlannedEvening.repeats == "")
    for statement in (old_answers, delete(PlannedEvening).where(*is_old)):
        db.session.execute(statement)


def _apply(evening: PlannedEvening, wanted: EveningPlan) -> None:
    evening.day, evening.begins = date.fromisoformat(wanted.day), wanted.begins
    evening.place, evening.repeats = wanted.place, wanted.repeats


def write_to_evening(
    evening: PlannedEvening, work: Callable[[Circle, PlannedEvening], T], by: Browser, right: str
) -> T:
    """Run `work` on the planned evening as it is now, with its circle's lock.

    Raises:
        CircleErasedError: the circle, or the evening, is no longer there.
        AccessRevokedError, RightRevokedError: the browser's access ended meanwhile, or its right.
    """
    id_ = get_id(evening)

    def work_on_it(circle: Circle) -> T:
        locked = db.session.get(PlannedEvening, (id_, circle.id), populate_existing=True)
        if locked is None:
            raise CircleErasedError
        return work(circle, locked)

    return write_to_circle(evening.circle_id, work_on_it, browser=by, right=right)


def change(
    evening: PlannedEvening, wanted: EveningPlan, seen: str, by: Browser
) -> Done[None] | Stale[EveningPlan] | Refusal:
    """Change an evening if it is still as the page has shown it. Who answered for another day is asked again."""
    wanted, browser_id = wanted.normalized(), get_id(by)

    def work(circle: Circle, locked: PlannedEvening) -> Done[None] | Stale[EveningPlan] | Refusal:
        today, first = find_today(circle), locked.day
        current = read_plan(locked, today)
        if wanted == current:
            return Done(None)
        if seen != current.mark:
            return Stale(current)
        if problems := [*wanted.problems(today, current)]:
            return refuse(None, problems)
        _apply(locked, wanted)
        if (wanted.day, wanted.repeats) == (current.day, current.repeats):
            locked.day = first
        else:
            _keep_days(locked, today)
        _count_change(locked)
        _announce(locked, date.fromisoformat(wanted.day), browser_id)
        return Done(None)

    return write_to_evening(evening, work, by, SCORE)


def _keep_days(evening: PlannedEvening, today: date) -> None:
    """Forget answers for days that are no longer among those to come, and that such days were cancelled."""
    days = [meeting.day for meeting in meet(evening, today, today + AHEAD)]
    of_evening = (EveningAnswer.circle_id == evening.circle_id, EveningAnswer.evening_id == evening.id)
    is_other = (EveningAnswer.day >= today, EveningAnswer.day.not_in(days))
    db.session.execute(delete(EveningAnswer).where(*of_evening, *is_other))
    evening.skipped = [day for day in evening.skipped if date.fromisoformat(day) in days]


def cancel(evening: PlannedEvening, day: date, is_cancelled: bool, seen: int, by: Browser) -> Done[None] | Stale[None]:
    """Cancel one day of an evening, or have it take place after all.

    `seen` is how often the evening had been changed when the page was shown.
    """
    browser_id = get_id(by)

    def work(circle: Circle, locked: PlannedEvening) -> Done[None] | Stale[None]:
        meeting = find_day(circle, locked, day)
        if meeting is not None and meeting.is_cancelled == is_cancelled:
            return Done(None)
        if meeting is None or locked.changes != seen:
            return Stale(None)
        locked.skipped = sorted({*locked.skipped} ^ {day.isoformat()})
        _count_change(locked)
        _announce(locked, day, browser_id)
        return Done(None)

    return write_to_evening(evening, work, by, SCORE)


def _count_change(evening: PlannedEvening) -> None:
    evening.changes, evening.changed_at = evening.changes + 1, now()
