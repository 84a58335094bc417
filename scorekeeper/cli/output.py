"""Messages of commands, in the terminal's language."""

from __future__ import annotations

import os
from collections.abc import Mapping

import click

from ..i18n import choose_locale, problem_text, translate
from ..scoring.problems import Problem
from ..scoring.values import single_line


def terminal_language() -> str:
    locale = next((tag for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (tag := os.environ.get(name))), "")
    return choose_locale([locale])


def problem_line(problem: Problem, language: str) -> str:
    return single_line(problem_text(problem, language, names=str))


def report_missing_games(tables: Mapping[str, int], language: str) -> None:
    """Print a line for each game that is not installed; `tables` are the numbers of tables by game."""
    for slug, count in tables.items():
        click.echo(single_line(translate(language, "verify.missing-game", game=slug, count=count)), err=True)
