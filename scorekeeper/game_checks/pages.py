"""Needs of the app's pages: macros of its layout, and messages under its slug. Read from the templates."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, TemplateSyntaxError, meta, nodes

from ..web.support.game_layouts import DEFAULT, templates_folder
from .code import PACKAGE

_OWN_WORDS = ("game_text", "own_key")  # functions that prefer a game's own words
TRANSLATORS = ("t", "game_text", "has_message")  # functions of templates whose arguments are keys
_LAYOUTS = ("game", "previous_game", "game_words", "layout", "layout_at_deal")  # the names of layouts in pages
_ENVIRONMENT = Environment()  # noqa: S701  # templates are only parsed


class Macro(NamedTuple):
    """A macro: the numbers of arguments with which it can be called, and its line."""

    fewest: int
    most: int
    line: int


def parse(path: Path) -> nodes.Template | TemplateSyntaxError:
    """Parse a template, or return why it cannot be."""
    try:
        return _ENVIRONMENT.parse(path.read_text(encoding="utf-8"))
    except TemplateSyntaxError as error:
        return error


@cache
def _templates() -> tuple[nodes.Template, ...]:
    parsed = [parse(path) for path in sorted(templates_folder().glob("**/*.html"))]
    return tuple(template for template in parsed if isinstance(template, nodes.Template))


def find_macros(template: nodes.Template) -> dict[str, Macro]:
    """Return a template's macros by name."""
    return {
        macro.name: Macro(len(macro.args) - len(macro.defaults), len(macro.args), macro.lineno)
        for macro in template.find_all(nodes.Macro)
    }


@cache
def layout_calls() -> dict[str, frozenset[int]]:
    """Return the macros that pages call on a game's layout, each with the numbers of arguments it gets."""
    found: dict[str, set[int]] = {}
    for template in _templates():
        for call in template.find_all(nodes.Call):
            owner = call.node.node if isinstance(call.node, nodes.Getattr) else None
            owner = owner.node if isinstance(owner, nodes.Call) else owner  # layout_at_deal(…).facts(…)
            if isinstance(call.node, nodes.Getattr) and isinstance(owner, nodes.Name) and owner.name in _LAYOUTS:
                found.setdefault(call.node.attr, set()).add(len(call.args) + len(call.kwargs))
    return {name: frozenset(counts) for name, counts in found.items() if name != "explain"}


@cache
def layout_names() -> frozenset[str]:
    """Return all names that a layout may have: the macros that pages call, and what the default layout defines."""
    path = templates_folder() / DEFAULT
    template = parse(path) if path.is_file() else None
    default = exported(template) if isinstance(template, nodes.Template) else set()
    return frozenset({*layout_calls(), *default, "terms", "at_stake_rules"})


def exported(template: nodes.Template) -> set[str]:
    """Return the names that a template exports: macros and variables at its top level."""
    names = set(find_macros(template))
    for node in template.body:
        targets = [node.target] if isinstance(node, nodes.Assign) else []
        names |= {name.name for target in targets for name in _names(target)}
    return names


def find_undeclared(template: nodes.Template) -> Iterator[nodes.Name]:
    """Yield the names that a template uses and defines nowhere, each where it is used first."""
    used = sorted(template.find_all(nodes.Name), key=lambda name: name.lineno)
    defined = {name.name for name in used if name.ctx != "load"}
    for undeclared in sorted(meta.find_undeclared_variables(template) - defined):
        yield next(name for name in used if name.name == undeclared)


@cache
def known_names() -> frozenset[str]:
    """Return the names that pages know: functions, and variables that a page is given."""
    return frozenset(name.name for template in _templates() for name in find_undeclared(template)) | {"played_game"}


def _names(target: nodes.Node) -> Iterator[nodes.Name]:
    return iter([target]) if isinstance(target, nodes.Name) else target.find_all(nodes.Name)


# --- messages ------------------------------------------------------------------------------------------------


def make_patterns(node: nodes.Node) -> Iterator[str]:
    """Yield the texts that an expression may have, as regular expressions; what is filled in may be any text."""
    if isinstance(node, nodes.Const):
        yield re.escape(str(node.value))
    elif isinstance(node, nodes.CondExpr):
        yield from make_patterns(node.expr1)
        yield from make_patterns(node.expr2) if node.expr2 is not None else ()
    elif isinstance(node, nodes.Concat):
        parts = [list(make_patterns(part)) for part in node.nodes]
        yield "".join(choices[0] if len(choices) == 1 else f"(?:{'|'.join(choices)})" for choices in parts)
    else:
        yield ".+"


@cache
def patterns_after_slug() -> frozenset[str]:
    """Return the messages that pages compose after a game's slug, as patterns without the slug."""
    found = {
        pattern.removeprefix(r".+\.")
        for template in _templates()
        for concat in template.find_all(nodes.Concat)
        for pattern in make_patterns(concat)
        if pattern.startswith(r".+\.")
    }
    return frozenset(pattern for pattern in found if re.match(r"[a-z]", pattern))


@cache
def patterns_of_own_words() -> frozenset[str]:
    """Return the messages that a game may word in its own way, since pages ask for them by `game_text`."""
    of_templates = (
        pattern
        for template in _templates()
        for call in template.find_all(nodes.Call)
        if isinstance(call.node, nodes.Name) and call.node.name in _OWN_WORDS and len(call.args) > 1
        for pattern in make_patterns(call.args[1])
    )
    return frozenset({*of_templates, *_own_words_of_views()} - {".+"})


def _own_words_of_views() -> Iterator[str]:
    """Yield the keys that the views' code gives to these functions, as patterns."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((PACKAGE / "web").glob("**/*.py"))]
    for text in texts:
        if not any(f"{name}(" in text for name in _OWN_WORDS):
            continue
        for call in ast.walk(ast.parse(text)):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in _OWN_WORDS and len(call.args) > 1:
                key = call.args[1]
                parts = key.values if isinstance(key, ast.JoinedStr) else [key]
                yield "".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+" for part in parts)
