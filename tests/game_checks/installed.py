"""The small game installed for a command in a process of its own, as pip would leave it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .small_game import PACKAGE, SLUG


def install(package: Path) -> dict[str, str]:
    """Declare the game's entry point beside its package; return the environment in which it is installed."""
    metadata = package.parent / f"{PACKAGE}-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: 1\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(f"[scorekeeper.games]\n{SLUG} = {PACKAGE}:GAME\n", encoding="utf-8")
    return os.environ | {"PYTHONPATH": str(package.parent), "LC_ALL": "C.UTF-8"}


def run(folder: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m` with these arguments in a folder."""
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, check=False, cwd=folder, env=environment, capture_output=True, text=True)  # noqa: S603  # ours
