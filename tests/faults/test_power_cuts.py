"""The power fails at random moments of an evening: what was acknowledged is there once, and nothing is damaged.

`CUTS=10000` in the environment tries so many cuts instead of 25.
"""

from __future__ import annotations

import os
import shutil
import sys
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

import pytest

from ..conftest import require_program
from . import traced
from .evening import DATABASE, MARKS, NEW
from .power_cuts import Recording, find_faults, record
from .traced import SYNC, Operation

CUTS = int(os.environ.get("CUTS", "25"))


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    require_program("strace", traced.STRACE)
    folder = tmp_path_factory.mktemp("recording")
    record(folder)
    recording = Recording(folder)
    disk = folder / "disk"
    files = {str(path.relative_to(disk)): path.read_bytes() for path in disk.rglob("*") if path.is_file()}
    assert recording.final == {path: content for path, content in files.items() if path != MARKS}, "nothing is left out"
    return recording


def test_what_was_acknowledged_outlasts_a_power_cut(recording: Recording) -> None:
    failed = [(cut, faults) for cut, faults in find_faults(recording, range(CUTS)) if faults]
    print(f"{CUTS} power cuts in {len(recording.operations)} changes of files: {len(failed)} with faults")
    if failed:
        kept = Path(mkdtemp(prefix="power-cuts-")) / "recording"
        shutil.copytree(recording.folder, kept)
        lines = [f"cut {cut.number}, in {cut.part}: {faults[:3]}" for cut, faults in failed[:20]]
        again = f"{sys.executable} -m tests.faults.power_cuts {kept} {failed[0][0].number}"
        pytest.fail("\n".join([*lines, f"Repeat the first by: {again}"]))


SYNCED = {
    "the write-ahead log": f"/{DATABASE}-wal",
    "the database": f"/{DATABASE}",
    "a file that is written whole": "/unfinished",
    "the folder of the database": NEW,
    "the folder above it": ".",
}


def test_a_missing_sync_is_found(recording: Recording) -> None:
    for what, ending in SYNCED.items():
        careless = recording.without(partial(is_sync, ending))
        assert any(faults for _, faults in find_faults(careless, range(50))), what


def is_sync(ending: str, operation: Operation) -> bool:
    return operation.kind == SYNC and operation.path.endswith(ending)
