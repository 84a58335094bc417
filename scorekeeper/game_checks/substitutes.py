"""Check that a substitute takes over everything that belongs to a seat.

A sheet is played twice: with substitutions, and with those who sat there first. Seat by seat, both score the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from ..scoring.entries import Entry
from ..scoring.game import AnyGame, replay_deals
from ..scoring.problems import Refusal
from ..scoring.standing import AnyStanding, Row
from ..scoring.values import JsonObject
from ..tables.seating import rename_players
from .findings import Finding, GameFolder
from .playing import NAMES, Chooser, PseudoRandom, opened, random_deal, random_rules, random_substitution

SHEETS = 6  # for each number of players
DEALS = 15  # of a sheet
ANOTHER = "Karim"  # who can take a seat even if all of `NAMES` sit


class Difference(NamedTuple):
    """The effects of a deal with substitutes and without; people are named by their seats."""

    number: int
    found: str
    expected: str


def check(folder: GameFolder) -> Iterator[Finding]:
    """Yield how the game scores after a substitution, if that is otherwise than without."""
    game = folder.game
    for count in game.player_counts:
        for seed in range(SHEETS):
            difference = compare(game, PseudoRandom(seed), NAMES[:count], (*NAMES[count:], ANOTHER))
            if difference is not None:
                text = (
                    f"after a substitution, deal {difference.number} {difference.found}, and without it "
                    f"{difference.expected}. Fields that the standing adds by player pass to the newcomer in "
                    "`substitute_in_own_fields`"
                )
                yield Finding(folder.place_of_function("standing"), text)
                return


def compare(
    game: AnyGame, chooser: Chooser, players: Sequence[str], substitutes: Sequence[str], max_deals: int = DEALS
) -> Difference | None:
    """Play with and without substitutions, and return the first difference between the seats' scores."""
    rules = random_rules(game, chooser, len(players))
    opening = {"players": players, "dealer": chooser.one_of(players), "house_rules": rules}
    seated, plain = opened(game, opening), opened(game, opening)
    game = game.under(seated.options, len(players))
    for number in range(1, max_deals + 1):
        if plain.is_finished:
            break
        if chooser.between(0, 3) == 0:
            replay_deals(game, seated, [{"substitution": random_substitution(seated, chooser, substitutes)}])
        deal = random_deal(game, plain, chooser)
        names = dict(zip(plain.players, seated.players, strict=True))
        difference = _compare_deal(game, seated, plain, rename_players(game, deal, names), deal)
        if difference is not None:
            return Difference(number, *difference)
    return None


def _compare_deal(
    game: AnyGame, seated: AnyStanding, plain: AnyStanding, deal: JsonObject, plain_deal: JsonObject
) -> tuple[str, str] | None:
    results = replay_deals(game, seated, [deal]), replay_deals(game, plain, [plain_deal])
    if any(results):
        found, expected = map(_refused, results)
    else:
        found, expected = (_scored(game, standing, standing.rows[-1]) for standing in (seated, plain))
    pairs = zip_longest(found, expected, fillvalue="does no more")
    return next(((one, other) for one, other in pairs if one != other), None)


def _refused(result: Refusal | None) -> list[str]:
    return [f"is refused at {result.first.field!r}" if result is not None else "is accepted"]


def _scored(game: AnyGame, standing: AnyStanding, row: Row) -> list[str]:
    """Return what a deal did, with "seat 1" and so on in place of names."""
    seats = {player: f"seat {number}" for number, player in enumerate(row.players, 1)}
    done = [f"has {_entry(entry, seats)}" for entry in row.entries]
    for closing in row.closings:
        done.append(f"ends a {closing.kind} for {', '.join(seats.get(party, party) for party in closing.winners)}")
    done.append(f"lets {seats.get(standing.dealer, standing.dealer)} deal next")
    if not game.scores_are_payments:
        done += [f"leaves {seats.get(party, party)} at {score}" for party, score in standing.scores.items()]
    return done


def _entry(entry: Entry, seats: dict[str, str]) -> str:
    giver, taker = (seats.get(party or "", party) or "the pot" for party in (entry.giver, entry.taker))
    return f"{entry.amount} {entry.unit} ({entry.reason}) from {giver} to {taker}"
