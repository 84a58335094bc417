"""The installed formats. A package declares a format as an entry point in the group `scorekeeper.event_formats`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...entry_points import find_entry_points
from ...limits import MAX_PLAYERS
from ...scoring.problems import abbreviate_key
from ..drawing import RoundDraw
from ..schedule import EventRound, Schedule, UnschedulableError
from ..scheduled_draw import draw_scheduled
from ..scoring import TRICKS, find_scoring

GROUP = "scorekeeper.event_formats"
MIN_PLAYERS = 4


@dataclass(frozen=True)
class NoOptions:
    """The options of a format that has none."""


def unlimited(_players: int) -> None:
    """Return the limit of a format that can go on for as many rounds as one likes."""


def no_trump_of_its_own(_round_number: int, _options: Any) -> None:
    """Return the trumps of a format that leaves trumps to the game."""


class Format(NamedTuple):
    """A way to run an event.

    slug: its name in commands and message keys, and that of its entry point.
    build: returns the schedule of so many players and rounds, as many rounds as the format has where they are None.
        Raises UnschedulableError. The number of players is within our limits, that of rounds is at least 1. None if
        rounds depend on results, so that there is no schedule ahead.
    draw_round: returns the next round. Raises UnschedulableError. If None, rounds follow the schedule for as long as
        the same members play, and are drawn as evenly as possible from then on.
    options: a frozen dataclass with defaults, that `scoring.schema` can load.
    members: 1 if individuals are ranked, 2 if pairs are, 4 if forts are.
    has_groups: whether it can make use of the members' groups.
    max_rounds: returns how many rounds so many players can have without repetition, None if there is no limit.
    scorings: the slugs of the scorings that fit, the default first.
    trump_of: returns the trumps of a round: hearts, clubs, diamonds, spades or no-trump; None: what the game says.
    variant: returns the format as its options make it, where the schedule depends on them; else None.
    """

    slug: str
    build: Callable[[int, int | None], Schedule] | None = None
    draw_round: Callable[[RoundDraw], EventRound] | None = None
    options: type = NoOptions
    members: int = 1
    has_groups: bool = False
    max_rounds: Callable[[int], int | None] = unlimited
    scorings: tuple[str, ...] = ("difference", "total", "tricks", "parties")
    trump_of: Callable[[int, Any], str | None] = no_trump_of_its_own
    variant: Callable[[Any], Format] | None = None

    def under(self, options: Any) -> Format:
        """Return the format with these options."""
        return self if self.variant is None else self.variant(options)

    def scorings_for(self, tricks: int | None, kept: str = "", *, plays_alone: bool = False) -> tuple[str, ...]:
        """Return the scorings that fit a game with so many tricks a deal, None if that is not fixed; and `kept`.

        plays_alone: everybody plays the game alone. In a format of partners they cannot, whatever is counted.
        """
        fitting = (slug for slug in self.scorings if slug != TRICKS or tricks is not None or slug == kept)
        if plays_alone and self.members == 1:
            fitting = (slug for slug in fitting if find_scoring(slug).fits_alone)
        return tuple(fitting) or self.scorings

    def schedule(self, players: int, rounds: int | None = None) -> Schedule:
        """Return a schedule. Raises UnschedulableError."""
        if self.build is None:
            raise UnschedulableError("depends-on-results", format=self.slug)
        if not MIN_PLAYERS <= players <= MAX_PLAYERS:
            raise UnschedulableError("players", players=players, least=MIN_PLAYERS, most=MAX_PLAYERS)
        if rounds is not None and rounds < 1:
            raise UnschedulableError("rounds", rounds=rounds)
        return self.build(players, rounds)

    def draw(self, draw: RoundDraw) -> EventRound:
        """Return the next round, for those who are there. Raises UnschedulableError."""
        present = len(draw.present)
        if present < MIN_PLAYERS:
            raise UnschedulableError("too-few-players", players=present, least=MIN_PLAYERS)
        if present > MAX_PLAYERS:
            raise UnschedulableError("players", players=present, least=MIN_PLAYERS, most=MAX_PLAYERS)
        if draw.options is None:
            draw = draw._replace(options=self.options())
        if self.draw_round is not None:
            return self.draw_round(draw)
        return draw_scheduled(self.schedule, self.members, draw)

    def rounds_ahead(self, draw: RoundDraw) -> tuple[EventRound, ...]:
        """Return the rounds from `draw.number` on, if everybody plays until the end; none where that is not known.

        Once rounds have left the schedule, the next one is not drawn ahead: that takes seconds in a large hall.
        """
        members = draw.members
        if self.build is None or draw.number > draw.rounds or any(member.is_partly_there for member in members):
            return ()
        numbers = [member.number for member in members]
        try:
            rounds = [each.with_numbers(numbers) for each in self.schedule(len(members), draw.rounds).rounds]
            if rounds[: draw.number - 1] != [played.as_drawn() for played in draw.earlier]:
                return ()
            following = self.draw(draw)
        except UnschedulableError:
            return ()
        return tuple(rounds[draw.number - 1 :]) if rounds[draw.number - 1] == following else (following,)


def limit_rounds(players: int, rounds: int | None, most: int) -> int:
    """Return how many rounds to schedule: those that are wanted, or as many as there are.

    Raises:
        UnschedulableError: there are fewer.
    """
    if rounds is not None and rounds > most:
        raise UnschedulableError("too-many-rounds", players=players, most=most, rounds=rounds)
    return most if rounds is None else rounds


def format_slugs() -> list[str]:
    """Return the slugs of the declared formats, sorted."""
    return sorted({entry_point.name for entry_point in find_entry_points(GROUP)})


def find_format(slug: str) -> Format:
    """Import a format and return it. Of two with the same slug a bundled one comes first. Raises UnschedulableError."""
    declared = [entry_point for entry_point in find_entry_points(GROUP) if entry_point.name == slug]
    if not declared:
        raise UnschedulableError("unknown-format", format=abbreviate_key(slug), formats=tuple(format_slugs()))
    entry_point = declared[0]
    try:
        found = entry_point.load()
    except Exception as error:  # whatever another package raises
        raise UnschedulableError("unusable-format", format=slug, reason=f"{type(error).__name__}: {error}") from error
    if not isinstance(found, Format) or found.slug != slug:
        reason = f"{entry_point.value} must name a Format with this slug"
        raise UnschedulableError("unusable-format", format=slug, reason=reason)
    return found


def find_usable_format(slug: str) -> Format | None:
    """Return a format; None if it cannot be used."""
    try:
        return find_format(slug)
    except UnschedulableError:
        return None


def find_format_or_stand_in(slug: str) -> Format:
    """Return a format; where it cannot be used, one that draws nothing, so that what was played can still be read."""
    try:
        return find_format(slug)
    except UnschedulableError as error:
        reason = error

        def refuse(_draw: RoundDraw) -> EventRound:
            raise reason

        return Format(slug, draw_round=refuse)
