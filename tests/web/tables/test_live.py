"""Live updates, JSON answers to the page's script, and the service worker."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask import Flask

from scorekeeper.games import games
from scorekeeper.live.hub import HOLD, Hub, Stream
from scorekeeper.live.nchan import Endpoint, NchanPublisher
from scorekeeper.web.support import live_updates

from ...statements import counted
from ...visitor import Visitor, filled_in, tag_of


def now(visitor: Visitor, version: int | None = None) -> Any:
    tags = {"If-None-Match": f'"{version}"'} if version is not None else {}
    return visitor.client.get(f"{visitor.table}now", headers=visitor.headers | tags)


def record(visitor: Visitor, **fields: str) -> Any:
    """Send the pad as the page's script does."""
    visitor.visit(f"{visitor.table}deals/new")
    data = filled_in(visitor.form()) | {"do": "record"} | fields
    return visitor.client.post(f"{visitor.table}deals/new", data=data, headers={"Accept": "application/json"})


@pytest.fixture
def at_table(visitor: Visitor) -> Visitor:
    return visitor.open_table("whist").record(tricks="ns-3")


def test_an_unchanged_table_is_answered_with_304_after_one_read(app: Flask, at_table: Visitor) -> None:
    tag = tag_of(at_table.visit(at_table.table).find("[data-follow]"))
    with counted(app) as statements:
        answer = at_table.client.get(f"{at_table.table}now", headers={"If-None-Match": tag})
    assert answer.status_code == 304
    assert answer.data == b""
    assert answer.headers["ETag"] == tag
    assert len([statement for statement in statements if statement.startswith("SELECT")]) == 1
    assert len(statements) == 1


@pytest.mark.parametrize("accepted", ["br", "gzip", "identity"])
def test_the_etag_of_a_compressed_response_is_recognised(app: Flask, at_table: Visitor, accepted: str) -> None:
    headers = {"Accept-Encoding": accepted}
    first = at_table.client.get(f"{at_table.table}now", headers=headers)
    with counted(app) as statements:
        again = at_table.client.get(f"{at_table.table}now", headers=headers | {"If-None-Match": first.headers["ETag"]})
    assert (first.status_code, again.status_code, len(statements)) == (200, 304, 1)


def test_an_update_says_how_far_the_game_is(visitor: Visitor) -> None:
    visitor.open_table("any-game", 2, **{"rule-name": "Phase 10", "rule-deals": "6", "rule-target": ""})
    assert visitor.find("h1 small").get_text(strip=True) == "0 of 6 deals played"
    visitor.record(**{f"points-{seat}": "5" for seat in (1, 2)})
    assert "<div data-heading>1 of 6 deals played" in re.sub(r"<a[^>]*>", "", now(visitor).text)


def test_an_update_names_the_change_and_the_phone(at_table: Visitor) -> None:
    at_table.record(tricks="ew-2")
    answer = now(at_table, 1)
    assert answer.status_code == 200
    assert answer.headers["ETag"].startswith('"2.')
    text = answer.get_data(as_text=True)
    assert "Phone 1 recorded deal 2: N–" in text
    assert 'data-seen="2"' in text
    assert 'class=" fresh"' in text
    assert 'class="recorded"' not in text  # it is not the reader who has recorded it
    at_table.visit(f"{at_table.table}deals/2").send({}, "/withdraw")
    text = now(at_table, 2).get_data(as_text=True)
    assert "Phone 1 removed deal 2" in text


@pytest.mark.parametrize("tag", ["", '"', '"x"', 'W/"1"', '"99999999999999999999"', '"-1"', "*"])
def test_an_unknown_etag_is_no_error(at_table: Visitor, tag: str) -> None:
    answer = at_table.client.get(f"{at_table.table}now", headers={"If-None-Match": tag})
    assert answer.status_code in (200, 304)


def test_a_browser_without_access_gets_no_update(at_table: Visitor, another: Visitor) -> None:
    another.open_table("whist")
    assert another.client.get(f"{at_table.table}now").status_code == 404


