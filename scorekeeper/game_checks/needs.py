"""The messages that a game needs: for what it declares, for what was seen in play, and for what its code names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ..scoring.game import AnyGame
from ..web.support.option_fields import CHOICE, LINES, TEXT, option_fields
from .code import MessageUse, problem_uses
from .findings import GameFolder, Place
from .observing import Observed
from .template import defines, find_terms, message_uses, parsed

NOTHING: frozenset[str] = frozenset()


class Need(NamedTuple):
    """A message that a game needs.

    keys: what it may be called, of which one is enough. Of the game's own messages, without the slug.
    params: the parameters that it is given; None if they are not known.
    place: what needs it.
    may_be_shared: whether the app's own message of this key will do.
    """

    keys: tuple[str, ...]
    params: frozenset[str] | None
    place: Place
    may_be_shared: bool = False


def needs(folder: GameFolder, observed: Observed) -> Iterator[Need]:
    """Yield the messages that a game needs."""
    yield from _general(folder)
    yield from _options(folder)
    yield from _known(folder)
    yield from _declared(folder)
    yield from _closings(folder, observed)
    yield from _seen(folder, observed)
    yield from _refused(folder, observed)
    yield from _dealing(folder, observed)
    for use in uses(folder):
        if use.key.startswith(f"{folder.slug}."):
            yield Need((use.key.removeprefix(f"{folder.slug}."),), use.params, use.place)


def uses(folder: GameFolder) -> Iterator[MessageUse]:
    """Yield the messages that the game's code and template name: of its own, of other games, and of the app."""
    yield from problem_uses(folder)
    for path, template in parsed(folder).items():
        yield from message_uses(path, template)


def _general(folder: GameFolder) -> Iterator[Need]:
    place = folder.place_of_field("slug")
    for key in ("name", "in-a-line", "basics"):
        yield Need((key,), NOTHING, place)
    yield Need(("leads",), frozenset({"party"}), place)
    for unit in folder.game.units:
        place = folder.place_of_field("units")
        yield Need((f"unit.{unit}",), NOTHING, place, may_be_shared=True)
        yield Need((f"count.{unit}",), frozenset({"count"}), place, may_be_shared=True)
    for term, place in find_terms(folder):
        if term.startswith("term."):
            yield Need((term,), NOTHING, place, may_be_shared=True)
            yield Need((f"{term}.means",), NOTHING, place, may_be_shared=True)


def _options(folder: GameFolder) -> Iterator[Need]:
    for option in option_fields(folder.game):
        key = f"option.{option.option}"
        place = folder.place_of_field("options")
        for path, module in folder.code.items():
            lines = [node.lineno for node in _annotations(module) if node.name == option.option]
            place = Place(path, lines[0]) if lines else place
        yield Need((f"{key}.{option.part}" if option.part else key,), NOTHING, place)
        yield Need((f"{key}.help",), NOTHING, place)
        if option.kind == CHOICE:
            for value in option.choices:
                if isinstance(value, str):
                    yield Need((f"{key}.{value}",), NOTHING, place)


def _known(folder: GameFolder) -> Iterator[Need]:
    """Yield the messages for the texts of known games."""
    for options in folder.game.known:
        for field in option_fields(folder.game):
            value = getattr(options, field.option)
            texts = [value] if field.kind == TEXT else value if field.kind == LINES and not field.has_numbers else ()
            for text in texts:
                yield Need((f"known.{text}",), NOTHING, folder.place_of_field("known"))


class _Annotation(NamedTuple):
    name: str
    lineno: int


def _annotations(module: ast.Module) -> Iterator[_Annotation]:
    """Yield the fields of a module's dataclasses named `Options`."""
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef) and node.name == "Options":
            for statement in node.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    yield _Annotation(statement.target.id, statement.lineno)


def _declared(folder: GameFolder) -> Iterator[Need]:
    game = folder.game
    for reason in game.reasons:
        yield Need((f"reason.{reason}",), NOTHING, folder.place_of_text(reason, "score"))
    for name in game.figure_names:
        yield Need((f"figure.{name}",), NOTHING, folder.place_of_text(name, "figures"))
    for name in game.feat_names:
        yield Need((f"feat.{name}",), frozenset({"count"}), folder.place_of_text(name, "feats"))


def _closings(folder: GameFolder, observed: Observed) -> Iterator[Need]:
    """Yield a message for each end; one for a number, such as `closing.manche.3`, takes precedence."""
    place = folder.place_of_field("ends")
    seen = {kind for kind, _ in observed.closings}
    for (kind, number), params in observed.closings.items():
        keys = (f"closing.{kind}.{number}", f"closing.{kind}") if number else (f"closing.{kind}",)
        yield Need(keys, params.names, place)
    for kind in folder.game.ends:
        if kind not in seen:
            yield Need((f"closing.{kind}",), None, place)


def _seen(folder: GameFolder, observed: Observed) -> Iterator[Need]:
    prefix = f"{folder.slug}."
    for label, params in observed.labels.items():
        if label.startswith(prefix):
            yield Need((label.removeprefix(prefix),), params.names, folder.place_of_text(label, "pad"))
    for name, group in observed.groups.items():
        is_named = len(group.choices) == 1 and isinstance(group.choices[0].label, str)  # as on a paper sheet
        is_asked = name in observed.asked and not defines(folder, "pad")
        if (is_asked or not is_named) and not group.is_alternative and not group.title:
            place = folder.place_of_text(name, "pad")
            yield Need((f"paper.{name}", f"group.{name}"), NOTHING, place, may_be_shared=True)
    explaining = "explain_entry" if folder.sets("explain_entry") else "explain_amount"
    for reason, params in observed.explanations.items():
        yield Need((f"explanation.{reason}",), params.names, folder.place_of_function(explaining))
    for name, part in sorted(observed.figures):
        if part and not part.isdigit():
            yield Need((f"figure.{name}.{part}",), NOTHING, folder.place_of_text(name, "figures"))
    for message, params in observed.claims.items():
        yield Need((message,), params.names, folder.place_of_text(message, "claimable"))


def _refused(folder: GameFolder, observed: Observed) -> Iterator[Need]:
    """Yield the messages of problems that were met in play, whatever the code puts their keys together from."""
    prefix = f"{folder.slug}."
    for key, params in observed.problems.items():
        if key.startswith(prefix):
            yield Need((key.removeprefix(prefix),), params.names, folder.place_of_text(key, "checks"))


def _dealing(folder: GameFolder, observed: Observed) -> Iterator[Need]:
    game: AnyGame = folder.game
    for stage in game.draw.stages if game.draw is not None else ():
        place = folder.place_of_text(stage.name, "draw")
        yield Need((f"draw.title.{stage.name}",), NOTHING, place)
        yield Need((f"draw.how.{stage.name}",), NOTHING, place)
    for key, params in observed.seatings.items():
        yield Need((f"draw.so.{key}",), params.names, folder.place_of_text(key, "draw"))
    for incident in game.incidents:
        place = folder.place_of_text(incident.name, "incidents")
        yield Need((f"incident.{incident.name}",), frozenset({"party"}), place)
        yield Need((f"incident.{incident.name}.then",), frozenset({"party"}), place)
