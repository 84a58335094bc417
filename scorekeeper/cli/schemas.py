"""The command that prints the JSON Schemas of the app's formats. Uses neither Flask nor a database."""

from __future__ import annotations

import json
from importlib import resources

import click

from .. import exchange

NAMES = ("circle", "sheet")


@click.command()
@click.argument("name", type=click.Choice(NAMES))
def schema(name: str) -> None:
    """Print the JSON Schema of the file of a circle, or of a score sheet."""
    if name == "circle":
        from ..exchange.circle_records import make_circle_schema  # noqa: PLC0415  # other commands need no records

        click.echo(json.dumps(make_circle_schema(), indent=2))
    else:
        click.echo(resources.files(exchange).joinpath("sheet.schema.json").read_text(encoding="utf-8"), nl=False)
