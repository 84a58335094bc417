"""Seasons on pages: made, read with the reasons, handicaps, trophies to share; and nothing for a circle without one."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from flask import Flask

from scorekeeper.models import Table, db
from scorekeeper.site.time_zones import find_today

from ..support.visitor import Visitor, filled_in


def today() -> date:
    return find_today(None)


@pytest.fixture
def host(visitor: Visitor) -> Visitor:
    """A circle of three who have played two tables of a game of points: 20, 5 and 0, then 1, 2 and 3."""
    for points in ((20, 5, 0), (1, 2, 3)):
        names = dict(zip(("seat-1", "seat-2", "seat-3"), ("Anne", "Bruno", "Chloé"), strict=True))
        visitor.open_table("any-game", 3, **names)
        visitor.record(**{f"points-{seat}": str(each) for seat, each in enumerate(points, start=1)})
    return visitor


def move(app: Flask, days: int) -> None:
    """Move the first table to an earlier evening."""
    with app.app_context():
        table = db.session.scalars(db.select(Table).order_by(Table.id)).first()
        assert table is not None
        table.day = table.played_on = today() - timedelta(days=days)
        db.session.commit()


def make(visitor: Visitor, **fields: Any) -> str:
    """Make a season, by default of the points since a month ago until tomorrow; return the path of its page."""
    page = visitor.visit(f"{visitor.circle}seasons/new").page
    game = next(str(box["value"]) for box in page.select("[name=games]") if str(box["value"]).startswith("any-game"))
    days = {"first": str(today() - timedelta(days=30)), "last": str(today() + timedelta(days=1))}
    visitor.send({"name": "Winter", "counts": "points", "games": game} | days | fields)
    assert visitor.status == 200, visitor.text
    return visitor.path


def rows(visitor: Visitor) -> list[str]:
    return [" ".join(row.get_text(" ", strip=True).split()) for row in visitor.page.select(".season tr:has(.rank)")]


def reasons(visitor: Visitor, name: str) -> str:
    details = next(each for each in visitor.page.select(".season details") if name in each.get_text())
    return " ".join(details.get_text(" ", strip=True).split())


def over(visitor: Visitor, **fields: Any) -> str:
    """Make a season that is over, with the evening a week ago; return its path."""
    move(visitor.client.application, 7)
    return make(visitor, last=str(today() - timedelta(days=1)), **fields)


def test_the_table_says_why_each_is_where_they_are(app: Flask, host: Visitor) -> None:
    move(app, 7)
    make(host, best="1", bonus="2", least="2")
    assert rows(host) == ["1 Anne 2 24", "2 Bruno 2 9", "3 Chloé 2 7"]
    assert f"{today():%A} {today().day} {today():%B} not among the best 1" in reasons(host, "Anne")
    assert "Bonus for 2 evenings: +4 Total: 24" in reasons(host, "Anne")
    host.visit(f"{host.path}/change").send({"least": "3"})
    assert rows(host)[0] == "– Anne 2 of 3 evenings 2 24"


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ({"name": " "}, "The name is missing. Enter one, such as Winter 2026."),
        ({"name": "x" * 81}, "This text is too long. Use at most 80 characters."),
        ({"first": "soon"}, "soon is not a date. Write year, month and day, such as 2026-11-20."),
        ({"last": " "}, "The date is missing. Enter the day of the evening."),
        ({"counts": "luck"}, "This cannot be chosen. Choose one from the list."),
        ({"games": "chess"}, "This cannot be chosen. Choose one from the list."),
        ({"currency": "XYZ"}, "This cannot be chosen. Choose one from the list."),
        ({"best": "0"}, "This must be a whole number from 1 to 366."),
        ({"least": "some"}, "This must be a whole number from 0 to 366."),
        ({"bonus": "1.5"}, "This must be a whole number from 0 to 1,000."),
        ({"ties": "toss"}, "This cannot be chosen. Choose one from the list."),
        (
            {"places": "3 two"},
            "two is not a number of points from 0 to 10,000. Write whole numbers with spaces between "
            "them, such as 10 8 6.",
        ),
        (
            {"places": "1,000 500"},
            "1,000 is not a number of points from 0 to 10,000. Write whole numbers with spaces between "
            "them, such as 10 8 6.",
        ),
        ({"counts": "money"}, "Places at events give points or wins only. Leave this empty, or count points or wins."),
    ],
)
def test_what_is_wrong_with_a_season_is_said_beside_it_and_nothing_typed_is_lost(
    host: Visitor, sent: dict[str, str], problem: str
) -> None:
    host.visit(f"{host.circle}seasons/new")
    host.send({"name": "Winter", "last": str(today()), "places": "3 2"} | sent)
    assert (host.status, host.problems()) == (422, [problem])
    typed = {
        name: value.strip() for name, value in sent.items() if host.page.select_one(f"input[type=text][name={name}]")
    }
    assert {name: host.find(f"[name={name}]")["value"] for name in typed} == typed


@pytest.mark.parametrize("typed", ["10 8 6", "10,8,6", "10, 8, 6,", "10;8; 6"])
def test_points_for_places_are_separated_by_spaces_commas_or_semicolons(host: Visitor, typed: str) -> None:
    host.visit(f"{host.circle}seasons/new").send({"name": "Winter", "last": str(today()), "places": typed})
    assert host.visit(f"{host.path}/change").find("[name=places]")["value"] == "10 8 6"


def test_a_form_sent_twice_makes_one_season_and_one_from_an_outdated_page_changes_none(host: Visitor) -> None:
    form = filled_in(host.visit(f"{host.circle}seasons/new").form()) | {"name": "Winter", "last": str(today())}
    for _ in range(2):
        assert host.client.post(f"{host.circle}seasons/new", data=form).status_code == 303
    assert len(host.visit(f"{host.circle}seasons").texts(".cards li")) == 1
    host.follow("Winter").follow("Change")
    season = host.form()
    path = host.path
    host.send({"name": "Autumn"}, form=season)
    host.path = path
    host.send({"name": "Spring"}, form=season)
    assert (host.status, host.find("[name=name]")["value"]) == (409, "Spring")
    assert host.send({}).status == 200
    assert "Spring" in host.text


def test_handicaps_are_shown_where_they_count_and_bad_ones_are_kept_on_the_form(host: Visitor) -> None:
    make(host)
    host.follow("Handicaps")
    names = [str(box["name"]) for box in host.page.select("[name$=-size]")]
    host.send({names[0]: "1.2555", names[1]: "2.5"})
    assert host.status == 422
    limits = "This must be a number from −10,000 to 10,000, with at most 2 decimal places."
    assert host.problems() == [f"{limits} Leave it empty for no handicap."]
    assert [host.find(f"[name='{name}']")["value"] for name in names[:2]] == ["1.2555", "2.5"]
    host.send({names[0]: "1,000"})
    assert host.problems() == ["“1,000” can mean 1 or 1000. Write 1.00 or 1000."]
    kind = names[0].replace("-size", "-kind")
    host.send({names[0]: "1.5", kind: "factor", names[1]: "-0.5"})
    assert rows(host) == ["1 Anne 1 31.5 × 1.5", "2 Bruno 1 6.5 −0.5 each evening", "3 Chloé 1 3"]
    assert "21 +10.5 31.5" in reasons(host, "Anne")


def test_handicaps_of_an_outdated_page_are_refused_and_shown_with_what_was_saved_meanwhile(host: Visitor) -> None:
    make(host)
    form = host.follow("Handicaps").form()
    path = host.path
    sizes = [str(box["name"]) for box in host.page.select("[name$=-size]")]
    for _ in range(2):
        assert host.client.post(path, data=filled_in(form) | {sizes[0]: "2"}).status_code == 303
    host.send({sizes[1]: "3"}, form=form)
    assert host.status == 409
    assert "Saved meanwhile: +2 each evening" in host.text
    assert "Saved meanwhile: no handicap" in host.text
    assert [host.find(f"[name='{name}']").get("value", "") for name in sizes] == ["", "3", ""]
    host.send({sizes[2]: "many", sizes[0].replace("-size", "-kind"): "luck"})
    assert [problem.partition(".")[0] for problem in host.problems()] == [
        "This cannot be chosen",
        "This must be a number from −10,000 to 10,000, with at most 2 decimal places",
    ]


def test_who_may_only_watch_reads_the_table_and_changes_nothing(host: Visitor, another: Visitor) -> None:
    path = make(host)
    another.join(host.link("watch")).visit(path)
    assert len(rows(another)) == 3
    assert another.page.select("a[href$=change], a[href$=handicaps]") == []


def test_trophies_are_given_when_the_season_is_over_and_shared_as_an_image(host: Visitor) -> None:
    path = make(host)
    assert host.visit(f"{path}/trophies").path == path
    path = over(host)
    assert "1 table of these evenings is still open" in host.text
    host.follow("Trophies")
    for line in ("Winner Anne Points: 20", "Second place Bruno Points: 5", "Best evening Anne Points: 20"):
        assert line in host.text
    assert "Most faithful Anne, Bruno & Chloé 1 evening" in host.text
    assert "Winner\nAnne\nPoints: 20" in str(host.find("#recap").get_text())
