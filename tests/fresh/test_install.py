"""`make run` on a new machine, without a network, and after an interruption, a move or an upgrade."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from .project import ROOT, Project, write_wheel

SCRIPT = ROOT / "deploy" / "install.py"
SERVED = "served with cards 1.0 run --host 0.0.0.0 --port 8765\n"
NETWORK_NEEDED = "The network is needed to install packages, and the package index cannot be reached"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("install", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def served(project: Project, *, online: bool = True) -> str:
    status, output = project.make_run(online=online)
    assert status == 0, output
    assert "Traceback" not in output
    return output


def nothing_was_made(project: Project) -> bool:
    return not [path for path in project.folder.iterdir() if path.name.startswith(".venv")]


# --- missing programs


def test_without_the_venv_package_it_is_named_and_nothing_is_created(project: Project, tmp_path: Path) -> None:
    without = tmp_path / "without"
    without.mkdir()
    (without / "sitecustomize.py").write_text("import sys; sys.modules['ensurepip'] = None")
    status, output = project.make_run(PYTHONPATH=str(without))
    assert status == 2
    sentence, of_make = output.splitlines()
    assert "make virtual environments" in sentence or "ensurepip" in sentence
    assert of_make.startswith("make: ***")
    assert nothing_was_made(project)


@pytest.mark.parametrize(
    ("python", "named"),
    [
        (Path("/usr/bin/python3").resolve(), "sudo apt install python3-venv'"),
        (Path("/usr/bin/python3.99"), f"sudo apt install python3.{sys.version_info[1]}-venv'"),
        (Path("/opt/python/bin/python3"), "/opt/python/bin/python3 has no venv or ensurepip module"),
    ],
)
def test_the_named_package_is_that_of_the_python_in_use(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, python: Path, named: str
) -> None:
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    monkeypatch.setattr(script, "PYTHON", python)
    monkeypatch.setattr(script.shutil, "which", lambda name: f"/usr/bin/{name}")
    with pytest.raises(script.InstallationError, match="run") as raised:
        script.check_venv_module()
    assert named in str(raised.value)


def test_without_a_compiler_or_headers_their_packages_are_named_in_one_line(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = "error: failed-wheel-build-for-install\n  Failed to build greenlet"
    named = "run 'sudo apt install build-essential libffi-dev python3-dev', then the same command again."
    monkeypatch.setattr(script.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert failed in script.explain(failed)
    assert script.explain(f"{failed}\nfatal error: Python.h: No such file").endswith(
        f", and headers are missing: {named}"
    )
    monkeypatch.setattr(script.shutil, "which", lambda _name: None)
    assert script.explain(failed).endswith(f", and there is no compiler: {named}")
    assert "\n" not in script.explain(failed)


def test_without_python_its_package_is_named(project: Project) -> None:
    status, output = project.call("make", "run", "PYTHON=no-such-python")
    assert status == 2
    needed = "Scorekeeper needs Python 3.11 or newer: run 'sudo apt install python3 python3-venv'."
    assert output.startswith(f"no-such-python is missing. {needed}\n")


def test_the_script_can_be_parsed_by_old_versions_of_python() -> None:
    ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 6))


def run_as_python_3_9(project: Project, path: Path) -> tuple[int, str]:
    old = f"import runpy, sys; sys.version_info = (3, 9); runpy.run_path({str(project.folder / 'deploy/install.py')!r})"
    return project.call(sys.executable, "-c", old, "--extra", "test", PATH=str(path))


def test_an_old_python_is_refused_in_one_sentence(project: Project, tmp_path: Path) -> None:
    status, output = run_as_python_3_9(project, tmp_path)
    assert status == 1
    assert output == (
        "Scorekeeper needs Python 3.11 or newer and this is 3.9: "
        "install a newer one, then name it, as in 'make run PYTHON=python3.12'.\n"
    )
    assert nothing_was_made(project)


def test_an_old_python_hands_over_to_a_newer_one_that_works(project: Project, tmp_path: Path) -> None:
    for name, text in (
        ("python3.13", "exit 127"),
        ("python3.12", '[ "$1" = -c ] && [ -z "$2" ] || echo "newer: $1 $2"'),
    ):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    assert run_as_python_3_9(project, tmp_path) == (0, f"newer: {project.folder}/deploy/install.py --extra\n")


# --- existing environments


def test_nothing_is_reinstalled_until_requirements_change(project: Project) -> None:
    assert served(project).endswith(SERVED)
    with (project.folder / "pyproject.toml").open("a") as pyproject:
        pyproject.write("\n[tool.ruff]\nline-length = 99\n")
    assert served(project, online=False) == SERVED
    install = ("python3", "deploy/install.py")
    assert project.call(*install, "--extra", "test")[0] == 0
    assert project.call(*install, online=False) == (0, "")
    project.require("cards>=1", pin="2.0")
    # As with an activated environment: the Python that runs the script is moved away with it.
    assert project.call(".venv/bin/python", "deploy/install.py")[0] == 0
    assert served(project, online=False) == SERVED.replace("1.0", "2.0")
    assert project.call(".venv/bin/python", "-c", "import chips") == (0, "")
    assert [path.name for path in project.folder.glob(".venv*")] == [".venv"]


def test_an_unknown_extra_is_named(project: Project) -> None:
    status, output = project.call("python3", "deploy/install.py", "--extra", "tests")
    assert (status, output) == (1, "There is no extra tests: pyproject.toml has test.\n")
    assert nothing_was_made(project)


def test_a_moved_folder_works_even_without_the_network(project: Project) -> None:
    served(project)
    old, new = project.folder, project.folder.with_name("elsewhere")
    old.rename(new)
    project.folder = new
    output = served(project, online=False)
    assert NETWORK_NEEDED in output
    assert output.endswith(SERVED)
    assert served(project).endswith(SERVED)
    for script in (project.environment / "bin").iterdir():
        assert script.is_symlink() or str(old) not in script.read_text(encoding="utf-8"), script
    where = project.call(".venv/bin/python", "-Pc", "import scorekeeper; print(scorekeeper.__file__)")
    assert where == (0, f"{new}/scorekeeper/__init__.py\n")


def test_a_folder_with_an_accent_works_where_the_locale_lacks_it(project: Project) -> None:
    locales: list[dict[str, Any]] = [
        {"LC_ALL": "no_SUCH.UTF-8"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ]
    for settings in locales:
        status, output = project.make_run(**settings)
        assert (status, output.endswith(SERVED)) == (0, True), output
        where = project.call(".venv/bin/python", "-Pc", "import scorekeeper", **settings)
        assert where == (0, "")
    assert served(project, online=False) == SERVED  # nothing was installed twice


def test_an_environment_of_a_removed_python_is_recreated(project: Project) -> None:
    (project.environment / "bin").mkdir(parents=True)
    (project.environment / "bin" / "python").symlink_to("/usr/bin/python3.0")
    marker = {"environment": str(project.environment), "python": "/usr/bin/python3.0", "packages": "", "extras": []}
    (project.environment / "installed.json").write_text(json.dumps(marker))
    status, output = project.make_run(online=False)
    assert (status, NETWORK_NEEDED in output, "Traceback" in output) == (2, True, False)
    assert served(project).endswith(SERVED)


# --- interruptions


@pytest.mark.parametrize("made", ["", "bin", "lib/*/site-packages/pip"])
def test_interrupting_the_installation_leaves_nothing_behind(project: Project, made: str) -> None:
    process = project.start("make", "run", "PYTHON=python3")
    while process.poll() is None and not list(project.folder.glob(f".venv/{made}".rstrip("/"))):
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    output, _ = process.communicate()
    assert process.returncode != 0
    assert "Traceback" not in output
    assert nothing_was_made(project)


def test_an_interrupted_upgrade_keeps_the_old_versions(project: Project) -> None:
    served(project)
    project.require("cards>=1", pin="2.0")
    status, output = project.make_run(SIGNAL_AT_BUILD="SIGINT")
    assert status != 0
    assert "Interrupted: nothing is half installed." in output
    assert "Traceback" not in output
    assert project.call(".venv/bin/python", "-m", "scorekeeper") == (0, "served with cards 1.0\n")
    status, _ = project.make_run(SIGNAL_AT_BUILD="SIGKILL")
    assert status != 0
    output = served(project, online=False)
    assert output.endswith(f"Until then the versions installed before are used.\n{SERVED}")
    assert "served with cards 2.0" in served(project)
    assert [path.name for path in project.folder.glob(".venv*")] == [".venv"]


def test_two_installations_at_once_wait_for_each_other(project: Project) -> None:
    both = [project.start("make", "run", "PYTHON=python3") for _ in range(2)]
    outputs = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert all(output.endswith(SERVED) for output in outputs)
    assert sum("Installing" in output for output in outputs) == 1


# --- without the network


def test_without_the_network_a_first_installation_says_so_in_two_lines(project: Project) -> None:
    status, output = project.make_run(online=False)
    assert status == 2
    lines = output.splitlines()
    assert lines[0].startswith("Installing into ")
    assert lines[1] == f"{NETWORK_NEEDED} ([Errno 111] Connection refused)."
    assert lines[2] == "Connect, then run the same command again."
    assert len(lines) == 4
    assert nothing_was_made(project)


def test_without_the_network_optional_upgrades_are_skipped(project: Project) -> None:
    served(project)
    project.require("cards>=1", pin="2.0")
    output = served(project, online=False)
    assert NETWORK_NEEDED in output
    assert output.endswith(f"Until then the versions installed before are used.\n{SERVED}")
    project.require("cards>=2", pin="2.0")
    status, output = project.make_run(online=False)
    assert status == 2
    assert NETWORK_NEEDED in output
    assert "versions installed before" not in output
    project.require("cards>=1", pin="1.0")
    assert served(project, online=False) == SERVED


def test_an_unavailable_version_is_named(project: Project) -> None:
    project.require("cards>=1", pin="3.0")
    status, output = project.make_run()
    assert status == 2
    assert "pip could not install the packages:" in output
    assert "cards" in output
    assert nothing_was_made(project)


# --- games of other packages


def has_game(project: Project, name: str) -> bool:
    status, _ = project.call(".venv/bin/python", "-Pc", f"import {name}")
    return status == 0


def list_games(project: Project, text: str) -> None:
    (project.folder / "instance").mkdir(exist_ok=True)
    (project.folder / "instance" / "games.txt").write_text(text, encoding="utf-8")


def test_listed_games_are_installed_and_survive_an_upgrade(project: Project) -> None:
    served(project)
    write_wheel(project.wheels, "tarot", "1.0")
    list_games(project, "# from a friend\ntarot\n")
    assert served(project).endswith(SERVED)
    assert has_game(project, "tarot")
    assert served(project, online=False) == SERVED  # nothing is installed twice
    project.require("cards>=1", pin="2.0")
    assert "served with cards 2.0" in served(project)
    assert has_game(project, "tarot")
    list_games(project, "\n")
    served(project)
    assert not has_game(project, "tarot")


def test_a_listed_game_that_cannot_be_installed_is_named_and_the_old_environment_stays(project: Project) -> None:
    served(project)
    list_games(project, "../no-such-folder\n")
    output = served(project)
    assert "pip could not install the games that instance/games.txt lists:" in output
    assert "no-such-folder" in output
    assert output.endswith(f"Until then the versions installed before are used.\n{SERVED}")


def test_a_listed_game_is_installed_on_a_server_too(project: Project, tmp_path: Path) -> None:
    write_wheel(project.wheels, "tarot", "1.0")
    list_games(project, "tarot")
    assert project.call("python3", "deploy/install.py", "--into", str(tmp_path / "server"))[0] == 0
    assert project.call(str(tmp_path / "server" / "bin" / "python"), "-Pc", "import tarot") == (0, "")


# --- on a server


def test_a_server_installation_does_not_need_the_checkout(project: Project, tmp_path: Path) -> None:
    target = tmp_path / "server"
    install = ("python3", "deploy/install.py", "--into", str(target))
    assert project.call(*install, "--extra", "test")[0] == 0
    shutil.rmtree(project.folder / "scorekeeper")
    command = (str(target / "bin" / "python"), "-m", "scorekeeper")
    assert project.call(*command) == (0, "served with cards 1.0\n")
    assert json.loads((target / "installed.json").read_text())["extras"] == ["test"]
    assert not (project.folder / ".venv").exists()


def test_a_folder_that_is_not_an_environment_is_never_replaced(project: Project, tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").touch()
    status, output = project.call("python3", "deploy/install.py", "--into", str(tmp_path / "precious"))
    assert status == 1
    assert "is not a virtual environment: name a folder that does not exist yet." in output
    assert (tmp_path / "precious" / "file").exists()
