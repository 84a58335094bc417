"""Install Scorekeeper, with the packages that requirements.lock pins, into a virtual environment.

    python3 deploy/install.py                    # .venv in this folder, as `make run` needs it
    python3 deploy/install.py --extra test       # the same for `make test`
    python3 deploy/install.py --into /opt/scorekeeper/new --extra postgresql    # for a server

The first two install the folder itself ("editable") and do nothing if that is already done; the third installs a copy.
Only Python's standard library is needed. An environment is never changed in place: a new one is made, while the old one
is set aside and put back if the new one cannot be finished.

Games that do not come with Scorekeeper are listed in instance/games.txt, one for pip on each line: a name, an address,
or the path of a folder, absolute or from here. They are installed too, so that no upgrade loses them.
"""

# ruff: noqa: E402  # the version is checked before anything is imported that an old Python may not have

import os
import shutil
import subprocess
import sys

OLDEST_PYTHON = (3, 11)
NEWEST_MINOR = 14

# Every Python 3 must get through this block, and read the whole file: no syntax newer than Python 3.6.
if sys.version_info < OLDEST_PYTHON:
    for minor in range(NEWEST_MINOR, OLDEST_PYTHON[1] - 1, -1):
        newer = shutil.which(f"python3.{minor}")
        if newer and subprocess.call([newer, "-c", ""], stderr=subprocess.DEVNULL) == 0:  # noqa: S603  # a Python
            os.execv(newer, [newer, *sys.argv])  # noqa: S606  # the same script
    sys.exit(
        f"Scorekeeper needs Python 3.11 or newer and this is {sys.version_info[0]}.{sys.version_info[1]}: "
        "install a newer one, then name it, as in 'make run PYTHON=python3.12'."
    )

import argparse
import fcntl
import hashlib
import importlib.util
import json
import platform
import re
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# The interpreter itself, as of now: `python3` may be that of the environment that is about to be set aside.
PYTHON = Path(sys.executable).resolve()
GAMES = "instance/games.txt"  # relative to ROOT, for the same reason; may be missing
LOCK = "requirements.lock"  # relative to ROOT: pip splits the setting that names it at spaces
NO_CONNECTION = re.compile(r"Retrying \(|failed to connect|connection error", re.IGNORECASE)  # in what pip says
NOT_BUILT = re.compile(r"failed to build|failed building wheel", re.IGNORECASE)  # likewise
NO_HEADER = re.compile(r"\.h: No such file")  # in what a compiler says
MARKER = "installed.json"  # in the environment; written last, so an environment without it is incomplete


class InstallationError(Exception):
    """Something that the user can do something about; the message says what."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Install Scorekeeper into a virtual environment.")
    parser.add_argument("--into", metavar="FOLDER", help="a server's environment; without it, .venv in this folder")
    parser.add_argument("--extra", action="append", default=[], metavar="NAME", help="test or postgresql")
    options = parser.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a terminal may lack a path's letters
    try:
        with one_at_a_time():
            if options.into is None:
                prepare_checkout(ROOT / ".venv", set(options.extra))
            else:
                install_copy(Path(os.path.abspath(options.into)), set(options.extra))
    except InstallationError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("Interrupted: nothing is half installed. Run the same command again to go on.")


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Wait while another process installs from this folder."""
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Waiting for another installation in this folder ...")
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def prepare_checkout(environment: Path, extras: set[str]) -> None:
    """Bring `.venv` up to date; if that fails, keep the old one when what it has still meets pyproject.toml."""
    recover(environment)
    if is_complete(environment, extras):
        return
    check_venv_module()
    try:
        replace(environment, extras | set(read_marker(environment).get("extras", [])), editable=True)
    except InstallationError as error:
        if not is_usable(environment, extras):
            raise
        say(f"{error}\nUntil then the versions installed before are used.")


def install_copy(environment: Path, extras: set[str]) -> None:
    """Install a copy of this folder's code. Raises InstallationError if the target is something else."""
    os.umask(0o022)  # the server's user must be able to read it
    recover(environment)
    if environment.exists() and not (environment / "pyvenv.cfg").exists() and any(environment.iterdir()):
        raise InstallationError(f"{environment} is not a virtual environment: name a folder that does not exist yet.")
    check_venv_module()
    replace(environment, extras, editable=False)


