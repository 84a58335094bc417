"""Text output of commands, in the terminal's language."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from ..games import games
from ..i18n import choose_locale, game_name, own_key, party_namer, problem_text, translate, unit_text
from ..scoring.game import fold
from ..scoring.problems import Problem, Refusal
from ..scoring.sheet import load
from ..scoring.standing import SIDES
from ..scoring.values import JsonObject, single_line

if TYPE_CHECKING:  # `score` does not use a database
    from ..services.verify import VerificationReport

MAX_NAME_COLUMNS = 60


def terminal_language() -> str:
    """Return the language of the terminal's locale."""
    locale = next((tag for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (tag := os.environ.get(name))), "")
    return choose_locale([locale])


# --- problems ------------------------------------------------------------------------------------------------


def problem_line(problem: Problem, language: str) -> str:
    """Return the message of a problem on one line."""
    return single_line(problem_text(problem, language, names=str))


def refusal_line(name: str, refusal: Refusal, language: str) -> str:
    """Return file, deal, field and problem on one line."""
    deal = translate(language, "deal.title", number=str(refusal.deal)) if refusal.deal else ""
    message = problem_text(refusal.first, language, names=str)
    return single_line(": ".join(part for part in (name, deal, refusal.first.field, message) if part))


def write_error_line(error: OSError, language: str) -> str:
    """Return the message for an error of standard output."""
    return translate(language, "command.unwritable", reason=error.strerror)


# --- maintenance ---------------------------------------------------------------------------------------------


def verification_text(report: VerificationReport, language: str) -> str:
    """Return the result of `verify` in one sentence."""
    return translate(
        language,
        "verify.done",
        circles=translate(language, "verify.circles", count=report.circles),
        tables=translate(language, "verify.tables", count=report.tables),
        revisions=translate(language, "verify.revisions", count=report.revisions),
        faults=translate(language, "verify.faults", count=len(report.faults)),
    )


def missing_game_lines(tables: Mapping[str, int], language: str) -> Iterator[str]:
    """Yield a line for each game that is not installed, and whose tables were passed over; `tables` by game."""
    for slug, count in tables.items():
        yield single_line(translate(language, "verify.missing-game", game=slug, count=count))


# --- statements ----------------------------------------------------------------------------------------------


def statement_text(statement: JsonObject, sheet: JsonObject, language: str) -> str:
    """Return the statement of a sheet as text for a terminal."""
    return "\n".join(single_line(line) for line in _statement_lines(statement, sheet, language))


def _statement_lines(statement: JsonObject, sheet: JsonObject, language: str) -> Iterator[str]:
    party_name = party_namer(language)
    status = translate(language, f"printed.{statement['status']}")
    yield f"{game_name(language, statement['game'], sheet.get('house_rules', {}))} — {status}"
    if statement.get("winner"):
        yield "  " + translate(
            language,
            own_key(language, statement["game"], "table.won"),
            party=statement["winner"],
            count=2 if statement["winner"] in SIDES else 1,
        )
    if statement["dealer"] is not None:
        yield "  " + translate(language, "table.deals", party=statement["dealer"])
    yield "  " + _scores_text(statement["scores"], party_name)
    # A statement does not say which of its deals are substitutions.
    passed = _list_passed(sheet)
    passed_text = translate(language, own_key(language, statement["game"], "deal.passed"))
    for row, deal in zip(statement["deals"], sheet["deals"], strict=True):
        happened = passed_text if row["number"] in passed else _scores_text(row["scored"], party_name)
        yield f"  {row['number']:>4}  {_row_text(row, deal, happened, language)}"
    yield translate(language, "table.balances")
    width = min(MAX_NAME_COLUMNS, max(map(len, statement["balances"])))
    for player, balance in statement["balances"].items():
        counters = "  ".join(
            f"{amount:+d} {unit_text(language, statement['game'], 'why', unit, count=abs(amount))}"
            for unit, amount in balance.items()
        )
        yield f"  {player:<{width}}  {counters}"
    yield translate(language, "ways.settlement")
    for payment in statement["settlement"]:
        unit = next(key for key in payment if key not in ("from", "to"))
        names = {"giver": payment["from"], "taker": payment["to"]}
        yield "  " + unit_text(language, statement["game"], "entry.pays", unit, count=payment[unit], **names)
    if not statement["settlement"]:
        yield "  " + translate(language, "settlement.nothing")


def _list_passed(sheet: JsonObject) -> set[int]:
    """Return the numbers of the rows in which everybody passed; a statement does not say it."""
    read = load(sheet, games())
    if isinstance(read, Refusal) or read.game.passed is None:
        return set()
    standing = read.open()
    fold(read.game, standing, read.deals)
    return {row.number for row in standing.rows if read.game.is_passed(row.fact)}


def _row_text(row: JsonObject, deal: JsonObject, happened: str, language: str) -> str:
    if "substitution" in deal:
        change = deal["substitution"]
        return translate(language, "printed.substitution", party=change["in"], out=change["out"])
    return f"{row['dealer']}: {happened}  →  {_scores_text(row['scores'], party_namer(language))}"


def _scores_text(scores: Mapping[str, int], party_name: Callable[[str], str]) -> str:
    return ", ".join(f"{party_name(party)} {points}" for party, points in scores.items())
