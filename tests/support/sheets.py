"""Sheets of the bundled games: their deals, their statements, and why they are refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scorekeeper.games import games
from scorekeeper.i18n import LANGUAGES, has_message, problem_text
from scorekeeper.scoring.game import AnyGame
from scorekeeper.scoring.problems import Problem, Refusal
from scorekeeper.scoring.sheet import balances_in_smallest_unit, score
from scorekeeper.scoring.values import Value

FIVE = ("Anne", "Bruno", "Chloé", "David", "Élise")
PLAYERS = FIVE[:4]
SIDES = ("ns", "ew")
MISDEAL = {"misdeal": True}


def scored(raw: Any, *more_games: AnyGame) -> dict[str, Any]:
    """Return the statement of a sheet that must be valid."""
    statement = score(raw, {**games(), **{game.slug: game for game in more_games}})
    assert not isinstance(statement, Refusal), statement
    return statement


def refused(raw: Any, *more_games: AnyGame) -> tuple[int | None, list[str]]:
    """Return the refused deal's number and the fields with problems, of a sheet that must be invalid."""
    refusal = score(raw, {**games(), **{game.slug: game for game in more_games}})
    assert isinstance(refusal, Refusal), refusal
    return refusal.number, fields_of(refusal.problems)


def fields_of(problems: Iterable[Problem]) -> list[str]:
    """Return the fields of the problems, each of which must have a message in every language."""
    found = list(problems)
    assert all(in_words(problem, language) for problem in found for language in LANGUAGES)
    return [problem.field for problem in found]


def in_words(problem: Problem, language: str = "en") -> str:
    """Return a problem's message. Fails if there is none, or if a parameter is missing."""
    assert has_message(language, problem.key if "." in problem.key else f"problem.{problem.key}"), problem
    return problem_text(problem, language)


def sheet(game: str, deals: list[dict[str, Any]], players: int = 4, **house_rules: Any) -> dict[str, Any]:
    head = {"format": "scorekeeper-sheet/1", "game": game, "players": list(FIVE[:players])}
    return head | {"house_rules": house_rules, "deals": deals}


def scored_deals(game: str, deals: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return scored(sheet(game, deals, **more))


def refused_deals(game: str, deals: list[dict[str, Any]], **more: Any) -> tuple[int | None, list[str]]:
    return refused(sheet(game, deals, **more))


def points(to: str, number: int) -> dict[str, Any]:
    return {"adjustment": {"to": to, "points": number}}


def at(ns: int, ew: int) -> list[dict[str, Any]]:
    """Return adjustments that bring the sides to these scores."""
    return [points(side, number) for side, number in zip(SIDES, (ns, ew), strict=True) if number]


def francion_deal(
    *tricks: int, welche: str = "hidden", by: str | None = None, hearts_led: Any = False, **more: Any
) -> dict[str, Any]:
    """Build a deal from the tricks by seat. Unless given, the Welche stays hidden, which pays nothing."""
    facts: dict[str, Any] = {"event": welche}
    if by is not None:
        facts["player"] = by
    if hearts_led is not False:
        facts["hearts_led"] = hearts_led
    return {"tricks": dict(zip(FIVE, tricks, strict=False)), "welche": facts} | more


def contract(text: str) -> dict[str, Any]:
    """Parse a contract: "Anne 7", or "Anne 7n" at no trump."""
    player, bid = text.split()
    return {"player": player, "points": int(bid.removesuffix("n")), "no_trump": bid.endswith("n")}


def joffre_deal(bid_by: str, ns: int, five: str, three: str, **more: Any) -> dict[str, Any]:
    """Build a deal from the contract, North–South's tricks, and the sides that took the 5♥ and the 3♠."""
    facts = {"contract": contract(bid_by), "tricks": {"ns": ns}, "five_of_hearts": five, "three_of_spades": three}
    return facts | more


def whist_deal(ns: int, honours: str = "") -> dict[str, Any]:
    """Build a deal from North–South's tricks and honours such as "ew 3"."""
    facts: dict[str, Any] = {"tricks": {"ns": ns}}
    if honours:
        side, count = honours.split()
        facts["honours"] = {"side": side, "count": int(count)}
    return facts


def quarante_deal(ns: int, clique: str = "") -> dict[str, Any]:
    """Build a deal from North–South's card points and a clique such as "Bruno 4 kings"."""
    facts: dict[str, Any] = {"card_points": {"ns": ns}}
    if clique:
        player, count, rank = clique.split()
        facts["clique"] = {"player": player, "rank": rank, "count": int(count)}
    return facts


def count_subunits(game: AnyGame, value: Value | None, counters: Mapping[str, int]) -> int:
    return balances_in_smallest_unit(game, {"Anne": counters})["Anne"] * game.subunits_per_counter(value)
