"""This app as a contestant: tables entered over HTTP, and circles with many tables."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import cycle
from pathlib import Path
from random import Random

from flask import Flask

from scorekeeper.db.upgrades import upgrade
from scorekeeper.games import games
from scorekeeper.models import Circle, Player, db
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.pad_state import taps_for

from .. import chance, many
from ..apps import open_app
from .serving import Answer, Client

APP = "scorekeeper:create_app()"
NAMES = ("Anne", "Bruno", "Chloé", "David", "Élise")
DIFFERENT = 60  # different deals, which are repeated


def settings(folder: Path) -> dict[str, str]:
    """Return the environment variables to run it with a migrated database in this folder."""
    with _app(folder) as app, app.app_context():
        upgrade()
    return {"DATABASE_URL": _database(folder), "SCOREKEEPER_INSTANCE": str(folder)}


def _database(folder: Path) -> str:
    return f"sqlite:///{folder / 'scorekeeper.sqlite3'}"


@contextmanager
def _app(folder: Path) -> Iterator[Flask]:
    with open_app(_database(folder)) as app:
        yield app


class AtTable:
    """A table with a number of deals, recorded by the pad's form; with the maximum number of players."""

    def __init__(self, client: Client, slug: str, deals: int = 0) -> None:
        self.client, self.game = client, games()[slug]
        self.players = max(self.game.player_counts)
        new = f"/tables/new/{slug}"
        form = {f"seat-{n}": name for n, name in enumerate(NAMES[: self.players], start=1)}
        form |= {f"rule-{name}": str(10**9) for name in ("target",) if name in self.game.options.__dataclass_fields__}
        hidden = {"opening_key": secrets.token_urlsafe(12), "csrf_token": client.get(new).hidden("csrf_token")}
        opened = client.post(new, form | hidden | {"dealer": "1"})
        assert opened.status in (302, 303), opened.text
        self.path = opened.headers["location"]
        self.token = self.client.get(f"{self.path}deals/new").hidden("csrf_token")
        self.recorded, self.seen, self.circle = 0, "0", ""
        self.deals = cycle(_deals(slug, self.players))
        for _ in range(deals):
            self.record()

    def record(self) -> float:
        """Record a deal as a page's script does; return the duration in milliseconds."""
        answer = self._send("record", {"Accept": "application/json"})
        assert answer.status == 200, answer.text
        self.recorded, self.seen = self.recorded + 1, json.loads(answer.text)["seen"]
        return self.client.took

    def preview(self) -> float:
        """Request the preview of a complete deal."""
        answer = self._send("preview")
        assert answer.status == 200, answer.text
        return self.client.took

    def _send(self, do: str, headers: Mapping[str, str] | None = None) -> Answer:
        form = {"do": do, "csrf_token": self.token, "seen": self.seen, "key": secrets.token_urlsafe(12)}
        return self.client.post(f"{self.path}deals/new", next(self.deals) | form, headers)

    def page(self, name: str = "") -> float:
        return self.client.timed(f"{self.path}{name}")

    def settle_everything(self) -> float:
        self.circle = self.circle or at_home(self.client)
        return self.client.timed(f"/circles/{self.circle}/settlement")

    def anything_new(self) -> float:
        tag = self.client.get(f"{self.path}now").headers["etag"]
        return self.client.timed(f"{self.path}now", 304, {"If-None-Match": tag})


class Recorder:
    """Records deals at tables with about a given number of deals; opens a new table after `grows` deals."""

    def __init__(self, client: Client, slug: str, deals: int, grows: int) -> None:
        self.client, self.slug, self.deals, self.grows = client, slug, deals - grows // 2, grows
        self.table = AtTable(client, slug, self.deals)

    def record(self) -> float:
        if self.table.recorded >= self.deals + self.grows:
            self.table = AtTable(self.client, self.slug, self.deals)
        return self.table.record()


@cache
def _deals(slug: str, players: int) -> list[dict[str, str]]:
    """Return the taps of random deals, none of which ends the partie; they are valid in any order."""
    game = games()[slug]
    rng = Random(1765)  # noqa: S311  # the same deals every time
    rules = {"target": 10**9} if "target" in game.options.__dataclass_fields__ else {}
    deals_taps: list[dict[str, str]] = []
    while len(deals_taps) < DIFFERENT:
        standing = game.open(tuple(map(str, range(1, players + 1))), "1", game.options(**rules))
        facts = chance.deal(game, standing, rng)
        taps = taps_for(game, standing, facts)
        if fold(game, standing, [facts]) is None and not standing.is_finished:
            deals_taps.append(taps)
    return deals_taps


def at_home(client: Client) -> str:
    """Return the client's circle."""
    return client.get("/").text.partition('href="/circles/')[2].partition("/")[0]


class WithTables:
    """A circle with a number of tables, and a client with access to it."""

    def __init__(self, client: Client, folder: Path, tables: int, deals: int) -> None:
        self.client = client
        AtTable(client, "whist")
        self.name = at_home(client)
        with _app(folder) as app, app.app_context():
            circle = db.session.scalars(db.select(Circle).filter_by(name=self.name)).one()
            db.session.add_all(Player(circle_id=circle.id, name=name) for name in ("Fanny", "Gaspard", "Hélène"))
            db.session.commit()
            many.play(circle, tables, apart=1, seed=tables, max_deals=deals)
            self.player = db.session.scalars(db.select(Player.token).filter_by(circle_id=circle.id)).first()

    def page(self, path: str) -> float:
        return self.client.timed(f"/circles/{self.name}/{path}")
