"""`python -m scorekeeper` is the `scorekeeper` command."""

from .cli.main import main

main(prog_name="scorekeeper")
