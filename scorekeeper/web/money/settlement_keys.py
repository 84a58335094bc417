"""Keys that name what is settled, in URLs and forms: all, day:<date>, table:<token> or settlement:<token>.

A game may follow all or a day, if the circle settles games apart: all:<game>, day:<date>:<game>.
"""

from __future__ import annotations

from datetime import date

from flask import abort, url_for

from ...games import games
from ...models import Circle, Settlement
from ...services.money import balances
from ...services.money.scopes import Scope
from ...services.tables.missing_games import has_tables_of
from ..support import access


def parse_day_or_404(text: str) -> date:
    """Return an ISO date; 404 for anything else."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        abort(404)


def get_settlement_or_404(circle: Circle, token: str) -> Settlement:
    """Return a settlement of the circle; 404 if it has none with this token."""
    found = balances.find_settlement(circle, token)
    if found is None:
        abort(404)
    return found


def parse_key_or_404(circle: Circle, key: str) -> tuple[Scope, Settlement | None]:
    """Return the scope that a key names, or the settlement with an empty scope; 404 if it is not in this circle."""
    kind, _, value = key.partition(":")
    if kind == "day":
        day, *game = value.split(":")
        return Scope(day=parse_day_or_404(day), game=_parse_game_or_404(circle, game)), None
    if kind == "table":
        table = access.get_table_or_404(value, needs_rules=False).stored
        if table.circle_id != circle.id:
            abort(404)
        return Scope(table=table), None
    if kind == "settlement":
        return Scope(), get_settlement_or_404(circle, value)
    scope, *game = key.split(":")
    if scope != "all":  # never taken for everything
        abort(404)
    return Scope(game=_parse_game_or_404(circle, game)), None


def _parse_game_or_404(circle: Circle, parts: list[str]) -> str | None:
    """Return the game that ends a key, if any; `parts` is what follows in it."""
    if not parts:
        return None
    slug = parts[0]
    if len(parts) > 1 or not (slug in games() or has_tables_of(circle, slug)):
        abort(404)
    return slug


def make_key(scope: Scope, game: str | None = None) -> str:
    """Return the key of a scope, or of a game in it."""
    if scope.table is not None:
        return f"table:{scope.table.token}"
    key = f"day:{scope.day}" if scope.day is not None else "all"
    return key if game is None else f"{key}:{game}"


def make_url(name: str, key: str, paid: int | None = None) -> str:
    """Return the URL of the page about what the key names; `paid` is the number of a payment to confirm on it."""
    kind, _, value = key.partition(":")
    if kind == "settlement":
        return url_for("settlements.settlement", name=name, settlement_token=value, paid=paid)
    if kind == "table":
        return url_for("settlements.of_table", token=value, paid=paid)
    if kind == "day":
        return url_for("settlements.evening", name=name, day=value.partition(":")[0], paid=paid)
    return url_for("settlements.everything", name=name, paid=paid)
