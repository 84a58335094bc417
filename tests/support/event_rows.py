"""An event with a row of every kind, written without the services."""

from __future__ import annotations

import secrets
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
CORRECTED, CONFIRMED = {"scores": [8, 5]}, {"scores": [0, 13], "slams": [0, 1]}


def add_event(circle_id: int, membership_id: int, **fields: Any) -> Event:
    """Add an event of five guests, of whom one sits out in each of two rounds; the sixth plays for number 4.

    The first round has a result that was corrected; the second, a confirmed one. Number 3 has left before it.
    """
    known = db.select(Player).where(Player.circle_id == circle_id, Player.name.in_(GUESTS)).order_by(Player.id)
    players = [*db.session.scalars(known)] or [Player(circle_id=circle_id, name=name) for name in GUESTS]
    usual = {
        **{"title": "Anne’s drive", "day": DAY, "place": "Hall", "game": "whist", "house_rules": {}},
        **{"format": "individual", "options": {}, "scoring": "tricks", "sitting_out": "average", "prizes": []},
        **{"rounds": 2, "round_unit": "deals", "length": 1, "fee": "5", "currency": "EUR", "seed": 7},
        **{"value": {"currency": "EUR", "unit": "fiche", "amount": "0.25"}, "created_at": AT},
        **{"token": secrets.token_urlsafe(16), "entry_key": "event-page"},
    }
    event = Event(**usual | fields, circle_id=circle_id)
    db.session.add_all([event, *players])
    db.session.flush()
    ids, by = {"circle_id": circle_id, "event_id": event.id}, {"membership_id": membership_id}
    for number, player in enumerate(players[:5], start=1):
        last, is_free = 1 if number == 3 else None, number == 2
        db.session.add(
            Entrant(**ids, number=number, player_id=player.id, last_round=last, is_free=is_free, joined_at=AT)
        )
    for number, sits_out in ((1, [5]), (2, [])):
        begun = AT + timedelta(minutes=10 * number)
        key = f"round-{number}"
        db.session.add(
            DrawnRound(**ids, number=number, sits_out=sits_out, drawn_at=begun, started_at=begun, entry_key=key)
        )
    first: dict[str, Any] = {**ids, **by, "round": 1, "table_number": 1, "at": AT + timedelta(minutes=10)}
    second: dict[str, Any] = first | {"round": 2, "at": AT + timedelta(minutes=20)}
    said = [ResultConfirmation(circle_id=circle_id, side=side, **by, at=second["at"]) for side in (0, 1)]
    boards = {"scores": [9, 5], "boards": [[4, 5], [5, 0]]}
    db.session.add_all(
        [
            EntrantSubstitution(**ids, number=4, round=2, player_id=players[5].id),
            RoundTable(**ids, round=1, number=1, pairs=[[1, 3], [2, 4]], result=2, scores=CORRECTED),
            RoundTable(**ids, round=2, number=1, pairs=[[1, 2], [5, 4]], result=1, scores=CONFIRMED, is_confirmed=True),
            RoundResult(**first, number=1, body=boards, entry_key="first"),
            RoundResult(**first, number=2, body=CORRECTED, entry_key="corrected"),
            RoundResult(**second, number=1, body=CONFIRMED, entry_key="second", confirmations=said),
            EventPhone(**ids, **by, table_number=1, number=1, generation=event.generation, joined_at=AT),
        ]
    )
    db.session.commit()
    return event
