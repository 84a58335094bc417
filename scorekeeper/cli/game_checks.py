"""The command for authors of games: check-game. Its findings are in English, as those of other tools for code are."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..game_checks import Finding, check
from ..games import find_folder, games, refused_games
from ..i18n import translate
from ..scoring.values import single_line
from . import FAILED, output

PROBLEMS_FOUND = 1  # exit status


@click.command("check-game")
@click.argument("slug")
def check_game(slug: str) -> None:
    """List everything that is missing or misspelt in the installed game SLUG; exit with status 1 if there is any."""
    language = output.terminal_language()
    game = games().get(slug)
    if game is None:
        click.echo(_why_not(slug, language), err=True)
        sys.exit(FAILED)
    findings = check(game, find_folder(game))
    for finding in findings:
        click.echo(single_line(_line(finding)))
    problems = sum(not finding.is_warning for finding in findings)
    click.echo(
        translate(
            language,
            "check-game.done",
            slug=slug,
            problems=translate(language, "check-game.problems", count=problems),
            warnings=translate(language, "check-game.warnings", count=len(findings) - problems),
        ),
        err=True,
    )
    if problems:
        sys.exit(PROBLEMS_FOUND)


def _why_not(slug: str, language: str) -> str:
    """Return in one line why there is no such game: it is not installed, or was refused."""
    refused = next((refused for refused in refused_games() if refused.slug == slug), None)
    if refused is not None:
        return single_line(translate(language, "check-game.refused", slug=slug, reason=refused.reason))
    return single_line(translate(language, "check-game.not-installed", slug=slug, games=", ".join(games())))


def _line(finding: Finding) -> str:
    """Return a finding with its file as a path from the working directory, if it is below that."""
    path = finding.place.path
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return str(finding).replace(str(path), str(shown), 1)
