"""Check a game's words: what is missing, what nothing uses, and what the placeholders are given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache

from ..games import find_folder, games
from ..i18n import LANGUAGES, find_language
from ..i18n.checking import placeholders, source_messages
from ..i18n.elision import SPECS
from ..i18n.sources import SOURCE, find_locale
from . import pages, template
from .catalogues import GameCatalogue, catalogues
from .code import key_patterns, patterns_after_slug
from .findings import Finding, GameFolder, Place, find_end, listed, similar
from .needs import Need, needs, uses
from .observing import Observed

# Messages of these kinds must be of something that the game declares or does; others may be composed.
EXACT = (
    "claim",
    "closing",
    "draw",
    "explanation",
    "fact",
    "feat",
    "figure",
    "group",
    "incident",
    "missing",
    "option",
    "paper",
    "reason",
    "term",
)


def check(folder: GameFolder, observed: Observed) -> Iterator[Finding]:
    """Yield what is missing or wrong in each of the game's catalogues, and the languages that it lacks."""
    read = list(catalogues(folder))
    yield from (finding for finding in read if isinstance(finding, Finding))
    by_tag = {catalogue.tag: catalogue for catalogue in read if isinstance(catalogue, GameCatalogue)}
    wanted = list(needs(folder, observed))
    source = by_tag.get(SOURCE)
    if source is None:
        path = folder.file(f"translations/{SOURCE}.po")
        if not path.is_file():
            yield Finding(Place(path), "the file is missing; English is the language that every game has")
        return
    yield from _check_source(folder, source, wanted, observed)
    yield from _check_shared(folder)
    for tag, catalogue in by_tag.items():
        if tag != SOURCE:
            yield from _check_translation(catalogue, source, by_tag)
    yield from _missing_languages(folder, by_tag)


def _check_source(
    folder: GameFolder, source: GameCatalogue, wanted: list[Need], observed: Observed
) -> Iterator[Finding]:
    unused = [key for key in source.messages if not _is_used(folder, key, wanted, observed)]
    yield from _find_missing(folder, source, wanted, unused)
    for key in unused:
        text = f"nothing uses the message {key!r}."
        yield Finding(source.place_of(key), text + similar(key, _missing_keys(folder, source, wanted)))
    for need in wanted:
        for key in need.keys:
            if need.params is not None and key in source.messages:
                yield from _check_params(source, key, need)
    if "heading" in source.messages and not template.defines(folder, "heading"):
        numbers = frozenset({"deal", "manche", *(field.name for field in fields(folder.game.options))})
        yield from _check_params(source, "heading", Need(("heading",), numbers, source.place_of("heading")))
    for key in source.messages:
        yield from _check_texts(source, key)


def _missing_keys(folder: GameFolder, source: GameCatalogue, wanted: list[Need]) -> list[str]:
    return [need.keys[0] for need in wanted if not any(_has(folder, source, key, need) for key in need.keys)]


def _has(folder: GameFolder, source: GameCatalogue, key: str, need: Need) -> bool:
    """Whether there is a message: the game's own, that of the game it is a variant of, or a shared one."""
    if key in source.messages or f"{folder.game.variant_of}.{key}" in source_messages():
        return True
    return need.may_be_shared and key in source_messages()


def _find_missing(
    folder: GameFolder, source: GameCatalogue, wanted: list[Need], unused: list[str]
) -> Iterator[Finding]:
    reported = set()
    for need in wanted:
        if any(_has(folder, source, key, need) for key in need.keys) or need.keys in reported:
            continue
        reported.add(need.keys)
        names = " or ".join(repr(key) for key in need.keys)
        where = f"{need.place.path.relative_to(folder.path)}:{need.place.line}"
        yield Finding(find_end(source.path), f"no message {names}, which {where} needs.{similar(need.keys[0], unused)}")


def _check_params(source: GameCatalogue, key: str, need: Need) -> Iterator[Finding]:
    found, given = placeholders(source.messages[key]), need.params or frozenset()
    for name in sorted((found or {}).keys() - given):
        text = f"message {key!r} has {{{name}}}, but is given: {listed(given)}.{similar(name, given)}"
        yield Finding(source.place_of(key), text)
    if key in source.plurals and "count" not in given:
        yield Finding(source.place_of(key), f"message {key!r} has plural forms, but is given no count")


def _check_texts(catalogue: GameCatalogue, key: str) -> Iterator[Finding]:
    """Check what concerns a message alone: empty texts, missing plural forms, braces, words before names."""
    texts, place = catalogue.messages[key], catalogue.place_of(key)
    found = placeholders(texts)
    if not all(texts):
        yield Finding(place, f"message {key!r} has an empty text")
    if key in catalogue.plurals and len(texts) != catalogue.num_plurals:
        yield Finding(
            place, f"message {key!r} has {len(texts)} plural forms; this language has {catalogue.num_plurals}"
        )
    if found is None:
        yield Finding(place, f"message {key!r} has an unbalanced brace")
    for spec in sorted({spec for specs in (found or {}).values() for spec in specs if spec}):
        if spec.lower() not in SPECS:
            yield Finding(place, f"message {key!r} has the unknown format {spec!r}; known are {listed(SPECS)}")


# --- other languages -----------------------------------------------------------------------------------------


