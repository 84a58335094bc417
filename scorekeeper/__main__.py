"""The `scorekeeper` command, also as `python -m scorekeeper`."""

from __future__ import annotations

import gc
import signal
import sys
from typing import NoReturn

from .scoring.failing import Interrupted

IMPORTED = 1_000_000  # objects, more than importing everything creates: none of them is garbage


def _interrupt(*_signal: object) -> NoReturn:
    raise Interrupted


def main() -> None:
    """Run the command. `score` does without click where it can: importing click takes longer than scoring a sheet."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else the shell has it ignored
        signal.signal(signal.SIGINT, _interrupt)
    if sys.argv[1:2] == ["score"]:
        from .cli import score  # noqa: PLC0415  # no other command needs it

        if score.is_plain(sys.argv[2:]):
            sys.exit(score.run(sys.argv[2:]))
    gc.set_threshold(IMPORTED)  # until the app is created
    from .cli.main import main as commands  # noqa: PLC0415  # see above

    commands(prog_name="scorekeeper")


if __name__ == "__main__":
    main()
