"""The files in deploy/ are consistent with each other, the app and the programs that read them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml

from ..conftest import require_program
from ..fresh.containers import read_containerfile

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
SITE = "scores.example.org"


def text(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


@pytest.fixture
def compose() -> dict[str, Any]:
    return dict(yaml.safe_load(text("compose.yaml")))


@pytest.fixture
def image() -> list[tuple[str, str]]:
    return read_containerfile(text("Containerfile"))


def settings_of_the_app() -> set[str]:
    """Return the environment variables that the package reads, except PG*, which libpq reads."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "scorekeeper").rglob("*.py"))
    return set(re.findall(r'"((?:SCOREKEEPER_)?[A-Z_]{4,})"', code)) | {"PGPASSWORD"}


# --- the image


def test_the_image_is_installed_by_the_tested_script(image: list[tuple[str, str]]) -> None:
    assert image[0] == ("FROM", "docker.io/library/debian:trixie-slim")
    runs = [rest for word, rest in image if word == "RUN"]
    installs = [line for line in runs if "pip" in line or "install.py" in line]
    assert installs == ["python3 deploy/install.py --into /opt/scorekeeper/current --extra postgresql --extra redis"]
    assert not [line for line in runs if re.search(r"\b(curl|wget)\b", line)]


def test_the_image_copies_existing_files_and_no_secrets(image: list[tuple[str, str]]) -> None:
    sources = [source for word, rest in image if word == "COPY" for source in rest.split()[:-1]]
    assert all((ROOT / source).exists() for source in sources), sources
    assert not {".", "instance", ".git", ".env"} & set(sources)
    words = "\n".join(rest for word, rest in image if word in ("ENV", "RUN", "ARG"))
    assert not re.search(r"SECRET|PASSWORD|TOKEN", words)


