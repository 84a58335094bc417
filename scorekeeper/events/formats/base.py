"""What a format is: a way to run an event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

from ...scoring.values import Range
from ..drawing import Boards, EventRound, PlayedRound, RoundDraw, Schedule, UnschedulableError
from ..scorings import SCORINGS, TRICKS

MIN_PLAYERS = 4
ROTATION = ("hearts", "clubs", "diamonds", "spades")  # as printed on score cards
NO_TRUMP = "no-trump"

# Options of formats that say what is trumps, or that the game does; each round whose number is divisible by the second
# option has none; 0: all have trumps.
Trumps = Literal["rotation", "game"]
NoTrumpEvery = Annotated[int, Range(0, 24)]


@dataclass(frozen=True)
class NoOptions:
    pass


class Format(NamedTuple):
    slug: str
    draw_round: Callable[[RoundDraw], EventRound]  # for at least MIN_PLAYERS who are there; raises UnschedulableError
    # Returns the schedule for numbers of players and rounds, and options, or with as many rounds as it has. None if
    # rounds depend on results, so that there is no schedule ahead.
    build: Callable[[int, int, Any], Schedule] | None = None
    options: type = NoOptions  # a frozen dataclass with defaults, that `scoring.schema` can load
    team_size: int = 1  # 1 if individuals are ranked, 2 if pairs are, 4 if forts are
    has_groups: bool = False
    scorings: tuple[str, ...] = ("difference", "total", "tricks", "parties")  # slugs of those that fit, default first

    def scorings_for(self, tricks: int | None, *, plays_alone: bool = False) -> tuple[str, ...]:
        """Return the scorings that fit a game with this number of tricks a deal, None if it is not fixed.

        plays_alone: everybody plays the game alone. In a format of partners they cannot, whatever is counted.
        """
        fitting = (slug for slug in self.scorings if slug != TRICKS or tricks is not None)
        if plays_alone and self.team_size == 1:
            fitting = (slug for slug in fitting if SCORINGS[slug].fits_alone)
        return tuple(fitting)

    def draw(self, draw: RoundDraw) -> EventRound:
        present = len(draw.present)
        if present < MIN_PLAYERS:
            raise UnschedulableError("too-few-players", players=present, least=MIN_PLAYERS)
        return self.draw_round(draw)

    def trump_of(self, round_number: int, options: Any) -> str | None:
        """Return the trumps of a round, None if the game says.

        A round without trumps does not use up a suit. With one in every three rounds: hearts, clubs, none, diamonds.
        """
        if getattr(options, "trumps", "game") == "game":
            return None
        without, rest = divmod(round_number, options.no_trump_every) if options.no_trump_every else (0, 1)
        return ROTATION[(round_number - without - 1) % len(ROTATION)] if rest else NO_TRUMP

    def rounds_ahead(self, draw: RoundDraw) -> tuple[EventRound, ...]:
        """Return the rounds from `draw.number` on, if everybody plays until the end; none where that is not known.

        Once rounds have left the schedule, the next one is not drawn ahead: that takes seconds in a large hall.
        """
        members = draw.members
        is_for_all = all(member.first_round == 1 and member.last_round is None for member in members)
        if self.build is None or draw.number > draw.rounds or not is_for_all or len(members) < MIN_PLAYERS:
            return ()
        numbers = [member.number for member in members]
        rounds = [each.with_numbers(numbers) for each in self.build(len(members), draw.rounds, draw.options).rounds]
        if len(rounds) < draw.rounds or rounds[: draw.number - 1] != [each.as_drawn() for each in draw.earlier]:
            return ()
        following = self.draw(draw)
        return tuple(rounds[draw.number - 1 :]) if rounds[draw.number - 1] == following else (following,)

    def board_sets(self, rounds: Sequence[PlayedRound], options: Any) -> Boards:
        """Return the set of boards of each table in these rounds; empty if boards do not go from table to table.

        The boards follow the schedule for as long as the rounds do. From then on all tables of a round have the same
        deals, a new set in each round, as there is no movement of boards for rounds that are drawn otherwise.
        """
        if self.build is None or not rounds:
            return ()
        first = rounds[0]
        present = {each for table in first.tables for pair in table.pairs for each in pair} | set(first.sits_out)
        numbers = sorted(number for number in present if number + (1 if number % 2 else -1) in present)  # whole pairs
        schedule = self.build(len(numbers), len(rounds), options)
        if not schedule.boards:
            return ()
        sets: list[tuple[int, ...]] = []
        for played, of_round, boards in zip(rounds, schedule.rounds, schedule.boards, strict=False):
            if played.as_drawn().tables != of_round.with_numbers(numbers).tables:
                break
            sets.append(boards)
        unused = 1 + max((each for boards in sets for each in boards), default=-1)
        for number, played in enumerate(rounds[len(sets) :], start=unused):
            sets.append((number,) * len(played.tables))
        return tuple(sets)
