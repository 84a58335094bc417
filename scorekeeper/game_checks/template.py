"""Check a game's template: names and parameters of its macros, and the messages that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from jinja2 import TemplateSyntaxError, nodes

from ..web.support.game_layouts import templates_folder
from . import pages
from .code import MessageUse
from .findings import Finding, GameFolder, Place, similar
from .playing import NAMES

NAME = "templates/table.html"
TOGETHER = (("at_stake", "at_stake_rules"), ("announced", "announced_again"))


def files(folder: GameFolder) -> list[Path]:
    """Return the game's templates."""
    return sorted(folder.path.glob("templates/**/*.html"))


def parsed(folder: GameFolder) -> dict[Path, nodes.Template]:
    """Return the game's templates that are valid."""
    read = {path: pages.parse(path) for path in files(folder)}
    return {path: template for path, template in read.items() if isinstance(template, nodes.Template)}


def defines(folder: GameFolder, macro: str) -> bool:
    """Return whether the game's own template has a macro, or takes one over from another template."""
    template = parsed(folder).get(folder.file(NAME))
    return template is not None and macro in pages.exported(template)


def check(folder: GameFolder) -> Iterator[Finding]:
    """Yield what is wrong in a game's template; a game without one has the default layout."""
    for path in files(folder):
        template = pages.parse(path)
        if isinstance(template, TemplateSyntaxError):
            yield Finding(Place(path, template.lineno), f"the template is invalid: {template.message}")
            continue
        yield from _find_unknown_imports(folder, path, template)
        if path == folder.file(NAME):
            yield from _check_names(path, template)
            yield from _check_parameters(path, template)
            yield from _check_pairs(path, template)
            yield from _find_unknown_names(path, template)
            yield from _find_unknown_attributes(folder, path, template)


def _find_unknown_imports(folder: GameFolder, path: Path, template: nodes.Template) -> Iterator[Finding]:
    """Templates are named as the app finds them: `tables/_pad.html`, `games/<slug>/table.html`."""
    for node in template.find_all((nodes.Import, nodes.FromImport, nodes.Include, nodes.Extends)):
        named = getattr(node, "template", None)
        name = named.value if isinstance(named, nodes.Const) else None
        if not isinstance(name, str) or (templates_folder() / name).is_file():
            continue
        if not name.startswith("games/"):
            yield Finding(Place(path, node.lineno), f"the app has no template {name!r}")
        elif (
            name.startswith(f"games/{folder.slug}/") and not folder.file(f"templates/{name.split('/', 2)[2]}").is_file()
        ):
            yield Finding(Place(path, node.lineno), f"the game has no template {name!r}")


def _check_names(path: Path, template: nodes.Template) -> Iterator[Finding]:
    """A macro that is neither part of the layout nor used here is misspelt, or dead."""
    used = {name.name for name in template.find_all(nodes.Name) if name.ctx == "load"}
    known = pages.layout_names()
    for name, macro in pages.find_macros(template).items():
        if name not in known and name not in used:
            text = f"macro {name!r} is no part of a layout, and not called in this template."
            yield Finding(Place(path, macro.line), text + similar(name, known - pages.exported(template)))
    for node in template.body:
        if isinstance(node, nodes.Assign) and isinstance(node.target, nodes.Name):
            name = node.target.name
            if name not in known and name not in used:
                text = f"variable {name!r} is no part of a layout, and not used in this template."
                yield Finding(Place(path, node.lineno), text + similar(name, known - pages.exported(template)))


def _check_parameters(path: Path, template: nodes.Template) -> Iterator[Finding]:
    calls = pages.layout_calls()
    for name, macro in pages.find_macros(template).items():
        for count in sorted(calls.get(name, ())):
            if not macro.fewest <= count <= macro.most:
                text = f"macro {name!r} takes {macro.most} parameters, and pages give it {count}"
                yield Finding(Place(path, macro.line), text)


