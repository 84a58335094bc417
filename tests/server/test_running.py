"""`scorekeeper run`: announced addresses, and the messages if it cannot start."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO, TextIOWrapper
from pathlib import Path
from time import monotonic, sleep

import pytest

from scorekeeper.i18n import translate
from scorekeeper.server import listening, starting
from scorekeeper.server.listening import CannotListenError, announcement, listen, parse_port, qr_code

from ..ports import free_port

TIMEOUT = 60  # seconds
ALL = "0.0.0.0"  # noqa: S104  # all addresses are announced
RUN = (sys.executable, "-m", "scorekeeper", "run")


def started(*arguments: str, folder: Path, before: Sequence[str] = (), **environment: str) -> subprocess.Popen[bytes]:
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "PYTHON"))}
    env = inherited | {"SCOREKEEPER_INSTANCE": str(folder)} | environment
    command = [*before, *RUN, *arguments]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603  # our own command


def refused(*arguments: str, folder: Path, before: Sequence[str] = (), **environment: str) -> str:
    """Return the single line printed by a server that cannot start; its exit status is 2."""
    began = monotonic()
    process = started(*arguments, folder=folder, before=before, **environment)
    out, error = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 2, error
    assert out == b""
    assert monotonic() - began < TIMEOUT / 2
    (line,) = error.decode().splitlines()
    assert list(folder.iterdir()) == []  # no database has been created
    return line


@contextmanager
def printed(*arguments: str, folder: Path, before: Sequence[str] = (), **environment: str) -> Iterator[list[str]]:
    """Start a server and yield its output until it has started, by lines."""
    process = started(*arguments, folder=folder, before=before, **environment)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        log = b""
        while b"Listening at" not in log:
            line = process.stderr.readline()
            assert line, log
            log += line
        os.set_blocking(process.stdout.fileno(), False)
        yield (process.stdout.read() or b"").decode("utf-8", "replace").splitlines()
    finally:
        process.kill()  # the worker, which may not have started yet, notices this and ends too
        _, rest = process.communicate(timeout=TIMEOUT)
    assert b"Traceback" not in log + rest


# --- failures ------------------------------------------------------------------------------------------------


def test_a_port_in_use_is_reported_with_advice(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        for host in ("127.0.0.1", ALL):
            line = refused("--host", host, "--port", str(port), folder=tmp_path)
            assert f"Port {port} is in use." in line
            assert f"make run PORT={port + 1} or scorekeeper run --port {port + 1}" in line
        assert f"Le port {port} est occupé." in refused("--port", str(port), folder=tmp_path, LANG="fr_FR.UTF-8")


def test_too_few_open_files_are_reported_with_advice(tmp_path: Path) -> None:
    assert "The server needs 201 at least" in refused(folder=tmp_path, before=("prlimit", "--nofile=200"))


@pytest.mark.parametrize("port", ["99999", "65536", "-1", "http", "", "8765.0", "٨٧٦٥", "9" * 5000])
def test_an_invalid_port_is_refused(port: str, tmp_path: Path) -> None:
    with pytest.raises(CannotListenError) as caught:
        parse_port(port)
    assert caught.value.key == "server.bad-port"
    if port == "99999":
        assert "from 1 to 65535" in refused("--port", port, folder=tmp_path)
        said = "SCOREKEEPER_PORT is set to “99999”. Set it to a whole number from 0 to 65,535, or remove it."
        assert said in refused(folder=tmp_path, SCOREKEEPER_PORT=port)


@pytest.mark.parametrize(
    ("host", "key"),
    [
        ("no.such.host.invalid", "server.no-such-host"),
        ("é" * 80, "server.no-such-host"),
        ("300.1.1.1", "server.no-such-host"),
        ("198.51.100.7", "server.not-this-machine"),
    ],
)
def test_a_host_that_cannot_be_bound_is_refused(host: str, key: str) -> None:
    with pytest.raises(CannotListenError) as caught:
        listen(host, 0)
    assert (caught.value.key, caught.value.params["host"]) == (key, host)


def test_a_host_that_cannot_be_bound_is_reported_in_one_line(tmp_path: Path) -> None:
    assert "198.51.100.7" in refused("--host", "198.51.100.7", folder=tmp_path)


def test_missing_ipv6_and_reserved_ports_have_different_messages() -> None:
    for error, key in ((97, "server.not-this-machine"), (13, "server.port-reserved"), (5, "server.cannot-listen")):
        reason = listening._reason(OSError(error, "reason"), "::", 80)
        assert reason.key == key
        assert "{" not in translate("en", reason.key, **reason.params)


# --- announced addresses -------------------------------------------------------------------------------------

LAN = ["192.168.1.5", "10.0.0.5"]


@pytest.mark.parametrize(
    ("host", "addresses", "mentioned", "phones"),
    [
        (ALL, LAN, ["http://localhost:80/", "http://192.168.1.5:80/", "http://10.0.0.5:80/"], "192.168.1.5:80"),
        ("::", ["192.168.1.5"], ["http://localhost:80/", "http://192.168.1.5:80/"], "192.168.1.5:80"),
        ("::", ["fd00::5"], ["http://localhost:80/", "http://[fd00::5]:80/"], "[fd00::5]:80"),
        (ALL, ["fd00::5"], ["http://localhost:80/", "not on a network", "port 80"], None),
        (ALL, [], ["http://localhost:80/", "not on a network", "port 80"], None),
        ("127.0.0.1", LAN, ["http://127.0.0.1:80/", "Only this computer"], None),
        ("127.0.1.1", LAN, ["http://127.0.1.1:80/", "Only this computer"], None),
        ("::1", LAN, ["http://[::1]:80/", "Only this computer"], None),
        ("192.168.1.5", LAN, ["http://192.168.1.5:80/"], "192.168.1.5:80"),
        ("fd00::5", LAN, ["http://[fd00::5]:80/"], "[fd00::5]:80"),
    ],
)
@pytest.mark.parametrize("path", ["", "/scores"])
def test_the_address_that_is_used_is_announced(
    host: str, addresses: list[str], mentioned: list[str], phones: str | None, path: str
) -> None:
    text, url = announcement(host, 80, addresses, "en", path)
    assert url == (f"http://{phones}{path}/" if phones else None)
    mentioned = [each.replace(":80/", f":80{path}/") for each in mentioned]
    for each in mentioned:
        assert each in text
    urls = re.findall(r"http://[^\s,]+/", text)
    assert urls == [each for each in mentioned if each.startswith("http")]


def test_a_server_prints_its_address_once_it_listens(tmp_path: Path) -> None:
    port = free_port()
    with printed("--host", "127.0.0.1", "--port", str(port), folder=tmp_path) as lines:
        assert f"http://127.0.0.1:{port}/" in lines[0]
        assert "Only this computer" in lines[1]
        assert len(lines) == 2  # phones cannot use it, so there is no code


def test_with_port_0_the_actual_port_is_announced(tmp_path: Path) -> None:
    with printed("--host", "127.0.0.1", "--port", "0", folder=tmp_path) as lines:
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", lines[0])
        assert found is not None
        socket.create_connection(("127.0.0.1", int(found[1]))).close()


def test_a_socket_from_systemd_overrides_host_and_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        monkeypatch.setattr(listening, "_FIRST_INHERITED", listener.fileno())
        monkeypatch.setenv("LISTEN_PID", str(os.getpid()))
        monkeypatch.setenv("LISTEN_FDS", "1")
        found = starting.bind(ALL, "99999", "en")
        assert found == (None, "127.0.0.1", listener.getsockname()[1])
        monkeypatch.setenv("LISTEN_PID", "1")
        assert listening.inherited_listener() is None
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        assert listening._read_address(listener.fileno()) == ("", 0)


# --- terminals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252", "utf-8"])
def test_a_qr_code_uses_characters_that_the_terminal_supports(encoding: str) -> None:
    stream = TextIOWrapper(BytesIO(), encoding)
    assert bool(qr_code("http://192.168.1.5:8765/", stream)) == (encoding == "utf-8")
    terminal = Terminal(BytesIO(), encoding)
    drawn = qr_code("http://192.168.1.5:8765/", terminal)
    drawn.encode(encoding)
    assert ("█" in drawn) == (encoding == "utf-8")
    assert len(drawn.splitlines()) > 15


class Terminal(TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "ascii", "LANG": "fr_FR.UTF-8"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=str,
)
def test_a_server_starts_in_any_locale(environment: dict[str, str], tmp_path: Path) -> None:
    with printed("--port", "0", folder=tmp_path, **environment) as lines:
        assert "http://localhost:" in lines[0]


# --- machines with other networks ----------------------------------------------------------------------------


@pytest.fixture
def network() -> Iterator[str]:
    """Create a network namespace with only a loopback interface; yield its name."""
    if os.getuid() != 0 or shutil.which("ip") is None:
        pytest.skip("only root may make a network namespace, with iproute2")
    name = f"scorekeeper-{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], check=False, capture_output=True).returncode:  # noqa: S603, S607  # a known program
        pytest.skip("this machine makes no network namespaces")
    ip(name, "link", "set", "lo", "up")
    yield name
    subprocess.run(["ip", "netns", "delete", name], check=True)  # noqa: S603, S607  # as above


def ip(network: str, *arguments: str) -> None:
    subprocess.run(["ip", "-n", network, *arguments], check=True)  # noqa: S603, S607  # as above


def plug_in(network: str, name: str, address: str) -> None:
    """Add a connected interface with an address."""
    ip(network, "link", "add", name, "type", "veth", "peer", "name", f"peer-{name}")
    for end in (name, f"peer-{name}"):
        ip(network, "link", "set", end, "up")
    ip(network, "address", "add", address, "dev", name, "nodad")
    sleep(0.2)


def test_a_machine_without_a_network_says_so_and_draws_no_code(network: str, tmp_path: Path) -> None:
    with printed("--port", "8765", folder=tmp_path, before=("ip", "netns", "exec", network)) as lines:
        text = "\n".join(lines)
        assert "http://localhost:8765/" in text
        assert "not on a network" in text
        assert "█" not in text


def test_a_hotspots_address_is_found_without_a_default_route(network: str, tmp_path: Path) -> None:
    plug_in(network, "ap0", "10.42.0.1/24")
    plug_in(network, "docker0", "172.17.0.1/16")
    with printed("--port", "8765", folder=tmp_path, before=("ip", "netns", "exec", network)) as lines:
        text = "\n".join(lines)
        assert "http://10.42.0.1:8765/" in text
        assert "172.17" not in text
        assert "█" in text
    plug_in(network, "eth1", "192.168.7.7/24")
    with printed("--port", "8765", folder=tmp_path, before=("ip", "netns", "exec", network)) as lines:
        text = "\n".join(lines)
        assert "http://192.168.7.7:8765/" in text
        assert "http://10.42.0.1:8765/" in text
