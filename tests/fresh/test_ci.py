"""`.ci/run` and the bare machines name missing requirements."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from . import __main__ as fresh
from . import containers, hosting, scenario
from .machine import ROOT, named_in

SCRIPT = ROOT / ".ci" / "run"


def test_without_sudo_the_missing_packages_are_named(tmp_path: Path) -> None:
    for program in ("bash", "dirname", "ls", "env"):
        (tmp_path / program).symlink_to(str(shutil.which(program)))
    (tmp_path / "id").write_text("#!/bin/sh\necho 1000\n")
    (tmp_path / "id").chmod(0o755)
    done = subprocess.run(  # noqa: S603  # our own script
        [tmp_path / "bash", SCRIPT], check=False, env={"PATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert re.fullmatch(r"CI needs programs that .* As root, run: apt-get install aardvark.*xvfb\n", done.stderr), (
        done.stderr
    )


def test_every_program_that_ci_looks_for_is_in_a_package_that_it_installs() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    programs = re.findall(r'^programs="([^"]+)"', text, re.MULTILINE)[0].split()
    packages = re.findall(r'^packages="([^"]+)"', text, re.MULTILINE)[0].split()
    of_packages = {
        "etcd": "etcd-server",
        "nginx": "nginx-light",
        "WebKitWebDriver": "webkit2gtk-driver",
        "Xvfb": "xvfb",
        "unshare": "util-linux",
    }
    assert {of_packages.get(program, program) for program in programs} <= set(packages)


@pytest.mark.parametrize(("user", "program", "reason"), [
    (1000, "/usr/sbin/debootstrap", "only root can make a chroot"),
    (0, None, "debootstrap is not installed"),
])  # fmt: skip
def test_missing_requirements_of_bare_machines_are_named(
    monkeypatch: pytest.MonkeyPatch, user: int, program: str | None, reason: str
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(shutil, "which", lambda _name: program)
    assert fresh.missing() == reason


def test_bare_machines_have_what_the_readme_names_and_lack_the_venv_package_at_first() -> None:
    assert scenario.packages() == ["python3", "make"]


def test_files_named_in_pips_settings_are_copied(tmp_path: Path) -> None:
    (tmp_path / "index" / "simple").mkdir(parents=True)
    settings = {
        "find-links": f"{tmp_path} /no/such/folder",
        "index-url": f"file://{tmp_path}/index/simple https://a.org/",
    }
    assert named_in(settings) == {tmp_path, tmp_path / "index"}


def test_a_containerfile_is_read_with_its_comments_and_continued_lines() -> None:
    text = '# one\nFROM a\n\nRUN b \\\n    && c\n  # two\nCMD ["d"]\n'
    assert containers.read_containerfile(text) == [("FROM", "a"), ("RUN", "b      && c"), ("CMD", '["d"]')]


def test_the_site_of_the_app_alone_is_what_compose_says_of_it() -> None:
    text = (ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8")
    whole, alone = yaml.safe_load(text)["services"]["app"], yaml.safe_load(containers.app_alone(text))
    assert list(alone["services"]) == ["app"]
    app = alone["services"]["app"]
    assert set(whole) - set(app) == {"depends_on"}
    assert set(whole["environment"]) - set(app["environment"]) == {"DATABASE_URL", "PGPASSWORD", "REDIS_URL"}
    assert all(app[name] == whole[name] for name in set(app) - {"environment"})


def test_every_command_of_the_guide_for_hosts_is_run_there() -> None:
    """Except the commands that need several machines or nchan."""
    guide = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    guide = re.sub(r"^```sh (?:cluster|nchan)\n.*?^```$", "", guide, flags=re.MULTILINE | re.DOTALL)
    run = "".join(block for _, block in hosting.BLOCK.findall(guide)) + "".join(containers.BLOCK.findall(guide))
    written = "".join(re.findall(r"^```[^\n]*\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL))
    for line in set(written.splitlines()) - set(run.splitlines()):
        assert line.startswith("DATABASE_URL="), line
