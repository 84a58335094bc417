"""Read uploaded score sheets. Every deal is checked against the rules before anything is stored."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from ..games import games
from ..limits import MAX_DEALS, MAX_LABEL, MAX_NAME_LENGTH, MAX_TEXT_LENGTH, find_day_problem
from ..scoring import sheet
from ..scoring.common import clean_reason
from ..scoring.game import fold
from ..scoring.problems import Problem, Refusal, first_duplicate, refuse
from ..scoring.sheet import Sheet
from ..scoring.values import CleanedText, clean_name
from .circle_records import FORMAT as CIRCLE_FORMAT
from .json_documents import read


class ImportedSheet(NamedTuple):
    """A valid sheet with cleaned texts, and everybody on it in the order in which they first sat.

    `people` are as the sheet names them, `names` are these cleaned. `cleaned` are the texts that are not stored as they
    stand in the file.
    """

    sheet: Sheet
    people: tuple[str, ...]
    names: tuple[str, ...]
    cleaned: tuple[CleanedText, ...]


def read_sheet(text: bytes) -> ImportedSheet | Refusal:
    """Return the sheet in a document after scoring all its deals, or a refusal that says what is wrong."""
    raw = read(text)
    if isinstance(raw, dict) and raw.get("format") == CIRCLE_FORMAT:
        return refuse(None, [Problem("format", "a-circle")])
    loaded = raw if isinstance(raw, Refusal) else sheet.load(raw, games())
    if isinstance(loaded, Refusal):
        return loaded
    incoming, loaded = loaded, _clean_texts(loaded)
    names = tuple(map(clean_name, loaded.players))
    standing = loaded.open()
    refusal = _refuse_head(loaded, names) or _refuse_reasons(loaded) or fold(loaded.game, standing, loaded.deals)
    if (refusal := refusal or _refuse_newcomers(loaded)) is not None:
        return refusal
    people = tuple(standing.balances)
    names = tuple(map(clean_name, people))
    return ImportedSheet(loaded, people, names, tuple(_cleaned_texts(incoming, loaded, people, names)))


def _clean_texts(loaded: Sheet) -> Sheet:
    """Clean the title and the reasons as the app's forms do. Names are compared as the sheet has them."""
    deals = [clean_reason(deal) if isinstance(deal, dict) else deal for deal in loaded.deals]
    return loaded._replace(title=clean_name(loaded.title) or None, deals=deals)


def _cleaned_texts(
    incoming: Sheet, cleaned: Sheet, people: Sequence[str], names: Sequence[str]
) -> Iterator[CleanedText]:
    """Yield the texts of a sheet that are not stored as they came in."""
    if incoming.title != cleaned.title:
        yield CleanedText("title", cleaned.title or "")
    for person, name in zip(people, names, strict=True):
        if person != name:
            yield CleanedText("players" if person in incoming.players else "substitution.in", name)
    for number, (before, after) in enumerate(zip(incoming.deals, cleaned.deals, strict=True), start=1):
        if before is not after:
            yield CleanedText(f"deals.{number}.adjustment.reason", after["adjustment"].get("reason", ""))


def _refuse_head(loaded: Sheet, names: tuple[str, ...]) -> Refusal | None:
    problems = [*_head_problems(loaded, names)]
    return refuse(None, problems) if problems else None


def _head_problems(loaded: Sheet, names: tuple[str, ...]) -> Iterator[Problem]:
    duplicate = first_duplicate(names)
    if not all(names):
        yield Problem("players", "blank-name")
    elif duplicate is not None:
        yield Problem("players", "same-name", {"found": duplicate})
    if any(len(name) > MAX_NAME_LENGTH for name in names):
        yield Problem("players", "long-name", {"most": MAX_NAME_LENGTH})
    yield from text_problems("title", loaded.title)
    key = find_day_problem(loaded.played_on) if loaded.played_on is not None else None
    if key is not None:
        yield Problem("played_on", key)
    if len(loaded.deals) > MAX_DEALS:
        yield Problem("deals", "too-many-deals", {"found": len(loaded.deals), "most": MAX_DEALS})


def _refuse_reasons(loaded: Sheet) -> Refusal | None:
    """Return a refusal for the first adjustment whose reason is too long."""
    for number, deal in enumerate(loaded.deals, start=1):
        problems = [*reason_problems(deal)]
        if problems:
            return refuse(number, problems)
    return None


def _refuse_newcomers(loaded: Sheet) -> Refusal | None:
    """Return a refusal for the first substitution whose newcomer's name nobody could read or tell apart."""
    people = {name: clean_name(name) for name in loaded.players}
    for number, deal in enumerate(loaded.deals, start=1):
        name = deal["substitution"]["in"] if "substitution" in deal else None
        if name is None or name in people:
            continue
        problem = _newcomer_problem(clean_name(name), people.values())
        if problem is not None:
            return refuse(number, [problem])
        people[name] = clean_name(name)
    return None


def _newcomer_problem(name: str, others: Collection[str]) -> Problem | None:
    field = "substitution.in"
    if not name:
        return Problem(field, "blank-name")
    if name in others:
        return Problem(field, "same-name", {"found": name})
    if len(name) > MAX_NAME_LENGTH:
        return Problem(field, "long-name", {"most": MAX_NAME_LENGTH})
    return Problem(field, "too-many-people", {"most": MAX_LABEL}) if len(others) >= MAX_LABEL else None


def reason_problems(deal: object, most: int = MAX_TEXT_LENGTH) -> Iterator[Problem]:
    """Yield what is wrong with an adjustment's reason, if the deal is one."""
    adjustment = deal.get("adjustment") if isinstance(deal, dict) else None
    reason = adjustment.get("reason") if isinstance(adjustment, dict) else None
    yield from text_problems("adjustment.reason", reason, most)


def text_problems(field: str, text: object, most: int = MAX_TEXT_LENGTH) -> Iterator[Problem]:
    """Yield what is wrong with a text of at most so many characters; what is no text is checked elsewhere."""
    if isinstance(text, str) and len(text) > most:
        yield Problem(field, "long-text", {"most": most})
