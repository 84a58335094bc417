"""A site that shares its name with others, behind each proxy as docs/hosting.md configures it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from ..conftest import require_program
from ..faults.phones import Answer, Phone
from ..ports import free_port
from .site import ROOT, TIMEOUT, App, Nginx, accepts, until

PATH = "/scores"
LOG = "proxy.log"


class Site(NamedTuple):
    """A running site. `url`: that of its name; `log`: where the proxy notes requests."""

    url: str
    log: Path
    visitor: Callable[[], Phone]

    def phone(self) -> Phone:
        """A visitor for whom all addresses are below the path."""
        phone = self.visitor()
        phone.url += PATH
        return phone


def change_as_documented(file: str, here: Path) -> None:
    """Run the command of the guide that changes this file of a proxy, with the file at another place."""
    guide = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8").partition("### Below a path")[2]
    script = re.search(rf"^sudo sed --in-place '(.+)' {file}$", guide, re.MULTILINE)
    assert script is not None
    subprocess.run(["sed", "--in-place", script[1], here], check=True)  # noqa: S603, S607  # Debian's own program


def start_nginx(folder: Path, app: App, path: str, parts: ExitStack) -> Site:
    nginx = Nginx(folder, [app])
    nginx.configure()
    file = folder / "conf.d" / "site.conf"
    if path:
        change_as_documented("/etc/nginx/sites-available/scorekeeper", file)
    assert f"location ~ ^{path}/tables/" in file.read_text()  # of the streams, which nginx would end after a minute
    process = nginx.start()
    parts.callback(process.wait, TIMEOUT)
    parts.callback(process.terminate)
    return Site(nginx.url, folder / "nginx-scorekeeper.log", nginx.phone)


def start_caddy(folder: Path, app: App, path: str, parts: ExitStack) -> Site:
    """Caddy without HTTPS, for which it would need a name."""
    file, url = folder / "Caddyfile", f"http://127.0.0.1:{free_port()}"
    text = (ROOT / "deploy" / "Caddyfile").read_text(encoding="utf-8")
    file.write_text(f"{{\n\tadmin off\n}}\n{text.replace('/var/log/caddy', str(folder))}", encoding="utf-8")
    if path:
        change_as_documented("/etc/caddy/Caddyfile", file)
    own = {"HOME": str(folder), "SCOREKEEPER_SITE": url, "SCOREKEEPER_UPSTREAM": app.url.removeprefix("http://")}
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(file)]
    with (folder / "caddy.log").open("wb") as log:
        process = subprocess.Popen(command, env=os.environ | own, stdout=log, stderr=log)  # noqa: S603  # Debian's own
    parts.callback(process.wait, TIMEOUT)
    parts.callback(process.terminate)
    until(lambda: accepts(int(url.rpartition(":")[2])), "Caddy does not start")
    return Site(url, folder / "scorekeeper.log", lambda: Phone(url))


PROXIES = {"nginx": (("nginx", "openssl"), start_nginx), "caddy": (("caddy",), start_caddy)}


@contextmanager
def running(proxy: str, folder: Path, path: str) -> Iterator[Site]:
    programs, start = PROXIES[proxy]
    for program in programs:
        require_program(program, shutil.which(program))
    folder.chmod(0o755)  # nginx runs as another user
    settings = {"SCOREKEEPER_INSTANCE": str(folder / "instance"), "SCOREKEEPER_PATH": path, "SCOREKEEPER_PROXIES": "1"}
    app = App(folder, "app", settings)
    with ExitStack() as parts:
        parts.callback(app.listener.close)
        app.start()
        parts.callback(app.stop)
        until(app.is_ready, "the server does not start")
        yield start(folder, app, path, parts)


@pytest.fixture(scope="module", params=PROXIES)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running(request.param, tmp_path_factory.mktemp("path"), PATH) as started:
        yield started


def links_of(answer: Answer) -> set[str]:
    """Return the addresses of this name in a page."""
    return set(re.findall(r'(?:href|src|action)="(/[^"]*)"', answer.text))


def follow(phone: Phone, table: str, heard: list[str]) -> Thread:
    """Follow a table by its stream in a thread, and note its type and the first two numbers of revisions."""

    def read() -> None:
        with phone.opener.open(f"{phone.url}{table}stream", timeout=TIMEOUT) as stream:
            heard.append(stream.headers["Content-Type"])
            for line in stream:
                if line.startswith(b"event: revision"):
                    heard.append(next(stream).decode().removeprefix("data: ").strip())
                    if len(heard) == 3:
                        return

    thread = Thread(target=read, daemon=True)
    thread.start()
    return thread


def test_an_evening_is_played_below_the_path(site: Site) -> None:
    host, guest = site.phone(), site.phone()
    table = host.open_table()
    assert re.fullmatch(r"/tables/[\w-]+/", table)
    host.let_in(table, guest)
    heard: list[str] = []
    following = follow(guest, table, heard)
    until(lambda: len(heard) == 2, "the stream is silent")
    assert host.enter(table, host.score()).number == 1
    following.join(TIMEOUT)
    assert heard[0].startswith("text/event-stream")
    assert heard[1:] == ["0", "1"]
    shown = guest.ask(table)
    assert all(link.startswith(f"{PATH}/") for link in links_of(shown))
    for link in links_of(shown):
        if link.endswith((".css", ".js")):
            assert guest.ask(link.removeprefix(PATH)).status == 200, link


def test_links_and_cookies_are_of_the_path(site: Site) -> None:
    phone = site.phone()
    share = phone.ask(f"{phone.open_table()}share").text
    assert f'value="{site.url}{PATH}/join/' in share
    assert {cookie.path for cookie in phone.cookies} == {PATH}
    assert phone.ask("/manifest.webmanifest").text.count(f'"{PATH}/"') == 2  # where it starts, and its scope


def test_the_path_without_its_slash_leads_to_the_home_page(site: Site) -> None:
    visitor = site.visitor()
    answer = visitor.ask(PATH)
    assert (answer.status, answer.path) == (200, f"{PATH}/")
    assert f'href="{PATH}/manifest.webmanifest"' in answer.text


def test_nothing_else_of_the_name_is_passed_on(site: Site) -> None:
    visitor = site.visitor()
    for path in ("/", "/tables/new", "/health", "/metrics", "/scoresheets/", "/nchan/a/b"):
        assert "Scorekeeper" not in visitor.ask(path).text, path
        assert not visitor.ask(path).text.startswith("ok"), path
    assert visitor.ask(f"{PATH}/health").text.startswith("ok ")
    for path in ("/metrics", "/ready"):
        answer = visitor.ask(f"{PATH}{path}")
        assert (answer.status, "Scorekeeper" in answer.text, "ready" in answer.text) == (404, False, False)


def test_no_log_has_the_secret_of_a_link(site: Site) -> None:
    phone = site.phone()
    share = phone.ask(f"{phone.open_table()}share").text
    link = re.search(rf'id="link"[^>]*value="{site.url}{PATH}(/join/[^"?]+)', share)
    assert link is not None
    circle, secret = link[1].split("/")[2:]
    site.phone().join(link[1])
    site.phone().ask(f"/events/join/{secret}")
    until(lambda: f"{PATH}/join/{circle}/-" in site.log.read_text(), "the proxy does not write it down")
    until(lambda: f"{PATH}/events/join/-" in site.log.read_text(), "the proxy does not write it down")
    for log in (*site.log.parent.glob("*.log"), site.log):
        assert secret not in log.read_text(), log


@pytest.mark.parametrize("proxy", PROXIES)
def test_without_a_path_the_site_has_the_whole_name(proxy: str, tmp_path: Path) -> None:
    with running(proxy, tmp_path, "") as site:
        phone = site.visitor()
        assert 'href="/manifest.webmanifest"' in phone.ask("/").text
        table = phone.open_table()
        assert phone.enter(table, phone.score()).number == 1
        assert f'value="{site.url}/join/' in phone.ask(f"{table}share").text
        assert {cookie.path for cookie in phone.cookies} == {"/"}
        assert phone.ask("/health").text.startswith("ok ")
        assert [phone.ask(path).status for path in ("/metrics", "/ready", "/scores/")] == [404, 404, 404]
