"""Names in a game's Python code: messages, keys of problems, and patterns of composed keys."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .findings import GameFolder, Place

PACKAGE = Path(__file__).parent.parent


class MessageUse(NamedTuple):
    """A message that the code or a template names.

    `params` are the names of the parameters that it gives; None if they cannot be read from the code.
    """

    key: str
    params: frozenset[str] | None
    place: Place


def problem_uses(folder: GameFolder) -> Iterator[MessageUse]:
    """Yield the messages of `Problem(field, key, params)` in the game's code; those without a point are shared ones."""
    for path, module in folder.code.items():
        for node in ast.walk(module):
            if not (isinstance(node, ast.Call) and _name(node.func) == "Problem"):
                continue
            key = node.args[1] if len(node.args) > 1 else _keyword(node, "key")
            params = node.args[2] if len(node.args) > 2 else _keyword(node, "params")
            for constant in _strings(key):
                full_key = constant.value if "." in constant.value else f"problem.{constant.value}"
                yield MessageUse(full_key, _read_names(params), Place(path, constant.lineno))


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _strings(node: ast.expr | None) -> Iterator[_String]:
    """Yield the literal strings that an expression may be: itself, or either branch of a condition."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield _String(node.value, node.lineno)
    elif isinstance(node, ast.IfExp):
        yield from _strings(node.body)
        yield from _strings(node.orelse)


class _String(NamedTuple):
    value: str
    lineno: int


def _read_names(params: ast.expr | None) -> frozenset[str] | None:
    """Return the keys of a literal dictionary, and `field`, which every problem has."""
    if params is None:
        return frozenset({"field"})
    if not isinstance(params, ast.Dict):
        return None
    names = [key.value for key in params.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    return frozenset({"field", *names}) if len(names) == len(params.keys) else None


def key_patterns(module: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield every string of a module that may be a message's key, as a regular expression, and its line.

    What an f-string fills in may be any text.
    """
    parts_of_f_strings = {
        id(part)
        for node in ast.walk(module)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    for node in ast.walk(module):
        if isinstance(node, ast.JoinedStr):
            yield "".join(_part(part) for part in node.values), node.lineno
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts_of_f_strings:
            yield re.escape(node.value), node.lineno


def _part(part: ast.expr) -> str:
    return re.escape(part.value) if isinstance(part, ast.Constant) and isinstance(part.value, str) else ".+"


@cache
def patterns_after_slug() -> frozenset[str]:
    """Return what the app's own code composes after a game's slug: patterns of keys without the slug."""
    found = set()
    for path in sorted(PACKAGE.glob("**/*.py")):
        if not {"games", "game_checks", "testing", "migrations"} & set(path.relative_to(PACKAGE).parts):
            text = path.read_text(encoding="utf-8")
            module = ast.parse(text if "slug" in text else "")
            found |= {pattern for pattern, _ in key_patterns(module) if pattern.startswith(r".+\.")}
    without_slug = {pattern.removeprefix(r".+\.") for pattern in found}
    return frozenset(pattern for pattern in without_slug if re.match(r"[a-z]", pattern))
