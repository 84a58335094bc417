"""The command that prints the JSON Schemas of the app's formats. Uses neither Flask nor a database."""

from __future__ import annotations

from importlib import resources

import click

from .. import exchange

NAMES = ("circle", "sheet")


@click.command()
@click.argument("name", type=click.Choice(NAMES))
def schema(name: str) -> None:
    """Print the JSON Schema of the file of a circle, or of a score sheet."""
    text = resources.files(exchange).joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    click.echo(text, nl=False)
