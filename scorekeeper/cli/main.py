"""The `scorekeeper` command. Importing this module is fast: the commands' modules are imported when they are used."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

from ..site.version import get_version

COMMANDS = {  # by name: module and function
    "backup": ("database", "back_up"),
    "circles": ("circles", "list_all"),
    "erase-circle": ("circles", "erase"),
    "export-circle": ("circles", "export_circle"),
    "import-circle": ("circles", "import_file"),
    "migrate": ("database", "migrate"),
    "new-host-link": ("circles", "new_host_link"),
    "rebuild": ("database", "rebuild"),
    "restore": ("database", "restore"),
    "run": ("server", "run"),
    "score": ("score", "score"),
    "verify": ("database", "verify"),
}


class LazyGroup(click.Group):
    """A group that imports a command when it is used, and reports expected errors on one line with exit status 2."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click passes it
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # click passes it
        if cmd_name not in COMMANDS:
            return None
        module, function = COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(f".{module}", __package__), function)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="replace")  # "?" for characters that the terminal's encoding lacks
        try:
            return super().invoke(ctx)
        except Exception as error:
            from ..errors import explain  # noqa: PLC0415  # imports SQLAlchemy, which a command that succeeds may not need
            from .output import fail  # noqa: PLC0415  # imports Babel, which it may not need either

            problem = explain(error)
            if problem is None:
                raise
            return fail("", problem)


@click.group(cls=LazyGroup)
@click.version_option(get_version())
@click.pass_context
def main(context: click.Context) -> None:
    """Keep score of card games at a real table."""
    previous_umask = os.umask(0o077)  # files are created for their owner alone
    context.call_on_close(lambda: os.umask(previous_umask))
