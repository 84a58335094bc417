"""How much of the app a request enters: what somebody reads who follows a deal or a payment through the code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from scorekeeper import games
from scorekeeper.testing.guest import filled_in

from ..support.visitor import Visitor

PACKAGE = Path(games.__file__).parents[1]
Entered = dict[tuple[str, str], None]


def find_entered(act: Callable[[], object]) -> Entered:
    """Return the functions of the app that are entered meanwhile, each after its module, in order.

    A comprehension and a lambda belong to the function around them; templates are not functions.
    """
    found: Entered = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(PACKAGE)) and not code.co_name.startswith("<"):
            found[str(Path(code.co_filename).relative_to(PACKAGE)), f"{code.co_qualname}:{code.co_firstlineno}"] = None

    earlier = sys.getprofile()
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(earlier)
    return {(module, name): None for module, name in found if module.endswith(".py") and "testing" not in module}


def check_length(entered: Entered, modules: int, functions: int) -> None:
    """Fail if more was entered, saying what, in order."""
    found = dict.fromkeys(module for module, _ in entered)
    story = "\n".join(f"{module} {name}" for module, name in entered)
    assert len(found) <= modules, f"{len(found)} modules:\n{story}"
    assert len(entered) <= functions, f"{len(entered)} functions:\n{story}"


def test_a_recorded_deal_is_a_short_story(visitor: Visitor) -> None:
    visitor.open_table("whist").record(tricks="ns-5")
    visitor.visit(f"{visitor.table}deals/new")
    check_length(find_entered(lambda: visitor.send({"tricks": "ns-5", "do": "record"})), modules=25, functions=140)
    assert len(visitor.export()["deals"]) == 2


def test_settling_up_is_a_short_story(visitor: Visitor) -> None:
    visitor.open_table("whist")
    for _ in range(4):
        visitor.record(tricks="ns-5")
    page = f"{visitor.table}settlement"
    visitor.visit(page)
    check_length(find_entered(lambda: visitor.visit(page)), modules=39, functions=196)
    form = visitor.find(".due form.pay")
    path, data = str(form["action"]), filled_in(form)
    check_length(find_entered(lambda: visitor.client.post(path, data=data)), modules=36, functions=136)
    assert "Bruno" not in visitor.visit(page).find(".due").get_text()
