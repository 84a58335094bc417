"""The modules that are mutated, and the tests that should notice."""

from __future__ import annotations

from typing import NamedTuple

from .mutants import PACKAGE

ROOT = PACKAGE.parent


class Group(NamedTuple):
    """Modules (dotted names below `scorekeeper`, including submodules) and their tests."""

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]


CORE = ("tests/scoring", "tests/games", "tests/tables/test_state.py")
TABLES = (
    "tests/tables",
    "tests/services/tables/test_missing_games.py",
    "tests/services/tables/test_replayed.py",
    "tests/services/tables/test_table.py",
)
PURE = ("tests/stats", "tests/test_currency.py")
EXCHANGE = tuple(
    f"tests/exchange/test_{name}.py"
    for name in (
        *("calendars", "circle_file", "circle_records", "ledgers", "paid_deals", "reading", "sheet_limits", "sheets"),
        *("escaping", "sheet_schema", "spreadsheets", "unpacking", "waiting_payments", "written"),
    )
)
SERVICES = (
    "tests/services/access/test_links.py",
    "tests/services/money",
    "tests/services/tables/test_missing_games.py",
    "tests/services/tables/test_replayed.py",
    "tests/services/tables/test_table.py",
    "tests/services/tables/test_writes.py",
)
EVENT_SERVICES = ("tests/services/events", "tests/web/events")
CIRCLE_FILES = (
    "tests/exchange/test_sheets.py",
    "tests/services/events/test_played_alone.py",
    "tests/services/files",
    "tests/web/files",
    "tests/web/people/test_person_files.py",
)
WEB_SUPPORT = (
    "tests/cli/test_backup_reports.py",
    "tests/cli/test_doctor.py",
    "tests/cli/test_startup.py::test_every_setting_is_documented_with_its_values_and_its_default",
    "tests/i18n/test_right_to_left.py",
    "tests/web/files/test_exports.py",
    *(
        f"tests/web/support/test_{name}.py"
        for name in (
            *("compiled_templates", "creation", "fonts", "health", "names", "numbers", "option_fields", "places"),
            *("rate_limits", "rights", "sessions", "site_path", "static_compression", "trusted_hosts"),
        )
    ),
    "tests/web/money/test_paying.py",
    "tests/web/money/test_settlements.py",
    "tests/web/tables/test_default_layout.py",
    "tests/web/tables/test_live.py",
    "tests/web/tables/test_new_table.py",
    "tests/web/tables/test_recap_image.py",
    "tests/web/tables/test_rendered_updates.py",
    "tests/web/tables/test_typed_numbers.py",
)

# Property tests over whole random sheets and halls of a thousand take seconds each, too long to run for every mutant.
# Mutants that only they would notice count as missed.
SLOW = (
    "tests/scoring/test_laws.py",
    "tests/scoring/test_discrepancy.py::test_a_wrong_payment_is_among_the_explanations",
    "tests/scoring/test_cases.py::test_nothing_is_missing_or_misspelt",
    "tests/scoring/test_pegs.py::test_the_check_of_a_game_understands_all_that_it_says",
    "tests/games/test_figures.py::test_figures_and_feats_are_declared_and_do_not_depend_on_later_deals",
    "tests/events/test_even_draws.py::test_a_hall_of_a_thousand_is_drawn_after_somebody_has_left",
    "tests/events/test_swiss.py::test_a_hall_of_a_thousand_is_drawn",
    "tests/exchange/test_ledgers.py::test_both_programs_accept_the_ledger_of_any_tables_and_compute_the_apps_balances",
    "tests/exchange/test_sheets.py::test_an_imported_sheet_is_exported_again_unchanged",
    "tests/exchange/test_spreadsheets.py::test_the_rows_equal_the_statement_of_the_sheet",
)

GROUPS = (
    Group("core", ("scoring", "games"), CORE),
    Group("tables", ("tables",), TABLES),
    Group("pure", ("stats", "currency"), PURE),
    Group("events", ("events",), ("tests/events",)),
    Group("exchange", ("exchange",), EXCHANGE),
    Group(
        "services",
        ("services.access", "services.money", "services.tables.table", "services.tables.replayed"),
        SERVICES,
    ),
    Group("event services", ("services.events",), EVENT_SERVICES),
    Group("circle files", ("services.files",), CIRCLE_FILES),
    Group("web support", ("web.support",), WEB_SUPPORT),
)


# Facts and examples, which tests could only repeat.
DATA = {"scorekeeper.games.any_game.examples", "scorekeeper.games.any_game.known"}


def modules_of(group: Group) -> list[str]:
    found = [f"scorekeeper.{module}" for name in group.modules for module in _modules_in(name)]
    return [module for module in found if module not in DATA]


def _modules_in(name: str) -> list[str]:
    folder = PACKAGE.joinpath(*name.split("."))
    if not folder.is_dir():
        return [name]
    paths = sorted(folder.rglob("*.py"))
    names = (".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in paths)
    return [found.removesuffix(".__init__") for found in names]
