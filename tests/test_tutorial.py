"""docs/your-first-game.md: its commands work and its changes lead to a game that can be played."""

from __future__ import annotations

import ast
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from .environments import Environment

ROOT = Path(__file__).parent.parent
TUTORIAL = ROOT / "docs" / "your-first-game.md"
FENCE = re.compile(r"^```(\w+) ?(.*)\n((?:(?!```).*\n)*)```$", re.M)
SLUG = "hearts"
QUICK = "-k 'complete or facts'"  # all of them take a minute; what they do is tested with the bundled games


class Block(NamedTuple):
    """A block of code: `title` is a file and perhaps what to do with it, or what becomes of the commands."""

    language: str
    title: str
    text: str


def blocks() -> list[Block]:
    found = [Block(*match) for match in FENCE.findall(TUTORIAL.read_text(encoding="utf-8"))]
    assert len(found) > 15
    return found


def replace_definitions(code: str, block: str) -> str:
    """Put each definition of the block in place of the one with its name; a new one stands where the block has it."""
    lines = code.splitlines()
    new_lines = block.splitlines()
    pending: list[str] = []
    for node in ast.parse(block).body:
        text = new_lines[_first_line(node) - 1 : node.end_lineno]
        old = next((other for other in ast.parse("\n".join(lines)).body if _name(other) == _name(node)), None)
        if old is None:
            pending += [*text, "", ""]
        else:
            lines[_first_line(old) - 1 : old.end_lineno] = [*pending, *text]
            pending = []
    assert not pending, "the block ends with something new: show what it stands before"
    return "\n".join(lines) + "\n"


def _first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _name(node: ast.stmt) -> str:
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0])
    return str(getattr(node, "name", ""))


def write(package: Path, block: Block) -> None:
    """Change a file as the block says."""
    name, _, action = block.title.partition(": ")
    path = package / name
    assert action in ("", "append", "replace"), block.title
    text = block.text
    if action == "append":
        text = path.read_text(encoding="utf-8") + text
    elif action == "replace":
        text = replace_definitions(path.read_text(encoding="utf-8"), text)
    path.write_text(text, encoding="utf-8")


def commands(block: Block) -> Iterator[list[str]]:
    for line in block.text.splitlines():
        assert line.startswith("$ "), line
        yield shlex.split(line[2:])


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return Environment(tmp_path_factory.mktemp("environment") / "venv", ROOT)


def serves(environment: Environment, command: list[str], folder: Path) -> None:
    """Start the server, and stop it once it says where it is."""
    settings = environment.settings(SCOREKEEPER_INSTANCE=str(folder / "instance"), SCOREKEEPER_PORT="0")
    program = [str(environment.bin / command[0]), *command[1:]]
    with subprocess.Popen(  # noqa: S603  # our own command
        program, env=settings, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        assert server.stdout is not None
        try:
            assert any("http://" in line for line in server.stdout)
        finally:
            server.send_signal(signal.SIGTERM)
            server.stdout.read()


def test_the_tutorial_leads_to_a_game_that_passes_all_checks(environment: Environment, tmp_path: Path) -> None:
    package = tmp_path / f"scorekeeper-{SLUG}" / f"scorekeeper_{SLUG}"
    for block in blocks():
        if block.language != "console":
            write(package, block)
            continue
        for command in commands(block):
            if block.title == "serves":
                serves(environment, command, tmp_path)
                continue
            done = environment.run(*command, cwd=tmp_path, PYTEST_ADDOPTS=QUICK)
            expected = 1 if block.title == "fails" else 0
            assert done.returncode == expected, (command, done.stdout[-3000:], done.stderr[-3000:])


def test_a_definition_takes_the_place_of_the_one_with_its_name() -> None:
    code = "A = 1\n\n\ndef f():\n    return A\n\n\nB = f\n"
    block = "def g():\n    return 2\n\n\n@g\ndef f():\n    return 3\n"
    changed = replace_definitions(code, block)
    assert changed == "A = 1\n\n\ndef g():\n    return 2\n\n\n@g\ndef f():\n    return 3\n\n\nB = f\n"
