"""Templates that an installation has compiled."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment, Template

from scorekeeper import create_app
from scorekeeper.web.support import compiled_templates
from scorekeeper.web.support.compiled_templates import compile_templates

SETTINGS = {"SECRET_KEY": "test", "SQLALCHEMY_DATABASE_URI": "sqlite://"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for what is compiled."""
    monkeypatch.setattr(compiled_templates, "FOLDER", tmp_path / "templates")
    return tmp_path / "templates"


def test_after_an_installation_no_template_is_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_templates(create_app(SETTINGS))
    env = create_app(SETTINGS).jinja_env
    monkeypatch.delattr(Environment, "compile")
    names = env.list_templates()
    assert "tables/table.html" in names
    assert "games/whist/table.html" in names
    for name in names:
        env.get_template(name)


def test_a_template_that_has_changed_since_is_read_as_it_is(folder: Path) -> None:
    def show(text: str) -> str:
        app = create_app(SETTINGS)
        app.jinja_env.loader = DictLoader({"page.html": text})
        if not folder.exists():
            compile_templates(app)
        page: Template = app.jinja_env.get_template("page.html")
        return page.render()

    assert [show("before"), show("after"), show("before")] == ["before", "after", "before"]
    assert len(list(folder.iterdir())) == 1
