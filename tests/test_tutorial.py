"""docs/your-first-game.md leads to a game in a package of its own, which is tested as its author would."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TUTORIAL = Path(__file__).parent.parent / "docs" / "your-first-game.md"
FENCE = re.compile(r"^```\w+ (\S+)\n((?:(?!```).*\n)*)```$", re.M)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Write the files of the page, with an entry point beside them, as pip would leave it."""
    package = tmp_path / "scorekeeper_hearts"
    for name, text in FENCE.findall(TUTORIAL.read_text(encoding="utf-8")):
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    metadata = tmp_path / "scorekeeper_hearts-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: scorekeeper_hearts\nVersion: 1\n")
    entry_point = "[scorekeeper.games]\nhearts = scorekeeper_hearts:GAME\n"
    (metadata / "entry_points.txt").write_text(entry_point, encoding="utf-8")
    return package


def check(package: Path, *options: str, slug: str = "hearts") -> subprocess.CompletedProcess[str]:
    """Run the tests of the game in its folder."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", "scorekeeper.testing"]
    paths = os.pathsep.join(filter(None, (str(package.parent), os.environ.get("PYTHONPATH"))))
    return subprocess.run(  # noqa: S603  # ours
        [*command, "--game", slug, *options],
        check=False,
        cwd=package.parent,
        env=os.environ | {"PYTHONPATH": paths, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
    )


def replace(package: Path, name: str, old: str, new: str) -> None:
    text = (package / name).read_text(encoding="utf-8")
    assert old in text
    (package / name).write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_tutorial_leads_to_a_game_that_passes(package: Path) -> None:
    done = check(package, "-k", "complete or tapped_is_recorded or every_page or unit_sums or offered_taps")
    assert done.returncode == 0, done.stdout


MISTAKES = [  # the file, what becomes what, and what a failure then says
    ("translations/en.po", '"reason.stake"', '"reason.steak"', r"rules\.py:\d+.*Did you mean 'reason\.steak'"),
    ("cases/lowest-wins.json", '"Anne": 26', '"Anne": 27', r"lowest-wins\.json:\d+: 'scores'"),
    ("pad.py", "offered=n <= left", "offered=True", r"pad\.py:\d+: the pad offers"),
    ("rules.py", "    queen: Player\n", "    queen: Player\n    moon: bool = False\n", "no choice .* sets 'moon'"),
    ("rules.py", 'mark(deal.queen, QUEEN, "queen")', 'mark(deal.queen, QUEEN / 1, "queen")', "13.0, no integer"),
    ("rules.py", '("hearts", "queen", "stake")', '("hearts", "stake")', "reasons lacks 'queen'"),
    ("rules.en.md", "{#hearts}", "{#harts}", r"rules\.en\.md:1: .*#hearts.*Did you mean 'harts'"),
]


def test_each_mistake_fails_with_its_file_and_line(package: Path) -> None:
    for name, old, new, _ in MISTAKES:
        replace(package, name, old, new)
    done = check(package, "-k", "complete and not any_complete_choice")
    assert done.returncode == 1, done.stdout
    assert [found for *_, found in MISTAKES if not re.search(found, done.stdout)] == [], done.stdout


def test_a_game_that_is_not_installed_is_refused_in_one_line(package: Path) -> None:
    done = check(package, slug="unheard-of")
    assert done.returncode == 4
    assert done.stderr.startswith("ERROR: --game unheard-of: no such game is installed; there are ")
