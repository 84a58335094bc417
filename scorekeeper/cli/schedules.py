"""The command that prints the schedule of an event. Uses neither Flask nor a database."""

from __future__ import annotations

import json
import re
import sys
from typing import NoReturn

import click

from ..events.formats import MIN_PLAYERS, Format, find_format
from ..events.schedule import Schedule, UnschedulableError
from ..limits import MAX_PLAYERS
from ..scoring import schema
from ..scoring.problems import Problem, abbreviate_key
from ..scoring.values import NO_SEATS
from . import FAILED
from .streams import print_line, writable_output

_NUMBER = re.compile(r"-?[0-9]{1,9}")


@click.command()
@click.option("--format", "slug", required=True, metavar="FORMAT", help="individual, howell, mitchell, round-robin …")
@click.option("--players", required=True, metavar="NUMBER", help="How many play.")
@click.option("--rounds", metavar="NUMBER", help="How many rounds; without it, all that the format has.")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the format: boards=other …"
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def schedule(slug: str, players: str, rounds: str | None, options: tuple[str, ...], as_json: bool) -> None:
    """Print who sits with whom in each round of an event. Players are numbered from 1."""
    with writable_output():
        try:
            made = _make(_under(find_format(slug), options), players, rounds)
        except UnschedulableError as error:
            _fail(error.problem)
        if as_json:
            print_line(json.dumps(made.as_json()), sys.stdout)
        else:
            _print_text(slug, made)


def _under(of_format: Format, options: tuple[str, ...]) -> Format:
    """Return the format with the options that were typed, those that the pages offer; ends the command if it cannot."""
    typed = {name: value for name, _, value in (option.partition("=") for option in options)}
    problems: list[Problem] = []
    loaded = schema.load(of_format.options, typed, NO_SEATS, problems)
    if problems:
        _fail(problems[0])
    return of_format.under(loaded)


def _make(of_format: Format, players: str, rounds: str | None) -> Schedule:
    """Return the schedule for what was typed. Raises UnschedulableError."""
    if not _NUMBER.fullmatch(players):
        raise UnschedulableError("players", players=abbreviate_key(players), least=MIN_PLAYERS, most=MAX_PLAYERS)
    if rounds is not None and not _NUMBER.fullmatch(rounds):
        raise UnschedulableError("rounds", rounds=abbreviate_key(rounds))
    return of_format.schedule(int(players), None if rounds is None else int(rounds))


def _fail(problem: Problem) -> NoReturn:
    from . import output  # noqa: PLC0415  # imports Babel, which --json does not need

    field = f"{abbreviate_key(problem.field)}: " if problem.field else ""
    print_line(field + output.problem_line(problem, output.terminal_language()), sys.stderr)
    sys.exit(FAILED)


def _print_text(slug: str, made: Schedule) -> None:
    from . import output, schedule_text  # noqa: PLC0415  # see above

    for line in schedule_text.lines(slug, made, output.terminal_language()):
        sys.stdout.write(line + "\n")
