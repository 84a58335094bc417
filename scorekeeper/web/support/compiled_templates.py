"""Templates compiled when the app is installed, as Python's modules are: those of a table and its pad take 0.3 seconds.

They lie beside Python's compiled modules. One is used only while the template, Jinja and this module's settings are as
they were; otherwise the template is compiled again in memory.
"""

from __future__ import annotations

import re
from pathlib import Path

import jinja2
from flask import Flask
from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket
from jinja2.ext import Extension

FOLDER = Path(__file__).parent / "__pycache__" / "templates"
OPTIONS = {"trim_blocks": True, "lstrip_blocks": True}
_MADE_WITH = f"{jinja2.__version__} {Path(__file__).read_text(encoding='utf-8')}"
_INDENTATION = re.compile(r"([%#]})?\n[ \t]+")


class Unindented(Extension):
    """Compiles templates without their indentation, which is a twentieth of every page.

    After a block or a comment, whose line break Jinja removes, one space stays: it may separate words.
    """

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002  # Jinja's
        """Remove the spaces at the beginnings of lines."""
        return _INDENTATION.sub(lambda found: f"{found[1]}\n " if found[1] else "\n", source)


class TemplateCache(FileSystemBytecodeCache):
    """The compiled templates. Only an installation adds to them: serving writes nothing."""

    def __init__(self, *, writes: bool = False) -> None:
        super().__init__(str(FOLDER), "%s.template")
        self.writes = writes

    def get_source_checksum(self, source: str) -> str:
        return super().get_source_checksum(f"{_MADE_WITH}\n{source}")

    def dump_bytecode(self, bucket: Bucket) -> None:
        if self.writes:
            super().dump_bytecode(bucket)


def init_app(app: Flask) -> None:
    app.jinja_env.add_extension(Unindented)
    app.jinja_env.bytecode_cache = TemplateCache()


def compile_templates(app: Flask) -> None:
    """Compile all templates of the app and its games. Raises OSError."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    app.jinja_env.bytecode_cache = TemplateCache(writes=True)
    for name in app.jinja_env.list_templates():
        app.jinja_env.get_template(name)
