"""Costs beside a bare Flask app and ihatemoney, each on its own stock server: `python -m tests.benchmarks`.

All have a SQLite file that syncs each commit, and are asked by one client on this machine, in turns: what else the
machine does slows down all of them. `--small` plays a hundredth, to try this module.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from html import unescape
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from statistics import median, quantiles
from threading import Event, Thread
from typing import Any
from urllib.parse import urlencode, urlsplit

from flask import Flask, redirect, render_template_string
from flask_sqlalchemy import SQLAlchemy
from flask_wtf import CSRFProtect, FlaskForm
from sqlalchemy import event, select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from wtforms import IntegerField, StringField
from wtforms.validators import InputRequired

from scorekeeper.site import rate_limits

from .support.apps import open_app
from .support.server import free_port

IHATEMONEY = ("ihatemoney==7.2.1", "gunicorn")
ROOT = Path(__file__).parents[1]
IS_SMALL = "--small" in sys.argv
MANY, FEW, ROUNDS, EACH = (30, 30, 4, 10) if IS_SMALL else (3_000, 30, 9, 20)
PHONES, SECONDS, PACE = (20, 3, 0.2) if IS_SMALL else (500, 30, 0.1)  # streams, how long, and seconds between entries
NAMES = ("Anne", "Bruno", "Chloé", "David", "Élise")
TAPS = ("tricks-2=9 welche=won-hearts holder=2", "tricks-3=3 tricks-4=2 tricks-5=1 tricks-1=1 welche=hidden")


# --- the floor: a bare Flask app that does as little as possible with the same libraries


class Base(DeclarativeBase):
    pass


class Row(Base):
    __tablename__ = "row"
    id: Mapped[int] = mapped_column(primary_key=True)
    amount: Mapped[int]
    what: Mapped[str]


class EntryForm(FlaskForm):
    amount = IntegerField(validators=[InputRequired()])
    what = StringField()


FORM = (
    "<!doctype html><form method=post>{{ form.csrf_token }}{{ form.amount }}{{ form.what }}<button>Add</button></form>"
)
PAGE = "<!doctype html><ol>{% for row in rows %}<li>{{ row.amount }} {{ row.what }}</li>{% endfor %}</ol>"


def create_floor() -> Flask:
    """Create the app that gunicorn serves as the floor: a form with one row committed, and a page of fifty rows."""
    app, db = Flask("floor"), SQLAlchemy(model_class=Base)
    app.config |= {"SECRET_KEY": "floor", "SQLALCHEMY_DATABASE_URI": os.environ["FLOOR_DATABASE"]}
    db.init_app(app)
    CSRFProtect(app)

    @app.route("/entry", methods=["GET", "POST"])
    def entry() -> Any:
        form = EntryForm()
        if not form.validate_on_submit():
            return render_template_string(FORM, form=form)
        db.session.add(Row(amount=form.amount.data, what=form.what.data))
        db.session.commit()
        return redirect("/page", 303)

    @app.route("/page")
    def page() -> str:
        return render_template_string(PAGE, rows=db.session.scalars(select(Row).order_by(Row.id.desc()).limit(50)))

    def sync_each_commit(connection: Any, _record: Any) -> None:
        for pragma in ("journal_mode=WAL", "synchronous=FULL"):
            connection.execute(f"PRAGMA {pragma}")

    with app.app_context():
        event.listen(db.engine, "connect", sync_each_commit)
        db.create_all()
    return app


# --- servers, and a client


@contextmanager
def served(command: list[str], environment: Mapping[str, str], port: int, folder: Path) -> Iterator[Client]:
    """Run a server, and yield a client that knows in how many seconds it has given its first answer."""
    before = time.perf_counter()
    with (folder / "server.log").open("ab") as log:
        settings = {**os.environ, "MALLOC_ARENA_MAX": "1", **environment}  # as in every deployment
        process = subprocess.Popen(command, env=settings, cwd=ROOT, stdout=log, stderr=log)  # noqa: S603  # our own command
    client = Client(port, process.pid)
    try:
        while True:
            try:
                client.get("/")
                break
            except OSError:
                client.connection.close()
                if process.poll() is not None or time.perf_counter() - before > 60:
                    raise RuntimeError((folder / "server.log").read_text()) from None
                time.sleep(0.01)
        client.started = time.perf_counter() - before
        client.connection.close()  # one from before the server was set up has 40 ms more in each answer
        yield client
    finally:
        process.terminate()
        process.wait(timeout=30)


@dataclass
class Client:
    """A browser that keeps all cookies. `took`: milliseconds of its last request, to the last byte of the answer."""

    port: int
    process: int
    cookies: dict[str, str] = field(default_factory=dict)
    took: float = 0
    started: float = 0
    status: int = 0
    location: str = ""

    def __post_init__(self) -> None:
        self.connection = HTTPConnection("127.0.0.1", self.port, timeout=120)

    def get(self, path: str) -> str:
        return self._ask("GET", path, None, {})

    def post(self, path: str, form: Mapping[str, Any], **headers: str) -> str:
        encoded = urlencode(form, doseq=True)
        return self._ask("POST", path, encoded, {"Content-Type": "application/x-www-form-urlencoded"} | headers)

    def _ask(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> str:
        headers = {"Accept-Language": "en", "Cookie": self.cookie} | headers
        before = time.perf_counter()
        try:
            answer, text = self._answer(method, path, body, headers)
        except (OSError, HTTPException):  # the server has closed a connection that was idle
            self.connection.close()
            before = time.perf_counter()
            answer, text = self._answer(method, path, body, headers)
        self.took = 1000 * (time.perf_counter() - before)
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                key, _, content = value.partition(";")[0].partition("=")
                self.cookies[key] = content
        self.status, self.location = answer.status, urlsplit(answer.getheader("Location") or "").path
        return text

    def _answer(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> tuple[HTTPResponse, str]:
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        return answer, answer.read().decode(errors="replace")

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def timed(self, path: str) -> float:
        text = self.get(path)
        assert self.status == 200, (path, self.status, text[:2000])
        return self.took

    def megabytes(self) -> float:
        """Return the memory of the server's processes; what several share is divided among them."""
        children = Path(f"/proc/{self.process}/task/{self.process}/children").read_text().split()
        rolled = [Path(f"/proc/{each}/smaps_rollup").read_text() for each in (self.process, *children)]
        return sum(int(match) for text in rolled for match in re.findall(r"^Pss: +(\d+)", text, re.MULTILINE)) / 1000


