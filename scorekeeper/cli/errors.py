"""Report expected errors of a command on one line of standard error."""

from __future__ import annotations

import click
from click.core import ParameterSource

from .. import errors
from ..scoring.problems import Problem
from ..web.support.settings import SETTINGS
from . import output


def report(error: Exception) -> bool:
    """Print the problem behind an expected error. Return False, and print nothing, if there is none."""
    problem = _setting_problem(error) if isinstance(error, click.BadParameter) else errors.explain(error)
    if problem is None:
        return False
    click.echo(output.problem_line(problem, output.terminal_language()), err=True)
    return True


def _setting_problem(error: click.BadParameter) -> Problem | None:
    """Return the problem with an option set by an environment variable, or None if it came from the command line."""
    option, context = error.param, error.ctx
    if not isinstance(option, click.Option) or context is None or not isinstance(option.envvar, str):
        return None
    if context.get_parameter_source(option.name or "") is not ParameterSource.ENVIRONMENT:
        return None
    try:
        _ = SETTINGS[option.envvar].value
    except errors.StartupError as refused:
        return refused.problem
    return None
