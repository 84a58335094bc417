"""The `scorekeeper` command, also as `python -m scorekeeper`."""

from __future__ import annotations

import gc
import signal
from typing import NoReturn

from .scoring.failing import Interrupted

IMPORTED = 1_000_000  # objects, more than importing everything creates: none of them is garbage


def _interrupt(*_signal: object) -> NoReturn:
    raise Interrupted


def main() -> None:
    """Run the command."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else the shell has it ignored
        signal.signal(signal.SIGINT, _interrupt)
    gc.set_threshold(IMPORTED)  # until the app is created
    from .cli.main import main as commands  # noqa: PLC0415  # only once garbage is no longer looked for

    commands(prog_name="scorekeeper")


if __name__ == "__main__":
    main()
