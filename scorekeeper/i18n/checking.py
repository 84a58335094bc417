"""Faults of a language's texts, compared with the English ones."""

from __future__ import annotations

import gettext
import logging
import re
import string
from collections.abc import Iterator
from functools import cache
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from ..scoring.problems import Problem
from .elision import SPECS
from .sources import (
    EVENTS,
    SOURCE,
    MessageFile,
    find_language,
    find_locale,
    is_bundled,
    is_packaged,
    message_files,
    own_rules_file,
    regions,
    rules_in_host_folder,
    rules_texts,
)

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

MAX_LISTED = 5  # problems that one line names
Texts = tuple[str, ...]  # of one message: a single text, or one for each plural form

_LINE = re.compile(r'\s*(?:#.*|(?:(?:msgid|msgid_plural|msgctxt|msgstr(?:\[\d+\])?)\s*)?"(?:[^"\\]|\\.)*"\s*)?')
_ANCHOR = re.compile(r"^#+ .*\{#([a-z_]+)\}\s*$", re.M)


class DamagedFileError(Exception):
    """A file that cannot be read as what it should be."""


class ParsedFile:
    """The messages of a file by their full keys, and how it forms plurals."""

    def __init__(self, file: MessageFile, catalogue: Catalog | None = None) -> None:
        from babel.messages.pofile import PoFileError  # noqa: PLC0415  # what is compiled already needs no such file

        try:
            catalogue = _read(file.path) if catalogue is None else catalogue
        except (PoFileError, ValueError, OSError) as error:
            raise DamagedFileError(f"{type(error).__name__}: {error}") from error
        self.num_plurals, self.plural_expr = catalogue.num_plurals, catalogue.plural_expr
        self.messages: dict[str, Texts] = {}
        self.plurals: set[str] = set()
        for message in catalogue:
            if not message.id or message.fuzzy:
                continue
            is_plural = isinstance(message.id, tuple)
            key = file.prefix + (message.id[0] if isinstance(message.id, tuple) else str(message.id))
            texts = message.string if isinstance(message.string, tuple | list) else (message.string,)
            self.messages[key] = tuple(str(text or "") for text in texts)
            if is_plural:
                self.plurals.add(key)


def _read(path: Path) -> Catalog:
    from babel.messages.pofile import read_po  # noqa: PLC0415  # see above

    text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        if not _LINE.fullmatch(line):  # Babel is lenient and would cut it
            raise ValueError(f"line {number}")
    catalogue = read_po(StringIO(text), abort_invalid=True)
    gettext.c2py(catalogue.plural_expr)  # raises ValueError
    return catalogue


@cache
def parse(file: MessageFile) -> ParsedFile:
    """Read a catalogue once. Raises DamagedFileError.

    A damaged one in the package of a game that does not come with the app costs only that game's words.
    """
    try:
        return ParsedFile(file)
    except DamagedFileError as error:
        if not file.slug or is_bundled(file.slug) or not is_packaged(file):
            raise
        from babel.messages.catalog import Catalog  # noqa: PLC0415  # see above

        logging.getLogger(__name__).warning("%s is left out: %s", file.path, error)
        return ParsedFile(file, Catalog())


@cache
def source_messages() -> dict[str, Texts]:
    """Return the English messages by key."""
    return {key: texts for file in message_files(SOURCE) for key, texts in parse(file).messages.items()}


@cache
def plural_source_keys() -> frozenset[str]:
    """Return the keys of the English messages that have a plural."""
    return frozenset(key for file in message_files(SOURCE) for key in parse(file).plurals)


def placeholders(texts: Texts) -> dict[str, set[str]] | None:
    """Return the placeholders of a message with their format specs; None if it is not a format string."""
    found: dict[str, set[str]] = {}
    try:
        for text in texts:
            for _, name, spec, conversion in string.Formatter().parse(text):
                if name is not None:
                    found.setdefault(name, set()).add((f"!{conversion}" if conversion else "") + (spec or ""))
    except ValueError:
        return None
    return found


def is_safe(key: str, texts: Texts) -> bool:
    """Return whether a message can be filled in: it has text, and no placeholders but those of the English one."""
    found, wanted = placeholders(texts), placeholders(source_messages().get(key, ()))
    return bool(
        all(texts)
        and found is not None
        and wanted is not None
        and found.keys() <= wanted.keys()
        and all(not spec or spec.lower() in SPECS for specs in found.values() for spec in specs)
    )


# --- problems ------------------------------------------------------------------------------------------------


