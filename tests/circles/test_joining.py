"""Joining a circle by a link, removing phones and renewing links, also at the same time."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.models import RIGHTS, Link, Membership, db

from ..support.statements import count_rows
from ..support.visitor import Visitor, filled_in


def memberships(app: Flask) -> list[tuple[int, str | None]]:
    with app.app_context():
        listed = db.session.query(Membership).order_by(Membership.number)
        return [(membership.number, membership.right) for membership in listed]


@pytest.mark.usefixtures("table")
def test_opening_a_link_stores_nothing_whatever_the_client(app: Flask, visitor: Visitor) -> None:
    link = visitor.link("score")
    before = count_rows(app)
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
    assert count_rows(app) == before


def test_the_page_says_which_circle_and_what_the_link_allows(app: Flask, visitor: Visitor) -> None:
    circle = visitor.open_table("whist").circle
    visitor.visit(circle).more().send({"title": "Thursday <b>whist</b>"}, "/title")
    words = ("Il ne peut rien inscrire ni changer", "inscrire des coups", "tout faire comme l’organisateur")
    for right, allowed in zip(RIGHTS, words, strict=True):
        guest = Visitor(app, "fr").visit(visitor.link(right))
        assert guest.find("h1").get_text().endswith("Thursday <b>whist</b>")
        assert allowed in guest.text
        assert [found.get_text() for found in guest.page.select("main button")] == ["Rejoindre"]
        assert guest.join(visitor.link(right)).path == circle


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
    assert memberships(app) == [(1, "host"), (2, "score")]


@pytest.mark.usefixtures("table")
def test_a_revoked_link_is_invalid_for_strangers_and_redirects_members(visitor: Visitor, another: Visitor) -> None:
    old = visitor.link("score")
    waiting = filled_in(another.visit(old).find("form[action^='/join/']"))
    visitor.visit(f"{visitor.circle}links").send({}, "/links/score/renew")
    for visit in (
        another.visit(old),
        another.visit(visitor.circle.replace("circles", "join").rstrip("/")),
        another.receive(another.client.post(old.rpartition("/")[0], data=waiting, follow_redirects=True)),
    ):
        assert visit.status == 404
        assert "This link does not work" in visit.text
    assert visitor.visit(old).path == visitor.circle


@pytest.mark.parametrize(("has", "opens"), [("watch", "host"), ("score", "watch"), ("host", "score")])
def test_the_highest_right_of_all_joined_links_counts(
    app: Flask, visitor: Visitor, another: Visitor, table: str, has: str, opens: str
) -> None:
    another.join(visitor.link(has))
    another.visit(visitor.link(opens))
    is_asked = another.page.select_one("form[action^='/join/']") is not None
    assert is_asked == (RIGHTS.index(opens) > RIGHTS.index(has))
    another.join(visitor.link(opens))
    highest = max(has, opens, key=RIGHTS.index)
    assert memberships(app) == [(1, "host"), (2, highest)]
    assert another.visit(f"{table}deals/new").status == (403 if highest == "watch" else 200)


@pytest.mark.parametrize("page", ["/tables/new/whist", "/tables/new/whist/paper"])
def test_a_table_is_opened_in_the_circle_that_its_page_was_shown_for(app: Flask, visitor: Visitor, page: str) -> None:
    host, other = Visitor(app).open_table("whist"), Visitor(app).open_table("whist")
    visitor.join(other.link("score")).join(host.link("score"))
    fields = {f"seat-{number}": name for number, name in enumerate(("Anne", "Bruno", "Chloé", "David"), start=1)}
    fields |= {"1.tricks": "ns-3", "do": "record"}
    form = filled_in(visitor.visit(page).form()) | fields
    visitor.visit(other.circle)  # in another tab
    opened = visitor.client.post(page, data=form)
    assert opened.status_code == 303
    assert visitor.visit(opened.location).circle == host.circle
    remove(host, 2)
    assert visitor.client.post(page, data=form).status_code == 404  # nor in another one, once the access has ended
    assert count_rows(app)["circle"] == 2
    assert count_rows(app)["card_table"] == 3


def remove(host: Visitor, number: int, **fields: str) -> None:
    host.visit(f"{host.circle}links").send(dict(fields), f"/phones/{number}/end")


def test_a_removed_phone_loses_access_and_may_join_again_as_the_same_one(
    app: Flask, visitor: Visitor, another: Visitor, table: str
) -> None:
    another.join(visitor.link("host")).visit(table).record(tricks="ew-2")
    watch, score = visitor.link("watch"), visitor.link("score")
    remove(visitor, 2)
    assert another.visit(table).status == 404
    assert memberships(app) == [(1, "host"), (2, None)]
    another.join(watch)
    assert memberships(app) == [(1, "host"), (2, "watch")]  # and no host by what it once came in by
    another.join(score)
    assert memberships(app) == [(1, "host"), (2, "score")]
    assert "Phone 2 recorded deal 2" in visitor.visit(f"{table}deals/2").text


def test_removing_a_phone_can_renew_its_links(app: Flask, visitor: Visitor, another: Visitor, table: str) -> None:
    third = Visitor(app).join(visitor.link("score"))
    another.join(visitor.link("watch")).join(visitor.link("score"))
    old = {right: visitor.link(right) for right in RIGHTS}
    page = visitor.visit(f"{visitor.circle}links")
    assert "It can join again by the same link, unless you renew that link" in page.text
    remove(visitor, 3, renew="yes")
    for link in (old["watch"], old["score"]):
        assert another.join(link).status == 404
    assert another.visit(table).status == 404
    assert third.visit(table).status == 404  # came in by a link that was renewed
    assert visitor.link("host") == old["host"]  # the one that the removed phone did not have
    assert third.join(visitor.link("score")).visit(table).status == 200
    assert memberships(app) == [(1, "host"), (2, "score"), (3, None)]


@pytest.mark.usefixtures("table")
def test_phones_are_listed_once_each_with_their_rights_and_since_when(
    app: Flask, visitor: Visitor, another: Visitor
) -> None:
    another.join(visitor.link("watch")).join(visitor.link("score")).join(visitor.link("score"))
    Visitor(app).join(visitor.link("watch"))
    visitor.visit(f"{visitor.circle}links")
    lines = [" ".join(row.p.get_text(" ").split()) for row in visitor.page.select(".phones li") if row.p]
    assert [row.partition(" since ")[0] for row in lines] == [
        "phone 1 Host (this phone) ·",
        "phone 2 Keep score, Watch ·",
        "phone 3 Watch ·",
    ]
    assert ["this phone" in row for row in lines] == [True, False, False]
    assert all(" since " in row for row in lines)


def live_scoring_links(app: Flask) -> list[int]:
    with app.app_context():
        return [link.id for link in db.session.query(Link).filter_by(right="score", revoked_at=None)]


def test_renewing_a_link_that_another_host_just_renewed_shows_who_did(
    app: Flask, visitor: Visitor, another: Visitor
) -> None:
    another.join(visitor.open_table("whist").link("host"))
    links = f"{visitor.circle}links"
    path = f"{links}/score/renew"
    mine, theirs = (filled_in(host.visit(links).form("/links/score/renew")) for host in (visitor, another))
    assert another.client.post(path, data=theirs).status_code == 303
    after = live_scoring_links(app)
    visitor.receive(visitor.client.post(path, data=mine))
    assert visitor.status == 409
    notice = visitor.find(".stale")
    assert "already renewed: Keep score" in notice.get_text()
    assert "phone 2" in notice.get_text()
    assert live_scoring_links(app) == after
    # A host who still wants another link can renew the new one on the page with the notice.
    again = filled_in(visitor.form("/links/score/renew"))
    assert visitor.client.post(path, data=again).status_code == 303
    assert live_scoring_links(app) != after
    assert len(live_scoring_links(app)) == 1
