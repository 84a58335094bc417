"""A circle's players: names, retirement, the banker, merging two players of one person, and erasing a name.

A person is a player who is not merged into another one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import NamedTuple
from unicodedata import normalize

from sqlalchemy import bindparam, delete, func, or_, select
from sqlalchemy.orm import aliased

from ..db.clock import now
from ..db.transactions import write_to_circle
from ..exchange.sheets import MAX_NAME_LENGTH
from ..models import Browser, Circle, Flag, Player, Presence, Revision, Seat, Table, db
from ..scoring.problems import Problem
from .access.links import MAX_BROWSER_NAME
from .caches import period_totals, table_summary
from .circles import MAX_TITLE
from .settlements import queries

_TEXTS = ("title", "place", "note")  # columns of a table in which names may be written


def players_of(circle: Circle) -> list[Player]:
    """List the players to choose from when a table is opened, oldest first.

    Retired and merged players, and those whose name is erased, are left out.
    """
    query = select(Player).where(
        Player.circle_id == circle.id,
        Player.person_id.is_(None),
        Player.retired_at.is_(None),
        Player.erased_at.is_(None),
    )
    return list(db.session.scalars(query.order_by(Player.id)))


def find_or_build_players(circle: Circle, names: Sequence[str]) -> list[Player]:
    """Return the person for each of these names, a new Player if the circle has none; the caller adds it.

    The name of a merged player stands for the person.
    """
    existing = db.session.scalars(select(Player).where(Player.circle_id == circle.id, Player.name.in_(names)))
    by_name = {player.name: player.person for player in existing}
    return [by_name.get(name) or Player(circle_id=circle.id, name=name) for name in names]


_PLAYERS = select(Player).where(Player.circle_id == bindparam("circle")).order_by(Player.id)


def persons_by_player_id(circle: Circle) -> dict[int, Player]:
    """Return the person of each of the circle's players: the player, or the one they are merged into."""
    players = list(db.session.scalars(_PLAYERS, {"circle": circle.id}))
    return {player.id: player.person for player in players}


def browsers_by_person(circle: Circle) -> dict[int, list[int]]:
    """Return the ids of the browsers with access by the id of the person to whom they belong."""
    query = (
        select(func.coalesce(Player.person_id, Player.id), Browser.id)
        .select_from(Browser)
        .join(Player, (Player.circle_id == Browser.circle_id) & (Player.id == Browser.player_id))
        .where(Browser.circle_id == circle.id, Browser.right.is_not(None))
    )
    browsers: dict[int, list[int]] = {}
    for person_id, browser_id in db.session.execute(query):
        browsers.setdefault(person_id, []).append(browser_id)
    return browsers


def banker_of(people: Iterable[Player]) -> Player | None:
    """Return the banker, through whom all payments go, if one of these people is."""
    return next((person for person in people if person.is_banker), None)


def set_banker(circle: Circle, player_id: int, by: Browser | None = None) -> None:
    """Make a player the banker; an id that is no person of the circle leaves it without one."""

    def work(locked: Circle) -> None:
        for player in db.session.scalars(select(Player).where(Player.circle_id == locked.id)):
            player.is_banker = player.id == player_id and player.person_id is None

    write_to_circle(circle.id, work, browser=by)


class PersonRow(NamedTuple):
    """A person with the players merged into them, the number of their tables and the last evening they played."""

    player: Player
    merged: list[Player]
    tables: int
    last: date | None


def people_of(circle: Circle) -> list[PersonRow]:
    """List the circle's persons by name."""
    seatings = (
        select(Seat.player_id, func.count(), func.max(Table.day))
        .join(Table, (Table.circle_id == Seat.circle_id) & (Table.id == Seat.table_id))
        .where(Table.circle_id == circle.id, Seat.has_sat)
        .group_by(Seat.player_id)
    )
    tables = {player: (count, last) for player, count, last in db.session.execute(seatings).all()}
    players = all_players(circle)
    return [_person_row(player, players, tables) for player in players if player.person_id is None]


def _person_row(player: Player, players: Sequence[Player], tables: dict[int, tuple[int, date]]) -> PersonRow:
    merged = [other for other in players if other.person_id == player.id]
    rows = [tables[each.id] for each in (player, *merged) if each.id in tables]
    return PersonRow(player, merged, sum(count for count, _ in rows), max((last for _, last in rows), default=None))


def all_players(circle: Circle) -> list[Player]:
    """List every player by name, merged and erased ones included."""
    query = select(Player).where(Player.circle_id == circle.id).execution_options(populate_existing=True)
    return sorted(db.session.scalars(query), key=lambda player: normalize("NFKD", player.name).casefold())


# --- names and retirement ----------------------------------------------------------------------------------


def rename(player: Player, name: str, by: Browser | None = None) -> Problem | None:
    """Rename a player, at past tables too; return what is wrong with the name, if anything."""

    def change(_circle: Circle) -> Problem | None:
        problem = _changed_meanwhile(player) or _name_problem(player, name)
        if problem is None:
            player.name = name
        return problem

    return write_to_circle(player.circle_id, change, browser=by)


