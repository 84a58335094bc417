"""A circle's players, as other services look them up. A person is a player who is not merged into another one."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import normalize

from sqlalchemy import bindparam, func, select

from ...models import Browser, Circle, Player, Seat, db


def list_players(circle: Circle) -> list[Player]:
    """List the players to choose from when a table is opened: those who have sat down last come first.

    Retired and merged players, and those whose name is erased, are left out.
    """
    seats = select(func.max(Seat.table_id)).where(Seat.circle_id == circle.id, Seat.player_id == Player.id)
    last_table = seats.scalar_subquery()
    query = select(Player).where(
        Player.circle_id == circle.id,
        Player.person_id.is_(None),
        Player.retired_at.is_(None),
        Player.erased_at.is_(None),
    )
    return list(db.session.scalars(query.order_by(last_table.desc().nulls_last(), Player.id)))


_PLAYERS = select(Player).where(Player.circle_id == bindparam("circle")).order_by(Player.id)


def read_persons(circle: Circle) -> dict[int, Player]:
    """Return the person of each of the circle's players: the player, or the one they are merged into."""
    players = list(db.session.scalars(_PLAYERS, {"circle": circle.id}))
    return {player.id: player.person for player in players}


def read_owner(phone: Browser) -> Player | None:
    """Return the person whose phone it is, if that is known."""
    if phone.player_id is None:
        return None
    return db.session.get_one(Player, (phone.player_id, phone.circle_id)).person


def read_ids_by_token(circle: Circle) -> dict[str, int]:
    """Return the id of each of the circle's players by the token that stands for it in URLs and forms."""
    query = select(Player.token, Player.id).where(Player.circle_id == circle.id)
    return {row.token: row.id for row in db.session.execute(query)}


def read_browsers_by_person(circle: Circle) -> dict[int, list[int]]:
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


def is_own_browser(browser: Browser, person: Player) -> bool:
    """Return whether a browser with access is a person's: anyone may claim to be them, so it is nobody's with two."""
    return read_browsers_by_person(browser.circle).get(person.id) == [browser.id]


def find_banker(people: Iterable[Player]) -> Player | None:
    """Return the banker, through whom all payments go, if one of these people is."""
    return next((person for person in people if person.is_banker), None)


def list_all_players(circle: Circle) -> list[Player]:
    """List every player by name, merged and erased ones included."""
    query = select(Player).where(Player.circle_id == circle.id).execution_options(populate_existing=True)
    return sorted(db.session.scalars(query), key=lambda player: normalize("NFKD", player.name).casefold())


def players_of_person(person: Player, players: Iterable[Player]) -> list[Player]:
    """Return the person and the players merged into them."""
    return [player for player in players if person.id in (player.id, player.person_id)]
