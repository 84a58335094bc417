"""A circle's file through the pages: its download, its import, and what is wrong with it in the reader's language."""

from __future__ import annotations

import io

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from scorekeeper.site import rate_limits

from ..support.visitor import Visitor, filled_in


def download(visitor: Visitor) -> bytes:
    return visitor.client.get(f"{visitor.circle}circle.json").get_data()


def submit(visitor: Visitor, content: bytes, **fields: str) -> TestResponse:
    form = filled_in(visitor.visit("/import-circle").form()) | fields
    data = form | {"file": (io.BytesIO(content), "circle.json")}
    return visitor.client.post("/import-circle", data=data, headers=visitor.headers)


def test_a_circle_is_moved_to_another_phone_by_its_file(visitor: Visitor, another: Visitor) -> None:
    visitor.open_table("whist").record(tricks="ns-3")
    content = download(visitor)
    another.visit(submit(another, content).location)
    assert "The circle is imported" in another.text
    assert another.circle != visitor.circle
    assert download(another) == content
    assert another.visit(visitor.circle).status == 404


def test_the_same_page_sent_twice_leads_to_one_circle(visitor: Visitor, another: Visitor) -> None:
    visitor.open_table("whist")
    content = download(visitor)
    key = filled_in(another.visit("/import-circle").form())["key"]
    answers = [submit(another, content, key=key) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [303, 303]
    assert len({answer.location for answer in answers}) == 1


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "Download it again."), ("fr", "Téléchargez-le de nouveau"), ("de", "Lade sie noch einmal herunter")],
)
def test_a_problem_is_shown_with_its_place(app: Flask, language: str, words: str) -> None:
    visitor = Visitor(app, language)
    visitor.open_table("whist")
    content = download(visitor)
    visitor.receive(submit(visitor, content.replace(b'"name"', b'"nom"', 1)))
    assert visitor.status == 422
    assert "players.1.nom" in visitor.text
    visitor.receive(submit(visitor, content[:-9]))
    assert words in visitor.text


def test_imports_are_limited(visitor: Visitor) -> None:
    assert rate_limits.CIRCLES_RATE.startswith("20 per hour")
    statuses = [submit(visitor, b"{}").status_code for _ in range(21)]
    assert statuses == [422] * 20 + [429]
