"""The command `scorekeeper score`, for every call that the module `score` does not understand by itself."""

from __future__ import annotations

import sys

import click

from .score import score_files


@click.command("score")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document per line.")
def score(files: tuple[str, ...], as_json: bool) -> None:
    """Print the statement of each sheet. `-` reads sheets from standard input, one JSON document per line."""
    sys.exit(score_files(files, as_json=as_json))
