"""Nothing is missing or misspelt in a game, and its cases have the results that were worked out by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from difflib import get_close_matches
from functools import cache, partial
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from babel.messages.pofile import read_po

from ..games import find_folder, games
from ..i18n import LANGUAGES, problem_text
from ..scoring.game import AnyGame, fold
from ..scoring.pad import Pad
from ..scoring.problems import Refusal
from ..scoring.sheet import Sheet, load, score
from ..scoring.standing import AnyStanding
from ..tables.option_fields import CHOICE, TEXT, option_fields
from .playing import go_together, open_sheet, pytest_generate_tests, random_opening, tap_deal  # noqa: F401  # pytest calls the third

SHEETS, DEALS = 4, 12  # for each number of players

# `Problem("field", "slug.key"` in code and `t("slug.key"` in templates, where the key is written out.
_USES = (r'\bProblem\(\s*[^,()]+,\s*"([\w.-]+)"', r'\bt\(\s*"([\w.-]+)"\s*[,)]')


def place_of(game: AnyGame, text: str, pattern: str = "**/*.py") -> str:
    """Return `file:line` of the first line of the game's files that has the text in quotes, or as a field."""
    found = re.compile(rf"""["']{re.escape(text)}["']|^\s*{re.escape(text)}\s*[:=]""")
    paths = sorted(find_folder(game).glob(pattern)) or [find_folder(game) / "__init__.py"]
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if found.search(line):
                return f"{path}:{number}"
    return f"{paths[0]}:1"


def similar(word: str, words: Iterable[str]) -> str:
    found = get_close_matches(word, sorted(set(words)), n=1, cutoff=0.7)
    return f" Did you mean {found[0]!r}?" if found else ""


def read_messages(path: Path) -> dict[str, str]:
    """Return `file:line` of each message of a catalogue, by key; nothing of a file that is not there."""
    if not path.is_file():
        return {}
    with path.open("rb") as file:
        messages = [message for message in read_po(file) if message.id]
    return {m.id if isinstance(m.id, str) else m.id[0]: f"{path}:{m.lineno}" for m in messages}


def named_messages(game: AnyGame) -> Iterator[tuple[str, str]]:
    """Yield the messages that the game's code and templates name, in full, and `file:line` of each."""
    for pattern, use in zip(("**/*.py", "templates/**/*.html"), _USES, strict=True):
        for path in sorted(find_folder(game).glob(pattern)):
            text = path.read_text(encoding="utf-8")
            for found in re.finditer(use, text):
                key = found[1] if "." in found[1] or path.suffix == ".html" else f"problem.{found[1]}"
                yield key, f"{path}:{text.count(chr(10), 0, found.start(1)) + 1}"


class Played:
    """What was seen of a game that was played at random with every number of players."""

    def __init__(self, game: AnyGame) -> None:
        self.texts: dict[str, str] = {}  # keys of messages, each with a text of the code that it comes from
        self.facts: set[str] = set()  # that choices set, or that follow from them
        self.deal_fields: set[str] = set()
        self.reasons, self.figures, self.feats = set[str](), set[str](), set[str]()  # that functions returned
        self.faults: list[str] = []  # what is wrong, each with its place
        for count, seed in product(game.player_counts, range(SHEETS)):
            rng = Random(seed)  # noqa: S311  # not for secrets
            self._play(*open_sheet(random_opening(game, rng, count)), rng)

    def _play(self, game: AnyGame, standing: AnyStanding, rng: Random) -> None:
        self.deal_fields |= {field.name for field in fields(game.deal)}
        for _ in range(DEALS):
            if standing.is_finished:
                return
            deal = tap_deal(game, standing, rng)
            for pad in deal.pads:
                self._note_pad(pad)
            if (refusal := fold(game, standing, [deal.facts])) is None:
                self._note_row(game, standing)
            else:
                place = place_of(game, refusal.first.field.split(".")[0], "**/pad.py")
                self.faults.append(f"{place}: the pad offers what is refused: {deal.facts}: {refusal.first}")

    def _note_pad(self, pad: Pad) -> None:
        for group in pad.groups:
            self.facts |= {*group.keys}
            for choice in group.choices:
                self.facts |= choice.facts.keys()
                if isinstance(choice.label, str) and choice.label not in ("party", "side"):
                    self.texts[choice.label] = choice.label
        self.facts |= pad.facts.keys()

    def _note_row(self, game: AnyGame, standing: AnyStanding) -> None:
        row = standing.rows[-1]
        for entry in row.entries:
            if entry.reason != "adjustment":
                self.reasons.add(entry.reason)
                if game.explain_entry(standing, row, entry):
                    self.texts[f"{game.slug}.explanation.{entry.reason}"] = entry.reason
            if type(entry.amount) is not int:
                place = place_of(game, entry.reason)
                self.faults.append(f"{place}: the amount of {entry.reason!r} is {entry.amount!r}, no integer")
        for closing in row.closings:
            if closing.kind not in game.ending.kinds:
                self.faults.append(f"{place_of(game, 'ending')}: ending lacks {closing.kind!r}, which close returns")
        if not game.is_passed(row.fact):
            past = standing.seated_as(row)
            for figure in game.counted.figures(past, row):
                self.figures.add(figure.name)
                if figure.part and not figure.part.isdigit():
                    self.texts[f"{game.slug}.figure.{figure.name}.{figure.part}"] = figure.name
            self.feats |= {feat.name for feat in game.counted.feats(past, row)}


