"""A season with a handicap, written without the services."""

from __future__ import annotations

from datetime import date

from scorekeeper.models import Handicap, Season, db, new_token


def add_season(circle_id: int, player_id: int) -> Season:
    """Add a row of each kind."""
    season = Season(
        circle_id=circle_id,
        name="Anne’s winter",
        first=date(2026, 11, 1),
        last=date(2026, 12, 31),
        counts="won",
        games=["whist"],
        best=3,
        least=2,
        bonus=1,
        ties="best",
        places=[3, 2],
        entry_key=new_token(),
    )
    db.session.add(season)
    db.session.flush()
    ids = {"circle_id": circle_id, "season_id": season.id, "player_id": player_id}
    db.session.add(Handicap(**ids, kind="factor", size="1.25"))
    db.session.commit()
    return season