def hidden(page: str, name: str) -> str:
    tag = next(tag for tag in re.findall(r"<input[^>]*>", page) if f'name="{name}"' in tag)
    found = re.search(r'value="([^"]*)"', tag)
    assert found
    return unescape(found[1])


# --- the contestants


class Floor:
    def __init__(self, client: Client) -> None:
        self.client, self.token = client, hidden(client.get("/entry"), "csrf_token")
        for _ in range(FEW):
            self.record()

    def record(self) -> float:
        self.client.post("/entry", {"amount": "7", "what": "Entry", "csrf_token": self.token})
        assert self.client.status == 303
        return self.client.took


class Project:
    """A project of ihatemoney with five members, who pay bills for all in turn."""

    def __init__(self, client: Client, name: str, bills: int) -> None:
        self.client, self.name, self.bills = client, name, 0
        form = {"name": name, "id": name, "password": "benchmark", "contact_email": "a@example.org"}
        form |= {"default_currency": "XXX", "csrf_token": hidden(client.get("/create"), "csrf_token")}
        self._post("/create", form)
        for member in NAMES:
            token = hidden(client.get(f"/{name}/"), "csrf_token")
            self._post(f"/{name}/members/add", {"name": member, "csrf_token": token})
        page = client.get(f"/{name}/add")
        self.token = hidden(page, "csrf_token")
        options = page.partition('name="payer"')[2].partition("</select>")[0]
        self.members = re.findall(r'value="(\d+)"', options)
        assert len(self.members) == len(NAMES), page
        for _ in range(bills):
            self.add()

    def add(self) -> float:
        self.bills += 1
        form = {"date": f"2026-{1 + self.bills % 12:02}-{1 + self.bills % 28:02}", "what": f"Bill {self.bills}"}
        form |= {"payer": self.members[self.bills % 5], "amount": f"{5 + self.bills % 40}", "bill_type": "Expense"}
        cookies = dict(self.client.cookies)
        self._post(
            f"/{self.name}/add",
            form | {"original_currency": "XXX", "csrf_token": self.token, "payed_for": self.members},
        )
        self.client.cookies = cookies  # else its cookie grows by a notice for each bill, since no page is opened
        return self.client.took

    def _post(self, path: str, form: Mapping[str, Any]) -> None:
        text = self.client.post(path, form)
        assert self.client.status in (302, 303), (self.client.status, text[:2000])


