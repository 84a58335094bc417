"""`scorekeeper export-circle`, `import-circle` and `schema`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flask import Flask

from scorekeeper.circles.lifecycle import find_or_add_scoring_membership
from scorekeeper.files.circle_format import FORMAT
from scorekeeper.models import Circle, db, new_secret

from ..support.instance import run


@pytest.fixture
def circle(live: Flask) -> str:
    with live.app_context():
        name: str = find_or_add_scoring_membership(new_secret(), "").circle.token
    return name


def test_a_circle_is_exported_and_imported(live: Flask, circle: str, tmp_path: Path) -> None:
    file = tmp_path / "circle.json"
    assert run("export-circle", circle, file).output == f"Exported the circle to {file}.\n"
    assert json.loads(file.read_bytes())["format"] == "scorekeeper-circle/1"
    done = run("import-circle", file)
    assert done.exit_code == 0
    assert "/join/" in done.output
    with live.app_context():
        assert len(db.session.scalars(db.select(Circle)).all()) == 2
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("token", ["-kpMGpPT87jb", "--pMGpPT87jb"])
def test_a_circle_whose_token_begins_with_a_hyphen_is_exported(
    live: Flask, circle: str, tmp_path: Path, token: str
) -> None:
    with live.app_context():
        db.session.scalars(db.select(Circle).filter_by(token=circle)).one().token = token
        db.session.commit()
    file = tmp_path / "circle.json"
    assert f"Exported the circle to {file}." in run("export-circle", token, file).output


def test_what_cannot_be_done_is_one_line(circle: str, tmp_path: Path) -> None:
    spoiled = tmp_path / "spoiled.json"
    spoiled.write_text(f'{{\n"format": "{FORMAT}",\n"circle": {{}}\n}}\n')
    for arguments, words in (
        (("export-circle", "nobody", tmp_path / "new.json"), "There is no circle nobody"),
        (("new-host-link", "\udcff"), "There is no circle ?"),
        (("export-circle", circle, spoiled), "exists already"),
        (("import-circle", tmp_path / "missing.json"), "missing.json"),
        (("import-circle", spoiled), "circle.created_at"),
    ):
        done = run(*arguments)
        assert done.exit_code == 2
        assert words in done.stderr
        assert done.stderr.count("\n") == 1
