"""An evening that is recorded: run as a program, it plays it on real servers below a folder.

It writes into the file `marks` when a part begins and when a write was acknowledged, so that the record of the system
calls holds both in their order. An acknowledgement is a query of the database with its result, or a file that is there.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bs4 import BeautifulSoup, Tag
from click.testing import CliRunner

from scorekeeper.cli.main import main as command
from scorekeeper.limits import MAX_NOTE
from scorekeeper.testing.guest import filled_in

from ..ports import free_port
from .phones import PLAYERS, Phone

MARKS = "marks"
NEW, OLD = "new", "old"  # instance folders: one that the first start makes, and one of an earlier version
DATABASE = "scorekeeper.sqlite3"
FORM = "form[method=post]"
MORE_TABLES = 500  # each of two pages of the database
BACKUP = "a backup"  # the part after whose beginning all is forgotten that a restore takes away
PART, KEYED, STORED, KEPT, RESTORING, RESTORED = "part", "keyed", "stored", "kept", "restoring", "restored"


class Marks:
    """The file in which acknowledgements are noted, each by one write."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / MARKS, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.instance = NEW

    def begin(self, part: str, instance: str = NEW) -> None:
        self.instance = instance
        self._write(PART, part)

    def note_restore(self, *, done: bool) -> None:
        """Note that a restore to what was acknowledged before the last `backup` begins, or is acknowledged."""
        self._write(RESTORED if done else RESTORING)

    def note_rows(self, query: str, result: int, **parameters: str | int) -> None:
        self._write(STORED, query, parameters, result)

    def note_key(self, key: str) -> None:
        """Note that an entry with this key was acknowledged: it must be stored once."""
        self._write(KEYED, key)

    def note_file(self, name: str) -> None:
        self._write(KEPT, name)

    def _write(self, kind: str, *what: Any) -> None:
        os.write(self._file, (json.dumps([self.instance, kind, *what]) + "\n").encode())


class Browser(Phone):
    """A browser without scripts, which notes the answers it gets."""

    def __init__(self, url: str, marks: Marks) -> None:
        super().__init__(url)
        self.marks = marks
        self.path = "/"
        self.page = BeautifulSoup()

    def visit(self, path: str, form: dict[str, str] | None = None) -> Browser:
        answer = self.ask(path, form)
        assert answer.status == 200, (path, answer.status, answer.text)
        self.path = answer.path.partition("?")[0]
        self.page = BeautifulSoup(answer.text, "html.parser")
        return self

    def send(self, fields: dict[str, str], action: str | None = None, css: str = FORM) -> Browser:
        """Send the first such form whose address ends so, by default the page's own, and note its key."""
        self.marks.note_key(self.submit(fields, action, css)["key"])
        return self

    def submit(self, fields: dict[str, str], action: str | None = None, css: str = FORM) -> dict[str, str]:
        """Send a form and return all its fields."""
        end = self.path if action is None else action
        form: Tag = next(form for form in self.page.select(css) if str(form.get("action", self.path)).endswith(end))
        data = filled_in(form) | fields
        self.visit(str(form.get("action", self.path)), data)
        problems = self.page.select(".problem")
        assert not problems, problems
        return data


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """Run the server on an instance folder, and yield its address."""
    port = free_port()
    arguments = [sys.executable, "-m", "scorekeeper", "run", "--host", "127.0.0.1", "--port", str(port)]
    environment = os.environ | {"SCOREKEEPER_INSTANCE": str(folder)}
    server = subprocess.Popen(arguments, env=environment, stdout=subprocess.DEVNULL)  # noqa: S603  # our own command
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(url, server)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=60)


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    while server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=60)  # noqa: S310  # a loopback address
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("the server does not start")


def call(folder: Path, *arguments: str) -> str:
    """Run a command of Scorekeeper in this process, which takes less time than to start another."""
    done = CliRunner().invoke(command, arguments, env={"SCOREKEEPER_INSTANCE": str(folder)})
    assert done.exit_code == 0, (arguments, done.output, done.exception)
    return done.output


def play(folder: Path) -> None:
    marks = Marks(folder)
    new, old = folder / NEW, folder / OLD
    marks.begin("a first start")
    with running(new) as url:
        browser = Browser(url, marks)
        table = _deals(browser)
        circle = _settlement(browser, table)
        _people(browser, circle)
        _event(browser, circle)
        marks.begin("an export")
        call(new, "export-circle", circle, str(new / "circle.json"))
        marks.note_file("circle.json")
        marks.begin(BACKUP)
        call(new, "backup", str(new / "backup.sqlite3"))
        marks.note_file("backup.sqlite3")
        browser.visit(f"{table}deals/new").send({"tricks": "ns-2", "do": "record"})
        marks.begin("a restore")
        marks.note_restore(done=False)
        call(new, "restore", "--yes", str(new / "backup.sqlite3"))
        marks.note_restore(done=True)
        marks.note_file(next(new.glob("before-restore-*")).name)
        browser.visit(f"{table}deals/new").send({"tricks": "ew-1", "do": "record"})
        marks.begin("a stop")
    marks.begin("an upgrade", OLD)
    with closing(sqlite3.connect(old / DATABASE)) as connection:
        (deals,) = connection.execute("SELECT count(*) FROM revision").fetchone()
    with running(old) as url:
        browser = Browser(url, marks)
        marks.note_rows("SELECT count(*) >= :deals FROM revision", 1, deals=deals)
        _deals(browser, 2)
        marks.begin("an import", OLD)
        with TemporaryDirectory() as outside:
            long = _lengthen(new / "circle.json", Path(outside) / "circle.json")
            imported = re.search(r"/join/([\w-]+)/", call(old, "import-circle", str(long)))
        assert imported is not None
        marks.note_rows("SELECT count(*) FROM circle WHERE name = :name", 1, name=imported[1])
        _deals(browser, 1)