class Circle:
    """A circle of this app with tables of five at Francion, the game with the most payments."""

    def __init__(self, client: Client, app: Flask) -> None:
        """`app`: on the same database, to open more tables than a server allows in an hour."""
        rate_limits.TABLES_RATE = "1000000 per hour"
        self.client, self.app = client, app
        self.seen: dict[str, str] = {}  # by table
        self.played = 0
        self.token = hidden(client.get("/tables/new/francion"), "csrf_token")
        self.open_table(FEW)
        self.home = "/circles/" + client.get("/").partition('href="/circles/')[2].partition("/")[0] + "/"

    def open_table(self, deals: int) -> str:
        seats = {f"seat-{seat}": name for seat, name in enumerate(NAMES, start=1)}
        form = seats | {"key": secrets.token_urlsafe(12), "csrf_token": self.token, "dealer": "1"}
        inside = self.app.test_client()
        inside.set_cookie("scorekeeper", self.client.cookies["scorekeeper"])
        opened = inside.post("/tables/new/francion", data=form)
        assert opened.status_code == 303, opened.text[:2000]
        self.client.cookies["scorekeeper"] = inside.get_cookie("scorekeeper").value  # type: ignore[union-attr]  # it was set
        self.table = urlsplit(opened.location).path
        self.seen[self.table] = "0"
        self.recorded = 0
        for _ in range(deals):
            self.record()
        return self.table

    def record(self) -> float:
        """Record a deal as a page's script does."""
        self.played += 1
        self.recorded += 1
        taps = dict(tap.split("=") for tap in TAPS[self.played % 2].split())
        form = taps | {"do": "record", "csrf_token": self.token, "key": secrets.token_urlsafe(12)}
        text = self.client.post(
            f"{self.table}deals/new", form | {"seen": self.seen[self.table]}, Accept="application/json"
        )
        assert self.client.status == 200, text[:2000]
        self.seen[self.table] = json.loads(text)["seen"]
        return self.client.took

    def record_of_evening(self) -> float:
        """Record a deal at a table that has up to twice as many deals as an evening."""
        if self.recorded == 2 * FEW:
            self.open_table(FEW)
        return self.record()