def test_the_image_holds_tracked_files_only(image: list[tuple[str, str]], tmp_path: Path) -> None:
    """Whatever else lies in the checkout, such as passwords, data and history, is not copied."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("this is no clone of the repository")
    listed = subprocess.run([git, "ls-files"], check=True, cwd=ROOT, capture_output=True, text=True)  # noqa: S603  # known
    tracked = listed.stdout.splitlines()
    planted = [
        "deploy/.env",
        "deploy/key.pem",
        "instance/secret_key",
        "instance/scorekeeper.sqlite3",
        ".git/config",
        ".env",
    ]
    planted += ["scorekeeper/__pycache__/api.cpython-311.pyc", "scorekeeper/games/__pycache__/x.pyc"]
    for name in [*tracked, *planted]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    held = {str(path.relative_to(tmp_path)) for path in copied_files(tmp_path, image)}
    assert {"deploy/install.py", "deploy/backup", "scorekeeper/__main__.py", "templates/base.html"} <= held
    assert held <= set(tracked)
    assert {name for name in held if name.startswith("deploy/")} == {
        "deploy/backup",
        "deploy/build_hook.py",
        "deploy/install.py",
    }


def copied_files(context: Path, image: list[tuple[str, str]]) -> Iterator[Path]:
    """Yield the files of the context that COPY takes and the ignore file lets through."""
    lines = [
        line for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] not in ("", "#")
    ]
    for source in (name for word, rest in image if word == "COPY" for name in rest.split()[:-1]):
        path = context / source
        for file in filter(Path.is_file, path.rglob("*") if path.is_dir() else [path]):
            name = file.relative_to(context)
            if not is_ignored(name, lines):
                yield file


def is_ignored(name: Path, lines: list[str]) -> bool:
    """The last line that matches the file, or a folder that it is in, decides."""
    ignored = False
    names = [str(part) for part in (name, *name.parents)][:-1]
    for line in lines:
        pattern = line.removeprefix("!").removeprefix("**/")
        parts = names if "**/" not in line else [Path(part).name for part in names]
        if any(fnmatch(part, pattern) for part in parts):
            ignored = not line.startswith("!")
    return ignored


def test_the_image_runs_as_its_own_user_and_has_a_health_check(image: list[tuple[str, str]]) -> None:
    words = [word for word, _ in image]
    assert dict(image)["USER"] == "scorekeeper"
    assert words.index("USER") < words.index("CMD")
    assert "/ready" in dict(image)["HEALTHCHECK"]
    named = [part.split("=")[0] for word, rest in image if word == "ENV" for part in rest.split()]
    assert {name for name in named if name.startswith("SCOREKEEPER_")} <= settings_of_the_app()


# --- compose.yaml


def test_the_services_use_settings_that_the_app_reads(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert set(services) == {"app", "database", "redis", "caddy"}
    app = services["app"]
    assert (DEPLOY / app["build"]["context"] / app["build"]["dockerfile"]).samefile(DEPLOY / "Containerfile")
    assert set(app["environment"]) <= settings_of_the_app()
    assert "@database/" in app["environment"]["DATABASE_URL"]
    assert "//redis:" in app["environment"]["REDIS_URL"]


def test_every_named_volume_and_service_is_defined(compose: dict[str, Any], image: list[tuple[str, str]]) -> None:
    services = compose["services"]
    mounted = [volume.split(":") for service in services.values() for volume in service.get("volumes", [])]
    files = [source for source, *_ in mounted if source.startswith(".")]
    assert {source for source, *_ in mounted} - set(files) == set(compose["volumes"])
    assert all((DEPLOY / file).is_file() for file in files)
    assert {volume.split(":")[1] for volume in services["app"]["volumes"]} == set(yaml.safe_load(dict(image)["VOLUME"]))
    for service in services.values():
        for other, wish in service.get("depends_on", {}).items():
            assert wish == {"condition": "service_healthy"}
            assert "healthcheck" in services[other]


def test_no_password_is_in_the_files_and_only_the_proxy_has_a_public_port(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert ("ports" in service) == (name == "caddy")
        for setting, value in service.get("environment", {}).items():
            assert "PASSWORD" not in setting or re.fullmatch(r"\$\{POSTGRES_PASSWORD:\?.+\}", value)


def test_the_services_check_the_app_as_the_image_does(compose: dict[str, Any], image: list[tuple[str, str]]) -> None:
    """Images that podman or buildah have built have no check of their own: their format has no place for one."""
    options, _, command = dict(image)["HEALTHCHECK"].partition("CMD ")
    check = compose["services"]["app"]["healthcheck"]
    kind, line = check["test"]
    assert (kind, shlex.split(line)) == ("CMD-SHELL", yaml.safe_load(command))
    assert {f"--{name.replace('_', '-')}={value}" for name, value in check.items() if name != "test"} == set(
        options.split()
    )


def test_podman_compose_of_debian_12_understands_the_services(compose: dict[str, Any]) -> None:
    """podman-compose 1.0.3 quotes the words of a check wrongly, and keeps `${NAME:-}` as it is."""
    for service in compose["services"].values():
        kind, *words = service.get("healthcheck", {"test": ["NONE"]})["test"]
        assert kind != "CMD" or words == [shlex.quote(word) for word in words]
        assert service["image"].startswith(("docker.io/library/", "localhost/"))  # podman asks what short names mean
    assert not re.search(r"\$\{\w+:?-\}", text("compose.yaml"))


# --- proxies


def test_the_proxy_of_the_services_uses_the_caddyfile_for_hosts(compose: dict[str, Any]) -> None:
    caddy = compose["services"]["caddy"]
    assert "./Caddyfile:/etc/caddy/Caddyfile:ro" in caddy["volumes"]
    placeholders = re.findall(r"\{\$([A-Z_]+):", text("Caddyfile"))
    assert set(placeholders) == set(caddy["environment"])
    assert caddy["environment"]["SCOREKEEPER_UPSTREAM"] == "app:8765"


def test_caddy_accepts_the_caddyfile_without_warnings(tmp_path: Path) -> None:
    caddy = shutil.which("caddy")
    require_program("Caddy", caddy)
    file = tmp_path / "Caddyfile"
    file.write_text(text("Caddyfile").replace("/var/log/caddy", str(tmp_path)), encoding="utf-8")
    for settings in (
        {},
        {"SCOREKEEPER_SITE": "localhost", "SCOREKEEPER_UPSTREAM": "app:8765", "SCOREKEEPER_PATH": "/a/"},
    ):
        env = os.environ | {"HOME": str(tmp_path)} | settings
        command = [str(caddy), "validate", "--adapter", "caddyfile", "--config", str(file)]
        done = subprocess.run(command, check=False, env=env, capture_output=True, text=True)  # noqa: S603  # Debian's own
        assert done.returncode == 0, done.stderr
        assert '"level":"warn"' not in done.stderr, done.stderr
