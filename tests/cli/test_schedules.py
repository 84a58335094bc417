"""`scorekeeper schedule`: JSON and text, and what cannot be scheduled."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorekeeper.cli.main import main
from scorekeeper.entry_points import find_entry_points
from scorekeeper.events.formats import find_format, format_slugs
from scorekeeper.events.schedule import UnschedulableError
from scorekeeper.i18n import LANGUAGES

FORMATS = ["howell", "individual", "military", "mitchell", "round-robin"]
BY_RESULTS = ["progressive", "progressive-pairs", "swiss"]


def run(*arguments: str, language: str = "en") -> Result:
    return CliRunner().invoke(main, ["schedule", *arguments], env={"LC_ALL": language})


@pytest.fixture
def declare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a package with a format, one that cannot be imported and one with another slug."""
    metadata = tmp_path / "evening-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: evening\n\n", encoding="utf-8")
    declared = "one-table = one_table:FORMAT\nbroken = no_such_module:FORMAT\nother = one_table:FORMAT\n"
    declared += "individual = one_table:FORMAT\n"
    (metadata / "entry_points.txt").write_text(f"[scorekeeper.event_formats]\n{declared}", encoding="utf-8")
    code = """if True:
        from scorekeeper.events.formats import Format
        from scorekeeper.events.schedule import EventRound, Schedule

        def build(players, rounds):
            sits_out = tuple(range(5, players + 1))
            return Schedule(players, (EventRound((((1, 2), (3, 4)),), sits_out),) * (rounds or 1))

        FORMAT = Format("one-table", build)
        """
    (tmp_path / "one_table.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    find_entry_points.cache_clear()
    yield
    find_entry_points.cache_clear()


def test_json_is_one_document_with_tables_of_two_pairs() -> None:
    result = run("--format", "individual", "--players", "5", "--rounds", "2", "--json")
    assert (result.exit_code, result.stderr, result.stdout.count("\n")) == (0, "", 1)
    document = json.loads(result.stdout)
    assert document == {
        "players": 5,
        "rounds": [
            {"tables": [[[2, 5], [3, 4]]], "sits_out": [1]},
            {"tables": [[[3, 1], [4, 5]]], "sits_out": [2]},
        ],
    }


def test_json_says_which_boards_lie_at_each_table_where_boards_move() -> None:
    """Sets are counted from 0."""
    document = json.loads(run("--format", "howell", "--players", "14", "--json").stdout)
    assert [of_round["boards"] for of_round in document["rounds"][:2]] == [[0, 2, 3], [1, 3, 4]]
    document = json.loads(run("--format", "mitchell", "--players", "16", "--json").stdout)
    assert [of_round["boards"] for of_round in document["rounds"]] == [[0, 1, 2, 3], [1, 2, 3, 0], [2, 3, 0, 1]]
    document = json.loads(run("--format", "round-robin", "--players", "8", "--json").stdout)
    assert [of_round["boards"] for of_round in document["rounds"]] == [[0, 0], [1, 1], [2, 2]]


def test_the_layout_that_is_asked_for_is_printed() -> None:
    asked = ("--format", "howell", "--players", "14", "--option", "boards=other", "--json")
    assert [of_round["boards"] for of_round in json.loads(run(*asked).stdout)["rounds"][:2]] == [[0, 1, 5], [1, 2, 6]]
    document = json.loads(
        run("--format", "mitchell", "--players", "16", "--option", "even_tables=relay", "--json").stdout
    )
    assert [of_round["boards"] for of_round in document["rounds"][:2]] == [[0, 1, 3, 0], [1, 2, 0, 1]]


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("boards=x", "boards: “x” is not possible here. Choose usual or other.\n"),
        ("boards", "boards: “” is not possible here. Choose usual or other.\n"),
        ("even_tables=relay", "even_tables: There is no such key here. Use boards.\n"),
        ("=", "There is no such key here. Use boards.\n"),
        ("\udcff=\n", "There is no such key here. Use boards.\n"),
        ("x" * 5_000 + "=1", "There is no such key here. Use boards.\n"),
        ("boards=" + "x" * 5_000, " is not possible here. Choose usual or other.\n"),
    ],
)
def test_an_option_that_the_format_does_not_have_is_one_line(option: str, said: str) -> None:
    result = run("--format", "howell", "--players", "14", "--option", option)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.endswith(said)
    assert len(result.stderr) < 200