def follow(circle: Circle) -> tuple[list[float], int]:
    """Record deals while phones follow the tables by streams; return milliseconds of the entries, and streams left."""
    pool, streams, stop = selectors.DefaultSelector(), list[socket.socket](), Event()
    tables = [circle.open_table(1) for _ in range(PHONES // 4)]
    found = re.search(r'data-stream="([^"]+)"', circle.client.get(tables[0]))
    assert found is not None
    for number in range(PHONES):
        table = tables[number % len(tables)]
        stream = socket.create_connection(("127.0.0.1", circle.client.port))
        path = found[1].replace(tables[0], table)
        stream.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {circle.client.cookie}\r\n\r\n".encode())
        pool.register(stream, selectors.EVENT_READ)
        streams.append(stream)

    def listen() -> None:
        while not stop.is_set():
            for key, _ in pool.select(0.5):
                if not key.fileobj.recv(1 << 16):  # type: ignore[union-attr]  # a socket
                    pool.unregister(key.fileobj)

    listener = Thread(target=listen)
    listener.start()
    time.sleep(2)
    took = []
    for number in range(int(SECONDS / PACE)):
        circle.table = tables[number % len(tables)]
        took.append(circle.record())
        time.sleep(max(0, PACE - took[-1] / 1000))
    stop.set()
    listener.join()
    left = len(pool.get_map())
    for stream in streams:
        stream.close()
    return took, left


# --- measuring


def install_ihatemoney() -> str:
    """Return the folder of the programs of its environment, and install it first if necessary."""
    folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "scorekeeper-benchmarks" / IHATEMONEY[0]
    if not (folder / "installed").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)  # noqa: S603  # our own command
        subprocess.run([str(folder / "bin" / "pip"), "install", "--quiet", *IHATEMONEY], check=True)  # noqa: S603  # as above
        (folder / "installed").touch()
    return str(folder / "bin")


def take_turns(contestants: Mapping[str, Callable[[], float]], each: int = EACH) -> dict[str, list[float]]:
    """Return the median of each round in milliseconds, by contestant. A first round is not counted."""
    medians: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(ROUNDS + 1):
        for name, once in contestants.items():
            medians[name].append(median(once() for _ in range(each)))
    return {name: values[1:] for name, values in medians.items()}


def print_all(times: Mapping[str, float]) -> None:
    print(", ".join(f"{name} {value:.3g} ms" for name, value in times.items()))


def show(what: str, value: float, unit: str, limit: float) -> None:
    print(f"| {what} | {value:.3g}{unit} | {limit:g}{unit} |{' **over**' if value > limit else ''}", flush=True)


def main() -> None:
    programs = install_ihatemoney()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = folder / "ihatemoney.cfg"
        database = f"SQLALCHEMY_DATABASE_URI = 'sqlite:///{folder}/ihatemoney.sqlite3'\nSECRET_KEY = 'benchmark'\n"
        settings.write_text(f"{database}SESSION_COOKIE_SECURE = False\n")

        def serve(command: list[str], **environment: str) -> Client:
            port = free_port()
            placed = [part.format(port=port) for part in command]
            return stack.enter_context(served(placed, environment, port, folder))

        gunicorn = ["gunicorn", "--threads", "8", "--bind", "127.0.0.1:{port}"]
        floor_command = [sys.executable, "-m", *gunicorn, "tests.benchmarks:create_floor()"]
        floor = Floor(serve(floor_command, FLOOR_DATABASE=f"sqlite:///{folder}/floor.sqlite3"))
        theirs = [f"{programs}/gunicorn", *gunicorn[1:], "ihatemoney.wsgi:application"]
        other = serve(theirs, IHATEMONEY_SETTINGS_FILE_PATH=str(settings))
        ours = [sys.executable, "-m", "scorekeeper", "run", "--host", "127.0.0.1", "--port", "{port}"]
        with ExitStack() as first:  # makes the database
            port = free_port()
            placed = [part.format(port=port) for part in ours]
            first.enter_context(served(placed, {"SCOREKEEPER_INSTANCE": str(folder)}, port, folder))
        house = serve(ours, SCOREKEEPER_INSTANCE=str(folder))
        fill = open_app(f"sqlite:///{folder}/scorekeeper.sqlite3", SECRET_KEY=(folder / "secret_key").read_text())
        circle, few = Circle(house, stack.enter_context(fill)), Project(other, "few", FEW)
        page_of_few = lambda: other.timed("/few/")  # noqa: E731
        took = take_turns(
            {
                "floor record": floor.record,
                "floor page": lambda: floor.client.timed("/page"),
                "their record": few.add,
                "their page": page_of_few,
                "our record": circle.record_of_evening,
                "our page": lambda: house.timed(circle.table),
            }
        )
        print("| | measured | at most |\n| --- | ---: | ---: |")
        middle = {name: median(values) for name, values in took.items()}
        print_all(middle)
        show("a recorded deal, beside the floor's POST", middle["our record"] / middle["floor record"], " ×", 2.5)
        show("the same, beside ihatemoney's", middle["our record"] / middle["their record"], " ×", 0.5)
        show(
            f"a table's page of up to {2 * FEW} deals, beside the floor's page",
            middle["our page"] / middle["floor page"],
            " ×",
            2.5,
        )
        show("the same, beside ihatemoney's list", middle["our page"] / middle["their page"], " ×", 0.5)
        show("memory after an evening", house.megabytes(), " MB", 100)
        show("start to the first answer", house.started, " s", 1.5)
        entries, left = follow(circle)
        show(f"an entry while {left} phones follow, 95th percentile", quantiles(entries, n=20)[-1], " ms", 100)
        show("memory then", house.megabytes(), " MB", 150)
        project = Project(other, "many", 0)
        for _ in range(MANY):
            project.add()
            circle.open_table(1)
        took = take_turns(
            {
                "their list": lambda: other.timed("/many/"),
                "our list": lambda: house.timed(f"{circle.home}tables"),
                "their settling": lambda: other.timed("/many/settle_bills"),
                "our settling": lambda: house.timed(f"{circle.home}settlement"),
            },
            each=1,
        )
        middle = {name: median(values) for name, values in took.items()}
        print_all(middle)
        show(
            f"a list of {MANY} tables, beside ihatemoney's bills", middle["our list"] / middle["their list"], " ×", 0.02
        )
        settling = middle["our settling"] / middle["their settling"]
        show(f"*Settle up* at {MANY} tables, beside ihatemoney's", settling, " ×", 0.03)


if __name__ == "__main__":
    main()
