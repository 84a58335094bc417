"""Languages that a host adds without code: found at start, checked, and left out if their files are damaged."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result

from scorekeeper import i18n
from scorekeeper.cli.main import main
from scorekeeper.i18n import LANGUAGES, checking, has_message, languages, sources, translate

from .languages import HostFolder, catalogue_text


def check(host: HostFolder, *tags: str, language: str = "C") -> Result:
    environment = {"SCOREKEEPER_INSTANCE": str(host.instance), "LC_ALL": language}
    return CliRunner().invoke(main, ["check-translations", *tags], env=environment)


def test_every_language_of_the_app_is_complete() -> None:
    for tag in sources.tags():
        assert [(problem.field, problem.key, problem.params) for problem in checking.problems(tag)] == [], tag


def test_the_app_comes_with_english_first() -> None:
    assert LANGUAGES[0] == "en"
    assert set(LANGUAGES) <= set(languages())


def test_a_language_in_the_hosts_folder_is_offered(host: HostFolder) -> None:
    host.add_language("it", str)
    assert "it" in languages()
    assert i18n.choose_locale(["it-IT", "en"]) == "it"
    assert i18n.problem_lines() == ()
    assert check(host, "it").exit_code == 0


def test_missing_texts_are_shown_in_english_and_named(host: HostFolder) -> None:
    host.write("it/common.po", catalogue_text(("yes", "sì")))
    assert translate("it", "yes") == "sì"
    assert translate("it", "no") == translate("en", "no")
    assert translate("it", "count.fiches", count=2) == translate("en", "count.fiches", count=2)
    assert all(has_message("it", key) for key in checking.source_messages())
    (line,) = i18n.problem_lines()
    assert "it/" in line
    result = check(host, "it")
    assert result.exit_code == 2
    assert "common.po: no is missing." in result.output
    assert "it/circles.po: The file is missing, with " in result.output
    assert "The rules text is missing." in result.output


def test_the_hosts_texts_take_precedence(host: HostFolder) -> None:
    host.write("fr/common.po", catalogue_text(("yes", "ouais")))
    assert translate("fr_CH", "yes") == "ouais"
    assert translate("fr", "no") == "non"
    assert check(host, "fr").exit_code == 0


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("no-such-key", "x", "is not a message of this version"),
        ("yes", "{name}", "needs these placeholders"),
        ("yes", "{", "needs these placeholders"),
        ("yes", "{yes.__class__}", "needs these placeholders"),
        ("rules.title", "{game!r}", "needs these placeholders"),
        ("rules.title", "{game:du}", "needs these placeholders"),
        ("rules.title", "{}", "needs these placeholders"),
        ("rules.title", "Regole", "needs these placeholders"),
        ("yes", "", "has no text"),
        ("count.fiches", "{count} fiche", "needs a plural"),
    ],
)
def test_a_wrong_message_is_named_and_never_breaks_a_page(host: HostFolder, key: str, text: str, message: str) -> None:
    host.write("it/common.po", catalogue_text((key, text)))
    assert message in check(host, "it").output
    translate("it", "rules.title", game="Whist")
    translate("it", "count.fiches", count=3)
    assert "{" not in translate("it", "yes")


def test_plural_forms_must_be_complete(host: HostFolder) -> None:
    forms = "nplurals=3; plural=(n==1 ? 0 : n<5 ? 1 : 2)"
    host.add_language("pl", str, forms, count=3)
    assert check(host, "pl").exit_code == 0
    host.add_language("pl", str, forms, count=2)
    assert "not all of its plural forms" in check(host, "pl").output
    assert translate("pl", "count.fiches", count=7) == translate("en", "count.fiches", count=7)


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("it/common.po", b'msgid "yes\nmsgstr'),
        ("it/common.po", b"\xff\xfe\x00nonsense"),
        ("it/common.po", b'msgid ""\nmsgstr "Plural-Forms: nplurals=x; plural=(\\n"\n\nmsgid "yes"\nmsgstr "s"\n'),
        (
            "it/common.po",
            b'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=import os;\\n"\n\nmsgid "yes"\nmsgstr "s"\n',
        ),
        ("it/language.toml", b"regions = [1]"),
        ("it/language.toml", b'regions = ["ZZZZ"]'),
        ("it/language.toml", b"regions ="),
        ("it/games/whist.md", b"\xff"),
        ("klingon/common.po", b'msgid "yes"\nmsgstr "HIja"\n'),
    ],
)
def test_a_damaged_language_is_left_out_with_one_line(host: HostFolder, name: str, contents: bytes) -> None:
    host.write("it/common.po", catalogue_text(("yes", "sì")))
    host.write(name, "")
    (host.translations / name).write_bytes(contents)
    host.refresh()
    tag = name.partition("/")[0]
    assert tag not in languages()
    assert i18n.choose_locale(["fr"]) == "fr_FR"
    (line,) = [line for line in i18n.problem_lines() if f" {tag} " in line]
    assert "is left out" in line
    assert "\n" not in line
    assert check(host, tag).exit_code == 2


def test_an_unknown_language_has_no_files(host: HostFolder) -> None:
    result = check(host, "eo")
    assert result.exit_code == 2
    assert "There are no texts for eo" in result.output


def test_the_command_speaks_the_terminals_language(host: HostFolder) -> None:
    host.write("it/common.po", catalogue_text(("yes", "sì")))
    assert "Le texte des règles manque." in check(host, "it", language="fr_CA.UTF-8").output


def test_all_languages_are_checked_by_default(host: HostFolder) -> None:
    result = check(host)
    assert result.exit_code == 0
    assert all(f"{tag}: 0 problems" in result.output for tag in sources.tags())
