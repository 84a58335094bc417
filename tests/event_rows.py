"""An event with a row of every kind, written without the services."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from scorekeeper.models import (
    DrawnRound,
    Entrant,
    EntrantSubstitution,
    Event,
    EventPhone,
    Player,
    ResultConfirmation,
    RoundResult,
    RoundTable,
    db,
)

AT = datetime(2026, 11, 21, 19, 30)
DAY = date(2026, 11, 21)
GUESTS = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")
FIRST, SECOND = [[1, 3], [2, 4]], [[1, 2], [5, 4]]  # who sits at the only table of each round


def add_event(circle_id: int, membership_id: int, **fields: Any) -> Event:
    """Add an event of five guests, of whom one sits out in each of two rounds; the sixth plays for number 4.

    The first round has a result that was corrected; the second, a confirmed one.
    """
    known = db.select(Player).where(Player.circle_id == circle_id, Player.name.in_(GUESTS)).order_by(Player.id)
    players = [*db.session.scalars(known)] or [Player(circle_id=circle_id, name=name) for name in GUESTS]
    event = Event(
        **{
            "token": secrets.token_urlsafe(16),
            "circle_id": circle_id,
            "title": "Anne’s drive",
            "day": DAY,
            "place": "Hall",
            "game": "whist",
            "house_rules": {},
            "format": "individual",
            "options": {},
            "scoring": "tricks",
            "sitting_out": "average",
            "rounds": 2,
            "round_unit": "deals",
            "length": 1,
            "fee": "5",
            "currency": "EUR",
            "prizes": [],
            "value": {"currency": "EUR", "unit": "fiche", "amount": "0.25"},
            "seed": 7,
            "created_at": AT,
            "entry_key": "event-page",
        }
        | fields
    )
    db.session.add_all([event, *players])
    db.session.flush()
    _add_entrants(event, [player.id for player in players])
    _add_round(
        event,
        membership_id,
        1,
        FIRST,
        [({"scores": [9, 5], "boards": [[4, 5], [5, 0]]}, "first"), ({"scores": [8, 5]}, "corrected")],
    )
    _add_round(event, membership_id, 2, SECOND, [({"scores": [0, 13], "slams": [0, 1]}, "second")])
    ids = {"circle_id": circle_id, "event_id": event.id}
    phone = {"table_number": 1, "number": 1, "generation": event.generation, "joined_at": AT}
    db.session.add(EventPhone(**ids, **phone, membership_id=membership_id))
    db.session.commit()
    return event


def _add_entrants(event: Event, players: Sequence[int]) -> None:
    ids = {"circle_id": event.circle_id, "event_id": event.id}
    for number, player_id in enumerate(players[:5], start=1):
        last = 1 if number == 3 else None
        db.session.add(
            Entrant(**ids, number=number, player_id=player_id, last_round=last, is_free=number == 2, joined_at=AT)
        )
    db.session.add(EntrantSubstitution(**ids, number=4, round=2, player_id=players[5]))


def _add_round(
    event: Event, membership_id: int, number: int, pairs: list[list[int]], bodies: Sequence[tuple[dict[str, Any], str]]
) -> None:
    ids = {"circle_id": event.circle_id, "event_id": event.id}
    begun = AT + timedelta(minutes=10 * number)
    out = [each for each in range(1, 6) if not any(each in pair for pair in pairs) and (each != 3 or number == 1)]
    db.session.add(
        DrawnRound(**ids, number=number, sits_out=out, drawn_at=begun, started_at=begun, entry_key=f"round-{number}")
    )
    last = bodies[-1][0]
    is_confirmed = len(bodies) == 1
    values = {"pairs": pairs, "result": len(bodies), "scores": last, "is_confirmed": is_confirmed}
    db.session.add(RoundTable(**ids, round=number, number=1, **values))
    for version, (body, key) in enumerate(bodies, start=1):
        where = {"round": number, "table_number": 1, "number": version, "membership_id": membership_id}
        result = RoundResult(**ids, **where, body=body, at=begun, entry_key=key)
        db.session.add(result)
        db.session.flush()
        for side in (0, 1) if is_confirmed else ():
            said = {"result_id": result.id, "side": side, "membership_id": membership_id}
            db.session.add(ResultConfirmation(circle_id=event.circle_id, **said, at=begun))
