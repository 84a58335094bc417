"""A game in a package of its own, beside the installed wheel: created, played, removed and installed again."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page

from .browser.table import TablePage
from .conftest import PHONE, TIMEOUT, Server
from .environments import Environment, build_wheel

SLUG = "red-dog"
PACKAGE = f"scorekeeper-{SLUG}"
DEALS = (  # the fourth player's tricks follow
    "tricks-1=5 tricks-2=2 tricks-3=1",
    "tricks-1=0 tricks-2=3 tricks-3=3",
    "tricks-1=4 tricks-2=4",
)
SCORES = [9, 9, 4, 2]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel, not the checkout."""
    folder = tmp_path_factory.mktemp("separate")
    environment = Environment(folder / "venv")
    installed = environment.run("pip", "install", "-q", "--ignore-installed", build_wheel(folder), cwd=folder)
    assert installed.returncode == 0, installed.stderr
    return environment


@pytest.fixture
def succeed(environment: Environment, tmp_path: Path) -> Callable[..., str]:
    """Return a function that runs a command and returns its output; it must not fail."""

    def run(*command: str) -> str:
        done = environment.run(*command, cwd=tmp_path, SCOREKEEPER_INSTANCE=str(tmp_path / "instance"))
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    return run


class InstalledServer(Server):
    """The server of an environment, on an instance folder."""

    def __init__(self, environment: Environment, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        super().__init__(folder, f"sqlite:///{folder}/scorekeeper.sqlite3")
        self.environment = environment

    def start(self) -> None:
        settings = self.environment.settings(SCOREKEEPER_INSTANCE=str(self.folder))
        command = [
            str(self.environment.python),
            "-m",
            "scorekeeper",
            "run",
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
        ]
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603  # our own command
                command, env=settings, cwd=self.folder, stdout=log, stderr=log, start_new_session=True
            )
        self.wait_until_served()

    def restart(self) -> None:
        self.stop()
        self.start()


@pytest.fixture
def installed_server(environment: Environment, tmp_path: Path) -> Iterator[InstalledServer]:
    server = InstalledServer(environment, tmp_path / "instance")
    yield server
    server.stop()


@pytest.fixture
def page(chromium: Browser, installed_server: InstalledServer) -> Iterator[Page]:
    """A phone. It keeps nothing of the pages: each is asked of the server."""
    context = chromium.new_context(
        viewport=PHONE,
        has_touch=True,
        is_mobile=True,
        locale="en-GB",
        base_url=installed_server.url,
        service_workers="block",
    )
    context.set_default_timeout(TIMEOUT)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert not errors


def pages_of_the_circle(page: Page) -> set[str]:
    """Return the addresses that the home page and the three places link to, on this server."""

    def links(area: str) -> list[str]:
        found: list[str] = page.locator(f"{area} a[href^='/']").evaluate_all(
            "all => all.map(a => a.getAttribute('href'))"
        )
        return found

    page.goto("/")
    found = set(links("body"))
    for place in links(".places"):
        page.goto(place)
        found |= set(links("body"))
    return {urlsplit(address).path for address in found}


@pytest.mark.browser
@pytest.mark.sqlite
def test_a_game_of_its_own_is_played_removed_and_installed_again(
    succeed: Callable[..., str], installed_server: InstalledServer, page: Page
) -> None:
    succeed("scorekeeper", "new-game", SLUG, "--name", "Red Dog")
    succeed("pip", "install", "-q", f"./{PACKAGE}")
    succeed("scorekeeper", "check-game", SLUG)
    installed_server.start()
    table = TablePage.open_by_form(page, SLUG)
    for deal in DEALS:
        table.open_pad().tap(*deal.split()).press("record").on_table_page()
    assert table.scores == SCORES
    table.visit()
    before, sheet = page.locator("main").inner_text(), table.sheet
    addresses = pages_of_the_circle(page)

    succeed("pip", "uninstall", "-q", "-y", PACKAGE)
    installed_server.restart()
    page.goto("/")
    assert page.locator(f"a[href^='{table.path}']").count()
    for address in sorted(addresses):
        status = page.request.get(address).status
        assert status == 200 or (status == 404 and SLUG in address), address
    assert page.request.get(table.path).status == 200
    assert table.sheet == sheet
    succeed("scorekeeper", "rebuild")

    succeed("pip", "install", "-q", f"./{PACKAGE}")
    installed_server.restart()
    table.visit()
    assert page.locator("main").inner_text() == before
    table.open_pad().tap(*DEALS[0].split()).press("record").on_table_page()
    assert table.scores == [14, 11, 5, 2]


def test_a_second_game_with_a_slug_and_one_for_another_api_are_refused_in_one_line(
    environment: Environment, succeed: Callable[..., str], tmp_path: Path
) -> None:
    succeed("scorekeeper", "new-game", "aces")
    shutil.copytree(tmp_path / "scorekeeper-aces", tmp_path / "scorekeeper-aces-again")
    rewrite(tmp_path / "scorekeeper-aces-again" / "pyproject.toml", '"scorekeeper-aces"', '"scorekeeper-aces-again"')
    succeed("scorekeeper", "new-game", "kings")
    rewrite(tmp_path / "scorekeeper-kings" / "scorekeeper_kings" / "__init__.py", r'api="1\.\d+"', 'api="2.0"')
    folders = ("scorekeeper-aces", "scorekeeper-aces-again", "scorekeeper-kings")
    try:
        succeed("pip", "install", "-q", *(f"./{folder}" for folder in folders))
        succeed("scorekeeper", "check-game", "aces")
        refused = environment.run("scorekeeper", "check-game", "kings", cwd=tmp_path)
        assert refused.returncode == 2
        assert refused.stderr.count("\n") == 1
        assert "2.0" in refused.stderr
        listed = succeed("python", "-c", "from scorekeeper.games import *; print(*refused_games(), sep='\\n')")
        assert len(listed.splitlines()) == 2
        assert "scorekeeper-aces-again" in listed
        assert "the slug is used" in listed
        assert "version 2.0" in listed
    finally:
        succeed("pip", "uninstall", "-q", "-y", *folders)


def rewrite(path: Path, pattern: str, replacement: str) -> None:
    text = path.read_text(encoding="utf-8")
    changed = re.sub(pattern, replacement, text)
    assert changed != text
    path.write_text(changed, encoding="utf-8")
