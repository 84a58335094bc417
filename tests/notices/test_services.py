"""Push services: which addresses are asked, and what becomes of a message."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scorekeeper.limits import MAX_ENDPOINT_LENGTH
from scorekeeper.notices import push_services
from scorekeeper.notices.push_services import NotPublicError, find_addresses, is_endpoint, is_public, post

from .push_service import PushService, running_service

LONGEST = "https://push.example/".ljust(MAX_ENDPOINT_LENGTH, "x")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[PushService]:
    with running_service(tmp_path) as service:
        yield service


@pytest.mark.parametrize(
    "text",
    [
        "",
        "http://push.example/1",
        "HTTPS://push.example/1 ",
        "https://",
        "https:///1",
        "https://somebody:secret@push.example/1",
        "https://push.example:22/1",
        "https://push.example:99999/1",
        "https://push.example/1#part",
        "https://push.example/é",
        "https://push.example/\r\nX: y",
        "https://push.example\\@127.0.0.1/",
        "https://[::1/1",
        LONGEST + "x",
    ],
)
def test_what_is_no_address_of_a_push_service_is_refused(text: str) -> None:
    assert not is_endpoint(text)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.1.2.3"),
        "224.0.0.1",
        *("255.255.255.255", "::1", "::", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1"),
        *("64:ff9b::7f00:1", "64:ff9b::a01:203", "2002:7f00:1::", "2002:c0a8:101::1"),
    ],
)
def test_private_addresses_are_not_public_however_they_are_written(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1", "2130706433", "0x7f000001", "::1"])
def test_nothing_is_sent_to_this_machine_by_any_of_its_names(service: PushService, host: str) -> None:
    with pytest.raises((NotPublicError, OSError)):
        find_addresses(host, service.port)
    name = f"[{host}]" if ":" in host else host
    assert post(f"https://{name}:{service.port}/1", b"x", {})
    assert service.sent == []


@pytest.mark.parametrize(("status", "is_known"), [(201, True), (404, False), (410, False), (500, True), (403, True)])
def test_what_a_service_answers_says_whether_it_knows_the_phone(
    service: PushService, monkeypatch: pytest.MonkeyPatch, status: int, is_known: bool
) -> None:
    monkeypatch.setattr(push_services, "is_public", lambda _address: True)
    service.answers.append((status, {}))
    assert post(f"https://localhost:{service.port}/1?a=b", b"x", {"TTL": "60"}) == is_known
    assert [(sent.path, sent.body, sent.headers["TTL"]) for sent in service.sent] == [("/1?a=b", b"x", "60")]


def test_nobody_is_redirected(service: PushService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push_services, "is_public", lambda _address: True)
    service.answers.append((301, {"Location": f"https://localhost:{service.port}/2"}))
    assert post(f"https://localhost:{service.port}/1", b"x", {})
    assert [sent.path for sent in service.sent] == ["/1"]
