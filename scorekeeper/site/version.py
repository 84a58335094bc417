"""The version of the code: its tag, the commits since then, or the commit alone where there is no tag.

The file VERSION has it in what was built (deploy/build_hook.py) or exported by `git archive`. In a checkout, git is
asked: it changes with every pull. Only the standard library is imported, since the build needs this module too.
"""

from __future__ import annotations

import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
_UNKNOWN = "$"  # how VERSION begins in a checkout: `git archive` has not filled it in


@cache
def get_version() -> str:
    return find_version(PACKAGE) or metadata.version("scorekeeper")


def find_version(package: Path) -> str | None:
    """Return the version of the code in this folder by its file VERSION or by git; None if neither knows it."""
    written = (package / "VERSION").read_text(encoding="utf-8").split()
    if written and not written[0].startswith(_UNKNOWN):
        return written[0]
    return _ask_git(package.parent)


def _ask_git(checkout: Path) -> str | None:
    if not (checkout / ".git").exists():  # also keeps git from finding another repository further up
        return None
    command = ["git", "-C", str(checkout), "describe", "--tags", "--always"]
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603  # git
    except (OSError, subprocess.CalledProcessError):  # there is no git, or it does not trust the folder's owner
        return None
