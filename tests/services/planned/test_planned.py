"""Evenings to come through the services: planned once, changed under a key, answered, cancelled, followed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from scorekeeper.db.transactions import AccessRevokedError, RightRevokedError
from scorekeeper.models import Browser, CalendarFeed, PlannedEvening, db
from scorekeeper.services.access import links
from scorekeeper.services.access.devices import browsers_of_device
from scorekeeper.services.outcome import Done, Stale
from scorekeeper.services.people import erasure
from scorekeeper.services.people.people import unmerge
from scorekeeper.services.planned import answers, evenings, feeds
from scorekeeper.services.planned.answers import NO, PERHAPS, YES, Coming, Reply
from scorekeeper.services.planned.evenings import EveningPlan, Meeting

from ..club import Club


class Plans:
    """A circle of four, and what it plans."""

    def __init__(self, club: Club) -> None:
        self.club = club
        club.table()
        self.today = evenings.find_today(club.circle)

    def plan(self, days: int = 7, key: str = "page", **details: str) -> EveningPlan:
        wanted = EveningPlan((self.today + timedelta(days)).isoformat(), "19:30", "Café", "")
        wanted = replace(wanted, **details)
        assert isinstance(evenings.plan(self.club.circle, wanted, key, self.club.browser), Done)
        return wanted

    @property
    def evening(self) -> PlannedEvening:
        return db.session.scalars(db.select(PlannedEvening).order_by(PlannedEvening.id.desc()).limit(1)).one()

    def meeting(self, number: int = 0) -> Meeting:
        return evenings.meet(self.evening, self.today, self.today + evenings.AHEAD)[number]

    def coming(self, number: int = 0) -> Coming:
        meeting = self.meeting(number)
        return answers.read_coming(self.club.circle, [meeting])[meeting.key]

    def reply(self, name: str = "Anne", said: str = YES, guests: int = 0, *, is_own: bool = False) -> Reply:
        meeting = self.meeting()
        return Reply(meeting.day, meeting.mark, said, guests, self.club.player(name).id, is_own=is_own)

    def say(self, reply: Reply, by: Browser | None = None) -> object:
        return answers.answer(self.evening, reply, by or self.club.browser)

    def watcher(self) -> Browser:
        return browsers_of_device(self.club.join("watch"))[0]


@pytest.fixture
def plans(club: Club) -> Plans:
    return Plans(club)


# --- planning ----------------------------------------------------------------------------------------------


def test_another_date_asks_everybody_again_and_another_place_does_not(plans: Plans) -> None:
    wanted = plans.plan(repeats="week")
    plans.say(plans.reply())
    moved = replace(wanted, place="Bar")
    evenings.change(plans.evening, moved, wanted.mark, plans.club.browser)
    assert plans.coming().list_people(YES) == [plans.club.player("Anne").id]
    later = (plans.today + timedelta(days=8)).isoformat()
    evenings.change(plans.evening, replace(moved, day=later), moved.mark, plans.club.browser)
    evenings.change(plans.evening, moved, replace(moved, day=later).mark, plans.club.browser)
    assert plans.coming().list_people(YES) == []


# --- answering ---------------------------------------------------------------------------------------------


def test_an_answer_is_not_recorded_for_an_evening_that_has_changed_since(plans: Plans) -> None:
    wanted = plans.plan()
    reply = plans.reply()
    evenings.change(plans.evening, replace(wanted, begins="15:00"), wanted.mark, plans.club.browser)
    assert plans.say(reply) == Stale(None)
    reply = plans.reply()
    evenings.cancel(plans.evening, plans.meeting().day, True, 1, plans.club.browser)
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


@pytest.mark.parametrize(
    "write",
    [
        lambda plans, by: evenings.plan(plans.club.circle, EveningPlan("2099-01-01", "19:00", "Bar"), "key", by),
        lambda plans, by: evenings.change(plans.evening, EveningPlan("2099-01-01", "19:00", "Bar"), "", by),
        lambda plans, by: evenings.cancel(plans.evening, plans.meeting().day, True, 0, by),
        lambda plans, by: answers.answer(plans.evening, plans.reply(is_own=True), by),
        lambda _plans, by: feeds.renew_feed(by, False, "", "device"),
    ],
)
def test_nothing_is_written_once_a_right_has_ended(plans: Plans, write: Callable[[Plans, Browser], object]) -> None:
    plans.plan()
    phone = browsers_of_device(plans.club.join("score"))[0]
    links.remove_browser(phone, plans.club.browser, plans.club.secret)
    with pytest.raises((AccessRevokedError, RightRevokedError)):
        write(plans, phone)
    assert (plans.evening.changes, plans.coming().by_person) == (0, {})
    assert db.session.query(CalendarFeed).count() == 0


# --- calendars ---------------------------------------------------------------------------------------------


def entries(browser: Browser, is_personal: bool) -> list[tuple[str, str]]:
    feed = next(feed for feed in feeds.list_feeds(browser) if feed.is_personal == is_personal)
    return [(entry.uid, entry.status) for entry in feeds.list_entries(feed, browser, lambda _: "")]


def test_a_personal_calendar_has_what_its_owner_comes_to_and_says_what_is_called_off(plans: Plans) -> None:
    by = plans.club.browser
    for is_personal in (False, True):
        feeds.renew_feed(by, is_personal, "", plans.club.secret)
    plans.plan(repeats="week")
    first = plans.evening.token
    plans.say(plans.reply(is_own=True))
    plans.plan(9, key="another")
    second = plans.evening.token
    plans.say(plans.reply(said=PERHAPS))
    plans.plan(11, key="third")
    third = plans.evening.token
    plans.say(plans.reply(said=NO))
    assert entries(by, True) == [(first, "CONFIRMED"), (second, "TENTATIVE")]
    evenings.cancel(plans.evening, plans.meeting().day, True, 0, by)
    of_circle = dict(entries(by, False))
    assert (of_circle[first], of_circle[second], of_circle[third]) == ("CONFIRMED", "CONFIRMED", "CANCELLED")
    weeks = {f"{first}-{plans.today + timedelta(weeks=number):%Y%m%d}" for number in range(2, 50)}
    assert weeks <= of_circle.keys()
