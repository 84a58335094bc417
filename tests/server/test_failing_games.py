"""The server with installed games whose code raises what ends a program: it starts, answers, and stops at Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from bs4 import BeautifulSoup

from scorekeeper.games import find_folder, games

from ..conftest import Server
from ..game_data import data
from ..visitor import filled_in

GAME = next(game for slug, game in games().items() if slug in data("deals") and not game.variant_of)
TAPS = dict(tap.split("=") for tap in data("deals")[GAME.slug][0]["taps"].split()) | {"do": "record"}
SCORING = f"""
from dataclasses import replace
from scorekeeper.games.{find_folder(GAME).name} import GAME as ORIGINAL

def score(standing, deal):
    raise SystemExit("score")

def complete(standing, facts):
    raise KeyboardInterrupt("complete")

GAME = replace(ORIGINAL, slug="SLUG", variant_of="{GAME.slug}", FUNCTION=FUNCTION)
"""


def install(folder: Path, slug: str, code: str) -> None:
    (folder / slug).mkdir()
    (folder / slug / "__init__.py").write_text(code.replace("SLUG", slug), encoding="utf-8")
    metadata = folder / f"{slug}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {slug}\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(f"[scorekeeper.games]\n{slug} = {slug}:GAME\n", encoding="utf-8")


class Phone:
    """A browser that speaks to the real server."""

    def __init__(self, url: str) -> None:
        self.opener, self.url = build_opener(HTTPCookieProcessor(CookieJar())), url

    def open(self, path: str, data: dict[str, str] | None = None) -> BeautifulSoup:
        body = urlencode(data).encode() if data is not None else None
        try:
            answer = self.opener.open(urljoin(self.url, path), body, timeout=20)
        except HTTPError as error:
            answer = error
        self.status, self.url = answer.status or 0, answer.url or self.url
        return BeautifulSoup(answer.read(), "html.parser")

    def open_table(self, slug: str) -> None:
        form = self.open(f"/tables/new/{slug}").select_one("form.opening")
        assert form is not None
        seats = {f"seat-{n}": f"Player {n}" for n in range(1, 5)}
        self.open(self.url, filled_in(form) | seats)
        assert self.status == 200


def test_games_that_end_programs_cost_their_own_tables(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for error in ("BaseException", "KeyboardInterrupt", "SystemExit", "GeneratorExit"):
        install(tmp_path, error.lower(), f"raise {error}('import')")
    for function in ("score", "complete"):
        install(tmp_path, f"fails{function}", SCORING.replace("FUNCTION", function))
    (tmp_path / "failsscore" / "translations").mkdir()
    (tmp_path / "failsscore" / "translations" / "en.po").write_bytes(b'msgid "\xff')
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    server = Server(tmp_path, database)
    server.start()
    try:
        phone = Phone(server.url)
        for slug in ("failsscore", "failscomplete", GAME.slug):
            phone.open_table(slug)
            table = phone.url
            for _ in range(2):  # also the same thread again
                phone.open(f"{table}deals/new")
                assert phone.status in (200, 500)
            form = phone.open(f"{table}more").select_one("form[action$='/close']")
            assert form is not None, slug
            fields = {"csrf_token": filled_in(form)["csrf_token"], "seen": "0", "key": f"{slug}-key"}
            phone.open(f"{table}deals/new", fields | TAPS)
            assert phone.status in (200, 409, 422), slug
            assert (phone.status == 200) == (slug == GAME.slug)
        log = (tmp_path / "server.log").read_text()
        for error in ("BaseException", "KeyboardInterrupt", "SystemExit", "GeneratorExit"):
            assert f"it cannot be imported: {error}: import" in log
        os.kill(server.process.pid, signal.SIGINT)
        server.process.wait(timeout=20)
    finally:
        server.kill() if server.process.poll() is None else None
        server.apps.close()


@pytest.mark.parametrize("command", ["run", "verify"])
def test_ctrl_c_stops_a_command_while_a_game_is_imported(tmp_path: Path, database: str, command: str) -> None:
    install(tmp_path, "slow", "import time\nprint('importing', flush=True)\ntime.sleep(60)\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "SCOREKEEPER_INSTANCE": str(tmp_path)}
    environment |= {"DATABASE_URL": database, "SCOREKEEPER_PORT": "0"}
    began = time.monotonic()
    process = subprocess.Popen(  # noqa: S603  # our own command
        [sys.executable, "-m", "scorekeeper", command],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    while b"importing" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode != 0
    assert time.monotonic() - began < 55
