"""The `scorekeeper` command, also as `python -m scorekeeper`."""

from __future__ import annotations

import gc

IMPORTED = 1_000_000  # objects, more than importing everything creates: none of them is garbage


def main() -> None:
    gc.set_threshold(IMPORTED)  # until the app is created
    from .cli.main import main as commands  # noqa: PLC0415  # only once garbage is no longer looked for

    commands(prog_name="scorekeeper")


if __name__ == "__main__":
    main()
