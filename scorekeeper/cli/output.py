"""Messages of commands, in the terminal's language."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

import click

from ..errors import FAILED
from ..i18n import choose_locale, problem_text, translate
from ..scoring.problems import Problem
from ..scoring.values import single_line


def terminal_locale() -> str:
    settings = map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))
    return choose_locale([next(filter(None, settings), "")])


def message(key: str, **params: Any) -> str:
    return single_line(translate(terminal_locale(), key, **params))


def say(key: str, *, err: bool = False, **params: Any) -> None:
    click.echo(message(key, **params), err=err)


def problem_line(problem: Problem) -> str:
    return single_line(problem_text(problem, terminal_locale(), names=str))


def report(problem: Problem, where: str = "") -> None:
    """Print a problem on one line of standard error with its place, unless the whole file or its name is wrong."""
    place = problem.field if problem.field not in ("file", "name") else ""
    click.echo(single_line(": ".join(part for part in (where, place, problem_line(problem)) if part)), err=True)


def fail(where: str, problem: Problem) -> NoReturn:
    report(problem, where)
    sys.exit(FAILED)


def report_missing_games(tables: Mapping[str, int]) -> None:
    for slug, count in tables.items():
        say("verify.missing-game", err=True, game=slug, count=count)
