"""deploy/admin reads the settings' file as systemd does: expected values are those of libsystemd's `load_env_file`."""

from __future__ import annotations

import importlib.util
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

ADMIN = Path(__file__).parents[2] / "deploy" / "admin"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A='p$$w<>#x'\nB=2", {"A": "p$$w<>#x", "B": "2"}),
        ("A=Anne <anne@example.org> # no comment", {"A": "Anne <anne@example.org> # no comment"}),
        ('# c\n;d\nA = \'x\' "y\\"z\\n" w \n', {"A": 'xy"z\\nw'}),
        ("A=a\\\nb\nC=d", {"A": "ab", "C": "d"}),
        ("A='two\nlines'\nB=3", {"A": "two\nlines", "B": "3"}),
        ("export A=b\nA=it's\n\nB=", {"A": "it's", "B": ""}),
    ],
)
def test_settings_are_read_as_by_systemd(text: str, found: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    loader = SourceFileLoader("admin", str(ADMIN))
    spec = importlib.util.spec_from_loader("admin", loader)
    assert spec is not None
    admin = importlib.util.module_from_spec(spec)
    loader.exec_module(admin)
    assert admin.read(text) == found
