"""An event that a director leads, with phones at the tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from random import Random
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from scorekeeper.events import phones
from scorekeeper.events.phones import EventLink
from scorekeeper.events.reading import EventState, read
from scorekeeper.models import Event, db

from ...browser.table import TablePage
from ...server import Server

pytestmark = pytest.mark.browser

TRICKS = 13
ROUNDS = 2
NAMES = ("Anne", "Bruno", "Chloé", "David", "Emma", "Félix", "Gabrielle", "Hugo")


class EventPages:
    def __init__(self, page: Page, server: Server, people: Iterable[str], **fields: str) -> None:
        """Set an event up by its form, and enter the people as a list."""
        self.page, self.app = page, server.app()
        table = TablePage.open_new(page, "whist")
        page.goto(table.path)
        page.get_by_role("link", name="Evening").tap()
        page.get_by_role("link", name="Events").tap()
        page.get_by_role("link", name="New event").tap()
        page.locator("#title").fill("Spring drive")
        self._choose(fields)
        page.locator("#main-action").tap()
        page.wait_for_url("**/entrants*")
        self.token = urlsplit(page.url).path.split("/")[2]
        page.locator("textarea[name=names]").fill("\n".join(people))
        page.locator("#main-action").tap()
        page.wait_for_url("**/entrants?added=*")
        self.random = Random(self.token)  # noqa: S311  # nothing secret
        self.sent: dict[tuple[int, int], int] = {}  # by round and table: tricks of the first pair

    def _choose(self, fields: dict[str, str]) -> None:
        """Fill in the form; what depends on the format comes when it is chosen."""
        page, chosen = self.page, fields.pop("format", "individual")
        page.locator("#format").select_option(chosen)
        expect(page.locator("[name=shown_format]")).to_have_value(chosen)
        page.locator("[name=scoring][value=tricks]").check(force=True)
        page.locator("#length").fill("1")
        for name, value in fields.items():
            page.locator(f"[name={name}]").fill(value)

    @property
    def state(self) -> EventState:
        with self.app.app_context():
            return read(db.session.scalars(db.select(Event).filter_by(token=self.token)).one())

    def link(self, kind: str, table: int | None = None) -> str:
        """Return the path of a link, as the QR codes have it."""
        with self.app.app_context():
            event = db.session.scalars(db.select(Event).filter_by(token=self.token)).one()
            return f"/events/join/{EventLink(event, kind, table).signed(self.app.config['SECRET_KEY'])}"

    def begin_round(self, number: int) -> None:
        self.visit("director").get_by_role("button", name=f"Draw round {number}").tap()
        self.page.get_by_role("button", name=f"Start round {number}").tap()
        expect(self.page.locator("h2#now")).to_contain_text("playing")

    def visit(self, page: str) -> Page:
        self.page.goto(f"/events/{self.token}/{page}")
        return self.page

    def draw_tricks(self, number: int, table: int) -> int:
        self.sent[number, table] = self.random.randint(0, TRICKS)
        return self.sent[number, table]

    def finish(self) -> None:
        self.visit("director").get_by_role("button", name="Finish").tap()
        expect(self.page.locator("h2#now")).to_contain_text("finished")

    def shows_the_right_standings(self) -> None:
        state, scores = self.state, Counter[int]()
        for place, row in state.tables.items():
            for pair, tricks in zip(row.pairs, (self.sent[place], TRICKS - self.sent[place]), strict=True):
                scores.update(dict.fromkeys(pair, tricks))
        rows = self.visit("results?all=").locator(".event-standings tbody tr")
        shown = {row.locator("th").inner_text(): row.locator(".score").inner_text() for row in rows.all()}
        played = {row.numbers[0]: row for row in state.standings}
        expected = {
            entrant.name: f"{round(float(scores[number] + sum(played[number].credits.values())), 2):g}"
            for number, entrant in state.entrants.items()
        }
        assert {name.strip(): score for name, score in shown.items()} == expected


class EventTable:
    def __init__(self, page: Page, event: EventPages, number: int) -> None:
        self.page, self.event, self.number = page, event, number
        page.goto(event.link(phones.AT_TABLE, number))
        page.get_by_role("button", name="Join with this phone").tap()

    def play(self, number: int) -> None:
        """Wait for the round, send its result, and let both sides confirm it."""
        page = self.page
        expect(page.locator(".round-line")).to_contain_text(f"Round {number} of")
        tricks = self.event.draw_tricks(number, self.number)
        page.locator(f"[name=score-0][value='{tricks}']").check(force=True)
        page.get_by_role("button", name="Send").tap()
        for side in ("North–South", "East–West"):
            page.get_by_role("button", name=f"{side}: that is right").tap()
        expect(page.get_by_text("Recorded and confirmed")).to_be_visible()


def test_an_event_is_played_with_a_phone_at_each_table(phone: Callable[..., Page], server: Server) -> None:
    event = EventPages(phone(), server, NAMES, rounds=f"{ROUNDS}")
    tables = [EventTable(phone(), event, number) for number in (1, 2)]
    hers = phone()
    hers.goto(event.link(phones.TO_WATCH))
    for number in range(1, ROUNDS + 1):
        event.begin_round(number)
        for table in tables:
            table.play(number)
        expect(hers.locator("main")).to_contain_text(f"Round {number} of {ROUNDS}")
        expect(event.page.locator(".counts")).to_contain_text("2 of 2")
    event.finish()
    event.shows_the_right_standings()
    for table in tables:
        expect(table.page.get_by_text("The event is over")).to_be_visible()


def test_a_table_and_the_director_learn_at_once_of_a_call_and_who_is_on_the_way(
    phone: Callable[..., Page], server: Server
) -> None:
    event = EventPages(phone(), server, NAMES[:4])
    event.begin_round(1)
    table, director = phone(), event.page
    EventTable(table, event, 1)
    table.get_by_role("button", name="Call the director").tap()
    expect(table.get_by_text("The director was called at")).to_be_visible()
    director.get_by_role("button", name="I’m coming").tap()
    expect(director.get_by_text("You are on the way.")).to_be_visible()
    expect(table.get_by_text("The director is on the way.")).to_be_visible()
    table.get_by_role("button", name="Not needed any more").tap()
    expect(director.get_by_role("button", name="Done")).to_have_count(0)
