"""Static files as browsers get them: compressed, and read back as they were written."""

from __future__ import annotations

import brotli  # type: ignore[import-untyped]  # it has no types
import pytest
from flask import Flask

from scorekeeper.web.pages.pwa import STATIC

NAMES = ("css/main.css", "js/main.js", "icons/symbols.svg")


@pytest.mark.parametrize("name", NAMES)
def test_a_compressed_file_is_the_file(app: Flask, name: str) -> None:
    client, path = app.test_client(), f"{app.static_url_path}/{name}"
    for _ in ("computed", "cached"):
        with client.get(path, headers={"Accept-Encoding": "gzip, br"}) as answer:
            assert answer.headers["Content-Encoding"] == "br"
            assert "Accept-Encoding" in answer.headers["Vary"]
            assert answer.content_length == len(answer.data) < (STATIC / name).stat().st_size
            assert brotli.decompress(answer.data) == (STATIC / name).read_bytes()


@pytest.mark.parametrize("accepted", ["", "identity"])
def test_a_browser_without_brotli_gets_none(app: Flask, accepted: str) -> None:
    path = f"{app.static_url_path}/{NAMES[0]}"
    with app.test_client().get(path, headers={"Accept-Encoding": accepted}) as answer:
        assert answer.status_code == 200
        assert answer.headers.get("Content-Encoding") != "br"


def test_a_file_the_browser_has_is_not_sent_again(app: Flask) -> None:
    client, path = app.test_client(), f"{app.static_url_path}/{NAMES[0]}"
    etags = {}
    for accepted in ("br", "identity"):
        with client.get(path, headers={"Accept-Encoding": accepted}) as answer:
            etags[accepted] = answer.headers["ETag"]
    assert etags["br"] != etags["identity"]
    for accepted, etag in etags.items():
        with client.get(path, headers={"Accept-Encoding": accepted, "If-None-Match": etag}) as answer:
            assert (answer.status_code, answer.data) == (304, b"")
