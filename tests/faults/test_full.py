"""The disk is full: the error is reported, nothing is damaged, and recording resumes once there is space."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ..conftest import IN_CI
from ..databases import Cluster, Files
from .conftest import Serve
from .phones import Phone, audit

SMALL = {"sqlite": 2, "postgresql": 14}  # megabytes; an empty PostgreSQL database takes 8
MAX_ENTRIES = 2_000


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A mount point for a small file system, unmounted at the end."""
    if os.getuid() != 0:
        if IN_CI:
            pytest.fail("CI needs the right to mount a file system")
        pytest.skip("only root may mount a file system")
    folder = tmp_path / "disk"
    folder.mkdir()
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=False)  # noqa: S603, S607  # a known program


def mount(disk: Path, megabytes: int) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=777", "tmpfs", str(disk)], check=True)  # noqa: S603, S607  # a known program


def fill(disk: Path) -> Path:
    """Fill the file system to the last byte."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 10, 1):
            with suppress(OSError):
                while True:
                    file.write(b"x" * size)
    return filler


def database(kind: str, request: pytest.FixtureRequest, disk: Path) -> str:
    """The address of a database on the small disk. On PostgreSQL, only the tables are there, not its journal."""
    mount(disk, SMALL[kind])
    if kind == "sqlite":
        files: Files = request.getfixturevalue("files")
        return files.make(disk)
    cluster: Cluster = request.getfixturevalue("careful")
    cluster.own(disk)
    cluster.execute(f"CREATE TABLESPACE small LOCATION '{disk}'")
    cluster.execute("CREATE DATABASE small TEMPLATE empty TABLESPACE small STRATEGY file_copy")
    return cluster.address("small")


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_full_disk_is_reported_and_nothing_is_damaged(
    kind: str, request: pytest.FixtureRequest, disk: Path, serve: Serve
) -> None:
    url = database(kind, request, disk)
    server = serve(url)
    phone = Phone(server.url, "fr")
    table = phone.open_table()
    for _ in range(3):
        phone.enter(table, phone.score())
    filler = fill(disk)
    before = 0
    while before < MAX_ENTRIES:
        form = phone.score() | {"key": f"k{before}", "seen": phone.versions[table]}
        answer = phone.post(table, form)
        if answer.status >= 500:
            break
        phone.versions[table] = json.loads(answer.text)["seen"]
        before += 1
    refused = phone.ask(f"{table}deals/new", {"csrf_token": phone.csrf} | form)
    assert refused.status == 507
    assert refused.headers["Retry-After"]
    assert "Le disque du serveur est plein" in html.unescape(refused.text)
    deals = len(json.loads(phone.ask(f"{table}sheet.json").text)["deals"])
    assert deals == 3 + before  # reading still works
    assert phone.ask(table).status == 200

    filler.unlink()
    sent = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', refused.text.partition("<main ")[2]))
    again = {name: html.unescape(value) for name, value in sent.items() if name != "back"}
    assert form.items() <= again.items()  # the page still has everything that was entered
    for _ in range(2):
        assert phone.ask(f"{table}deals/new", again).status == 200
    deals = len(json.loads(phone.ask(f"{table}sheet.json").text)["deals"])
    assert deals == 4 + before
    for _ in range(3):
        phone.enter(table, phone.score())
    done = audit(server.app(), [phone], others=before + 1)
    server.stop()
    print(f"{kind}: after {before} more entries the disk was full; then {4 + before + 3} deals, none lost; {done}")
    if kind == "postgresql":
        cluster: Cluster = request.getfixturevalue("careful")
        cluster.drop(url)
        cluster.execute("DROP TABLESPACE small")