def damage(tag: str) -> Iterator[Problem]:
    """Yield what makes a language unusable: a tag unknown to CLDR, a file that is no catalogue."""
    if find_locale(tag) is None:
        yield Problem(tag, "translation.unknown-locale", {"tag": tag})
        return
    for file in message_files(tag):
        try:
            parse(file)
        except DamagedFileError as error:
            yield Problem(str(file.path), "translation.damaged", {"reason": str(error)})
    for name in rules_texts():
        try:
            anchors(own_rules_file(name, tag))
        except (ValueError, OSError) as error:
            yield Problem(rules_in_host_folder(name, tag), "translation.damaged", {"reason": str(error)})
    try:
        regions(tag)
    except (ValueError, OSError) as error:
        yield Problem(f"{tag}/language.toml", "translation.damaged", {"reason": str(error)})


def problems(tag: str) -> Iterator[Problem]:
    """Yield everything wrong with a language's texts. An overlay may lack any text, a game of its own package too."""
    damaged = list(damage(tag))
    yield from damaged
    if damaged:
        return
    own = {key for file in message_files(tag) for key in parse(file).messages}
    for file in message_files(tag):
        yield from _problems_of_file(file, parse(file))
    if find_language(tag) == tag:
        yield from _missing_messages(own, tag)
        yield from _missing_rules(tag)
    yield from _missing_anchors(tag)


def summary(tag: str) -> Problem | None:
    """Return in one line what is wrong with a language's texts; None if nothing is."""
    damaged = list(damage(tag))
    if damaged:
        return Problem(tag, "translation.left-out", {"tag": tag, "file": damaged[0].field, "count": len(damaged)})
    found = list(problems(tag))
    names = [f"{problem.field}: {problem.params.get('message', '')}".rstrip(": ") for problem in found]
    listed = ", ".join(names[:MAX_LISTED]) + (" …" if len(names) > MAX_LISTED else "")
    params = {"tag": tag, "count": len(found), "listed": listed}
    return Problem(tag, "translation.incomplete", params) if found else None


def _problems_of_file(file: MessageFile, parsed: ParsedFile) -> Iterator[Problem]:
    where = str(file.path)
    for key, texts in parsed.messages.items():
        name = key.removeprefix(file.prefix)
        source = source_messages().get(key)
        found = placeholders(texts)
        if source is None:
            yield Problem(where, "translation.unknown-key", {"message": name})
        elif not all(texts) or (key in parsed.plurals and len(texts) < parsed.num_plurals):
            yield Problem(where, "translation.untranslated", {"message": name})
        elif found is None or not is_safe(key, texts) or found.keys() != (placeholders(source) or {}).keys():
            yield Problem(where, "translation.placeholders", {"message": name, "expected": _listed(source)})
        elif key in plural_source_keys() and key not in parsed.plurals:
            yield Problem(where, "translation.plural-forms", {"message": name})


def _listed(texts: Texts) -> str:
    return " ".join(f"{{{name}}}" for name in placeholders(texts) or {}) or "–"


def _missing_messages(own: set[str], tag: str) -> Iterator[Problem]:
    own_files = {file.name: file.path for file in message_files(tag)}
    for file in message_files(SOURCE):
        keys = parse(file).messages
        missing = [key for key in keys if key not in own]
        if missing and file.name not in own_files:
            if file.slug and not is_bundled(file.slug):
                continue
            yield Problem(f"{tag}/{file.name}", "translation.missing-file", {"count": len(missing)})
            continue
        for key in missing:
            params = {"message": key.removeprefix(file.prefix)}
            yield Problem(str(own_files[file.name]), "translation.missing-message", params)


def _missing_rules(tag: str) -> Iterator[Problem]:
    for name in rules_texts():
        if own_rules_file(name, tag) is None and (name == EVENTS or is_bundled(name)):
            yield Problem(rules_in_host_folder(name, tag), "translation.missing-rules")


def _missing_anchors(tag: str) -> Iterator[Problem]:
    for name in rules_texts():
        path = own_rules_file(name, tag)
        found = anchors(path)
        for anchor in anchors(own_rules_file(name, SOURCE)):
            if path is not None and anchor not in found:
                yield Problem(str(path), "translation.missing-anchor", {"anchor": anchor})


def anchors(path: Path | None) -> list[str]:
    """Return the ids of a rules text's headings, in order; none if there is no text."""
    return _ANCHOR.findall(path.read_text(encoding="utf-8")) if path is not None else []
