"""Compile the catalogues of all languages: `python -m scorekeeper.i18n.compiling`, which an installation runs."""

from __future__ import annotations

from . import compiled
from .catalogues import compile_messages
from .checking import summary
from .locales import languages, locales
from .sources import fallbacks, tags


def compile_all() -> None:
    """Compile what readers can choose, but for texts with faults: each start reads those, and names the faults."""
    faulty = {tag for tag in tags() if summary(tag) is not None}
    for tag in dict.fromkeys((*languages(), *locales())):
        if faulty.isdisjoint(fallbacks(tag)):
            compiled.write(tag, compile_messages(tag))


if __name__ == "__main__":
    compile_all()
