"""A folder with languages of a host."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scorekeeper.i18n import use_host_folder

from .languages import HostFolder


@pytest.fixture
def host(tmp_path: Path) -> Iterator[HostFolder]:
    """Return a host's instance folder; forget its languages at the end."""
    yield HostFolder(tmp_path / "instance")
    use_host_folder(tmp_path / "none")
