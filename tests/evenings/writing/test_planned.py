"""Evenings to come through the services: planned once, changed under a key, answered, cancelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.circles import phones
from scorekeeper.circles.phones import list_memberships_of_device
from scorekeeper.db.outcome import Done, Stale
from scorekeeper.db.transactions import AccessRevokedError, RightRevokedError
from scorekeeper.evenings import answers, calendars, planned
from scorekeeper.evenings.answers import NO, YES, Coming, Reply
from scorekeeper.evenings.planned import (
    FORTNIGHT,
    LAST,
    MONTH,
    WEEK,
    EveningPlan,
    Meeting,
    find_week,
    list_days,
)
from scorekeeper.limits import MAX_NEWCOMERS
from scorekeeper.models import CalendarFeed, Membership, PlannedEvening, db
from scorekeeper.people import erasure
from scorekeeper.people.reading import list_newcomers, may_read_everything
from scorekeeper.people.writing import remove_newcomers, unmerge
from scorekeeper.scoring.problems import Refusal
from scorekeeper.site.time_zones import find_today

from ...support.club import Club

LATER = EveningPlan(date(2099, 1, 1), time(19), "Bar")


class Plans:
    """A circle of four, and what it plans."""

    def __init__(self, club: Club) -> None:
        self.club = club
        club.table()
        self.today = find_today(club.circle.time_zone)

    def plan(self, days: int = 7, key: str = "page", repeats: str = "") -> EveningPlan:
        wanted = EveningPlan(self.today + timedelta(days), time(19, 30), "Café", repeats)
        assert isinstance(planned.plan(self.club.circle, wanted, key, self.club.membership), Done)
        return wanted

    @property
    def evening(self) -> PlannedEvening:
        return db.session.scalars(db.select(PlannedEvening).order_by(PlannedEvening.id.desc()).limit(1)).one()

    def meeting(self) -> Meeting:
        return planned.list_meetings_of(self.evening, self.today, self.today + planned.AHEAD)[0]

    def coming(self) -> Coming:
        meeting = self.meeting()
        return answers.read_coming(self.club.circle, [meeting])[meeting]

    def reply(self, name: str = "Anne", said: str = YES, guests: int = 0, *, is_own: bool = False) -> Reply:
        meeting = self.meeting()
        seen, person = planned.build_seen(self.evening), self.club.player(name)
        return Reply(meeting.day, seen, said, guests, person.id, is_own=is_own)

    def say(self, reply: Reply, by: Membership | None = None) -> object:
        return answers.answer(self.evening, reply, by or self.club.membership)


@pytest.fixture
def plans(club: Club) -> Plans:
    return Plans(club)


# --- planning ----------------------------------------------------------------------------------------------


def test_another_date_asks_everybody_again_and_another_place_does_not(plans: Plans) -> None:
    wanted = plans.plan(repeats="week")
    plans.say(plans.reply())
    moved = replace(wanted, place="Bar")
    planned.change(plans.evening, moved, planned.build_seen(plans.evening), plans.club.membership)
    assert plans.coming().list_people(YES) == [plans.club.player("Anne").id]
    later = plans.today + timedelta(days=8)
    planned.change(plans.evening, replace(moved, day=later), planned.build_seen(plans.evening), plans.club.membership)
    planned.change(plans.evening, moved, planned.build_seen(plans.evening), plans.club.membership)
    assert plans.coming().list_people(YES) == []


# --- answering ---------------------------------------------------------------------------------------------


def test_an_answer_is_not_recorded_for_an_evening_that_has_changed_since(plans: Plans) -> None:
    wanted = plans.plan()
    reply = plans.reply()
    planned.change(
        plans.evening, replace(wanted, begins=time(15)), planned.build_seen(plans.evening), plans.club.membership
    )
    assert plans.say(reply) == Stale(None)
    reply = plans.reply()
    planned.cancel(plans.evening, plans.meeting().day, True, planned.build_seen(plans.evening), plans.club.membership)
    assert plans.say(reply) == Stale(None)
    assert plans.coming().by_person == {}


def test_answers_of_merged_people_are_one_and_erased_ones_none(plans: Plans) -> None:
    plans.plan()
    plans.say(plans.reply("Anne", YES, 1))
    plans.say(replace(plans.reply("Bruno", NO), name="Annie", player_id=None))
    plans.club.merge("Annie", "Anne")
    assert plans.coming().list_people(NO) == [plans.club.player("Anne").id]
    assert plans.coming().count(YES) == 0
    unmerge(plans.club.player("Annie"))
    assert plans.coming().count(YES) == 2
    erasure.erase(plans.club.player("Anne"))
    assert plans.coming().count(YES) == 0


def watcher(plans: Plans) -> Membership:
    return list_memberships_of_device(plans.club.join("watch"))[0]


def test_a_phone_that_may_only_watch_speaks_for_one_person(plans: Plans) -> None:
    plans.plan()
    phone, another = watcher(plans), watcher(plans)
    assert plans.say(plans.reply("Anne", YES, is_own=True), phone) == Done(None)
    for reply, by in (
        (plans.reply("Bruno", is_own=True), phone),
        (replace(plans.reply(is_own=True), name="Zoé"), phone),
        (plans.reply("Anne", NO, is_own=True), another),
    ):
        assert isinstance(plans.say(reply, by), Refusal)
    assert plans.coming().list_people(YES) == [plans.club.player("Anne").id]
    assert not may_read_everything(phone, plans.club.player("Anne"))
    assert plans.say(plans.reply("Anne", NO), phone) == Done(None)


def test_a_host_removes_the_few_people_whom_phones_that_may_only_watch_have_added(plans: Plans) -> None:
    plans.plan()

    def add(number: int) -> object:
        return plans.say(replace(plans.reply(is_own=True), name=f"Guest {number}", player_id=None), watcher(plans))

    assert [add(number) for number in range(MAX_NEWCOMERS)] == [Done(None)] * MAX_NEWCOMERS
    assert isinstance(add(MAX_NEWCOMERS), Refusal)
    added = list_newcomers(plans.club.circle)
    remove_newcomers(plans.club.circle, [added[0].token, plans.club.player("Bruno").token], plans.club.membership)
    assert [player.name for player in list_newcomers(plans.club.circle)] == [player.name for player in added[1:]]
    assert plans.club.player("Bruno")
    assert add(MAX_NEWCOMERS) == Done(None)


@pytest.mark.parametrize(
    "write",
    [
        lambda plans, by: planned.plan(plans.club.circle, LATER, "key", by),
        lambda plans, by: planned.change(plans.evening, LATER, "", by),
        lambda plans, by: planned.cancel(plans.evening, plans.meeting().day, True, "", by),
        lambda plans, by: answers.answer(plans.evening, plans.reply(is_own=True), by),
        lambda _plans, by: calendars.renew_feed(by, "", "device"),
    ],
)
def test_nothing_is_written_once_a_right_has_ended(plans: Plans, write: Callable[[Plans, Membership], object]) -> None:
    plans.plan()
    phone = list_memberships_of_device(plans.club.join("score"))[0]
    phones.revoke_membership(phone, plans.club.membership, plans.club.secret)
    with pytest.raises((AccessRevokedError, RightRevokedError)):
        write(plans, phone)
    assert (plans.evening.changes, plans.coming().by_person) == (0, {})
    assert db.session.query(CalendarFeed).count() == 0


# --- the days of evenings that repeat, checked against a calendar ------------------------------------------

FIRST, SINCE, UNTIL = date(2026, 12, 4), date(2026, 12, 1), date(2027, 2, 28)


@pytest.mark.parametrize(
    ("first", "repeats", "days"),
    [
        (FIRST, "", "2026-12-04"),
        (date(2026, 11, 27), "", ""),
        (FIRST, FORTNIGHT, "2026-12-04 2026-12-18 2027-01-01 2027-01-15 2027-01-29 2027-02-12 2027-02-26"),
        (date(2026, 11, 24), WEEK, " ".join(str(date(2026, 12, 1) + timedelta(weeks=n)) for n in range(13))),
        (date(2026, 9, 11), MONTH, "2026-12-11 2027-01-08 2027-02-12"),
        (date(2026, 7, 31), MONTH, "2026-12-25 2027-01-29 2027-02-26"),  # the fifth Friday: the last one
        (date(2027, 3, 5), MONTH, ""),
    ],
)
def test_an_evening_takes_place_on_the_days_that_a_calendar_shows(first: date, repeats: str, days: str) -> None:
    assert [day.isoformat() for day in list_days(first, repeats, SINCE, UNTIL)] == days.split()


@given(first=st.dates(date(2020, 1, 1), date(2030, 1, 1)), ahead=st.integers(0, 900))
def test_a_monthly_evening_keeps_its_weekday_and_its_place_in_every_month(first: date, ahead: int) -> None:
    since = first + timedelta(days=ahead)
    days = list_days(first, MONTH, since, since + timedelta(days=400))
    months = {(day.year, day.month) for day in days}
    assert len(months) == len(days) >= 12
    for day in days:
        assert day.weekday() == first.weekday()
        is_last = (day + timedelta(weeks=1)).month != day.month
        assert is_last if find_week(first) == LAST else find_week(day) == find_week(first)
