"""Check that every problem of a refusal has a message in both languages."""

from __future__ import annotations

from collections.abc import Iterable

from scorekeeper.i18n import LANGUAGES, has_message, problem_text
from scorekeeper.scoring.problems import Problem, Refusal


def fields_of(refusal: Refusal) -> list[str]:
    """Return the fields of the problems, after translating each of them."""
    return fields_of_remarks(refusal.remarks)


def fields_of_remarks(remarks: Iterable[Problem]) -> list[str]:
    found = list(remarks)
    for remark in found:
        for language in LANGUAGES:
            in_words(remark, language)
    return [remark.field for remark in found]


def in_words(remark: Problem, language: str = "en") -> str:
    """Return a problem's message. Fails if there is none, or if a parameter is missing."""
    assert has_message(language, remark.key if "." in remark.key else f"remark.{remark.key}"), remark
    return problem_text(remark, language)
