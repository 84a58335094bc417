"""A large site's streams: nginx holds them, with nchan and Redis; the app only says who may follow."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from bs4 import BeautifulSoup

from .. import databases
from ..conftest import require_program
from ..faults.phones import Answer, Phone
from ..visitor import filled_in
from .push_site import Follower, Page, PushSite, StreamingNginx, kill, missing_module, running_push_site, token_of
from .site import get, missing, until

TOGETHER = 4  # followers of a table


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PushSite]:
    lacking = missing() + missing_module() + ([] if databases.programs() is not None else ["PostgreSQL"])
    if lacking:
        require_program(" and no ".join(lacking), None)
    folder = tmp_path_factory.mktemp("push")
    folder.chmod(0o755)  # nginx runs as another user
    with running_push_site(folder) as started:
        yield started


@pytest.fixture
def host(site: PushSite) -> Phone:
    return site.phone()


@pytest.fixture
def table(host: Phone) -> str:
    return host.open_table()


@pytest.fixture
def followers(site: PushSite, host: Phone, table: str) -> list[Follower]:
    """Pages that follow the table at both nginx in turn."""
    return [Follower(site.fronts[number % 2], host, table) for number in range(TOGETHER)]


def record(host: Phone, table: str) -> int:
    """Record a deal, and return the number of the revision."""
    number = host.enter(table, host.score()).number
    assert number is not None
    return number


# --- messages ------------------------------------------------------------------------------------------------


def test_followers_of_every_nginx_hear_each_number_once_in_order(
    site: PushSite, host: Phone, table: str, followers: list[Follower]
) -> None:
    for _ in range(6):
        number = record(host, table)  # at the app servers in turn
        for follower in followers:
            follower.wait_for(number)
    for follower in followers:
        assert follower.numbers() == list(range(1, number + 1))
    for app in site.apps:
        assert [line for line in app.lines() if line.get("method") == "POST" and line["path"].endswith("deals/new")]


def test_a_new_follower_hears_the_newest_numbers_at_once(site: PushSite, host: Phone, table: str) -> None:
    for number in range(1, 4):
        assert record(host, table) == number
    early = Follower(site.fronts[1], host, table)
    early.wait_for(3)
    site.fronts[0].publish("flags", table, 1)
    early.wait_for(1, "flags")
    late = Follower(site.fronts[0], host, table)
    late.wait_for(1, "flags")
    late.wait_for(3)
    assert (late.numbers()[-1], late.numbers("flags")) == (3, [1])


def test_walls_hear_all_changes_of_an_event_and_phones_those_of_its_plan(
    site: PushSite, host: Phone, table: str
) -> None:
    event = opened_event(host, table)
    walls = [Follower(front, host, f"{event}/", "?kind=event") for front in site.fronts]
    phones = [Follower(front, host, f"{event}/", "?kind=plan") for front in site.fronts]
    press(host, f"{event}/director", f"{event}/rounds")
    for follower in (*walls, *phones):
        until(lambda: follower.heard, "the round is not heard")  # noqa: B023  # called at once
    drawn = [follower.numbers("event")[-1] for follower in walls]
    press(host, f"{event}/rounds/1/tables/1", f"{event}/rounds/1/tables/1", **{"score-0": "9", "score-1": "4"})
    for follower, number in zip(walls, drawn, strict=True):
        follower.wait_for(number + 1, "event")
    assert [follower.numbers("event") for follower in phones] == [[], []]
    assert len({tuple(follower.numbers("plan")) for follower in phones}) == 1


def opened_event(host: Phone, table: str) -> str:
    """Open an event for eight in the circle of a table, and return its path."""
    circle = re.search(r"/circles/([\w-]+)", host.ask(table).text)
    assert circle is not None
    new = f"/circles/{circle[1]}/events/new?format=individual"
    answer = press(host, new, "/events/new", title="Drive", scoring="tricks", rounds="7", length="1")
    event = answer.path.removesuffix("/entrants")
    press(host, f"{event}/entrants", "/names", names="\n".join("ABCDEFGH"))
    return event


def press(host: Phone, page: str, action: str, **fields: str) -> Answer:
    """Send a form of a page, with these fields."""
    forms = BeautifulSoup(host.ask(page).text, "html.parser").find_all("form")
    form = next(form for form in forms if action in str(form.get("action") or page).partition("?")[0])
    answer = host.ask(str(form.get("action") or page), filled_in(form) | fields)
    assert answer.status == 200, answer.text
    return answer


def test_an_older_number_that_comes_last_is_one_that_differs(
    site: PushSite, table: str, followers: list[Follower]
) -> None:
    """Of two app servers, one may be slow. The page compares numbers, and asks what is new."""
    for number in (2, 1):
        site.fronts[0].publish("revision", table, number)
        for follower in followers:
            follower.wait_for(number)


def test_an_idle_follower_costs_the_app_and_the_database_nothing(
    site: PushSite, host: Phone, table: str, followers: list[Follower]
) -> None:
    number = record(host, table)
    for follower in followers:
        follower.wait_for(number)
    time.sleep(0.2)  # until the last request is in the log
    before = site.requests(), site.last_query()
    beats = [len(follower.heard) for follower in followers]
    for follower, heard in zip(followers, beats, strict=True):
        until(lambda: follower.heard[heard:].count(("alive", "0")) >= 2, "there is no heartbeat")  # noqa: B023  # called at once
    assert (site.requests(), site.last_query()) == before


# --- access --------------------------------------------------------------------------------------------------


def test_a_browser_without_access_hears_nothing(site: PushSite, table: str) -> None:
    stranger = Follower(site.fronts[0], site.phone(), table)
    assert (stranger.status, stranger.heard) == (404, [])


def test_streams_and_endpoints_cannot_be_reached_from_outside(site: PushSite, host: Phone, table: str) -> None:
    followed = Follower(site.fronts[0], host, table)
    token = token_of(table)
    for circle in range(1, 4):
        assert host.ask(f"/nchan/{circle}/{token}").status == 404
        assert get(f"{site.fronts[0].endpoint}/nchan/{circle}/{token}").status == 404
    for path in (f"/revision/{token}", "/access/1", "/status"):
        assert host.ask(path).status == 404
        assert host.ask(path, {"csrf_token": host.csrf}).status == 404
    assert not followed.ended_at
    assert followed.numbers() == []


def test_a_page_of_another_site_cannot_read_a_stream(host: Phone, table: str) -> None:
    host.opener.addheaders = [("Origin", "https://evil.example"), ("Accept", "text/event-stream")]
    assert host.ask(f"{table}stream").status == 403


def test_the_streams_of_a_circle_end_when_somebody_loses_access(
    site: PushSite, host: Phone, table: str, followers: list[Follower]
) -> None:
    guest, other = site.phone(1), site.phone(2)
    host.let_in(table, guest)
    guests = [Follower(front, guest, table) for front in site.fronts]
    elsewhere = Follower(site.fronts[0], other, other.open_table())
    links = re.search(r'href="(/circles/[^"]+/links)"', host.ask(f"{table}share").text)
    assert links is not None
    removal = re.search(
        r'action="(/circles/[^"]+/browsers/\d+/end)".*?name="seen" value="([^"]+)"', host.ask(links[1]).text, re.S
    )
    assert removal is not None
    assert not any(follower.ended_at for follower in (*guests, *followers))
    began = time.monotonic()
    assert host.ask(removal[1], {"csrf_token": host.csrf, "seen": removal[2]}).status == 200
    until(lambda: all(follower.ended_at for follower in (*guests, *followers)), "a stream goes on")
    print(f"ended after {max(follower.ended_at for follower in guests) - began:.3f} seconds, with the request")
    assert Follower(site.fronts[0], guest, table).status == 404
    again = Follower(site.fronts[1], host, table)
    again.wait_for(record(host, table))
    assert not elsewhere.ended_at
    for front in site.fronts:  # not even by nchan 1.3.6
        assert "exited on signal" not in (front.folder / "nginx.log").read_text(errors="replace")


# --- failures ------------------------------------------------------------------------------------------------


def hears_what_is_recorded(front: StreamingNginx, host: Phone, table: str) -> None:
    """Check that a page that opens another stream whenever one ends hears the newest number, and the next one."""
    page = Page(front, host, table)
    for _ in range(2):
        page.wait_for(record(host, table))


def test_streams_outlive_an_app_server(site: PushSite, host: Phone, table: str, followers: list[Follower]) -> None:
    app = site.apps[1]
    assert app.stop() == 0
    app.start()
    until(app.is_ready, "a server does not start")
    for _ in site.apps:
        number = record(host, table)
        for follower in followers:
            follower.wait_for(number)
    assert not any(follower.ended_at for follower in followers)


def test_an_nginx_that_restarts_or_reloads_loses_no_message(site: PushSite, host: Phone, table: str) -> None:
    first, second = site.fronts
    leaving, staying = Follower(second, host, table), Follower(first, host, table)
    second.stop()
    until(lambda: leaving.ended_at, "a stream outlives nginx")
    staying.wait_for(record(host, table))  # though the app may have published to the other nginx before
    second.run()
    hears_what_is_recorded(second, host, table)
    second.reload()
    hears_what_is_recorded(second, host, table)
    staying.wait_for(record(host, table))
    assert not staying.ended_at


def test_what_could_not_be_published_is_made_good(site: PushSite, host: Phone, table: str) -> None:
    """Redis is away. Entries are recorded, one server publishes later, and the other one is killed meanwhile."""
    pages = [Page(front, host, table) for front in site.fronts]
    site.stop_redis()
    for _ in range(4):
        unpublished = record(host, table)
    kill(site.apps[0])
    assert not any(unpublished in page.follower.numbers() for page in pages)
    site.start_redis()
    site.apps[0].start()
    until(site.apps[0].is_ready, "a server does not start")
    number = record(host, table)
    for page in pages:
        page.wait_for(number)
    for front in site.fronts:
        hears_what_is_recorded(front, host, table)
