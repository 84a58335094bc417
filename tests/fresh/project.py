"""A small project with the Makefile and the install script. Its dependencies come from a folder."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
NOBODY_LISTENS = "http://127.0.0.1:9/simple"

PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "scorekeeper"
version = "1"
dependencies = ["{cards}"]

[project.optional-dependencies]
test = ["chips"]
"""

# A minimal build backend. SIGNAL_AT_BUILD: a signal for the process group during the build.
BACKEND = """
import os, signal, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    return build(folder, {"scorekeeper.pth": os.getcwd()})

def build_wheel(folder, config_settings=None, metadata_directory=None):
    names = [f"scorekeeper/{name}" for name in os.listdir("scorekeeper") if name.endswith(".py")]
    return build(folder, {name: open(name).read() for name in names})

def build(folder, files):
    if "SIGNAL_AT_BUILD" in os.environ:
        os.killpg(0, signal.Signals[os.environ["SIGNAL_AT_BUILD"]])
    info = "scorekeeper-1.dist-info"
    extras = "Provides-Extra: test\\n"
    requires = "".join(f"Requires-Dist: {line}\\n" for line in open("requires.txt").read().splitlines())
    files |= {
        f"{info}/METADATA": f"Metadata-Version: 2.1\\nName: scorekeeper\\nVersion: 1\\n{extras}{requires}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(os.path.join(folder, "scorekeeper-1-py3-none-any.whl"), "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return "scorekeeper-1-py3-none-any.whl"
"""

# Unpacking and compiling pip takes four seconds; here `python -m venv` copies the installed pip instead.
QUICK = f"""
import shutil, sys
from pathlib import Path

def copy_pip(builder, context):
    for part in Path({sysconfig.get_path("purelib")!r}).glob("pip*"):
        shutil.copytree(part, next(Path(context.env_dir).glob("lib/*/site-packages")) / part.name)

if sys.orig_argv[1:3] == ["-m", "venv"]:
    import venv
    venv.EnvBuilder._setup_pip = copy_pip
"""

SERVED = "import cards, sys; print('served with cards', cards.VERSION, *sys.argv[1:])"


class Project:
    """`folder`: the checkout, with a space and an accent in its name. `wheels`: the downloadable packages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "mes cartes à jouer"
        self.wheels = folder / "wheels"
        self.wheels.mkdir()
        (self.folder / "deploy").mkdir(parents=True)
        (self.folder / "scorekeeper" / "cli").mkdir(parents=True)
        for name in ("Makefile", "deploy/install.py"):
            shutil.copy(ROOT / name, self.folder / name)
        for name, text in (("__init__", ""), ("cli/__init__", ""), ("cli/serve", ""), ("__main__", SERVED)):
            (self.folder / "scorekeeper" / f"{name}.py").write_text(text, encoding="utf-8")
        (self.folder / "backend.py").write_text(BACKEND, encoding="utf-8")
        for name, version in (("cards", "1.0"), ("cards", "2.0"), ("chips", "1.0")):
            write_wheel(self.wheels, name, version)
        (folder / "quick").mkdir()
        (folder / "quick" / "sitecustomize.py").write_text(QUICK, encoding="utf-8")
        self.require("cards>=1", pin="1.0")

    def require(self, cards: str, *, pin: str) -> None:
        """Change the dependencies and the lock, as `git pull` may."""
        (self.folder / "pyproject.toml").write_text(PYPROJECT.format(cards=cards), encoding="utf-8")
        (self.folder / "requires.txt").write_text(f"{cards}\nchips; extra == 'test'\n", encoding="utf-8")
        (self.folder / "requirements.lock").write_text(f"cards=={pin}\nchips==1.0\n", encoding="utf-8")

    @property
    def environment(self) -> Path:
        return self.folder / ".venv"

    def settings(self, *, online: bool = True, **more: str) -> dict[str, str]:
        inherited = {
            name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "MAKE", "VIRTUAL_ENV"))
        }
        index = (
            {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels)} if online else {"PIP_INDEX_URL": NOBODY_LISTENS}
        )
        quick = {"PYTHONPATH": str(self.wheels.with_name("quick"))}
        return inherited | index | {"PIP_CONFIG_FILE": os.devnull} | quick | more

    def start(self, *command: str, online: bool = True, **more: str) -> subprocess.Popen[str]:
        """Start a command in its own process group, which can get Ctrl-C."""
        return subprocess.Popen(  # noqa: S603  # our own commands
            command,
            cwd=self.folder,
            env=self.settings(online=online, **more),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=_mind_ctrl_c,  # noqa: PLW1509  # it takes no lock
        )

    def call(self, *command: str, online: bool = True, **more: str) -> tuple[int, str]:
        """Run a command; return its exit status and output."""
        process = self.start(*command, online=online, **more)
        output, _ = process.communicate()
        return process.returncode, output

    def make_run(self, *, online: bool = True, **more: str) -> tuple[int, str]:
        return self.call("make", "run", "PYTHON=python3", online=online, **more)


def _mind_ctrl_c() -> None:
    """Handle Ctrl-C by default: shells make background jobs ignore it, and the tests may be one."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def write_wheel(folder: Path, name: str, version: str) -> None:
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": f"VERSION = {version!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
