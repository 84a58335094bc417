"""Entry points are read from folders, and are those that `importlib.metadata` finds."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from scorekeeper import entry_points
from scorekeeper.entry_points import EntryPoint, find_entry_points

MADE_UP = Path(__file__).parent / "made_up"
GROUP = "a.group"
Install = Callable[..., Path]


def found_by_importlib(group: str) -> list[EntryPoint]:
    found = metadata.entry_points(group=group)
    return [EntryPoint(point.name, point.value, point.dist.name if point.dist else "") for point in found]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Write a distribution's metadata into a folder that is put first on the path: `install(folder, "text")`."""

    def write(
        folder: str, declared: str, head: str = "Metadata-Version: 2.1\nName: Made.Up\n\n", place: str = ""
    ) -> Path:
        path = tmp_path / place / folder
        path.mkdir(parents=True)
        (path / ("METADATA" if folder.endswith("dist-info") else "PKG-INFO")).write_text(head, encoding="utf-8")
        (path / "entry_points.txt").write_text(declared, encoding="utf-8")
        if str(path.parent) not in sys.path:
            monkeypatch.syspath_prepend(str(path.parent))
        return path

    return write


def test_all_groups_of_all_installed_packages_are_read_as_importlib_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(MADE_UP))
    monkeypatch.setattr(entry_points, "_from_importlib", lambda group: pytest.fail(f"{group}: not read from folders"))
    groups = {point.group for dist in metadata.distributions() for point in dist.entry_points}
    assert {"scorekeeper.games", "console_scripts", "pytest11"} <= groups
    for group in groups:
        assert find_entry_points(group) == found_by_importlib(group)


@pytest.mark.parametrize("folder", ["made_up-1.0.dist-info", "Made.Up-1.0.egg-info", "made__up.egg-info"])
@pytest.mark.parametrize(
    "declared",
    [
        f"[{GROUP}]\none = package.module:GAME\ntwo=package:A.b [extra]",
        f"# [{GROUP}]\n[other]\nx = y:z\n\n  [{GROUP}]  \n# no\n  one  =  p : G  \n[{GROUP}.more]\nthree = p:G\n",
        f"[{GROUP}.more]\nthree = p:G",
        "",
    ],
)
def test_metadata_are_read_as_importlib_reads_them(install: Install, folder: str, declared: str) -> None:
    install(folder, declared)
    assert find_entry_points(GROUP) == found_by_importlib(GROUP)


def test_of_two_distributions_with_the_same_name_the_first_on_the_path_counts(install: Install) -> None:
    install("made_up-1.0.dist-info", f"[{GROUP}]\none = old:GAME", place="later")
    install("Made-Up-2.0.dist-info", f"[{GROUP}]\none = other:GAME", place="first")
    install("made.up-2.0.dist-info", f"[{GROUP}]\none = new:GAME", place="first")
    assert find_entry_points(GROUP) == found_by_importlib(GROUP)
    assert len(find_entry_points(GROUP)) == 2


def test_a_distribution_without_entry_points_hides_a_later_one_of_its_name(install: Install) -> None:
    install("made_up-1.0.dist-info", f"[{GROUP}]\none = old:GAME", place="later")
    install("made_up-2.0.dist-info", "", place="first")
    assert find_entry_points(GROUP) == found_by_importlib(GROUP) == []


def test_metadata_that_are_one_file_declare_nothing(install: Install, tmp_path: Path) -> None:
    install("made_up-1.0.dist-info", f"[{GROUP}]\none = new:GAME")
    (tmp_path / "ancient.egg-info").write_text(f"Name: ancient\n[{GROUP}]\n", encoding="utf-8")
    assert find_entry_points(GROUP) == found_by_importlib(GROUP) != []


@pytest.mark.parametrize("folder", ["made_up-1.0.DIST-INFO", ".dist-info", "-1.0.dist-info"])
def test_importlib_reads_folders_with_unusual_names(install: Install, folder: str) -> None:
    path = install(folder, f"[{GROUP}]\none = new:GAME")
    (path / "METADATA").write_text("Name: made-up\n\n", encoding="utf-8")
    assert find_entry_points(GROUP) == found_by_importlib(GROUP)


def test_importlib_reads_a_distribution_that_does_not_write_its_name_first(install: Install) -> None:
    install("made_up-1.0.dist-info", f"[{GROUP}]\none = new:GAME", "Summary: x\n y\nName: Folded\n z\n\nbody")
    assert [point.value for point in find_entry_points(GROUP)] == ["new:GAME"]


def test_importlib_reads_zip_files_and_eggs(install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "packages.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("zipped-1.0.dist-info/METADATA", "Name: zipped\n\n")
        file.writestr("zipped-1.0.dist-info/entry_points.txt", f"[{GROUP}]\none = zipped:GAME")
    monkeypatch.syspath_prepend(str(archive))
    assert find_entry_points(GROUP) == found_by_importlib(GROUP) == [EntryPoint("one", "zipped:GAME", "zipped")]
    install("EGG-INFO", f"[{GROUP}]\ntwo = egg:GAME", place="made_up-1.0-py3.11.egg")
    assert find_entry_points(GROUP) == found_by_importlib(GROUP)
    assert len(find_entry_points(GROUP)) == 2


def test_importlib_asks_other_finders_of_distributions(monkeypatch: pytest.MonkeyPatch) -> None:
    finder = SimpleNamespace(
        find_distributions=lambda _context=None: iter(()), find_spec=lambda *_arguments: None, invalidate_caches=None
    )
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    monkeypatch.setattr(entry_points, "_from_importlib", lambda group: [EntryPoint("asked", group, "")])
    assert find_entry_points(GROUP) == [EntryPoint("asked", GROUP, "")]


def test_an_entry_point_loads_an_attribute_of_an_attribute() -> None:
    point = EntryPoint("x", "importlib.metadata : EntryPoint.load [extra]", "")
    assert point.module == "importlib.metadata"
    assert point.load() is metadata.EntryPoint.load
    assert EntryPoint("x", "importlib.metadata", "").load() is metadata
