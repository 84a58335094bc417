"""A bare Debian in a folder, with an ordinary user who has the checkout at home. Standard library only."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
MIRROR = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "scorekeeper-ci"
CACHED_FOR = 7 * 24 * 3600  # seconds
USER, USER_ID = "player", 1000
HOME = f"/home/{USER}"
PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
TIMEOUT = 900  # seconds per command
CHROOT, UNSHARE = "/usr/sbin/chroot", "/usr/bin/unshare"


class CommandError(Exception):
    """A command had an unexpected exit status. The message has its output."""


class Machine:
    def __init__(self, release: str, folder: Path) -> None:
        self.release = release
        self.folder = folder
        self.checkout = f"{HOME}/scorekeeper"
        self.environment = {name: os.environ[name] for name in PROXIES if name in os.environ}
        self.environment |= {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TERM": "dumb"}

    # --- creating

    def bootstrap(self, packages: list[str]) -> None:
        """Create debootstrap's smallest system with these packages, or copy a recent one."""
        cached = CACHE / f"{self.release}-{'-'.join(packages)}.tar"
        self.folder.mkdir()
        if cached.exists() and time.time() - cached.stat().st_mtime < CACHED_FOR:
            call(["tar", "--extract", "--numeric-owner", "--file", str(cached), "--directory", str(self.folder)])
        else:
            include = f"--include={','.join(packages)}"
            call(["debootstrap", "--variant=minbase", include, self.release, str(self.folder), MIRROR])
            self.root("apt-get clean")
            with suppress(OSError):
                keep(self.folder, cached)

    def connect(self) -> None:
        """Mount what a running system has, and give it this machine's network settings."""
        mount(["-t", "proc", "proc"], self.folder / "proc")
        mount(["--rbind", "/dev"], self.folder / "dev")
        for path in self.copy_settings():
            mount(["--bind", "--options", "ro", str(path)], self.folder / path.relative_to("/"))

    def copy_settings(self) -> list[Path]:
        """Copy this machine's network settings: name resolution, apt's proxy, certificates, pip's settings.

        Return the folders that pip's settings name, which are not copied.
        """
        for name in ("resolv.conf", "hosts"):
            shutil.copy(f"/etc/{name}", self.folder / "etc" / name)
        (self.folder / "etc/apt/apt.conf.d/00host").write_text(apt_settings())
        certificates = self.folder / "usr/local/share/ca-certificates"
        certificates.mkdir(parents=True, exist_ok=True)
        for certificate in Path("/usr/local/share/ca-certificates").glob("*.crt"):
            shutil.copy(certificate, certificates)
        settings = pip_settings()
        (self.folder / "etc/pip.conf").write_text("[global]\n" + "".join(f"{k} = {v}\n" for k, v in settings.items()))
        named = named_in(settings)
        for path in named:
            if path.is_file():
                self.place(path, path)
        return [path for path in named if path.is_dir()]

    def place(self, source: Path, target: Path) -> None:
        inside = self.folder / target.relative_to("/")
        inside.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, inside)

    def add_user(self) -> None:
        """Create an ordinary user with the checkout. pip's downloads are cached for the next machine."""
        self.root(f"useradd --uid {USER_ID} --create-home --shell /bin/sh {USER}")
        copy_checkout(self.path(self.checkout))
        downloads = CACHE / "pip"
        cache = self.path(f"{HOME}/.cache/pip")
        cache.mkdir(parents=True)
        self.root(f"chown -R {USER}: {HOME}")
        with suppress(OSError):
            downloads.mkdir(parents=True, exist_ok=True)
            os.chown(downloads, USER_ID, USER_ID)
            mount(["--bind", str(downloads)], cache)

    def path(self, inside: str) -> Path:
        return self.folder / inside.lstrip("/")

    def write(self, inside: str, text: str) -> None:
        """Write a program that every user may run."""
        self.path(inside).write_text(text, encoding="utf-8")
        self.path(inside).chmod(0o755)

    def copy_cache(self, name: str) -> None:
        """Copy a cache of this checkout, if there is one, without what a program that runs now writes beside it.

        mypy reads again what it has not seen as it is.
        """
        if (ROOT / name).exists():
            passing = shutil.ignore_patterns("*.db-*")
            shutil.copytree(ROOT / name, self.path(self.checkout) / name, dirs_exist_ok=True, ignore=passing)
            self.root(f"chown -R {USER}: {shlex.quote(f'{self.checkout}/{name}')}")

    # --- commands

    def root(self, command: str, **settings: str) -> str:
        """Run a shell command as root. Raises CommandError if it fails."""
        return call([CHROOT, str(self.folder), "sh", "-euc", command], env=self.environment | settings)

    def user(self, command: str, *, status: int = 0) -> str:
        """Run a shell command in the checkout as the ordinary user. Raises CommandError at another exit status."""
        return call(self.as_user(command), status, env=self.environment)

    def offline(self, command: str) -> str:
        """Run a command in the checkout as the ordinary user, without a network."""
        return call([UNSHARE, "--net", *self.as_user(command)], env=self.environment)

    def root_offline(self, script: str) -> str:
        """Run a bash script as root with only a loopback network. Its background processes are ended with it."""
        alone = ["--net", "--pid", "--fork", "--kill-child", f"--mount-proc={self.folder}/proc"]
        return call([UNSHARE, *alone, CHROOT, str(self.folder), "bash", "-euc", script], env=self.environment)

    def as_user(self, command: str, user: str = USER, folder: str = "") -> list[str]:
        line = f"cd {shlex.quote(folder or self.checkout)} && {command}"
        home = f"HOME={HOME if user == USER else folder}"
        # Shells make background jobs ignore Ctrl-C; the tests may be one.
        environment = ["/usr/bin/env", "--default-signal=INT", home]
        return [CHROOT, f"--userspec={user}:{user}", str(self.folder), *environment, "sh", "-euc", line]

    def start(self, command: list[str], output: Path, **settings: str) -> subprocess.Popen[bytes]:
        """Start a command in its own process group, as a terminal does."""
        with output.open("wb") as file:
            return subprocess.Popen(  # noqa: S603  # our own commands
                command,
                env=self.environment | settings,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def has(self, pattern: str) -> bool:
        return any(self.path(self.checkout).glob(pattern))


def call(command: list[str], status: int = 0, env: dict[str, str] | None = None) -> str:
    """Return the output, including errors. Raises CommandError at another exit status or a timeout."""
    process = subprocess.Popen(  # noqa: S603  # our own commands
        command,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with all its children
        output, _ = process.communicate()
        raise CommandError(f"{shlex.join(command)}\nnot ended after {TIMEOUT} s:\n{output}") from None
    if process.returncode != status:
        raise CommandError(f"{shlex.join(command)}\nexit status {process.returncode}, expected {status}:\n{output}")
    return output


def keep(folder: Path, file: Path) -> None:
    """Write the folder to a tar file; leave no partial file."""
    CACHE.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(f".{os.getpid()}")
    call(
        [
            "tar",
            "--create",
            "--one-file-system",
            "--numeric-owner",
            "--file",
            str(unfinished),
            "--directory",
            str(folder),
            ".",
        ]
    )
    unfinished.rename(file)


def mount(what: list[str], where: Path) -> None:
    where.mkdir(parents=True, exist_ok=True)
    call(["mount", *what, str(where)])


def copy_checkout(target: Path) -> None:
    """Return the files of a clone, including uncommitted changes."""
    listed = call(["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)


def apt_settings() -> str:
    """Return this machine's settings for apt's network access, such as a proxy."""
    if not shutil.which("apt-config"):
        return ""
    return 'Acquire::Languages "none";\n' + "".join(
        f"{line}\n"
        for line in call(["apt-config", "dump"]).splitlines()
        if re.match(r"Acquire::(https?::(Proxy|CaInfo|Verify)|Check-)", line, re.IGNORECASE)
    )


def pip_settings() -> dict[str, str]:
    """Return this machine's pip settings. The environment overrides files."""
    python = ROOT / ".venv" / "bin" / "python"
    if not python.exists():
        return {}
    found: dict[str, dict[str, str]] = {"global": {}, ":env:": {}}
    for line in call([str(python), "-m", "pip", "config", "list"], env=dict(os.environ)).splitlines():
        if match := re.fullmatch(r"(global|:env:)\.([\w-]+)=(.+)", line):
            found[match[1]][match[2].lstrip(".")] = ast.literal_eval(match[3])
    return found["global"] | found[":env:"]


def named_in(settings: dict[str, str]) -> set[Path]:
    """Return the files and folders named in pip's settings; for a local index, with its sibling files."""
    found = set()
    for word in " ".join(settings.values()).split():
        path = Path(word.removeprefix("file://"))
        if path.is_absolute() and path.exists():
            found.add(path.parent if word.startswith("file://") else path)
    return found
