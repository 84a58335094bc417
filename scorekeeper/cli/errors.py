"""Report expected errors of a command on one line of standard error."""

from __future__ import annotations

import click

from .. import errors
from . import output


def report(error: Exception) -> bool:
    """Print the problem behind an expected error. Return False, and print nothing, if there is none."""
    problem = errors.explain(error)
    if problem is None:
        return False
    click.echo(output.problem_line(problem, output.terminal_language()), err=True)
    return True
