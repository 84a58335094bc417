"""A table after random actions in its forms, compared with a plain list of facts."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from scorekeeper.games import games
from scorekeeper.scoring.statement import score
from scorekeeper.services.verify import verify

from ...apps import open_app
from ...databases import Databases
from ...visitor import Visitor, filled_in
from ..circles.test_circles import circle_of
from ..files.test_exports import upload

EXAMPLES = 8 * int(os.environ.get("FAULTS", "1"))
TRICKS = st.sampled_from([f"{side}-{over}" for side in ("ns", "ew") for over in range(1, 8)])
HONOURS = st.sampled_from(["none", "ns-3", "ns-4", "ew-3", "ew-4"])


class TableMachine(RuleBasedStateMachine):
    """Whist in two browsers. `deals` are [id, facts or None where withdrawn]; `history` how they were before each
    change that can be taken back; `sheets` what was exported, as it was then.
    """

    databases: Databases

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.url = self.databases.make(Path(self.folder.name))
        self.apps = ExitStack()
        self.app = self.apps.enter_context(open_app(self.url))
        self.visitor = Visitor(self.app).open_table("whist")
        self.table = self.visitor.table
        self.other = Visitor(self.app)
        link = self.visitor.visit(f"{self.table}share").find("#link")
        self.other.join(str(link["value"]))
        self.deals: list[list[Any]] = []
        self.history: list[list[list[Any]]] = []
        self.revisions = 0
        self.sheets: list[dict[str, Any]] = []
        self.brought_in = 0  # of these
        self.last_facts: dict[int, dict[str, Any]] = {}  # the latest facts of each deal

    def teardown(self) -> None:
        try:
            with self.app.app_context():
                assert verify().faults == []
        finally:
            self.apps.close()
            self.databases.drop(self.url)
            self.folder.cleanup()

    def facts(self, tricks: str, honours: str) -> dict[str, Any]:
        side, over = tricks.split("-")
        count = 6 + int(over)
        other = 13 - count
        deal: dict[str, Any] = {"tricks": {"ns": count, "ew": other} if side == "ns" else {"ns": other, "ew": count}}
        if honours != "none":
            deal["honours"] = {"side": honours[:2], "count": int(honours[3])}
        return deal

    def changed(self, deals: list[list[Any]]) -> None:
        self.history.append(self.deals)
        self._are_now(deals)

    def _are_now(self, deals: list[list[Any]]) -> None:
        self.deals = deals
        self.last_facts |= {deal: facts for deal, facts in deals if facts}
        self.revisions += 1

    @rule(tricks=TRICKS, honours=HONOURS)
    def record(self, tricks: str, honours: str) -> None:
        self.visitor.visit(self.table).record(tricks=tricks, honours=honours)
        assert self.visitor.status == 200
        self.changed([*self.deals, [self.revisions + 1, self.facts(tricks, honours)]])

    @rule()
    def misdeal(self) -> None:
        self.visitor.visit(f"{self.table}deals/new").send({"do": "misdeal"})
        self.changed([*self.deals, [self.revisions + 1, {"misdeal": True}]])

    @rule(tricks=TRICKS)
    def retry(self, tricks: str) -> None:
        """Send the same entry again, as if its answer had been lost."""
        self.visitor.visit(f"{self.table}deals/new")
        data = filled_in(self.visitor.form()) | {"tricks": tricks, "do": "record"}
        for _ in range(2):
            assert self.visitor.client.post(f"{self.table}deals/new", data=data).status_code == 303
        self.changed([*self.deals, [self.revisions + 1, self.facts(tricks, "none")]])

    @rule(tricks=TRICKS, theirs=TRICKS)
    def stale(self, tricks: str, theirs: str) -> None:
        """Send an entry after the other phone has written: nothing is recorded."""
        self.visitor.visit(f"{self.table}deals/new")
        self.other.visit(self.table).record(tricks=theirs)
        self.changed([*self.deals, [self.revisions + 1, self.facts(theirs, "none")]])
        self.visitor.send({"tricks": tricks, "do": "record"})
        assert self.visitor.status == 409

    @precondition(lambda self: self.deals)
    @rule(data=st.data(), tricks=TRICKS)
    def amend(self, data: st.DataObject, tricks: str) -> None:
        at = data.draw(st.integers(0, len(self.deals) - 1))
        deal, facts = self.deals[at]
        dealt = {key: value for key, value in (facts or {}).items() if key == "dealer"}
        self.visitor.visit(f"{self.table}deals/{deal}/amend").send(
            {"tricks": tricks, "honours": "none", "do": "record"}
        )
        assert self.visitor.status == 200
        amended = [deal, dealt | self.facts(tricks, "none")]
        self.changed([*self.deals[:at], amended, *self.deals[at + 1 :]])

    @precondition(lambda self: self.deals)
    @rule(data=st.data(), tricks=TRICKS)
    def insert(self, data: st.DataObject, tricks: str) -> None:
        at = data.draw(st.integers(0, len(self.deals) - 1))
        self.visitor.visit(f"{self.table}deals/{self.deals[at][0]}/insert").send({"tricks": tricks, "do": "record"})
        assert self.visitor.status == 200
        inserted = [self.revisions + 1, self.facts(tricks, "none")]
        self.changed([*self.deals[:at], inserted, *self.deals[at:]])

    @precondition(lambda self: any(facts for _, facts in self.deals))
    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        at = data.draw(st.sampled_from([n for n, (_, facts) in enumerate(self.deals) if facts]))
        deal = self.deals[at][0]
        self.visitor.visit(f"{self.table}deals/{deal}").send({}, "/withdraw")
        self.changed([*self.deals[:at], [deal, None], *self.deals[at + 1 :]])

    @precondition(lambda self: self.history)
    @rule()
    def undo(self) -> None:
        self.visitor.visit(self.table).send({}, "/undo")
        taken_back = self.history.pop()
        ids = {deal for deal, _ in taken_back}
        # A deal whose recording is undone stays at its position, withdrawn.
        self._are_now(
            [[deal, dict(map(tuple, taken_back)).get(deal)] if deal in ids else [deal, None] for deal, _ in self.deals]
        )

    @rule()
    def close_and_reopen(self) -> None:
        self.visitor.visit(self.table).more().send({}, "/close")
        self.visitor.visit(self.table).more().send({}, "/reopen")
        self.revisions += 2

    @precondition(lambda self: any(not facts for _, facts in self.deals))
    @rule(data=st.data(), by_other=st.booleans())
    def restore(self, data: st.DataObject, by_other: bool) -> None:
        """Restore a deal with its latest facts."""
        at = data.draw(st.sampled_from([n for n, (_, facts) in enumerate(self.deals) if not facts]))
        deal = self.deals[at][0]
        visitor = self.other if by_other else self.visitor
        visitor.visit(f"{self.table}deals/{deal}").send({}, "/restore")
        assert visitor.status == 200
        self.changed([*self.deals[:at], [deal, self.last_facts[deal]], *self.deals[at + 1 :]])

    @rule(tricks=TRICKS)
    def record_while_closed(self, tricks: str) -> None:
        """Close the table on the other phone while a pad is open: nothing is recorded until it is reopened."""
        self.visitor.visit(f"{self.table}deals/new")
        self.other.visit(self.table).more().send({}, "/close")
        self.revisions += 1
        self.visitor.send({"tricks": tricks, "do": "record"})
        assert self.visitor.status == 409
        self.visitor.send({"tricks": tricks, "do": "record"})
        assert self.visitor.status == 422
        self.other.visit(self.table).more().send({}, "/reopen")
        self.revisions += 1

    @rule()
    def keep_the_sheet(self) -> None:
        self.sheets.append(self.visitor.visit(self.table).export())

    @precondition(lambda self: len(self.sheets) > self.brought_in)
    @rule()
    def bring_a_sheet_in(self) -> None:
        """Import the exported sheet under a new title: it becomes another table once, and this one does not change."""
        sheet = self.sheets[self.brought_in] | {"title": f"copy {self.brought_in}"}
        self.brought_in += 1
        circle = circle_of(self.visitor.visit(self.table))
        for _ in range(2):
            upload(self.visitor, ("copy.json", json.dumps(sheet).encode()))
            self.visitor.send({"do": "record"})
            assert self.visitor.status == 200
        tables = [str(link["href"]) for link in self.visitor.visit(f"{circle}tables").page.select("a.found")]
        copies = [self.visitor.visit(table).export() for table in tables]
        assert [copy["deals"] for copy in copies if copy.get("title") == sheet["title"]] == [sheet["deals"]]

    @invariant()
    def the_sheet_is_the_list(self) -> None:
        sheet = self.visitor.visit(self.table).export()
        assert sheet["deals"] == [facts for _, facts in self.deals if facts]
        statement = score(sheet, games())
        assert isinstance(statement, dict)
        scores = [int(number.get_text(strip=True)) for number in self.visitor.page.select(".score")]
        assert scores == list(statement["scores"].values())
        assert self.other.visit(self.table).export() == sheet  # the other browser sees the same


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # Hypothesis abandons some machines halfway
def test_after_any_actions_the_sheet_equals_the_list_of_facts(databases: Databases) -> None:
    attributes = {"databases": databases}
    machine = type("Machine", (TableMachine,), attributes)
    run_state_machine_as_test(
        machine,
        settings=settings(max_examples=EXAMPLES, stateful_step_count=14),
    )