@pytest.mark.parametrize("slug", FORMATS)
def test_every_format_is_found_and_has_a_schedule(slug: str) -> None:
    assert slug in format_slugs()
    result = run("--format", slug, "--players", "16", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == json.loads(json.dumps(find_format(slug).schedule(16).as_json()))


def test_the_text_has_tables_and_who_sits_out_and_says_how_even_it_is() -> None:
    result = run("--format", "individual", "--players", "13")
    assert (result.exit_code, result.stderr) == (0, "")
    for text in ("individual: 13 players, 13 rounds", "Round 13\n", "  Table 3  ", "  Sits out: 1\n"):
        assert text in result.stdout
    assert result.stdout.endswith(
        "Any two players are partners 1 time.\nAny two players are opponents 2 times.\nEvery player sits out 1 time.\n"
    )


def test_the_text_states_unevenness() -> None:
    result = run("--format", "individual", "--players", "13", "--rounds", "4")
    assert "Any two players are partners 0 to 1 times.\n" in result.stdout
    assert "Every player sits out 0 to 1 times.\n" in result.stdout


def test_the_text_says_that_pairs_stay_together() -> None:
    result = run("--format", "round-robin", "--players", "8")
    assert (
        "Everyone keeps the same partner.\nAny two players of different pairs are opponents 1 time.\n" in result.stdout
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_is_in_the_language_of_the_terminal(language: str) -> None:
    result = run("--format", "individual", "--players", "6", language=language)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "schedule." not in result.stdout


@pytest.mark.parametrize(
    "number", ["0", "-1", "1", "3", "1001", "9" * 5_000, "", "x", "4.5", "１２", "1_0", "nan", "\udcff"]
)
def test_a_bad_number_of_players_is_one_line(number: str) -> None:
    result = run("--format", "individual", "--players", number, "--json")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "is not a number of players. Write one from 4 to 1,000." in result.stderr
    assert len(result.stderr) < 200


@pytest.mark.parametrize("number", ["0", "-1", "x", "", "1e3", "9" * 5_000])
def test_a_bad_number_of_rounds_is_one_line(number: str) -> None:
    result = run("--format", "individual", "--players", "8", "--rounds", number)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "is not a number of rounds. Write 1 or more." in result.stderr


def test_too_many_rounds_are_one_line() -> None:
    result = run("--format", "individual", "--players", "8", "--rounds", "8")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "8 rounds are too many. The most for 8 players: 7.\n"


@pytest.mark.parametrize("slug", BY_RESULTS)
def test_what_depends_on_results_cannot_be_scheduled_ahead(slug: str) -> None:
    result = run("--format", slug, "--players", "8", "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"The rounds of “{slug}” depend on results, so they cannot be scheduled ahead.\n"


@pytest.mark.parametrize("slug", ["", "swis", "Individual", "x" * 5_000, "a\nb", "\udcff", "../x"])
def test_an_unknown_format_is_one_line_with_the_known_ones(slug: str) -> None:
    result = run("--format", slug, "--players", "8")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert all(known in result.stderr for known in FORMATS + BY_RESULTS)
    assert len(result.stderr) < 300


@pytest.mark.usefixtures("declare")
def test_an_installed_format_is_found() -> None:
    result = run("--format", "one-table", "--players", "6", "--rounds", "1", "--json")
    assert json.loads(result.stdout)["rounds"] == [{"tables": [[[1, 2], [3, 4]]], "sits_out": [5, 6]}]
    assert "one-table" in format_slugs()


@pytest.mark.usefixtures("declare")
def test_a_bundled_format_comes_first() -> None:
    assert find_format("individual").slug == "individual"


@pytest.mark.usefixtures("declare")
@pytest.mark.parametrize("slug", ["broken", "other"])
def test_a_format_that_cannot_be_used_is_one_line(slug: str) -> None:
    with pytest.raises(UnschedulableError):
        find_format(slug)
    result = run("--format", slug, "--players", "8")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith(f"The format “{slug}” cannot be used: ")


def test_a_schedule_as_json_imports_neither_flask_nor_a_database_nor_words() -> None:
    code = (
        "import sys; from scorekeeper.__main__ import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    )
    arguments = ["schedule", "--format", "individual", "--players", "40", "--json"]
    done = subprocess.run(  # noqa: S603  # our own command
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(done.stdout)["players"] == 40
    assert {"flask", "sqlalchemy", "babel", "scorekeeper.exchange"} & set(done.stderr.split()) == set()