def _check_pairs(path: Path, template: nodes.Template) -> Iterator[Finding]:
    exported = pages.exported(template)
    for pair in TOGETHER:
        present = [name for name in pair if name in exported]
        if len(present) == 1:
            missing = next(name for name in pair if name not in exported)
            yield Finding(Place(path), f"{present[0]!r} needs {missing!r} beside it")


def _find_unknown_names(path: Path, template: nodes.Template) -> Iterator[Finding]:
    """A name that nobody defines is empty on the page, or an error if it is called."""
    for name in pages.find_undeclared(template):
        if name.name not in pages.known_names():
            text = f"no page knows the name {name.name!r}."
            yield Finding(Place(path, name.lineno), text + similar(name.name, pages.known_names()))


def _find_unknown_attributes(folder: GameFolder, path: Path, template: nodes.Template) -> Iterator[Finding]:
    """Find attributes that neither the standing nor the house rules have: they are empty on the page."""
    players = NAMES[: folder.game.player_counts[0]]
    options = folder.game.usual_options
    standing = folder.game.under(options, len(players)).open(players, players[0], options)
    owners = {"standing": standing, "standing.options": options}
    for node in template.find_all(nodes.Getattr):
        dotted = _dotted(node.node)
        owner = owners.get(dotted)
        if owner is not None and not hasattr(owner, node.attr):
            text = f"{dotted} has no {node.attr!r}."
            yield Finding(Place(path, node.lineno), text + similar(node.attr, dir(owner)))


def _dotted(node: nodes.Node) -> str:
    """Return `standing.options` for such an expression; "" for one of another kind."""
    if isinstance(node, nodes.Name):
        return node.name
    return f"{owner}.{node.attr}" if isinstance(node, nodes.Getattr) and (owner := _dotted(node.node)) else ""


# --- messages ------------------------------------------------------------------------------------------------


def message_uses(path: Path, template: nodes.Template) -> Iterator[MessageUse]:
    """Yield the literal keys of `t(…)` with the parameters given there."""
    for call in template.find_all(nodes.Call):
        if not (isinstance(call.node, nodes.Name) and call.node.name in pages.TRANSLATORS and call.args):
            continue
        is_query = call.node.name == "has_message"
        params = None if call.dyn_kwargs or is_query else frozenset(keyword.key for keyword in call.kwargs)
        for pattern in pages.make_patterns(call.args[-1 if call.node.name == "game_text" else 0]):
            key = re.sub(r"\\(.)", r"\1", pattern)
            if ".+" not in pattern and re.fullmatch(r"[\w.-]+", key):
                yield MessageUse(key, params, Place(path, call.lineno))


def patterns(template: nodes.Template) -> Iterator[str]:
    """Yield the keys that the template composes, as regular expressions."""
    for concat in template.find_all(nodes.Concat):
        for pattern in pages.make_patterns(concat):
            if re.search(r"[a-z]", pattern):
                yield pattern


def find_terms(folder: GameFolder) -> Iterator[tuple[str, Place]]:
    """Yield the card terms and the anchors of rules that the template lists: `term` and `anchor` with their places."""
    for path, template in parsed(folder).items():
        for node in template.find_all(nodes.Assign):
            for name, value in _pairs(node):
                if name in ("terms", "at_stake_rules") and isinstance(value, nodes.Tuple | nodes.List):
                    kind = "term" if name == "terms" else "anchor"
                    for item in value.items:
                        if isinstance(item, nodes.Const):
                            yield f"{kind}.{item.value}", Place(path, node.lineno)


def _pairs(node: nodes.Assign) -> Iterator[tuple[str, nodes.Node]]:
    """Yield the names of an assignment with their values."""
    if isinstance(node.target, nodes.Name):
        yield node.target.name, node.node
    elif isinstance(node.target, nodes.Tuple) and isinstance(node.node, nodes.Tuple):
        for target, value in zip(node.target.items, node.node.items, strict=False):
            if isinstance(target, nodes.Name):
                yield target.name, value