def _changed_meanwhile(player: Player) -> Problem | None:
    """Return a problem if the player was merged or erased meanwhile."""
    if player.person_id is None and player.erased_at is None:
        return None
    return Problem("player", "player-changed")


def _name_problem(player: Player, name: str) -> Problem | None:
    if not name:
        return Problem("name", "name-blank")
    if len(name) > MAX_NAME_LENGTH:
        return Problem("name", "long-name", {"most": MAX_NAME_LENGTH})
    holder = next((p for p in all_players(player.circle) if p.name == name and p.id != player.id), None)
    if holder is None:
        return None
    if holder.person_id == player.id:
        return Problem("name", "name-merged", {"found": name})
    return Problem("name", "name-taken", {"found": name})


def set_retired(player: Player, is_retired: bool, by: Browser | None = None) -> Problem | None:
    """Set whether a player is left out of those to choose from when a table is opened; the name can still be typed."""

    def change(_circle: Circle) -> Problem | None:
        problem = _changed_meanwhile(player)
        if problem is None:
            player.retired_at = (player.retired_at or now()) if is_retired else None
        return problem

    return write_to_circle(player.circle_id, change, browser=by)


# --- merging -----------------------------------------------------------------------------------------------


def merge(player: Player, into: Player, by: Browser | None = None) -> Table | Problem | None:
    """Merge a player, and the players merged into them, into another one; return None on success.

    Nobody has two seats at one table: if both have ever sat at the same one, even if that was withdrawn, nothing
    changes and it is returned.
    """
    return write_to_circle(player.circle_id, lambda circle: _merge(circle, player, into), browser=by)


def _merge(circle: Circle, player: Player, into: Player) -> Table | Problem | None:
    players = all_players(circle)
    into = into.person
    if player.person.id == into.id:
        return None
    problem = _changed_meanwhile(player) or _changed_meanwhile(into)
    if problem is not None:
        return problem
    merged = _players_of_person(player, players)
    shared = _shared_table(merged, _players_of_person(into, players))
    if shared is None:
        into.is_banker = into.is_banker or player.is_banker
        player.is_banker = False
        for merged_player in merged:
            merged_player.person_id = into.id
        _update_caches(merged)
    return shared


def _players_of_person(person: Player, players: Iterable[Player]) -> list[Player]:
    return [player for player in players if person.id in (player.id, player.person_id)]


def _shared_table(players: Iterable[Player], others: Iterable[Player]) -> Table | None:
    """Return the newest table at which a player of each group has a seat."""
    seat, opposite = aliased(Seat), aliased(Seat)
    query = (
        select(Table)
        .join(Table.seats.of_type(seat))
        .join(Table.seats.of_type(opposite))
        .where(seat.player_id.in_([p.id for p in players]), opposite.player_id.in_([other.id for other in others]))
        .order_by(Table.id.desc())
        .limit(1)
    )
    return db.session.scalar(query)


def unmerge(player: Player, by: Browser | None = None) -> None:
    """Undo a merge: the player is a person again, with their own seats; not possible after their name was erased."""

    def separate(_circle: Circle) -> None:
        if player.person_id is not None and player.erased_at is None:
            player.person_id = None
            _update_caches([player])

    write_to_circle(player.circle_id, separate, browser=by)


def _update_caches(players: Sequence[Player]) -> None:
    """Update the caches that are stored by person, after these players were merged or unmerged."""
    db.session.flush()
    for player in players:
        db.session.expire(player)  # its `person` is outdated
    period_totals.invalidate_circle(players[0].circle_id)
    queries.recompute_all(players[0].circle, persons_by_player_id(players[0].circle))


# --- erasing a name ----------------------------------------------------------------------------------------


def erase(person: Player, earlier: Iterable[str] = (), by: Browser | None = None) -> Problem | None:
    """Replace a person's names by a placeholder, irreversibly.

    They are replaced in the names of the person and the players merged into them, the title of the circle, the titles,
    places and notes of tables, the names of browsers, the comments of flags, and the reasons of adjustments. `earlier`
    are former names to replace as well. How the person wanted to be paid is deleted. A reason is the only
    part of a revision that is ever changed; scores and payments stay the same.
    """
    name, earlier_names = person.name, list(filter(str.strip, earlier))
    return write_to_circle(person.circle_id, lambda _: _erase(person, name, earlier_names), browser=by)


def _erase(person: Player, agreed: str, earlier: list[str]) -> Problem | None:
    """Erase the person if their name is still `agreed`, the one that was confirmed."""
    if person.erased_at is not None:
        return None
    problem = _changed_meanwhile(person)
    if problem is not None or person.name != agreed:
        return problem or Problem("typed", "not-the-words", {"must": person.name})
    players = all_players(person.circle)
    erased = _players_of_person(person, players)
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
    db.session.flush()
    changed = _replace_in_texts(person.circle, _replacer(names, person.name, others))
    db.session.flush()
    table_summary.refresh_texts(person.circle_id, changed)
    return None


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
    if circle.title is not None:
        circle.title = replace(circle.title)[:MAX_TITLE]
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
