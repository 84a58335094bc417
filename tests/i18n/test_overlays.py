"""Overlays: the messages of a region that differ from those of its language."""

from __future__ import annotations

import pytest

from scorekeeper.i18n import catalogue
from scorekeeper.i18n.checking import parse
from scorekeeper.i18n.sources import MessageFile, find_language, message_files, tags

from .words import words_given_up

OVERLAYS = [tag for tag in tags() if find_language(tag) != tag]


def messages_of(tag: str) -> dict[str, tuple[str, MessageFile]]:
    """Return the first text of each of a tag's own messages, and the file it is in."""
    return {key: (texts[0], file) for file in message_files(tag) for key, texts in parse(file).messages.items()}


@pytest.mark.parametrize("tag", OVERLAYS)
def test_an_overlay_has_only_messages_of_its_language_in_the_same_files(tag: str) -> None:
    base = {key: file.name for key, (_, file) in messages_of(find_language(tag)).items()}
    assert {key: file.name for key, (_, file) in messages_of(tag).items()}.items() <= base.items()


@pytest.mark.parametrize("tag", OVERLAYS)
def test_an_overlay_has_only_messages_that_differ(tag: str) -> None:
    language = catalogue(find_language(tag))
    for key, (text, _) in messages_of(tag).items():
        assert text not in (language.gettext(key), language.ngettext(key, key, 1)), key


def test_no_message_in_quebec_has_a_word_of_france() -> None:
    texts = {
        key: " ".join(found)
        for tag in ("fr", "fr_CA")  # the overlay last, so that it takes precedence
        for file in message_files(tag)
        for key, found in parse(file).messages.items()
    }
    assert [(key, found, text) for key, text in texts.items() if (found := words_given_up(text, "fr_CA"))] == []


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("pad.title.record", "Brasse {number}"),
        ("table.deals", "{party} brasse"),
        ("right.score", "Tenir le pointage"),
        ("circle.this-one", "ce cellulaire"),
        ("yes", "oui"),
        ("restore.ask", "Restaurer quand même?"),
    ],
)
def test_quebec_has_words_of_its_own_and_falls_back_to_french(key: str, text: str) -> None:
    assert catalogue("fr_CA").gettext(key) == text
