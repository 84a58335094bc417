"""Compile texts and templates: `python -m scorekeeper.cli.compiling`, which an installation runs."""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory

from .. import create_app
from ..i18n.compiling import compile_catalogues
from ..web.support.compiled_templates import compile_templates


def main() -> None:
    compile_catalogues()
    with TemporaryDirectory() as instance:  # the host's own is none of an installation's business
        os.environ["SCOREKEEPER_INSTANCE"] = instance
        compile_templates(create_app({"SQLALCHEMY_DATABASE_URI": "sqlite://"}))


if __name__ == "__main__":
    main()
