"""A game whose own code raises costs only what needs that code: every page and file of its circle has the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from flask import Flask

from scorekeeper.games import games
from scorekeeper.scoring.failing import GAME_CODE, GameFailedError, Interrupted, guard
from scorekeeper.scoring.game import AnyGame, fold
from scorekeeper.services import verify

from ..missing import example_of, failing
from .support.test_rights import MAY, requests
from .test_missing_game import Evening, csrf_of, evening, facts, is_of_event_or_plan

__all__ = ["evening"]  # a fixture

ERRORS = (RuntimeError, SystemExit, KeyboardInterrupt, BaseException, GeneratorExit)
FILES = ("export.zip", "spreadsheet.xlsx", "balances.csv", "deals.csv", "entries.csv", "ledger.beancount", "tonight")
IN_EVERY_FILE = ("score", "close", "checks", "standing")  # without these a table has no results


def functions_of(game: AnyGame) -> list[str]:
    """Return the names of a game's own functions; `checks` are functions in a tuple, `standing` may be a class."""
    callables = [field.name for field in fields(game) if callable(getattr(game, field.name))]
    return [*(name for name in callables if name not in ("options", "deal")), "checks"]


def test_whatever_a_function_raises_is_one_kind_of_exception() -> None:
    game = next(iter(games().values()))
    for error in ERRORS:

        def fail(*_: object, error: Any = error) -> Any:
            raise error("why")

        def fail_later(*_: object, error: Any = error) -> Iterator[Any]:
            yield 1
            raise error("why")

        broken = guard(replace(game, figures=fail, feats=fail_later))
        row: Any = None
        with pytest.raises(GameFailedError, match=f"{error.__name__}: why"):
            broken.figures(row, row)
        with pytest.raises(GameFailedError, match=f"{error.__name__}: why"):
            list(broken.feats(row, row))


def test_ctrl_c_is_no_failure_of_a_game() -> None:
    with pytest.raises(Interrupted), GAME_CODE:
        raise Interrupted


def test_a_deal_at_which_a_game_fails_is_refused() -> None:
    for slug, game in games().items():
        example = example_of(game)
        for function in ("score", "close", "checks"):
            with failing(slug, function, SystemExit("bye")):
                refusal = fold(games()[slug], example.open(), example.deals)
            assert refusal is not None
            assert refusal.first.key == "game-fails"
            assert refusal.first.params == {"game": slug, "why": "SystemExit: bye"}


def test_each_function_may_fail_and_the_circle_has_all_other_tables(app: Flask, evening: Evening) -> None:
    client, circle, gone = evening.host.client, f"/circles/{evening.name}", evening.gone
    with ZipFile(BytesIO(client.get(f"{circle}/export.zip").data)) as whole:
        sheets = {name: whole.read(name) for name in whole.namelist()}
    before = facts(app)
    for number, function in enumerate(functions_of(games()[gone])):
        with failing(gone, function, ERRORS[number % len(ERRORS)]("why")):
            found = {file: client.get(f"{circle}/{file}", headers={"Accept-Language": "en"}) for file in FILES}
            assert {file: answer.status_code for file, answer in found.items()} == dict.fromkeys(FILES, 200), function
            with ZipFile(BytesIO(found["export.zip"].data)) as archive:
                assert {name: archive.read(name) for name in archive.namelist()} == sheets
            other = example_of(games()[evening.other])
            for file in FILES[2:5]:
                text = found[file].get_data(as_text=True)
                assert all(player in text for player in other.players)
                if function in IN_EVERY_FILE:
                    assert text.count(f"{gone} (does not work here: left out)") == 3, (function, file)
            if function in IN_EVERY_FILE:
                ledger = found["ledger.beancount"].get_data(as_text=True)
                assert ledger.count(f"left out, because the game {gone} does not work here") == 3
            for page in ("", "deals/new", "why/balance/1", "journal", "changes", "now"):
                answer = client.get(f"/tables/{evening.unfinished}/{page}")
                assert answer.status_code in (200, 303, 304, 404, 500), (function, page)
    assert facts(app) == before


@pytest.mark.parametrize("error", [SystemExit("why"), KeyboardInterrupt("why")])
def test_every_page_of_the_circle_works_without_scores(app: Flask, evening: Evening, error: BaseException) -> None:
    host, scope = evening.host, f"table:{evening.unfinished}"
    query = {"account": evening.gone, "of": scope, "at": scope}
    with failing(evening.gone, "score", error):
        for rule, method, path in requests(app, evening.values):
            if (
                method == "GET"
                and rule.endpoint in MAY
                and not is_of_event_or_plan(rule)
                and "token" not in rule.arguments
            ):
                answer = host.client.get(path, query_string=query)
                assert answer.status_code in (200, 303), path
        page = host.visit(f"/tables/{evening.unfinished}/").text
        assert f"The game {evening.gone} does not work here." in page
        assert str(error) in page
        fields = {"csrf_token": csrf_of(host), "seen": "99", "key": "k", "points": "7"}
        refused = host.client.post(f"/tables/{evening.unfinished}/deals/new", data=fields)
        assert refused.status_code == 409
        assert 'name="points" value="7"' in refused.get_data(as_text=True)
        with app.app_context():
            verify.rebuild()
    with app.app_context():
        assert verify.verify().faults == []
