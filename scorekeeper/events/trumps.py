"""Trumps that follow from the number of the round: hearts, clubs, diamonds, spades, and again."""

from __future__ import annotations

from typing import Annotated, Literal, Protocol

from ..scoring.values import Range

ROTATION = ("hearts", "clubs", "diamonds", "spades")  # as printed on score cards
NO_TRUMP = "no-trump"

Trumps = Literal["rotation", "game"]
NoTrumpEvery = Annotated[int, Range(0, 24)]


class TrumpOptions(Protocol):
    """The options of a format that has a say in trumps.

    Attributes:
        trumps: "rotation", or "game" if the game says what is trumps.
        no_trump_every: each round whose number is divisible by this has no trumps; 0: none.
    """

    @property
    def trumps(self) -> Trumps: ...

    @property
    def no_trump_every(self) -> int: ...


def find_trump(round_number: int, options: TrumpOptions) -> str | None:
    """Return the trumps of a round, None if the game says. A round without trumps takes no suit's turn."""
    if options.trumps == "game":
        return None
    every = options.no_trump_every
    if every and round_number % every == 0:
        return NO_TRUMP
    without = round_number // every if every else 0
    return ROTATION[(round_number - without - 1) % len(ROTATION)]
