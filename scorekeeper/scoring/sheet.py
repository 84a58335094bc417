"""Sheets, the facts of a table in the format `scorekeeper-sheet/1`, and statements, the results computed from them.

Results of several tables are added up in accounts. An account is a currency code, for tables played for money, or a
game's slug, for tables whose counters have no value. Amounts are integers in subunits, so that sums are exact. In a
game's account a subunit is one counter of the unit the game is settled in. In a currency it is 1/9,000,000 of the
currency's unit: counters are valued with up to six decimal places, and one may be worth nine smaller ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, NamedTuple, TypeVar

from ..limits import MAX_TEXT_LENGTH
from . import schema
from .common_facts import find_long_reason
from .game import AnyGame, fold
from .problems import Problem, Refusal, abbreviate_value, first_duplicate, refuse
from .settlement import Transfer, settle
from .standing import POINTS, AnyStanding
from .terms import HeadReader
from .values import JsonObject, Value, is_text

FORMAT = "scorekeeper-sheet/1"
K = TypeVar("K")

_KEYS = ("format", "game", "players", "dealer", "house_rules", "deals", "value", "title", "played_on")
_REQUIRED = ("format", "game", "players", "deals")


class Sheet(NamedTuple):
    """A sheet with a valid head. Its deals are plain JSON; they are checked one by one as they are replayed."""

    game: AnyGame
    players: tuple[str, ...]
    dealer: str
    options: Any  # the game's own dataclass
    deals: list[Any]
    value: Value | None = None
    title: str | None = None
    played_on: date | None = None

    def open(self) -> AnyStanding:
        return self.game.open(self.players, self.dealer, self.options, self.value)


def load(raw: Any, games: Mapping[str, AnyGame]) -> Sheet | Refusal:
    """Build a sheet from plain JSON, or return all problems of its head. The deals are not checked."""
    if type(raw) is not dict:
        return refuse([Problem("format", "a-sheet", {"format": FORMAT})])
    reader = HeadReader(raw)
    reader.check_keys(raw, _KEYS, _REQUIRED)
    if raw.get("format", FORMAT) != FORMAT:
        reader.refuse("format", "one-of", found=abbreviate_value(raw["format"]), choices=(FORMAT,))
    slug = raw.get("game")
    game = games.get(slug) if type(slug) is str else None
    if game is None and "game" in raw:
        reader.refuse("game", "one-of", found=abbreviate_value(slug), choices=tuple(games))
    players = _read_players(reader, game)
    if game is None:
        return refuse(reader.problems)
    options = reader.read_options(game, players)
    if players is None:
        reader.read_value(game)
        return refuse(reader.problems)
    if options is not None:
        game = game.under(options, len(players))
        if len(players) not in game.player_counts:
            reader.refuse("players", "how-many", found=len(players), choices=game.player_counts)
    sheet = _read_rest(reader, game, players, options)
    return refuse(reader.problems) if reader.problems else sheet


def _read_rest(reader: HeadReader, game: AnyGame, players: tuple[str, ...], options: Any) -> Sheet:
    """Read the rest of the head; what is wrong with it is among the reader's problems then."""
    dealer = reader.raw.get("dealer", players[0])
    deals = reader.raw.get("deals", [])
    title = reader.raw.get("title")
    day = reader.raw.get("played_on")
    played_on = None
    if dealer not in players:
        reader.refuse("dealer", "player", found=abbreviate_value(dealer), parties=players)
    if type(deals) is not list:
        reader.refuse("deals", "a-list", found=abbreviate_value(deals))
    value = reader.read_value(game)
    if "title" in reader.raw and not (type(title) is str and is_text(title)):
        reader.refuse("title", "text", found=abbreviate_value(title))
    elif title is not None and len(title) > MAX_TEXT_LENGTH:
        reader.refuse("title", "long-text", most=MAX_TEXT_LENGTH)
    if "played_on" in reader.raw:
        try:
            played_on = date.fromisoformat(day)  # type: ignore[arg-type]  # else it is refused
        except (TypeError, ValueError):
            reader.refuse("played_on", "date", found=abbreviate_value(day))
    return Sheet(game, players, dealer, options, deals, value, title, played_on)


