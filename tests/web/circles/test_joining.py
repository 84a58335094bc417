"""Joining a circle by a link, removing browsers and renewing links, also at the same time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from threading import Barrier, Thread
from typing import TypeVar
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import update
from werkzeug.test import TestResponse

from scorekeeper.db.clock import now
from scorekeeper.models import RIGHTS, Base, Browser, Device, Link, db

from ...visitor import Visitor, filled_in, find

T = TypeVar("T")

ROUNDS = 6  # of browsers that do something at once
AT_ONCE = 8


@pytest.fixture
def table(visitor: Visitor) -> str:
    """The path of a table opened by the first visitor, the circle's host."""
    return visitor.open_table("whist").record(tricks="ns-3").table


def run_concurrently(work: Sequence[Callable[[], T]]) -> list[T]:
    """Run the functions in threads that start at the same moment; return their results, or raise what one raised."""
    barrier, errors = Barrier(len(work)), list[BaseException]()
    results: dict[int, T] = {}

    def run(number: int) -> None:
        try:
            barrier.wait(30)
            results[number] = work[number]()
        except BaseException as error:
            errors.append(error)

    threads = [Thread(target=run, args=(number,)) for number in range(len(work))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return [results[number] for number in range(len(work))]


def rows(app: Flask) -> dict[str, int]:
    with app.app_context():
        return {t.name: len(db.session.execute(t.select()).all()) for t in Base.metadata.sorted_tables}


def browsers(app: Flask) -> list[tuple[int, str | None]]:
    """Return the number and the right of each browser of the only circle."""
    with app.app_context():
        return [(browser.number, browser.right) for browser in db.session.query(Browser).order_by(Browser.number)]


def join_form(page: BeautifulSoup) -> dict[str, str]:
    form = find(page, "form[action^='/join/']")
    return filled_in(form)


def tab_of(visitor: Visitor) -> FlaskClient:
    """Return another tab of the visitor's browser: a client with the same cookies."""
    tab = visitor.client.application.test_client()
    for name in ("scorekeeper", "scorekeeper-new"):
        cookie = visitor.client.get_cookie(name)
        if cookie is not None:
            tab.set_cookie(name, cookie.value)
    return tab


def tap_join(visitor: Visitor, link: str) -> Callable[[], TestResponse]:
    """Return a function that taps Join in a new tab."""
    data = join_form(visitor.visit(link).page)
    tab, path = tab_of(visitor), urlsplit(link).path.rpartition("/")[0]
    return lambda: tab.post(path, data=data)


# --- the page ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("table")
def test_opening_a_link_stores_nothing_whatever_the_client(app: Flask, visitor: Visitor) -> None:
    link = visitor.link("score")
    before = rows(app)
    for _ in range(5):
        assert Visitor(app).visit(link).status == 200
    again = Visitor(app)
    for _ in range(5):
        again.visit(link)
    for agent in ("WhatsApp/2.24", "Twitterbot/1.0", "TelegramBot (like TwitterBot)"):
        client = app.test_client()
        assert client.get(link, headers={"User-Agent": agent}).status_code == 200
        answer = client.head(link, headers={"User-Agent": agent})
        assert (answer.status_code, answer.data, answer.headers.get("Set-Cookie")) == (200, b"", None)
    assert rows(app) == before


def test_the_page_of_a_tables_link_says_who_plays_there(visitor: Visitor, another: Visitor, table: str) -> None:
    link = str(visitor.visit(f"{table}share").find("input[readonly]")["value"]).split("/", 3)[3]
    assert "Anne & Chloé – Bruno & David" in another.visit(f"/{link}").text
    stranger = Visitor(visitor.client.application).open_table("whist").table
    of_another = f"/{link.partition('?')[0]}?table={stranger.split('/')[2]}"
    assert "Bruno" not in another.visit(of_another).text


@pytest.mark.parametrize(
    ("language", "words", "button"),
    [
        ("en", ("It cannot record or change anything", "record deals", "everything a host can"), "Join"),
        (
            "fr",
            ("Il ne peut rien inscrire ni changer", "inscrire des coups", "tout faire comme l’organisateur"),
            "Rejoindre",
        ),
    ],
)
def test_the_page_says_which_circle_and_what_the_link_allows(
    app: Flask, visitor: Visitor, language: str, words: tuple[str, ...], button: str
) -> None:
    visitor.open_table("whist").visit(f"/circles/{visitor.circle}/").more().send(
        {"title": "Thursday <b>whist</b>"}, "/title"
    )
    for right, allowed in zip(RIGHTS, words, strict=True):
        guest = Visitor(app, language).visit(visitor.link(right))
        assert guest.find("h1").get_text().endswith("Thursday <b>whist</b>")
        assert allowed in guest.text
        buttons = guest.page.select("main button")
        assert [found.get_text() for found in buttons] == [button]
        assert guest.join(visitor.link(right)).path == f"/circles/{visitor.circle}/"


@pytest.mark.usefixtures("table")
def test_the_join_page_is_not_cached_not_indexed_and_sends_no_referrer(app: Flask, visitor: Visitor) -> None:
    answer = app.test_client().get(visitor.link("score"))
    assert answer.headers["Cache-Control"] == "no-store"
    assert "noindex" in answer.headers["X-Robots-Tag"]
    assert answer.headers["Referrer-Policy"] == "strict-origin"


def test_one_tap_joins_and_redirects_to_a_url_without_the_secret(
    app: Flask, visitor: Visitor, another: Visitor, table: str
) -> None:
    field = visitor.visit(f"{table}share").find("#link")
    another.join(str(field["value"]))
    assert another.path == table
    secret = visitor.link("score").rpartition("/")[2]
    assert secret not in str(another.response.request.url)
    assert secret not in another.response.get_data(as_text=True)
    assert another.record(tricks="ew-2").status == 200
    assert browsers(app) == [(1, "host"), (2, "score")]


@pytest.mark.usefixtures("table")
def test_joining_needs_the_csrf_token_of_the_page(app: Flask, visitor: Visitor, another: Visitor) -> None:
    link = visitor.link("score")
    data = join_form(another.visit(link).page)
    for fields in (
        {},
        {"csrf_token": ""},
        {"csrf_token": filled_in(visitor.visit("/tables/new/whist").form())["csrf_token"]},
    ):
        answer = another.client.post(link.rpartition("/")[0], data=data | {"csrf_token": ""} | fields)
        assert answer.status_code == 400
    assert len(browsers(app)) == 1


@pytest.mark.usefixtures("table")
def test_a_revoked_link_is_invalid_for_strangers_and_redirects_members(visitor: Visitor, another: Visitor) -> None:
    old = visitor.link("score")
    waiting = join_form(another.visit(old).page)
    visitor.visit(f"/circles/{visitor.circle}/links").send({}, "/links/score/renew")
    for visit in (
        another.visit(old),
        another.visit(f"/join/{visitor.circle}"),
        another._arrive(another.client.post(old.rpartition("/")[0], data=waiting, follow_redirects=True)),
    ):
        assert visit.status == 404
        assert "This link does not work" in visit.text
    assert visitor.visit(old).path == f"/circles/{visitor.circle}/"


# --- one browser, one row ----------------------------------------------------------------------------------


def test_joining_again_adds_no_browser(app: Flask, visitor: Visitor, another: Visitor, table: str) -> None:
    link = visitor.link("score")
    data = join_form(another.visit(link).page)
    for _ in range(5):
        assert another.client.post(link.rpartition("/")[0], data=data).status_code == 303
        another.join(link)
    assert browsers(app) == [(1, "host"), (2, "score")]
    visitor.visit(f"/circles/{visitor.circle}/links").send({}, "/browsers/2/end")
    assert another.visit(table).status == 404


@pytest.mark.usefixtures("table")
def test_joining_in_several_tabs_at_once_adds_one_browser(app: Flask, visitor: Visitor) -> None:
    link = visitor.link("score")
    for number in range(2, ROUNDS + 2):
        guest = Visitor(app)
        answers = run_concurrently([tap_join(guest, link) for _ in range(4)])
        assert {answer.status_code for answer in answers} == {303}
        assert len(browsers(app)) == number
        assert guest.visit(f"/circles/{visitor.circle}/").status == 200
    with app.app_context():
        assert db.session.query(Device).count() == ROUNDS + 1


def test_joining_two_circles_at_once_succeeds_whichever_cookie_arrives_last(app: Flask) -> None:
    hosts = [Visitor(app).open_table("whist") for _ in range(2)]
    for number in range(ROUNDS):
        guest = Visitor(app)
        taps = [tap_join(guest, host.link("score")) for host in hosts]
        answers = run_concurrently(taps)
        last = answers[number % 2].headers["Set-Cookie"].partition(";")[0].partition("=")[2]
        guest.client.set_cookie("scorekeeper", last)
        for host in hosts:
            assert guest.visit(f"/circles/{host.circle}/").status == 200
    with app.app_context():
        assert db.session.query(Device).count() == ROUNDS + 2


@pytest.mark.usefixtures("table")
def test_phones_that_join_at_once_get_different_numbers(app: Flask, visitor: Visitor) -> None:
    link = visitor.link("score")
    for _ in range(ROUNDS):
        guests = [Visitor(app) for _ in range(AT_ONCE)]
        taps = [tap_join(guest, link) for guest in guests]
        assert {answer.status_code for answer in run_concurrently(taps)} == {303}
    numbers = [number for number, right in browsers(app) if right == "score"]
    assert numbers == list(range(2, ROUNDS * AT_ONCE + 2))


# --- the highest right -------------------------------------------------------------------------------------


@pytest.mark.parametrize("has", RIGHTS)
@pytest.mark.parametrize("opens", RIGHTS)
def test_the_highest_right_of_all_joined_links_counts(
    app: Flask, visitor: Visitor, another: Visitor, table: str, has: str, opens: str
) -> None:
    another.join(visitor.link(has))
    another.visit(visitor.link(opens))
    is_asked = another.page.select_one("form[action^='/join/']") is not None
    assert is_asked == (RIGHTS.index(opens) > RIGHTS.index(has))
    another.join(visitor.link(opens))
    highest = max(has, opens, key=RIGHTS.index)
    assert browsers(app) == [(1, "host"), (2, highest)]
    assert another.visit(f"{table}deals/new").status == (403 if highest == "watch" else 200)


def test_members_are_redirected_to_the_table(visitor: Visitor, another: Visitor, table: str) -> None:
    another.join(visitor.link("score"))
    answer = another.client.get(f"{visitor.link('watch')}?table={table.split('/')[2]}")
    assert (answer.status_code, answer.headers["Location"]) == (303, table)
    assert visitor.visit(visitor.link("score")).path == f"/circles/{visitor.circle}/"


@pytest.mark.usefixtures("table")
def test_members_see_that_another_link_allows_more(visitor: Visitor, another: Visitor) -> None:
    another.join(visitor.link("watch")).visit(visitor.link("score"))
    assert "already in the circle and can watch" in another.text


@pytest.mark.usefixtures("table")
def test_renewing_a_link_revokes_only_the_right_it_gave(app: Flask, visitor: Visitor, another: Visitor) -> None:
    another.join(visitor.link("watch")).join(visitor.link("score"))
    visitor.visit(f"/circles/{visitor.circle}/links").send({}, "/links/score/renew")
    assert browsers(app) == [(1, "host"), (2, "watch")]
    visitor.visit(f"/circles/{visitor.circle}/links").send({}, "/links/watch/renew")
    assert browsers(app) == [(1, "host"), (2, None)]
    another.join(visitor.link("host"))
    assert browsers(app) == [(1, "host"), (2, "host")]


@pytest.mark.usefixtures("table")
def test_showing_other_links_gives_no_right_once_the_host_link_is_renewed(
    app: Flask, visitor: Visitor, another: Visitor
) -> None:
    """Having a link's secret, to show it to others, is not the same as having joined by it."""
    another.join(visitor.link("host"))
    another.visit(f"/circles/{visitor.circle}/links").send({}, "/links/host/renew")
    assert browsers(app) == [(1, None), (2, "host")]
    assert visitor.visit(f"/circles/{another.circle}/").status == 404


# --- watching one circle, and opening tables in another -----------------------------------------------------


def test_a_watcher_opens_tables_in_one_new_circle(app: Flask, visitor: Visitor, another: Visitor, table: str) -> None:
    another.join(visitor.link("watch"))
    circles = set()
    for _ in range(3):
        another.visit(table)
        another.visit(f"/circles/{visitor.circle}/")
        another.open_table("joffre")
        circles.add(another.circle)
    assert len(circles) == 1
    assert rows(app)["circle"] == 2
    another.visit(f"/circles/{visitor.circle}/")
    assert "Joffre" in another.visit("/").text


def test_a_table_is_opened_in_a_circle_with_the_right_to_score_before_a_new_one(app: Flask, visitor: Visitor) -> None:
    watched, scored = Visitor(app).open_table("whist"), Visitor(app).open_table("whist")
    visitor.join(scored.link("score")).join(watched.link("watch"))
    with visitor.client.session_transaction() as session:
        session["circle"] = watched.circle  # as a cookie from before has it
    visitor.open_table("joffre")
    assert visitor.circle == scored.circle
    assert rows(app)["circle"] == 2


@pytest.mark.parametrize("page", ["/tables/new/whist", "/tables/new/whist/paper"])
def test_a_table_is_opened_in_the_circle_that_its_page_was_shown_for(app: Flask, visitor: Visitor, page: str) -> None:
    host, other = Visitor(app).open_table("whist"), Visitor(app).open_table("whist")
    visitor.join(other.link("score")).join(host.link("score"))
    fields = {f"seat-{number}": name for number, name in enumerate(("Anne", "Bruno", "Chloé", "David"), start=1)}
    fields |= {"1.tricks": "ns-3", "do": "record"}
    form = filled_in(visitor.visit(page).form()) | fields
    visitor.visit(f"/circles/{other.circle}/")  # in another tab
    opened = visitor.client.post(page, data=form)
    assert opened.status_code == 303
    assert visitor.visit(opened.location).circle == host.circle
    remove(host, 2)
    assert visitor.client.post(page, data=form).status_code == 404  # nor in another one, once the access has ended
    assert rows(app)["circle"] == 2
    assert rows(app)["card_table"] == 3


def test_a_watcher_who_opens_two_tables_at_once_creates_one_circle(app: Flask, visitor: Visitor) -> None:
    link = visitor.open_table("whist").link("watch")
    for number in range(ROUNDS):
        guest = Visitor(app).join(link)
        data = filled_in(guest.visit("/tables/new/whist").form())
        seats = [{f"seat-{n}": f"{name} {n}" for n in range(1, 5)} for name in ("Anne", "Bruno")]
        tabs = [(tab_of(guest), data | names | {"opening_key": f"tab {n}"}) for n, names in enumerate(seats)]

        def opening(tab: FlaskClient, form: dict[str, str]) -> Callable[[], int]:
            return lambda: tab.post("/tables/new/whist", data=form).status_code

        assert run_concurrently([opening(*tab) for tab in tabs]) == [303, 303]
        assert rows(app)["circle"] == number + 2


# --- removed -----------------------------------------------------------------------------------------------


def remove(host: Visitor, number: int, **fields: str) -> None:
    host.visit(f"/circles/{host.circle}/links").send(dict(fields), f"/browsers/{number}/end")


def test_a_removed_browser_loses_access_and_may_join_again_as_the_same_one(
    app: Flask, visitor: Visitor, another: Visitor, table: str
) -> None:
    another.join(visitor.link("host")).visit(table).record(tricks="ew-2")
    watch, score = visitor.link("watch"), visitor.link("score")
    remove(visitor, 2)
    assert another.visit(table).status == 404
    assert browsers(app) == [(1, "host"), (2, None)]
    another.join(watch)
    assert browsers(app) == [(1, "host"), (2, "watch")]  # and no host by what it once came in by
    another.join(score)
    assert browsers(app) == [(1, "host"), (2, "score")]
    assert "Phone 2 recorded deal 2" in visitor.visit(f"{table}deals/2").text


def test_removing_a_browser_can_renew_its_links(app: Flask, visitor: Visitor, another: Visitor, table: str) -> None:
    third = Visitor(app).join(visitor.link("score"))
    another.join(visitor.link("watch")).join(visitor.link("score"))
    old = {right: visitor.link(right) for right in RIGHTS}
    page = visitor.visit(f"/circles/{visitor.circle}/links")
    assert "It can join again by the same link, unless you renew that link" in page.text
    remove(visitor, 3, renew="yes")
    for link in (old["watch"], old["score"]):
        assert another.join(link).status == 404
    assert another.visit(table).status == 404
    assert third.visit(table).status == 404  # came in by a link that was renewed
    assert visitor.link("host") == old["host"]  # the one that the removed browser did not have
    assert third.join(visitor.link("score")).visit(table).status == 200
    assert browsers(app) == [(1, "host"), (2, "score"), (3, None)]


@pytest.mark.usefixtures("table")
def test_removing_a_browser_renews_no_link_that_was_renewed_since_it_joined(visitor: Visitor, another: Visitor) -> None:
    another.join(visitor.link("watch")).join(visitor.link("score"))
    visitor.visit(f"/circles/{visitor.circle}/links").send({}, "/links/watch/renew")
    renewed = visitor.link("watch")
    remove(visitor, 2, renew="yes")
    assert visitor.link("watch") == renewed


@pytest.mark.usefixtures("table")
def test_a_host_who_removes_another_with_the_link_keeps_access_and_the_new_link(
    app: Flask, visitor: Visitor, another: Visitor
) -> None:
    old = visitor.link("host")
    another.join(old)
    remove(visitor, 2, renew="yes")
    assert browsers(app) == [(1, "host"), (2, None)]
    assert visitor.link("host") != old
    own = filled_in(visitor.form("/browsers/1/name")) | {"renew": "yes"}
    ended = visitor.client.post(f"/circles/{visitor.circle}/browsers/1/end", data=own)
    assert ended.status_code == 303  # hosts cannot remove their own phone
    assert browsers(app) == [(1, "host"), (2, None)]


@pytest.mark.usefixtures("table")
def test_phones_are_listed_once_each_with_their_rights_and_since_when(
    app: Flask, visitor: Visitor, another: Visitor
) -> None:
    another.join(visitor.link("watch")).join(visitor.link("score")).join(visitor.link("score"))
    Visitor(app).join(visitor.link("watch"))
    visitor.visit(f"/circles/{visitor.circle}/links")
    lines = [" ".join(row.p.get_text(" ").split()) for row in visitor.page.select(".browsers li") if row.p]
    assert [row.partition(" since ")[0] for row in lines] == [
        "phone 1 Host (this phone) ·",
        "phone 2 Keep score, Watch ·",
        "phone 3 Watch ·",
    ]
    assert ["this phone" in row for row in lines] == [True, False, False]
    assert all(" since " in row for row in lines)


# --- two hosts ---------------------------------------------------------------------------------------------


def renew_form(host: Visitor, circle: str, right: str) -> dict[str, str]:
    host.visit(f"/circles/{circle}/links")
    return filled_in(host.form(f"/links/{right}/renew"))


def live(app: Flask, right: str) -> list[int]:
    with app.app_context():
        return [link.id for link in db.session.query(Link).filter_by(right=right, revoked_at=None)]


def add_second_host(visitor: Visitor, another: Visitor) -> str:
    visitor.open_table("whist")
    another.join(visitor.link("host"))
    return visitor.circle


def test_renewing_a_link_that_another_host_just_renewed_shows_who_did(
    app: Flask, visitor: Visitor, another: Visitor
) -> None:
    circle = add_second_host(visitor, another)
    path = f"/circles/{circle}/links/score/renew"
    mine, theirs = renew_form(visitor, circle, "score"), renew_form(another, circle, "score")
    assert another.client.post(path, data=theirs).status_code == 303
    after = live(app, "score")
    visitor._arrive(visitor.client.post(path, data=mine))
    assert visitor.status == 409
    notice = visitor.find(".stale")
    assert "already renewed: Keep score" in notice.get_text()
    assert "phone 2" in notice.get_text()
    assert live(app, "score") == after
    # A host who still wants another link can renew the new one on the page with the notice.
    again = filled_in(visitor.form("/links/score/renew"))
    assert visitor.client.post(path, data=again).status_code == 303
    assert live(app, "score") != after
    assert len(live(app, "score")) == 1


def test_the_same_tap_sent_twice_renews_once(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist")
    path, data = f"/circles/{visitor.circle}/links/score/renew", renew_form(visitor, visitor.circle, "score")
    assert [visitor.client.post(path, data=data).status_code for _ in range(3)] == [303] * 3
    assert rows(app)["link"] == 4
    assert visitor.link("score")


def test_an_outdated_page_does_not_renew_a_link_again(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist")
    path, data = f"/circles/{visitor.circle}/links/score/renew", renew_form(visitor, visitor.circle, "score")
    assert visitor.client.post(path, data=data).status_code == 303
    with app.app_context():
        db.session.execute(
            update(Link).where(Link.revoked_at.is_not(None)).values(revoked_at=now() - timedelta(hours=1))
        )
        db.session.commit()
    visitor._arrive(visitor.client.post(path, data=data))
    assert visitor.status == 409
    assert "By phone 1," in visitor.text
    assert rows(app)["link"] == 4


@pytest.mark.parametrize("named", ["", "x", "0", "999999999", "9" * 30])
def test_a_renewal_of_an_unknown_link_changes_nothing(app: Flask, visitor: Visitor, named: str) -> None:
    visitor.open_table("whist")
    data = renew_form(visitor, visitor.circle, "score") | {"link": named}
    before = rows(app)
    assert visitor.client.post(f"/circles/{visitor.circle}/links/score/renew", data=data).status_code == 400
    other = renew_form(visitor, visitor.circle, "watch")  # a link of another right
    assert visitor.client.post(f"/circles/{visitor.circle}/links/score/renew", data=other).status_code == 400
    assert rows(app) == before


@pytest.mark.parametrize("right", RIGHTS)
def test_of_concurrent_renewals_one_succeeds(app: Flask, visitor: Visitor, another: Visitor, right: str) -> None:
    circle = add_second_host(visitor, another)
    path = f"/circles/{circle}/links/{right}/renew"

    def renewing(client: FlaskClient, data: dict[str, str]) -> Callable[[], int]:
        return lambda: client.post(path, data=data).status_code

    for _ in range(ROUNDS):
        old_link = visitor.link(right)
        forms = [(host.client, renew_form(host, circle, right)) for host in (visitor, another)]
        statuses = run_concurrently([renewing(*form) for form in forms])
        assert len(live(app, right)) == 1
        assert Visitor(app).join(old_link).status == 404
        if right == "host":
            assert sorted(statuses) == [303, 404]  # who renews the hosts' link puts the other host out
            winner, loser = (visitor, another) if statuses[0] == 303 else (another, visitor)
            loser.join(winner.link("host"))
        else:
            assert sorted(statuses) == [303, 409]
            visitor.visit(f"/circles/{circle}/links").send({}, f"/links/{right}/renew")  # so that it knows the link
