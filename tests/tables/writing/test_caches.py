"""`verify` finds every cache that is not as the facts say, and `rebuild` puts it right."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.i18n import LANGUAGES, has_message

from ...files.importing import WHIST, assert_found_and_rebuilt, circle_with, pay_everything

WRONG = ("UPDATE summary SET version = version + 1", "DELETE FROM summary")


@pytest.mark.parametrize("statement", WRONG)
def test_a_wrong_cache_is_found_and_rebuilt(app: Flask, statement: str) -> None:
    with app.app_context():
        pay_everything(circle_with(WHIST), 1)
        assert_found_and_rebuilt("summary", statement)


def test_a_table_that_fails_has_its_words() -> None:
    assert all(has_message(language, "fault.table-fails") for language in LANGUAGES)