CASE_KEYS = {"why", "sheet", "expect", "expect_error"}
_ANCHOR = re.compile(r"^#{2,3} .*\{#([a-z_]+)\}\s*$", re.M)
_APP = Path(__file__).parent.parent / "translations" / "en"


@cache
def played(slug: str) -> Played:
    return Played(games()[slug])


def fail_with(findings: Iterable[str]) -> None:
    if found := list(findings):
        pytest.fail("\n".join(found), pytrace=False)


def test_no_message_is_missing_or_misspelt(slug: str) -> None:
    game, path = games()[slug], find_folder(games()[slug]) / "translations" / "en.po"
    own = read_messages(path)
    known = {key for file in _APP.glob("*.po") for key in read_messages(file)}
    for other, folder in ((each, find_folder(games()[each])) for each in games()):
        known |= {f"{other}.{key}" for key in read_messages(folder / "translations" / "en.po")}
    missing = {}
    for key, place in _needed(game, own):
        short = key.removeprefix(f"{slug}.")
        if key not in known and f"{game.variant_of}.{short}" not in known:
            missing[key] = f"{place}: {path.name} has no message {short!r}{similar(short, own)}"
    fail_with(missing.values())


def _needed(game: AnyGame, messages: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the messages that a game needs, with `file:line` of what needs each."""
    yield from named_messages(game)
    own = [(key, "slug") for key in ("name", "in-a-line", "basics", "leads")]
    for kind in game.ending.kinds:
        if not any(key.startswith(f"closing.{kind}.") for key in messages):
            own.append((f"closing.{kind}", "ending"))
    own += [(f"reason.{name}", name) for name in game.reasons]
    own += [(f"figure.{name}", name) for name in game.counted.figure_names]
    own += [(f"feat.{name}", name) for name in game.counted.feat_names]
    for option in option_fields(game):
        key = f"option.{option.option}"
        own += [(f"{key}.{option.part}" if option.part else key, option.option), (f"{key}.help", option.option)]
        own += [(f"{key}.{v}", option.option) for v in option.choices if option.kind == CHOICE and isinstance(v, str)]
    for incident in game.dealing.incidents:
        own += [(f"incident.{incident.name}{then}", incident.name) for then in ("", ".then")]
    for stage in game.dealing.draw.stages if game.dealing.draw is not None else ():
        own += [(f"draw.{kind}.{stage.name}", stage.name) for kind in ("title", "how")]
    yield from ((f"{game.slug}.{key}", place_of(game, text)) for key, text in own)
    yield from ((key, place_of(game, text)) for key, text in played(game.slug).texts.items())


def test_other_languages_have_the_messages_of_the_english_ones(slug: str) -> None:
    folder = find_folder(games()[slug])
    english = read_messages(folder / "translations" / "en.po")
    wrong = []
    for path in sorted(folder.glob("translations/*.po")):
        own = read_messages(path)
        wrong += [f"{own[key]}: not in en.po: {key!r}.{similar(key, english)}" for key in own.keys() - english.keys()]
        if path.stem in LANGUAGES:
            wrong += [f"{path}:{len(own)}: no message {key!r}: {english[key]}" for key in english.keys() - own.keys()]
    fail_with(wrong)


def test_rules_explain_each_reason_and_house_rule_under_a_heading_that_pages_link_to(slug: str) -> None:
    game = games()[slug]
    folder = find_folder(game)
    wrong = []
    english = _ANCHOR.findall((folder / "rules.en.md").read_text(encoding="utf-8"))
    needed = [*game.reasons, *(field.name for field in fields(game.options)), "adjustment", "misdeal"]
    for anchor in {*needed} - {*english}:
        wrong.append(f"{folder / 'rules.en.md'}:1: no heading has the anchor {{#{anchor}}}.{similar(anchor, english)}")
    for path in sorted(folder.glob("rules.*.md")):
        anchors = _ANCHOR.findall(path.read_text(encoding="utf-8"))
        if path.name.split(".")[1] in LANGUAGES and anchors != english:
            wrong.append(f"{path}:1: other anchors than in rules.en.md: {sorted({*anchors} ^ {*english})}")
    fail_with(wrong)


def test_what_is_declared_is_what_is_returned(slug: str) -> None:
    game, seen = games()[slug], played(slug)
    wrong = list(seen.faults)
    for field, names, declared in (
        ("reasons", seen.reasons, game.reasons),
        ("figure_names", seen.figures, game.counted.figure_names),
        ("feat_names", seen.feats, game.counted.feat_names),
    ):
        for name in names - {*declared}:
            wrong.append(f"{place_of(game, name)}: {field} lacks {name!r}.{similar(name, declared)}")
    required = [key for check in game.checks for key in check.required_keys]
    for key in {*required, *game.announced, *seen.facts} - seen.deal_fields:
        wrong.append(f"{place_of(game, key)}: a deal has no field {key!r}.{similar(key, seen.deal_fields)}")
    for key in seen.deal_fields - seen.facts:
        wrong.append(f"{place_of(game, key)}: no choice of the pad sets {key!r}")
    fail_with(wrong)


def test_house_rules_that_the_game_names_are_there_and_go_together(slug: str) -> None:
    game = games()[slug]
    assert {*game.house_rules.asked} <= {field.name for field in fields(game.options)}
    assert not game.house_rules.named_by or game.house_rules.named_by in {
        field.option for field in option_fields(game) if field.kind == TEXT
    }
    assert all(go_together(game, game.usual_options, count) for count in game.player_counts)
    for options in (*game.house_rules.examples, *game.house_rules.known):
        assert any(go_together(game, options, count) for count in game.player_counts), options


def test_the_example_reaches_an_end_and_the_sample_goes_on(slug: str) -> None:
    for name in ("example.json", "sample.json"):
        path = find_folder(games()[slug]) / name
        sheet = load(json.loads(path.read_text(encoding="utf-8")), games())
        assert isinstance(sheet, Sheet), f"{path}:1: {sheet}"
        standing = sheet.open()
        assert (refusal := fold(sheet.game, standing, sheet.deals)) is None, f"{path}:1: {refusal}"
        ended = {closing.kind for row in standing.rows for closing in row.closings}
        if name == "example.json" and games()[slug].ending.kinds:
            assert games()[slug].contest in ended, f"{path}:1: nothing is won, so the rules page shows no result"
        if name == "sample.json":
            assert not standing.is_finished, f"{path}:1: visitors can go on only if it is not finished"


def test_a_case_has_the_result_worked_out_by_hand(case: str) -> None:
    slug, name = case.split("/")
    fail_with(_disagreements(games()[slug], f"cases/{name}.json"))


def _disagreements(game: AnyGame, name: str) -> Iterator[str]:
    path, line = find_folder(game) / name, partial(place_of, game, pattern=name)
    case = json.loads(path.read_text(encoding="utf-8"))
    if case.keys() not in (CASE_KEYS - {"expect"}, CASE_KEYS - {"expect_error"}):
        yield f"{path}:1: a case has 'why', 'sheet', and one of 'expect' and 'expect_error'"
        return
    result = score(case["sheet"], games())
    expected = case.get("expect") or case["expect_error"]
    if "expect" in case and isinstance(result, Refusal):
        text = problem_text(result.first, "en", names=str)
        place = line(result.first.field.split(".")[0])
        yield f"{place}: deal {result.number} is refused: {result.first.field}: {text}"
    elif "expect" in case and not isinstance(result, Refusal):
        for key, value in expected.items():
            if key not in result or not _agrees(result[key], value):
                yield f"{line(key)}: {key!r} is {result.get(key)}, and {value} is expected"
    elif not isinstance(result, Refusal):
        yield f"{line('expect_error')}: the sheet is not refused"
    elif result.number != expected.get("deal") or not result.first.field.startswith(str(expected.get("field"))):
        yield f"{line('expect_error')}: deal {result.number}, field {result.first.field!r} is refused"


def _agrees(found: Any, expected: Any) -> bool:
    """Whether a part of a statement is as expected; objects in a list, such as deals, may be given in part."""
    if not isinstance(expected, list):
        return bool(found == expected)
    return len(found) == len(expected) and all(
        {key: item[key] for key in wanted if key in item} == wanted if isinstance(wanted, dict) else item == wanted
        for item, wanted in zip(found, expected, strict=True)
    )
