"""Words and spaces that do not belong in a message, in all catalogues, rules texts and the glossary of translators."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

import scorekeeper
from scorekeeper.i18n import catalogue

from .words import words_given_up

PACKAGE = Path(scorekeeper.__file__).parent

PRONOUNS = re.compile(r"\b(he|him|his)\b", re.IGNORECASE)  # in messages; rules have examples with Bruno, and authors
DOCS = PACKAGE.parent / "docs"
GLOSSARIES = {"translating.md": ("en", "fr", "fr_CA", "de"), "glossary.md": ("en", "fr")}  # whose words are in columns

# A placeholder that is a name takes the word before it into itself: {party:de}.
NAMES = r"\{(party|giver|taker|from|to|banker|who|name|all|parties)\}"
UNGRAMMATICAL = re.compile(rf"\b(de|que|lorsque|puisque|jusque) {NAMES}", re.IGNORECASE)
ORDINARY_SPACE = re.compile("[^|:-] [;!?»]|« | :(?=$|[ *_])", re.MULTILINE)
FRENCH_PLURAL = re.compile(r"\{count\}\s(?!(fois|des)\b)\w+[sx]\b")
ASCII_SIGNS = re.compile(r"\w'\w|(?<![\w-])-\d|\d--?\d(?!\d)")


def language_of(path: Path) -> str:
    """Return the language of `translations/fr/home.po`, `translations/fr_CA.po` or `rules.fr.md`."""
    tag = path.parent.name if path.parent.parent.name == "translations" else path.stem.removeprefix("rules.")
    return tag.partition("_")[0]


def files(*, language: str = "", suffix: str = "") -> list[Path]:
    """Return every catalogue and rules text; or those of a language, or with this suffix."""
    found = [*sorted(PACKAGE.glob("**/translations/**/*.po")), *sorted(PACKAGE.glob("**/rules.*.md"))]
    return [path for path in found if path.suffix.endswith(suffix) and language in ("", language_of(path))]


def name_of(path: Path) -> str:
    """Return the name of a test's parameter."""
    return str(path.relative_to(PACKAGE))


def texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each message with its key, or each line with its number."""
    if path.suffix == ".md":
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield f"line {number}", line
        return
    with path.open("rb") as file:
        for message in read_po(file):
            if message.id:
                key = message.id if isinstance(message.id, str) else message.id[0]
                for text in message.string if isinstance(message.string, tuple | list) else (message.string,):
                    yield key, text or ""


@pytest.mark.parametrize("path", files(), ids=name_of)
def test_no_text_has_a_word_that_was_given_up(path: Path) -> None:
    lines = [(key, text) for key, text in texts(path) if not text.startswith(">")]  # rules quote their sources
    assert [(key, given_up, text) for key, text in lines if (given_up := words_given_up(text, language_of(path)))] == []


@pytest.mark.parametrize("path", files(language="en", suffix=".po"), ids=name_of)
def test_no_english_message_speaks_of_a_player_in_general_as_a_man(path: Path) -> None:
    assert [(key, text) for key, text in texts(path) if PRONOUNS.search(text)] == []


@pytest.mark.parametrize("glossary", GLOSSARIES)
def test_no_glossary_has_a_word_that_was_given_up(glossary: str) -> None:
    lines = (DOCS / glossary).read_text(encoding="utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("|")]
    cells = [cell for row in rows for cell in zip(GLOSSARIES[glossary], row, strict=False)]
    assert len(cells) > 100
    assert [
        (locale, word, given_up)
        for locale, word in cells
        if (given_up := words_given_up(word, *{locale, locale.partition("_")[0]}))
    ] == []


@pytest.mark.parametrize("path", files(language="fr"), ids=name_of)
def test_french_elides_before_a_name(path: Path) -> None:
    assert [(key, text) for key, text in texts(path) if UNGRAMMATICAL.search(text)] == []


@pytest.mark.parametrize("path", files(language="fr", suffix=".po"), ids=name_of)
def test_french_has_no_ordinary_space_before_a_sign(path: Path) -> None:
    assert [(key, text) for key, text in texts(path) if ORDINARY_SPACE.search(text)] == []


@pytest.mark.parametrize("path", files(language="fr", suffix=".po"), ids=name_of)
def test_french_counts_one_in_the_singular(path: Path) -> None:
    with path.open("rb") as file:
        singulars = [message.string[0] for message in read_po(file) if isinstance(message.string, tuple)]
    assert [text for text in singulars if FRENCH_PLURAL.search(text)] == []


@pytest.mark.parametrize("path", files(suffix=".po"), ids=name_of)
def test_apostrophes_minuses_and_ranges_have_signs_of_their_own(path: Path) -> None:
    """’, − and –; but dates, commands and JSON keep what a program reads."""
    readable = [(key, text) for key, text in texts(path) if not re.search(r"\d{4}-\d\d-\d\d|make run|--yes|://", text)]
    assert [(key, text) for key, text in readable if ASCII_SIGNS.search(text)] == []


@pytest.mark.parametrize("language", ["fr", "de"])
def test_a_side_has_a_verb_in_the_plural_where_it_has_one_in_english(language: str) -> None:
    """A side is often named by its two players: Anne & Chloé gagnent."""
    keys = [key for key in catalogue("en").keys if _has_verb_by_number("en", key)]
    assert len(keys) > 5
    assert [key for key in keys if not _has_verb_by_number(language, key)] == []


def _has_verb_by_number(language: str, key: str) -> bool:
    """Return whether the first word after {party} depends on `count`, and not only a number in the message."""
    forms = [catalogue(language).ngettext(key, key, count) for count in (1, 2)]
    verbs = [re.match(r"\{party\} (\w+)", form) for form in forms]
    return all(verbs) and len({verb[1] for verb in verbs if verb}) > 1


COUNTERS = re.compile(r"\b(jetons?|fiches?)\b", re.IGNORECASE)
SHARED = [path for path in files(suffix=".po") if path.parent.parent == PACKAGE / "translations"]


@pytest.mark.parametrize("path", SHARED, ids=name_of)
def test_only_messages_about_jetons_and_fiches_name_them(path: Path) -> None:
    """A game may have other counters, or points that are paid."""
    named = {key for key, text in texts(path) if COUNTERS.search(text)}
    assert {key for key in named if not COUNTERS.search(key)} == set()
