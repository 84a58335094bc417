"""A complete site: nginx with HTTPS as in deploy/, two app servers, PostgreSQL and Redis."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.response import addinfourl

from flask import Flask

from ..apps import open_app
from ..databases import running_cluster
from ..faults.phones import Phone
from ..ports import free_port

ROOT = Path(__file__).parents[2]
NEEDED = ("nginx", "redis-server", "openssl")
METRICS_TOKEN = "figures-for-the-host"  # noqa: S105  # of this test
TIMEOUT = 30  # seconds, for anything to start or stop

# Socket activation as by systemd: the parent owns the socket and passes it as file descriptor 3.
HANDED_OVER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
os.execv(sys.executable, [sys.executable, "-m", "scorekeeper", "run"])
"""


def until(condition: Callable[[], object], why: str, seconds: int = TIMEOUT) -> None:
    """Wait until the condition is true; an OSError counts as false. Raises AssertionError(why) after `seconds`."""
    for _ in range(seconds * 20):
        try:
            if condition():
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise AssertionError(why)


def accepts(port: int) -> bool:
    """Whether something on this machine accepts connections at the port. Raises OSError if nothing does."""
    with socket.create_connection(("127.0.0.1", port)):
        return True


class App:
    """One app server at a socket that outlives it."""

    def __init__(self, folder: Path, name: str, settings: dict[str, str]) -> None:
        self.log = folder / f"{name}.log"
        self.settings = settings
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(2048)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def start(self) -> None:
        handed = self.listener.fileno()
        command = [sys.executable, "-c", HANDED_OVER, str(handed)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603  # our own command
                command, env=os.environ | self.settings, stdout=log, stderr=log, pass_fds=(handed,)
            )

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def stop(self) -> int:
        self.terminate()
        return self.process.wait(TIMEOUT)

    def ask(self, path: str, **headers: str) -> addinfourl:
        """Send a request as the proxy does. `_` in a header's name stands for a hyphen."""
        return get(self.url + path, {key.replace("_", "-"): value for key, value in headers.items()})

    def is_ready(self) -> bool:
        """Whether the server is ready. Raises RuntimeError with the server's log if it has exited."""
        if self.process.poll() is not None:
            raise RuntimeError(self.log.read_text())
        return self.ask("/ready").status == 200

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]


class _NoErrors(urllib.request.HTTPErrorProcessor):
    """Return every response as it is: no redirect is followed, no status raises."""

    def http_response(self, request: object, response: Any) -> Any:  # noqa: ARG002  # as urllib has it
        return response


_opener = urllib.request.build_opener(_NoErrors)


def get(url: str, headers: dict[str, str] | None = None) -> addinfourl:
    """Send a GET request. Redirects are not followed."""
    request = urllib.request.Request(url, headers=headers or {})  # noqa: S310  # a loopback address
    response: addinfourl = _opener.open(request, timeout=TIMEOUT)
    return response


class Upstream(Protocol):
    """An app server as nginx knows it."""

    @property
    def url(self) -> str: ...