def dump(sheet: Sheet) -> JsonObject:
    raw: JsonObject = {"format": FORMAT, "game": sheet.game.slug}
    if sheet.title is not None:
        raw["title"] = sheet.title
    if sheet.played_on is not None:
        raw["played_on"] = sheet.played_on.isoformat()
    raw |= {"players": list(sheet.players), "dealer": sheet.dealer}
    if sheet.value is not None:
        raw["value"] = sheet.value.dump()
    return raw | {"house_rules": schema.dump(sheet.options), "deals": sheet.deals}


def refuse_long_reasons(deals: Iterable[Any]) -> Refusal | None:
    """Return a refusal if the reason of an adjustment is longer than a form would take."""
    problems = ((number, find_long_reason(deal)) for number, deal in enumerate(deals, start=1))
    return next((refuse([problem], number=number) for number, problem in problems if problem is not None), None)


def _read_players(reader: HeadReader, game: AnyGame | None) -> tuple[str, ...] | None:
    names = reader.raw.get("players")
    if "players" not in reader.raw:
        return None
    if type(names) is not list or not all(type(name) is str for name in names):
        reader.refuse("players", "names", found=abbreviate_value(names))
    elif any(not name.strip() or not is_text(name) for name in names):
        reader.refuse("players", "blank-name", found=abbreviate_value(names))
    elif len(set(names)) < len(names):
        reader.refuse("players", "same-name", found=abbreviate_value(first_duplicate(names)))
    elif game is not None and len(names) not in game.player_counts:
        reader.refuse("players", "how-many", found=len(names), choices=game.player_counts)
    else:
        return tuple(names)
    return None


STATEMENT_FORMAT = "scorekeeper-statement/1"


def score(raw: Any, games: Mapping[str, AnyGame]) -> JsonObject | Refusal:
    sheet = load(raw, games)
    return sheet if isinstance(sheet, Refusal) else refuse_long_reasons(sheet.deals) or statement(sheet)


def statement(sheet: Sheet) -> JsonObject | Refusal:
    game = sheet.game
    standing = sheet.open()
    refusal = fold(game, standing, sheet.deals)
    if refusal is not None:
        return refusal
    return {
        "format": STATEMENT_FORMAT,
        "game": game.slug,
        "status": "finished" if standing.is_finished else "open",
        "dealer": None if standing.is_finished else standing.dealer,
        "scores": standing.scores,
        **game.ending.report(standing),
        "balances": standing.balances,
        "settlement": [
            {"from": giver, "to": taker, settlement_unit(game): amount}
            for giver, taker, amount in settlement_payments(game, standing)
        ],
        "deals": [
            {"number": row.number, "dealer": row.dealer, "scored": row.scored, "scores": row.scores}
            for row in standing.rows
        ],
        "journal": journal(standing),
    }


def has_balances(game: AnyGame, standing: AnyStanding) -> bool:
    """Return whether balances say anything: something was paid, or is played for unless the house rule `stake` is 0."""
    is_for_nothing = getattr(standing.options, "stake", None) == 0
    return game.shows_balances and (not is_for_nothing or standing.has_payments)


def journal(standing: AnyStanding) -> list[JsonObject]:
    return [
        {"deal": row.number, "from": giver, "to": taker, "amount": amount, "unit": unit, "reason": reason}
        for row in standing.rows
        for giver, taker, amount, unit, reason in row.entries
        if unit != POINTS
    ]


def settlement_unit(game: AnyGame) -> str:
    """Return the unit in which a game is settled: the smallest; "" if the game has no counters."""
    return game.units[0] if game.units else ""


def balances_in_smallest_unit(game: AnyGame, balances: Mapping[K, Mapping[str, int]]) -> dict[K, int]:
    worth = [(unit, game.worth_of(unit)) for unit in game.units]
    return {player: sum(counters[unit] * each for unit, each in worth) for player, counters in balances.items()}


def running_balances(game: AnyGame, standing: AnyStanding) -> list[dict[str, int]]:
    """Return the balances in the smallest unit before the first deal, and after each row."""
    counters = {player: dict.fromkeys(game.units, 0) for player in standing.balances}
    result = [balances_in_smallest_unit(game, counters)]
    for row in standing.rows:
        for entry in row.entries:
            if entry.is_payment:
                entry.move(counters)
        result.append(balances_in_smallest_unit(game, counters))
    return result


def settlement_payments(game: AnyGame, standing: AnyStanding) -> list[Transfer]:
    return settle(balances_in_smallest_unit(game, standing.balances))
