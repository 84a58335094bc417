"""Where each language's texts are: in the package, in the games' folders, and in a folder of the host.

A language is found by its files; no code lists languages. Its tag is written as in CLDR: `fr`, `fr_CA`, `pt_BR`.
A tag with a region whose language has texts too is an overlay: it has only the texts that differ.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from babel import Locale, UnknownLocaleError

from ..games import find_folder, games

SOURCE = "en"  # the language that has every text
EVENTS = "events"  # names the rules of events, which are no game's

_PACKAGE = Path(__file__).parent.parent
_FOLDER = _PACKAGE / "translations"
_host_folders: list[Path] = []  # none or one


class MessageFile(NamedTuple):
    """A catalogue, and what precedes the keys of its messages: a game's slug and a point, or nothing."""

    path: Path
    prefix: str
    name: str  # `common.po`, `games/<slug>.po`

    @property
    def slug(self) -> str:
        """The slug of the game whose messages they are, or an empty text."""
        return self.prefix.removesuffix(".")


def use_host_folder(folder: Path) -> bool:
    """Read texts from this folder too, if it exists; they take precedence. Return whether that is a change."""
    folders = [folder] if folder.is_dir() else []
    if folders == _host_folders:
        return False
    _host_folders[:] = folders
    for function in (tags, message_files, regions):
        function.cache_clear()
    return True


def find_locale(tag: str) -> Locale | None:
    """Return what CLDR knows of a tag (`fr_CA`); None if it knows nothing."""
    try:
        return Locale.parse(tag)
    except (UnknownLocaleError, ValueError, TypeError):
        return None


def find_language(tag: str) -> str:
    """Return the language whose texts a tag falls back to; itself, if it is not an overlay."""
    locale = find_locale(tag)
    has_language = locale is not None and locale.language != tag and locale.language in tags()
    return locale.language if locale is not None and has_language else tag


def is_overlay(tag: str) -> bool:
    """Return whether a tag is that of a region with words of its own (fr_CA), beside those of its language."""
    return tag in tags() and find_language(tag) != tag


def fallbacks(tag: str) -> list[str]:
    """Return the tags whose texts a tag uses, in order of precedence: fr_CA, fr, en."""
    locale = find_locale(tag)
    language = [locale.language] if locale is not None else []
    return list(dict.fromkeys((tag, *language, SOURCE)))


@cache
def tags() -> tuple[str, ...]:
    """Return the tags of all languages and overlays that have texts, known to CLDR or not."""
    found = {folder.name for root in (_FOLDER, *_host_folders) if root.is_dir() for folder in root.iterdir()}
    for game in games().values():
        found |= {path.stem for path in (find_folder(game) / "translations").glob("*.po")}
        found |= {path.name.split(".")[1] for path in find_folder(game).glob("rules.*.md")}
    return tuple(sorted((tag for tag in found if not tag.startswith((".", "_"))), key=lambda tag: (tag != SOURCE, tag)))


def packaged_languages() -> tuple[str, ...]:
    """Return the languages that the app comes with, without overlays; English first."""
    names = {folder.name for folder in _FOLDER.iterdir() if folder.is_dir()}
    return tuple(tag for tag in tags() if tag in names and find_language(tag) == tag)


@cache
def message_files(tag: str) -> tuple[MessageFile, ...]:
    """Return a tag's own catalogues; the host's last, so that they take precedence."""
    return tuple(_message_files(tag))


def _message_files(tag: str) -> Iterator[MessageFile]:
    for path in sorted((_FOLDER / tag).glob("*.po")):
        yield MessageFile(path, "", path.name)
    for slug, game in games().items():
        path = find_folder(game) / "translations" / f"{tag}.po"
        if path.is_file():
            yield MessageFile(path, f"{slug}.", f"games/{slug}.po")
    for folder in _host_folders:
        for path in sorted((folder / tag).glob("*.po")):
            yield MessageFile(path, "", path.name)
        for slug in games():
            path = folder / tag / "games" / f"{slug}.po"
            if path.is_file():
                yield MessageFile(path, f"{slug}.", f"games/{slug}.po")


def is_packaged(file: MessageFile) -> bool:
    """Return whether a file of a game's texts is in the game's own package, and not the host's."""
    return file.path.is_relative_to(find_folder(games()[file.slug]))


def is_bundled(slug: str) -> bool:
    """Return whether a game comes with the app, and so needs texts in each of the app's languages."""
    return find_folder(games()[slug]).is_relative_to(_PACKAGE)


def rules_texts() -> tuple[str, ...]:
    """Return the names of all rules texts: the games' slugs, and that of events."""
    return (*games(), EVENTS)


def rules_file(name: str, tag: str) -> Path:
    """Return a rules text in this language or the nearest one that has it."""
    return next(path for fallback in fallbacks(tag) if (path := own_rules_file(name, fallback)) is not None)


def own_rules_file(name: str, tag: str) -> Path | None:
    """Return a rules text under this very tag, or None."""
    candidates = [folder / rules_in_host_folder(name, tag) for folder in _host_folders]
    folder = _PACKAGE / "events" if name == EVENTS else find_folder(games()[name])
    candidates.append(folder / f"rules.{tag}.md")
    return next((path for path in candidates if path.is_file()), None)


def rules_in_host_folder(name: str, tag: str) -> str:
    """Return the path of a rules text in a host's folder."""
    return f"{tag}/{name}.md" if name == EVENTS else f"{tag}/games/{name}.md"


@cache
def regions(language: str) -> tuple[str, ...]:
    """Return the regions that a language offers (`GB`), the usual one first.

    Raises ValueError if the list is not one of CLDR's regions.
    """
    path = regions_file(language)
    if path is None:
        return ()
    listed = tomllib.loads(path.read_text(encoding="utf-8")).get("regions", [])
    if not isinstance(listed, list) or not all(is_region(language, region) for region in listed):
        raise ValueError(f"{path}: {listed!r}")
    return tuple(listed)


def regions_file(language: str) -> Path | None:
    """Return the file that lists a language's regions, or None."""
    candidates = (folder / language / "language.toml" for folder in (*_host_folders, _FOLDER))
    return next((path for path in candidates if path.is_file()), None)


def is_region(language: str, region: object) -> bool:
    """Return whether CLDR knows the region (`CA`)."""
    locale = find_locale(f"{language}_{region}") if isinstance(region, str) else None
    return locale is not None and locale.territory == region
