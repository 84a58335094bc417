"""Templates that an installation has compiled."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask
from jinja2 import DictLoader, Environment

from scorekeeper.web.support import compiled_templates
from scorekeeper.web.support.compiled_templates import TemplateCache, compile_templates

from ...apps import MakeApp


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for what is compiled."""
    monkeypatch.setattr(compiled_templates, "FOLDER", tmp_path / "templates")
    return tmp_path / "templates"


@pytest.fixture
def env(make_app: MakeApp) -> Environment:
    """The environment of an app that reads what an installation has compiled."""
    return use_compiled(make_app("sqlite://"))


def use_compiled(app: Flask) -> Environment:
    app.jinja_env.bytecode_cache = TemplateCache()  # tests have another
    return app.jinja_env


def test_after_an_installation_no_template_is_compiled_again(
    make_app: MakeApp, env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_templates(make_app("sqlite://"))
    monkeypatch.delattr(Environment, "compile")
    names = env.list_templates()
    assert {"tables/table.html", "games/whist/table.html"} <= {*names}
    for name in names:
        env.get_template(name)


def test_a_template_that_has_changed_since_is_read_as_it_is(make_app: MakeApp, folder: Path) -> None:
    def show(text: str) -> str:
        app = make_app("sqlite://")
        app.jinja_env.loader = DictLoader({"page.html": text})
        if not folder.exists():
            compile_templates(app)
        return use_compiled(app).get_template("page.html").render()

    assert [show("before"), show("after"), show("before")] == ["before", "after", "before"]
    assert len(list(folder.iterdir())) == 1
