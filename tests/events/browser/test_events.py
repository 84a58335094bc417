"""An event that a director leads, with phones at the tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from scorekeeper.events import phones
from scorekeeper.events.phones import EventLink
from scorekeeper.events.reading import EventState, read_state
from scorekeeper.models import Event, db

from ...browser.table import TablePage, wait_until
from ...support.server import Server
from ..hall import EIGHT, TRICKS, Hall

pytestmark = pytest.mark.browser

ROUNDS = 2
SENT = {(1, 1): 9, (1, 2): 0, (2, 1): 13, (2, 2): 4}  # by round and table: tricks of the first pair


class EventPages:
    def __init__(self, page: Page, server: Server) -> None:
        """Set an event up by its form, and enter the people as a list."""
        self.page, self.app = page, server.app()
        table = TablePage.open_new(page, "whist")
        page.goto(table.path)
        page.get_by_role("link", name="Evening").tap()
        page.get_by_role("link", name="Events").tap()
        page.get_by_role("link", name="New event").tap()
        page.locator("#title").fill("Spring drive")
        page.locator("#format").select_option("individual")
        expect(page.locator("[name=shown_format]")).to_have_value("individual")  # what depends on it has come
        page.locator("[name=scoring][value=tricks]").check(force=True)
        page.locator("#length").fill("1")
        page.locator("[name=rounds]").fill(str(ROUNDS))
        page.locator("#main-action").tap()
        page.wait_for_url("**/entrants*")
        self.token = urlsplit(page.url).path.split("/")[2]
        page.locator("textarea[name=names]").fill("\n".join(EIGHT))
        page.locator("#main-action").tap()
        page.wait_for_url("**/entrants?added=*")

    @property
    def state(self) -> EventState:
        with self.app.app_context():
            return read_state(db.session.scalars(db.select(Event).filter_by(token=self.token)).one())

    def link(self, kind: str, table: int | None = None) -> str:
        signed = EventLink(self.state.event, kind, table).signed(self.app.config["SECRET_KEY"])
        return f"/events/join/{signed}"

    def begin_round(self, number: int) -> None:
        self.visit("director").get_by_role("button", name=f"Draw round {number}").tap()
        self.page.get_by_role("button", name=f"Start round {number}").tap()
        expect(self.page.locator("h2#now")).to_contain_text("playing")

    def visit(self, page: str) -> Page:
        self.page.goto(f"/events/{self.token}/{page}")
        return self.page

    def finish(self) -> None:
        self.visit("director").get_by_role("button", name="Finish").tap()
        expect(self.page.locator("h2#now")).to_contain_text("finished")

    def shows_the_right_standings(self) -> None:
        state, scores = self.state, Counter[int]()
        for place, row in state.tables.items():
            for pair, tricks in zip(row.pairs, (SENT[place], TRICKS - SENT[place]), strict=True):
                scores.update(dict.fromkeys(pair, tricks))
        rows = self.visit("results?all=").locator(".event-standings tbody tr")
        shown = {row.locator("th").inner_text().strip(): row.locator(".score").inner_text() for row in rows.all()}
        assert shown == {entrant.name: str(scores[number]) for number, entrant in state.entrants.items()}


FORGET_SERVICE_WORKER = """async () => {
  await (await navigator.serviceWorker.ready).unregister();
  for (const name of await caches.keys()) await caches.delete(name);
}"""


class EventTable:
    def __init__(self, page: Page, event: EventPages | Hall, number: int) -> None:
        self.page, self.number = page, number
        page.goto(event.link(phones.AT_TABLE, number))
        page.get_by_role("button", name="Join with this phone").tap()
        page.wait_for_url(f"**/tables/{number}")

    def play(self, number: int) -> None:
        """Wait for the round, send its result, and let both sides confirm it."""
        page = self.page
        expect(page.locator(".round-line")).to_contain_text(f"Round {number} of")
        page.locator(f"[name=score-0][value='{SENT[number, self.number]}']").check(force=True)
        page.get_by_role("button", name="Send").tap()
        for side in ("North–South", "East–West"):
            page.get_by_role("button", name=f"{side}: that is right").tap()
        expect(page.get_by_text("Recorded and confirmed")).to_be_visible()


def test_an_event_is_played_with_a_phone_at_each_table(phone: Callable[..., Page], server: Server) -> None:
    event = EventPages(phone(), server)
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


def test_a_table_and_the_director_learn_at_once_of_a_call_and_its_end(
    phone: Callable[..., Page], server: Server
) -> None:
    hall = Hall(server.app(), EIGHT[:4])
    hall.draw(1)
    table, director = phone(), phone()
    director.goto(hall.director.link("score"))
    director.get_by_role("button", name="Join").tap()
    director.wait_for_url("**/circles/**")
    director.goto(f"{hall.path}/director")
    EventTable(table, hall, 1)
    table.get_by_role("button", name="Call the director").tap()
    expect(table.get_by_text("The director was called at")).to_be_visible()
    done = director.get_by_role("button", name="Done")
    expect(done).to_have_count(1)
    table.get_by_role("button", name="Not needed any more").tap()
    expect(done).to_have_count(0)


def test_a_result_waits_on_the_phone_without_a_signal_and_is_sent_later(
    phone: Callable[..., Page], server: Server
) -> None:
    hall = Hall(server.app())
    hall.draw(1)
    page = phone(service_workers="allow")
    EventTable(page, hall, 1)
    page.evaluate(FORGET_SERVICE_WORKER)  # the page of the table may be the first that the phone opens
    page.reload()
    wait_until(page, "async () => Boolean(await caches.match(location.pathname))")
    page.context.set_offline(True)
    page.locator("[name=score-0][value='9']").check(force=True)
    page.get_by_role("button", name="Send").tap()
    waiting = page.locator("[data-waiting]")
    summary = "Round 1, table 1 · North–South 9, East–West 4"
    expect(waiting.locator("[data-summary]")).to_have_text(summary)
    expect(page.locator("h1")).to_contain_text("Table 1")
    page.context.set_offline(False)
    expect(waiting).to_be_hidden()
    expect(page.get_by_role("button", name="North–South: that is right")).to_be_visible()
    result = hall.state().tables[1, 1].result
    assert result is not None
    assert result.scores == (9, TRICKS - 9)


def test_a_result_that_waited_while_another_one_was_sent_can_be_compared_and_sent(
    phone: Callable[..., Page], server: Server
) -> None:
    """As on the local network, without HTTPS: there is no service worker."""
    hall = Hall(server.app())
    hall.draw(1)
    page = phone()
    EventTable(page, hall, 1)
    page.context.set_offline(True)
    page.locator("[name=score-0][value='9']").check(force=True)
    page.get_by_role("button", name="Send").tap()
    hall.enter_slip(1, 1, 8)
    page.context.set_offline(False)
    waiting = page.locator("[data-waiting]")
    expect(waiting).to_contain_text("somebody else entered a result")
    waiting.get_by_role("button", name="Correct entry").tap()
    expect(page.locator(".slip .sides b").first).to_have_text("8")
    expect(page.locator("[name=score-0][value='9']")).to_be_checked()
    page.get_by_role("button", name="Send").tap()
    expect(page.locator(".result .sides b").first).to_have_text("9")
    expect(waiting).to_be_hidden()