class Nginx:
    """nginx with deploy/nginx.conf; only names, ports and paths are replaced.

    `modules`: statements that load modules.
    """

    def __init__(self, folder: Path, apps: Sequence[Upstream], modules: str = "") -> None:
        self.folder = folder
        self.apps = apps
        self.modules = modules
        self.port, self.http_port = free_port(), free_port()
        self.url, self.http = f"https://127.0.0.1:{self.port}", f"http://127.0.0.1:{self.http_port}"
        self.trusted = ssl.create_default_context()

    def configure(self) -> None:
        """Write all files of the configuration."""
        key, certificate = self.folder / "key.pem", self.folder / "certificate.pem"
        named = ("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2")
        made = [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-keyout",
            str(key),
            "-out",
            str(certificate),
        ]
        subprocess.run([*made, *named], check=True, capture_output=True)  # noqa: S603  # Debian's own program
        self.trusted.load_verify_locations(certificate)
        servers = (f"server {app.url.removeprefix('http://')} max_fails=3 fail_timeout=2s;" for app in self.apps)
        replaced = {
            "server 127.0.0.1:8765 max_fails=3 fail_timeout=2s;": "\n    ".join(servers),
            "listen 80;": f"listen 127.0.0.1:{self.http_port};",
            "listen [::]:80;": f"listen [::1]:{self.http_port};",
            "listen 443 ssl": f"listen 127.0.0.1:{self.port} ssl",
            "listen [::]:443 ssl": f"listen [::1]:{self.port} ssl",
            "/etc/letsencrypt/live/scores.example.org/fullchain.pem": str(certificate),
            "/etc/letsencrypt/live/scores.example.org/privkey.pem": str(key),
            "/var/log/nginx/": f"{self.folder}/nginx-",
            "https://scores.example.org": self.url,
            "scores.example.org": "127.0.0.1",
        }
        self.add("conf.d/site.conf", "nginx.conf", replaced)
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = " ".join(f"{kind}_temp_path {self.folder}/nginx-{kind};" for kind in kinds)
        main = f"daemon off; pid {self.folder}/nginx.pid; error_log {self.folder}/nginx.log warn; events {{}}\n"
        text = f"{self.modules}{main}http {{ {temporary} include conf.d/*.conf; }}\n"
        (self.folder / "nginx.conf").write_text(text)

    def add(self, name: str, source: str, replaced: dict[str, str]) -> None:
        """Write a file of deploy/ under its name in /etc/nginx."""
        text = (ROOT / "deploy" / source).read_text(encoding="utf-8")
        for here, there in replaced.items():
            assert here in text, here
            text = text.replace(here, there)
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def start(self) -> subprocess.Popen[bytes]:
        """Start nginx, and wait until it accepts connections."""
        folder = str(self.folder)
        command = ["nginx", "-c", f"{folder}/nginx.conf", "-p", folder, "-e", f"{folder}/nginx.log"]
        started = subprocess.Popen(command)  # noqa: S603  # Debian's own program
        until(lambda: accepts(self.port), "nginx does not start")
        return started

    def phone(self, seed: int = 0) -> Phone:
        """Return a visitor of this nginx."""
        phone = Phone(self.url, seed=seed)
        phone.opener = urllib.request.build_opener(
            urllib.request.HTTPSHandler(context=self.trusted), urllib.request.HTTPCookieProcessor(phone.cookies)
        )
        # As a browser with `Referrer-Policy: same-origin`. Over HTTPS, writes without a Referer are refused.
        phone.opener.addheaders = [("Referer", f"{self.url}/")]
        return phone


class Site:
    """A running site. `url`: the address for visitors; `http`: the address without HTTPS."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder = folder
        self.database = database
        self.redis_port = free_port()
        self.instance = folder / "instance"
        settings = {
            "DATABASE_URL": database,
            "REDIS_URL": f"redis://127.0.0.1:{self.redis_port}/0",
            "SCOREKEEPER_INSTANCE": str(self.instance),
            "SCOREKEEPER_LOG": "json",
            "SCOREKEEPER_PROXIES": "1",
            "SCOREKEEPER_HOSTS": "127.0.0.1",
            "SCOREKEEPER_HTTPS": "1",
            "SCOREKEEPER_METRICS_TOKEN": METRICS_TOKEN,
            "SECRET_KEY": "the same for every server of a site",
        }
        self.apps = [App(folder, name, settings) for name in ("one", "another")]
        self.nginx = Nginx(folder, self.apps)
        self.port, self.url, self.http, self.trusted = (
            self.nginx.port,
            self.nginx.url,
            self.nginx.http,
            self.nginx.trusted,
        )

    # --- programs

    def start_redis(self) -> subprocess.Popen[bytes]:
        quiet = ("--save", "", "--appendonly", "no", "--loglevel", "warning", "--bind", "127.0.0.1")
        command = ["redis-server", "--port", str(self.redis_port), "--dir", str(self.folder), *quiet]
        started = self.redis = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603  # Debian's own program
        until(lambda: accepts(self.redis_port), "Redis does not start")
        return started

    def start_nginx(self) -> subprocess.Popen[bytes]:
        """Configure and start nginx."""
        self.nginx.configure()
        return self.nginx.start()

    # --- visitors

    def phone(self, seed: int = 0) -> Phone:
        return self.nginx.phone(seed)

    @contextmanager
    def app(self) -> Iterator[Flask]:
        """Create an app in this process, on the site's database."""
        with open_app(self.database, TESTING=False) as app:
            yield app

    def read_log(self, log: str) -> str:
        return (self.folder / log).read_text()


def missing() -> list[str]:
    return [name for name in NEEDED if shutil.which(name) is None]


@contextmanager
def running(folder: Path, database: str | None = None) -> Iterator[Site]:
    """Start everything. The database is not migrated; both servers start at the same moment and have to cope.

    `database`: the address of an empty one. Without it, the site has a PostgreSQL server of its own.
    """
    with ExitStack() as parts:
        site = Site(folder, database or parts.enter_context(running_cluster()).make(folder, migrated=False))
        for app in site.apps:
            app.start()
            parts.callback(app.listener.close)
            parts.callback(app.stop)
        for start in (site.start_redis, site.start_nginx):
            process = start()
            parts.callback(process.wait, TIMEOUT)
            parts.callback(process.terminate)
        for app in site.apps:
            until(app.is_ready, "a server does not start")
        yield site
