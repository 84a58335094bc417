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
    "no more",
    "himself",
    "his",
    "he",
    "him",
)
FRENCH = (
    "monnaies?",
    "recevoir",
    "(à|de|pour) qui reçoit",
    "seul qui reçoit",
    "à sans atout",
    "sans atout",
    "chiffres du cercle",
    "entrées et sorties",
    "a passé par",
    "choses? à dire",
    "rien de vous",
    "histoire",
    "bien-sûr",
)
FORBIDDEN = {"en": ENGLISH, "fr": FRENCH}

# A placeholder that is a name takes the word before it into itself: {party:de}.
NAMES = r"\{(party|giver|taker|from|to|banker|who|name|all|parties)\}"
UNGRAMMATICAL = re.compile(rf"\b(de|que|lorsque|puisque|jusque) {NAMES}", re.IGNORECASE)
ORDINARY_SPACE = re.compile("[^|:-] [;!?»]|« | :(?=$|[ *_])", re.MULTILINE)
ASCII_SIGNS = re.compile(r"\w'\w|(?<![\w-])-\d|\d--?\d(?!\d)")


def language_of(path: Path) -> str:
    """Return the language of `translations/fr/home.po`, `translations/fr.po`, `rules.fr.md` or `translations/fr_CA.po`."""
    tag = path.parent.name if path.parent.parent.name == "translations" else path.stem.removeprefix("rules.")
    return tag.partition("_")[0]


def files() -> list[Path]:
    """Return every catalogue and rules text."""
    return [*sorted(PACKAGE.glob("**/translations/**/*.po")), *sorted(PACKAGE.glob("games/*/rules.*.md"))]


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
                    yield key, text


FILES = [pytest.param(path, id=str(path.relative_to(PACKAGE))) for path in files()]


@pytest.mark.parametrize("path", FILES)
def test_no_text_has_a_word_that_was_given_up(path: Path) -> None:
    words = FORBIDDEN.get(language_of(path), ())
    pattern = re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE) if words else None
    # Rules quote their sources, and titles of books are what they are.
    lines = [(key, text) for key, text in texts(path) if not text.startswith((">", "[", "*")) and "](" not in text]
    assert [(key, found[0], text) for key, text in lines if pattern and (found := pattern.search(text))] == []


@pytest.mark.parametrize("path", [param for param in FILES if language_of(param.values[0]) == "fr"])
def test_french_elides_before_a_name(path: Path) -> None:
    assert [(key, text) for key, text in texts(path) if UNGRAMMATICAL.search(text)] == []


@pytest.mark.parametrize(
    "path", [param for param in FILES if language_of(param.values[0]) == "fr" and param.values[0].suffix == ".po"]
)
def test_french_has_no_ordinary_space_before_a_sign(path: Path) -> None:
    assert [(key, text) for key, text in texts(path) if ORDINARY_SPACE.search(text)] == []


@pytest.mark.parametrize("path", [param for param in FILES if param.values[0].suffix == ".po"])
def test_apostrophes_minuses_and_ranges_have_signs_of_their_own(path: Path) -> None:
    """’, − and –; but dates, commands and JSON keep what a program reads."""
    readable = [(key, text) for key, text in texts(path) if not re.search(r"\d{4}-\d\d-\d\d|make run|--yes|://", text)]
    assert [(key, text) for key, text in readable if ASCII_SIGNS.search(text)] == []
