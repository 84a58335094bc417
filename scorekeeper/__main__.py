"""The `scorekeeper` command, also as `python -m scorekeeper`."""

from __future__ import annotations

from .cli.main import main

if __name__ == "__main__":
    main(prog_name="scorekeeper")
