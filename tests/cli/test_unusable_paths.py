"""Every path that a command takes may be one that cannot be used: one line says so, with exit status 2."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from scorekeeper.cli.main import main

from .test_circle_files import circle, instance
from .test_startup import ROOT, Completed, environment, without_root_capabilities

__all__ = ["circle", "instance"]
pytestmark = pytest.mark.sqlite
OTHERS = {"slug": "my-game"}  # what the other required arguments are; `name` is a circle's


def path_parameters() -> Iterator[tuple[str, click.Parameter]]:
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        for parameter in command.params:
            if isinstance(parameter.type, click.Path) or parameter.name == "files":
                yield name, parameter


PARAMETERS = list(path_parameters())


def test_the_commands_with_paths_are_found() -> None:
    assert {name for name, _ in PARAMETERS} >= {"backup", "restore", "export-circle", "import-circle", "score"}


def below_a_file(folder: Path) -> Path:
    (folder / "file").touch()
    return folder / "file" / "below"


def too_long(folder: Path) -> Path:
    return folder / ("x" * 300)


def in_a_locked_folder(folder: Path) -> Path:
    (folder / "locked").mkdir(mode=0)
    return folder / "locked" / "file"


def run(settings: dict[str, str | None], *arguments: str) -> Completed:
    """Run a command in this process."""
    done = CliRunner().invoke(main, arguments, env=settings)
    return Completed(done.exit_code, done.stdout, done.stderr)


def run_with_permissions(settings: dict[str, str | None], *arguments: str) -> Completed:
    """Run a command to which file permissions apply, in a process of its own."""
    line = [*without_root_capabilities(), sys.executable, "-m", "scorekeeper", *arguments]
    given = {key: value for key, value in (os.environ | settings).items() if value is not None}
    done = subprocess.run(line, check=False, capture_output=True, text=True, env=given, cwd=ROOT, timeout=60)  # noqa: S603  # our own command
    return Completed(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("make", [below_a_file, too_long, in_a_locked_folder])
@pytest.mark.parametrize(("name", "parameter"), PARAMETERS, ids=[f"{name}-{each.name}" for name, each in PARAMETERS])
def test_a_path_that_cannot_be_used_is_named_in_one_line(
    make: Callable[[Path], Path],
    name: str,
    parameter: click.Parameter,
    instance: Path,
    circle: str,
    tmp_path: Path,
) -> None:
    path = make(tmp_path)
    command = main.get_command(click.Context(main), name)
    assert command is not None
    arguments = []
    for each in command.params:
        if each is parameter:
            arguments += [*(each.opts[:1] if isinstance(each, click.Option) else []), str(path)]
        elif each.required:
            arguments.append({"name": circle, **OTHERS}[each.name or ""])
    call = run_with_permissions if make is in_a_locked_folder else run
    done = call(environment(instance), name, *arguments)
    assert (done.status, done.output) == (2, ""), done
    *usage, error = done.errors.splitlines()
    assert str(path) in error
    assert not usage or usage[0].startswith("Usage: "), done


@pytest.mark.parametrize("command", ["migrate", "verify"])
@pytest.mark.parametrize("setting", ["SCOREKEEPER_INSTANCE", "DATABASE_URL"])
def test_a_setting_whose_folder_may_not_be_searched_is_answered_in_one_line(
    setting: str, command: str, tmp_path: Path
) -> None:
    path = in_a_locked_folder(tmp_path)
    value = f"sqlite:///{path}" if setting == "DATABASE_URL" else str(path)
    done = run_with_permissions(environment(tmp_path) | {setting: value}, command)
    assert (done.status, done.output, done.errors.count("\n")) == (2, "", 1), done
    assert str(path) in done.errors
