"""Failures of a game's own code: one costs what needed that code, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from .problems import Problem

if TYPE_CHECKING:  # which imports this module
    from .game import AnyGame

GAME_FAILS = "game-fails"  # the key of a problem
_END = object()


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, as the `scorekeeper` command raises it. A game's code may raise any other KeyboardInterrupt."""


class GameFailedError(Exception):
    """A game's code raised something; `__cause__` is what."""

    def problem(self, slug: str) -> Problem:
        """Return the failure as a problem of a deal or a table."""
        return Problem("game", GAME_FAILS, {"game": slug, "why": str(self)})


class _GameCode:
    """A context in which a game's code runs. Whatever it raises becomes a GameFailedError."""

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        """Raise a GameFailedError if something was raised, except Ctrl-C."""
        if error is not None and not isinstance(error, (GameFailedError, Interrupted)):
            raise GameFailedError(describe_error(error)) from error


GAME_CODE = _GameCode()


def log_failure(slug: str, table_id: int, why: object) -> None:
    """Log that a game's own code has failed at a table, which is shown or exported without it."""
    import logging  # noqa: PLC0415  # `score` logs nothing

    logging.getLogger(__name__).error("The game %s fails at table %s: %s", slug, table_id, why)


def describe_error(error: BaseException) -> str:
    """Return an exception's class and message on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


@dataclass(frozen=True, slots=True)
class _Guarded:
    """A function of a game, run in GAME_CODE; so is an iterator that it returns."""

    function: Callable[..., Any]

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        with GAME_CODE:
            result = self.function(*arguments, **named)
        return _guard_items(result) if isinstance(result, Iterator) else result


def _guard_items(items: Iterator[Any]) -> Iterator[Any]:
    while True:
        with GAME_CODE:
            item = next(items, _END)
        if item is _END:
            return
        yield item


@cache  # the same game is the same object
def guard(game: AnyGame) -> AnyGame:
    """Return the game with each of its functions run in GAME_CODE."""
    values = ((field.name, getattr(game, field.name)) for field in fields(game))
    functions: dict[str, Any] = {
        name: _Guarded(value) for name, value in values if callable(value) and not isinstance(value, (type, _Guarded))
    }
    return replace(game, **functions)
