"""The form of a slip: the result of a table, in the fields that the results of its event need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypeVar

from wtforms import BooleanField, Field
from wtforms.validators import InputRequired

from ...limits import MAX_SCORE, MAX_SLAMS
from ...models import Event
from ...scoring.problems import Problem, check_bounds
from ...site.fields import NumberField, TapField
from ...site.forms import WriteForm
from ..drawing import Result
from ..event_game import DEALS, GAMES, MINUTES, find_event_game, results_in, tricks_of_round
from ..reading import EventState, Place
from ..results import ResultRequest
from ..scorings import IN_POINTS, IN_TRICKS, IN_WINS, Scores, add_boards
from .words import EventPhrases

MOST_TAPPED = 13  # a strip with more cells than a hand has cards would be hard to hit
SPLIT, WINNER, COUNTS, NUMBERS = "split", "winner", "counts", "numbers"  # kinds of slips
_REQUIRED = InputRequired(Problem("", "slip-missing"))


class SlipKind(NamedTuple):
    """What the slips of an event ask for; a score is from `least` to `most`.

    SPLIT: both sides share `most` tricks, and one number says how. WINNER: one tap says which side won. COUNTS: each
    party has a number, mostly one up to `most_tapped`. NUMBERS: a number is typed for each party, or two for each
    board.
    """

    name: str
    least: int
    most: int
    has_slams: bool
    is_slam_known: bool  # all tricks of the round's only deal
    board_count: int  # with fields of their own

    @property
    def most_tapped(self) -> int:
        return min(self.most, MOST_TAPPED)


class SlipForm(WriteForm):
    """A slip; `build_slip_form` adds the fields of the result. `seen` is what the page has shown of the result."""

    sure = BooleanField()  # an unlikely result is right
    kind: ClassVar[SlipKind]
    won: TapField  # of a WINNER

    @property
    def scores(self) -> list[Field]:
        return [field for field in self if field.name.startswith("score-")]

    @property
    def slams(self) -> list[Field]:
        return [field for field in self if field.name.startswith("slams-")]

    @property
    def boards(self) -> list[tuple[Field, Field]]:
        fields = [field for field in self if field.name.startswith("board-")]
        return [*zip(fields[::2], fields[1::2], strict=True)]

    @property
    def has_boards(self) -> bool:
        return any(map(self.is_filled_in, self.boards))

    @staticmethod
    def is_filled_in(fields: Iterable[Field]) -> bool:
        """Return whether there is something in one of the fields, right or wrong."""
        return any(field.data is not None or any(field.raw_data or ()) for field in fields)

    def validate(self, extra_validators: Mapping[str, Sequence[Any]] | None = None) -> bool:
        """Require the scores of all boards if there is one, and otherwise those of the round."""
        required = [field for of_board in self.boards for field in of_board] if self.has_boards else self.scores
        is_valid = super().validate({**(extra_validators or {}), **{field.name: [_REQUIRED] for field in required}})
        if is_valid and self.has_boards:
            self.add_problems(self._check_sums())
        return is_valid and not self.errors

    def _check_sums(self) -> Iterable[Problem]:
        for field, score in zip(self.scores, add_boards(self._read_boards()), strict=True):
            if problem := check_bounds(field.name, score, self.kind.least, self.kind.most):
                yield problem
            elif field.data not in (None, score):
                yield Problem(field.name, "boards-add-up", {"must": score})

    def _read_boards(self) -> tuple[Scores, ...]:
        return tuple((first.data, second.data) for first, second in self.boards)

    def read(self) -> Result:
        """Return the result of a valid form."""
        if self.kind.name == WINNER:
            return Result((1, 0) if self.won.data == "0" else (0, 1))
        boards = self._read_boards() if self.has_boards else ()
        scores = add_boards(boards) if boards else tuple(field.data for field in self.scores)
        if self.kind.name == SPLIT:
            scores = (scores[0], self.kind.most - scores[0])
        slams = tuple(field.data or 0 for field in self.slams)
        if self.kind.is_slam_known:
            slams = tuple(int(score == self.kind.most) for score in scores)
        return Result(scores, slams or (0,) * len(scores), boards)

    def ask_for(
        self, place: Place, result: Result | None, *, seen: str | None = None, is_slip: bool = False
    ) -> ResultRequest:
        """Return the request to record a result at a table, or to withdraw it."""
        seen = self.seen.data if seen is None else seen
        return ResultRequest(*place, seen or "", self.read_key(), result, is_slip=is_slip, is_sure=self.sure.data)


SlipFormT = TypeVar("SlipFormT", bound=SlipForm)


def build_slip_form(state: EventState, base: type[SlipFormT]) -> type[SlipFormT]:
    """Return the form with the fields of a result of the event."""
    kind = find_slip_kind(state)
    return type(base.__name__, (base,), {"kind": kind, **_build_fields(state, kind)})


def _build_fields(state: EventState, kind: SlipKind) -> dict[str, Field]:
    if kind.name == WINNER:
        sides = [(str(side), EventPhrases(state).side_name(side)) for side in state.sides]
        return {"won": TapField(choices=sides, validators=[_REQUIRED])}
    parties = state.sides[:1] if kind.name == SPLIT else state.sides
    names = [f"score-{side}" for side in parties]
    names += [f"board-{place}-{side}" for place in range(1, kind.board_count + 1) for side in state.sides]
    most_slams = state.event.length if state.event.round_unit == DEALS else MAX_SLAMS
    slams = [f"slams-{side}" for side in state.sides] if kind.has_slams else []
    return {
        **{name: NumberField(least=kind.least, most=kind.most) for name in names},
        **{name: NumberField(least=0, most=most_slams) for name in slams},
    }


def fill_in_slip(state: EventState, result: Result | None, base: type[SlipFormT]) -> SlipFormT:
    """Return the form as a page shows it first: with a result, if there is one."""
    form = build_slip_form(state, base)
    return form(None, data=_list_values(result, form.kind.board_count) if result and result.is_played else None)


def _list_values(result: Result, board_count: int) -> dict[str, str | int]:
    """Return the values of the fields for a result: of each board if it has a field, otherwise of the round."""
    scores, slams, boards = result
    values: dict[str, str | int] = {f"slams-{side}": slam for side, slam in enumerate(slams) if slam}
    values["won"] = "0" if scores[0] > scores[1] else "1"
    by_place = [(f"board-{place}", of_board) for place, of_board in enumerate(boards, start=1)]
    fields = by_place if boards and len(boards) == board_count else [("score", scores)]
    return values | {f"{name}-{side}": score for name, of_sides in fields for side, score in enumerate(of_sides)}


def find_slip_kind(state: EventState) -> SlipKind:
    name, least, most = _find_entry(state)
    is_slam_known = name == SPLIT and state.event.length == 1
    tricks = state.event_game.under_rules.limits.tricks
    boards = (state.deals_of_round or 0) if state.board_sets and name == NUMBERS else 0
    return SlipKind(
        name,
        least,
        most,
        has_slams=not (tricks is None or name == WINNER or state.plays_alone or is_slam_known),
        is_slam_known=is_slam_known,
        board_count=boards if boards > 1 else 0,
    )


def _find_entry(state: EventState) -> tuple[str, int, int]:
    """Return the name of the kind of an event's slips, and the least and the most that a score may be."""
    event = state.event
    counted_in, tricks = results_in(event), tricks_of_round(event)
    if counted_in == IN_TRICKS and tricks is not None and tricks <= MOST_TAPPED:
        return SPLIT, 0, tricks
    if counted_in != IN_WINS:
        return NUMBERS, _find_least_score(event), MAX_SCORE
    if event.round_unit == GAMES and event.length == 1 and not state.plays_alone:  # alone, several may win together
        return WINNER, 0, 1
    # A game takes a minute at least, so a round has no more of them than minutes.
    is_tapped = event.round_unit == MINUTES or event.length <= MOST_TAPPED
    return COUNTS if is_tapped else NUMBERS, 0, event.length


def _find_least_score(event: Event) -> int:
    """Return the least that a party can have in a table's result: below 0 only in points, if the game's can be."""
    is_signed = results_in(event) == IN_POINTS and find_event_game(event).under_rules.limits.allows_negative_scores
    return -MAX_SCORE if is_signed else 0
