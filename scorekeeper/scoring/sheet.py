"""The portable score sheet, `scorekeeper-sheet/1`: facts only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from . import record
from .game import Game
from .ledger import JETONS
from .remarks import Refusal, Remark, first_twice, key_shown, refuse, shown
from .standing import Standing
from .values import is_text

FORMAT = "scorekeeper-sheet/1"

_AMOUNT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?")
_CURRENCY = re.compile(r"[A-Z]{3}")
_KEYS = ("format", "game", "players", "dealer", "house_rules", "deals", "value", "title", "played_on")
_REQUIRED = ("format", "game", "players", "deals")


@dataclass(frozen=True, slots=True)
class Value:
    """What one unit is worth in money."""

    currency: str  # ISO 4217
    unit: str  # "fiche", or "jeton" where the game has them
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet whose head has been read; its deals are still plain JSON, read one by one as they are replayed."""

    game: Game
    players: tuple[str, ...]
    dealer: str
    options: Any
    deals: list[Any]
    value: Value | None = None
    title: str | None = None
    played_on: date | None = None

    def open(self) -> Standing:
        return self.game.open(self.players, self.dealer, self.options)


@dataclass(slots=True)
class _Reading:
    raw: dict[str, Any]
    games: Mapping[str, Game]
    remarks: list[Remark] = field(default_factory=list)

    def remark(self, at: str, key: str, **params: Any) -> None:
        self.remarks.append(Remark(at, key, params))


def load(raw: Any, games: Mapping[str, Game]) -> Sheet | Refusal:
    """The sheet that plain JSON tells of, or every fault of its head. The deals are not looked into."""
    if type(raw) is not dict:
        return refuse(None, [Remark("format", "a-sheet", {"format": FORMAT})])
    reading = _Reading(raw, games)
    for key in _REQUIRED:
        if key not in raw:
            reading.remark(key, "missing")
    for key in raw:
        if key not in _KEYS:
            reading.remark(key_shown(key), "unknown-key", keys=_KEYS)
    if "format" in raw and raw["format"] != FORMAT:
        reading.remark("format", "one-of", found=shown(raw["format"]), choices=(FORMAT,))
    game = _game(reading)
    players = _players(reading, game)
    if game is None or players is None:
        return refuse(None, reading.remarks)
    sheet = Sheet(
        game=game,
        players=players,
        dealer=_dealer(reading, players),
        options=_options(reading, game, players),
        deals=_deals(reading),
        value=_value(reading, game),
        title=_text(reading, "title"),
        played_on=_played_on(reading),
    )
    return refuse(None, reading.remarks) if reading.remarks else sheet


def dump(sheet: Sheet) -> dict[str, Any]:
    """The plain JSON of a sheet; what is at its default is left out."""
    raw: dict[str, Any] = {"format": FORMAT, "game": sheet.game.slug}
    if sheet.title is not None:
        raw["title"] = sheet.title
    if sheet.played_on is not None:
        raw["played_on"] = sheet.played_on.isoformat()
    raw |= {"players": list(sheet.players), "dealer": sheet.dealer}
    if sheet.value is not None:
        value = sheet.value
        raw["value"] = {"currency": value.currency, "unit": value.unit, "amount": str(value.amount)}
    return raw | {"house_rules": record.dump(sheet.options), "deals": sheet.deals}


def _game(reading: _Reading) -> Game | None:
    if "game" not in reading.raw:
        return None
    slug = reading.raw["game"]
    game = reading.games.get(slug) if type(slug) is str else None
    if game is None:
        reading.remark("game", "one-of", found=shown(slug), choices=tuple(reading.games))
    return game


def _players(reading: _Reading, game: Game | None) -> tuple[str, ...] | None:
    names = reading.raw.get("players")
    if "players" not in reading.raw:
        return None
    if type(names) is not list or not all(type(name) is str for name in names):
        reading.remark("players", "names", found=shown(names))
    elif any(not name.strip() or not is_text(name) for name in names):
        reading.remark("players", "blank-name", found=shown(names))
    elif len(set(names)) < len(names):
        reading.remark("players", "same-name", found=shown(first_twice(names)))
    elif game is not None and len(names) not in game.seatings:
        reading.remark("players", "how-many", found=len(names), choices=game.seatings)
    else:
        return tuple(names)
    return None


def _dealer(reading: _Reading, players: tuple[str, ...]) -> str:
    dealer = reading.raw.get("dealer", players[0])
    if dealer not in players:
        reading.remark("dealer", "player", found=shown(dealer), parties=players)
    return str(dealer)


def _options(reading: _Reading, game: Game, players: tuple[str, ...]) -> Any:
    seats = game.seats(players)
    rules = reading.raw.get("house_rules", {})
    return record.load(game.options, rules, seats, reading.remarks, "house_rules")


def _deals(reading: _Reading) -> list[Any]:
    deals = reading.raw.get("deals")
    if "deals" in reading.raw and type(deals) is not list:
        reading.remark("deals", "a-list", found=shown(deals))
    return deals if isinstance(deals, list) else []


def _value(reading: _Reading, game: Game) -> Value | None:
    if "value" not in reading.raw:
        return None
    raw = reading.raw["value"]
    if type(raw) is not dict:
        reading.remark("value", "an-object", found=shown(raw))
        return None
    before = len(reading.remarks)
    keys = ("currency", "unit", "amount")
    for key in raw:
        if key not in keys:
            reading.remark(f"value.{key_shown(key)}", "unknown-key", keys=keys)
    for key in keys:
        if key not in raw:
            reading.remark(f"value.{key}", "missing")
    _value_faults(reading, raw, game)
    if len(reading.remarks) > before:
        return None
    return Value(raw["currency"], raw["unit"], Decimal(raw["amount"]))


def _value_faults(reading: _Reading, raw: dict[str, Any], game: Game) -> None:
    currency, unit, amount = raw.get("currency"), raw.get("unit"), raw.get("amount")
    if "currency" in raw and not (type(currency) is str and _CURRENCY.fullmatch(currency)):
        reading.remark("value.currency", "currency", found=shown(currency))
    units = ("jeton", "fiche") if JETONS in game.units else ("fiche",)
    if "unit" in raw and unit not in units:
        reading.remark("value.unit", "one-of", found=shown(unit), choices=units)
    if "amount" in raw and not (type(amount) is str and _AMOUNT.fullmatch(amount) and Decimal(amount) > 0):
        reading.remark("value.amount", "amount", found=shown(amount))


def _text(reading: _Reading, key: str) -> str | None:
    text = reading.raw.get(key)
    if key in reading.raw and not (type(text) is str and is_text(text)):
        reading.remark(key, "text", found=shown(text))
        return None
    return text


def _played_on(reading: _Reading) -> date | None:
    if "played_on" not in reading.raw:
        return None
    day = reading.raw["played_on"]
    try:
        return date.fromisoformat(day)
    except (TypeError, ValueError):
        reading.remark("played_on", "date", found=shown(day))
        return None
