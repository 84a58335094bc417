"""Every address at which a host reads something of the prepared circle: each page and each export."""

from __future__ import annotations

from datetime import date
from itertools import product
from typing import Any

from werkzeug.routing import Rule
from werkzeug.routing.converters import AnyConverter

from .world import HOST, World

READS = {"GET", "HEAD", "OPTIONS"}

# What pages can be asked for that costs more than the page without it.
QUERIES = {
    "players.circle": ("", "?account=whist"),
    "players.show": ("", "?account=whist"),
    "search.tables": ("", "?words=Anne", "?player={Chloé}"),
    "settlements.explanation": ("?account=whist&of=everything&giver={Chloé}",),
    "standings.show": ("?account=whist",),
}
SAME_FOR_ALL = {"static", "game_style", "rules.show"}  # have arguments, but show nothing of a circle
VALUES = {"deal_id": 1, "round_number": 1, "entrant_number": 1, "number": 1, "id_": 1, "right": "watch"}


def find_pages(world: World, table: str, event: str, settlement: str, day: date) -> list[str]:
    """Return the addresses that answer 200; `table`, `event` and `settlement` are tokens."""
    with world.app.test_request_context():
        adapter = world.app.url_map.bind("localhost")
        found = []
        for rule in filter(_is_of_a_circle, world.app.url_map.iter_rules()):
            known: dict[str, Any] = VALUES | {
                "name": world.circle,
                "token": event if rule.rule.startswith("/events/") else table,
                "player_token": world.players["Anne"],
                "settlement_token": settlement,
                "planned_token": world.tables["planned"].rpartition("/")[2],
                "season_token": world.tables["season"].rpartition("/")[2],
                "day": day,
                "party": "ns",
                "seat": "1",
                "slug": "whist",
                "secret": "A" * 32,
            }
            for chosen in _choices(rule):
                values = {name: (known | chosen)[name] for name in rule.arguments}
                path = adapter.build(rule.endpoint, values, method="GET")
                found += [path + query.format(**world.players) for query in QUERIES.get(rule.endpoint, ("",))]
    client = world.client(HOST)
    return [path for path in sorted(found) if client.get(path).status_code == 200]


def _is_of_a_circle(rule: Rule) -> bool:
    is_read = "GET" in (rule.methods or set()) & READS and not rule.endpoint.endswith(".stream")
    return is_read and (rule.endpoint == "home.home" or bool(rule.arguments and rule.endpoint not in SAME_FOR_ALL))


def _choices(rule: Rule) -> list[dict[str, Any]]:
    """Return every combination of the words that a rule allows in its address."""
    words = {name: sorted(one.items) for name, one in rule._converters.items() if isinstance(one, AnyConverter)}
    return [dict(zip(words, chosen, strict=True)) for chosen in product(*words.values())]
