"""The database cluster, which is slow to start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ..conftest import IN_CI
from . import cluster as clusters
from .cluster import Cluster


@pytest.fixture(scope="package")
def cluster() -> Iterator[Cluster]:
    """PostgreSQL on two machines. A test may kill them, and leaves them running."""
    lacking = clusters.missing()
    if lacking and IN_CI:
        pytest.fail(f"CI needs {lacking}")
    if lacking:
        pytest.skip(f"there is no {' or '.join(lacking)} on this machine")
    with clusters.running_cluster() as started:
        yield started
