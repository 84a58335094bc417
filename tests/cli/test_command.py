"""`scorekeeper score`: files and streams, as text and as JSON, and documents that are not sheets."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from scorekeeper import i18n
from scorekeeper.cli.main import main
from scorekeeper.games import games
from scorekeeper.scoring.problems import Refusal
from scorekeeper.scoring.sheet import score

from ..support.game_data import all_cases

PLAYERS = ["Anne", "Bruno", "Chloé", "David"]
DEAL = {"tricks": {"ns": 7}}
VALID = {"format": "scorekeeper-sheet/1", "game": "whist", "players": PLAYERS, "deals": [DEAL]}
INVALID = VALID | {"deals": [DEAL, {"tricks": {"ns": 14}}]}


def run(*arguments: str | Path, stdin: str | bytes = b"", **environment: str) -> Result:
    """Run the command in this process. No language is set unless `environment` does."""
    env = dict.fromkeys(("LC_ALL", "LC_MESSAGES", "LANG")) | environment
    return CliRunner().invoke(main, ["score", *map(str, arguments)], input=stdin, env=env)


def lines(*sheets: Any) -> str:
    return "".join(sheet if isinstance(sheet, str) else json.dumps(sheet) + "\n" for sheet in sheets)


def json_lines(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout_bytes.split(b"\n")[:-1]]


def error_of(text: str | bytes) -> dict[str, Any]:
    """Return the error that the command prints for an invalid line."""
    result = run("--json", "-", stdin=text)
    (answer,) = json_lines(result)
    assert result.exit_code == 2
    assert answer.keys() == {"error"}
    assert answer["error"].keys() == {"deal", "field", "message"}
    assert answer["error"]["message"]
    return answer["error"]


@pytest.fixture
def valid(tmp_path: Path) -> Path:
    path = tmp_path / "good.json"
    path.write_text(json.dumps(VALID, indent=2), encoding="utf-8")
    return path


@pytest.fixture
def invalid(tmp_path: Path) -> Path:
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(INVALID, ensure_ascii=False), encoding="utf-8")
    return path


# --- files ---------------------------------------------------------------------------------------------------


def test_a_statement_is_printed_as_text(valid: Path) -> None:
    result = run(valid)
    assert (result.exit_code, result.stderr) == (0, "")
    for word in (*PLAYERS, "Whist", "North–South 1", i18n.translate("en", "table.balances")):
        assert word in result.stdout


def test_a_substitution_is_printed_as_text_with_the_balances_of_both(tmp_path: Path) -> None:
    path = tmp_path / "sheet.json"
    change = {"substitution": {"out": PLAYERS[1], "in": "Élise"}}
    path.write_text(json.dumps(VALID | {"deals": [*VALID["deals"], change]}), encoding="utf-8")
    result = run(path)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [line.strip() for line in result.stdout.splitlines()]
    assert f"{len(VALID['deals']) + 1}  Élise takes the seat of {PLAYERS[1]}." in lines
    balances = lines[lines.index(i18n.translate("en", "table.balances")) + 1 :]
    assert [line.split()[0] for line in balances[: len(PLAYERS) + 1]] == [*PLAYERS, "Élise"]


def test_a_change_of_rules_is_printed_as_text(tmp_path: Path) -> None:
    path = tmp_path / "sheet.json"
    change = {"terms": {"house_rules": {"losing_honours": True}}}
    path.write_text(json.dumps(VALID | {"deals": [change, *VALID["deals"]]}), encoding="utf-8")
    result = run(path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "1  The rules or the value of a counter change." in result.stdout


def test_an_invalid_sheet_is_one_line_that_names_file_deal_and_field(invalid: Path) -> None:
    result = run(invalid)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    for part in (str(invalid), "Deal 2", "tricks.ns", "14", "13"):
        assert part in result.stderr


# --- streams -------------------------------------------------------------------------------------------------


def test_a_stream_is_answered_in_order_including_invalid_sheets() -> None:
    stream = []
    for number in range(60):
        deals: list[dict[str, Any]] = [{"misdeal": True}] * number
        if number % 3 == 1:
            deals = [*deals, {"tricks": {"ns": 14}}]
        stream.append("{broken\n" if number % 3 == 2 else VALID | {"deals": deals})
    result = run("--json", "-", stdin=lines(*stream))
    assert result.exit_code == 2
    results = json_lines(result)
    assert len(results) == 60
    for number, answer in enumerate(results):
        if number % 3 == 0:
            assert len(answer["deals"]) == number
        else:
            assert answer["error"]["deal"] == (number + 1 if number % 3 == 1 else None)


def test_the_command_scores_every_case_as_the_library_does() -> None:
    sheets = [case["sheet"] for case in all_cases().values()]
    result = run("--json", "-", stdin=lines(*sheets))
    results = json_lines(result)
    assert (result.exit_code, len(results)) == (2, len(sheets))
    for sheet, answer in zip(sheets, results, strict=True):
        scored = score(sheet, games())
        if isinstance(scored, Refusal):
            error = answer["error"]
            assert (error["deal"], error["field"]) == (scored.number, scored.first.field)
        else:
            assert answer == scored
            assert list(answer) == list(scored)


# --- invalid sheets ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        b"{",
        b'{"format": 1} {"format": 1}',
        b"\xff\xfe\xfd",
        b'{"format": "\xe9"}',
        b'{"title": NaN}',
        b'{"title": [-Infinity]}',
        b'{"deals": [-' + b"9" * 5000 + b"]}",
        b"[" * 100_000 + b"]" * 100_000,
        b'{"deals":' * 50_000,
    ],
    ids=range(9),
)
def test_a_line_that_is_not_json_is_an_error(text: bytes) -> None:
    assert error_of(text)["deal"] is None


@pytest.mark.parametrize(
    ("part", "duplicated", "key"),
    [
        ('"game": "whist"', '"game": "whist", "game": "joffre"', "game"),
        ('"game": "whist"', '"game": "whist", "game": "whist"', "game"),
        ('"deals": [', '"deals": [], "deals": [', "deals"),
        ('"tricks": {"ns": 7}', '"tricks": {"ns": 7}, "tricks": {"ns": 8}', "tricks"),
        ('{"ns": 7}', '{"ns": 7, "ns": 6}', "ns"),
        ('{"ns": 7}', '{"ns": 7, "\\u006es": 7}', "ns"),
    ],
)
def test_a_duplicate_key_is_refused(part: str, duplicated: str, key: str) -> None:
    text = json.dumps(VALID)
    assert part in text
    assert key in error_of(text.replace(part, duplicated, 1))["message"]


INVALID_NUMBERS = ("1" + "0" * 400, "-1", "7.0", "1e999", '"7"', "true", "null", "[" * 500 + "]" * 500, '{"ns": 7}')


@pytest.mark.parametrize("number", INVALID_NUMBERS)
def test_an_invalid_number_is_refused_at_its_key(number: str) -> None:
    error = error_of(json.dumps(VALID).replace('{"ns": 7}', f'{{"ns": {number}}}'))
    assert (error["deal"], error["field"]) == (1, "tricks.ns")
    assert len(error["message"]) < 200


# --- languages -----------------------------------------------------------------------------------------------

FRENCH = [
    {"LANG": "fr_FR.UTF-8"},
    {"LANG": "fr"},
    {"LC_MESSAGES": "fr_FR.UTF-8", "LANG": "en_GB.UTF-8"},
    {"LC_ALL": "fr_FR.UTF-8", "LC_MESSAGES": "en_GB.UTF-8", "LANG": "en_GB.UTF-8"},
    {"LC_ALL": "", "LANG": "fr_FR.UTF-8"},
]
ENGLISH = [
    {},
    {"LANG": "C"},
    {"LANG": "C.UTF-8"},
    {"LANG": "POSIX"},
    {"LANG": "en_GB.UTF-8"},
    {"LANG": "cy_GB.UTF-8"},
    {"LC_ALL": "en_US.UTF-8", "LANG": "fr_FR.UTF-8"},
    {"LC_MESSAGES": "en_US.UTF-8", "LANG": "fr_FR.UTF-8"},
    {"LANG": "nonsense"},
]


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        *((environment, "fr") for environment in FRENCH),
        *((environment, "en") for environment in ENGLISH),
        ({"LANG": "fr_CA"}, "fr_CA"),
        ({"LANG": "de_DE.UTF-8"}, "de"),
    ],
)
def test_text_is_in_the_language_of_the_terminal(
    environment: dict[str, str], language: str, valid: Path, invalid: Path
) -> None:
    result = run(valid, invalid, **environment)
    deal = {"fr": "Coup 2", "en": "Deal 2", "fr_CA": "Brasse 2", "de": "Spiel 2"}[language]
    refusal = score(INVALID, games())
    assert isinstance(refusal, Refusal)
    sentence = i18n.problem_text(refusal.first, language)
    assert result.stderr.split() == f"{invalid}: {deal}: tricks.ns: {sentence}".split()
    assert i18n.translate(language, "table.balances") in result.stdout


def in_a_shell(command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a shell command in which `$SCORE` is `scorekeeper score`, and the arguments are `$1`, `$2` and so on."""
    program = f"{shlex.quote(sys.executable)} -m scorekeeper score"
    return subprocess.run(  # noqa: S603  # our own command
        ["/bin/sh", "-c", command.replace("$SCORE", program), "sh", *arguments],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env=os.environ | {"LC_ALL": "C.UTF-8"},
        timeout=60,
    )


def test_a_character_that_the_terminal_lacks_is_a_question_mark(valid: Path) -> None:
    done = in_a_shell('PYTHONIOENCODING=latin-1 $SCORE "$1"', str(valid))
    assert (done.returncode, done.stderr) == (0, "")
    assert "?" in done.stdout
