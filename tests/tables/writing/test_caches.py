"""`verify` finds every cache that is not as the facts say, and `rebuild` puts it right."""

from __future__ import annotations

import pytest
from flask import Flask
from sqlalchemy import text

from scorekeeper.i18n import LANGUAGES, has_message
from scorekeeper.models import db
from scorekeeper.tables import caches

from ...files.importing import circle_with, pay_everything
from ...files.test_books import WHIST

WRONG = ("UPDATE summary SET version = version + 1", "DELETE FROM summary")


@pytest.mark.parametrize("statement", WRONG)
def test_a_wrong_cache_is_found_and_rebuilt(app: Flask, statement: str) -> None:
    with app.app_context():
        pay_everything(circle_with(WHIST), 1)
        assert_found_and_rebuilt("summary", statement)


def assert_found_and_rebuilt(key: str, statement: str) -> None:
    assert caches.verify().faults == []
    db.session.execute(text(statement))
    db.session.commit()
    assert key in {fault.key for fault in caches.verify().faults}
    caches.rebuild()
    assert caches.verify().faults == []
    assert all(has_message(language, f"fault.{key}") for language in LANGUAGES)


def test_a_table_that_fails_has_its_words() -> None:
    assert all(has_message(language, "fault.table-fails") for language in LANGUAGES)
