"""`python -m scorekeeper` is the `scorekeeper` command."""

from .cli import main

main(prog_name="scorekeeper")
