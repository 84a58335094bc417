"""The catalogues of a game, read with the lines of their messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path

from babel.messages.pofile import PoFileError, read_po

from ..i18n.checking import DamagedFileError, ParsedFile, Texts
from ..i18n.sources import MessageFile
from .findings import Finding, GameFolder, Place


@dataclass(frozen=True)
class GameCatalogue:
    """The messages of one language, by key without the slug."""

    tag: str
    path: Path

    @cached_property
    def _parsed(self) -> ParsedFile:
        return ParsedFile(MessageFile(self.path, "", self.path.name))

    @cached_property
    def _lines(self) -> dict[str, int]:
        messages = read_po(StringIO(self.path.read_text(encoding="utf-8")))
        return {_id(message.id): message.lineno or 1 for message in messages if message.id}

    @property
    def messages(self) -> dict[str, Texts]:
        """The texts of each message: one, or one for each plural form."""
        return self._parsed.messages

    @property
    def plurals(self) -> set[str]:
        """The keys of messages with plural forms."""
        return self._parsed.plurals

    @property
    def num_plurals(self) -> int:
        """The number of plural forms that the language has."""
        return self._parsed.num_plurals

    def place_of(self, key: str) -> Place:
        """Return where a message is."""
        return Place(self.path, self._lines.get(key, 1))

    def find_damage(self) -> str | None:
        """Return why the file cannot be read, or None."""
        try:
            return None if self._parsed.messages and self._lines else "it has no messages"
        except (DamagedFileError, PoFileError) as error:
            return str(error)


def _id(message_id: object) -> str:
    return str(message_id[0]) if isinstance(message_id, tuple | list) else str(message_id)


def catalogues(folder: GameFolder) -> Iterator[GameCatalogue | Finding]:
    """Yield the game's catalogues, and findings for those that cannot be read."""
    for path in sorted(folder.path.glob("translations/*.po")):
        catalogue = GameCatalogue(path.stem, path)
        damage = catalogue.find_damage()
        yield catalogue if damage is None else Finding(Place(path), f"the catalogue cannot be read: {damage}")
