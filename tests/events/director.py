"""An event that a director runs by its pages, without scripts."""

from __future__ import annotations

from typing import Any

from tests.visitor import Visitor

NAMES = ("Anne", "Bruno", "Chloé", "David", "Emma", "Félix", "Gabrielle", "Hugo", "Inès")


class Director:
    """A visitor who has set up an event in their circle."""

    def __init__(self, visitor: Visitor, **fields: str) -> None:
        self.visitor = visitor
        visitor.open_table("whist", **{f"seat-{n}": f"Player {n}" for n in range(1, 5)})
        self.circle = visitor.circle
        visitor.visit(f"/circles/{self.circle}/events/new?format={fields.get('format', 'individual')}")
        drive = {"title": "Spring drive", "game": "whist", "scoring": "tricks", "rounds": "3", "length": "1"}
        visitor.send(drive | fields)
        assert visitor.path.endswith("/entrants"), visitor.problems()
        self.token = visitor.path.split("/")[2]

    def visit(self, page: str = "director") -> Visitor:
        return self.visitor.visit(f"/events/{self.token}/{page}")

    def enter(self, *names: str, **fields: Any) -> Visitor:
        return self.visit("entrants").send({"names": "\n".join(names), **fields}, "/entrants")

    def press(self, what: str) -> Visitor:
        """Press one of the buttons of the director's page, by the end of its form's address."""
        return self.visit().send({}, what)

    def begin(self, number: int = 1) -> Visitor:
        self.press("/rounds")
        return self.press(f"/rounds/{number}/start")

    def slip(self, round_number: int, table: int | str, score: str = "8", **fields: Any) -> Visitor:
        return self.visit(f"rounds/{round_number}").send({"table": str(table), "score-0": score, **fields})

    def slips(self, round_number: int, tables: int) -> None:
        for table in range(1, tables + 1):
            self.slip(round_number, table)
            assert not self.visitor.problems()
