"""Phones that join real servers at the same moment, and hosts who renew a link while they do."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial

from scorekeeper.models import Browser, Device, Link, db

from ..conftest import Server
from .conftest import Serve, on_both
from .phones import TIMES, Phone, in_threads

PHONES = 8
ROUNDS = 3 * TIMES


def link_of(host: Phone, circle: str, right: str) -> str:
    page = host.ask(f"{circle}links").text
    found = re.search(rf'id="link-{right}"[^>]*value="[^"]*?(/join/[^"]+)"', page)
    assert found is not None
    return found[1]


def a_circle(server: Server) -> tuple[Phone, str]:
    """Create a circle; return its host and its address."""
    host = Phone(server.url)
    host.open_table()
    found = re.search(r'href="(/circles/[^/"]+/)"', host.ask("/").text)
    assert found is not None
    return host, found[1]


@on_both
def test_eight_phones_joining_at_once_all_join_with_different_numbers(url: str, serve: Serve) -> None:
    """One server on SQLite, two on PostgreSQL. Each phone sends two requests at once, as from two tabs."""
    servers = [serve(url) for _ in range(1 if url.startswith("sqlite") else 2)]
    host, circle = a_circle(servers[0])
    link = link_of(host, circle, "score")
    statuses: Counter[int] = Counter()

    def join(phone: Phone) -> None:
        statuses[phone.join(link).status] += 1

    for _ in range(ROUNDS):
        phones = [Phone(servers[number % len(servers)].url) for number in range(PHONES)]
        for phone in phones:
            phone.ask(link)  # both requests come from the same page
        with in_threads([partial(join, phone) for phone in phones for _ in range(2)]):
            pass
        assert {phone.ask(circle).status for phone in phones} == {200}
    assert statuses == {200: 2 * ROUNDS * PHONES}
    app = servers[0].app()
    with app.app_context():
        numbers = list(db.session.scalars(db.select(Browser.number).order_by(Browser.number)))
        assert numbers == list(range(1, ROUNDS * PHONES + 2))
        assert db.session.query(Device).count() == len(numbers)
        db.session.remove()


@on_both
def test_renewing_a_link_while_phones_join_leaves_one_link_and_no_access_by_an_old_one(url: str, serve: Serve) -> None:
    server = serve(url)
    host, circle = a_circle(server)
    other = Phone(server.url)
    other.join(link_of(host, circle, "host"))
    tried: Counter[int] = Counter()

    def renew(by: Phone) -> None:
        page = by.ask(f"{circle}links").text
        form = re.search(r'action="([^"]+/links/score/renew)".*?name="link" value="(\w+)"', page, re.S)
        assert form is not None
        tried[by.ask(form[1], {"csrf_token": by.csrf, "link": form[2]}).status] += 1

    def join(phone: Phone, link: str) -> None:
        tried[phone.join(link).status] += 1

    link = link_of(host, circle, "score")
    for _ in range(ROUNDS):
        guests = [Phone(server.url) for _ in range(4)]
        with in_threads(
            [partial(renew, host), partial(renew, other), *(partial(join, guest, link) for guest in guests)]
        ):
            pass
        renew(host)
        assert {guest.ask(circle).status for guest in guests} == {404}  # joined by a link that has ended, or not at all
        link = link_of(host, circle, "score")
    assert set(tried) <= {200, 404, 409}, tried
    app = server.app()
    with app.app_context():
        assert db.session.query(Link).filter_by(right="score", revoked_at=None).count() == 1
        db.session.remove()
