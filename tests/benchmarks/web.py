"""Compare the duration of requests with a bare Flask app and with ihatemoney.

Each contestant has one gunicorn worker of this app's class, a SQLite file with full synchronisation, and one client on
one connection, without compression. Durations are medians, from the first byte sent to the last byte received.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from . import ihatemoney, ours, phone
from .ihatemoney import Project
from .measuring import Contestant, Line, print_lines, ratio, take_turns
from .ours import AtTable, Recorder, WithTables
from .serving import Client, served

GAME = "francion"  # five players, like ihatemoney's five members, and the game with most payments per deal


@dataclass(frozen=True)
class Sizes:
    few: int  # deals or bills
    some: int
    many: int
    few_tables: int
    many_tables: int
    deals: int  # maximum at each table
    rounds: int
    each: int  # quick requests per round


FULL = Sizes(few=30, some=300, many=3_000, few_tables=100, many_tables=10_000, deals=45, rounds=15, each=20)
QUICK = Sizes(few=2, some=3, many=4, few_tables=1, many_tables=2, deals=2, rounds=1, each=1)

# The circle's pages. `{}` stands for a player's number.
CIRCLE_PAGES = {"history": "tables", "figures": "figures", "settle everything": "settlement", "player": "players/{}"}


class Floor:
    def __init__(self, client: Client) -> None:
        self.client = client
        self.token = client.get("/entry").hidden("csrf_token")

    def record(self) -> float:
        form = {"payer": "2", "amount": "7", "what": "Entry", "csrf_token": self.token}
        assert self.client.post("/entry", form).status == 303
        return self.client.took

    def anything_new(self) -> float:
        return self.client.timed("/now/group", 304, {"If-None-Match": '"30"'})


def measured(sizes: Sizes) -> tuple[dict[str, list[float]], list[Line]]:
    """Measure all contestants, then bytes and waiting time of a phone."""
    python_of_ihatemoney = ihatemoney.installed()  # may take minutes, in which our server would close connections
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))

        def serve(name: str, app: str, python: str, settings: Callable[[Path], dict[str, str]]) -> Client:
            home = folder / name
            home.mkdir()
            return stack.enter_context(served(python, app, settings(home), home))

        floor = serve("floor", "tests.benchmarks.floor:create_app()", sys.executable, _floor_settings)
        house = serve("ours", ours.APP, sys.executable, ours.settings)
        other = serve("ihatemoney", ihatemoney.APP, python_of_ihatemoney, ihatemoney.settings)
        contestants = dict(_of_the_floor(floor))
        contestants |= _of_ihatemoney(other, sizes)
        contestants |= _of_tables(house, sizes)
        contestants |= _of_circles(house, folder / "ours", sizes)
        took = take_turns(contestants, sizes.rounds, sizes.each)
        return took, list(_on_a_phone(house, sizes))


def _floor_settings(folder: Path) -> dict[str, str]:
    return {"FLOOR_DATABASE": f"sqlite:///{folder / 'floor.sqlite3'}"}


def _of_the_floor(client: Client) -> Iterator[tuple[str, Contestant]]:
    floor = Floor(client)
    yield "floor constant", Contestant(lambda: client.timed("/constant"))
    yield "floor 304", Contestant(floor.anything_new)
    yield "floor record", Contestant(floor.record)
    yield "floor page", Contestant(lambda: client.timed("/page"))


def _of_ihatemoney(client: Client, sizes: Sizes) -> Iterator[tuple[str, Contestant]]:
    adding = Project(client, "adding", sizes.few)
    yield "ihatemoney record", Contestant(adding.add, 10)
    for bills, each in ((sizes.few, 6), (sizes.some, 3), (sizes.many, 1)):
        project = Project(client, f"with-{bills}", bills)
        for name, path in (("list", ""), ("settle", "settle_bills"), ("statistics", "statistics")):
            yield f"ihatemoney {name} {bills}", Contestant(partial(project.page, path), each)


def _of_tables(client: Client, sizes: Sizes) -> Iterator[tuple[str, Contestant]]:
    for deals in (sizes.few, sizes.some, sizes.many):
        table = AtTable(client, GAME, deals)
        yield f"ours 304 {deals}", Contestant(table.anything_new)
        yield f"ours page {deals}", Contestant(table.page)
        yield f"ours preview {deals}", Contestant(table.preview)
        recorder = Recorder(client, GAME, deals, max(2, deals // 10))
        yield f"ours record {deals}", Contestant(recorder.record)
    settling = AtTable(client.another(), GAME, sizes.many)  # its circle's only table
    yield f"ours settle {sizes.many}", Contestant(settling.settle_everything)


def _of_circles(client: Client, folder: Path, sizes: Sizes) -> Iterator[tuple[str, Contestant]]:
    for tables in (sizes.few_tables, sizes.many_tables):
        circle = WithTables(client.another(), folder, tables, sizes.deals)
        for name, path in CIRCLE_PAGES.items():
            yield f"ours {name} {tables}", Contestant(partial(circle.page, path.format(circle.player)))


def _on_a_phone(client: Client, sizes: Sizes) -> Iterator[Line]:
    table = AtTable(client, GAME, sizes.few)
    with phone.chromium() as browser:
        visits = [phone.weighed(browser, client, table) for _ in range(min(3, sizes.rounds))]
        waits = [phone.waited(browser, client, table) / 1000 for _ in range(min(5, sizes.rounds))]
    yield Line("first visit of table and pad, all that is sent", [first for first, _ in visits], " KB", 60)
    yield Line("a repeat visit of both", [second for _, second in visits], " KB", 10)
    yield Line("until the pad can be used, on a phone 4 times slower, on Slow 4G, first visit", waits, " s", 2)


def lines(sizes: Sizes, took: dict[str, list[float]]) -> Iterator[Line]:
    few, many = sizes.few, sizes.many

    def beside(what: str, ours: str, theirs: str, limit: float) -> Line:
        return ratio(what, took[ours], took[theirs], limit)

    for deals in (few, many):
        yield beside(f"“anything new?” at {deals} deals, beside the floor's 304", f"ours 304 {deals}", "floor 304", 2)
    yield beside(f"record a deal at the {few}th, beside the floor's POST", f"ours record {few}", "floor record", 2)
    yield beside("the same beside ihatemoney's add", f"ours record {few}", "ihatemoney record", 1 / 3)
    yield beside(f"the same at the {many}th, beside the {few}th", f"ours record {many}", f"ours record {few}", 1.5)
    yield beside(f"table page at {few} deals, beside the floor's page", f"ours page {few}", "floor page", 2.5)
    yield beside("the same beside ihatemoney's list", f"ours page {few}", f"ihatemoney list {few}", 1 / 5)
    yield beside(f"the same at {many} deals, beside {few}", f"ours page {many}", f"ours page {few}", 1.5)
    yield beside("the same beside ihatemoney's list", f"ours page {many}", f"ihatemoney list {many}", 1 / 50)
    for deals in (few, many):
        yield beside(
            f"preview at {deals} deals, beside the table's page", f"ours preview {deals}", f"ours page {deals}", 1
        )
    for name in CIRCLE_PAGES:
        tables = f"{name} page at {sizes.many_tables} tables, beside {sizes.few_tables}"
        yield beside(tables, f"ours {name} {sizes.many_tables}", f"ours {name} {sizes.few_tables}", 2)
    settle = f"settle everything after {many} deals of five players, beside ihatemoney's after as many bills"
    yield beside(settle, f"ours settle {many}", f"ihatemoney settle {many}", 1 / 100)


def main(quick: bool) -> bool:
    sizes = QUICK if quick else FULL
    took, on_a_phone = measured(sizes)
    print_lines("milliseconds", [Line(name, times, " ms") for name, times in took.items()], judged=False)
    return print_lines("in one run", [*lines(sizes, took), *on_a_phone], judged=not quick)
