"""What may change between two deals of a table: its house rules, and the value of its counters in money."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from . import schema
from .common_facts import CommonFact
from .currency import SUBUNITS_PER_UNIT, list_currencies
from .problems import Problem, abbreviate_key, abbreviate_value
from .standing import TERMS, AnyStanding, value_unit
from .values import JsonObject, Value

if TYPE_CHECKING:  # which imports this module
    from .game import AnyGame

_AMOUNT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?")
_ADAPTABLE = ("ending", "limits")  # fields of a game that house rules may change in mid-game


@dataclass
class HeadReader:
    """The head of a sheet, or a change of it, and the problems found there."""

    raw: JsonObject
    problems: list[Problem] = field(default_factory=list)

    def refuse(self, path: str, key: str, **params: Any) -> None:
        self.problems.append(Problem(path, key, params))

    def check_keys(self, raw: JsonObject, keys: tuple[str, ...], required: tuple[str, ...], prefix: str = "") -> None:
        for key in required:
            if key not in raw:
                self.refuse(prefix + key, "missing")
        for key in raw:
            if key not in keys:
                self.refuse(prefix + abbreviate_key(key), "unknown-key", keys=keys)

    def read_options(self, game: AnyGame, players: tuple[str, ...] | None) -> Any:
        """Read the house rules; without valid players, whether they go together is left open."""
        rules = self.raw.get("house_rules", {})
        options = schema.load(game.options, rules, game.seats(players or ()), self.problems, "house_rules")
        if options is not None and players is not None:
            found = game.house_rules.check(options, len(players))
            self.problems += [problem._replace(field=f"house_rules.{problem.field}") for problem in found]
        return options

    def read_value(self, game: AnyGame) -> Value | None:
        if "value" not in self.raw:
            return None
        raw = self.raw["value"]
        problems_before = len(self.problems)
        if type(raw) is not dict:
            self.refuse("value", "an-object", found=abbreviate_value(raw))
            return None
        self.check_keys(raw, Value._fields, Value._fields, "value.")
        currency, unit, amount = raw.get("currency"), raw.get("unit"), raw.get("amount")
        if "currency" in raw and currency not in list_currencies():
            self.refuse("value.currency", "currency", found=abbreviate_value(currency))
        money = Decimal(amount) if type(amount) is str and _AMOUNT.fullmatch(amount) else Decimal()
        self._check_unit(game, unit, amount, money)
        if "amount" in raw and not money:
            self.refuse("value.amount", "amount", found=abbreviate_value(amount))
        return Value(raw["currency"], raw["unit"], money) if len(self.problems) == problems_before else None

    def _check_unit(self, game: AnyGame, unit: Any, amount: Any, money: Decimal) -> None:
        units = tuple(value_unit(unit) for unit in game.units)
        if not units:
            self.refuse("value", "game-without-counters")
        elif "unit" in self.raw["value"] and unit not in units:
            self.refuse("value.unit", "one-of", found=abbreviate_value(unit), choices=units)
        elif unit in units and money * SUBUNITS_PER_UNIT % (worth := game.worth_of(game.unit_of_value(unit))):
            self.refuse("value.amount", "not-divisible", found=abbreviate_value(amount), step=worth)


def value_problems(game: AnyGame, raw: Any) -> list[Problem]:
    reader = HeadReader({"value": raw})
    reader.read_value(game)
    return reader.problems


@dataclass(frozen=True)
class TermsChange(CommonFact):
    """House rules, a value or both, from the next deal on, as in the sheet's list of deals: `{"terms": {…}}`.

    `terms` has the keys `house_rules`, only those that change, null for the default, and `value`, null for none.
    """

    row_kind = TERMS
    terms: JsonObject

    def find_problems(self, game: AnyGame, standing: AnyStanding) -> list[Problem]:
        problems: list[Problem] = []
        read_terms(game, standing, self.terms, problems)
        return problems

    def change(self, game: AnyGame, standing: AnyStanding) -> None:
        """Play on under other terms.

        If nothing else stands before it, the sheet opens under them: with another starting score, for example.
        """
        standing.options, standing.value = read_terms(game, standing, self.terms, [])
        if all(row.kind == TERMS for row in standing.rows):
            opened = game.open(standing.players, standing.dealer, standing.options, standing.value)
            opened.rows = standing.rows
            for each in fields(opened):
                setattr(standing, each.name, getattr(opened, each.name))


def read_terms(
    game: AnyGame, standing: AnyStanding, terms: JsonObject, problems: list[Problem]
) -> tuple[Any, Value | None]:
    """Return the house rules and the value from a change on. They are of use only if there is no problem."""
    options = standing.options
    value = before = standing.value
    reader = HeadReader({key: part for key, part in terms.items() if part is not None})
    reader.check_keys(terms, ("house_rules", "value"), () if "value" in terms else ("house_rules",))
    if "house_rules" in terms:
        options = _read_house_rules(reader, game, standing, terms["house_rules"])
    if "value" in terms:
        value = reader.read_value(game)
        is_other = (value and value.currency) != (before and before.currency)
        if is_other and not reader.problems and standing.has_payments:
            reader.refuse("value", "value-of-earlier-payments" if value and before else "money-from-start")
    problems += [problem._replace(field=f"terms.{problem.field}") for problem in reader.problems]
    return options, value


def _read_house_rules(reader: HeadReader, game: AnyGame, standing: AnyStanding, changed: Any) -> Any:
    if type(changed) is not dict:
        reader.refuse("house_rules", "an-object", found=abbreviate_value(changed))
        return None
    named_by = game.house_rules.named_by
    if named_by and named_by in changed:
        reader.refuse(f"house_rules.{named_by}", "another-game")
        return None
    names = {each.name for each in fields(game.options)}
    merged = schema.dump(standing.options) | changed
    reader.raw["house_rules"] = {key: rule for key, rule in merged.items() if rule is not None or key not in names}
    options = reader.read_options(game, standing.players)
    if options is not None and not reader.problems:
        for name in _find_rules_of_another_game(game, standing, options):
            reader.refuse(f"house_rules.{name}", "another-game")
    return options


def _find_rules_of_another_game(game: AnyGame, standing: AnyStanding, options: Any) -> list[str]:
    """Return the changed house rules with which something else would be played; none if it is the same game."""

    def adapt(rules: Any) -> dict[str, Any]:
        changed = game.house_rules.adapt(rules, len(standing.players))
        return {name: value for name, value in changed.items() if name not in _ADAPTABLE}

    before = standing.options
    if adapt(options) == adapt(before):
        return []
    new = {each.name: getattr(options, each.name) for each in fields(options)}
    changed = [name for name, rule in new.items() if rule != getattr(before, name)]
    alone = [name for name in changed if adapt(replace(before, **{name: new[name]})) != adapt(before)]
    return alone or changed
