"""The version names the code, however it was obtained."""

from __future__ import annotations

import io
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from scorekeeper.version import find_version

ROOT = Path(__file__).parent.parent


def git(folder: Path, *arguments: str) -> bytes:
    program = shutil.which("git")
    if program is None:
        pytest.skip("there is no git")
    identity = ["-c", "user.name=Anne", "-c", "user.email=anne@example.org"]
    command = [program, "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout  # noqa: S603  # git


def test_a_checkout_and_its_archive_have_the_version_of_the_tag_or_else_of_the_commit(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    (checkout / "scorekeeper").mkdir(parents=True)
    for name in (".gitattributes", "scorekeeper/VERSION"):
        content = git(ROOT, "show", f"HEAD:{name}") if (ROOT / ".git").exists() else (ROOT / name).read_bytes()
        (checkout / name).write_bytes(content)
    git(checkout, "init", "--quiet")
    git(checkout, "add", ".")
    git(checkout, "commit", "--quiet", "--message", "Begin")
    commit = git(checkout, "rev-parse", "--short", "HEAD").decode().strip()

    def versions() -> tuple[str | None, str | None]:
        with zipfile.ZipFile(io.BytesIO(git(checkout, "archive", "--format=zip", "HEAD"))) as archive:
            archive.extractall(tmp_path / "archive")
        return find_version(checkout / "scorekeeper"), find_version(tmp_path / "archive" / "scorekeeper")

    assert versions() == (commit, commit)
    git(checkout, "tag", "v1.2.3")
    assert versions() == ("v1.2.3", "v1.2.3")
    git(checkout, "commit", "--quiet", "--allow-empty", "--message", "Go on")
    later = git(checkout, "describe", "--tags").decode().strip()
    assert versions() == (later, later)
    assert later.startswith("v1.2.3-1-g")


def test_without_git_or_an_archive_nothing_says_which_version_it_is(tmp_path: Path) -> None:
    (tmp_path / "VERSION").write_text("$Format:%h$\n", encoding="utf-8")
    assert find_version(tmp_path) is None