# --- is there anything to do?


def is_complete(environment: Path, extras: set[str]) -> bool:
    """Whether it was finished, at this path, by a Python that is still there, for the same packages."""
    marker = read_marker(environment)
    python = python_of(environment)
    return (
        marker.get("environment") == spell(environment)
        and marker.get("python") == spell(os.path.realpath(python))
        and os.path.exists(python)
        and marker.get("packages") == fingerprint()
        and extras <= set(marker.get("extras", []))
    )


def read_marker(environment: Path) -> dict[str, Any]:
    try:
        return dict(json.loads((environment / MARKER).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


def spell(path: "str | Path") -> str:
    """The path in the same letters whatever the locale."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def is_finished(environment: Path) -> bool:
    return bool(read_marker(environment))


def write_marker(environment: Path, extras: set[str]) -> None:
    marker = {
        "environment": spell(environment),
        "python": spell(os.path.realpath(python_of(environment))),
        "packages": fingerprint(),
        "extras": sorted(extras),
    }
    unfinished = environment / f"{MARKER}.new"
    unfinished.write_text(json.dumps(marker, indent=1), encoding="utf-8")
    unfinished.replace(environment / MARKER)


def read_pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def fingerprint() -> str:
    """A hash of everything that decides what is installed: settings of linters and tests do not."""
    pyproject = read_pyproject()
    parts = [pyproject.get("project"), pyproject.get("build-system"), pyproject.get("tool", {}).get("hatch")]
    text = json.dumps(parts, sort_keys=True) + (ROOT / LOCK).read_text(encoding="utf-8")
    return hashlib.sha256(text.encode() + games_file()).hexdigest()


def games_file() -> bytes:
    """The list of games to install as well; empty if there is none."""
    try:
        return (ROOT / GAMES).read_bytes().strip()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise InstallationError(f"{GAMES} cannot be read: {error.strerror}.") from error


def requirements(extras: set[str]) -> list[str]:
    project = read_pyproject()["project"]
    optional = project.get("optional-dependencies", {})
    unknown = extras - optional.keys()
    if unknown:
        raise InstallationError(
            f"There is no extra {', '.join(sorted(unknown))}: pyproject.toml has {', '.join(optional)}."
        )
    return [*project.get("dependencies", []), *(line for extra in sorted(extras) for line in optional[extra])]


# --- making an environment


def check_venv_module() -> None:
    """Raises InstallationError naming the package to install, before anything is made."""
    if importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip"):
        return
    if shutil.which("apt-get") and PYTHON.parent == Path("/usr/bin"):
        is_default = Path("/usr/bin/python3").resolve() == PYTHON
        package = "python3-venv" if is_default else f"python3.{sys.version_info[1]}-venv"
        raise InstallationError(
            f"Python cannot make virtual environments: run 'sudo apt install {package}', then the same command again."
        )
    raise InstallationError(
        f"{PYTHON} has no venv or ensurepip module: install the package that has them, then run this again."
    )


def replace(environment: Path, extras: set[str], *, editable: bool) -> None:
    """Make the environment anew. If that fails or is interrupted, the old one is put back."""
    requirements(extras)
    if environment.exists():
        environment.rename(set_aside(environment))
    try:
        make(environment, extras, editable=editable)
    finally:
        if not is_finished(environment):
            delete(environment)
        recover(environment)


def set_aside(environment: Path) -> Path:
    return environment.with_name(f"{environment.name}.old")


def recover(environment: Path) -> None:
    """Put back what was set aside by an installation that did not finish; delete it after one that did."""
    old = set_aside(environment)
    if is_finished(environment):
        delete(old)
    elif old.exists():
        delete(environment)
        old.rename(environment)


def delete(environment: Path) -> None:
    """Delete a folder into which a process that was just interrupted may still write."""
    for _ in range(50):
        shutil.rmtree(environment, ignore_errors=True)
        if not environment.exists():
            return
        time.sleep(0.1)


def make(environment: Path, extras: set[str], *, editable: bool) -> None:
    say(f"Installing into {environment} (a minute or two, only when something has changed) ...")
    errors = call([str(PYTHON), "-m", "venv", str(environment)], dict(os.environ))
    if errors:
        raise InstallationError(f"Python could not make a virtual environment:\n{errors}")
    check_index(environment)
    target = f".[{','.join(sorted(extras))}]" if extras else "."
    errors = pip(environment, "install", *(["--editable"] if editable else []), target)
    if errors:
        raise InstallationError(explain(errors))
    if editable:
        point_to_checkout(environment)
    if games_file():
        errors = pip(environment, "install", "--requirement", GAMES)
        if errors:
            raise InstallationError(f"pip could not install the games that {GAMES} lists:\n{errors}")
    compile_files(environment, editable=editable)
    write_marker(environment, extras)


def explain(errors: str) -> str:
    """Say what to do where a package has to be built and cannot be, as on machines for which few are ready-made."""
    if NO_HEADER.search(errors):
        lacking = "headers are missing"
    elif NOT_BUILT.search(errors) and not (shutil.which("cc") and shutil.which("c++")):
        lacking = "there is no compiler"
    else:
        return f"pip could not install the packages:\n{errors}"
    return (
        f"Some packages have to be built on this machine ({platform.machine()}), and {lacking}: "
        "run 'sudo apt install build-essential libffi-dev python3-dev', then the same command again."
    )


def compile_files(environment: Path, *, editable: bool) -> None:
    """Compile modules, so that no start has to. What cannot be compiled only starts slower."""
    folders = [*map(str, environment.glob("lib/*/site-packages")), *([str(ROOT / "scorekeeper")] if editable else [])]
    call([python_of(environment), "-m", "compileall", "-q", "-j", "0", *folders], dict(os.environ))


def point_to_checkout(environment: Path) -> None:
    """Name this folder by the way to it: Python 3.11 cannot read a name with an accent in a locale that lacks it."""
    for file in environment.glob("lib/*/site-packages/*.pth"):
        if file.read_bytes().strip() == os.fsencode(ROOT):
            file.write_text(os.path.relpath(ROOT, file.parent) + "\n", encoding="ascii")


def check_index(environment: Path) -> None:
    """Raises InstallationError within seconds if there is no network: pip would try each package for minutes."""
    needed = [*read_pyproject()["build-system"]["requires"], *requirements(set())]
    hurry = ("--retries", "1", "--timeout", "10", "--no-cache-dir", "--no-deps")
    errors = pip(environment, "download", *hurry, "--dest", str(environment / "download"), needed[0])
    shutil.rmtree(environment / "download", ignore_errors=True)
    if NO_CONNECTION.search(errors):
        reason = re.search(r"\[Errno [^'\")]*|timed out|certificate verify failed", errors)
        raise InstallationError(
            "The network is needed to install packages, and the package index cannot be reached"
            f"{f' ({reason[0]})' if reason else ''}.\nConnect, then run the same command again."
        )


def pip(environment: Path, *arguments: str) -> str:
    """Run pip with the lock as constraints, for build requirements too. Returns what went wrong: empty if nothing."""
    settings = {"PIP_CONSTRAINT": LOCK, "PIP_BUILD_CONSTRAINT": LOCK, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    settings |= {"PIP_NO_COMPILE": "1", "PIP_USER": "0", "PIP_NO_INPUT": "1", "PIP_PROGRESS_BAR": "off"}
    return call([python_of(environment), "-m", "pip", *arguments], os.environ | settings)


def call(command: list[str], settings: dict[str, str]) -> str:
    """Run a command in this folder. Returns its output from the first error on if it failed, else nothing."""
    try:
        done = subprocess.run(  # noqa: S603  # Python or pip
            command,
            check=False,
            cwd=ROOT,
            env=settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except OSError as error:
        return str(error)
    if done.returncode == 0:
        return ""
    first = re.search(r"^\s*(WARNING: Retrying|error:)", done.stdout, re.IGNORECASE | re.MULTILINE)
    return done.stdout[first.start() if first else 0 :].strip() or f"exit status {done.returncode}"


def python_of(environment: Path) -> str:
    return str(environment / "bin" / "python")


def is_usable(environment: Path, extras: set[str]) -> bool:
    """Whether what is installed meets pyproject.toml, though not the lock: asked without network or pip's settings."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    settings |= {"PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    satisfied = ["-m", "pip", "install", "--dry-run", "--no-index", *requirements(extras)]
    checks = (satisfied, ["-c", "import scorekeeper.cli.serve"])
    return not any(call([python_of(environment), *check], settings) for check in checks)


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
