"""Check a game's sheets: its worked example, its sample, and its cases with the results worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..i18n import problem_text
from ..scoring import schema
from ..scoring.applying import stop
from ..scoring.game import AnyGame, replay_deals
from ..scoring.problems import Refusal
from ..scoring.sheet import Sheet, load
from ..scoring.standing import AnyStanding
from ..scoring.statement import statement
from .findings import Finding, GameFolder, Place, find_end, line_with, listed, similar

CASE_KEYS = ("why", "sheet", "expect", "expect_error")


def sheets(folder: GameFolder) -> Iterator[Mapping[str, Any]]:
    """Yield the game's sheets that can be read: the example, the sample, and those of the cases."""
    for path in [folder.file("example.json"), folder.file("sample.json")]:
        raw = _read(path)
        if isinstance(raw, dict) and isinstance(load(raw, {folder.slug: folder.game}), Sheet):
            yield raw
    for path in _case_files(folder):
        case = _read(path)
        raw = case.get("sheet") if isinstance(case, dict) else None
        if isinstance(raw, dict) and isinstance(load(raw, {folder.slug: folder.game}), Sheet):
            yield raw


def check(folder: GameFolder) -> Iterator[Finding]:
    """Yield what is missing or wrong in the game's sheets."""
    yield from _check_example(folder, "example.json")
    yield from _check_example(folder, "sample.json")
    yield from _check_cases(folder)


