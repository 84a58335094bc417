"""Links and the phones that joined by them, without pages."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import delete, inspect
from sqlalchemy import event as events
from sqlalchemy.orm import ORMExecuteState

from scorekeeper.models import Browser, Device, Link, db
from scorekeeper.services.access import links
from scorekeeper.services.access.devices import (
    browsers_of_device,
    find_browser,
    hash_secret,
    new_secret,
    readable_link_secrets,
)

from ..club import Club


@pytest.fixture
def host(club: Club) -> Browser:
    """The browser that made the circle."""
    return club.browser


def link_of(club: Club, right: str) -> Link:
    return next(link for link in links.live_links(club.circle) if link.right == right)


def browser_of(secret: str) -> Browser:
    (browser,) = browsers_of_device(secret)
    return browser


def test_a_phone_that_joins_twice_stays_one_and_keeps_its_higher_right(club: Club) -> None:
    phone = club.join("score")
    club.join("watch", phone)
    browser = browser_of(phone)
    assert (browser.number, browser.right) == (2, "score")
    assert [each.link.right for each in links.links_joined(browser)] == ["score", "watch"]
    assert readable_link_secrets(browser, phone) == {right: club.links[right] for right in ("watch", "score")}
    assert readable_link_secrets(browser, new_secret()) == {}


def test_joining_again_by_the_same_link_keeps_the_first_moment(club: Club) -> None:
    phone = club.join("watch")
    (joined,) = links.links_joined(browser_of(phone))
    assert joined.joined_at is not None
    joined.joined_at = first = joined.joined_at - timedelta(days=1)
    db.session.commit()
    club.join("watch", phone)
    assert [each.joined_at for each in links.links_joined(browser_of(phone))] == [first]
    assert readable_link_secrets(browser_of(phone), phone) == {"watch": club.links["watch"]}


def test_a_device_that_is_deleted_as_unused_while_it_joins_joins_all_the_same(club: Club) -> None:
    """As by another transaction between the insert and the lock."""
    phone, deleted = new_secret(), list[int]()

    def delete_first(state: ORMExecuteState) -> None:
        if state.is_select and state.bind_mapper is inspect(Device) and not deleted:
            deleted.append(db.session.connection().execute(delete(Device).where(is_phone)).rowcount)

    is_phone = Device.secret_hash == hash_secret(phone)
    events.listen(db.session, "do_orm_execute", delete_first)
    try:
        club.join("watch", phone)
    finally:
        events.remove(db.session, "do_orm_execute", delete_first)
    assert deleted == [1]
    assert browser_of(phone).right == "watch"


def test_nobody_joins_by_a_link_that_was_renewed_meanwhile(club: Club, host: Browser) -> None:
    link = link_of(club, "watch")
    assert links.renew(link, host, club.secret)
    assert not links.join(link, club.links["watch"], new_secret())
    assert find_browser(club.secret, club.circle.name) == host


def test_a_link_is_renewed_once_by_two_taps_and_by_the_quicker_of_two_hosts(club: Club, host: Browser) -> None:
    link, other = link_of(club, "watch"), browser_of(club.join("host"))
    phone = club.join("watch")
    assert links.renew(link, host, club.secret)
    assert links.renew(link, host, club.secret)
    assert not links.renew(link, other, new_secret())
    assert browsers_of_device(phone) == []
    assert link.revoked_at is not None
    link.revoked_at -= 2 * links.REPEATED_TAP
    db.session.commit()
    assert not links.renew(link, host, club.secret), "a page from yesterday"


def test_a_removed_phone_comes_back_by_its_link_unless_that_is_renewed_too(club: Club, host: Browser) -> None:
    phone = club.join("watch")
    links.remove_browser(browser_of(phone), host, club.secret)
    assert browsers_of_device(phone) == []
    club.join("watch", phone)
    assert browser_of(phone).number == 2
    links.remove_browser(browser_of(phone), host, club.secret, renew_links=True)
    assert links.find_link(club.circle.name, club.links["watch"]) is None
    assert sorted(readable_link_secrets(host, club.secret)) == ["host", "score", "watch"]


def test_a_phone_has_a_name_and_a_person_until_they_are_taken_back(club: Club, host: Browser) -> None:
    phone = club.join("watch")
    browser = browser_of(phone)
    links.rename_browser(browser, "Kitchen", by=host)
    links.claim_browser(browser, None)
    assert [each.name for each in links.list_browsers(club.circle)] == [None, "Kitchen"]
    links.rename_browser(browser, "", by=browser)
    assert (browser.name, browser.player_id) == (None, None)


def test_the_servers_host_makes_a_hosts_link_that_no_phone_has(club: Club) -> None:
    secret = links.renew_host_link(club.id)
    assert browsers_of_device(club.secret) == []
    assert links.find_link(club.circle.name, club.links["host"]) is None
    assert links.find_link(club.circle.name, secret) == link_of(club, "host")
    assert db.session.scalar(db.select(db.func.count()).select_from(Device)) == 1
