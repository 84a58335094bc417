"""Pages to flag deals and payments, and where open flags are shown."""

from __future__ import annotations

import pytest
from flask import Flask

from ...visitor import Visitor, filled_in, tag_of


@pytest.fixture
def host(visitor: Visitor) -> Visitor:
    return visitor.open_table("whist").record(tricks="ns-3").record(tricks="ew-2")


def flag(visitor: Visitor, page: str, comment: str = "It was 4") -> Visitor:
    return visitor.visit(page).send({"comment": comment})


def test_a_watcher_flags_a_deal_and_everybody_sees_it(app: Flask, host: Visitor) -> None:
    table = host.table
    watcher = Visitor(app).join(host.link("watch"))
    watcher.visit(f"{table}deals/1").follow("Flag deal")
    watcher.send({"comment": "  It was   4 "})
    assert watcher.path == f"{table}deals/1"
    assert "It was 4" in watcher.text
    assert "Resolve flag" not in watcher.text
    host.visit(table)
    assert host.find("#deal-1 .flag").get_text(strip=True).endswith("flagged")
    assert host.page.select_one("#deal-2 .flag") is None
    assert host.visit(f"{table}deals/2").page.select_one(".flagged-here") is None


def test_open_flags_stand_above_the_plan_until_they_are_resolved(host: Visitor) -> None:
    table, circle = host.table, f"/circles/{host.circle}"
    host.visit(f"{circle}/tables")
    evening = str(host.find("a[href*='/evenings/']")["href"])
    flag(host, f"{table}deals/1/flag")
    pages = (f"{table}settlement", f"{evening}/settlement", f"{circle}/settlement")
    for page in pages:
        section = host.visit(page).find(".flagged-here")
        assert "It was 4" in section.get_text()
        assert section.select_one(f"a[href='{table}deals/1']") is not None
    assert "Deal 1" in host.visit(pages[0]).find(".flagged-here").get_text()
    host.send({}, "/resolve")
    assert host.path == f"{circle}/flags"
    assert "resolved" in host.find(".flags .resolved").get_text()
    for page in pages:
        assert host.visit(page).page.select_one(".flagged-here") is None
    assert host.visit(table).page.select_one(".rows .flag") is None


def test_a_payment_is_flagged_from_its_list(host: Visitor) -> None:
    for _ in range(4):
        host.record(tricks="ns-5")
    circle = f"/circles/{host.circle}"
    host.visit(f"{circle}/settlement").send({}, form=host.find(".due form.pay"))
    host.visit(f"{circle}/payments").follow("Flag payment")
    host.send({"comment": "Never got it"})
    assert host.path.startswith(f"{circle}/settlements/")
    assert "Never got it" in host.find(".flagged-here").get_text()
    host.visit(f"{circle}/payments").send({}, "/withdraw")
    assert "This payment is removed." in host.visit(f"{circle}/flags").text


def test_a_flag_on_a_changed_or_removed_deal_says_so(host: Visitor) -> None:
    table, flags = host.table, f"/circles/{host.circle}/flags"
    flag(host, f"{table}deals/1/flag")
    host.visit(f"{table}deals/1/amend").send({"tricks": "ns-4", "do": "record"})
    assert "changed after it was flagged" in host.visit(flags).text
    host.visit(f"{table}deals/1").send({}, "/withdraw")
    assert "This deal is removed." in host.visit(flags).text
    assert "It was 4" in host.visit(f"{table}deals/1").text
    assert host.visit(table).page.select_one("#deal-1 .flag") is not None


@pytest.mark.parametrize("comment", ["", " \u200b", "x" * 501])
def test_a_comment_that_cannot_stand_is_refused_and_kept(host: Visitor, comment: str) -> None:
    flag(host, f"{host.table}deals/1/flag", comment)
    assert host.status == 422
    assert len(host.problems()) == 1
    assert host.find("textarea").get_text().strip() == comment.replace("\u200b", "").strip()


def test_a_form_sent_again_adds_one_flag_and_sent_changed_shows_both(host: Visitor) -> None:
    table, flags = host.table, f"/circles/{host.circle}/flags"
    form = host.visit(f"{table}deals/1/flag").form()
    for _ in range(2):
        host.send({"comment": "It was 4"}, form=form)
        assert host.path == f"{table}deals/1"
    host.client.post(f"{table}deals/1/flag", data=filled_in(form) | {"comment": "It was 4"})
    response = host.client.post(f"{table}deals/1/flag", data=filled_in(form) | {"comment": "It was 5"})
    assert response.status_code == 409
    text = response.get_data(as_text=True)
    assert "It was 4" in text
    assert "It was 5" in text
    assert len(host.visit(flags).page.select(".flags > li")) == 1


def test_a_comment_is_escaped(host: Visitor) -> None:
    flag(host, f"{host.table}deals/1/flag", "<b>4</b>")
    assert "<b>4</b>" in host.find(".comment").get_text()
    assert host.page.select_one(".comment b") is None


def test_a_new_flag_reaches_open_pages_by_polling(host: Visitor) -> None:
    table = host.table
    host.visit(table)
    shown = host.find("[data-follow]")
    tag, tag_of_pad = tag_of(shown), f'"{shown["data-seen"]}.{shown["data-mark"]}"'
    assert host.client.get(f"{table}now", headers={"If-None-Match": tag}).status_code == 304
    flag(host, f"{table}deals/1/flag")
    update = host.client.get(f"{table}now", headers={"If-None-Match": tag})
    assert update.status_code == 200
    assert 'class="flag"' in update.get_data(as_text=True)
    assert update.headers["ETag"].startswith('"2-1.')
    pad = host.client.get(f"{table}now", headers={"If-None-Match": tag_of_pad})
    assert pad.status_code == 304  # the pad shows no flags
