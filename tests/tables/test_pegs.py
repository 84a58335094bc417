"""The pages of a game in which what a deal needs depends on the scores."""

from __future__ import annotations

from ..support.visitor import Visitor

NAMES = ("Anne", "Bruno", "Chloé", "David")


def open_table(visitor: Visitor, players: int, **rules: str) -> str:
    visitor.visit("/tables/new/pegs")
    visitor.send({f"seat-{n}": name for n, name in enumerate(NAMES[:players], start=1)} | {"dealer": "1"} | rules)
    return visitor.table


def enter(visitor: Visitor, **taps: str) -> Visitor:
    visitor.visit(f"{visitor.table}deals/new").send({name.replace("_", "-"): key for name, key in taps.items()})
    assert (visitor.status, visitor.problems()) == (200, []), visitor.text
    return visitor


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
