"""The wheel contains a working command and app; the source archive contains the whole project."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from scorekeeper.version import get_version

from .cases import sheets
from .environments import build_wheel

ROOT = Path(__file__).parent.parent
SERVE = """
import scorekeeper
from scorekeeper.db.upgrades import upgrade
app = scorekeeper.create_app()
with app.app_context():
    upgrade()
client = app.test_client()
style = f"{app.static_url_path}/css/main.css"
for path in ("/", "/tables/new", "/tables/new/francion", "/rules/whist", "/rules/events", style):
    assert client.get(path).status_code == 200, path
print(scorekeeper.__file__)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, unpacked outside the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    with zipfile.ZipFile(build_wheel(folder)) as wheel:
        wheel.extractall(folder / "site")  # noqa: S202  # just built
    return folder / "site"


def run(installed: Path, *arguments: str, **settings: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(installed)} | settings
    command = [sys.executable, *arguments]
    done = subprocess.run(command, check=False, env=environment, cwd=installed.parent, capture_output=True, text=True)  # noqa: S603  # our own command
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_installed_command_scores_a_sheet(installed: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.json"
    sheet.write_text(json.dumps(sheets("francion")[0]), encoding="utf-8")
    assert json.loads(run(installed, "-m", "scorekeeper", "score", "--json", str(sheet)))["game"] == "francion"


def test_the_installed_app_has_its_templates_migrations_words_and_pictures(installed: Path, tmp_path: Path) -> None:
    output = run(installed, "-c", SERVE, SCOREKEEPER_INSTANCE=str(tmp_path / "instance"))
    assert output.strip().startswith(str(installed))


def test_the_installed_command_tells_the_version_that_it_was_built_from(installed: Path) -> None:
    assert run(installed, "-m", "scorekeeper", "--version") == f"scorekeeper, version {get_version()}\n"
    assert (installed / "scorekeeper" / "VERSION").read_text() == f"{get_version()}\n"


def test_the_source_archive_has_all_that_is_tracked(tmp_path: Path) -> None:
    """The unpacked archive supports README.md's commands and the guide for hosts."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(tmp_path)]
    subprocess.run(build, check=True, cwd=ROOT, capture_output=True)  # noqa: S603  # our own command
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {"Makefile", "requirements.lock", "pyproject.toml", ".ci/run", "docs/hosting.md", "instance/.gitkeep"}
    assert needed | {f"deploy/{path.name}" for path in (ROOT / "deploy").iterdir() if path.is_file()} <= names
    git = shutil.which("git")
    if git is not None and (ROOT / ".git").exists():
        listed = subprocess.run([git, "ls-files", "-z"], check=True, cwd=ROOT, capture_output=True, text=True).stdout  # noqa: S603  # known
        assert {name for name in listed.split("\0") if name and (ROOT / name).exists()} <= names
