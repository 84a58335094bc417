"""Shared fixtures: an app on its own database, a visitor without scripts, a real server, a real browser."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from scorekeeper import games as registry
from scorekeeper import i18n
from scorekeeper.entry_points import find_entry_points
from scorekeeper.scoring.game import AnyGame

from . import branches, repeats, turns
from .apps import MakeApp, open_app
from .databases import ON_POSTGRESQL, Cluster, Databases, Files, programs, running_cluster
from .ports import free_port
from .visitor import Visitor

TESTS = Path(__file__).parent
MADE_UP = TESTS / "made_up"  # installed packages of games that nobody plays
IN_CI = bool(os.environ.get("CI"))
# The headless shell draws the same pages in two thirds of the time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in BROWSERS if (found := shutil.which(name))), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE: ViewportSize = {"width": 390, "height": 844}
NO_POSTGRESQL = "there is no PostgreSQL on this machine"
ADDRESSES = map(str, ip_network("198.18.0.0/15").hosts())  # of phones
TIMEOUT = 30_000  # milliseconds, for anything that a browser test waits for
expect.set_options(timeout=TIMEOUT)

# What a test makes, it keeps to its end: Python need not look so often for what can be freed.
gc.set_threshold(50_000, 20, 100)

# How quick an example is depends on what else the machine does.
settings.register_profile("any machine", deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile("any machine")


# Tests of the rules, which no machine changes. With RULES_ONCE=1, as on a bare machine, each runs with its first
# parameters only: that is enough to show that another Python runs it.
RULES = {"scoring", "games"}

# What every day's tests leave out, and `make test-all` runs: a change of rules, services, pages or money that breaks
# one of these breaks one of the others too, but for what only they try. Folders, modules and tests of tests/.
APART = {
    "races": "requests at the same moment",
    "growth": "ten times as much of everything",
    "web/support/test_statements.py": "ten times as much of everything",
    "events/test_even_draws.py::test_a_hall_of_a_thousand_is_drawn_after_somebody_has_left": (
        "ten times as much of everything"
    ),
    "events/test_swiss.py::test_a_hall_of_a_thousand_is_drawn": "ten times as much of everything",
    "world": "evenings from a seed",
    "web/tables/test_state_machine.py": "evenings from a seed",
    "faults": "kills, power cuts and full disks",
    "fuzz": "spoiled input",
    "exchange/test_hostile_backups.py": "spoiled input",
    "exchange/test_backups.py": "backups",
    "web/support/test_ids_given_again.py": "backups",
    "exchange/test_ledger_balances.py": "other accounting programs",
    "exchange/test_ledgers.py::test_both_programs_accept_the_ledger_of_any_tables_and_compute_the_apps_balances": (
        "other accounting programs"
    ),
    "migrations": "upgrades of earlier versions",
    "db/test_migrations.py": "upgrades of earlier versions",
    "services/access/test_old_cookies.py": "upgrades of earlier versions",
    "hosting": "sites of several servers",
    "live/test_bridges.py": "sites of several servers",
    "server": "servers that start and stop",
    "cli/test_startup.py": "servers that start and stop",
    "cli/test_doctor.py": "servers that start and stop",
    "cli/test_unusable_paths.py": "servers that start and stop",
    "browser": "most pages in browsers",
    "testing": "packages that are built and installed",
    "game_checks": "checks of games with mistakes",
    "cli/test_check_game.py": "checks of games with mistakes",
    "scoring/test_pegs.py::test_the_check_of_a_game_understands_all_that_it_says": "checks of games with mistakes",
    "fresh/test_install.py": "packages that are built and installed",
    "test_wheel.py": "packages that are built and installed",
    "test_separate_game.py": "packages that are built and installed",
    "test_tutorial.py": "packages that are built and installed",
    "test_benchmarks.py": "benchmarks",
}
# Of these, every day: an evening of each game and an event, in a browser; and what a renamed function breaks.
EVERY_DAY = {
    "browser/test_any_game.py",
    "browser/test_events.py::test_eight_meet_everybody_with_a_phone_at_each_table",
    "world/test_world.py::test_every_bug_is_planted_in_code_that_is_still_there",
}

EVERY_DAYS = "not apart"  # as `make test` calls pytest

# Of a test with such a parameter, PostgreSQL runs the first only: every game and language has the same statements.
OF_NO_DATABASE = {"slug", "language", "locale"}

OUTCOMES = pytest.StashKey[list[bool]]()  # of a test's setup, call and teardown: whether each passed

# How a browser test fails on a machine that is too busy. It is tried once more, and listed as a rerun.
TOO_SLOW = ["TimeoutError", "Locator expected", "Page expected"]


@pytest.hookimpl(optionalhook=True)  # mutants are tried without pytest-xdist
def pytest_xdist_auto_num_workers() -> int:
    """Use three processes for two processors: browser tests and servers in processes of their own wait a lot."""
    return max(1, (os.cpu_count() or 1) * 3 // 2)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "apart: not one of every day's tests; `make test-all` runs them")
    config.addinivalue_line("markers", "once_on_postgresql: with the first parameters only; the others store the same")
    config.addinivalue_line("markers", "without_service_worker: on phones that have none, where a page opens sooner")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Number the cases of bytes: packed ones hold the time, and each process of pytest-xdist needs the same names."""
    return argname if isinstance(val, bytes) else None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Spare every day's tests the time that it takes to import the others."""
    parts = collection_path.relative_to(TESTS).parts if TESTS in collection_path.parents else ()
    is_apart = "/".join(parts) in APART and not any(name.startswith(f"{parts[0]}/") for name in EVERY_DAY)
    return True if is_apart and config.option.markexpr == EVERY_DAYS else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On PostgreSQL, run only the tests that use a database. Try a browser test again if it waited in vain."""
    for item in items:
        if _is_apart(item):
            item.add_marker(pytest.mark.apart)
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=TOO_SLOW))
    if os.environ.get("RULES_ONCE"):
        _leave_out(config, items, {item for item in items if item.path.parent.name in RULES and _is_repeated(item)})
    if ON_POSTGRESQL:
        chosen = {item for item in items if "databases" in getattr(item, "fixturenames", ())}
        chosen -= {item for item in items if item.get_closest_marker("sqlite") or _is_database_independent(item)}
        chosen -= {item for item in items if _differs_in_no_statement(item)}
        if repeats.FOLDER:
            every_day = {item.nodeid for item in chosen if not item.get_closest_marker("apart")}
            left_out = repeats.find_repeats(every_day)
            chosen = {item for item in chosen if item.nodeid not in left_out}
        _leave_out(config, items, set(items) - chosen)
        if programs() is None and not IN_CI:
            for item in items:
                item.add_marker(pytest.mark.skip(reason=NO_POSTGRESQL))
    of_others = turns.find_tests_of_other_turns(item.nodeid for item in items if item.get_closest_marker("apart"))
    _leave_out(config, items, {item for item in items if item.nodeid in of_others})


def _leave_out(config: pytest.Config, items: list[pytest.Item], left_out: set[pytest.Item]) -> None:
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish() -> None:
    branches.pause()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Write down what a test on SQLite does with the database, for PostgreSQL, and which branches it reaches."""
    with branches.measured(item.nodeid):
        if not repeats.FOLDER or ON_POSTGRESQL:
            return (yield)
        with repeats.recorded(item.nodeid) as outcomes:
            item.stash[OUTCOMES] = outcomes
            return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report: Any = yield
    item.stash.get(OUTCOMES, []).append(report.passed)
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the skipped tests, one line per reason."""
    reasons = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", []))
    for reason, times in reasons.most_common():
        tests = "1 test" if times == 1 else f"{times} tests"
        terminalreporter.write_line(f"Skipped {tests}: {reason.removeprefix('Skipped: ')}")
    if terminalreporter.config.option.markexpr == EVERY_DAYS:
        left_out = ", ".join(dict.fromkeys(APART.values()))
        terminalreporter.write_line(f"Left out: {left_out}, and PostgreSQL. `make test-all` runs everything.")


def _is_apart(item: pytest.Item) -> bool:
    if TESTS not in item.path.parents:
        return False
    path = item.path.relative_to(TESTS)
    module = path.as_posix()
    names = {path.parts[0], module, f"{module}::{getattr(item, 'originalname', '')}"}
    needs_server = "postgresql" in getattr(item, "fixturenames", ())
    return names.isdisjoint(EVERY_DAY) and (needs_server or not names.isdisjoint(APART))


def _is_repeated(item: pytest.Item) -> bool:
    """Whether the same test runs with other parameters before. Every sheet that was worked out by hand counts."""
    return item.path.stem != "test_cases" and hasattr(item, "callspec") and any(item.callspec.indices.values())


def _is_database_independent(item: pytest.Item) -> bool:
    """Whether it is a browser test: pages are the same on both databases. One module runs on both all the same."""
    return item.path.parent.name == "browser" and item.path.stem != "test_two_phones"


def _differs_in_no_statement(item: pytest.Item) -> bool:
    """Whether the same test with other parameters runs on PostgreSQL, and these change nothing for the database."""
    indices: dict[str, int] = item.callspec.indices if hasattr(item, "callspec") else {}
    once = item.get_closest_marker("once_on_postgresql") is not None
    return any(index for name, index in indices.items() if once or name in OF_NO_DATABASE)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Cluster]:
    """A PostgreSQL server that does not sync to disk."""
    if programs() is None:
        if IN_CI:
            pytest.fail("there is no PostgreSQL, and CI needs one")
        pytest.skip(NO_POSTGRESQL)
    with running_cluster() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """SQLite databases."""
    return Files(tmp_path_factory.mktemp("database"))


@pytest.fixture(scope="session")
def databases(request: pytest.FixtureRequest) -> Databases:
    """Create databases: SQLite, or PostgreSQL where the environment asks for it."""
    chosen: Databases = request.getfixturevalue("postgresql" if ON_POSTGRESQL else "files")
    return chosen


@pytest.fixture
def database(databases: Databases, tmp_path: Path) -> Iterator[str]:
    """The address of a new database with the schema and no rows."""
    url = databases.make(tmp_path)
    yield url
    databases.drop(url)


@pytest.fixture
def app(database: str) -> Iterator[Flask]:
    with open_app(database) as app:
        yield app


@pytest.fixture
def make_app() -> Iterator[MakeApp]:
    """Create further apps; close the connections of all of them after the test."""
    with ExitStack() as apps:

        def make(database: str, **settings: Any) -> Flask:
            return apps.enter_context(open_app(database, **settings))

        yield make


@pytest.fixture(scope="module")
def full_table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AnyGame]:
    """Install a made-up game without a template: for eight, with choices that depend on others, and large numbers."""
    folder = tmp_path_factory.mktemp("translations")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(MADE_UP))
        _look_for_games_anew(folder)
        yield registry.games()["full-table"]
    _look_for_games_anew(folder)


@pytest.fixture(scope="module")
def paid_deals(full_table: AnyGame) -> AnyGame:
    """Return a made-up game, installed beside the other: its scores are payments, it has no end, partners change."""
    assert full_table
    return registry.games()["paid-deals"]


@pytest.fixture(scope="module")
def pegs(full_table: AnyGame) -> AnyGame:
    """Return a made-up game, installed beside the others: counts within a deal, sides only of four, a lost end."""
    assert full_table
    return registry.games()["pegs"]


def _look_for_games_anew(folder: Path) -> None:
    find_entry_points.cache_clear()
    registry._installed.cache_clear()
    for texts in (folder, folder / "none"):  # a change of the host's texts: all texts are read again
        i18n.use_host_folder(texts)


@pytest.fixture
def visitor(app: Flask) -> Visitor:
    return Visitor(app)


@pytest.fixture
def another(app: Flask) -> Visitor:
    """A second browser, without cookies."""
    return Visitor(app)


class Server:
    """The real server in its own process, on the database at this address."""

    program: tuple[str, ...] = ("-m", "scorekeeper")

    def __init__(self, folder: Path, database: str) -> None:
        self.folder = folder
        self.database = database
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.apps = ExitStack()

    def start(self) -> None:
        # A proxy may say where a phone is: new circles are limited for each address.
        own = {"SCOREKEEPER_INSTANCE": str(self.folder), "DATABASE_URL": self.database, "SCOREKEEPER_PROXIES": "1"}
        environment = os.environ | own
        command = [sys.executable, *self.program, "run", "--host", "127.0.0.1", "--port", str(self.port)]
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603  # our own command
                command, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        self.wait_until_served()

    def wait_until_served(self) -> None:
        """Wait until the server responds. Raises RuntimeError with the server's log if it exits or does not respond."""
        for _ in range(600):
            try:
                urllib.request.urlopen(self.url, timeout=60)  # noqa: S310  # a loopback address
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
            else:
                return
        raise RuntimeError((self.folder / "server.log").read_text())

    def visitor(self) -> Visitor:
        """A browser without scripts, on the same database and with cookies valid for the server."""
        return Visitor(self.app())

    def app(self) -> Flask:
        """An app in this process, on the same database."""
        secret = (self.folder / "secret_key").read_text()
        return self.apps.enter_context(open_app(self.database, SECRET_KEY=secret))

    def stop(self) -> None:
        self.apps.close()
        self.process.terminate()
        self.process.wait(timeout=20)

    def kill(self) -> None:
        """Kill the server's processes without a clean shutdown."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=20)
        for _ in range(200):  # its workers end a moment later, and only then release the port
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)):
                    return
            time.sleep(0.05)
        raise RuntimeError("the server's port is still in use")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("instance")
    server = Server(folder, databases.make(folder))
    server.start()
    yield server
    server.stop()


def require_program(name: str, path: str | Path | None) -> None:
    """Skip the test if a program is missing, that is, `path` is None. In CI, fail instead."""
    if path is None and IN_CI:
        pytest.fail(f"there is no {name}, and CI needs it")
    if path is None:
        pytest.skip(f"there is no {name} on this machine")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    require_program("Chromium", CHROMIUM)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def phone(request: pytest.FixtureRequest, chromium: Browser, server: Server) -> Iterator[Callable[..., Page]]:
    """Create phones: browsers of 390×844 with touch. Errors in a page's scripts fail the test."""
    plain = request.node.get_closest_marker("without_service_worker") is not None
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def make(**settings: Any) -> Page:
        options: dict[str, Any] = {
            "viewport": PHONE,
            "has_touch": True,
            "is_mobile": True,
            "locale": "en-GB",
            "base_url": server.url,
            "service_workers": "block" if plain else "allow",
            "extra_http_headers": {"X-Forwarded-For": next(ADDRESSES)},
        } | settings
        context = chromium.new_context(**options)
        context.set_default_timeout(TIMEOUT)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert not errors
