"""Every page takes the same number of SQL statements with five times the data; so does every entry."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from flask import Flask

from .support.filled import Circle, fill_circle, fill_features, make_season, plan_evening, play_table, requests
from .support.statements import counted
from .support.visitor import NAMES, Visitor, filled_in

FEW = 1
MANY = 5 * FEW
# They read events one after the other: hundreds of them would not fit into memory.
BY_EVENT = {"circle_files.download", "person_files.download", "person_files.show"}
GUESTS = tuple(f"Guest {number}" for number in range(8 * MANY))


def grow(circle: Circle, number: int) -> None:
    """Add so many of everything: tables on evenings of their own with new people, payments, plans, seasons, events."""
    host = circle.host
    for index in range(number):
        names = {f"seat-{seat}": f"{name} {index}" for seat, name in enumerate(NAMES[:3], start=1)}
        day = date(2026, 1, 1) + timedelta(index)
        play_table(host, **names, day=day.isoformat(), place=f"Place {index}", currency="EUR", amount="0.25")
        play_table(host, 1)
        plan_evening(circle)
        make_season(circle)
        table = f"/tables/{circle.values['token']}/"
        host.visit(table).record(tricks="ns-5")
        host.visit(f"{table}deals/1/amend").send({"tricks": f"ns-{1 + index % 7}", "do": "record"})
        if index % MANY == 0:
            fill_features(circle)


def count_statements(app: Flask, circle: Circle) -> dict[str, int]:
    """Return how many statements each page takes, once it has been read."""
    found = {}
    for rule, method, path in requests(app, circle.values):
        is_page = method == "GET" and rule.arguments and rule.endpoint not in BY_EVENT
        if is_page and not rule.endpoint.endswith("stream"):
            circle.host.client.get(path).close()  # the first request computes what is cached
            with counted(app) as statements, circle.host.client.get(path) as answer:
                answer.get_data()
            if answer.status_code == 200:
                found[rule.endpoint] = len(statements)
    return found


def count_of_entries(app: Flask, circle: Circle) -> dict[str, int]:
    """Return how many statements entries take at the table, and people's forms."""
    table, person = f"/tables/{circle.values['token']}/", f"{circle.path}people/{circle.values['player_token']}"
    found = {}

    def send(page: str, action: str, **fields: str) -> None:
        form = circle.host.visit(page).form(action)
        data = filled_in(form) | fields
        with counted(app) as statements:
            answer = circle.host.client.post(str(form.get("action", page)), data=data)
        assert answer.status_code == 303, (page, action)
        found[action] = len(statements)

    seats = {f"seat-{seat}": name for seat, name in enumerate(NAMES[:4], start=1)}
    send("/tables/new/whist", "whist", **seats)
    send(f"{table}deals/new", "deals/new", tricks="ns-1", do="record")
    send(f"{table}deals/1/amend", "amend", tricks="ns-2", do="record")
    send(f"{table}deals/1", "withdraw")
    send(f"{table}deals/1", "restore")
    send(table, "undo")
    send(f"{table}more", "close")
    send(f"{table}more", "reopen")
    send(person, "rename", name="Annette")
    send(person, "rename", name="Anne")
    return found


@pytest.mark.slow
def test_pages_and_entries_take_the_same_number_of_statements_with_five_times_the_data(
    app: Flask, visitor: Visitor
) -> None:
    circle = fill_circle(visitor)
    grow(circle, FEW)
    play_table(circle.host, currency="EUR", amount="0.25")  # what is paid for it is for everything
    count_of_entries(app, circle)  # so that what is counted first has been done once before
    few, entries = count_statements(app, circle), count_of_entries(app, circle)
    grow(circle, MANY - FEW)
    fill_features(circle, GUESTS)
    many, more_entries = count_statements(app, circle), count_of_entries(app, circle)
    assert len(few) > 60
    few, many = few | entries, many | more_entries
    assert {what: (few[what], count) for what, count in many.items() if count > few.get(what, count)} == {}
