"""Events of each scoring, played through the pages: the standings are what one adds up from the slips."""

from __future__ import annotations

import csv
from fractions import Fraction

import pytest
from flask import Flask

from scorekeeper.events.formats import FORMATS

from .hall import Hall, rows_of

TEN = tuple(f"Player {letter}" for letter in "ABCDEFGHIJ")
SLIPS = {  # of the two tables of two rounds, North–South first
    "total": (((41, -12), (10, 44)), ((20, 25), (42, 10))),
    "difference": (((41, -12), (10, 44)), ((20, 25), (42, 10))),
    "matchpoints": (((41, -12), (10, 44)), ((20, 25), (42, 10))),
    "tricks": (((15, 9), (11, 13)), ((12, 12), (4, 20))),
    "parties": (((3, 0), (1, 2)), ((2, 1), (1, 1))),
}
CHOICES = {"total": "average", "difference": "sixty", "matchpoints": "sixty", "tricks": "average", "parties": ""}


def worth(slug: str, slips: tuple[tuple[int, int], ...], table: int, side: int) -> int:
    """Return what a side has of a table, worked out from the slips alone."""
    own, other = slips[table][side], slips[table][1 - side]
    if slug == "parties":
        return 2 if own > other else 1 if own == other else 0
    if slug == "matchpoints":
        rival = slips[1 - table][side] - slips[1 - table][1 - side]
        return 2 if own - other > rival else 1 if own - other == rival else 0
    return own - other if slug == "difference" else own


def sat_out(slug: str, slips: tuple[tuple[int, int], ...], own: list[int]) -> Fraction:
    """Return what a round is worth that a pair sits out, given what it has in the other one."""
    made = Fraction(sum(map(sum, slips)), len(slips))  # at a table, on average
    both = [worth(slug, slips, table, side) for table in (0, 1) for side in (0, 1)]
    return {
        "total": Fraction(sum(own), len(own)) if own else Fraction(sum(both), 4),
        "tricks": Fraction(sum(own), len(own)) if own else Fraction(sum(both), 4),
        "difference": made * Fraction(6, 10) - made * Fraction(4, 10),
        "matchpoints": Fraction(6, 10) * 2,
        "parties": Fraction(2),
    }[slug]


def in_english(slug: str, score: Fraction) -> str:
    if slug == "matchpoints":
        return f"{float(score / 4 * 100):.2f}%"
    sign = "−" if score < 0 else "+" if slug == "difference" and score > 0 else ""
    return sign + f"{float(abs(score)):.2f}".rstrip("0").rstrip(".")


def played(app: Flask, slug: str) -> tuple[Hall, dict[str, Fraction]]:
    """Play an event of five pairs, whose director types the slips; return what each pair has by its first name."""
    hall = Hall(
        app, names=TEN, game="joffre", format="swiss", scoring=slug, length=3, rounds=3, sitting_out=CHOICES[slug]
    )
    scores: dict[int, list[int]] = {}
    out: dict[int, int] = {}
    for number, slips in enumerate(SLIPS[slug], start=1):
        hall.draw(number)
        state = hall.state()
        assert state.drawn[number - 1].sits_out
        out[state.drawn[number - 1].sits_out[0]] = number - 1
        for row in state.tables_of(number):
            first, second = slips[row.number - 1]
            page = hall.visit(f"rounds/{number}")
            typed = {"table": str(row.number), "score-0": str(first), "score-1": str(second)}
            assert page.send(typed).status == 200
            for side, pair in enumerate(row.pairs):
                scores.setdefault(min(pair), []).append(worth(slug, slips, row.number - 1, side))
    totals = {number: Fraction(sum(all_own)) for number, all_own in scores.items()}
    for resting, at in out.items():
        own = scores.get(resting, [])
        totals[resting] = Fraction(sum(own)) + sat_out(slug, SLIPS[slug][at], own)
    return hall, {TEN[number - 1]: total for number, total in totals.items()}


@pytest.mark.parametrize("slug", SLIPS)
def test_an_event_of_each_scoring_has_the_standings_that_its_slips_add_up_to(app: Flask, slug: str) -> None:
    assert slug in FORMATS["swiss"].scorings
    hall, expected = played(app, slug)
    rows = {row[1].split(" Player")[0]: row for row in rows_of(hall.visit("results"))}
    names = {name: next(row for first, row in rows.items() if first.endswith(name[-1])) for name in expected}
    assert {name: row[2] for name, row in names.items()} == {
        name: in_english(slug, score) for name, score in expected.items()
    }
    order = sorted(expected.values(), reverse=True)
    assert all(int(row[0]) >= order.index(expected[name]) + 1 for name, row in names.items())
    on_wall = hall.visit("wall").page.select("ol.standings b")
    assert [score.text for score in on_wall] == [row[2] for row in rows.values()]


def test_a_fraction_is_shown_in_the_readers_language_and_in_the_files(app: Flask) -> None:
    hall, expected = played(app, "difference")  # 60 % of the points of a table less 40 %, with one decimal
    fractions = [f"{float(abs(score)):.1f}" for score in expected.values() if score.denominator > 1]
    assert fractions
    wall = hall.visit("wall").text
    french = hall.director.client.get(f"{hall.path}/results", headers={"Accept-Language": "fr"}).get_data(as_text=True)
    file = hall.director.client.get(f"{hall.path}/results/standings.csv", headers={"Accept-Language": "en"})
    rows = list(csv.reader(file.text.splitlines()))
    for text in fractions:
        assert text in wall
        assert text.replace(".", ",") in french
        assert f"{text}0" in [row[4].lstrip("-") for row in rows]
