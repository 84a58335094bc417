"""Run both README commands on bare Debian machines: `python3 -m tests.fresh [bookworm] [trixie]`, as root.

A machine is a chroot made by debootstrap, with only the packages that README.md names. It is mounted in a mount
namespace of this process, so nothing stays mounted, and the folders can be deleted afterwards. debootstrap's result and
pip's downloads are cached in ~/.cache/scorekeeper-ci for a week.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import scenario
from .machine import Machine

RELEASES = ("bookworm", "trixie")
INSIDE = "SCOREKEEPER_FRESH_FOLDER"  # set for the process in the namespace
MISSING = "Bare Debian machines are not tried: {}."


def main() -> int:
    releases = sys.argv[1:] or list(RELEASES)
    if folder := os.environ.get(INSIDE):
        return try_all(releases, Path(folder))
    if lacking := missing():
        print(MISSING.format(lacking), flush=True)
        return 0
    with tempfile.TemporaryDirectory(prefix="scorekeeper-fresh-", dir="/var/tmp", ignore_cleanup_errors=True) as folder:
        command = ["unshare", "--mount", "--propagation", "private", sys.executable, "-m", "tests.fresh", *releases]
        return subprocess.run(command, check=False, env=os.environ | {INSIDE: folder}).returncode  # noqa: S603  # ourselves


def missing() -> str:
    """Return why this machine cannot run it; an empty string if it can."""
    if os.geteuid() != 0:
        return "only root can make a chroot"
    if not shutil.which("debootstrap"):
        return "debootstrap is not installed"
    tried = subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True)  # noqa: S607  # Debian's own
    return "" if tried.returncode == 0 else "this system does not let root mount anything"


def try_all(releases: list[str], folder: Path) -> int:
    started = time.monotonic()
    with ThreadPoolExecutor() as threads:
        passed = list(threads.map(lambda release: attempt(release, folder), releases))
    failed = [release for release, ok in zip(releases, passed, strict=True) if not ok]
    names = " and ".join(failed or releases)
    print(f"Bare Debian, {names}: {'FAILED' if failed else 'passed'} in {time.monotonic() - started:.0f} s", flush=True)
    return 1 if failed else 0


def attempt(release: str, folder: Path) -> bool:
    machine = Machine(release, folder / release)
    try:
        for step in scenario.steps(release):
            started = time.monotonic()
            step(machine)
            print(f"{release}: {step.__doc__} ({time.monotonic() - started:.0f} s)", flush=True)
    except Exception as error:  # continue with the other machine
        print(f"{release}: FAILED: {step.__doc__}\n{type(error).__name__}: {error}", flush=True)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
