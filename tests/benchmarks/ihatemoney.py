"""The app ihatemoney from PyPI, for comparison, in a virtual environment in the user's cache folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .serving import Client

REQUIREMENTS = ("ihatemoney==7.2.1", "gunicorn==27.0.1", "gevent==26.9.0")
APP = "ihatemoney.wsgi:application"
SETTINGS = """
SQLALCHEMY_DATABASE_URI = "sqlite:///{database}"
SECRET_KEY = "benchmark"
SESSION_COOKIE_SECURE = False
"""
MEMBERS = ("Anne", "Bruno", "Chloé", "David", "Élise")


def installed() -> str:
    """Return the Python of its environment, and install it first if necessary."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    folder = cache / "scorekeeper-benchmarks" / "-".join(REQUIREMENTS).replace("==", "-")
    python, done = folder / "bin" / "python", folder / "installed"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)  # noqa: S603  # our own command
        pip = [str(python), "-m", "pip", "install", "--quiet", *REQUIREMENTS]
        subprocess.run(pip, check=True)  # noqa: S603  # as above
        done.touch()
    return str(python)


def settings(folder: Path) -> dict[str, str]:
    """Return the environment variables to run it with its database in this folder."""
    file = folder / "ihatemoney.cfg"
    file.write_text(SETTINGS.format(database=folder / "ihatemoney.sqlite3"), encoding="utf-8")
    return {"IHATEMONEY_SETTINGS_FILE_PATH": str(file)}


class Project:
    """A project with five members, who pay bills for all in turn."""

    def __init__(self, client: Client, name: str, bills: int) -> None:
        self.client, self.name, self.bills = client, name, 0
        page = client.get("/")
        form = {"name": name, "id": name, "password": "benchmark", "contact_email": "a@example.org"}
        form |= {"default_currency": "XXX", "csrf_token": page.hidden("csrf_token")}
        self._done(client.post("/create", form).status)
        for member in MEMBERS:
            form = {"name": member, "csrf_token": client.get(f"/{name}/").hidden("csrf_token")}
            self._done(client.post(f"/{name}/members/add", form).status)
        page = client.get(f"/{name}/add")
        self.token = page.hidden("csrf_token")
        options = page.text.partition('name="payer"')[2].partition("</select>")[0]
        self.members = [part.partition('"')[0] for part in options.split('value="')[1:] if part[0].isdigit()]
        assert len(self.members) == len(MEMBERS), page.text
        for _ in range(bills):
            self.add()

    def add(self) -> float:
        """Add a bill; return the duration in milliseconds."""
        self.bills += 1
        form = [("date", f"2026-{1 + self.bills % 12:02}-{1 + self.bills % 28:02}"), ("what", f"Bill {self.bills}")]
        form += [("payer", self.members[self.bills % len(self.members)]), ("amount", f"{5 + self.bills % 40}")]
        form += [("original_currency", "XXX"), ("bill_type", "Expense"), ("csrf_token", self.token)]
        form += [("payed_for", member) for member in self.members]
        cookies = dict(self.client.cookies)
        self._done(self.client.post(f"/{self.name}/add", form).status)
        self.client.cookies = cookies  # without this, its cookie grows by a notice per bill, since no page is opened
        return self.client.took

    def page(self, name: str = "") -> float:
        return self.client.timed(f"/{self.name}/{name}")

    @staticmethod
    def _done(status: int) -> None:
        assert status in (302, 303), status
