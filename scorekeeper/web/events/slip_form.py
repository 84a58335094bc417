"""The fields of a slip: the result of a table, tapped or typed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from flask import request

from ...events.drawing import Result
from ...events.scoring import IN_PARTIES, IN_TRICKS
from ...scoring.problems import Problem
from ...services.events.reading import DEALS, GAMES, PARTIE, EventState
from ...services.events.results import least_score, results_in, tricks_of_round
from ..support.numbers import parse_int

MOST_TAPPED = 13  # a strip with more cells than a hand has cards would be hard to hit
SPLIT, WINNER, COUNTS, NUMBERS = "split", "winner", "counts", "numbers"  # kinds of slips
_FIELDS = ("score-0", "score-1", "slams-0", "slams-1", "won")


@dataclass(frozen=True)
class SlipForm:
    """A slip. `values` are its fields as they were typed or tapped.

    Attributes:
        kind: SPLIT: one tap gives both sides, who share `most` tricks. WINNER: one tap, on who won. COUNTS: a strip for
            each side, up to `most`. NUMBERS: a number to type for each side.
        has_slams: slams are asked for.
        is_slam_known: a round is one deal, so that all its tricks are a slam.
        is_signed: a score may be below 0.
    """

    kind: str
    most: int
    has_slams: bool
    is_slam_known: bool
    is_signed: bool
    values: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, state: EventState, result: Result | None = None) -> SlipForm:
        """Return the slip of an event's tables, filled in with a result."""
        kind, most = _kind(state)
        is_slam_known = kind == SPLIT and state.event.length == 1
        has_slams = state.game.tricks is not None and kind != WINNER and not is_slam_known
        is_signed = least_score(state.event) < 0
        return cls(kind, most, has_slams, is_slam_known, is_signed, _values(result) if result is not None else {})

    @classmethod
    def sent(cls, state: EventState) -> SlipForm:
        """Return the slip that the request sends."""
        values = {name: request.form[name] for name in _FIELDS if name in request.form}
        return replace(cls.of(state), values=values)

    def result(self) -> Result | Problem:
        """Return the result; or what is wrong with the slip, if a number is missing or is none."""
        if self.kind == WINNER:
            won = self.values.get("won")
            return Result((1, 0) if won == "0" else (0, 1)) if won in ("0", "1") else Problem("won", "slip-missing")
        numbers = {name: parse_int(self.values.get(name) or _default(name)) for name in self.names}
        wrong = next((name for name, number in numbers.items() if isinstance(number, str)), None)
        if wrong is not None:
            return _problem(wrong, str(numbers[wrong]))
        counts = {name: number for name, number in numbers.items() if isinstance(number, int)}
        first = counts["score-0"]
        if self.kind == SPLIT and not 0 <= first <= self.most:
            return Problem("score-0", "number-between", {"least": 0, "most": self.most})
        scores = first, counts.get("score-1", self.most - first)
        slams = counts.get("slams-0", 0), counts.get("slams-1", 0)
        return Result(scores, self._slams(scores) if self.kind == SPLIT and not self.has_slams else slams)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        if self.kind == WINNER:
            return ("won",)
        slams = ("slams-0", "slams-1") if self.has_slams else ()
        return (("score-0",) if self.kind == SPLIT else ("score-0", "score-1")) + slams

    def _slams(self, scores: tuple[int, int]) -> tuple[int, int]:
        """Return who took all the tricks of the round's only deal."""
        first, second = (int(self.is_slam_known and score == self.most) for score in scores)
        return first, second


def _default(name: str) -> str:
    return "0" if name.startswith("slams") else ""


def _problem(name: str, text: str) -> Problem:
    return Problem(name, "slip-number", {"found": text}) if text else Problem(name, "slip-missing")


def _kind(state: EventState) -> tuple[str, int]:
    """Return the kind of an event's slips, and the most that a strip has."""
    event, counted_in = state.event, results_in(state.event)
    tricks = tricks_of_round(event)
    if counted_in == IN_TRICKS and tricks is not None and tricks <= MOST_TAPPED:
        return SPLIT, tricks
    if counted_in == IN_PARTIES and event.round_unit == PARTIE:
        return WINNER, 1
    most = event.length if event.round_unit in (DEALS, GAMES) and event.length is not None else MOST_TAPPED
    if counted_in == IN_PARTIES and most <= MOST_TAPPED:
        return COUNTS, most
    return NUMBERS, 0


def _values(result: Result) -> dict[str, str]:
    scores, slams = result
    values = {f"score-{side}": str(score) for side, score in enumerate(scores)}
    values |= {f"slams-{side}": str(slam) for side, slam in enumerate(slams) if slam}
    return values | {"won": "0" if scores[0] > scores[1] else "1"}
