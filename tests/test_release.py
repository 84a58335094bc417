"""What `make release` builds, but for the image, which tests/fresh builds; and the workflow that publishes it."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
NEEDS_HISTORY = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no clone of the repository")
CHANGELOG = """# Changelog

## [Unreleased]
{unreleased}
## [{release}] - 2026-12-01

### Fixed

- One thing.

## [0.2.0] - 2026-11-22

- Another.
"""


@pytest.fixture
def release() -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(ROOT / "deploy" / "release.py"), run_name="release"))


@pytest.fixture
def write(tmp_path: Path, release: SimpleNamespace) -> Callable[..., None]:
    """Write a project with one release in its changelog, which `release` then reads."""

    def write(tag: str = "0.3.0", unreleased: str = "", version: str = "0.3.0") -> None:
        text = CHANGELOG.format(release=tag, unreleased=unreleased)
        (tmp_path / "CHANGELOG.md").write_text(text, encoding="utf-8")
        (tmp_path / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n', encoding="utf-8")

    release.check.__globals__["ROOT"] = tmp_path
    return write


def test_a_release_is_what_commit_package_and_changelog_say(
    release: SimpleNamespace, write: Callable[..., None]
) -> None:
    write()
    assert release.check("0.3.0", "0.3.0") == "0.3.0"
    assert release.notes("0.3.0") == "### Fixed\n\n- One thing.\n"


@pytest.mark.parametrize(
    ("wrong", "commit", "says"),
    [
        ({"version": "0.2.0"}, "0.3.0", r"pyproject.toml says 0\.2\.0"),
        ({}, "0.2.0-7-gabcdef0", "the commit says 0.2.0-7-gabcdef0"),
        ({"unreleased": "\n- Not yet.\n"}, "0.3.0", "has changes under Unreleased"),
        ({"tag": "0.4.0"}, "0.3.0", "has no section 0.3.0"),
    ],
)
def test_what_disagrees_is_not_released(
    release: SimpleNamespace, write: Callable[..., None], wrong: dict[str, str], commit: str, says: str
) -> None:
    write(**wrong)
    with pytest.raises(release.ReleaseError, match=says):
        release.notes(release.check("0.3.0", commit))


def test_the_changelog_has_a_section_for_what_is_next_and_for_the_version_of_the_package(
    release: SimpleNamespace,
) -> None:
    assert release.notes(release.UNRELEASED)
    assert release.notes(release.project()["version"])


@NEEDS_HISTORY
def test_the_bill_of_materials_lists_what_is_installed_and_no_more(release: SimpleNamespace) -> None:
    bill = release.bill_of_materials("0.3.0")
    pins = {pin.name: str(pin.specifier).removeprefix("==") for pin in map(Requirement, release.pinned_lines())}
    listed = {found["name"]: found["version"] for found in bill["components"]}
    assert listed.items() <= pins.items()
    assert {"flask", "psycopg-binary", "redis", "werkzeug"} <= listed.keys()
    assert not {"pytest", "ruff", "playwright", "hatchling"} & listed.keys()
    refs = {found["bom-ref"] for found in [bill["metadata"]["component"], *bill["components"]]}
    assert {found["ref"] for found in bill["dependencies"]} == refs
    assert {ref for found in bill["dependencies"] for ref in found["dependsOn"]} < refs
    assert release.bill_of_materials("0.3.0") == bill


@NEEDS_HISTORY
def test_a_commit_gives_the_same_package_each_time(release: SimpleNamespace, tmp_path: Path) -> None:
    contents = []
    for name in ("one", "two"):
        release.build_package.__globals__["DIST"] = tmp_path / name
        release.build_package()
        release.write_checksums()
        contents.append((tmp_path / name / "SHA256SUMS").read_text(encoding="utf-8"))
    assert re.fullmatch(
        r"\w{64}  scorekeeper-[\d.]+-py3-none-any\.whl\n\w{64}  scorekeeper-[\d.]+\.tar\.gz\n", contents[0]
    )
    assert contents[0] == contents[1]


@NEEDS_HISTORY
def test_a_wrong_tag_is_named_before_anything_is_built() -> None:
    command = [sys.executable, str(ROOT / "deploy" / "release.py"), "99.0.0"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603  # our own command
    assert done.returncode == 1
    assert done.stderr.startswith("This is not release 99.0.0: the commit says ")


def test_the_workflow_builds_by_the_command_that_ci_runs_and_publishes_tags_alone() -> None:
    jobs = WORKFLOW["jobs"]
    runs = [step["run"] for step in jobs["build"]["steps"] if "run" in step]
    assert runs == ['make release TAG="$TAG"']
    machines: list[dict[str, Any]] = jobs["build"]["strategy"]["matrix"]["include"]
    assert [machine["architecture"] for machine in machines] == ["amd64", "arm64"]
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert "permissions" not in jobs["build"]
    assert jobs["publish"]["if"] == "github.ref_type == 'tag'"
    assert not any("${{" in step.get("run", "") for job in jobs.values() for step in job["steps"])


@pytest.mark.parametrize("wheel", ["the same", "another"])
def test_files_of_both_machines_are_put_together_if_they_agree(tmp_path: Path, wheel: str) -> None:
    for architecture, content in (("amd64", "the same"), ("arm64", wheel)):
        folder = tmp_path / f"dist-{architecture}"
        folder.mkdir()
        files = {"a.whl": content, f"image-{architecture}.tar": architecture, "notes.md": "One thing."}
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        sums = [f"{sha256(text.encode()).hexdigest()}  {name}\n" for name, text in files.items() if name != "notes.md"]
        (folder / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    steps = {step.get("name"): step.get("run") for step in WORKFLOW["jobs"]["publish"]["steps"]}
    command = ["bash", "-euo", "pipefail", "-c", str(steps["Put the files of both machines together"])]
    done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True)  # noqa: S603  # our own command
    assert (done.returncode == 0) == (wheel == "the same")
    names = {path.name for path in (tmp_path / "dist").iterdir()}
    assert names == {"a.whl", "image-amd64.tar", "image-arm64.tar", "notes.md", "SHA256SUMS"}
