"""The values of the placeholders in the files of a new game."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ...scoring.game import API_VERSION
from ...scoring.sides import EW, NS

PLAYERS = ("Anne", "Bruno", "Chloé", "David", "Élise", "Félix", "Gaëlle", "Hugo", "Inès", "Jonas", "Noé", "Olga")
SIDES = {NS: "North–South", EW: "East–West"}
CARDS = 52
TARGET = 25  # points, as in rules.py
NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]

_IMPORTS = ("PARTIE", "Check", "Closing", "Entry", "Problem", "Range", "Standing", "mark")


def placeholders(slug: str, name: str, player_counts: tuple[int, ...], *, in_sides: bool) -> dict[str, str]:
    """Return the value of each placeholder."""
    players = PLAYERS[: player_counts[0]]
    tricks = min(8, CARDS // player_counts[-1])
    kind = _sides() if in_sides else _players(player_counts)
    parties = (NS, EW) if in_sides else players
    return {
        "api": API_VERSION,
        "slug": slug,
        "package": f"scorekeeper_{slug.replace('-', '_')}",
        "name": name,
        "player_counts": f"({', '.join(map(str, player_counts))}{',' if len(player_counts) == 1 else ''})",
        "in_sides": str(in_sides),
        "tricks": str(tricks),
        "tricks_in_words": NUMBERS[tricks - 1],
        "players": _json(players),
        **kind,
        **_sheets(parties, players, tricks),
    }


def _players(player_counts: Sequence[int]) -> dict[str, str]:
    low, high = player_counts[0], player_counts[-1]
    return {
        "Party": "Player",
        "party": "player",
        "parties": "the players",
        "how_many": NUMBERS[low - 1] + (f" to {NUMBERS[high - 1]}" if high > low else "") + " players",
        "first": PLAYERS[0],
        "second": PLAYERS[1],
        "first_key": PLAYERS[0],
        "imports": ", ".join(sorted((*_IMPORTS, "FICHES", "Player"), key=_import_order)),
        "payments": 'tuple(Entry(other, winner, stake, FICHES, "stake") for other in standing.others(winner))',
        "stake_one": "The stake is {count} fiche. Everybody else pays it to the winner.",
        "stake_many": "The stake is {count} fiches. Everybody else pays them to the winner.",
        "stake_help": "Everybody else pays it to the winner.",
        "stake_rule": "By default nothing is paid. You may agree on a number of *fiches*, or counters, which everybody"
        " else pays to the winner.",
        "stake_example": "every other player pays 2 fiches",
    }


def _sides() -> dict[str, str]:
    return {
        "Party": "Side",
        "party": "side",
        "parties": "the two sides",
        "how_many": "four players in two sides",
        "first": SIDES[NS],
        "second": SIDES[EW],
        "first_key": NS,
        "imports": ", ".join(sorted((*_IMPORTS, "Side", "pay_from_left"), key=_import_order)),
        "payments": 'pay_from_left(standing, winner, stake, "stake")',
        "stake_one": "The stake is {count} fiche. Each winner gets it from the player on their left.",
        "stake_many": "The stake is {count} fiches. Each winner gets them from the player on their left.",
        "stake_help": "Each winner is paid by the player on their left.",
        "stake_rule": "By default nothing is paid. You may agree on a number of *fiches*, or counters. Each winner is"
        " then paid that number by the player on their left.",
        "stake_example": "Bruno pays Anne 2 fiches and David pays Chloé 2",
    }


def _import_order(name: str) -> tuple[bool, bool, str]:
    """Sort as ruff does: constants, classes, functions."""
    return not name.isupper(), name[0].islower(), name


# --- sheets --------------------------------------------------------------------------------------------------


def _sheets(parties: Sequence[str], players: Sequence[str], tricks: int) -> dict[str, str]:
    deals = _example(parties, tricks)
    case = _deal(parties, (tricks - 1, 1))
    others = dict.fromkeys(players, -2)
    winners = (players[0], players[2]) if len(parties) < len(players) else (players[0],)
    balances = others | dict.fromkeys(winners, 2 if len(winners) > 1 else 2 * (len(players) - 1))
    return {
        "example_deals": _lines(deals),
        "sample_deals": _lines(deals[:3]),
        "case_deal": _json({"tricks": case}),
        "case_scores": _json(case),
        "case_balances": _json({player: {"fiches": amount} for player, amount in balances.items()}),
        "bad_deal": _json({"tricks": _deal(parties, (tricks - 2, 3))}),
    }


def _example(parties: Sequence[str], tricks: int) -> list[Mapping[str, int]]:
    """Return deals after which the first party has won."""
    middle = tricks // 2
    if len(parties) == 2:
        patterns: dict[str, tuple[int, ...]] = {
            "A": (middle + 1, tricks - middle - 1),
            "B": (middle - 1, tricks - middle + 1),
            "C": (middle, tricks - middle),
        }
    else:
        patterns = {"A": (tricks - 2, 1, 1), "B": (1, tricks - 2, 1), "C": (1, 1, tricks - 2)}
    deals: list[Mapping[str, int]] = []
    points = 0
    for pattern in "ABACAABA" + TARGET * "A":
        deals.append(_deal(parties, patterns[pattern]))
        points += patterns[pattern][0]
        if points >= TARGET:
            break
    return deals


def _deal(parties: Sequence[str], taken: Sequence[int]) -> dict[str, int]:
    return {party: taken[place] if place < len(taken) else 0 for place, party in enumerate(parties)}


def _lines(deals: Sequence[Mapping[str, int]]) -> str:
    return ",\n  ".join(_json({"tricks": deal}) for deal in deals)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
