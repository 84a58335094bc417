"""The command `score`, which prints the statements of score sheets. It uses neither Flask nor a database."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from ..errors import FAILED, get_reason
from ..files.json_documents import read
from ..games import games
from ..i18n import game_name, name_party, own_key, problem_text, translate, unit_text
from ..scoring.game import fold
from ..scoring.problems import Problem, Refusal, refuse
from ..scoring.sheet import load
from ..scoring.sheet import score as score_sheet
from ..scoring.standing import SIDES
from ..scoring.values import JsonObject, single_line
from .output import message, problem_line, terminal_locale

MAX_NAME_COLUMNS = 60


@click.command("score")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document per line.")
def score(files: tuple[str, ...], as_json: bool) -> None:
    """Print the statement of each sheet. `-` reads sheets from standard input, one JSON document per line."""
    any_refused = False
    write = _write_json if as_json else _write_text
    for name, document in _read_documents(files):
        raw: Any = refuse([document]) if isinstance(document, Problem) else read(document)
        result = raw if isinstance(raw, Refusal) else score_sheet(raw, games())
        any_refused = any_refused or isinstance(result, Refusal)
        write(name, raw, result)
    sys.exit(FAILED if any_refused else 0)


def _read_documents(files: Iterable[str]) -> Iterator[tuple[str, bytes | Problem]]:
    """Yield each document with a name to show: its content, or the reason why it cannot be read."""
    for file in files:
        try:
            if file == "-":
                yield from ((f"-:{number}", line) for number, line in enumerate(sys.stdin.buffer, 1) if line.strip())
            else:
                yield file, Path(file).read_bytes()
        except OSError as error:
            yield file, Problem("file", "cannot-be-read", {"reason": get_reason(error)})


def _write_json(_name: str, _sheet: JsonObject, result: JsonObject | Refusal) -> None:
    if isinstance(result, Refusal):
        text = problem_text(result.first, "en", names=str)
        result = {"error": {"deal": result.number, "field": result.first.field, "message": text}}
    sys.stdout.buffer.write(json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def _write_text(name: str, sheet: JsonObject, result: JsonObject | Refusal) -> None:
    if isinstance(result, Refusal):
        deal = message("deal.title", number=str(result.number)) if result.number else ""
        line = ": ".join(part for part in (name, deal, result.first.field, problem_line(result.first)) if part)
        click.echo(single_line(line), err=True)
    else:
        lines = _statement_lines(result, sheet, terminal_locale())
        click.echo("\n".join(map(single_line, lines)) + "\n")


def _statement_lines(statement: JsonObject, sheet: JsonObject, locale: str) -> Iterator[str]:
    yield from _head_lines(statement, sheet, locale)
    yield from _deal_lines(statement, sheet, locale)
    yield translate(locale, "table.balances")
    yield from _balance_lines(statement, locale)
    yield translate(locale, "ways.settlement")
    yield from _settlement_lines(statement, locale)


def _head_lines(statement: JsonObject, sheet: JsonObject, locale: str) -> Iterator[str]:
    slug = statement["game"]
    status = translate(locale, f"printed.{statement['status']}")
    yield f"{game_name(locale, slug, sheet.get('house_rules', {}))} — {status}"
    if winner := statement.get("winner"):
        count = 2 if winner in SIDES else 1
        yield "  " + translate(locale, own_key(locale, slug, "table.won"), party=winner, count=count)
    if statement["dealer"] is not None:
        yield "  " + translate(locale, "table.deals", party=statement["dealer"])
    yield "  " + _scores_text(locale, statement["scores"])


def _deal_lines(statement: JsonObject, sheet: JsonObject, locale: str) -> Iterator[str]:
    passed = _list_passed(sheet)
    passed_text = translate(locale, own_key(locale, statement["game"], "deal.passed"))
    # A statement does not say which of its deals are substitutions.
    for row, deal in zip(statement["deals"], sheet["deals"], strict=True):
        happened = passed_text if row["number"] in passed else _scores_text(locale, row["scored"])
        yield f"  {row['number']:>4}  {_row_text(row, deal, happened, locale)}"


def _balance_lines(statement: JsonObject, locale: str) -> Iterator[str]:
    slug = statement["game"]
    width = min(MAX_NAME_COLUMNS, max(map(len, statement["balances"])))
    for player, balance in statement["balances"].items():
        counters = [f"{n:+d} {unit_text(locale, slug, 'why', unit, count=abs(n))}" for unit, n in balance.items()]
        yield f"  {player:<{width}}  {'  '.join(counters)}"


def _settlement_lines(statement: JsonObject, locale: str) -> Iterator[str]:
    for payment in statement["settlement"]:
        unit = next(key for key in payment if key not in ("from", "to"))
        names = {"giver": payment["from"], "taker": payment["to"]}
        yield "  " + unit_text(locale, statement["game"], "entry.pays", unit, count=payment[unit], **names)
    if not statement["settlement"]:
        yield "  " + translate(locale, "settlement.nothing")


def _list_passed(sheet: JsonObject) -> set[int]:
    loaded = load(sheet, games())
    if isinstance(loaded, Refusal):
        return set()
    standing = loaded.open()
    fold(loaded.game, standing, loaded.deals)
    return {row.number for row in standing.rows if loaded.game.is_passed(row.fact)}


def _row_text(row: JsonObject, deal: JsonObject, happened: str, locale: str) -> str:
    if "substitution" in deal:
        change = deal["substitution"]
        return translate(locale, "printed.substitution", party=change["in"], out=change["out"])
    if "terms" in deal:
        return translate(locale, "printed.terms")
    return f"{row['dealer']}: {happened}  →  {_scores_text(locale, row['scores'])}"


def _scores_text(locale: str, scores: Mapping[str, int]) -> str:
    return ", ".join(f"{name_party(locale, party)} {points}" for party, points in scores.items())
