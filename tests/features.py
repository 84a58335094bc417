"""What the tests' folders of features contribute to tests of the whole app, as long as the feature is installed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from scorekeeper.app import FEATURES


def load(name: str) -> list[ModuleType]:
    """Import the modules with this name: `filled` circles, `screens` to check in a browser."""
    names = [f"{__package__}.{feature}.{name}" for feature in FEATURES]
    return [import_module(each) for each in names if find_spec(each)]
