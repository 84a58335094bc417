"""Made-up languages in a host's folder, for tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from scorekeeper.i18n import use_host_folder
from scorekeeper.i18n.checking import parse
from scorekeeper.i18n.sources import SOURCE, message_files, rules_file, rules_in_host_folder, rules_texts

HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n"Plural-Forms: {forms};\\n"\n'


class HostFolder:
    """A host's instance folder, to which languages are added."""

    def __init__(self, instance: Path) -> None:
        self.instance = instance
        self.translations = instance / "translations"
        self.translations.mkdir(parents=True)

    def write(self, name: str, text: str) -> None:
        """Write a file below `translations/`, and find languages anew."""
        path = self.translations / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.refresh()

    def refresh(self) -> None:
        """Read the folder again, as at the next start."""
        use_host_folder(self.instance / "none")
        use_host_folder(self.translations)

    def add_language(
        self, tag: str, change: Callable[[str], str], forms: str = "nplurals=2; plural=(n != 1)", count: int = 2
    ) -> None:
        """Add a complete language: every English text, changed by a function."""
        for file in message_files(SOURCE):
            parsed = parse(file)
            blocks = [HEADER.format(forms=forms)]
            for key, texts in parsed.messages.items():
                name = key.removeprefix(file.prefix)
                if key in parsed.plurals:
                    plural = [f'msgstr[{number}] "{quoted(change(texts[min(number, 1)]))}"' for number in range(count)]
                    blocks.append(f'msgid "{name}"\nmsgid_plural "{name}"\n' + "\n".join(plural))
                else:
                    blocks.append(f'msgid "{name}"\nmsgstr "{quoted(change(texts[0]))}"')
            path = self.translations / tag / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
        for name in rules_texts():
            text = rules_file(name, SOURCE).read_text(encoding="utf-8")
            (self.translations / rules_in_host_folder(name, tag)).write_text(text, encoding="utf-8")
        self.refresh()


def catalogue_text(*messages: tuple[str, str], forms: str = "nplurals=2; plural=(n != 1)") -> str:
    """Return a .po file with these messages."""
    return (
        "\n\n".join((HEADER.format(forms=forms), *(f'msgid "{key}"\nmsgstr "{text}"' for key, text in messages))) + "\n"
    )


def quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
