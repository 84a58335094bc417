"""Standings and any period: ranges of evenings, what is typed instead of dates, ratings, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta

from flask import Flask
from hypothesis import given, settings
from hypothesis import strategies as st

from scorekeeper.circles.lifecycle import change_setting
from scorekeeper.games import games
from scorekeeper.models import Circle, Player, Table, db
from scorekeeper.people import erasure, writing
from scorekeeper.standings.ratings import Rating, RatingState, list_contests, list_ratings, rate
from scorekeeper.standings.reading import read_person_ids, read_ratings, read_totals
from scorekeeper.standings.totals import Totals
from scorekeeper.tables.named_games import find_game_key
from scorekeeper.tables.summary import was_played

from ..files.importing import import_random_sheets
from ..support.visitor import Visitor

FEW = settings(max_examples=12)
FIRST = date(2024, 11, 3)


def standings(visitor: Visitor, query: str = "") -> Visitor:
    return visitor.visit(f"{visitor.circle}standings{query}")


@contextmanager
def the_circle(app: Flask) -> Iterator[Circle]:
    with app.app_context():
        yield db.session.scalars(db.select(Circle)).one()


def show_ratings(app: Flask) -> None:
    with the_circle(app) as circle:
        change_setting(circle, "shows_ratings", True, circle.memberships[0])


# --- any period ----------------------------------------------------------------------------------------------


def totals_by_hand(circle: Circle, since: date, until: date) -> Totals:
    """Add up the tables of some evenings one by one."""
    persons = read_person_ids(circle.id)
    tables = db.session.scalars(
        db.select(Table).where(Table.day.between(since, until)).order_by(Table.day, Table.id)
    ).all()
    totals = Totals()
    for table in filter(lambda table: was_played(table.summary.data), tables):
        game, key = games()[table.game], find_game_key(table)
        totals.add(table.id, table.day.isoformat(), game, table.summary.data, persons, key)
    return totals


def test_the_totals_of_any_range_are_those_of_its_tables(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist", day="2024-11-01")
    with the_circle(app) as circle:
        import_random_sheets(circle.memberships[0], 40, FIRST, apart=23)

        @given(st.integers(-40, 520), st.integers(0, 560))
        @FEW
        def check(start: int, length: int) -> None:
            since = FIRST + timedelta(days=start)
            until = since + timedelta(days=length)
            found = read_totals(circle, since, until)
            expected = totals_by_hand(circle, since, until)
            assert found.games == expected.games
            assert found.deals == expected.deals
            assert found.net_results == expected.net_results

        check()


NO_DATES = ("2026-02-30", "0000-01-01", "soon", "²⁰²⁶-01-01", "٢٠٢٦-٠١-٠١", "10000-01-01", "-1", "9" * 5000, "𝟚")


def test_what_is_no_date_is_answered_with_its_field_and_what_was_typed(visitor: Visitor) -> None:
    visitor.play_robre()
    player = standings(visitor).follow("Anne").path.removeprefix(visitor.circle)
    pages = ["figures"] * len(NO_DATES) + ["standings", player]
    for page, typed in zip(pages, (*NO_DATES, "soon", "soon"), strict=True):
        query = {"since": typed, "until": "2026-12-01"}
        answer = visitor.client.get(f"{visitor.circle}{page}", query_string=query)
        text = answer.get_data(as_text=True)
        assert answer.status_code == 422, typed
        assert "is not a date. Write year, month and day" in text
        assert "From:" in text
        assert f'value="{typed}"' in text
        assert 'value="2026-12-01"' in text
        assert "Balance (fiches)" not in text


# --- the page ------------------------------------------------------------------------------------------------


def test_the_standings_of_a_game_have_totals_and_averages(visitor: Visitor) -> None:
    visitor.play_robre(day="2026-03-05").play_robre("ew", day="2026-03-05")
    visitor.play_robre(day="2026-03-06")
    standings(visitor)
    assert visitor.texts("main tbody tr") == [
        "1 Anne +5 +2.50 +0.42 2 of 3 67% 2 12",
        "1 Chloé +5 +2.50 +0.42 2 of 3 67% 2 12",
        "3 Bruno −5 −2.50 −0.42 1 of 3 33% 2 12",
        "3 David −5 −2.50 −0.42 1 of 3 33% 2 12",
    ]
    assert standings(visitor, "?by=won&since=2026-01-01").texts("main tbody tr")[0].startswith("1 Anne")
    assert standings(visitor, "?by=nonsense").texts("main tbody tr")[0].startswith("1 Anne")
    assert "Nothing was played in this period." in standings(visitor, "?account=joffre").text


def test_the_screen_has_places_names_and_one_number_and_loads_itself_again(visitor: Visitor) -> None:
    visitor.play_robre()
    standings(visitor, "/screen?by=evening")
    places = [" ".join(place.get_text(" ").split()) for place in visitor.page.select(".ranking li")]
    assert places[0] == "1 Anne +5.00 1 evening"
    answer = visitor.client.get(f"{visitor.circle}standings/screen")
    assert answer.headers["Refresh"] == "60"


def test_an_erased_and_a_merged_person_have_one_place(app: Flask, visitor: Visitor) -> None:
    visitor.play_robre().play_robre(**{"seat-1": "Annie"})
    show_ratings(app)
    with the_circle(app):
        annie, anne = (db.session.scalars(db.select(Player).filter_by(name=name)).one() for name in ("Annie", "Anne"))
        assert writing.merge(annie, anne) is None
        erasure.erase(db.session.get_one(Player, 1))
    lines = standings(visitor).texts("main tbody tr")
    assert len(lines) == 4
    assert any("N. N. 1" in line for line in lines)
    assert "Ann" not in visitor.find("main").get_text()


# --- ratings -------------------------------------------------------------------------------------------------


def ratings_by_hand(circle: Circle, until: date = date.max) -> dict[str, dict[int, Rating]]:
    persons, states = read_person_ids(circle.id), dict[str, RatingState]()
    query = db.select(Table).where(Table.day <= until).order_by(Table.day, Table.id)
    for table in db.session.scalars(query):
        game = games()[table.game]
        if game.contest is not None:
            rate(states.setdefault(find_game_key(table), {}), list_contests(game, table.summary.data, persons))
    return {slug: list_ratings(state) for slug, state in states.items() if state}


def test_ratings_are_shown_only_where_a_host_has_turned_them_on(visitor: Visitor) -> None:
    visitor.play_robre()
    assert "1062" not in standings(visitor).text
    assert "±" not in visitor.text
    visitor.send({"turned": "yes"}, "/ratings")
    assert "±" in visitor.text
    assert "provisional" in visitor.text
    assert "It is not money" in visitor.text
    assert any(row.startswith("Rating") for row in visitor.follow("Anne").texts("#whist tbody tr"))
    standings(visitor, "?by=rating").send({"turned": "no"}, "/ratings")
    assert "±" not in visitor.text
    assert "±" not in visitor.follow("Anne").text


def test_ratings_are_those_of_a_replay_in_order_of_the_evenings(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist", day="2024-11-01")
    with the_circle(app) as circle:
        import_random_sheets(circle.memberships[0], 40, FIRST, apart=23)
        for day in (None, date(2025, 3, 3)):
            assert read_ratings(circle, day) == ratings_by_hand(circle, day or date.max)