def _check_translation(
    catalogue: GameCatalogue, source: GameCatalogue, by_tag: Mapping[str, GameCatalogue]
) -> Iterator[Finding]:
    if find_locale(catalogue.tag) is None:
        yield Finding(
            Place(catalogue.path), f"there is no language {catalogue.tag!r}.{similar(catalogue.tag, LANGUAGES)}"
        )
        return
    is_overlay = catalogue.tag.partition("_")[0] in by_tag and "_" in catalogue.tag
    for key in source.messages:
        if key not in catalogue.messages and not is_overlay and find_language(catalogue.tag) == catalogue.tag:
            where = f"{source.path.name}:{source.place_of(key).line}"
            yield Finding(find_end(catalogue.path), f"no message {key!r}, which is in {where}")
    for key, texts in catalogue.messages.items():
        place = catalogue.place_of(key)
        if key not in source.messages:
            text = f"message {key!r} is not in {source.path.name}."
            yield Finding(place, text + similar(key, source.messages.keys() - catalogue.messages.keys()))
            continue
        found, wanted = placeholders(texts) or {}, placeholders(source.messages[key]) or {}
        if found.keys() != wanted.keys():
            text = f"message {key!r} has the placeholders {listed(found)}; in {source.path.name}: {listed(wanted)}"
            yield Finding(place, text)
        if (key in catalogue.plurals) != (key in source.plurals):
            text = "has plural forms" if key in catalogue.plurals else "has no plural forms"
            yield Finding(place, f"message {key!r} {text}, unlike in {source.path.name}")
        yield from _check_texts(catalogue, key)


def _missing_languages(folder: GameFolder, by_tag: Mapping[str, GameCatalogue]) -> Iterator[Finding]:
    for language in LANGUAGES:
        has_rules = folder.file(f"rules.{language}.md").is_file()
        name = f"translations/{language}.po"
        if language not in by_tag and not folder.file(name).is_file():
            text = "the file is missing; its pages are in English" if not has_rules else "the file is missing"
            yield Finding(Place(folder.file(name)), text, is_warning=not has_rules)


# --- what is used --------------------------------------------------------------------------------------------


def _is_used(folder: GameFolder, key: str, wanted: list[Need], observed: Observed) -> bool:
    if any(key in need.keys for need in wanted) or _is_named_elsewhere(folder, key):
        return True
    kind, _, rest = key.partition(".")
    shared_by, _, unit = key.rpartition(".")
    if unit in folder.game.units and any(shared.startswith(f"{shared_by}.") for shared in source_messages()):
        return True
    if kind in ("card", "suit"):
        return rest in observed.cards
    if key in source_messages() and _matches(key, pages.patterns_of_own_words()):
        return True
    if kind == "figure":
        return rest.split(".")[0] in folder.game.figure_names
    if kind == "closing":
        closing, _, number = rest.partition(".")
        return closing in folder.game.ends and number.isdigit()
    if kind in ("fact", "group", "missing", "paper"):
        keys = {name for group in observed.groups.values() for name in group.keys}
        return rest in observed.groups or (
            kind == "fact" and (rest in keys or f"{folder.slug}.{rest}" in observed.labels)
        )
    if kind == "term" and not any(
        name.startswith("term.") for name, _ in template.find_terms(folder)
    ):  # the default layout lists all of them
        return bool(rest)
    if kind in EXACT and rest:
        return False
    return _matches(key, pages.patterns_after_slug() | patterns_after_slug()) or _is_composed(folder, key)


def _matches(key: str, known: frozenset[str]) -> bool:
    return any(re.fullmatch(pattern, key) for pattern in known)


def _is_named_elsewhere(folder: GameFolder, key: str) -> bool:
    """Whether another installed game, such as a variant, names this message."""
    return any(re.fullmatch(pattern, f"{folder.slug}.{key}") for pattern in _patterns_of_others(folder.slug))


@cache
def _patterns_of_others(slug: str) -> frozenset[str]:
    others = [GameFolder(game, find_folder(game)) for other, game in games().items() if other != slug]
    return frozenset(
        pattern for other in others for pattern in _composed_keys(other) if pattern.startswith(re.escape(f"{slug}."))
    )


def _is_composed(folder: GameFolder, key: str) -> bool:
    return any(re.fullmatch(pattern, f"{folder.slug}.{key}") for pattern in _composed_keys(folder))


@cache
def _composed_keys(folder: GameFolder) -> frozenset[str]:
    """Return all strings of a game's code and templates, as patterns of keys."""
    in_templates = [pattern for parsed in template.parsed(folder).values() for pattern in template.patterns(parsed)]
    in_code = [pattern for module in folder.code.values() for pattern, _ in key_patterns(module)]
    return frozenset(pattern for pattern in [*in_templates, *in_code] if re.search(r"[a-z]", pattern))


def _check_shared(folder: GameFolder) -> Iterator[Finding]:
    """Check that messages of the app and of other games that this one names exist."""
    others = tuple(f"{slug}." for slug in games())
    for use in uses(folder):
        if not use.key.startswith(f"{folder.slug}.") and use.key not in source_messages():
            is_foreign = use.key.startswith(others)
            text = f"{'another game' if is_foreign else 'the app'} has no message {use.key!r}."
            yield Finding(use.place, text + similar(use.key, source_messages()))
