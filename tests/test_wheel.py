"""What `pip install .` puts on a machine is a working command and a working app."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from .cases import sheets

ROOT = Path(__file__).parent.parent
SERVE = """
import scorekeeper
from flask_migrate import upgrade
app = scorekeeper.create_app()
with app.app_context():
    upgrade()
client = app.test_client()
for path in ("/", "/tables/new", "/tables/new/francion", "/rules/whist", f"{app.static_url_path}/scorekeeper.css"):
    assert client.get(path).status_code == 200, path
print(scorekeeper.__file__)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's contents, unpacked where nothing of the checkout is beside them."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(build, check=True, capture_output=True)  # noqa: S603  # our own command
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder / "site")
    return folder / "site"


def run(installed: Path, *arguments: str, **told: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(installed)} | told
    command = [sys.executable, *arguments]
    done = subprocess.run(command, check=False, env=environment, cwd=installed.parent, capture_output=True, text=True)  # noqa: S603  # our own command
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_installed_command_scores_a_sheet(installed: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.json"
    sheet.write_text(json.dumps(sheets("francion")[0]), encoding="utf-8")
    assert json.loads(run(installed, "-m", "scorekeeper", "score", "--json", str(sheet)))["game"] == "francion"


def test_the_installed_app_has_its_templates_migrations_words_and_pictures(installed: Path, tmp_path: Path) -> None:
    told = run(installed, "-c", SERVE, SCOREKEEPER_INSTANCE=str(tmp_path / "instance"))
    assert told.strip().startswith(str(installed))
