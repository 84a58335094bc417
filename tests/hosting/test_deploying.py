"""The files in deploy/ are consistent with each other, the app and the programs that read them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from ..conftest import require_program
from ..fresh import container

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
    return container.read(text("Containerfile"))


def settings_of_the_app() -> set[str]:
    """Return the environment variables that the package reads, except PG*, which libpq reads."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "scorekeeper").rglob("*.py"))
    return set(re.findall(r'"((?:SCOREKEEPER_)?[A-Z_]{4,})"', code)) | {"PGPASSWORD"}


# --- the image


def test_the_image_is_installed_by_the_tested_script(image: list[tuple[str, str]]) -> None:
    assert image[0] == ("FROM", "debian:trixie-slim")
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
            assert "healthcheck" in services[other] or other == "app"


def test_no_password_is_in_the_files_and_only_the_proxy_has_a_public_port(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert ("ports" in service) == (name == "caddy")
        for setting, value in service.get("environment", {}).items():
            assert "PASSWORD" not in setting or re.fullmatch(r"\$\{POSTGRES_PASSWORD:\?.+\}", value)


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
    for settings in ({}, {"SCOREKEEPER_SITE": "localhost", "SCOREKEEPER_UPSTREAM": "app:8765"}):
        env = os.environ | {"HOME": str(tmp_path)} | settings
        command = [str(caddy), "validate", "--adapter", "caddyfile", "--config", str(file)]
        done = subprocess.run(command, check=False, env=env, capture_output=True, text=True)  # noqa: S603  # Debian's own
        assert done.returncode == 0, done.stderr
        assert '"level":"warn"' not in done.stderr, done.stderr
