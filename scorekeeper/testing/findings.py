"""Where in a game's folder something is: failures of its tests name file and line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path

from babel.messages.pofile import read_po

from ..games import find_folder
from ..scoring.game import AnyGame, fold
from ..scoring.pad_state import Pad
from ..scoring.standing import AnyStanding
from .playing import NAMES, PseudoRandom, opened, random_deal, random_rules

SHEETS, DEALS = 4, 12  # for each number of players

# `Problem("field", "slug.key"` in code and `t("slug.key"` in templates, where the key is written out.
_USES = (r'\bProblem\(\s*[^,()]+,\s*"([\w.-]+)"', r'\bt\(\s*"([\w.-]+)"\s*[,)]')


def place_of(game: AnyGame, text: str, pattern: str = "**/*.py") -> str:
    """Return `file:line` of the first line of the game's files that has the text in quotes, or as a field."""
    found = re.compile(rf"""["']{re.escape(text)}["']|^\s*{re.escape(text)}\s*[:=]""")
    for path in sorted(find_folder(game).glob(pattern)):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if found.search(line):
                return f"{path}:{number}"
    return f"{find_folder(game) / '__init__.py'}:1"


def similar(word: str, words: Iterable[str]) -> str:
    """Return a question that names the most similar of these words; empty if none is similar."""
    found = get_close_matches(word, sorted(set(words)), n=1, cutoff=0.7)
    return f" Did you mean {found[0]!r}?" if found else ""


def read_messages(path: Path) -> dict[str, str]:
    """Return `file:line` of each message of a catalogue, by key; nothing of a file that is not there."""
    if not path.is_file():
        return {}
    with path.open("rb") as file:
        return {_key(message.id): f"{path}:{message.lineno}" for message in read_po(file) if message.id}


def _key(message_id: object) -> str:
    return str(message_id[0]) if isinstance(message_id, tuple | list) else str(message_id)


def named_messages(game: AnyGame) -> Iterator[tuple[str, str]]:
    """Yield the messages that the game's code and templates name, in full, and `file:line` of each."""
    for pattern, use in zip(("**/*.py", "templates/**/*.html"), _USES, strict=True):
        for path in sorted(find_folder(game).glob(pattern)):
            text = path.read_text(encoding="utf-8")
            for found in re.finditer(use, text):
                key = found[1] if "." in found[1] or path.suffix == ".html" else f"problem.{found[1]}"
                yield key, f"{path}:{text.count(chr(10), 0, found.start(1)) + 1}"


class Played:
    """What was seen of a game that was played at random with every number of players, most of it message keys.

    texts: keys of messages, each with a text of the code that it comes from.
    facts: the facts of deals that choices set or follow from them; deal_fields: those that a deal may have.
    returned: what the functions returned, by the field that declares it.
    faults: what is wrong, each with its place.
    """

    def __init__(self, game: AnyGame) -> None:
        self.texts: dict[str, str] = {}
        self.facts: set[str] = set()
        self.deal_fields: set[str] = set()
        self.returned: dict[str, set[str]] = {"reasons": set(), "figure_names": set(), "feat_names": set()}
        self.faults: list[str] = []
        for count in game.player_counts:
            for seed in range(SHEETS):
                self._play(game, NAMES[:count], seed)

    def _play(self, game: AnyGame, players: tuple[str, ...], seed: int) -> None:
        chooser = PseudoRandom(seed)
        rules = random_rules(game, chooser, len(players))
        standing = opened(game, {"players": players, "dealer": players[0], "house_rules": rules})
        game = game.under(standing.options, len(players))
        self.deal_fields |= {field.name for field in fields(game.deal)}
        for _ in range(DEALS):
            if standing.is_finished:
                return
            deal = random_deal(game, standing, chooser, self._note_pad)
            refusal = fold(game, standing, [deal])
            if refusal is None:
                self._note_row(game, standing)
            else:
                for problem in refusal.problems:
                    self.texts[problem.key if "." in problem.key else f"problem.{problem.key}"] = problem.key
                if "adjustment" not in deal:
                    pad = place_of(game, refusal.first.field.split(".")[0], "**/pad.py")
                    self.faults.append(f"{pad}: the pad offers what is refused: {deal}: {refusal.first}")

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
                self.returned["reasons"].add(entry.reason)
                if game.explain(standing, row, entry):
                    self.texts[f"{game.slug}.explanation.{entry.reason}"] = entry.reason
            if type(entry.amount) is not int:
                place = place_of(game, entry.reason)
                self.faults.append(f"{place}: the amount of {entry.reason!r} is {entry.amount!r}, no integer")
        for closing in row.closings:
            if closing.kind not in game.ends:
                self.faults.append(f"{place_of(game, 'ends')}: ends lacks {closing.kind!r}, which close returns")
        if not game.is_passed(row.fact):
            past = standing.seated_as(row)
            for figure in game.figures(past, row):
                self.returned["figure_names"].add(figure.name)
                if figure.part and not figure.part.isdigit():
                    self.texts[f"{game.slug}.figure.{figure.name}.{figure.part}"] = figure.name
            self.returned["feat_names"] |= {feat.name for feat in game.feats(past, row)}