def test_a_script_gets_the_same_answer_when_it_sends_its_entry_again(at_table: Visitor) -> None:
    at = f"{at_table.table}?recorded=2"
    seen = filled_in(at_table.visit(f"{at_table.table}deals/new").form())["seen"]
    first, again = (record(at_table, tricks="ew-2", key="mine", seen=seen, dealer="2") for _ in range(2))
    assert first.json["seen"].startswith("2.")
    assert first.json == again.json == first.json | {"recorded": True, "after": seen, "at": at, "next": 3}
    assert len(at_table.export()["deals"]) == 2


def test_a_script_gets_the_changes_that_made_its_entry_stale(at_table: Visitor) -> None:
    answer = record(at_table, tricks="ew-2", key="mine", seen="0")
    assert answer.status_code == 409
    assert answer.json["seen"].startswith("1.")
    assert "Phone 1" in answer.json["stale"]
    assert len(at_table.export()["deals"]) == 1


def test_an_entry_from_before_marks_is_stale_and_can_then_be_sent(at_table: Visitor) -> None:
    old = record(at_table, tricks="ew-2", seen="1")
    assert old.status_code == 409
    assert record(at_table, tricks="ew-2", seen=old.json["seen"]).json["recorded"]


def test_a_script_gets_the_reason_why_its_entry_is_refused(at_table: Visitor) -> None:
    answer = record(at_table, tricks="ns-0")
    assert answer.status_code == 422
    assert answer.json["refused"]
    unanswered = record(at_table)
    assert unanswered.status_code == 422
    assert "problem" in unanswered.json["refused"]
    assert "Missing: Tricks over six" in " ".join(unanswered.json["refused"].split())
    assert "Missing: Tricks over six" in " ".join(record(at_table, do="preview").json["working"].split())


def fetched(visitor: Visitor, path: str) -> Any:
    with visitor.client.get(path) as answer:
        answer.get_data()
        return answer


def shell_of(visitor: Visitor) -> list[str]:
    """Return the URLs of the files that the service worker caches."""
    text = visitor.client.get("/worker.js").get_data(as_text=True)
    return [part for part in text.splitlines()[1].split('"') if part.startswith("/")]


def test_the_service_worker_caches_just_the_scripts_of_the_pages_it_serves_offline(visitor: Visitor) -> None:
    table = visitor.open_table("whist").table
    needed = set()
    for path in ("/", table, f"{table}deals/new", "/help", "/offline"):
        page = visitor.visit(path).page
        needed |= {str(script["src"]) for script in page.select("script[src]")}
        needed |= {str(link["href"]) for link in page.select("link[rel=modulepreload]")}
    assert {path for path in shell_of(visitor) if path.endswith(".js")} == needed


def test_the_service_worker_lists_every_file_it_caches(visitor: Visitor) -> None:
    shell = shell_of(visitor)
    assert len(shell) > 5
    for path in shell:
        assert fetched(visitor, path).status_code == 200, path


def test_an_unchanged_service_worker_is_not_sent_again(visitor: Visitor) -> None:
    for accepted in ("br, gzip", "identity"):
        headers = {"Accept-Encoding": accepted}
        first = visitor.client.get("/worker.js", headers=headers)
        again = visitor.client.get("/worker.js", headers=headers | {"If-None-Match": first.headers["ETag"]})
        assert (first.status_code, again.status_code, again.data) == (200, 304, b"")


def test_a_browser_can_request_all_files_of_a_pad_at_once(visitor: Visitor) -> None:
    for game in games():
        page = visitor.open_table(game).visit(f"{visitor.table}deals/new").page
        needed = page.select("link[rel=stylesheet]:not([media]), link[rel=modulepreload], script[src]")
        assert len(needed) <= 6, game  # the connections that a browser opens without HTTP/2


def test_a_page_without_a_foot_does_not_send_one(at_table: Visitor) -> None:
    for page in ("deals/new", "display"):
        assert not at_table.visit(f"{at_table.table}{page}").page.select(".foot, .places"), page


def test_the_app_can_be_added_to_a_home_screen(visitor: Visitor) -> None:
    manifest = visitor.client.get("/manifest.webmanifest").get_json(force=True)
    assert manifest["start_url"] == "/"
    assert manifest["display"] == "standalone"
    for icon in manifest["icons"]:
        assert fetched(visitor, icon["src"]).status_code == 200


