"""The people of a circle: their names, who has retired, who turned out to be another, whose name is erased."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import NamedTuple
from unicodedata import normalize

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import aliased

from ..scoring.remarks import Remark
from ..store import Browser, Circle, Player, Revision, Seat, Table, db
from . import settled, summaries, tallies
from .circles import MOST_IN_NAME, MOST_IN_TITLE
from .commits import committed, now

MOST_LETTERS = 40  # in a player's name at a table of ours; a sheet may have longer ones


def players_of(circle: Circle) -> list[Player]:
    """Who is offered when a table is set, the first first: not who retired, is another, or has no name any more."""
    query = select(Player).where(
        Player.circle_id == circle.id,
        Player.person_id.is_(None),
        Player.retired_at.is_(None),
        Player.erased_at.is_(None),
    )
    return list(db.session.scalars(query.order_by(Player.id)))


def players_called(circle: Circle, names: Sequence[str]) -> list[Player]:
    """The circle's players of these names, new ones where there are none yet; not added to the session.

    A name of one who turned out to be another stands for that other.
    """
    known = db.session.scalars(select(Player).where(Player.circle_id == circle.id, Player.name.in_(names)))
    by_name = {player.name: player.person for player in known}
    return [by_name.get(name) or Player(circle_id=circle.id, name=name) for name in names]


_PLAYERS = select(Player).where(Player.circle_id == bindparam("circle")).order_by(Player.id)  # put together once


def persons(circle: Circle) -> dict[int, Player]:
    """Who each of the circle's players is: himself, or the one he turned out to be."""
    players = list(db.session.scalars(_PLAYERS, {"circle": circle.id}))
    return {player.id: player.person for player in players}


def banker_of(people: Iterable[Player]) -> Player | None:
    """The one of them through whom all is paid."""
    return next((person for person in people if person.is_banker), None)


def name_banker(circle: Circle, player_id: int) -> None:
    """Through whom all is paid from now on; nobody, where the circle has no such player."""
    for player in db.session.scalars(select(Player).where(Player.circle_id == circle.id)):
        player.is_banker = player.id == player_id and player.person_id is None
    db.session.commit()


class Known(NamedTuple):
    """A person: who turned out to be them, at how many tables they sat, and on which evening the last time."""

    player: Player
    merged: list[Player]
    tables: int
    last: date | None


def people_of(circle: Circle) -> list[Known]:
    """Everybody, by name."""
    sat = (
        select(Seat.player_id, func.count(), func.max(Table.day))
        .join(Table, Table.id == Seat.table_id)
        .where(Table.circle_id == circle.id)
        .group_by(Seat.player_id)
    )
    tables = {player: (count, last) for player, count, last in db.session.execute(sat).all()}
    players = everybody(circle)
    return [_known(player, players, tables) for player in players if player.person_id is None]


def _known(player: Player, players: Sequence[Player], tables: dict[int, tuple[int, date]]) -> Known:
    merged = [other for other in players if other.person_id == player.id]
    sat = [tables[one.id] for one in (player, *merged) if one.id in tables]
    return Known(player, merged, sum(count for count, _ in sat), max((last for _, last in sat), default=None))


def everybody(circle: Circle) -> list[Player]:
    """Every player there ever was, by name."""
    query = select(Player).where(Player.circle_id == circle.id).execution_options(populate_existing=True)
    return sorted(db.session.scalars(query), key=lambda player: normalize("NFKD", player.name).casefold())


# --- names, and who still comes ----------------------------------------------------------------------------


def rename(player: Player, name: str) -> Remark | None:
    """Call a player by another name, at tables of the past too; or what is wrong with it."""

    def add() -> Remark | None:
        remark = _name_fault(player, name)
        if remark is None:
            player.name = name
        return remark

    return committed(add)


def _name_fault(player: Player, name: str) -> Remark | None:
    if not name:
        return Remark("name", "name-blank")
    if len(name) > MOST_LETTERS:
        return Remark("name", "long-name", {"most": MOST_LETTERS})
    holder = next((p for p in everybody(player.circle) if p.name == name and p.id != player.id), None)
    if holder is None:
        return None
    if holder.person_id == player.id:
        return Remark("name", "name-merged", {"found": name})
    return Remark("name", "name-taken", {"found": name})


def retire(player: Player) -> None:
    """No longer offer a player when a table is set; whoever types the name brings them to the table still."""
    player.retired_at = now()
    db.session.commit()


def bring_back(player: Player) -> None:
    player.retired_at = None
    db.session.commit()


# --- two players who are one -------------------------------------------------------------------------------


def merge(player: Player, into: Player) -> Table | None:
    """Let a player, and all who turned out to be them, be another from now on; None where that is done.

    Nobody has two seats at one table: where both ever sat at one, nothing is done and the table is the answer.
    """
    return committed(lambda: _merge(player, into))


def _merge(player: Player, into: Player) -> Table | None:
    # One at a time in a circle: who merges A into B while another merges B into A would make a ring of them.
    db.session.execute(select(Circle.id).where(Circle.id == player.circle_id).with_for_update())
    players = everybody(player.circle)
    player, into = player.person, into.person
    if player.id == into.id:
        return None
    merged, kept = _all_of(player, players), _all_of(into, players)
    shared = _shared_table(merged, kept)
    if shared is None:
        into.is_banker = into.is_banker or player.is_banker
        player.is_banker = False
        for one in merged:
            one.person_id = into.id
        _tell_by_person(merged)
    return shared


