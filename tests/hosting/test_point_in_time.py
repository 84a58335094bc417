"""After a mistake, the database is restored from pgBackRest to the time before it, on both machines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import psycopg

from ..apps import open_app
from ..faults.phones import Entry, Phone, audit, number_of
from .cluster import STANZA, Cluster, Machine
from .site import TIMEOUT, App, until

EACH = 4  # entries before the backup, after it, and after the mistake


def test_a_mistake_is_undone_by_restoring_the_time_before_it(cluster: Cluster, tmp_path: Path) -> None:
    app = App(tmp_path, "app", settings_of(cluster, tmp_path))
    with closing(app.listener):
        app.start()
        until(app.is_ready, "the server does not start", TIMEOUT)
        others = revisions(cluster)
        primary = cluster.primary
        phone = Phone(app.url)
        table = phone.open_table()
        play(phone, table)
        primary.call("pgbackrest", f"--stanza={STANZA}", "backup")
        time.sleep(1)  # pgBackRest knows the end of a backup to the second, and restores one that ended before
        play(phone, table)
        kept = phone.entries[:]
        moment = now(primary)
        play(phone, table)  # the mistake
        newcomer = Phone(app.url)
        other_table = newcomer.open_table()
        assert app.stop() == 0
        restore(cluster, primary, moment)
        app.start()
        until(app.is_ready, "the server does not start again", TIMEOUT)
        assert_phone_goes_on(phone, table, kept)
        assert newcomer.ask(other_table).status == 404
        play(phone, table)
        assert app.stop() == 0
    run_scorekeeper(app, "verify")
    phone.entries = [*kept, *phone.entries[3 * EACH :]]
    with open_app(cluster.url, TESTING=False) as ours:
        done = audit(ours, [phone], others)
    assert done.acknowledged == 3 * EACH
    cluster.other(primary).wait_for("synchronous")


def settings_of(cluster: Cluster, folder: Path) -> dict[str, str]:
    return {
        "DATABASE_URL": cluster.url,  # which may have circles of other tests, so that no key may be made anew
        "SECRET_KEY": "the same for every server of a site",
        "SCOREKEEPER_INSTANCE": str(folder / "instance"),
        "SCOREKEEPER_LOG": "json",
    }


def run_scorekeeper(app: App, *arguments: str) -> None:
    command = [sys.executable, "-m", "scorekeeper", *arguments]
    done = subprocess.run(command, check=False, env=os.environ | app.settings, capture_output=True, text=True)  # noqa: S603  # our own command
    assert done.returncode == 0, done.stdout + done.stderr


def play(phone: Phone, table: str) -> None:
    for _ in range(EACH):
        phone.enter(table, phone.score())


def now(machine: Machine) -> str:
    """Return the time between what was written before and what is written next."""
    time.sleep(0.1)
    moment = str(machine.execute("SELECT clock_timestamp()")[0][0])
    time.sleep(0.1)
    return moment


def revisions(cluster: Cluster) -> int:
    return int(cluster.primary.execute("SELECT count(*) FROM revision", "scorekeeper")[0][0])


def restore(cluster: Cluster, primary: Machine, moment: str) -> None:
    """Restore both machines as docs/hosting.md says."""
    standby = cluster.other(primary)
    standby.stop()
    primary.stop()
    target = ["--type=time", f"--target={moment}", "--target-action=promote"]
    primary.call("pgbackrest", f"--stanza={STANZA}", "--delta", *target, "restore")
    start = ["pg_ctl", "--pgdata", str(primary.data), "--log", str(primary.folder / "restored.log")]
    primary.call(*start, "start")
    until(lambda: is_open(primary), "the restored database is not open", TIMEOUT)
    primary.call(*start, "stop")
    primary.call("patronictl", "-c", str(primary.config), "remove", "scorekeeper", said="scorekeeper\nYes I am aware\n")
    primary.start()
    primary.wait_for("primary")
    standby.call("rm", "--recursive", str(standby.data))
    standby.start()
    standby.wait_for("synchronous")


def is_open(machine: Machine) -> bool:
    try:
        return machine.execute("SELECT pg_is_in_recovery()") == [(False,)]
    except psycopg.OperationalError:  # it still starts
        return False


def assert_phone_goes_on(phone: Phone, table: str, kept: list[Entry]) -> None:
    """A phone that has seen what is gone shows the table as it is now, and its next entry is recorded in its place."""
    update = phone.ask(f"{table}now", seen=str(3 * EACH))
    assert (update.status, update.headers["ETag"].partition(".")[0]) == (200, f'"{len(kept)}')
    page = phone.ask(table).text
    assert f"{table}deals/{len(kept)}" in page
    assert f"{table}deals/{len(kept) + 1}" not in page
    early = phone.post(table, phone.score() | {"key": "early", "seen": str(3 * EACH)})
    assert "stale" in json.loads(early.text)
    assert number_of(json.loads(early.text)["seen"]) == len(kept)
