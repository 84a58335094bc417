"""The catalogues: complete in every language, with the same placeholders, and worded as the product talks."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from pathlib import Path

import scorekeeper
from scorekeeper.app import FEATURES
from scorekeeper.games import games
from scorekeeper.i18n import LANGUAGES, SPECS, catalogue, read_messages

PACKAGE = Path(scorekeeper.__file__).parent
TEMPLATES = PACKAGE.parent / "templates"
OTHERS = (*LANGUAGES[1:], "fr_CA")

# language -> words that were given up, and what to say instead
INSTEAD = {
    "en": {"whoever": "anyone who", "nought": "0", "so many": "how many", "told": "shown, said", "reckon": "count"},
    "fr": {"sans atout(?!,)": "sans-atout", "monnaies?": "argent"},
    "fr_CA": {"donneurs?": "brasseur", "camps?": "équipe", "téléphones?": "cellulaire"},
    "de": {r"\w*Partei(?:en)?": "Team", "Telefon(?:en?|s)?": "Handy", "Nord-Süd|Ost-West": "Nord–Süd, Ost–West"},
}
NAMES = r"\{(party|giver|taker|from|to|banker|who|name|all|parties)\}"  # {party:de} takes the word into itself
UNGRAMMATICAL = re.compile(rf"\b(de|que|lorsque|puisque|jusque) {NAMES}", re.IGNORECASE)
ORDINARY_SPACE = re.compile("[^|:-] [;!?»]|« | :(?=$|[ *_])", re.MULTILINE)
ASCII_SIGNS = re.compile(r"\w'\w|(?<![\w-])-\d|\d--?\d(?!\d)")
READ_BY_PROGRAMS = re.compile(r"\d{4}-\d\d-\d\d|make run|--yes|://")


def placeholders(forms: tuple[str, ...]) -> set[str]:
    return {name for form in forms for _, name, _, _ in string.Formatter().parse(form) if name}


def texts(tag: str) -> Iterator[tuple[str, str]]:
    return ((key, form) for key, forms in read_messages(tag).items() for form in forms)


def test_every_language_has_every_message_with_the_same_placeholders() -> None:
    english = read_messages("en")
    for language in LANGUAGES[1:]:
        assert read_messages(language).keys() == english.keys()
    for tag in (*LANGUAGES, "fr_CA"):
        for key, forms in read_messages(tag).items():
            assert all(forms), (tag, key)
            assert placeholders(forms) == placeholders(english[key]), (tag, key)
            specs = {spec for form in forms for _, _, spec, _ in string.Formatter().parse(form) if spec}
            assert {spec.lower() for spec in specs} <= SPECS.keys(), (tag, key)


def test_every_message_is_used() -> None:
    """A key, or all before its last point, stands in the code, or a beginning (`right.`) or an end (`.help`) does."""
    sources = [path for kind in ("py", "html", "js", "json") for path in PACKAGE.glob(f"**/*.{kind}")]
    code = "\n".join(path.read_text(encoding="utf-8") for path in [*sources, *TEMPLATES.glob("**/*.html")])
    whole = set(re.findall(r"[\w-]+(?:\.[\w-]+)*", code))
    beginnings = tuple(re.findall(r"[\"'`]([a-z][\w-]*(?:\.[\w-]+)*[.-])(?=[\"'`{$])", code))
    ends = tuple(re.findall(r"(\.[\w-]+(?:\.[\w-]+)*)[\"'`]", code))
    composed = ("event-option.", "option.", "kings-", "queens-", "jacks-", "figure.")

    def is_used(key: str) -> bool:
        slug = next((slug for slug in games() if key.startswith(f"{slug}.")), "")
        within = key.removeprefix(f"{slug}.")
        stem = within.rpartition(".")[0]
        is_whole = not whole.isdisjoint((key, within, stem))
        return is_whole or within.startswith((*beginnings, *composed)) or within.endswith(ends)

    assert [key for key in read_messages("en").keys() - words_of_removed() if not is_used(key)] == []


def words_of_removed() -> set[str]:
    """Return the keys of events and notices where they are removed, from the catalogues that are named after them."""
    begins = {"events": "event_", "notices": "notices"}
    removed = tuple(begin for name, begin in begins.items() if name not in FEATURES)
    paths = [path for path in (PACKAGE / "translations" / "en").glob("*.po") if path.stem.startswith(removed)]
    return {key for path in paths for key in re.findall(r'^msgid "(.+)"', path.read_text(encoding="utf-8"), re.M)}


def test_every_key_in_code_and_templates_has_a_message() -> None:
    code = [path.read_text(encoding="utf-8") for path in (*PACKAGE.glob("**/*.py"), *TEMPLATES.glob("**/*.html"))]
    keys = {key for text in code for key in re.findall(r"""\bt\(\s*["']([a-z0-9_.-]+)["']\s*[,)]""", text)}
    assert len(keys) > 500
    assert keys - catalogue("en").keys() == set()


def test_every_problem_has_a_message() -> None:
    """A game's own problem has one under the game's name."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.glob("**/*.py"))
    problems = set(re.findall(r'\bProblem\(\s*(?:[^",()]+|"[^"]*"), "([a-z0-9-]+)"', code))
    assert len(problems) > 100
    assert problems - {key.partition("problem.")[2] for key in catalogue("en")} == set()


def test_no_message_has_a_word_that_was_given_up() -> None:
    for tag, words in INSTEAD.items():
        for key, text in texts(tag):
            for word, instead in words.items():
                assert not re.search(rf"\b(?:{word})\b", text, re.IGNORECASE), f"{tag} {key}: say {instead}"


def test_signs_are_those_of_typography() -> None:
    for tag in (*LANGUAGES, "fr_CA"):
        for key, text in texts(tag):
            assert READ_BY_PROGRAMS.search(text) or not ASCII_SIGNS.search(text), (tag, key)
            if tag.startswith("fr"):
                assert not UNGRAMMATICAL.search(text), (tag, key)
                assert not ORDINARY_SPACE.search(text), (tag, key)
