"""Carry out deploy/Containerfile on a bare Debian machine, without a container engine."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from .machine import Machine


@dataclass
class Image:
    """The image's settings after all instructions."""

    user: str = "root"
    folder: str = "/"
    settings: dict[str, str] = field(default_factory=dict)
    command: str = ""
    health_check: str = ""


def read(text: str) -> list[tuple[str, str]]:
    """Return instructions and their arguments, without comments and with continued lines joined."""
    lines = re.sub(r"(?m)^\s*#.*\n", "", text).replace("\\\n", " ").splitlines()
    found = [line.strip().partition(" ") for line in lines if line.strip()]
    return [(word, rest.strip()) for word, _, rest in found]


def build(machine: Machine, instructions: list[tuple[str, str]]) -> Image:
    """Carry out the instructions on the machine, whose checkout is the context. Raises ValueError for unknown ones."""
    image = Image()
    arguments: dict[str, str] = {}  # of the build alone
    for word, rest in instructions:
        match word:
            case "FROM" | "VOLUME" | "EXPOSE" | "STOPSIGNAL":
                pass
            case "RUN":
                machine.root(f"cd {image.folder} && {rest}", **arguments | image.settings)
            case "COPY":
                machine.root(copied(machine.checkout, rest, image.folder))
            case "WORKDIR":
                image.folder = str(PurePosixPath(image.folder, rest))
                machine.root(f"mkdir -p {image.folder}")
            case "ENV" | "ARG":
                (image.settings if word == "ENV" else arguments).update(_assignments(rest))
            case "USER":
                image.user = rest
            case "CMD":
                image.command = shlex.join(json.loads(rest))
            case "HEALTHCHECK":
                image.health_check = shlex.join(json.loads(rest.partition("CMD ")[2]))
            case _:
                raise ValueError(f"{word} {rest}")
    return image


def _assignments(text: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in shlex.split(text))


def copied(context: str, arguments: str, folder: str) -> str:
    """Return COPY as a shell command. Of a folder, the contents are copied."""
    *sources, target = arguments.split()
    to = PurePosixPath(folder, target)
    into = to if len(sources) > 1 or target.endswith("/") else to.parent
    from_context = [shlex.quote(f"{context}/{source}") for source in sources]
    many = f"cp {' '.join(from_context)} {to}/"
    return f"mkdir -p {into} && if [ -d {from_context[0]} ]; then cp -r {from_context[0]}/. {to}; else {many}; fi"
