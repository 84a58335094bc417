"""docs/api.md: what it lists is what the code has.

After a change of the API, `RENEW_SNAPSHOTS=1` writes the signatures anew.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scorekeeper import api
from scorekeeper.game_checks import pages

PATH = Path(__file__).parent.parent / "docs" / "api.md"
TITLE, FENCE = "Signatures", re.compile(r"```python\n(.*?)```", re.S)


def section(title: str) -> str:
    """Return a section of the page."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PATH.read_text(encoding="utf-8"), re.M | re.S)
    assert found is not None
    return found[1]


def test_the_docs_list_the_shared_messages_that_a_game_may_override() -> None:
    keys = re.findall(r"^\| `([^`]+)`", section("Messages that a game may word in its own way"), re.M)
    listed = {re.sub(r"<\w+>", ".+", re.escape(key)) for key in keys}
    assert listed == pages.patterns_of_own_words()


def test_the_docs_have_the_signatures_of_the_code() -> None:
    written = "".join(f"{line}\n" for name in api.__all__ for line in describe(name, getattr(api, name)))
    if "RENEW_SNAPSHOTS" in os.environ:
        old = section(TITLE)
        new = FENCE.sub(lambda _: f"```python\n{written}```", old)
        PATH.write_text(PATH.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    found = FENCE.search(section(TITLE))
    assert found is not None
    assert found[1] == written


def describe(name: str, value: Any) -> Iterator[str]:
    """Yield the lines for a name of the API: a function, or a class with fields and methods; none for a constant."""
    if inspect.isfunction(value):
        yield f"{name}{describe_call(value)}"
    elif inspect.isclass(value) and (dataclasses.is_dataclass(value) or hasattr(value, "_fields")):
        yield f"class {name}:"
        yield from (f"    {describe_parameter(each)}" for each in inspect.signature(value).parameters.values())
        for member, function in vars(value).items():
            getter = function.fget if isinstance(function, property) else getattr(function, "func", None)
            if member.startswith("_"):
                continue
            if getter is not None:
                yield f"    {member}: {inspect.signature(getter).return_annotation}  # read only"
            elif inspect.isfunction(function) and function.__name__ == member:  # no default that is a function
                yield f"    {member}{describe_call(function)}"


def describe_call(function: Any) -> str:
    """Return the parameters of a function and what it returns."""
    signature = inspect.signature(function)
    parameters = [each for each in signature.parameters.values() if each.name != "self"]
    described = [describe_parameter(each) for each in parameters]
    keywords = [place for place, each in enumerate(parameters) if each.kind is each.KEYWORD_ONLY]
    if keywords:
        described.insert(keywords[0], "*")
    return f"({', '.join(described)}) -> {signature.return_annotation}"


def describe_parameter(parameter: inspect.Parameter) -> str:
    """Return a parameter with its type and its default, … for one that is code or a collection that may grow."""
    kind = getattr(parameter.annotation, "__forward_arg__", parameter.annotation)
    if parameter.default is parameter.empty:
        return f"{parameter.name}: {kind}"
    is_plain = isinstance(parameter.default, str | int | tuple | None)
    return f"{parameter.name}: {kind} = {repr(parameter.default) if is_plain else '…'}"
