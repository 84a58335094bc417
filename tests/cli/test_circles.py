"""`scorekeeper circles`, `erase-circle` and `new-host-link`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest
from flask import Flask

from scorekeeper.circles.lifecycle import create_sample_circle, find_or_add_scoring_membership
from scorekeeper.circles.phones import unseal_link_secrets
from scorekeeper.cli import circles as commands
from scorekeeper.models import Base, Circle, db, new_secret

from ..support.instance import run
from ..support.visitor import Visitor


def listed(*options: str) -> dict[str, str]:
    """Return what is listed of each circle, by its name."""
    done = run("circles", *options)
    assert done.exit_code == 0, done
    return dict(line.split("  ", 1) for line in done.stdout.splitlines())


def change_names(app: Flask, *names: str) -> None:
    with app.app_context():
        for circle, name in zip(db.session.scalars(db.select(Circle).order_by(Circle.id)), names, strict=True):
            circle.token = name
        db.session.commit()


def make_older(app: Flask, days: int) -> None:
    """Move every time that is stored into the past."""
    with app.app_context():
        for table in Base.metadata.tables.values():
            times = [column for column in table.c if isinstance(column.type, db.DateTime)]
            for row in db.session.execute(db.select(*table.primary_key, *times)).mappings().all() if times else ():
                older = {column.name: row[column.name] - timedelta(days) for column in times if row[column.name]}
                same = [column == row[column.name] for column in table.primary_key]
                db.session.execute(table.update().where(*same).values(older) if older else db.select(1))
        db.session.commit()


def test_circles_are_listed_with_their_size_and_last_use(live: Flask) -> None:
    visitor = Visitor(live).open_table("whist").record(tricks="ns-3")
    with live.app_context():
        create_sample_circle(new_secret(), "Essai\n2", "")
    make_older(live, 40)
    visitor.record(tricks="ns-1")
    (sample, first), (played, second) = listed().items()
    assert ", 0 tables, 1 phone, " in first
    assert first.endswith(", sample, “Essai 2”")
    assert ", 1 table, 1 phone, " in second
    assert f"/circles/{played}/" == visitor.circle
    rows = [int(found[1]) for line in (first, second) if (found := re.search(r"(\d+) rows", line))]
    assert rows[0] < rows[1]
    assert f"last used {datetime.now().astimezone().day} " in second
    assert [*listed("--unused-for", "30")] == [sample]


def test_circles_are_erased_by_name_once_somebody_agrees(live: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = Visitor(live).open_table("whist").record(tricks="ns-3")
    with live.app_context():
        find_or_add_scoring_membership(new_secret(), "")
        find_or_add_scoring_membership(new_secret(), "")
    change_names(live, "-yes", "--pMGpPT87jb", "kept")
    unknown = run("erase-circle", "-yes", "nobody", "--yes")
    assert (unknown.exit_code, "no circle nobody" in unknown.stderr, len(listed())) == (2, True, 3)
    unasked = run("erase-circle", "-yes")
    assert (unasked.exit_code, unasked.stderr.count("\n"), len(listed())) == (2, 1, 3)
    with monkeypatch.context() as patched:
        patched.setattr(commands, "_is_terminal", lambda: True)
        declined = run("erase-circle", "-yes")  # the answer is at its end: no
    assert (declined.exit_code, len(listed())) == (1, 3)
    erased = run("erase-circle", "-yes", "--pMGpPT87jb", "-yes", "--yes")
    assert (erased.exit_code, erased.stdout) == (0, "Erased 2 circles.\n")
    assert [*listed()] == ["kept"]
    assert visitor.client.get("/circles/-yes/").status_code == 404


def test_a_new_host_link_opens_the_circle_and_ends_the_old_one(live: Flask) -> None:
    with live.app_context():
        secret = new_secret()
        old = unseal_link_secrets(find_or_add_scoring_membership(secret, ""), secret)["host"]
    change_names(live, "-kpMGpPT87jb")
    done = run("new-host-link", "-kpMGpPT87jb")
    assert done.exit_code == 0
    path = done.stdout.split()[-1]
    owner, finder = Visitor(live), Visitor(live)
    owner.join(path)
    assert "host" in owner.client.get("/circles/-kpMGpPT87jb/links").text
    assert owner.client.get("/circles/-kpMGpPT87jb/recovery").status_code == 200
    finder.join(f"/join/-kpMGpPT87jb/{old}")
    assert finder.client.get("/circles/-kpMGpPT87jb/").status_code == 404
