"""The command for translators: check-translations."""

from __future__ import annotations

import sys

import click

from ..i18n import checking, sources, translate, use_host_folder
from ..scoring.problems import Problem
from ..scoring.values import single_line
from ..web.config import instance_folder
from . import FAILED, output


@click.command("check-translations")
@click.argument("tags", metavar="[TAG]…", nargs=-1)
def check_translations(tags: tuple[str, ...]) -> None:
    """Check the texts of each language TAG, by default of all; exit with status 2 if any is missing or wrong."""
    use_host_folder(instance_folder() / "translations")
    language = output.terminal_language()
    counts = [_check(tag.replace("-", "_"), language) for tag in tags or sources.tags()]
    if any(counts):
        sys.exit(FAILED)


def _check(tag: str, language: str) -> int:
    """Print what is wrong with a language, and how much that is. Return the number of problems."""
    is_known = tag in sources.tags()
    found = list(checking.problems(tag)) if is_known else [Problem(tag, "translation.no-files", {"tag": tag})]
    for problem in found:
        click.echo(single_line(f"{problem.field}: {output.problem_line(problem, language)}"))
    click.echo(translate(language, "translation.checked", tag=tag, count=len(found)), err=True)
    return len(found)
