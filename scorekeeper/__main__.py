"""The `scorekeeper` command, also as `python -m scorekeeper`."""

from __future__ import annotations

import sys

from . import raise_gc_threshold


def main() -> None:
    """Run the command. `score` does without click where it can: importing click takes longer than scoring a sheet."""
    if sys.argv[1:2] == ["score"]:
        from .cli import score  # noqa: PLC0415  # no other command needs it

        if score.is_plain(sys.argv[2:]):
            sys.exit(score.run(sys.argv[2:]))
    raise_gc_threshold()  # before everything is imported, which creates half a million objects and no garbage
    from .cli.main import main as commands  # noqa: PLC0415  # see above

    commands(prog_name="scorekeeper")


if __name__ == "__main__":
    main()
