"""The answers to a planned evening: who is coming, perhaps or not, and with how many guests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from sqlalchemy import select

from .. import limits
from ..db.outcome import Done, Stale
from ..db.transactions import writing_to_circle
from ..models import SCORE, WATCH, Circle, EveningAnswer, Membership, PlannedEvening, Player, db, may, now
from ..people.names import Meanings, find_or_build_person
from ..people.reading import list_newcomers, read_owner, read_persons
from ..people.writing import claim
from ..scoring.problems import Problem, Refusal, refuse
from .planned import Meeting, build_seen, find_meeting_on, list_meetings

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


def read_coming(circle: Circle, meetings: Sequence[Meeting]) -> dict[Meeting, Coming]:
    """Return the answers for each meeting. After a merge, a person's last answer counts."""
    evenings = {meeting.evening.id for meeting in meetings}
    query = select(EveningAnswer).where(EveningAnswer.evening_id.in_(evenings))
    query = query.where(EveningAnswer.day.in_({meeting.day for meeting in meetings}))
    persons = read_persons(circle)
    rows: defaultdict[tuple[int, date], dict[int, EveningAnswer]] = defaultdict(dict)
    for row in db.session.scalars(query.order_by(EveningAnswer.at, EveningAnswer.player_id)):
        rows[row.evening_id, row.day][persons[row.player_id].id] = row
    return {meeting: Coming(rows[meeting.evening.id, meeting.day]) for meeting in meetings}


def list_expected(circle: Circle) -> list[int]:
    """List the ids of the people who have said yes for today."""
    meetings = [meeting for meeting in list_meetings(circle, 1, ahead=timedelta()) if not meeting.is_cancelled]
    return [id_ for coming in read_coming(circle, meetings).values() for id_ in coming.list_people(YES)]


@dataclass(frozen=True)
class Reply:
    """An answer as it was sent: for the person with this name, or without a name, with this id.

    `is_own`: a phone that is nobody's yet is the player's own from now on. `meanings` says whom the name means, where
    the form has asked.
    """

    day: date
    seen: str
    answer: str  # one of ANSWERS
    guests: int = 0
    player_id: int | None = None
    name: str = ""
    is_own: bool = True
    meanings: Meanings = field(default_factory=dict)


def answer(evening: PlannedEvening, reply: Reply, by: Membership) -> Done[None] | Stale[None] | Refusal:
    """Record an answer, which replaces the person's earlier one. Nothing is recorded if the day has changed since."""
    with writing_to_circle(evening.circle_id, membership=by, right=WATCH) as circle:
        meeting = find_meeting_on(circle, evening, reply.day)
        if meeting is None or meeting.is_cancelled or reply.seen != build_seen(evening):
            return Stale(None)
        person = find_or_build_person(circle, "who", reply.player_id, reply.name, reply.meanings)
        owner = find_owner(by)
        if isinstance(person, Problem):
            return refuse([person])
        is_own = owner is person if owner is not None else reply.is_own
        if problem := _find_problem(circle, meeting, person, is_own, may(by.right, SCORE)):
            return refuse([problem])
        db.session.add(person)
        db.session.flush()
        if is_own and not claim(by, person):  # never of somebody new, who has no phone
            return refuse([Problem("who", "has-a-phone", {"found": person.name})])
        row = EveningAnswer(circle_id=circle.id, evening_id=evening.id, day=meeting.day, player_id=person.id, at=now())
        row.answer = reply.answer
        row.guests = reply.guests if reply.answer != NO else 0
        db.session.merge(row)
        return Done(None)


def _find_problem(circle: Circle, meeting: Meeting, person: Player, is_own: bool, may_score: bool) -> Problem | None:
    """Return what forbids an answer of this person, who need not be stored yet."""
    if not is_own and not may_score:
        return Problem("who", "only-own-answer")
    if person.id is None and not may_score and len(list_newcomers(circle)) >= limits.MAX_NEWCOMERS:
        return Problem("name", "too-many-newcomers")
    answered = read_coming(circle, [meeting])[meeting].by_person
    if person.id not in answered and len(answered) >= limits.MAX_ANSWERS:
        return Problem("answer", "too-many-answers", {"most": limits.MAX_ANSWERS})
    return None


def find_owner(membership: Membership) -> Player | None:
    """Return the person whose phone it is, if that is known and their name is not erased."""
    owner = read_owner(membership)
    return owner if owner is not None and owner.erased_at is None else None
