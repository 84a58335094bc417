"""Build what a release consists of into dist/: `make release`, or `make release TAG=0.3.0` for the release itself.

The package (wheel and source archive), the release notes, a bill of materials (CycloneDX), the image of this machine's
architecture, and the checksums of all of them. .github/workflows/release.yml calls this and uploads the files.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
EXTRAS = ("postgresql", "redis")  # those of the image
ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())  # as Docker says
UNRELEASED = "Unreleased"


class ReleaseError(Exception):
    """Why this is not to be released."""


def main(tag: str = "") -> None:
    version = git("describe", "--tags", "--always")
    heading = check(tag, version) if tag else UNRELEASED
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    (DIST / "notes.md").write_text(notes(heading), encoding="utf-8")
    bill = json.dumps(bill_of_materials(version), indent=2)
    (DIST / f"scorekeeper-{version}-{ARCHITECTURE}.cdx.json").write_text(f"{bill}\n", encoding="utf-8")
    build_package()
    build_image(version)
    write_checksums()


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, cwd=ROOT, capture_output=True, text=True).stdout.strip()  # noqa: S603, S607  # known


def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def check(tag: str, version: str) -> str:
    """Return the tag if the commit, the package and the changelog all say that it is this release.

    Raises:
        ReleaseError: one of them says something else.
    """
    said = {"the commit": version, "pyproject.toml": project()["version"]}
    wrong = [f"{where} says {found}" for where, found in said.items() if found != tag]
    if wrong:
        raise ReleaseError(f"This is not release {tag}: {', '.join(wrong)}.")
    if notes(UNRELEASED, missing="").strip():
        raise ReleaseError(f"CHANGELOG.md has changes under {UNRELEASED}: cut them into the release {tag}.")
    return tag


def notes(heading: str, *, missing: str | None = None) -> str:
    """Return the section of the changelog below a heading; `missing` if there is none.

    Raises:
        ReleaseError: there is none, and nothing is to be returned instead.
    """
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(rf"^## \[{re.escape(heading)}\].*\n((?:(?!## ).*\n)*)", text, re.MULTILINE)
    if found is not None:
        return found[1].strip() + "\n"
    if missing is None:
        raise ReleaseError(f"CHANGELOG.md has no section {heading}.")
    return missing


# --- the bill of materials


def bill_of_materials(version: str) -> dict[str, Any]:
    """Return what an installation for this Python has, in the versions that are pinned, as a CycloneDX document."""
    pins = {canonicalize_name(pin.name): pin for pin in map(Requirement, pinned_lines())}
    needs = dependencies()
    packages = sorted(set().union(*needs.values()))
    root = f"pkg:pypi/scorekeeper@{version}"
    urls = {name: f"pkg:pypi/{name}@{str(pins[name].specifier).removeprefix('==')}" for name in packages}
    refs = {"scorekeeper": root} | urls
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, root)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(commit_time(), UTC).isoformat(),
            "component": component("scorekeeper", version, root, "application"),
        },
        "components": [component(name, urls[name].partition("@")[2], urls[name]) for name in packages],
        "dependencies": [
            {"ref": refs[name], "dependsOn": sorted(refs[other] for other in needs[name])} for name in sorted(needs)
        ],
    }


def component(name: str, version: str, url: str, kind: str = "library") -> dict[str, Any]:
    return {"type": kind, "bom-ref": url, "name": name, "version": version, "purl": url} | licenses(name)


def licenses(name: str) -> dict[str, Any]:
    """Return the license that the package itself names, if it is an expression of SPDX."""
    expression = metadata.metadata(name).get("License-Expression")
    return {"licenses": [{"expression": expression}]} if expression else {}


def pinned_lines() -> list[str]:
    return [line for line in (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines() if applies(line)]


def applies(line: str, extra: str = "") -> bool:
    marker = Requirement(line).marker
    return marker is None or marker.evaluate({"extra": extra})


def dependencies() -> dict[str, set[str]]:
    """Return for each package of an installation those that it needs, by the metadata of what is installed here."""
    optional = project()["optional-dependencies"]
    direct = [*project()["dependencies"], *(line for extra in EXTRAS for line in optional[extra])]
    found = {"scorekeeper": names(direct)}
    waiting = list(map(Requirement, direct))
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        extras = ["", *requirement.extras]
        lines = [line for line in metadata.requires(name) or [] if any(applies(line, extra) for extra in extras)]
        if not names(lines) <= found.setdefault(name, set()):
            found[name] |= names(lines)
            waiting += map(Requirement, lines)
    return found


def names(lines: Iterable[str]) -> set[str]:
    return {canonicalize_name(Requirement(line).name) for line in lines}


# --- what is built


def commit_time() -> int:
    return int(git("log", "-1", "--format=%ct"))


def build_package() -> None:
    """Build the wheel and the source archive; the same commit gives the same bytes."""
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(DIST)]
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(commit_time())}
    subprocess.run(command, check=True, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)  # noqa: S603  # pinned


def build_image(version: str) -> None:
    """Build the image with podman, and save it as an archive that `podman load` reads."""
    name = f"localhost/scorekeeper:{version}"
    options = [f"--build-arg=VERSION={version}", "--file=deploy/Containerfile", f"--tag={name}"]
    build = ["podman", "build", "--quiet", *options, "."]
    subprocess.run(build, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)  # noqa: S603  # our own command
    file = DIST / f"scorekeeper-{version}-image-{ARCHITECTURE}.tar"
    save = ["podman", "save", "--quiet", "--format=oci-archive", f"--output={file}", name]
    subprocess.run(save, check=True)  # noqa: S603  # our own command


def write_checksums() -> None:
    lines = [f"{digest(path)}  {path.name}\n" for path in sorted(DIST.iterdir()) if path.name != "notes.md"]
    (DIST / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except ReleaseError as error:
        sys.exit(str(error))
