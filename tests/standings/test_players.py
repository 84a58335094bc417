"""Statistics of players and of a circle."""

from __future__ import annotations

from datetime import date

from flask import Flask

from scorekeeper.models import Circle, Player, db
from scorekeeper.people import writing
from scorekeeper.standings.reading import read_totals

from ..support.visitor import NAMES, Visitor


def figures(visitor: Visitor, query: str = "") -> Visitor:
    return visitor.visit(f"{visitor.circle}figures{query}")


def standings(visitor: Visitor) -> Visitor:
    return visitor.visit(f"{visitor.circle}standings")


# --- a player ------------------------------------------------------------------------------------------------


def test_a_player_page_shows_tables_contests_and_net(visitor: Visitor) -> None:
    visitor.play_robre("ew").play_robre().play_robre()
    standings(visitor).follow("Anne")
    assert "1 evening · 3 tables · 12 deals" in visitor.text
    assert visitor.texts("#whist tbody tr")[:7] == [
        "Evenings 1",
        "Tables 3 3.00",
        "Deals 12 12.00",
        "Rubbers won 2 of 3 67% 2.00",
        "Games won 4 of 6 67% 4.00",
        "Longest winning streak 2",
        "Current winning streak 2",
    ]
    assert "Balance (fiches) +5 +5.00 +0.42" in visitor.texts("#whist tbody tr")


def test_partners_and_opponents_are_listed_with_contests_won_and_lost(visitor: Visitor) -> None:
    visitor.play_robre().play_robre("ew", **{"seat-2": "Chloé", "seat-3": "Bruno"})
    standings(visitor).follow("Anne")
    assert visitor.texts("#whist details:nth-of-type(1) tbody tr") == [
        "Chloé 1 1 0",  # with whom
        "Bruno 1 0 1",
        "David 2 1 1",  # against whom
        "Bruno 1 1 0",
        "Chloé 1 0 1",
    ]


def test_figures_of_a_game_are_listed_by_part(visitor: Visitor) -> None:
    visitor.open_table("whist").record(tricks="ns-1", honours="ns-3").record(tricks="ns-1", honours="ns-4")
    visitor.record(tricks="ew-2", honours="ns-3")
    lines = standings(visitor).follow("Chloé").texts("#whist .grouped tbody tr")
    assert lines[:4] == [
        "Tricks over six 2 2.00 0.67",
        "Honours held 3 3.00 1.00",
        "three 2 2.00 0.67",
        "all four 1 1.00 0.33",
    ]


# --- the circle ----------------------------------------------------------------------------------------------


def test_where_nothing_was_paid_no_balance_is_shown(visitor: Visitor) -> None:
    visitor.open_table("any-game", 2, **{"rule-deals": "1"}).record(**{"points-1": "20", "points-2": "5"})
    assert not visitor.visit(visitor.table).page.select(".balances")
    assert "Balance" not in standings(visitor).text
    visitor.open_table("any-game", 2, **{"rule-deals": "1", "rule-stake": "1"})
    assert visitor.visit(visitor.table).page.select(".balances")
    visitor.record(**{"points-1": "20", "points-2": "5"})
    assert "Balance" in standings(visitor).text


def test_streaks_are_listed_with_everybody_who_has_them(visitor: Visitor) -> None:
    visitor.play_robre().play_robre().play_robre("ew")
    visitor.play_robre("ew").play_robre("ew")
    figures(visitor)
    assert "Longest winning streak: 3 Bruno and David" in visitor.text
    assert "Current winning streak: 3 Bruno and David" in visitor.text
    assert "under way" not in figures(visitor, f"?since={date.today().year}-01-01&until={date.today().year}-12-31").text


def test_records_show_who_and_when_and_link_to_the_table(visitor: Visitor) -> None:
    first = visitor.play_robre().table
    visitor.play_robre()
    figures(visitor)
    record = next(li for li in visitor.page.select(".records li") if "Largest rubber: won by 5" in li.get_text())
    links = record.find_all("a")
    assert [link.get_text().split(",")[0].strip() for link in links] == ["Anne and Chloé", "Anne and Chloé"]
    assert visitor.visit(str(links[0]["href"])).path == first


def years_on(visitor: Visitor) -> list[str]:
    return [link.get_text() for link in visitor.find("[aria-label='Years']").find_all("a")]


def test_a_year_can_be_chosen(visitor: Visitor) -> None:
    for day in ("2024-03-01", "2024-03-01", "2025-03-01", "2025-03-04"):
        visitor.play_robre(day=day)
    visitor.open_table("whist").record(tricks="ns-1")
    assert years_on(figures(visitor)) == ["All years", f"{date.today().year}", "2025", "2024"]
    assert "1 evening · 2 tables" in figures(visitor).follow("2024").text
    assert "2 evenings · 2 tables" in visitor.follow("2025").text
    visitor.follow("Standings · Whist")
    link = next(link for link in visitor.page.select(".tallied a") if link.get_text() in NAMES)
    assert str(link["href"]).endswith("?since=2025-01-01&until=2025-12-31")


def test_the_statistics_follow_a_merge_and_its_undoing(app: Flask, visitor: Visitor) -> None:
    visitor.play_robre().play_robre(**{"seat-1": "Annie"})
    with app.app_context():
        circle = db.session.scalars(db.select(Circle)).one()
        annie, anne = (db.session.scalars(db.select(Player).filter_by(name=name)).one() for name in ("Annie", "Anne"))
        assert writing.merge(annie, anne) is None
        assert {*read_totals(circle).games["whist"].players} == {1, 2, 3, 4}
        writing.unmerge(annie)
        assert {*read_totals(circle).games["whist"].players} == {1, 2, 3, 4, 5}
