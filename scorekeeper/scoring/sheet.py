"""The score sheet format `scorekeeper-sheet/1`, which holds the facts of a table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from . import schema
from .game import AnyGame
from .problems import Problem, Refusal, abbreviate_key, abbreviate_value, first_duplicate, refuse
from .standing import AnyStanding
from .units import SUBUNITS_PER_UNIT, value_unit
from .values import JsonObject, is_text

if TYPE_CHECKING:  # most sheets have neither a date nor a value
    from datetime import date
    from decimal import Decimal

FORMAT = "scorekeeper-sheet/1"

_AMOUNT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?")
_KEYS = ("format", "game", "players", "dealer", "house_rules", "deals", "value", "title", "played_on")
_REQUIRED = ("format", "game", "players", "deals")


class Value(NamedTuple):
    """The value in money of one counter."""

    currency: str  # ISO 4217
    unit: str  # the name of one counter of a unit of the game: "fiche"
    amount: Decimal


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
        """Create the standing before the first deal."""
        return self.game.open(self.players, self.dealer, self.options)


class _SheetReader:
    def __init__(self, raw: JsonObject, games: Mapping[str, AnyGame]) -> None:
        self.raw = raw
        self.games = games
        self.problems: list[Problem] = []

    def add_problem(self, field: str, key: str, **params: Any) -> None:
        self.problems.append(Problem(field, key, params))


def load(raw: Any, games: Mapping[str, AnyGame]) -> Sheet | Refusal:
    """Build a sheet from plain JSON, or return all problems of its head. The deals are not checked."""
    if type(raw) is not dict:
        return refuse(None, [Problem("format", "a-sheet", {"format": FORMAT})])
    return _read_head(raw, _SheetReader(raw, games))


def _read_head(raw: JsonObject, reader: _SheetReader) -> Sheet | Refusal:
    for key in _REQUIRED:
        if key not in raw:
            reader.add_problem(key, "missing")
    for key in raw:
        if key not in _KEYS:
            reader.add_problem(abbreviate_key(key), "unknown-key", keys=_KEYS)
    if "format" in raw and raw["format"] != FORMAT:
        reader.add_problem("format", "one-of", found=abbreviate_value(raw["format"]), choices=(FORMAT,))
    game = _game(reader)
    players = _players(reader, game)
    if game is None:
        return refuse(None, reader.problems)
    options = _options(reader, game, players)
    if players is None:
        _value(reader, game)
        return refuse(None, reader.problems)
    if options is not None:
        game = game.under(options, len(players))
        if len(players) not in game.player_counts:
            reader.add_problem("players", "how-many", found=len(players), choices=game.player_counts)
    sheet = Sheet(
        game=game,
        players=players,
        dealer=_dealer(reader, players),
        options=options,
        deals=_deals(reader),
        value=_value(reader, game),
        title=_text(reader, "title"),
        played_on=_played_on(reader),
    )
    return refuse(None, reader.problems) if reader.problems else sheet


def value_problems(game: AnyGame, raw: Any) -> list[Problem]:
    """Return what is wrong with a value of a sheet, which is plain JSON."""
    reader = _SheetReader({"value": raw}, {})
    _value(reader, game)
    return reader.problems


def dump(sheet: Sheet) -> JsonObject:
    """Convert a sheet to plain JSON, omitting values that equal their default."""
    raw: JsonObject = {"format": FORMAT, "game": sheet.game.slug}
    if sheet.title is not None:
        raw["title"] = sheet.title
    if sheet.played_on is not None:
        raw["played_on"] = sheet.played_on.isoformat()
    raw |= {"players": list(sheet.players), "dealer": sheet.dealer}
    if sheet.value is not None:
        value = sheet.value
        raw["value"] = {"currency": value.currency, "unit": value.unit, "amount": str(value.amount)}
    return raw | {"house_rules": schema.dump(sheet.options), "deals": sheet.deals}


def _game(reader: _SheetReader) -> AnyGame | None:
    if "game" not in reader.raw:
        return None
    slug = reader.raw["game"]
    game = reader.games.get(slug) if type(slug) is str else None
    if game is None:
        reader.add_problem("game", "one-of", found=abbreviate_value(slug), choices=tuple(reader.games))
    return game


def _players(reader: _SheetReader, game: AnyGame | None) -> tuple[str, ...] | None:
    names = reader.raw.get("players")
    if "players" not in reader.raw:
        return None
    if type(names) is not list or not all(type(name) is str for name in names):
        reader.add_problem("players", "names", found=abbreviate_value(names))
    elif any(not name.strip() or not is_text(name) for name in names):
        reader.add_problem("players", "blank-name", found=abbreviate_value(names))
    elif len(set(names)) < len(names):
        reader.add_problem("players", "same-name", found=abbreviate_value(first_duplicate(names)))
    elif game is not None and len(names) not in game.player_counts:
        reader.add_problem("players", "how-many", found=len(names), choices=game.player_counts)
    else:
        return tuple(names)
    return None


def _dealer(reader: _SheetReader, players: tuple[str, ...]) -> str:
    dealer = reader.raw.get("dealer", players[0])
    if dealer not in players:
        reader.add_problem("dealer", "player", found=abbreviate_value(dealer), parties=players)
    return str(dealer)


def _options(reader: _SheetReader, game: AnyGame, players: tuple[str, ...] | None) -> Any:
    """Read the house rules; without valid players, whether they go together is left open."""
    rules = reader.raw.get("house_rules", {})
    options = schema.load(game.options, rules, game.seats(players or ()), reader.problems, "house_rules")
    if options is not None and players is not None:
        found = game.check_options(options, len(players))
        reader.problems += [problem._replace(field=f"house_rules.{problem.field}") for problem in found]
    return options


def _deals(reader: _SheetReader) -> Any:
    deals = reader.raw.get("deals", [])
    if type(deals) is not list:
        reader.add_problem("deals", "a-list", found=abbreviate_value(deals))
    return deals


def _value(reader: _SheetReader, game: AnyGame) -> Value | None:
    if "value" not in reader.raw:
        return None
    raw = reader.raw["value"]
    if type(raw) is not dict:
        reader.add_problem("value", "an-object", found=abbreviate_value(raw))
        return None
    problems_before = len(reader.problems)
    keys = ("currency", "unit", "amount")
    for key in raw:
        if key not in keys:
            reader.add_problem(f"value.{abbreviate_key(key)}", "unknown-key", keys=keys)
    for key in keys:
        if key not in raw:
            reader.add_problem(f"value.{key}", "missing")
    _check_value(reader, raw, game)
    if len(reader.problems) > problems_before:
        return None
    from decimal import Decimal  # noqa: PLC0415  # see above

    return Value(raw["currency"], raw["unit"], Decimal(raw["amount"]))


def _check_value(reader: _SheetReader, raw: JsonObject, game: AnyGame) -> None:
    from decimal import Decimal  # noqa: PLC0415  # see above

    from .currencies import list_currencies  # noqa: PLC0415  # see above

    currency, unit, amount = raw.get("currency"), raw.get("unit"), raw.get("amount")
    if "currency" in raw and currency not in list_currencies():
        reader.add_problem("value.currency", "currency", found=abbreviate_value(currency))
    units = tuple(value_unit(unit) for unit in game.units)
    is_amount = type(amount) is str and _AMOUNT.fullmatch(amount) and Decimal(amount) > 0
    if not units:
        reader.add_problem("value", "game-without-counters")
    elif "unit" in raw and unit not in units:
        reader.add_problem("value.unit", "one-of", found=abbreviate_value(unit), choices=units)
    elif "unit" in raw and is_amount:
        worth = game.worth_of(game.unit_of_value(str(unit)))
        if Decimal(str(amount)) * SUBUNITS_PER_UNIT % worth:
            reader.add_problem("value.amount", "not-divisible", found=abbreviate_value(amount), step=worth)
    if "amount" in raw and not is_amount:
        reader.add_problem("value.amount", "amount", found=abbreviate_value(amount))


def _text(reader: _SheetReader, key: str) -> str | None:
    text = reader.raw.get(key)
    if key in reader.raw and not (type(text) is str and is_text(text)):
        reader.add_problem(key, "text", found=abbreviate_value(text))
        return None
    return text if isinstance(text, str) else None


def _played_on(reader: _SheetReader) -> date | None:
    if "played_on" not in reader.raw:
        return None
    from datetime import date  # noqa: PLC0415  # see above

    day = reader.raw["played_on"]
    try:
        return date.fromisoformat(day)
    except (TypeError, ValueError):
        reader.add_problem("played_on", "date", found=abbreviate_value(day))
        return None
