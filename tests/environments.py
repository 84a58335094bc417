"""Virtual environments with what this one has, in which packages are installed without a network."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent

# Nothing is downloaded: what is built or installed needs only what is here.
PIP = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "off", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


class Environment:
    """A virtual environment that also finds this one's packages, after its own."""

    def __init__(self, folder: Path, *paths: Path) -> None:
        """`paths` are found before this environment's packages: a checkout, for example."""
        venv.create(folder, symlinks=True)
        self.folder = folder
        self.bin = folder / "bin"
        self.python = self.bin / "python"
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        self.site = folder / "lib" / version / "site-packages"
        lines = [str(path) for path in (*paths, sysconfig.get_path("purelib"))]
        (self.site / "others.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")
        self._command("pip", f'exec "{sys.executable}" -m pip --python "{self.python}" "$@"')
        self._command("scorekeeper", f'exec "{self.python}" -m scorekeeper "$@"')
        self._command("pytest", f'exec "{self.python}" -m pytest "$@"')

    def _command(self, name: str, line: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        path.chmod(0o755)

    def settings(self, **more: str) -> dict[str, str]:
        """Return the environment variables of a process in it. Messages are in English."""
        own = {
            "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}",
            "LC_ALL": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "PYTHONPATH"))}
        return inherited | PIP | own | more

    def run(self, *command: str | Path, cwd: Path, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run a command of this environment, and return what it printed."""
        program = str(self.bin / command[0]) if (self.bin / command[0]).exists() else str(command[0])
        whole = [program, *map(str, command[1:])]
        environment = self.settings(**settings)
        return subprocess.run(whole, check=False, cwd=cwd, env=environment, capture_output=True, text=True)  # noqa: S603  # our own commands


def build_wheel(folder: Path) -> Path:
    """Build Scorekeeper's wheel."""
    pip = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(pip, check=True, capture_output=True)  # noqa: S603  # our own command
    return next(folder.glob("*.whl"))
