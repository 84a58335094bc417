"""Check that every problem of a refusal has a message in both languages."""

from __future__ import annotations

from collections.abc import Iterable

from scorekeeper.i18n import LANGUAGES, has_message, problem_text
from scorekeeper.scoring.problems import Problem, Refusal


def fields_of(refusal: Refusal) -> list[str]:
    """Return the fields of the problems, after translating each of them."""
    return fields_of_problems(refusal.problems)


def fields_of_problems(problems: Iterable[Problem]) -> list[str]:
    found = list(problems)
    for problem in found:
        for language in LANGUAGES:
            in_words(problem, language)
    return [problem.field for problem in found]


def in_words(problem: Problem, language: str = "en") -> str:
    """Return a problem's message. Fails if there is none, or if a parameter is missing."""
    assert has_message(language, problem.key if "." in problem.key else f"problem.{problem.key}"), problem
    return problem_text(problem, language)