def _read(path: Path) -> Any:
    """Return a file's JSON, or the error of reading it."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        return error


def _case_files(folder: GameFolder) -> list[Path]:
    return sorted(folder.path.glob("cases/*.json"))


# --- example and sample --------------------------------------------------------------------------------------


def _check_example(folder: GameFolder, name: str) -> Iterator[Finding]:
    path = folder.file(name)
    if not path.is_file():
        page = "the rules page" if name == "example.json" else "the sample evening"
        yield Finding(Place(path), f"the file is missing: a sheet, which {page} shows")
        return
    raw = _read(path)
    if isinstance(raw, Exception):
        yield Finding(Place(path, getattr(raw, "lineno", 1)), f"the sheet cannot be read: {raw}")
        return
    read = load(raw, {folder.slug: folder.game})
    if isinstance(read, Refusal):
        yield _refused(path, read)
        return
    standing = read.open()
    refusal = replay_deals(read.game, standing, read.deals)
    if refusal is not None:
        yield _refused(path, refusal)
        return
    yield from _check_completeness(folder, name, standing)


def _check_completeness(folder: GameFolder, name: str, standing: AnyStanding) -> Iterator[Finding]:
    """The example reaches the end of what is won or lost as a whole; the sample is under way, so that it goes on."""
    path, game = folder.file(name), folder.game
    if not standing.rows:
        yield Finding(Place(path), "the sheet has no deals")
    elif name == "sample.json" and standing.is_finished:
        yield Finding(find_end(path), "the sample is finished; leave out its last deals, so that visitors can go on")
    elif name == "example.json" and game.ends:
        ended = {closing.kind for row in standing.rows for closing in row.closings}
        if game.contest not in ended:
            text = f"the example does not reach the end of a {game.contest!r}, so the rules page shows no result"
            yield Finding(find_end(path), text)


def _refused(path: Path, refusal: Refusal) -> Finding:
    problem = refusal.first
    deal = f"deal {refusal.deal}, " if refusal.deal else ""
    place = line_with(path, f'"{problem.field.split(".")[0]}"')
    return Finding(place, f"the sheet is refused: {deal}{problem.field}: {problem_text(problem, 'en', names=str)}")


# --- cases ---------------------------------------------------------------------------------------------------


def _check_cases(folder: GameFolder) -> Iterator[Finding]:
    cases = {path: _read(path) for path in _case_files(folder)}
    for path, case in cases.items():
        yield from check_case(folder.game, path, case)
    readable = [case for case in cases.values() if isinstance(case, dict)]
    for kind in ("expect", "expect_error"):
        if not any(kind in case for case in readable):
            what = "with the result" if kind == "expect" else "that is refused"
            yield Finding(Place(folder.file("cases")), f"no case has {kind!r}: a sheet {what}, worked out by hand")
    yield from _check_coverage(folder, [case["sheet"] for case in readable if "expect" in case and "sheet" in case])


def check_case(game: AnyGame, path: Path, case: Any) -> Iterator[Finding]:
    """Yield why a case does not hold, or is none."""
    if not isinstance(case, dict):
        yield Finding(Place(path, getattr(case, "lineno", 1)), f"the case cannot be read: {case}")
        return
    for key in case.keys() - set(CASE_KEYS):
        yield Finding(line_with(path, f'"{key}"'), f"unknown key {key!r}.{similar(key, CASE_KEYS)}")
    kinds = [key for key in ("expect", "expect_error") if key in case]
    if not {"why", "sheet"} <= case.keys() or len(kinds) != 1:
        yield Finding(Place(path), "a case has 'why', 'sheet', and one of 'expect' and 'expect_error'")
        return
    read = load(case["sheet"], {game.slug: game})
    result = read if isinstance(read, Refusal) else statement(read)
    if kinds == ["expect"]:
        yield from _check_expected(path, case["expect"], result)
    else:
        yield from _check_refusal(path, case["expect_error"], result)


def _check_expected(path: Path, expected: Mapping[str, Any], result: Any) -> Iterator[Finding]:
    if isinstance(result, Refusal):
        yield _refused(path, result)
        return
    for key, value in expected.items():
        place = line_with(path, f'"{key}"')
        if key not in result:
            yield Finding(place, f"a statement has no {key!r}.{similar(key, result)}")
        elif not _agrees(result[key], value):
            yield Finding(place, f"{key!r} is {_short(result[key])}, and {_short(value)} is expected")


def _agrees(found: Any, expected: Any) -> bool:
    """Whether a part of a statement is as expected; objects in a list, such as deals, may be given in part."""
    if not isinstance(expected, list):
        return bool(found == expected)
    return len(found) == len(expected) and all(
        {key: item[key] for key in wanted if key in item} == wanted if isinstance(wanted, dict) else item == wanted
        for item, wanted in zip(found, expected, strict=True)
    )


def _check_refusal(path: Path, expected: Mapping[str, Any], result: Any) -> Iterator[Finding]:
    place = line_with(path, '"expect_error"')
    if not isinstance(result, Refusal):
        yield Finding(place, "the sheet is not refused")
    elif result.deal != expected.get("deal"):
        yield Finding(place, f"deal {result.deal} is refused, and deal {expected.get('deal')} is expected")
    elif not result.first.field.startswith(str(expected.get("field"))):
        yield Finding(place, f"the field {result.first.field!r} is wrong, and {expected.get('field')!r} is expected")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _check_coverage(folder: GameFolder, raw_sheets: list[Any]) -> Iterator[Finding]:
    """Every reason is carried by an entry of a case, and every house rule differs from its default in one."""
    game, reasons, options = folder.game, set(), set()
    for raw in raw_sheets:
        read = load(raw, {game.slug: game})
        if isinstance(read, Sheet):
            standing = read.open()
            replay_deals(read.game, standing, read.deals)
            standing = stop(read.game, standing)
            reasons |= {entry.reason for row in standing.rows for entry in row.entries}
            chosen, usual = schema.dump(read.options), schema.dump(game.usual_options)
            options |= {name for name in chosen.keys() | usual.keys() if chosen.get(name) != usual.get(name)}
    place = Place(folder.file("cases"))
    if missing := [reason for reason in game.reasons if reason not in reasons]:
        yield Finding(place, f"no case has an entry of these reasons: {listed(missing)}")
    if missing := [field.name for field in fields(game.options) if field.name not in options]:
        yield Finding(place, f"no case sets these house rules to anything but their default: {listed(missing)}")
