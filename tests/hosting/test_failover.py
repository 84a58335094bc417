"""The machine of the database is killed under load: a standby takes over, and no acknowledged entry is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import Event

import pytest

from scorekeeper.models import Revision, db

from ..conftest import IN_CI
from ..faults.phones import Phone, audit, in_threads, keep_entering, wait_for
from .cluster import PASSWORD, PATIENCE, Cluster
from .site import Site, missing, running

# How many times the primary is killed. The tests of a release: `FAILOVERS=10 pytest -s tests/hosting/test_failover.py`.
FAILOVERS = int(os.environ.get("FAILOVERS", "1"))
EACH = 20  # minimum number of entries acknowledged before each kill, and after it
TABLES = 3
PHONES = 6


@pytest.fixture
def site(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    lacking = missing()
    if lacking:
        assert not IN_CI, f"CI needs {lacking}"
        pytest.skip(f"there is no {' or '.join(lacking)} on this machine")
    folder = tmp_path_factory.mktemp("site")
    folder.chmod(0o755)  # nginx runs as another user
    with running(folder, cluster.url) as started:
        yield started


def test_killing_the_primary_under_load_loses_no_acknowledged_entry(cluster: Cluster, site: Site) -> None:
    kill_under_load(cluster, site, fail_over)


@pytest.mark.skipif(FAILOVERS == 1, reason="the standby is killed in the long form of this test only: FAILOVERS=10")
def test_killing_the_standby_under_load_loses_no_acknowledged_entry(cluster: Cluster, site: Site) -> None:
    kill_under_load(cluster, site, lose_standby)


def kill_under_load(cluster: Cluster, site: Site, kill: Callable[[Cluster, list[Phone]], float]) -> None:
    others = count_entries(site)
    host = site.phone()
    tables = [host.open_table() for _ in range(TABLES)]
    phones = [site.phone(number) for number in range(PHONES)]
    for phone in phones:
        host.let_in(tables[0], phone)
    stop = Event()
    with in_threads([partial(keep_entering, phone, tables, stop) for phone in phones]):
        try:
            outages = [kill(cluster, phones) for _ in range(FAILOVERS)]
        finally:
            stop.set()
    with site.app() as app:
        done = audit(app, phones, others)
    again = sum(phone.sent_again for phone in phones)
    print(f"{kill.__name__}, {FAILOVERS} times: {done}; sent again {again} times")
    print("outages in seconds:", " ".join(f"{outage:.1f}" for outage in sorted(outages)))
    assert done.acknowledged >= 2 * EACH * FAILOVERS


def test_a_server_that_finds_only_a_standby_does_not_start_and_says_why(cluster: Cluster, tmp_path: Path) -> None:
    """systemd starts it again, until there is a primary."""
    standby = cluster.other(cluster.primary)
    settings = {"DATABASE_URL": cluster.address_of(standby), "SCOREKEEPER_INSTANCE": str(tmp_path)}
    command = [sys.executable, "-m", "scorekeeper", "run", "--port", "0"]
    env = os.environ | settings
    done = subprocess.run(command, check=False, env=env, capture_output=True, text=True, timeout=PATIENCE)  # noqa: S603  # our own
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert "session is read-only" in done.stderr
    assert PASSWORD not in done.stderr


def fail_over(cluster: Cluster, phones: list[Phone]) -> float:
    """Kill the primary and bring its machine back as the standby; return for how long nothing was acknowledged."""
    sent_again = sum(phone.sent_again for phone in phones)
    wait_for(phones, EACH)
    killed = cluster.primary
    other = cluster.other(killed)
    began = time.monotonic()
    killed.kill()
    away = phones[0].ask(phones[0].entries[0].table)
    assert (away.status, away.headers["Retry-After"]) == (503, "5")
    other.wait_for("primary")
    wait_for(phones, EACH)
    outage = longest_pause(phones, began)
    assert sum(phone.sent_again for phone in phones) > sent_again
    killed.start()
    killed.wait_for("synchronous")
    assert other.answers("primary")
    return outage


def lose_standby(cluster: Cluster, phones: list[Phone]) -> float:
    """Kill the standby and bring it back; return for how long nothing was acknowledged."""
    wait_for(phones, EACH)
    primary = cluster.primary
    standby = cluster.other(primary)
    began = time.monotonic()
    standby.kill()
    wait_for(phones, EACH)
    outage = longest_pause(phones, began)
    standby.start()
    standby.wait_for("synchronous")
    assert primary.answers("primary")
    return outage


def longest_pause(phones: list[Phone], since: float) -> float:
    """Return the longest time between two acknowledgements, of whichever phones."""
    times = sorted(entry.confirmed_at for phone in phones for entry in phone.entries if entry.confirmed_at >= since - 1)
    return max(later - earlier for earlier, later in pairwise(times))


def count_entries(site: Site) -> int:
    with site.app() as app, app.app_context():
        return db.session.scalar(db.select(db.func.count(Revision.id))) or 0
