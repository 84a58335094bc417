"""Seasons through the services: made once, changed under a key, handicaps, and tables from what was played."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from scorekeeper.db.outcome import Done
from scorekeeper.games import games
from scorekeeper.limits import MAX_SEASON_DAYS
from scorekeeper.models import Handicap, Player, Season, db
from scorekeeper.people import erasure
from scorekeeper.scoring.problems import Refusal
from scorekeeper.standings import handicaps, season_table, seasons
from scorekeeper.standings.handicaps import WantedHandicap
from scorekeeper.standings.season_ranking import FACTOR, MONEY, NET, POINTS, SeasonRow
from scorekeeper.standings.seasons import SeasonSettings, can_count

from ...support.club import GAME, NEXT_DAY, Club
from ...tables.states import points

WANTED = SeasonSettings("Winter", date(2026, 11, 1), date(2026, 12, 31), NET, (GAME,))


class Seasons:
    """A circle of four who have played on two evenings, and its season."""

    def __init__(self, club: Club) -> None:
        self.club = club
        club.table(("David", "Anne", 6), ("Chloé", "Bruno", 1))
        club.table(("Anne", "Bruno", 2), day=NEXT_DAY)

    def make(self, key: str = "page", **changed: Any) -> object:
        return seasons.create(self.club.circle, replace(WANTED, **changed), key, self.club.membership)

    @property
    def season(self) -> Season:
        return db.session.scalars(db.select(Season).order_by(Season.id.desc()).limit(1)).one()

    def rows(self, **changed: Any) -> dict[str, SeasonRow]:
        """Make a season; return its rows by name."""
        made = self.make(key=f"page {db.session.query(Season).count()}", **changed)
        assert isinstance(made, Done), made
        return self.read()

    def read(self) -> dict[str, SeasonRow]:
        db.session.rollback()
        players = db.session.scalars(db.select(Player))
        names = {player.id: player.name for player in players}
        return {names[row.player]: row for row in season_table.read_table(self.club.circle, self.season).rows}

    def totals(self, **changed: Any) -> dict[str, Fraction]:
        return {name: row.total for name, row in self.rows(**changed).items()}

    def give(self, name: str, kind: str, amount: str | Decimal | None) -> object:
        given = handicaps.build_seen(handicaps.read_handicaps(self.club.circle, self.season))
        wanted = {self.club.player(name).id: WantedHandicap(kind, Decimal(amount) if amount else None)}
        return handicaps.set_handicaps(self.season, wanted, given, self.club.membership)


@pytest.fixture
def played(club: Club) -> Seasons:
    return Seasons(club)


def problems_of(result: object) -> list[str]:
    assert isinstance(result, Refusal), result
    return [problem.key for problem in result.problems]


# --- writes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "problems"),
    [
        ({"last": date(2026, 10, 31)}, ["season-ends-first"]),
        ({"last": date(2026, 11, 1) + timedelta(MAX_SEASON_DAYS)}, ["season-too-long"]),
        ({"first": date(1600, 1, 1)}, ["early-day", "season-too-long"]),
        ({"games": ()}, ["season-one-game"]),
        ({"counts": MONEY}, ["season-currency-missing"]),
        ({"counts": MONEY, "currency": "EUR", "bonus": 1}, ["season-money-is-paid"]),
        ({"lowest_wins": True}, ["season-lowest-points"]),
        ({"places": (3, 2)}, ["season-places-of-points"]),
        ({"counts": POINTS, "lowest_wins": True, "places": (3, 2)}, ["season-no-points", "season-places-lowest"]),
    ],
)
def test_what_does_not_go_together_is_refused(played: Seasons, changed: dict[str, Any], problems: list[str]) -> None:
    assert problems_of(played.make(**changed)) == problems


# --- what counts -------------------------------------------------------------------------------------------


def test_only_evenings_of_the_season_and_its_games_count(played: Seasons) -> None:
    played.club.table(("Anne", "David", 50), day=date(2026, 10, 31))
    played.club.table(("Anne", "David", 50), game="quarante-de-rois")
    assert played.totals()["Anne"] == 4
    assert played.totals(last=date(2026, 11, 20))["Anne"] == 6
    assert played.totals(best=1) == {"Anne": 6, "Bruno": 2, "Chloé": 0, "David": 0}


def test_points_are_final_scores_of_both_partners(played: Seasons) -> None:
    game = next(slug for slug, each in games().items() if each.in_sides and can_count(POINTS, slug))
    table = played.club.table(("Anne", "Bruno", 1), game=game)
    played.club.write(played.club.read(table), points(3))
    totals = played.totals(counts=POINTS, games=(game,))
    scores = played.club.read(table).standing.scores
    assert totals == dict(
        zip(("Anne", "Chloé", "Bruno", "David"), [scores["ns"]] * 2 + [scores["ew"]] * 2, strict=True)
    )


# --- handicaps ---------------------------------------------------------------------------------------------


def test_handicaps_count_for_each_evening_and_are_kept_as_typed(played: Seasons) -> None:
    played.make()
    assert played.give("Anne", POINTS, "-1.5") == Done(None)
    assert played.give("Bruno", FACTOR, "1.25") == Done(None)
    rows = played.read()
    assert [rows[name].total for name in ("Anne", "Bruno")] == [Fraction(1), Fraction("3.75")]
    assert [each.change for each in rows["Bruno"].evenings] == [Fraction("0.25"), Fraction("0.5")]
    assert played.give("Anne", POINTS, None) == Done(None)
    assert played.read()["Anne"].total == 4
    assert db.session.query(Handicap).count() == 1


def test_a_merged_players_handicap_is_the_persons_until_they_have_their_own_and_goes_with_their_name(
    played: Seasons,
) -> None:
    played.make()
    played.club.table(("Bruno", "Annie", 1), names=("Annie", "Bruno", "Chloé", "David"), day=date(2026, 11, 27))
    played.give("Annie", POINTS, "3")
    assert played.read()["Annie"].total == 4
    played.club.merge("Annie", into="Anne")
    assert played.read()["Anne"].total == 4 + 1 + 3 * 3
    played.give("Anne", POINTS, "1")
    assert played.read()["Anne"].total == 4 + 1 + 3
    assert db.session.query(Handicap).count() == 1
    erasure.erase(played.club.player("Anne"))
    assert db.session.query(Handicap).count() == 0
