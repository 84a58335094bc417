"""Words and spaces that do not belong in a message, in all catalogues and rules texts of the package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

import scorekeeper

PACKAGE = Path(scorekeeper.__file__).parent

# Of another century, of another app, or about a man: what a player in general does.
ENGLISH = (
    "whoever",
    "nought",
    "so many",
    "told",
    "still to tell",
    "comes to",
    "came to",
    "stands? over",
    "stood over",
    "reckon(ed|s|ing)?",
    "shown? the door",
    "shun(s|ned)?",
    "hand(s|ed)? (it )?on",
    "let another",
    "bring in",
    "brought in",
    "one and the same",
    "is no (whole|number|deal|list|date|side|player|amount|currency|text|card)",
    "himself",
    "on his (left|right)",
)
FRENCH = (
    "monnaies?",
    "recevoir",
    "(lien de|demandez à|seul) qui reçoit",
    "sans atout(?!,)",  # but in a trick: « sans atout, c’est la meilleure carte »
    "chiffres du cercle",
    "entrées et sorties",
    "a passé par",
    "choses? à dire",
    "rien de vous",
    "histoire",
)
GERMAN = (
    "Partei(en)?",  # beside Partie
    "Gegenseite",
    "Retourne",
    "auf dem Blatt",
    "Telefon(en?|s)?",
)
PRONOUNS = ("he", "him", "his")  # in messages; rules texts have examples with Bruno, and authors
FORBIDDEN = {"en": ENGLISH, "fr": FRENCH, "de": GERMAN}

# A placeholder that is a name takes the word before it into itself: {party:de}.
NAMES = r"\{(party|giver|taker|from|to|banker|who|name|all|parties)\}"
UNGRAMMATICAL = re.compile(rf"\b(de|que|lorsque|puisque|jusque) {NAMES}", re.IGNORECASE)
ORDINARY_SPACE = re.compile("[^|:-] [;!?»]|« | :(?=$|[ *_])", re.MULTILINE)
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
    is_english = language_of(path) == "en"
    words = (*FORBIDDEN.get(language_of(path), ()), *(PRONOUNS if is_english and path.suffix == ".po" else ()))
    pattern = re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE) if words else None
    lines = [(key, text) for key, text in texts(path) if not text.startswith(">")]  # rules quote their sources
    assert [(key, found[0], text) for key, text in lines if pattern and (found := pattern.search(text))] == []


@pytest.mark.parametrize("path", files(language="fr"), ids=name_of)
def test_french_elides_before_a_name(path: Path) -> None:
    assert [(key, text) for key, text in texts(path) if UNGRAMMATICAL.search(text)] == []


@pytest.mark.parametrize("path", files(language="fr", suffix=".po"), ids=name_of)
def test_french_has_no_ordinary_space_before_a_sign(path: Path) -> None:
    assert [(key, text) for key, text in texts(path) if ORDINARY_SPACE.search(text)] == []


@pytest.mark.parametrize("path", files(suffix=".po"), ids=name_of)
def test_apostrophes_minuses_and_ranges_have_signs_of_their_own(path: Path) -> None:
    """’, − and –; but dates, commands and JSON keep what a program reads."""
    readable = [(key, text) for key, text in texts(path) if not re.search(r"\d{4}-\d\d-\d\d|make run|--yes|://", text)]
    assert [(key, text) for key, text in readable if ASCII_SIGNS.search(text)] == []
