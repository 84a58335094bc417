"""The steps of a new user on a bare Debian. A step's docstring is its line in the report."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..ports import free_port
from ..turns import TURN
from . import containers, hosting
from .machine import HOME, ROOT, Machine

Step = Callable[[Machine], None]
NEWEST = "trixie"  # the image of the containers is based on it
TIMEOUT = 300  # seconds until a page is served, including all downloads
PACKAGES = re.compile(r"^sudo apt install (.+)$", re.MULTILINE)
AFTERWARDS = "python3-venv"  # missing at first
NOT_NEEDED = {"git"}  # only fetches the checkout
# Instead of every day's tests: pages, the demonstration and commands, which show whether a bare machine lacks anything.
FEW = "tests/cli/test_command.py tests/web/tables/test_tables.py tests/web/pages/test_demo.py"
# Of another Python than that which runs all tests outside.
MORE = f"{FEW} tests/scoring"


def steps(release: str) -> list[Step]:
    """Return the steps for a release: of those before the newest, what differs with Debian's packages and Python.

    What takes longest is tried in turn, if several runs try tests in turn.
    """
    turn, turns = map(int, TURN.split("/"))
    if release != NEWEST:
        guide = [follow_guide] if turn == 1 else []
        return [make_machine, name_missing_package, serve, run_tests, *guide]
    first: list[Step] = [make_machine, name_missing_package, interrupt_first_run, serve, go_offline, move_folder]
    longest: list[Step] = [follow_containers, follow_guide]
    return [*first, run_tests, *(longest if turns == 1 else longest[turn % 2 :][:1])]


def packages() -> list[str]:
    """Return the packages that README.md says to install."""
    found = PACKAGES.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert found is not None
    names = found[1].split()
    assert AFTERWARDS in names
    return ["python3", *(name for name in names if name != AFTERWARDS and name not in NOT_NEEDED)]


def make_machine(machine: Machine) -> None:
    """a bare machine has the packages that README.md names, but for python3-venv"""
    machine.bootstrap(packages())
    machine.connect()
    machine.add_user()


def name_missing_package(machine: Machine) -> None:
    """`make run` names the missing package and makes nothing; then the package is installed"""
    output = machine.user("make run", status=2)
    expect(output, r"\APython cannot make virtual environments: run 'sudo apt install python3-venv'.*\nmake: .*\n\Z")
    assert not machine.has(".venv*")
    machine.root("apt-get update -q")
    machine.root(f"apt-get install -qy --no-install-recommends {AFTERWARDS}", DEBIAN_FRONTEND="noninteractive")


def interrupt_first_run(machine: Machine) -> None:
    """Ctrl-C while `make run` installs leaves nothing half made"""
    log = machine.folder / "interrupted.log"
    process = machine.start(machine.as_user("exec make run"), log)
    wait(lambda: machine.has(".venv/lib/*/site-packages/pip/__main__.py"), process, log)
    status = end(process, signal.SIGINT)
    assert status != 0
    expect(log.read_text(), "Interrupted: nothing is half installed")
    assert "Traceback" not in log.read_text(), log.read_text()
    assert not machine.has(".venv*")


def serve(machine: Machine) -> None:
    """`make run` serves pages"""
    port = free_port()
    command = machine.as_user(f"exec make run HOST=127.0.0.1 PORT={port}")
    with running(machine, command, lambda: is_healthy(port), signal.SIGINT) as output:
        expect(fetch(port, "/"), r"(?s)<!doctype html>.*<title>.*</html>")
        expect(fetch(port, "/tables/new/whist"), r"(?s)<form.*</form>")
    expect(output.read_text(), str(port))


def go_offline(machine: Machine) -> None:
    """newer pins without a network: `make` says so, and uses what is installed"""
    machine.user("cp requirements.lock /tmp/ && echo '# newer' >> requirements.lock")
    output = machine.offline("make install")
    expect(output, r"The network is needed .*\nConnect, .*\nUntil then the versions installed before are used.\n\Z")
    machine.user("cp /tmp/requirements.lock .")
    assert machine.offline("make install") == ""


def move_folder(machine: Machine) -> None:
    """`make run` serves pages in a folder that was moved"""
    moved = f"{HOME}/mes cartes à jouer"
    machine.user(f'cd .. && mv scorekeeper "{moved}"')
    machine.checkout = moved
    serve(machine)


def run_tests(machine: Machine) -> None:
    """`make test` passes"""
    machine.copy_cache(".mypy_cache")
    some = f"RULES_ONCE=1 make test TESTS='{MORE}'" if is_other_python(machine) else f"make test TESTS='{FEW}'"
    passed = re.findall(r"^(\d+) passed", machine.user(some), re.MULTILINE)
    print(f"{machine.release}: {passed[0]} tests passed", flush=True)


def is_other_python(machine: Machine) -> bool:
    """Whether its Python has another version than this one, with which `make test` runs all tests."""
    return f"Python {sys.version_info.major}.{sys.version_info.minor}." not in machine.user("python3 --version")


def follow_containers(machine: Machine) -> None:
    """`make release` builds everything, and docs/hosting.md checks, backs up, restores and upgrades containers"""
    if lacking := containers.missing():
        print(f"{machine.release}: no image is built: {lacking}", flush=True)
        return
    output = containers.follow(machine.release, machine.folder.with_name("containers"), packages())
    assert output.count(f"\nscorekeeper, version {containers.version()}\n") == 4, output
    assert re.findall(r"^pulled: (\w*)", output, re.MULTILINE) == ["", "", "yes", ""], output
    assert re.findall(r"^Verified (\d+) circle", output, re.MULTILINE) == ["1", "1", "2", "1"], output
    expect(output, "Restored from /var/backups/scorekeeper/copied-back.sqlite3")
    assert "Traceback" not in output, output


def follow_guide(machine: Machine) -> None:
    """docs/hosting.md, command by command, gives a site behind nginx that is backed up, upgraded and restored"""
    output = hosting.follow(machine)
    expect(output, r"\nhttps://scores.example.org/rules\n")
    expect(output, r"\nhttps://scores.example.org/scores/rules\n")
    expect(output, r"<title>.*\nHTTP/2\n")
    assert "[warn]" not in output, output
    assert '"level":"warn"' not in output, output


# --- a running server


@contextmanager
def running(
    machine: Machine, command: list[str], is_up: Callable[[], bool], stop: signal.Signals, **settings: str
) -> Iterator[Path]:
    """Start a server; yield its log file. Raises AssertionError if it does not start or logs a traceback."""
    log = machine.folder / "server.log"
    process = machine.start(command, log, **settings)
    try:
        wait(is_up, process, log)
        yield log
    finally:
        status = end(process, stop)
    assert "Traceback" not in log.read_text(), log.read_text()
    assert stop != signal.SIGTERM or status == 0, log.read_text()


def wait(condition: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    started = time.monotonic()
    while not condition():
        assert process.poll() is None, f"ended with status {process.returncode}:\n{log.read_text()}"
        assert time.monotonic() - started < TIMEOUT, f"not in {TIMEOUT} s:\n{log.read_text()}"
        time.sleep(0.1)


def end(process: subprocess.Popen[bytes], how: signal.Signals) -> int:
    """Send a signal to all processes, as a terminal does; return the exit status."""
    if process.poll() is None:
        os.killpg(process.pid, how)
    try:
        return process.wait(60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise


def is_healthy(port: int) -> bool:
    try:
        return fetch(port, "/health").startswith("ok ")
    except OSError:
        return False


def fetch(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
        text: str = answer.read().decode()
    return text


def expect(text: str, pattern: str) -> None:
    assert re.search(pattern, text), f"there is no {pattern} in:\n{text}"
