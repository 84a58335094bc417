"""A site with two servers behind a proxy: to visitors it is one, also while it is restarted and backed up."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from http.client import HTTPSConnection
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlencode

import psycopg
import pytest

from .. import databases
from ..conftest import require_program
from ..faults.phones import Phone, audit, in_threads, keep_entering, wait_for
from .site import METRICS_TOKEN, ROOT, TIMEOUT, App, Site, get, missing, running, until

RESTARTS = 1  # of each server
EACH = 10  # minimum number of entries acknowledged after each restart


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    lacking = missing() + ([] if databases.programs() is not None else ["PostgreSQL"])
    if lacking:
        require_program(" and no ".join(lacking), None)
    folder = tmp_path_factory.mktemp("site")
    folder.chmod(0o755)  # nginx runs as another user
    with running(folder) as started:
        yield started


def figures(app: App) -> str:
    return app.ask("/metrics", Authorization=f"Bearer {METRICS_TOKEN}").read().decode()


def is_ready(app: App) -> bool:
    return app.ask("/ready").status == 200


def entries_at(site: Site) -> int:
    with psycopg.connect(site.database.replace("+psycopg", "")) as connection:
        found = connection.execute("SELECT count(*) FROM revision").fetchone()
    assert found is not None
    return int(found[0])


def link_of(phone: Phone, table: str) -> str:
    found = re.search(r'id="link"[^>]*value="[^"]*?(/join/[^"]+)"', phone.ask(f"{table}share").text)
    assert found is not None
    return found[1]


def test_visitors_are_redirected_to_https(site: Site) -> None:
    plain = get(f"{site.http}/tables/new?x=1")
    assert (plain.status, plain.headers["Location"]) == (301, f"{site.url}/tables/new?x=1")
    answer = site.phone().ask("/tables/new/whist")
    assert answer.status == 200
    assert "Secure" in answer.headers["Set-Cookie"]
    assert answer.headers["Strict-Transport-Security"]
    assert answer.headers["Server"] == "nginx"


def test_an_unknown_host_name_is_refused_except_for_health(site: Site) -> None:
    def ask(path: str) -> tuple[int, str]:
        connection = HTTPSConnection("127.0.0.1", site.port, context=site.trusted, timeout=TIMEOUT)
        connection.request("GET", path, headers={"Host": "evil.example"})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    status, page = ask("/")
    assert status == 400
    assert "SCOREKEEPER_HOSTS" in page
    status, text = ask("/health")
    assert (status, text[:3]) == (200, "ok ")
    assert site.apps[0].ask("/", X_Forwarded_Host="evil.example").status == 400


def test_the_proxy_logs_no_warnings(site: Site) -> None:
    assert "[warn]" not in site.read_log("nginx.log")


def test_two_servers_act_as_one_site_and_hide_their_metrics(site: Site) -> None:
    host, guest = site.phone(), site.phone(1)
    table = host.open_table()
    host.let_in(table, guest)
    for phone in (host, guest) * 4:
        phone.enter(table, phone.score())
    for app in site.apps:
        assert re.search(r'requests_total\{endpoint="deals.new",method="POST",status="\d+"\} [1-9]', figures(app))
    for path in ("/metrics", "/ready"):
        assert host.ask(path).status == 404
    assert host.ask("/health").text.startswith("ok ")


def test_a_request_has_one_id_in_every_log_and_no_log_has_a_secret(site: Site) -> None:
    host = site.phone()
    table = host.open_table()
    link = link_of(host, table)
    secret = link.split("/")[3].partition("?")[0]
    guest = site.phone(1)
    assert guest.join(link).path == table
    guest.ask(f"{link.partition('?')[0]}x")
    request_id = guest.ask("/health").headers["X-Request-ID"]
    until(lambda: f"{request_id}\n" in site.read_log("nginx-scorekeeper.log"), "the proxy does not write it down")
    assert [line for app in site.apps for line in app.lines() if line.get("request") == request_id]
    logs = ["nginx-scorekeeper.log", "nginx-scorekeeper-error.log", "nginx.log", "one.log", "another.log"]
    assert f"/join/{link.split('/')[2]}/-" in site.read_log(logs[0])
    for log in logs:
        assert secret not in site.read_log(log), log


def test_wrong_links_are_counted_by_both_servers_together(site: Site) -> None:
    def guess(app: App, address: str) -> int | None:
        return app.ask("/join/nobody/guess", X_Forwarded_For=address).status

    statuses = [guess(site.apps[n % 2], "192.0.2.66") for n in range(32)]
    assert statuses == [303] * 30 + [429] * 2
    assert guess(site.apps[0], "192.0.2.67") == 303


def test_a_stopping_server_answers_requests_that_have_begun(site: Site) -> None:
    """A write whose second half comes after SIGTERM is recorded, and the server ends by itself."""
    host = site.phone()
    table = host.open_table()
    body = urlencode({"csrf_token": host.csrf, "key": "half", "seen": "0", "tricks": "ns-3", "do": "record"})
    app = site.apps[0]
    head = (
        f"POST {table}deals/new HTTP/1.1\r\nHost: {site.url[8:]}\r\nCookie: {host.cookie()}\r\nReferer: {site.url}/\r\n"
    )
    head += "X-Forwarded-Proto: https\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    address = ("127.0.0.1", int(app.url.rpartition(":")[2]))
    with socket.create_connection(address, timeout=TIMEOUT) as asking:
        asking.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body[:20]}".encode())
        time.sleep(0.3)  # until the server reads it
        app.terminate()
        time.sleep(0.3)
        asking.sendall(body[20:].encode())
        answer = asking.recv(4096).decode()
    assert answer.startswith("HTTP/1.1 303"), answer
    assert app.process.wait(TIMEOUT) == 0
    app.start()
    assert f"{table}deals/1" in host.ask(table).text


def test_restarting_the_servers_in_turn_under_load_loses_no_entry(site: Site) -> None:
    host = site.phone()
    tables = [host.open_table() for _ in range(3)]
    phones = [site.phone(number) for number in range(4)]
    for phone in phones:
        host.let_in(tables[0], phone)
    others = entries_at(site)
    stop, failed = Event(), []

    def watch(phone: Phone) -> None:
        while not stop.is_set():
            answer = phone.ask(f"{tables[0]}now")
            if answer.status != 200:
                failed.append(answer.status)

    with in_threads(
        [partial(keep_entering, phone, tables, stop) for phone in phones[:3]] + [partial(watch, phones[3])]
    ):
        try:
            for number in range(RESTARTS * len(site.apps)):
                app = site.apps[number % len(site.apps)]
                time.sleep(0.5)
                assert app.stop() == 0
                app.start()
                until(partial(is_ready, app), "a server does not come again")
                wait_for(phones, EACH)
        finally:
            stop.set()
    with site.app() as app_of_ours:
        done = audit(app_of_ours, phones, others)
    again = sum(phone.sent_again for phone in phones)
    print(f"restarted {RESTARTS * len(site.apps)} times; {done}; sent again {again} times; failed reads: {failed}")
    assert done.acknowledged >= EACH * RESTARTS * len(site.apps)
    assert again == 0
    assert failed == []


def test_a_timed_backup_can_be_restored_elsewhere_and_old_ones_are_deleted(site: Site, tmp_path: Path) -> None:
    host = site.phone()
    table = host.open_table()
    host.enter(table, host.score())
    backups = tmp_path / "kept"
    backups.mkdir()
    old, foreign = backups / "scorekeeper-20200101-060000.sqlite3", backups / "notes.txt"
    for file in (old, foreign):
        file.touch()
        os.utime(file, (0, 0))
    command = Path(sys.executable).with_name("scorekeeper")
    settings = os.environ | {"SCOREKEEPER": str(command), "SCOREKEEPER_INSTANCE": str(tmp_path / "instance")}

    def back_up(database: str) -> int:
        env = settings | {"DATABASE_URL": database}
        done = subprocess.run([ROOT / "deploy" / "backup", backups], env=env, check=False)  # noqa: S603  # our own script
        return done.returncode

    assert back_up("postgresql://nobody@127.0.0.1:9/none") != 0
    assert old.exists()  # old backups are not deleted if there is no new one
    assert back_up(site.database) == 0
    assert not old.exists()
    assert foreign.exists()
    (file,) = backups.glob("scorekeeper-*.sqlite3")
    assert file.stat().st_mode & 0o077 == 0

    options: dict[str, Any] = {
        "env": {key: value for key, value in settings.items() if key != "DATABASE_URL"},
        "capture_output": True,
    }
    subprocess.run([command, "restore", "--yes", file], check=True, **options)  # noqa: S603  # our own
    subprocess.run([command, "verify"], check=True, **options)  # noqa: S603  # our own
    database = tmp_path / "instance" / "scorekeeper.sqlite3"
    assert table.split("/")[2].encode() in database.read_bytes()
    assert database.stat().st_mode & 0o077 == 0


def test_a_server_without_redis_lets_people_join(site: Site) -> None:
    site.redis.terminate()
    site.redis.wait(TIMEOUT)
    host, guest = site.phone(), site.phone(1)
    table = host.open_table()
    host.let_in(table, guest)
    assert guest.ask(table).status == 200


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    analyse = shutil.which("systemd-analyze")
    if analyse is None:
        pytest.skip("this machine has no systemd")
    for unit in (ROOT / "deploy").glob("scorekeeper*.*"):
        text = re.sub(r"(?<=^ExecStart=)/\S+", "/bin/true", unit.read_text(encoding="utf-8"), flags=re.M)
        (tmp_path / unit.name).write_text(text, encoding="utf-8")
    units = sorted(tmp_path.iterdir())
    assert len(units) == 4
    done = subprocess.run([analyse, "verify", *units], check=False, capture_output=True, text=True)  # noqa: S603  # Debian's own
    assert (done.returncode, done.stderr) == (0, "")
