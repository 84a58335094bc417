"""PostgreSQL with a synchronous standby under Patroni, etcd and pgBackRest, as in deploy/: each machine is a folder."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import psycopg

from ..databases import programs
from ..ports import free_port
from .site import ROOT, accepts, get, until

NEEDED = ("patroni", "patronictl", "etcd", "pgbackrest")
PASSWORD = "only-for-this-test"  # noqa: S105  # of this test
STANZA = "scorekeeper"
# Seconds for a standby to be copied, or for a lease of `ttl` seconds to end and another machine to take over.
PATIENCE = 120


def missing() -> list[str]:
    lacking = [name for name in NEEDED if shutil.which(name) is None]
    return lacking + ([] if programs() is not None else ["PostgreSQL"])


def configuration(name: str, replacements: dict[str, str]) -> str:
    """Return a file of deploy/, of which only names, ports and paths are replaced."""
    text = (ROOT / "deploy" / name).read_text(encoding="utf-8")
    for here, there in replacements.items():
        assert here in text, here
        text = text.replace(here, there)
    return text


def environment(text: str) -> dict[str, str]:
    """Return the variables of a file for systemd's EnvironmentFile."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


class Machine:
    """A machine with Patroni and PostgreSQL."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster, self.name = cluster, name
        self.folder = cluster.make_folder(name)
        self.data = self.folder / "data"
        self.port, self.api = free_port(), free_port()
        self.log = self.folder / "patroni.log"
        self.patroni: subprocess.Popen[bytes] | None = None
        self.config = cluster.write(self.folder / "config.yml", self._patroni())
        settings = {"5432": str(self.port), "8008": str(self.api), "10.0.0.1": "127.0.0.1", "=PASSWORD": f"={PASSWORD}"}
        backups = {
            "pg1-path=/var/lib/postgresql/scorekeeper": f"pg1-path={self.data}",
            "/var/run/postgresql": str(self.folder),
            "5432": str(self.port),
            "/var/lib/pgbackrest": str(cluster.repository),
            "[global]": f"[global]\nlog-path={self.folder}\nlock-path={self.folder}",
        }
        archive = cluster.write(self.folder / "pgbackrest.conf", configuration("pgbackrest.conf", backups))
        self.environment = environment(configuration("patroni.env", settings | {"NAME=one": f"NAME={name}"}))
        self.environment["PGBACKREST_CONFIG"] = str(archive)

    def _patroni(self) -> str:
        replacements = {
            "10.0.0.1:2379,10.0.0.2:2379,10.0.0.3:2379": f"127.0.0.1:{self.cluster.etcd_port}",
            "/usr/lib/postgresql/15/bin": str(self.cluster.programs),
            "/var/lib/postgresql/patroni.pgpass": str(self.folder / "pgpass"),
            "/var/lib/postgresql/scorekeeper": str(self.data),
            "/var/run/postgresql": str(self.folder),
            "10.0.0.0/24": "127.0.0.0/8",
            "local all postgres peer": f"local all postgres {'peer' if self.cluster.user else 'trust'}",
        }
        return configuration("patroni.yml", replacements)

    def start(self) -> None:
        command = ["patroni", str(self.config)]
        self.patroni = self.cluster.start(command, self.log, self.environment)

    def stop(self) -> None:
        """Stop Patroni, which stops PostgreSQL."""
        assert self.patroni is not None
        self.patroni.send_signal(signal.SIGTERM)
        self.patroni.wait(PATIENCE)

    def kill(self) -> None:
        """Kill every process at once, as if the machine had lost its power."""
        if self.patroni is not None:
            self.patroni.kill()
            self.patroni.wait()
        file = self.data / "postmaster.pid"
        if not file.exists():
            return
        server = int(file.read_text().split()[0])
        with suppress(ProcessLookupError):
            os.kill(server, signal.SIGSTOP)  # so that it starts no more
            for process in [*children(server), server]:
                os.kill(process, signal.SIGKILL)
        until(lambda: not runs(server), "PostgreSQL is not killed")

    def answers(self, question: str) -> bool:
        """Ask Patroni: `primary`, or `synchronous` for a standby that has every commit."""
        return get(f"http://127.0.0.1:{self.api}/{question}").status == 200

    def wait_for(self, role: str) -> None:
        """Wait until Patroni answers that the machine has this role. Raises AssertionError with the end of its log."""
        try:
            until(partial(self.answers, role), f"{self.name} is not {role}", PATIENCE)
        except AssertionError as error:
            error.add_note(self.log.read_text()[-5000:])
            raise

    def call(self, *command: str, said: str = "") -> None:
        """Run a command as the user postgres, with the machine's settings. Raises RuntimeError if it fails.

        `said` is what a person answers to its questions.
        """
        done = subprocess.run(  # noqa: S603  # Debian's own programs
            command,
            check=False,
            input=said,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=self.folder,
            env=self.cluster.clean | self.environment,
            user=self.cluster.user,
        )
        if done.returncode:
            raise RuntimeError(f"{command}: {done.stdout}")

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run a statement as the superuser, and return the rows if it has any."""
        address = f"host=127.0.0.1 port={self.port} user=postgres password='{PASSWORD}' dbname={database}"
        with psycopg.connect(address, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []


def runs(process: int) -> bool:
    try:
        return read_status(process)[0] != "Z"
    except OSError:
        return False


def children(process: int) -> list[int]:
    """Return the processes that this one has started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            if int(read_status(int(folder.name))[1]) == process:
                found.append(int(folder.name))
    return found


def read_status(process: int) -> list[str]:
    """Return what Linux says of a process after its name: its state, its parent and so on."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


class Cluster:
    """etcd, a repository for pgBackRest, and two machines with PostgreSQL."""

    def __init__(self) -> None:
        found = programs()
        assert found is not None
        self.programs = (found / "initdb").resolve().parent
        # Not one of pytest's folders, for the reasons of databases.Cluster.
        self.folder = Path(mkdtemp(prefix="scorekeeper-cluster-", dir="/tmp"))
        self.folder.chmod(0o755)
        self.user = "postgres" if os.getuid() == 0 else None  # PostgreSQL does not run as root
        self.clean = {
            "PATH": f"{self.programs}:/usr/bin:/bin:/usr/local/bin",
            "HOME": str(self.folder),
            "LC_ALL": "C.UTF-8",
        }
        self.repository = self.make_folder("repository")
        self.etcd_port = free_port()
        self.machines = [Machine(self, name) for name in ("one", "two")]

    def make_folder(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(mode=0o700)
        self.own(folder)
        return folder

    def write(self, file: Path, text: str) -> Path:
        file.write_text(text, encoding="utf-8")
        self.own(file)
        return file

    def own(self, path: Path) -> None:
        if self.user is not None:
            os.chown(path, pwd.getpwnam(self.user).pw_uid, pwd.getpwnam(self.user).pw_gid)

    def start(self, command: list[str], log: Path, settings: dict[str, str]) -> subprocess.Popen[bytes]:
        with log.open("ab") as file:
            return subprocess.Popen(  # noqa: S603  # Debian's own programs
                command, env=self.clean | settings, stdout=file, stderr=file, cwd=log.parent, user=self.user
            )

    def start_etcd(self) -> None:
        """Start etcd with deploy/etcd.env, on one machine in place of three."""
        peers, clients = free_port(), self.etcd_port
        three = "one=http://10.0.0.1:2380,two=http://10.0.0.2:2380,three=http://10.0.0.3:2380"
        replacements = {three: f"one=http://127.0.0.1:{peers}", "10.0.0.1:2380": f"127.0.0.1:{peers}"}
        text = configuration("etcd.env", replacements | {"10.0.0.1:2379": f"127.0.0.1:{clients}"})
        folder = self.make_folder("etcd")
        settings = environment(text) | {"ETCD_DATA_DIR": str(folder / "data")}
        self.etcd = self.start(["etcd"], folder / "log", settings)
        until(lambda: accepts(clients), "etcd does not start")

    @property
    def url(self) -> str:
        """The DATABASE_URL of app servers: whichever machine takes writes."""
        return self.address_of(*self.machines)

    def address_of(self, *machines: Machine) -> str:
        hosts = ",".join("127.0.0.1" for _ in machines)
        ports = ",".join(str(machine.port) for machine in machines)
        found = f"host={hosts}&port={ports}&target_session_attrs=read-write"
        return f"postgresql+psycopg://scorekeeper:{PASSWORD}@/scorekeeper?{found}"

    @property
    def primary(self) -> Machine:
        return next(machine for machine in self.machines if machine.answers("primary"))

    def other(self, machine: Machine) -> Machine:
        return next(other for other in self.machines if other is not machine)

    def stop(self) -> None:
        for machine in self.machines:
            machine.kill()
        self.etcd.kill()
        self.etcd.wait()


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """Start the cluster, with an empty database, its standby synchronous and its log archived."""
    cluster = Cluster()
    one, two = cluster.machines
    try:
        cluster.start_etcd()
        one.start()
        one.wait_for("primary")
        one.call("pgbackrest", f"--stanza={STANZA}", "stanza-create")
        one.execute(f"CREATE ROLE scorekeeper LOGIN PASSWORD '{PASSWORD}'")
        one.execute("CREATE DATABASE scorekeeper OWNER scorekeeper")
        two.start()
        two.wait_for("synchronous")
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(cluster.folder)
