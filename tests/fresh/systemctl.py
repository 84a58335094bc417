#!/usr/bin/python3
"""A stub of systemctl for machines without systemd: starts units as their user, with their settings.

It reads the settings that docs/hosting.md uses: Type, User, ExecStart, Environment, EnvironmentFile, ListenStream.
"""

import os
import pwd
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

UNITS = Path("/etc/systemd/system")
RUNNING = Path("/run/units")


def main(command: str, *names: str) -> None:
    RUNNING.mkdir(exist_ok=True)
    units = [name for name in names if not name.startswith("-")]
    if command == "daemon-reload":
        return
    for name in units:
        {"enable": start, "start": start, "stop": stop, "restart": restart, "reload": ignore}[command](name)


def read(name: str) -> "dict[str, list[str]]":
    """Read a unit file. Raises FileNotFoundError if there is no such unit."""
    found: dict[str, list[str]] = {}
    for line in (UNITS / name).read_text(encoding="utf-8").splitlines():
        key, separator, value = line.partition("=")
        if separator and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


def start(name: str) -> None:
    unit = read(name)
    if "ExecStart" not in unit:  # a socket or a timer: its service must exist
        read(name.rpartition(".")[0] + ".service")
        return
    user = pwd.getpwnam(unit["User"][0])
    command = shlex.split(unit["ExecStart"][0])
    settings = settings_of(name, unit)
    if unit["Type"] == ["oneshot"]:
        subprocess.run(command, check=True, env=settings, user=user.pw_uid, group=user.pw_gid)  # noqa: S603  # the unit's
        return
    with Path(f"/var/log/{name}.log").open("ab") as log:
        process = subprocess.Popen(  # noqa: S603  # the unit's
            command, env=settings, user=user.pw_uid, group=user.pw_gid, stdout=log, stderr=log, start_new_session=True
        )
    (RUNNING / name).write_text(str(process.pid))


def settings_of(name: str, unit: "dict[str, list[str]]") -> "dict[str, str]":
    lines = [word for value in unit.get("Environment", []) for word in shlex.split(value)]
    for file in unit.get("EnvironmentFile", []):
        lines += shlex.split(Path(file.lstrip("-")).read_text(encoding="utf-8"))
    found = dict(line.split("=", 1) for line in lines)
    socket = UNITS / name.replace(".service", ".socket")
    if socket.exists():
        host, _, port = read(socket.name)["ListenStream"][0].rpartition(":")
        found |= {"SCOREKEEPER_HOST": host, "SCOREKEEPER_PORT": port}
    return {"PATH": "/usr/bin:/bin"} | found


def stop(name: str) -> None:
    file = RUNNING / name
    if not file.exists():
        return
    number = int(file.read_text())
    os.kill(number, signal.SIGTERM)
    while Path(f"/proc/{number}").exists() and "\nState:\tZ" not in Path(f"/proc/{number}/status").read_text():
        time.sleep(0.1)
    file.unlink()


def restart(name: str) -> None:
    stop(name)
    start(name)


def ignore(name: str) -> None:
    """Do nothing: the test starts the proxies."""


if __name__ == "__main__":
    main(*sys.argv[1:])
