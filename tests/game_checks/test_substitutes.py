"""`check-game` finds a game whose substitutes do not take over what its own standing holds for a seat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from scorekeeper.api import (
    CARDS,
    CLOCKWISE,
    Choice,
    ChoiceGroup,
    Entry,
    Facts,
    Game,
    Player,
    Standing,
    mark,
    replace_player,
)
from scorekeeper.game_checks.findings import Finding, GameFolder
from scorekeeper.game_checks.substitutes import check
from scorekeeper.scoring.failing import GameFailedError


@dataclass(frozen=True)
class Options:
    """No house rules."""


@dataclass(frozen=True)
class Deal:
    """Who won the deal."""

    winner: Player


@dataclass(slots=True)
class Forgetful(Standing[Options]):
    """A standing with the deals won by each player, which stay with those who leave."""

    won: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Careful(Forgetful):
    """A standing with the deals won on each seat."""

    def substitute_in_own_fields(self, out: str, in_: str) -> None:
        """Count the deals of `out` for `in_`."""
        self.won = replace_player(self.won, out, in_)


@dataclass(slots=True)
class Failing(Forgetful):
    """A standing that raises an error for somebody it does not know."""

    def __post_init__(self) -> None:
        """Start with 0 for each player."""
        super(Forgetful, self).__post_init__()
        self.won = dict.fromkeys(self.players, 0)


def score(standing: Any, deal: Deal) -> list[Entry]:
    """Mark as many points as the winner has won deals."""
    before = standing.won[deal.winner] if isinstance(standing, Failing) else standing.won.get(deal.winner, 0)
    standing.won = standing.won | {deal.winner: before + 1}
    return [mark(deal.winner, before + 1, "won")]


def pad(standing: Any, _facts: Facts) -> Iterator[ChoiceGroup]:
    """Yield the players."""
    choices = (Choice(player, {"winner": player}, "party", params={"party": player}) for player in standing.players)
    yield ChoiceGroup("winner", ("winner",), tuple(choices), kind=CARDS)


GAME = Game[Any, Any, Any](
    slug="streaks",
    api="1.1",
    player_counts=(3,),
    direction=CLOCKWISE,
    in_sides=False,
    units=(),
    options=Options,
    deal=Deal,
    checks=(),
    score=score,
    close=lambda _standing: None,
    pad=pad,
    reasons=("won",),
    standing=Forgetful,
)


def found(standing: type[Forgetful]) -> list[Finding]:
    return [*check(GameFolder(replace(GAME, standing=standing), Path(__file__).parent))]


def test_a_game_that_forgets_its_own_field_is_found_out() -> None:
    (finding,) = found(Forgetful)
    assert finding.place.path == Path(__file__)
    assert "after a substitution, deal " in finding.text
    assert "points (won) from the pot to seat " in finding.text
    assert "`substitute_in_own_fields`" in finding.text


def test_a_game_that_hands_its_own_field_on_passes() -> None:
    assert found(Careful) == []


def test_a_game_that_knows_only_the_first_players_raises_an_error() -> None:
    with pytest.raises(GameFailedError, match="KeyError"):
        found(Failing)
