"""Run the commands of docs/hosting.md for containers, with podman and podman-compose as they are on this machine.

No registry can be reached, so the image is built on debootstrap's Debian, and the app runs alone, on SQLite, by what
compose.yaml says of it. `make release` builds it, with a network; the rest runs in a network of its own, so that the
app can use its usual port. podman keeps everything in the test's folder.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

from .hosting import APT, LOOPBACK, SUDO
from .machine import ROOT, UNSHARE, Machine, call, copy_checkout

BLOCK = re.compile(r"^```sh containers\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = ("podman", "podman-compose", "iptables")
BASE = re.compile(r"^FROM (.+)$", re.MULTILINE)
WRITTEN = ("/usr/local/src", "/etc/cron.d", "/var/backups")  # the folders of a host that the commands write to

# The upgrade is to an image that differs, but takes no time to build.
GIT = """#!/bin/sh
if [ "$1" = pull ]; then echo 'LABEL pulled=yes' >>deploy/Containerfile; else exec {git} -C {root} "$@"; fi
"""
SYSTEMCTL = """#!/bin/sh
test "$1" = enable && test -f "/usr/lib/systemd/system/$2"
"""
# No step is carried out again that was carried out before, with the network.
BUILD = "--isolation=chroot --pull-never"
PODMAN = """#!/bin/sh
if [ "$1" = build ]; then shift; set -- build {options} "$@"; fi
exec {podman} "$@"
"""
STORAGE = """[storage]
driver = "overlay"
graphroot = "{folder}/images"
runroot = "{folder}/run"
"""
# In CI, this machine may itself be a container: without control groups, and with limits that cannot be raised.
SETTINGS = """[containers]
cgroups = "disabled"
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
network_config_dir = "{folder}/networks"
"""
BEFORE = f"""
python3 -c {shlex.quote(LOOPBACK)}
if mountpoint --quiet /sys/fs/cgroup/unified; then umount --lazy /sys/fs/cgroup/unified; fi  # crun refuses a hybrid
set -x
"""
UP = """
for second in $(seq 60); do podman healthcheck run scorekeeper-app && break; sleep 1; done
podman healthcheck run scorekeeper-app
podman exec scorekeeper-app scorekeeper --version
podman image inspect --format 'pulled: {{.Labels.pulled}}' "$(podman inspect --format '{{.Image}}' scorekeeper-app)"
"""
MAKE_CIRCLE = f"""
podman exec --interactive scorekeeper-app python - <{shlex.quote(str(Path(__file__).with_name("make_circle.py")))}
podman exec scorekeeper-app scorekeeper verify
"""
AFTER = """
podman exec scorekeeper-app scorekeeper verify
sh -euc "$(cut --delimiter=' ' --fields=7- /etc/cron.d/scorekeeper)"
test -s /var/backups/scorekeeper/secret_key
$compose down --timeout 40
test "$(stat --format %a deploy/.env)" = 600
"""


def missing() -> str:
    """Return why this machine cannot run it; an empty string if it can."""
    lacking = [name for name in (*PROGRAMS, str(ROOT / ".venv/bin/python")) if not shutil.which(name)]
    return f"there is no {', '.join(lacking)}" if lacking else ""


def follow(release: str, folder: Path, packages: list[str]) -> str:
    """Build the image on a bare Debian, run all commands, return their output. Raises CommandError if one fails."""
    folder.mkdir()
    base = Machine(release, folder / "base")
    base.bootstrap(packages)
    volumes = [f"--volume={path}:{path}:ro" for path in base.copy_settings()]
    environment = prepare(folder, " ".join([BUILD, *volumes]))
    image = BASE.findall((ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8"))[0]
    run(f"tar --create --numeric-owner --directory {base.folder} . | podman import --quiet - {image}", environment)
    shutil.rmtree(base.folder)
    run(f"cd {ROOT} && make --old-file=install-for-tests release", environment)  # they are installed
    mounts = [f"mkdir -p {path} && mount --bind {folder}/{Path(path).name} {path}" for path in WRITTEN]
    commands = "\n".join([*mounts, BEFORE, *blocks()])
    alone = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    return call([UNSHARE, *alone, "bash", "-euc", commands], env=environment)


def version() -> str:
    """Return the version that is passed to the build of the image."""
    return call(["git", "-C", str(ROOT), "describe", "--tags", "--always"]).strip()


def prepare(folder: Path, options: str) -> dict[str, str]:
    """Write podman's settings, stubs, and a checkout whose site is the app alone; return the environment."""
    checkout = folder / "src" / "scorekeeper"
    copy_checkout(checkout)
    compose = checkout / "deploy" / "compose.yaml"
    compose.write_text(app_alone(compose.read_text(encoding="utf-8")), encoding="utf-8")
    for name in ("programs", *(Path(path).name for path in WRITTEN)):
        (folder / name).mkdir(exist_ok=True)
    podman = PODMAN.format(options=options, podman=shutil.which("podman"))
    git = GIT.format(git=shutil.which("git"), root=ROOT)
    programs = {"sudo": SUDO, "apt": APT, "git": git, "podman": podman, "systemctl": SYSTEMCTL}
    for name, text in programs.items():
        (folder / "programs" / name).write_text(text, encoding="utf-8")
        (folder / "programs" / name).chmod(0o755)
    (folder / "storage.conf").write_text(STORAGE.format(folder=folder), encoding="utf-8")
    (folder / "containers.conf").write_text(SETTINGS.format(folder=folder), encoding="utf-8")
    files = {"CONTAINERS_STORAGE_CONF": "storage.conf", "CONTAINERS_CONF": "containers.conf"}
    path = f"{folder}/programs:/usr/sbin:{os.environ['PATH']}"
    return os.environ | {name: f"{folder}/{file}" for name, file in files.items()} | {"PATH": path}


def app_alone(compose: str) -> str:
    """Return the site's file with no service but the app, which then uses SQLite."""
    app = compose.partition("  app:\n")[2].partition("\n  database:\n")[0]
    app = re.sub(r"^      (DATABASE_URL|PGPASSWORD|REDIS_URL):.*\n", "", app, flags=re.MULTILINE)
    app = re.sub(r"^    depends_on:\n(      .*\n)+", "", app, flags=re.MULTILINE)
    return f"services:\n  app:\n{app}\nvolumes:\n  instance:\n  backups:\n"


def blocks() -> list[str]:
    """Return the guide's commands, with what the test does in between."""
    guide = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    found = []
    for block in BLOCK.findall(guide):
        if " restore " in block:
            found.append(MAKE_CIRCLE)  # which the backup does not have
        found.append(block)
        if "up --detach" in block or "start app" in block:
            found.append(UP)
        if "$engine build" in block and " tag " not in block:
            found.append(MAKE_CIRCLE)
    assert len(found) > 10
    return [*found, AFTER]


def read_containerfile(text: str) -> list[tuple[str, str]]:
    """Return instructions and their arguments, without comments and with continued lines joined."""
    lines = re.sub(r"(?m)^\s*#.*\n", "", text).replace("\\\n", " ").splitlines()
    found = [line.strip().partition(" ") for line in lines if line.strip()]
    return [(word, rest.strip()) for word, _, rest in found]


def run(command: str, environment: dict[str, str]) -> str:
    return call(["bash", "-euo", "pipefail", "-c", command], env=environment)
