"""Compile texts and templates: `python -m scorekeeper.cli.compiling`, which an installation runs."""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory

from .. import create_app
from ..i18n import compiled
from ..i18n.catalogues import compile_messages
from ..i18n.checking import summary
from ..i18n.locales import languages, locales
from ..i18n.sources import fallbacks, tags
from ..web.support.compiled_templates import compile_templates


def compile_catalogues() -> None:
    """Compile what readers can choose, but for texts with faults: each start reads those, and names the faults."""
    faulty = {tag for tag in tags() if summary(tag) is not None}
    for tag in dict.fromkeys((*languages(), *locales())):
        if faulty.isdisjoint(fallbacks(tag)):
            compiled.write(tag, compile_messages(tag))


def main() -> None:
    compile_catalogues()
    with TemporaryDirectory() as instance:  # the host's own is none of an installation's business
        os.environ["SCOREKEEPER_INSTANCE"] = instance
        compile_templates(create_app({"SQLALCHEMY_DATABASE_URI": "sqlite://"}))


if __name__ == "__main__":
    main()
