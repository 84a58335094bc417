"""What is built and installed works outside of the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SERVE = """
import scorekeeper
from scorekeeper.db.schemas import upgrade
app = scorekeeper.create_app()
with app.app_context():
    upgrade()
client = app.test_client()
style = f"{app.static_url_path}/css/main.css"
of_events = ["/rules/events"] if "event_home" in app.blueprints else []
for path in ("/", "/tables/new", "/tables/new/francion", "/rules/whist", *of_events, style):
    assert client.get(path).status_code == 200, path
print(scorekeeper.__file__)
"""


@pytest.mark.slow
def test_the_installed_app_has_its_templates_migrations_words_and_pictures(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, check=True, cwd=ROOT, capture_output=True)  # noqa: S603  # our own command
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "site")  # just built
    environment = os.environ | {
        "PYTHONPATH": str(tmp_path / "site"),
        "SCOREKEEPER_INSTANCE": str(tmp_path / "instance"),
    }
    serve = [sys.executable, "-c", SERVE]
    done = subprocess.run(serve, check=False, env=environment, cwd=tmp_path, capture_output=True, text=True)  # noqa: S603
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path))
