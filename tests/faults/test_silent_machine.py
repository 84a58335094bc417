"""The database's machine loses its power: its connections fail, although nothing closes them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ..databases import Cluster

TIMEOUT = 120  # seconds; with Linux' defaults it would take two hours
NAMESPACE = ("unshare", "--user", "--map-root-user", "--net")


def test_a_query_on_a_machine_that_falls_silent_fails_as_unavailable(careful: Cluster) -> None:
    if subprocess.run([*NAMESPACE, "true"], check=False, capture_output=True).returncode:  # noqa: S603  # Debian's own
        pytest.skip("this machine allows no network namespaces")
    server = Path(careful.folder) / f".s.PGSQL.{careful.port}"
    command = [*NAMESPACE, sys.executable, "-m", "tests.faults.silent_machine", str(server)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=TIMEOUT)  # noqa: S603  # our own
    assert (done.stdout, done.stderr) == ("away\n", "")