def _lengthen(circle: Path, file: Path) -> Path:
    """Write a circle's file with more tables: so many pages that SQLite copies its log into the database afterwards."""
    document = json.loads(circle.read_bytes())
    last = document["tables"][-1]
    for number in range(1, MORE_TABLES + 1):
        more = {"number": last["number"] + number, "revisions": [], "note": "🂡" * MAX_NOTE}
        document["tables"].append({name: value for name, value in (last | more).items() if name != "key"})
    file.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return file


def _open_table(browser: Browser, names: Iterable[str]) -> str:
    """Open a table with these players; return its path."""
    seats = {f"seat-{seat}": name for seat, name in enumerate(names, start=1)}
    browser.visit("/tables/new/whist").submit(seats | {"dealer": "1"})
    opened = "SELECT count(*) FROM card_table WHERE token = :token"
    browser.marks.note_rows(opened, 1, token=browser.path.split("/")[2])
    return browser.path


def _deals(browser: Browser, number: int = 8) -> str:
    """Open a table and record deals; return the table's path."""
    table = _open_table(browser, PLAYERS)
    browser.marks.begin("deals", browser.marks.instance)
    for _ in range(number):
        browser.visit(f"{table}deals/new").send({"tricks": "ns-5", "do": "record"})
    browser.visit(f"{table}deals/1/amend").send({"tricks": "ns-4", "do": "record"})
    browser.visit(f"{table}deals/{number}").send({}, "/withdraw")
    return table


def _settlement(browser: Browser, table: str) -> str:
    """Pay what the table's players owe; return the circle's name."""
    browser.marks.begin("a settlement")
    browser.visit(f"{table}settlement").send({}, "", ".due form.pay")
    found = re.search(r"/circles/([\w-]+)/", str(browser.visit("/").page))
    assert found is not None
    browser.visit(f"/circles/{found[1]}/payments").submit({}, "/1/withdraw")
    browser.marks.note_rows("SELECT count(*) FROM payment WHERE withdraws IS NOT NULL", 1)
    browser.visit(f"/circles/{found[1]}/settlement").send({}, "", ".due form.pay")
    return found[1]


def _people(browser: Browser, circle: str) -> None:
    """Rename a person and erase another."""
    browser.marks.begin("an erasure")
    _open_table(browser, ("Zoé", "Yann", "Ida", "Jan"))
    people = f"/circles/{circle}/people"
    links = browser.visit(people).page.select(".roll a.who")
    numbers = {str(link.strong.get_text()): str(link["href"]).rpartition("/")[2] for link in links if link.strong}
    browser.visit(f"{people}/{numbers['Yann']}").submit({"name": "Ludo"}, "/rename")
    named = "SELECT count(*) FROM player WHERE name = :name"
    browser.marks.note_rows(named, 1, name="Ludo")
    browser.visit(f"{people}/{numbers['Zoé']}/erase").submit({"typed": "Zoé"}, "/erase")
    browser.marks.note_rows(named, 0, name="Zoé")


def _event(browser: Browser, circle: str) -> None:
    """Play a round of an event."""
    browser.marks.begin("an event")
    browser.visit(f"/circles/{circle}/events/new?format=individual")
    browser.send({"title": "Drive", "game": "whist", "scoring": "tricks", "rounds": "2", "length": "1"})
    event = browser.path.removesuffix("/entrants")
    browser.submit({"names": "\n".join(PLAYERS)}, "/names")
    browser.marks.note_rows("SELECT count(*) FROM entrant", 4)
    browser.visit(f"{event}/director").send({}, "/rounds")
    browser.visit(f"{event}/director").submit({}, "/start")
    browser.marks.note_rows("SELECT count(*) FROM event_round WHERE started_at IS NOT NULL", 1)
    browser.visit(f"{event}/tables/1").send({"score-0": "8"}, "/result")
    browser.visit(f"{event}/director").submit({}, "/finish")
    browser.marks.note_rows("SELECT count(*) FROM event WHERE finished_at IS NOT NULL", 1)


if __name__ == "__main__":
    play(Path(sys.argv[1]))
