"""The pages of a game with counts within a deal, rows that are nobody's, sides only of four, and an end nobody wins."""

from __future__ import annotations

from ..visitor import Visitor

NAMES = ("Anne", "Bruno", "Chloé", "David")


def open_table(visitor: Visitor, players: int, **rules: str) -> str:
    visitor.visit("/tables/new/pegs")
    visitor.send({f"seat-{n}": name for n, name in enumerate(NAMES[:players], start=1)} | {"dealer": "1"} | rules)
    return visitor.table


def enter(visitor: Visitor, **taps: str) -> Visitor:
    visitor.visit(f"{visitor.table}deals/new").send({name.replace("_", "-"): key for name, key in taps.items()})
    assert (visitor.status, visitor.problems()) == (200, []), visitor.text
    return visitor


def test_a_count_is_on_the_table_at_once_and_leaves_the_dealer(visitor: Visitor, pegs: object) -> None:
    assert pegs
    table = open_table(visitor, 4)
    enter(visitor, pegged_ew="3")
    scores = [score.get_text(strip=True) for score in visitor.visit(table).page.select(".board .score")]
    assert scores == ["0", "3"]
    assert "Anne deals" in visitor.text
    assert "28 to go" in visitor.visit(f"{table}why/score/ew").text


def test_counts_are_called_by_the_deal_that_they_are_part_of(visitor: Visitor, pegs: object) -> None:
    assert pegs
    table = open_table(visitor, 2)
    enter(visitor, pegged_1="3")
    enter(visitor, pegged_2="1")
    assert visitor.visit(f"{table}deals/new").find("h1 [data-deal-title]").get_text() == "Deal 1"
    assert "What was counted in deal 1 stays." in visitor.text
    assert visitor.visit(table).find("#main-action").get_text() == "Record deal 1"
    enter(visitor, turned="black", calls_1="red", calls_2="red", shown_1="4", shown_2="6")
    visitor.visit(table)
    assert [number.get_text() for number in visitor.page.select(".rows .number")] == ["1", "1", "1"]
    for page in ("deals/1", "after/1"):
        assert visitor.visit(f"{table}{page}").find("h1").get_text().startswith("Count in deal 1")
    assert visitor.visit(f"{table}deals/2/amend").find("h1 [data-deal-title]").get_text() == "Edit count in deal 1"
    visitor.visit(f"{table}deals/1").send({}, "/withdraw")
    assert visitor.visit(f"{table}deals/1").find("h1").get_text().startswith("Removed count")


def test_a_correction_after_which_a_later_deal_lacks_a_field_names_it_and_takes_it_again_once_it_is_complete(
    visitor: Visitor, pegs: object
) -> None:
    """A player with 25 points needs a witness from the next hand on."""
    assert pegs
    table = open_table(visitor, 2, **{"rule-target": "90"})
    calls = {"turned": "black", "calls_1": "red", "calls_2": "red"}
    for points in ("12", "12"):
        enter(visitor, **calls, shown_1=points, shown_2="0")
    enter(visitor, **calls, shown_1="1", shown_2="0")
    before = visitor.export()["deals"]
    visitor.visit(f"{table}deals/1/amend").send({"crib-pegs.runs": "1", "do": "check"})
    assert visitor.find(".working .refusal").get_text(" ", strip=True) == (
        "Deal 3 would no longer be valid. “Witness” is missing."
    )
    visitor.send({"do": "remove"}).visit(f"{table}deals/3/amend").send({"do": "record"})
    assert visitor.problems() == ["This is missing. Tap one of these."]
    visitor.send({"witness": "2", "do": "record"})
    after = visitor.export()["deals"]
    assert (after[0]["crib"], after[2]["witness"], after[1]) == ({"runs": 1}, "Bruno", before[1])
    visitor.visit(table).send({}, "/undo").send({}, "/undo")
    assert visitor.export()["deals"] == before
