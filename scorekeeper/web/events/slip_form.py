"""The fields of a slip: the result of a table, tapped or typed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from flask import request

from ...events.drawing import Result
from ...events.scoring import IN_PARTIES, IN_TRICKS, Scores, add_boards
from ...scoring.problems import Problem, abbreviate_value
from ...services.events.reading import DEALS, GAMES, PARTIE, EventState
from ...services.events.results import least_score, results_in, tricks_of_round
from ...services.events.rows import NOT_PLAYED
from ..support.numbers import parse_int

MOST_TAPPED = 13  # a strip with more cells than a hand has cards would be hard to hit
SPLIT, WINNER, COUNTS, NUMBERS = "split", "winner", "counts", "numbers"  # kinds of slips


@dataclass(frozen=True)
class SlipForm:
    """A slip. `values` are its fields as they were typed or tapped.

    Attributes:
        kind: SPLIT: one tap gives both sides, who share `most` tricks. WINNER: one tap, on which side won. COUNTS: a
            strip for each party, up to `most`. NUMBERS: a number to type for each party.
        sides: the numbers of the parties.
        has_slams: slams are asked for; where everybody plays alone, there are none.
        is_slam_known: a round is one deal, so that all its tricks are a slam.
        least: the lowest score.
        boards: how many boards a round has, where each may have a result of its own; else 0.
    """

    kind: str
    most: int
    sides: range
    has_slams: bool
    is_slam_known: bool
    least: int
    boards: int = 0
    values: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, state: EventState, result: Result | None = None) -> SlipForm:
        """Return the slip of an event's tables, filled in with a result."""
        kind, most = _kind(state)
        is_slam_known = kind == SPLIT and state.event.length == 1
        has_slams = state.game.tricks is not None and kind != WINNER and not (is_slam_known or state.plays_alone)
        least = least_score(state.event)
        boards = _board_count(state) if kind == NUMBERS else 0
        values = _values(result, boards) if result not in (None, NOT_PLAYED) else {}
        return cls(kind, most, state.sides, has_slams, is_slam_known, least, boards, values)

    @classmethod
    def sent(cls, state: EventState) -> SlipForm:
        """Return the slip that the request sends."""
        form = cls.of(state)
        names = (*form._names_of("score"), *form._names_of("slams"), "won", *form.board_names)
        return replace(form, values={name: request.form[name] for name in names if name in request.form})

    def result(self) -> Result | Problem:
        """Return the result; or what is wrong with the slip, if a number is missing or is none."""
        if self.kind == WINNER:
            won = self.values.get("won")
            return Result((1, 0) if won == "0" else (0, 1)) if won in ("0", "1") else Problem("won", "slip-missing")
        by_board = any((self.values.get(name) or "").strip() for name in self.board_names)
        names = (*self.board_names, *self._slam_names) if by_board else self._names_of_round
        numbers = {name: parse_int(self.values.get(name) or _default(name)) for name in names}
        wrong = next((name for name, number in numbers.items() if isinstance(number, str)), None)
        if wrong is not None:
            return _problem(wrong, str(numbers[wrong]))
        counts = {name: number for name, number in numbers.items() if isinstance(number, int)}
        if by_board:
            return self._result_by_board(counts)
        first = counts["score-0"]
        if self.kind == SPLIT and not 0 <= first <= self.most:
            return Problem("score-0", "number-between", {"least": 0, "most": self.most})
        scores = (first, self.most - first) if self.kind == SPLIT else self._numbers_of("score", counts)
        is_split = self.kind == SPLIT and not self.has_slams
        return Result(scores, self._slams(scores) if is_split else self._numbers_of("slams", counts))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return ("won",) if self.kind == WINNER else (*self._names_of_round, *self.board_names)

    @property
    def board_names(self) -> tuple[str, ...]:
        """The names of the fields for single boards."""
        return tuple(f"board-{place}-{side}" for place in range(1, self.boards + 1) for side in (0, 1))

    def has_values_of(self, kind: str) -> bool:
        """Return whether something was typed or tapped in the fields of this kind, such as "slams"."""
        return any(self.values.get(name) for name in self._names_of(kind))

    @property
    def _names_of_round(self) -> tuple[str, ...]:
        return (("score-0",) if self.kind == SPLIT else self._names_of("score")) + self._slam_names

    @property
    def _slam_names(self) -> tuple[str, ...]:
        return self._names_of("slams") if self.has_slams else ()

    def _names_of(self, kind: str) -> tuple[str, ...]:
        return tuple(f"{kind}-{side}" for side in self.sides)

    def _numbers_of(self, kind: str, counts: dict[str, int]) -> tuple[int, ...]:
        return tuple(counts.get(name, 0) for name in self._names_of(kind))

    def _result_by_board(self, counts: dict[str, int]) -> Result | Problem:
        boards = tuple(
            (counts[first], counts[second])
            for first, second in zip(self.board_names[::2], self.board_names[1::2], strict=True)
        )
        scores = add_boards(boards)
        for side in self.sides:
            typed = (self.values.get(f"score-{side}") or "").strip()
            if typed and parse_int(typed) != scores[side]:
                return Problem(f"score-{side}", "boards-add-up", {"must": scores[side]})
        return Result(scores, self._numbers_of("slams", counts), boards)

    def _slams(self, scores: Scores) -> Scores:
        """Return who took all the tricks of the round's only deal."""
        return tuple(int(self.is_slam_known and score == self.most) for score in scores)


def is_sure() -> bool:
    """Return whether the request says that an unlikely result is right."""
    return request.form.get("sure") == "yes"


def _default(name: str) -> str:
    return "0" if name.startswith("slams") else ""


def _problem(name: str, text: str) -> Problem:
    return Problem(name, "slip-number", {"found": abbreviate_value(text)}) if text else Problem(name, "slip-missing")


def _kind(state: EventState) -> tuple[str, int]:
    """Return the kind of an event's slips, and the most that a strip has."""
    event, counted_in = state.event, results_in(state.event)
    tricks = tricks_of_round(event)
    if counted_in == IN_TRICKS and tricks is not None and tricks <= MOST_TAPPED:
        return SPLIT, tricks
    if counted_in == IN_PARTIES and event.round_unit == PARTIE:
        return (COUNTS if state.plays_alone else WINNER), 1  # several who play alone may win together
    most = event.length if event.round_unit in (DEALS, GAMES) and event.length is not None else MOST_TAPPED
    if counted_in == IN_PARTIES and most <= MOST_TAPPED:
        return COUNTS, most
    return NUMBERS, 0


def _board_count(state: EventState) -> int:
    """Return how many boards a round has; 0 if it has one, or they have no numbers."""
    numbers = state.board_numbers(0) if state.board_sets else None
    return len(numbers) if numbers is not None and len(numbers) > 1 else 0


def _values(result: Result, count: int) -> dict[str, str]:
    """Return what the fields show: each board if there are so many, otherwise the round."""
    scores, slams, boards = result
    boards = boards if len(boards) == count else ()
    values = {f"score-{side}": str(score) for side, score in enumerate(scores) if not boards}
    values |= {
        f"board-{place}-{side}": str(score) for place, of in enumerate(boards, 1) for side, score in enumerate(of)
    }
    values |= {f"slams-{side}": str(slam) for side, slam in enumerate(slams) if slam}
    return values | {"won": "0" if scores[0] > scores[1] else "1"}
