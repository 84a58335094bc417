"""Erasing a person's name, wherever it is written in a circle."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from unicodedata import normalize

from sqlalchemy import delete, or_, select, update

from ..db.clock import now
from ..db.transactions import write_to_circle
from ..limits import MAX_BROWSER_NAME, MAX_CIRCLE_TITLE
from ..models import Browser, Circle, Entrant, Event, EventPhone, Flag, Player, Presence, Revision, Table, db
from ..scoring.problems import Problem
from .caches import table_summary
from .people import all_players, changed_meanwhile, players_of_person, touch_events

_TEXTS = ("title", "place", "note")  # columns of a table in which names may be written
_TEXTS_OF_EVENT = ("title", "place")


def erase(person: Player, earlier: Iterable[str] = (), by: Browser | None = None) -> Problem | None:
    """Replace a person's names by a placeholder, irreversibly.

    They are replaced in the names of the person and the players merged into them, the title of the circle, the
    titles, places and notes of tables, the titles, places and prizes of events, the names of browsers, the comments
    of flags, and the reasons of adjustments. `earlier` are former names to replace as well. How the person wanted
    to be paid is deleted, and which phone was theirs at an event. A reason is the only part of a revision that is
    ever changed; scores and payments stay the same.
    """
    name, earlier_names = person.name, list(filter(str.strip, earlier))
    return write_to_circle(person.circle_id, lambda _: _erase(person, name, earlier_names), browser=by)


def _erase(person: Player, agreed: str, earlier: list[str]) -> Problem | None:
    """Erase the person if their name is still `agreed`, the one that was confirmed."""
    if person.erased_at is not None:
        return None
    problem = changed_meanwhile(person)
    if problem is not None or person.name != agreed:
        return problem or Problem("typed", "not-the-words", {"must": person.name})
    players = all_players(person.circle)
    erased = players_of_person(person, players)
    others = [player.name for player in players if player not in erased]
    for name in earlier:
        if _normalized(name) in map(_normalized, others):
            return Problem("earlier", "name-of-another", {"found": name})
    names = [*(player.name for player in erased), *earlier]
    for player in erased:
        player.name = _placeholder(player, players)
        player.erased_at = now()
        player.iban = player.payment_link = None
    erased_ids = [player.id for player in erased]
    db.session.execute(
        delete(Presence).where(Presence.circle_id == person.circle_id, Presence.player_id.in_(erased_ids))
    )
    _forget_phones(person.circle_id, erased_ids)
    db.session.flush()
    changed = _replace_in_texts(person.circle, _replacer(names, person.name, others))
    db.session.flush()
    table_summary.refresh_texts(person.circle_id, changed)
    touch_events(person.circle, erased)
    return None


def _forget_phones(circle_id: int, player_ids: Sequence[int]) -> None:
    """Forget whose the phones of these players are at events."""
    is_theirs = select(Entrant.number).where(
        Entrant.circle_id == circle_id,
        Entrant.event_id == EventPhone.event_id,
        Entrant.number == EventPhone.number,
        Entrant.player_id.in_(player_ids),
    )
    of_circle = update(EventPhone).where(EventPhone.circle_id == circle_id, is_theirs.exists())
    db.session.execute(of_circle.values(number=None), execution_options={"synchronize_session": False})


def _placeholder(player: Player, players: Sequence[Player]) -> str:
    """Return a placeholder for every language: "N. N." and the player's number in the circle, or a free one."""
    used = {other.name for other in players}
    number = sum(other.id <= player.id for other in players)
    while f"N. N. {number}" in used:
        number += len(players)
    return f"N. N. {number}"


def _replacer(names: Iterable[str], placeholder: str, others: Iterable[str]) -> Callable[[str], str]:
    """Build a function that replaces the names as whole words, ignoring case.

    A longer name of another player (`others`) that contains one of them is not replaced.
    """
    erased = {_normalized(name): name for name in names}
    protected = {_normalized(other): other for other in others if any(name in _normalized(other) for name in erased)}
    longest_first = sorted({**protected, **erased}.values(), key=len, reverse=True)
    words = "|".join(r"\s+".join(map(re.escape, normalize("NFC", name).split())) for name in longest_first)
    pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)

    def replace(text: str) -> str:
        composed = normalize("NFC", text)
        unchanged = protected.keys() - erased.keys()
        replaced = pattern.sub(lambda match: match[0] if _normalized(match[0]) in unchanged else placeholder, composed)
        return text if replaced == composed else replaced

    return replace


def _normalized(name: str) -> str:
    """Normalize a name for comparison: Unicode form, case and spaces."""
    return " ".join(normalize("NFC", name).casefold().split())


def _replace_in_texts(circle: Circle, replace: Callable[[str], str]) -> set[Table]:
    """Apply `replace` to all texts of a circle; return the tables whose texts have changed."""
    changed = set()
    _replace_in_events(circle, replace)
    if circle.title is not None:
        circle.title = replace(circle.title)[:MAX_CIRCLE_TITLE]
    for browser in db.session.scalars(select(Browser).where(Browser.circle_id == circle.id, Browser.name.is_not(None))):
        browser.name = replace(browser.name or "")[:MAX_BROWSER_NAME]
    for flag in db.session.scalars(select(Flag).where(Flag.circle_id == circle.id)):
        flag.comment = replace(flag.comment)
    has_text = or_(*(getattr(Table, name).is_not(None) for name in _TEXTS))
    for table in db.session.scalars(select(Table).where(Table.circle_id == circle.id, has_text)):
        for name in _TEXTS:
            if (text := replace(getattr(table, name) or "")) != (getattr(table, name) or ""):
                setattr(table, name, text)
                changed.add(table)
    reasoned = Revision.body["adjustment"]["reason"].as_string().is_not(None)
    query = select(Revision, Table).join(Table.revisions)
    for revision, table in db.session.execute(query.where(Table.circle_id == circle.id, reasoned)).all():
        body = revision.body or {}
        adjustment = body["adjustment"]
        if (reason := replace(adjustment["reason"])) != adjustment["reason"]:
            revision.body = body | {"adjustment": adjustment | {"reason": reason}}
            changed.add(table)
    return changed


def _replace_in_events(circle: Circle, replace: Callable[[str], str]) -> None:
    for event in db.session.scalars(select(Event).where(Event.circle_id == circle.id)):
        for name in _TEXTS_OF_EVENT:
            if (text := getattr(event, name)) is not None:
                setattr(event, name, replace(text))
        prizes = [prize | {"text": replace(prize["text"])} if prize.get("text") else prize for prize in event.prizes]
        if prizes != event.prizes:
            event.prizes = prizes
