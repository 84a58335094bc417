"""`check-game` finds whatever is broken in a copy of a small game, with its file and line."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from . import small_game
from .small_game import findings, replace

EN, FR, RULES, RULES_FR = "translations/en.po", "translations/fr.po", "rules.en.md", "rules.fr.md"
TEMPLATE, EMBLEM, CASE, BAD_CASE = (
    "templates/table.html",
    "pictures/emblem.svg",
    "cases/a-point-for-each-trick.json",
    "cases/bad-too-many-tricks.json",
)
MISSING = None  # in place of a replacement: the file is deleted

BROKEN = {
    # what is broken: file, text, replacement, and what must be found: file and words
    "a general word is missing": (EN, 'msgid "in-a-line"', 'msgid "in-aline"', EN, "no message 'in-a-line'"),
    "a word is misspelt": (EN, 'msgid "reason.stake"', 'msgid "reason.steak"', EN, "uses the message 'reason.steak'"),
    "a misspelt word is suggested": (EN, 'msgid "reason.stake"', 'msgid "reason.steak"', EN, "mean 'reason.steak'?"),
    "an explanation has another name": (
        *(EN, 'msgid "explanation.tricks"', 'msgid "reckon.tricks"'),
        *(EN, "no message 'explanation.tricks', which stats.py:"),
    ),
    "a dead word": (EN, 'msgid "left"', 'msgid "left_owing"', EN, "nothing uses the message 'left_owing'"),
    "a help text is missing": (EN, 'msgid "option.stake.help"', 'msgid "x"', EN, "no message 'option.stake.help'"),
    "the word of an end is missing": (EN, '"closing.partie"', '"closing.party"', EN, "no message 'closing.partie'"),
    "a figure's word is missing": (EN, '"figure.best"', '"figure.beast"', EN, "no message 'figure.best'"),
    "a feat's word is missing": (EN, '"feat.most"', '"feat.moist"', EN, "no message 'feat.most'"),
    "a card term is missing": (EN, '"term.trick.means"', '"term.trick.mean"', EN, "no message 'term.trick.means'"),
    "a label is missing": (EN, 'msgid "trump"', 'msgid "trumps"', EN, "no message 'trump', which pad.py:"),
    "a group's word is missing": (EN, 'msgid "group.tricks"', 'msgid "group.trick"', EN, "or 'group.tricks'"),
    "a word of the template is missing": (EN, 'msgid "heading"', 'msgid "head"', EN, "which templates/table.html:2"),
    "a placeholder is not given": (EN, "to {target}", "to {goal}", EN, "has {goal}, but is given: target"),
    "a placeholder of no name": (EN, "{party} leads", "{party:du} leads", EN, "unknown format 'du'"),
    "a brace is not closed": (EN, "to {target}", "to {target", EN, "unbalanced brace"),
    "a text is empty": (EN, 'msgstr "Most tricks"', 'msgstr ""', EN, "message 'figure.best' has an empty text"),
    "a catalogue cannot be read": (EN, 'msgid "name"', "msgid name", EN, "cannot be read"),
    "there are no English words": (EN, "", MISSING, EN, "the file is missing"),
    "a translation lacks a word": (FR, 'msgid "left"', 'msgid "right"', FR, "no message 'left', which is in en.po:"),
    "a translation has another word": (FR, 'msgid "left"', 'msgid "right"', FR, "'right' is not in en.po"),
    "a translation has other placeholders": (
        FR,
        "to {target}",
        "to 25",
        FR,
        "has the placeholders none; in en.po: target",
    ),
    "a translation lacks a plural": (
        *(FR, 'msgid_plural "facts"\nmsgstr[0] "{count} trick"\nmsgstr[1] "{count} tricks"', 'msgstr "{count} tricks"'),
        *(FR, "message 'facts' has no plural forms"),
    ),
    "a language does not exist": (EN, "", "translations/zz.po", "translations/zz.po", "there is no language 'zz'"),
    "a problem has no words": (
        "rules.py",
        '"sum-of-tricks"',
        '"sum-of-trick"',
        "rules.py",
        "no message 'problem.sum-of-trick'",
    ),
    "a problem of the game has no words": (
        "rules.py",
        '"sum-of-tricks"',
        '"small.sum"',
        EN,
        "no message 'sum', which rules.py:",
    ),
    "a problem whose key is put together has no words": (
        "rules.py",
        '"sum-of-tricks"',
        'f"small.{str()}sum"',
        EN,
        "no message 'sum', which __init__.py:",
    ),
    "the word of one optional chip is missing": (
        *(EN, 'msgid "group.trump"', 'msgid "group.trumps"'),
        *(EN, "no message 'paper.trump' or 'group.trump', which pad.py:"),
    ),
    "a macro is misspelt": (TEMPLATE, "unpaid_if_closed", "unpaid_if_close", TEMPLATE, "'unpaid_if_close' is no part"),
    "a macro is misspelt and suggested": (TEMPLATE, "heading(", "headings(", TEMPLATE, "Did you mean 'heading'?"),
    "a macro has too many parameters": (
        TEMPLATE,
        "facts(body)",
        "facts(body, deal)",
        TEMPLATE,
        "takes 2 parameters, and pages give it 1",
    ),
    "a macro was removed": (
        TEMPLATE,
        '{% macro unpaid_if_closed(standing) %}<p>{{ t("small.left") }}</p>{% endmacro %}',
        "",
        EN,
        "nothing uses the message 'left'",
    ),
    "a variable is misspelt": (TEMPLATE, "set terms", "set term", TEMPLATE, "variable 'term' is no part"),
    "a function has the name of another framework": (
        *(
            TEMPLATE,
            '{{ t("small.heading", target',
            '{{ _("small.heading", target',
            TEMPLATE,
            "no page knows the name '_'",
        ),
    ),
    "a name is misspelt in a macro": (
        *(TEMPLATE, "{{ number(standing", "{{ numbre(standing", TEMPLATE, "Did you mean 'number'?"),
    ),
    "an attribute of the standing is misspelt": (
        *(TEMPLATE, "{% macro facts(body) %}", "{% macro facts(body) %}{{ standing.score }}"),
        *(TEMPLATE, "standing has no 'score'. Did you mean 'scores'?"),
    ),
    "a house rule is misspelt in a template": (
        *(TEMPLATE, "standing.options.stake", "standing.options.steak", TEMPLATE, "standing.options has no 'steak'"),
    ),
    "a pair is incomplete": (
        TEMPLATE,
        '{% set at_stake_rules = ("stake",) %}',
        "",
        TEMPLATE,
        "'at_stake' needs 'at_stake_rules'",
    ),
    "a template is invalid": (TEMPLATE, "{% endmacro %}", "{% end %}", TEMPLATE, "the template is invalid"),
    "an import is misspelt": (
        TEMPLATE,
        "{% set terms",
        '{% import "tables/_pads.html" as cells %}{% set terms',
        TEMPLATE,
        "no template 'tables/_pads.html'",
    ),
    "a rule at stake is unknown": (TEMPLATE, '= ("stake",)', '= ("steak",)', TEMPLATE, "has the anchor 'steak'"),
    "a reason has no heading": (
        RULES,
        "{#tricks}",
        "{#trick}",
        RULES,
        "no heading has the anchor 'tricks', which the reason needs",
    ),
    "a house rule has no heading": (RULES, "{#target}", "{#goal}", RULES, "'target', which the house rule needs"),
    "misdeals have no heading": (
        RULES,
        "{#misdeal}",
        "{#misdeals}",
        RULES,
        "'misdeal', which the page of misdeals needs",
    ),
    "a heading has no anchor": (RULES, " {#play}", "", RULES, "heading 'How it is played' has no anchor"),
    "a heading has no source": (RULES, "{: .source }", "", RULES, "has no source below it"),
    "an anchor is used twice": (RULES, "{#play}", "{#tricks}", RULES, "anchor 'tricks' is used twice"),
    "a link leads nowhere": (
        RULES,
        "Each trick is worth",
        "[It](#trik) is worth",
        RULES,
        "no heading has the anchor 'trik'",
    ),
    "a translated heading is missing": (RULES_FR, "{#play}", "{#jeu}", RULES_FR, "'play', which is in rules.en.md"),
    "there are no rules": (RULES, "", MISSING, RULES, "the file is missing"),
    "there is no example": ("example.json", "", MISSING, "example.json", "the file is missing"),
    "the example is refused": (
        "example.json",
        '"Anne": 6',
        '"Anne": 7',
        "example.json",
        "the sheet is refused: deal 1, tricks",
    ),
    "the example is not JSON": ("example.json", "{", "", "example.json", "cannot be read"),
    "the sample has another game": ("sample.json", '"small"', '"smal"', "sample.json", "the sheet is refused: game"),
    "a case has another result": (CASE, '"scores": {"Anne": ', '"scores": {"Anne": 9', CASE, "is expected"),
    "a case is not refused": (
        BAD_CASE,
        '"tricks": {"Anne": 6',
        '"tricks": {"Anne": 5',
        BAD_CASE,
        "the sheet is not refused",
    ),
    "a case has an unknown key": (CASE, '"why"', '"because"', CASE, "unknown key 'because'"),
    "no case is refused": (BAD_CASE, "", MISSING, "cases", "no case has 'expect_error'"),
    "there are no cases of a reason": (CASE, "", MISSING, "cases", "no case has an entry of these reasons"),
    "there is no emblem": (EMBLEM, "", MISSING, EMBLEM, "the file is missing"),
    "the emblem is not well-formed": (EMBLEM, "</svg>", "", EMBLEM, "not well-formed"),
    "the emblem has a script": (EMBLEM, "</svg>", "<script>x</script></svg>", EMBLEM, "without <script>"),
    "the emblem reacts": (EMBLEM, "<svg ", '<svg onload="x()" ', EMBLEM, "must not have scripts"),
    "the emblem loads a picture": (
        EMBLEM,
        "</svg>",
        '<use href="https://example.org/x.svg#a"/></svg>',
        EMBLEM,
        "references to other files",
    ),
    "the emblem has no size": (EMBLEM, "viewBox", "viewbox", EMBLEM, "needs a viewBox"),
    "the styles have another name": (EMBLEM, "", "styles.css", "styles.css", "Did you mean 'style.css'?"),
    "a figure is not declared": (
        "__init__.py",
        '("best",)',
        '("beast",)',
        "stats.py",
        "figures returns 'best', which figure_names lacks",
    ),
    "a feat is not declared": ("stats.py", 'Feat("most"', 'Feat("moist"', "stats.py", "feats returns 'moist'"),
    "a reason is not declared": (
        "rules.py",
        ', 0), "tricks")',
        ', 0), "trick")',
        "rules.py",
        "the reason 'trick' is not among",
    ),
    "an announced key is unknown": (
        "__init__.py",
        '("trump",)',
        '("trumps",)',
        "__init__.py",
        "announced names 'trumps'",
    ),
    "a check reads an unknown key": (
        "rules.py",
        'Check(("tricks",)',
        'Check(("trick",)',
        "rules.py",
        "a check requires 'trick'",
    ),
    "a group sets an unknown key": (
        "pad.py",
        '"trump", ("trump",)',
        '"trump", ("trumps",)',
        "pad.py",
        "group 'trump' sets 'trumps'",
    ),
    "a pad offers nothing": ("pad.py", "offered=n <= left", "offered=False", "pad.py", "needs a tap but offers none"),
    "a function fails": ("stats.py", "if points > 4", "if points > row.nothing", "stats.py", "raises AttributeError"),
    "a unit has no word": (
        "__init__.py",
        "(FICHES,)",
        '("chips",)',
        EN,
        "no message 'count.chips', which __init__.py:",
    ),
    "a unit is not declared": (
        "__init__.py",
        "(FICHES,)",
        '("chips",)',
        "rules.py",
        "playing the game raises KeyError: 'fiches'",
    ),
    "players are counted twice": (
        "__init__.py",
        "(3, 4)",
        "(4, 3)",
        "__init__.py",
        "player_counts are different numbers",
    ),
    "an end is unknown": (
        "__init__.py",
        "    complete=",
        '    ends=("party",),\n    complete=',
        "__init__.py",
        "unknown kinds of closing: party",
    ),
    "a number names the game": (
        *("__init__.py", "    complete=", '    named_by="stake",\n    complete=', "__init__.py"),
        "no text among the house rules",
    ),
    "known games have no name": (
        *("__init__.py", "    complete=", "    known=(rules.Options(),),\n    complete=", "__init__.py"),
        "known games need named_by",
    ),
    "options can change": (
        "rules.py",
        "@dataclass(frozen=True)",
        "@dataclass(eq=True)",
        "__init__.py",
        "Options must be frozen",
    ),
}


@pytest.fixture(scope="module")
def created(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_game.create(tmp_path_factory.mktemp("created"))


@pytest.fixture
def package(created: Path, tmp_path: Path) -> Path:
    """A copy of the game, to be broken."""
    copy = tmp_path / created.name
    shutil.copytree(created, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def test_nothing_is_found_in_a_complete_game_but_a_language_it_lacks(created: Path) -> None:
    found = findings(created)
    assert [finding for finding in found if not finding.is_warning] == []
    assert {finding.place.path.name for finding in found} == {"de.po"}


@pytest.mark.parametrize("broken", BROKEN)
def test_what_is_broken_is_found_with_its_file_and_line(broken: str, package: Path) -> None:
    name, old, new, where, words = BROKEN[broken]
    if new is None:
        (package / name).unlink()
    elif not old:
        shutil.copy(package / name, package / new)
    else:
        replace(package, name, old, new)
    found = findings(package)
    matching = [finding for finding in found if finding.place.path == package / where and words in finding.text]
    assert matching, "\n".join(map(str, found))
    assert all(finding.place.line >= 1 for finding in found)


@pytest.mark.parametrize(("word", "use"), [("reason.tricks", "yield mark("), ("group.tricks", "yield ChoiceGroup(")])
def test_a_missing_word_is_traced_to_the_line_that_uses_it(package: Path, word: str, use: str) -> None:
    replace(package, EN, f'msgid "{word}"', 'msgid "other"')
    found = [finding.text for finding in findings(package) if f"'{word}'" in finding.text]
    place = re.search(r"which (\S+):(\d+) needs", found[0])
    assert place is not None, found
    assert use in (package / place[1]).read_text(encoding="utf-8").splitlines()[int(place[2]) - 1]


def test_everything_is_found_in_one_run(package: Path) -> None:
    for broken in (
        "a misspelt word is suggested",
        "a link leads nowhere",
        "a macro is misspelt",
        "the emblem has no size",
    ):
        name, old, new, _, _ = BROKEN[broken]
        assert new is not None
        replace(package, name, old, new)
    names = {finding.place.path.name for finding in findings(package) if not finding.is_warning}
    assert names == {"en.po", "fr.po", "rules.en.md", "table.html", "emblem.svg"}