def _all_of(person: Player, players: Iterable[Player]) -> list[Player]:
    return [player for player in players if person.id in (player.id, player.person_id)]


def _shared_table(ones: Iterable[Player], others: Iterable[Player]) -> Table | None:
    """The last table at which one of these and one of those both have a seat."""
    seat, opposite = aliased(Seat), aliased(Seat)
    query = (
        select(Table)
        .join(seat, seat.table_id == Table.id)
        .join(opposite, opposite.table_id == Table.id)
        .where(seat.player_id.in_([one.id for one in ones]), opposite.player_id.in_([other.id for other in others]))
        .order_by(Table.id.desc())
        .limit(1)
    )
    return db.session.scalar(query)


def take_apart(player: Player) -> None:
    """Let a merged player be themselves again, with the seats that were theirs."""
    player.person_id = None
    _tell_by_person([player])
    db.session.commit()


def _tell_by_person(players: Sequence[Player]) -> None:
    """Work out again what is kept by person: these are somebody else now."""
    db.session.flush()
    for player in players:
        db.session.expire(player)  # with whom they were
    tallies.people_changed(players[0].circle_id)
    settled.reckon_all(players[0].circle, persons(players[0].circle))


# --- a name that is erased ---------------------------------------------------------------------------------


def erase(person: Player, earlier: Iterable[str] = ()) -> Remark | None:
    """Put a placeholder where a person's names stand, for good: of the players merged into them, in titles of tables
    and of the circle, in what browsers are called, in the reasons of adjustments. `earlier` are names from before.

    The reasons are the one thing in a revision that is ever altered. What follows from the facts stays as it was.
    """
    return committed(lambda: _erase(person, list(filter(str.strip, earlier))))


def _erase(person: Player, earlier: list[str]) -> Remark | None:
    summaries.lock_all_of(person.circle_id)
    players = everybody(person.circle)
    erased = _all_of(person, players)
    others = [player.name for player in players if player not in erased]
    for name in earlier:
        if _plain(name) in map(_plain, others):
            return Remark("earlier", "name-of-another", {"found": name})
    names = [*(player.name for player in erased), *earlier]
    for player in erased:
        player.name = _placeholder(player, players)
        player.erased_at = now()
    db.session.flush()
    touched = _replace_in_texts(person.circle, _replacing(names, person.name, others))
    db.session.flush()  # what differs from table to table; then the edition of each goes in one statement
    for table in touched:
        table.edition = secrets.token_hex(8)
    summaries.keep_texts(touched)
    return None


def _placeholder(player: Player, players: Sequence[Player]) -> str:
    """Somebody without a name, in every language: N. N. and the player's number in the circle, or a free one."""
    taken = {other.name for other in players}
    number = sum(other.id <= player.id for other in players)
    while f"N. N. {number}" in taken:
        number += len(players)
    return f"N. N. {number}"


def _replacing(names: Iterable[str], placeholder: str, others: Iterable[str]) -> Callable[[str], str]:
    """Puts the placeholder for the names as whole words, small or capital; a longer name of another player stays."""
    gone = {_plain(name): name for name in names}
    staying = {_plain(other): other for other in others if any(name in _plain(other) for name in gone)}
    longest_first = sorted({**staying, **gone}.values(), key=len, reverse=True)
    words = "|".join(r"\s+".join(map(re.escape, normalize("NFC", name).split())) for name in longest_first)
    pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)

    def replace(text: str) -> str:
        composed = normalize("NFC", text)
        replaced = pattern.sub(lambda m: m[0] if _plain(m[0]) in staying.keys() - gone else placeholder, composed)
        return text if replaced == composed else replaced

    return replace


def _plain(name: str) -> str:
    """A name as names are compared."""
    return " ".join(normalize("NFC", name).casefold().split())


def _replace_in_texts(circle: Circle, replace: Callable[[str], str]) -> set[Table]:
    """Answers the tables whose facts now read otherwise."""
    touched = set()
    if circle.title is not None:
        circle.title = replace(circle.title)[:MOST_IN_TITLE]
    for browser in db.session.scalars(select(Browser).where(Browser.circle_id == circle.id, Browser.name.is_not(None))):
        browser.name = replace(browser.name or "")[:MOST_IN_NAME]
    for table in db.session.scalars(select(Table).where(Table.circle_id == circle.id, Table.title.is_not(None))):
        if (title := replace(table.title or "")) != table.title:
            table.title = title
            touched.add(table)
    reasoned = Revision.body["adjustment"]["reason"].as_string().is_not(None)
    query = select(Revision, Table).join(Table, Table.id == Revision.table_id)
    for revision, table in db.session.execute(query.where(Table.circle_id == circle.id, reasoned)).all():
        body = revision.body or {}
        told = body["adjustment"]
        if (reason := replace(told["reason"])) != told["reason"]:
            revision.body = body | {"adjustment": told | {"reason": reason}}
            touched.add(table)
    return touched
