"""requirements.lock pins all requirements of pyproject.toml, for every supported Python."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from importlib import metadata

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from .project import ROOT

# The first release of each supported Python, and Debian 12's. Later releases accept the same packages.
PYTHONS = ("3.11.0", "3.11.2", "3.12.0", "3.13.0", "3.14.0")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINES = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
PINS = [Requirement(line) for line in LINES]


def environment_of(python: str) -> dict[str, str]:
    environment = {key: str(value) for key, value in default_environment().items()}
    return environment | {"python_version": python.rpartition(".")[0], "python_full_version": python}


def applies(requirement: Requirement, python: str, extra: str = "") -> bool:
    return requirement.marker is None or requirement.marker.evaluate({**environment_of(python), "extra": extra})


def pins(python: str) -> list[Requirement]:
    return [pin for pin in PINS if applies(pin, python)]


def needed(python: str) -> set[str]:
    """Return the names of all packages of a full installation, from the installed metadata."""
    lines = [*PROJECT["dependencies"], *(line for lines in PROJECT["optional-dependencies"].values() for line in lines)]
    found: set[str] = set()
    waiting = [Requirement(line) for line in lines]
    visited = set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        found.add(name)
        for extra in {"", *requirement.extras}:
            if (name, extra) not in visited and is_installed(name):
                visited.add((name, extra))
                further = [Requirement(line) for line in metadata.requires(name) or []]
                waiting += [requirement for requirement in further if applies(requirement, python, extra)]
    return found


def is_installed(name: str) -> bool:
    return bool(list(metadata.distributions(name=name)))


@pytest.mark.parametrize("python", PYTHONS)
def test_everything_needed_is_pinned_exactly_once(python: str) -> None:
    counted = Counter(canonicalize_name(pin.name) for pin in pins(python))
    assert needed(python) <= counted.keys()
    assert [name for name, times in counted.items() if times > 1] == []
    assert all(re.fullmatch(r"==[^*,]+", str(pin.specifier)) for pin in PINS)


@pytest.mark.parametrize("python", PYTHONS)
def test_no_pin_needs_a_newer_python_than_it_is_pinned_for(python: str) -> None:
    tried = 0
    for pin in pins(python):
        for installed in metadata.distributions(name=pin.name):
            if pin.specifier.contains(installed.version) and "Requires-Python" in installed.metadata:
                tried += 1
                needs = installed.metadata["Requires-Python"]
                assert Requirement(f"python{needs}").specifier.contains(python), (pin, needs)
    assert tried > 30


def test_the_oldest_python_of_the_lock_is_the_oldest_that_is_supported() -> None:
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert PYTHONS[0] == f"{oldest}.0"
    assert f"--python-version {oldest} " in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_the_lock_names_no_index() -> None:
    for line in LINES:
        assert re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; [\w.'\"<>=!* ()]+)?", line), line
