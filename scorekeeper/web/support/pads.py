"""A pad as pages draw it: its groups in blocks, with their labels."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, groupby

from flask import Flask

from ...scoring.game import AnyGame
from ...scoring.pad import AMOUNT, TOGGLE, ChoiceGroup
from ...scoring.pad_state import Pad, find_frequent, list_typed
from ...scoring.problems import Problem
from ...scoring.standing import SIDES, AnyStanding
from ...tables.state import TableState
from .language import has_message, problem_message, t

_COLUMNS = {5: "fives", 7: "sevens", 8: "fives", 9: "fives", 10: "fives", 13: "sevens", 14: "sevens", 17: "sevens"}
_MISSING = ("missing", "field-missing", "tap-one")  # keys of problems with what a deal lacks
_FEW = 3  # parties to name: more would make the bar of a phone too high


@dataclass(frozen=True)
class Block:
    """Groups that are drawn together: the same question for several players, or switches.

    stem: their name without the players'; "" for switches, whose own words say all.
    """

    stem: str
    groups: tuple[ChoiceGroup, ...]

    @property
    def kind(self) -> str:
        """The kind of its groups."""
        return self.groups[0].kind

    @property
    def title(self) -> str:
        """The players' own words for its groups; "" if they have none, or one for each line of a sheet."""
        return "" if self._is_sheet else self.groups[0].title

    @property
    def _is_sheet(self) -> bool:
        return self.kind == AMOUNT and bool(self.groups[0].title)

    @property
    def lines(self) -> dict[str, list[ChoiceGroup]]:
        """The groups of a sheet by heading, each with one for every player or side; of other blocks, nothing."""
        lines: dict[str, list[ChoiceGroup]] = {}
        for group in self.groups if self._is_sheet else ():
            lines.setdefault(group.title, []).append(group)
        return lines

    @property
    def is_alternative(self) -> bool:
        """Whether its groups enter the same facts as others in another way."""
        return self.groups[0].is_alternative

    @property
    def columns(self) -> str:
        """The style that makes the cells of a strip fill its rows, at the width of a phone."""
        cells = max(
            len(choices) for group in self.groups for part in group.parts or (group,) for choices in part.rows.values()
        )
        return _COLUMNS.get(cells, "")

    def is_tapped(self, pad: Pad) -> bool:
        """Return whether something is tapped in one of its groups."""
        return any(group.name in pad.taps for group in self.groups)


def init_app(app: Flask) -> None:
    """Register the template globals."""
    app.jinja_env.globals.update(
        pad_shape=pad_shape,
        pad_blocks=pad_blocks,
        group_label=group_label,
        party_of_group=party_of_group,
        find_missing=find_missing,
        find_announced=find_announced,
        list_typed=list_typed,
        frequent_numbers=lambda game, standing: find_frequent(chain(*list_typed(game, standing).values())),
        problem_of_later=problem_of_later,
    )


def pad_shape(pad: Pad) -> str:
    """Return a mark that changes when other groups or choices are on the pad. Their order does not matter."""
    described = sorted(
        (group.name, group.title, repr([(c.key, c.label, dict(c.params)) for c in group.choices]))
        for group in pad.groups
    )
    return sha256(repr(described).encode()).hexdigest()[:12]


def party_of_group(group: ChoiceGroup, parties: Collection[str]) -> str:
    """Return the player or side whose group it is: that of its only row, or that its name ends with; else ""."""
    rows = list(group.rows)
    only = rows[0] if len(rows) == 1 else ""
    suffix = group.name.rpartition("-")[2]
    return only or (suffix if suffix in (*parties, *SIDES) and suffix != group.name else "")


def get_stem(group: ChoiceGroup, party: str) -> str:
    """Return a group's name without its party: `tricks` of `tricks-2`."""
    return group.name.removesuffix(f"-{party}") if party else group.name


def group_label(game: AnyGame, stem: str, *areas: str) -> str:
    """Return the label of groups: the game's words in the first of these areas of its messages that has some, or ""."""
    keys = [f"{game.slug}.{area}.{stem}" for area in areas or ("group",)]
    return next((t(key) for key in keys if has_message(key)), "")


def pad_blocks(pad: Pad, standing: AnyStanding) -> list[Block]:
    """Return the groups of a pad, with those together that ask the same of several players."""

    def key(group: ChoiceGroup) -> tuple[str, str, bool]:
        party = party_of_group(group, standing.players)
        stem = "" if group.kind == TOGGLE and not party else get_stem(group, party)
        stem = group.keys[0] if group.kind == AMOUNT and group.title else stem  # lines of one sheet
        return stem, group.kind, group.is_alternative

    return [Block(stem, tuple(groups)) for (stem, _, _), groups in groupby(pad.groups, key)]


def find_announced(game: AnyGame, pad: Pad, standing: AnyStanding) -> Block | None:
    """Return the block below which the pad offers to save what is announced, or None.

    That is the last one that enters nothing else. The pad has none after taps that leave nothing to announce, as when
    everybody passed. If it has none before any tap, it is the last block of all.
    """

    def is_announced(group: ChoiceGroup) -> bool:
        return not group.is_alternative and set(group.keys) <= set(game.announced)

    blocks = [block for block in pad_blocks(pad, standing) if not block.is_alternative] if game.announced else []
    announced = [block for block in blocks if all(map(is_announced, block.groups))]
    if not announced and not any(map(is_announced, game.pad(standing, {}))):
        announced = blocks
    return announced[-1] if announced else None


def find_missing(game: AnyGame, pad: Pad, standing: AnyStanding) -> list[tuple[str, list[str]]]:
    """Return the labels of the groups that still need a tap, each with the parties if only few of them lack theirs."""
    missing = []
    for block in pad_blocks(pad, standing):
        lacking = [group for group in block.groups if group in pad.unanswered]
        if lacking:
            whose = list(dict.fromkeys(party_of_group(group, standing.players) for group in lacking))
            parties = whose if len(lacking) < len(block.groups) and len(whose) <= _FEW else []
            missing.append((block.title or group_label(game, block.stem, "missing", "group") or block.stem, parties))
    return missing


def problem_of_later(table: TableState, problem: Problem) -> str:
    """Return what is wrong with a deal that is not on the page, in a sentence that names the field where it has to."""
    label = _find_field(table, problem.field.partition(".")[0])
    named = t("quotation", text=label)
    if label and problem.key in _MISSING:
        return t("refused.lacks", field=named)
    says_all = "." in problem.key or not label  # the game's own messages name what they are about
    return problem_message(problem) if says_all else f"{named}{t('colon')} {problem_message(problem)}"


def _find_field(table: TableState, key: str) -> str:
    """Return the words of the pad for a key of a deal, or ""."""
    game, standing = table.game, table.standing
    groups = (group for group in game.pad(standing, {}) if key in group.keys)
    stems = [key, *(get_stem(group, party_of_group(group, standing.players)) for group in groups)]
    return next((label for stem in stems if (label := group_label(game, stem, "missing", "group"))), "")
