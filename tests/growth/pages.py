"""Every address that a host of the prepared circle can read: each page and each export."""

from __future__ import annotations

from itertools import product
from typing import Any

from werkzeug.routing import Rule
from werkzeug.routing.converters import AnyConverter

from ..races.sending import READS
from ..races.world import HOST, World

NOT_READ = {"static", "game_style"}
# What pages can be asked for that costs more than the page without it.
QUERIES = {
    "search.tables": ("", "?words=Anne", "?player=1"),
    "standings.show": ("?account=whist",),
    "players.circle": ("", "?account=whist"),
    "players.show": ("", "?account=whist"),
    "settlements.explanation": ("?account=whist&of=everything&person=3",),
}


def find_pages(world: World, table: str, event: str) -> list[tuple[str, str]]:
    """Return endpoints and addresses with a GET method that answer 200 to the host."""
    with world.session() as session:
        from scorekeeper.models import Table  # noqa: PLC0415

        day = session.query(Table.day).order_by(Table.day.desc()).first()[0]
    values: dict[str, Any] = {
        "name": world.circle,
        "day": day,
        "deal_id": 1,
        "player_id": 1,
        "round_number": 1,
        "entrant_number": 1,
        "number": 1,
        "id_": 1,
        "party": "ns",
        "seat": "1",
        "slug": "whist",
        "right": "watch",
        "secret": "A" * 32,
    }
    found = []
    with world.app.test_request_context():
        adapter = world.app.url_map.bind("localhost")
        for rule in world.app.url_map.iter_rules():
            if (
                rule.endpoint not in NOT_READ
                and not rule.endpoint.endswith(".stream")
                and "GET" in (rule.methods or set()) & READS
            ):
                token = event if rule.rule.startswith("/events/") else table
                for chosen in _choices(rule):
                    known = values | {"token": token} | chosen
                    path = adapter.build(rule.endpoint, {name: known[name] for name in rule.arguments}, method="GET")
                    found += [(rule.endpoint, path + query) for query in QUERIES.get(rule.endpoint, ("",))]
    client = world.client(HOST)
    return [(endpoint, path) for endpoint, path in sorted(found) if client.get(path).status_code == 200]


def _choices(rule: Rule) -> list[dict[str, str]]:
    """Return every combination of the words that a rule allows in its address."""
    words = {name: sorted(one.items) for name, one in rule._converters.items() if isinstance(one, AnyConverter)}
    return [dict(zip(words, chosen, strict=True)) for chosen in product(*words.values())]
