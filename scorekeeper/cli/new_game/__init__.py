"""`scorekeeper new-game`: create a package with a small game that can be played at once."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from string import Template

import click

from ... import errors
from ...games import MAX_SLUG, games, is_slug
from ...i18n import translate
from ...i18n.catalogues import catalogue
from ...limits import MAX_SEATS
from ...scoring.problems import Problem
from ...scoring.values import clean_name
from .. import FAILED, output
from .placeholders import placeholders

MIN_PLAYERS, PLAYERS_IN_SIDES = 2, 4
MAX_NAME = 40  # characters

_NAME = re.compile(r"\w[\w ’'&!,.()-]*")  # also valid inside TOML, JSON, Python, Markdown and a catalogue
_SUFFIX = ".tmpl"


class _NotCreatedError(Exception):
    def __init__(self, key: str, **params: object) -> None:
        super().__init__(key)
        self.problem = Problem("", f"new-game.{key}", params)


@click.command("new-game")
@click.argument("slug")
@click.option("--name", metavar="NAME", help="What the game is called; the slug in capitals and spaces by default.")
@click.option("--players", metavar="NUMBERS", help="How many can play: 4 or 3-6 (default).")
@click.option("--in-sides", is_flag=True, help="Four players, two against two.")
@click.option(
    "--directory",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Where the package's folder is created; the current folder by default.",
)
def new_game(slug: str, name: str | None, players: str | None, in_sides: bool, directory: Path) -> None:
    """Create a package for a new game in the folder scorekeeper-SLUG.

    SLUG is the game's name in addresses: lower-case letters, digits and hyphens. The game that is created can be played
    at once; its files say what to change.
    """
    folder = directory / f"scorekeeper-{slug}"
    try:
        _check_slug(slug)
        values = placeholders(
            slug, _checked_name(name, slug), _player_counts(players, in_sides=in_sides), in_sides=in_sides
        )
        count = _create(folder, values)
    except _NotCreatedError as error:
        click.echo(output.problem_line(error.problem, output.terminal_language()), err=True)
        sys.exit(FAILED)
    click.echo(translate(output.terminal_language(), "new-game.done", path=str(folder), count=count))
    click.echo(
        f"  {sys.executable} -m pip install -e {_shown(folder)}\n  {sys.executable} -m scorekeeper check-game {slug}"
    )


def _shown(folder: Path) -> str:
    """Return a path as a shell takes it, recognizable as one."""
    path = shlex.quote(str(folder))
    return path if folder.is_absolute() else f"./{path}"


def _check_slug(slug: str) -> None:
    if not is_slug(slug):
        raise _NotCreatedError("bad-slug", slug=slug, max=MAX_SLUG)
    if slug in games():
        raise _NotCreatedError("installed", slug=slug)
    # A game's messages stand under its slug.
    if any(key.startswith(f"{slug}.") for key in catalogue("en").keys):
        raise _NotCreatedError("reserved", slug=slug)


def _checked_name(name: str | None, slug: str) -> str:
    cleaned = clean_name(slug.replace("-", " ").capitalize() if name is None else name)
    if not _NAME.fullmatch(cleaned) or len(cleaned) > MAX_NAME:
        raise _NotCreatedError("bad-name", name=name, max=MAX_NAME)
    return cleaned


def _player_counts(text: str | None, *, in_sides: bool) -> tuple[int, ...]:
    """Return the possible numbers of players: of "3-6" all from 3 to 6."""
    if text is None:
        text = str(PLAYERS_IN_SIDES) if in_sides else "3-6"
    match = re.fullmatch(r"([0-9]{1,2})(?:-([0-9]{1,2}))?", text)
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not MIN_PLAYERS <= low <= high <= MAX_SEATS:
        raise _NotCreatedError("bad-players", players=text, low=MIN_PLAYERS, high=MAX_SEATS, example="3-6")
    if in_sides and (low, high) != (PLAYERS_IN_SIDES, PLAYERS_IN_SIDES):
        raise _NotCreatedError("bad-sides", players=text)
    return tuple(range(low, high + 1))


def _create(folder: Path, values: dict[str, str]) -> int:
    """Write all files, or none, and return how many. They get their name when all are written."""
    if os.path.lexists(folder):  # False too if this user may not look there
        raise _NotCreatedError("exists", path=str(folder))
    unfinished = None
    try:
        unfinished = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".new-game-"))
        count = _write(unfinished, values)
        os.rename(unfinished, folder)
    except OSError as error:
        raise _NotCreatedError("unwritable", path=str(folder), reason=errors.get_reason(error)) from error
    finally:
        if unfinished is not None:
            shutil.rmtree(unfinished, ignore_errors=True)
    return count


def _write(folder: Path, values: dict[str, str]) -> int:
    templates = Path(str(files(__name__))) / "files"
    sources = sorted(templates.rglob(f"*{_SUFFIX}"))
    for source in sources:
        path = Template(str(source.relative_to(templates)).removesuffix(_SUFFIX)).substitute(values)
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(Template(source.read_text(encoding="utf-8")).substitute(values), encoding="utf-8")
    return len(sources)