def test_styles_and_scripts_are_cacheable_because_their_url_has_a_version(visitor: Visitor) -> None:
    sheet = visitor.visit("/").page.find("link", rel="stylesheet")
    assert sheet is not None
    answer = fetched(visitor, str(sheet["href"]))
    assert answer.cache_control.max_age == 365 * 24 * 3600


# --- streams


def follow(visitor: Visitor) -> tuple[Any, list[Stream]]:
    """Ask for a stream as from a server that can hold it."""
    held: list[Stream] = []
    answer = visitor.client.get(f"{visitor.table}stream", environ_overrides={HOLD: held.append})
    return answer, held


def hub_of(app: Flask) -> Hub:
    with app.app_context():
        return live_updates.current_hub()


class Recording:
    def __init__(self, stream: Stream) -> None:
        self.sent, self.is_closed = b"", False
        stream.connect(self)

    def send(self, data: bytes) -> None:
        self.sent += data

    def close(self) -> None:
        self.is_closed = True


def test_a_stream_says_where_the_table_is_and_then_each_revision(at_table: Visitor) -> None:
    answer, (stream,) = follow(at_table)
    assert (answer.status_code, answer.mimetype) == (200, "text/event-stream")
    assert answer.data == b"event: revision\ndata: 1\n\nevent: flags\ndata: 0\n\n"
    connection = Recording(stream)
    at_table.record(tricks="ew-2")
    assert connection.sent == b"event: revision\ndata: 2\n\n"


def test_a_refused_or_repeated_entry_is_not_published(at_table: Visitor) -> None:
    _, (stream,) = follow(at_table)
    connection = Recording(stream)
    at_table.visit(f"{at_table.table}deals/new")
    data = filled_in(at_table.form()) | {"do": "record"}
    for tricks in ("", "ew-1", "ew-1"):
        at_table.client.post(f"{at_table.table}deals/new", data=data | {"tricks": tricks})
    assert connection.sent == b"event: revision\ndata: 2\n\n"


def test_a_flag_is_published_when_it_is_added_and_resolved(at_table: Visitor) -> None:
    _, (stream,) = follow(at_table)
    connection = Recording(stream)
    at_table.visit(f"{at_table.table}deals/1/flag").send({"comment": "It was 4"})
    assert connection.sent == b"event: flags\ndata: 1\n\n"
    at_table.visit(f"{at_table.table}settlement").send({}, "/resolve")
    assert connection.sent.endswith(b"event: flags\ndata: 2\n\n")


def test_only_those_who_may_read_a_table_may_follow_it(app: Flask, at_table: Visitor) -> None:
    held: list[Stream] = []
    answer = Visitor(app).client.get(f"{at_table.table}stream", environ_overrides={HOLD: held.append})
    assert (answer.status_code, held, hub_of(app).streams()) == (404, [], [])


def test_a_server_that_cannot_hold_streams_answers_without_content(app: Flask, at_table: Visitor) -> None:
    answer = at_table.client.get(f"{at_table.table}stream")
    assert (answer.status_code, answer.data, hub_of(app).streams()) == (204, b"", [])


def test_pages_know_of_the_stream_where_the_server_can_hold_one(at_table: Visitor) -> None:
    stream = f"{at_table.table}stream"
    for page in ("", "deals/new", "display"):
        assert not at_table.visit(f"{at_table.table}{page}").find("[data-follow]").has_attr("data-stream")
        answer = at_table.client.get(f"{stream.removesuffix('stream')}{page}", environ_overrides={HOLD: print})
        assert f'data-stream="{stream}"' in answer.get_data(as_text=True)


def test_a_proxy_that_holds_streams_is_told_who_may_follow(
    app: Flask, at_table: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_updates.of(app), "publishers", (NchanPublisher([Endpoint("127.0.0.1", 9)]),))
    address = f"{at_table.table}stream"
    answer = at_table.client.get(address)
    assert (answer.status_code, answer.data, answer.mimetype) == (200, b"", "text/event-stream")
    assert re.fullmatch(r"/nchan/[\w-]+/[\w-]+", answer.headers["X-Accel-Redirect"])
    assert f'data-stream="{address}"' in at_table.client.get(at_table.table).get_data(as_text=True)
    refused = Visitor(app).client.get(address)
    assert (refused.status_code, refused.headers.get("X-Accel-Redirect")) == (404, None)
