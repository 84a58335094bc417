"""Bugs to plant, which the laws have to find: each is a change of one definition's text, made in this process only."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from textwrap import dedent
from types import ModuleType
from typing import Any, NamedTuple
from unittest import mock

from scorekeeper.db import transactions
from scorekeeper.services import invalidation
from scorekeeper.services.events import results
from scorekeeper.services.files import storing
from scorekeeper.services.money import payments
from scorekeeper.services.tables import replayed, table


class Bug(NamedTuple):
    """A text of a definition, which may be a method or an assignment, and what somebody wrote instead.

    `test` fails with it; "" if seeds find it. It shows only in a moment that hardly any evening has.
    """

    title: str
    module: ModuleType
    name: str
    right: str
    wrong: str
    test: str = ""

    @contextmanager
    def planted(self) -> Iterator[None]:
        """Run the app with the bug."""
        owner: Any = self.module
        *classes, name = self.name.split(".")
        for each in classes:
            owner = getattr(owner, each)
        text = _text_of(self.module, self.name)
        assert text.count(self.right) == 1, f"{self.name} no longer has “{self.right}” once"
        defined: dict[str, Any] = {}
        exec(text.replace(self.right, self.wrong), vars(self.module), defined)  # noqa: S102  # our own code
        original = getattr(owner, name)
        importing = (module for key, module in sys.modules.items() if key.startswith("scorekeeper"))
        with ExitStack() as patches:
            for each in {owner, *(module for module in importing if vars(module).get(name) is original)}:
                patches.enter_context(mock.patch.object(each, name, defined[name]))
            yield


def _text_of(module: ModuleType, name: str) -> str:
    source = inspect.getsource(module)
    node: Any = ast.parse(source)
    for part in name.split("."):
        node = next(each for each in node.body if part in _names_of(each))
    lines = source.splitlines()[node.lineno - 1 - len(getattr(node, "decorator_list", ())) : node.end_lineno]
    return "from __future__ import annotations\n" + dedent("\n".join(lines))


def _names_of(node: Any) -> set[str]:
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {getattr(node, "name", "")}


_MOSTLY = "db.session.connection().exec_driver_sql('SELECT max(id) FROM revision').scalar() % 4"

BUGS = (
    Bug(
        "a deal's key is not looked for",
        *(table, "prepare", "if earlier is not None:", "if False:"),
    ),
    Bug(
        "what the writer has not seen does not matter",
        *(table, "prepare", "request.last_revision != table.version", "False"),
    ),
    Bug(
        "the INSERT of a revision does not ask for the right",
        *(table, "_INSERT_REVISION", "has_right(_CIRCLE_ID", "True, has_right(_CIRCLE_ID"),
        test="tests/services/tables/test_writes.py::test_a_browser_without_access_records_nothing",
    ),
    Bug(
        "the INSERT of a revision does not ask for the one before it",
        *(table, "_INSERT_REVISION", "_NUMBER == 1,", "True,"),
        test="tests/services/tables/test_writes.py"
        "::test_a_backup_restored_meanwhile_makes_a_deal_stale_which_is_then_added_to_its_facts",
    ),
    Bug(
        "a payment is stored with one more",
        *(payments, "record_for", "amount=str(amount)", "amount=str(amount + 1)"),
    ),
    Bug(
        "a settlement is not computed again after a payment",
        *(payments, "_add_payment", "recompute(settlement, read_persons(circle))", "pass"),
    ),
    Bug(
        "a cached table is found by the number of its revisions alone",
        *(replayed, "read", "_find_last(cached) == last", "_find_last(cached).number == last.number"),
        test="tests/web/tables/test_table_cache.py::test_a_table_restored_from_a_backup_is_read_again",
    ),
    Bug(
        "the totals of a period stay after a deal",
        *(invalidation, "invalidate_day", "_invalidate(circle_id, get_month(day))", "pass"),
    ),
    Bug(
        "a removed phone may still write to tables",
        *(table, "read_table_of", "browser.right is None and", "False and"),
        test="tests/services/tables/test_table.py::test_a_table_is_not_read_without_a_right",
    ),
    Bug(
        "a write under the lock does not check the right again",
        *(transactions, "_check_access", "    of_circle =", "    return\n    of_circle ="),
        test="tests/web/support/test_revoked_rights.py::test_a_write_checks_its_right_again_under_the_lock",
    ),
    Bug(
        "an import leaves out the substitutes",
        *(storing, "CircleStorer._add_table", "in labels.items()", "in labels.items() if player not in substitutes"),
    ),
    Bug(
        "a deal is sometimes acknowledged without being committed",
        *(
            transactions,
            "append_to_circle",
            "if is_done:\n            db",
            f"if is_done and {_MOSTLY}:\n            db",
        ),
    ),
    Bug(
        "a result at a table is recorded over one that was not seen",
        *(results, "_record", "request.seen != row.result", "False"),
    ),
    Bug(
        "a payment counts in a settlement that another has taken over",
        *(payments, "take_over_earlier", "if cleared:", "if False:"),
    ),
)
