"""The answers to an evening to come: yes, perhaps or no, and how many guests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from sqlalchemy import select

from ...db.clock import now
from ...limits import MAX_ANSWERS, MAX_GUESTS, MAX_NAME_LENGTH
from ...models import Browser, Circle, EveningAnswer, PlannedEvening, Player, db
from ...models.rights import SCORE, WATCH, may
from ...scoring.problems import Problem, Refusal, refuse
from ..circles.players import Meanings, find_or_build_players, read_owner, read_persons
from ..outcome import Done, Stale
from .evenings import Meeting, find_day, find_today, list_meetings, write_to_evening

YES, PERHAPS, NO = "yes", "perhaps", "no"
ANSWERS = (YES, PERHAPS, NO)


@dataclass(frozen=True)
class Coming:
    """The answers for one day, by the id of the person, in the order in which they came."""

    by_person: Mapping[int, EveningAnswer]

    def list_people(self, answer: str) -> list[int]:
        """List the ids of those who gave this answer."""
        return [id_ for id_, row in self.by_person.items() if row.answer == answer]

    def count(self, answer: str = YES) -> int:
        """Count those who gave this answer, and their guests."""
        return sum(1 + row.guests for row in self.by_person.values() if row.answer == answer)


def read_coming(circle: Circle, meetings: Iterable[Meeting]) -> dict[tuple[int, date], Coming]:
    """Return who comes on these days, by the key of the meeting. Of a person's answers the last one counts."""
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
    """List the ids of those who have said yes for today."""
    today = find_today(circle)
    meetings = [meeting for meeting in list_meetings(circle, 1) if meeting.day == today and not meeting.is_cancelled]
    return [id_ for coming in read_coming(circle, meetings).values() for id_ in coming.list_people(YES)]


@dataclass(frozen=True)
class Reply:
    """An answer as it is sent: for the player with this id, or under a cleaned name, which counts before it.

    `seen` is the mark of the day that the page has shown; `guests` is None if it is no number. `is_own`: it comes from
    the player's own phone, if nothing is known of whose that is. `meanings` are the answers to a question whom the name
    means.
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
        """Yield the problems that do not depend on who sends the answer."""
        if self.answer not in ANSWERS:
            yield Problem("answer", "answer-missing")
        if self.guests is None or self.guests > MAX_GUESTS:
            yield Problem("guests", "number-between", {"least": 0, "most": MAX_GUESTS})
        if len(self.name) > MAX_NAME_LENGTH:
            yield Problem("name", "long-name", {"most": MAX_NAME_LENGTH})
        if not self.name and self.player_id is None:
            yield Problem("player", "who-answers")


def answer(evening: PlannedEvening, reply: Reply, by: Browser) -> Done[None] | Stale[None] | Refusal:
    """Record an answer, which replaces the person's earlier one. Nothing is recorded if the day has changed since.

    A phone that may only watch answers for its owner.

    Raises:
        CircleErasedError: the circle, or the evening, is no longer there.
        AccessRevokedError: the browser's access ended meanwhile.
    """

    def work(circle: Circle, locked: PlannedEvening) -> Done[None] | Stale[None] | Refusal:
        meeting = find_day(circle, locked, reply.day)
        if meeting is None or meeting.is_cancelled or meeting.mark != reply.seen:
            return Stale(None)
        problems, persons = [*reply.problems()], read_persons(circle)
        owner = find_owner(by)
        person = _find_person(circle, reply, persons) if not problems else problems[0]
        if isinstance(person, Problem):
            return refuse(None, problems or [person])
        is_own = owner is person if owner is not None else reply.is_own
        if not is_own and not may(by.right, SCORE):
            return refuse(None, [Problem("player", "only-own-answer")])
        if _is_full(circle, meeting, person):
            return refuse(None, [Problem("answer", "too-many-answers", {"most": MAX_ANSWERS})])
        _store(circle, meeting, person, reply)
        if is_own:
            by.player_id = person.id
        return Done(None)

    return write_to_evening(evening, work, by, WATCH)


def find_owner(phone: Browser) -> Player | None:
    """Return the person whose phone it is, if that is known and their name is not erased."""
    owner = read_owner(phone)
    return owner if owner is not None and owner.erased_at is None else None


def _find_person(circle: Circle, reply: Reply, persons: Mapping[int, Player]) -> Player | Problem:
    """Return whose answer it is, a new Player under a new name; a Problem if there is no such person any more."""
    found = find_or_build_players(circle, [reply.name], reply.meanings) if reply.name else None
    if isinstance(found, Refusal):
        return found.first
    person = found[0] if found is not None else persons.get(reply.player_id or 0)
    if person is None or person.erased_at is not None:
        return Problem("player", "player-changed")
    return person


def _is_full(circle: Circle, meeting: Meeting, person: Player) -> bool:
    """Return whether so many others have answered that nobody else can."""
    by_person = read_coming(circle, [meeting])[meeting.key].by_person
    return person.id not in by_person and len(by_person) >= MAX_ANSWERS


def _store(circle: Circle, meeting: Meeting, person: Player, reply: Reply) -> None:
    db.session.add(person)
    db.session.flush()
    row = db.session.get(EveningAnswer, (*meeting.key, person.id, circle.id), populate_existing=True)
    if row is None:
        ids = {"circle_id": circle.id, "evening_id": meeting.evening.id, "player_id": person.id}
        row = EveningAnswer(**ids, day=meeting.day)
        db.session.add(row)
    row.answer, row.guests, row.at = reply.answer, (reply.guests or 0) if reply.answer != NO else 0, now()
