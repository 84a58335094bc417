"""Tonight: who is here, who plays at the next table and who sits out, and opening that table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import NamedTuple

from sqlalchemy import delete, select

from ..db.outcome import Done, Stale
from ..db.transactions import get_id, writing_to_circle
from ..games import games, slug_of
from ..limits import MAX_PRESENT
from ..models import SCORE, Circle, Membership, Player, Presence, Seat, Table, db, now
from ..people.names import Meanings, find_or_build_players
from ..people.reading import read_persons
from ..scoring import schema
from ..scoring.game import AnyGame
from ..scoring.problems import Problem, Refusal
from ..site.live import touch_tables
from ..site.occasions import notify
from ..site.time_zones import find_evening
from ..tables.details import Details
from ..tables.named_games import find_game_key, find_last_table, list_named_games
from ..tables.opening import Opening, OpeningResult, find_opened, open_locked
from ..tables.reading import read_states
from ..tables.rota import Lineup, Turn, next_lineup, seated_as_before, with_new_partners
from ..tables.turns import list_turns, read_arrivals, read_spans
from ..tables.writing import TURN_NOTICE


@dataclass(frozen=True)
class Tonight:
    """An evening of the circle: the people who are here and when they came, in order of arrival, and the turns so far.

    All are ids of persons. `seated` sit at the evening's last table, `busy` at an open table without a deal.
    """

    day: date
    people: dict[int, Player]
    arrivals: Mapping[int, datetime]
    turns: Sequence[Turn]
    seated: tuple[int, ...]
    busy: Collection[int]

    @cached_property
    def sat_out(self) -> Counter[int]:
        return Counter(person for turn in self.turns for person in turn.waiting)

    @cached_property
    def played(self) -> Counter[int]:
        return Counter(person for turn in self.turns for person in turn.players)

    def lineup(self, game: AnyGame, has_new_partners: bool = False) -> Lineup | None:
        """Return who plays the game next, in order of their seats, and who sits out; None if too few are free."""
        free = {person: at for person, at in self.arrivals.items() if person not in self.busy}
        seats = max((count for count in game.player_counts if count <= len(free)), default=None)
        if seats is None:
            return None
        lineup = next_lineup(self.turns, free, seats)
        players = seated_as_before(lineup.players, self.seated)
        if has_new_partners and game.in_sides:
            players = with_new_partners(players, self.turns)
        return lineup._replace(players=players)


def read(circle: Circle) -> Tonight:
    day = find_evening(now(), circle.time_zone)
    persons = read_persons(circle)
    arrivals = read_arrivals(circle, day, persons)
    spans = read_spans(circle, day)
    opened = select(Seat.player_id).join(Table, Table.id == Seat.table_id).where(~Table.revisions.any())
    opened = opened.where(Table.circle_id == circle.id, Table.day == day, Table.closed_at.is_(None))
    return Tonight(
        day=day,
        people={id_: persons[id_] for id_ in arrivals},
        arrivals=arrivals,
        turns=list_turns(spans, arrivals),
        seated=spans[-1].seated if spans else (),
        busy={persons[id_].id for id_ in db.session.scalars(opened)},
    )


# --- who is here -------------------------------------------------------------------------------------------


class Ticks(NamedTuple):
    """What a page of the evening `day` sends: who is ticked, and who was here when it was shown.

    `meanings` says whom the name means, where the form has asked.
    """

    day: date | None
    ticked: set[int]
    was_here: set[int]
    name: str
    meanings: Meanings


def set_present(circle: Circle, ticks: Ticks, by: Membership) -> Problem | None:
    """Record who has come and who has left since the page was shown; return what is wrong, if anything.

    Only differences from what the page showed are recorded, so that two phones may do it at once. A page that is left
    from an earlier evening records all who are ticked as having come today.
    """
    with writing_to_circle(get_id(circle), membership=by, right=SCORE) as locked:
        day = find_evening(now(), locked.time_zone)
        was_here = ticks.was_here if ticks.day == day else set()
        persons = read_persons(locked)
        here = set(read_arrivals(locked, day, persons))
        came = {persons[id_].id for id_ in ticks.ticked - was_here if id_ in persons and not persons[id_].erased_at}
        left = {persons[id_].id for id_ in was_here - ticks.ticked if id_ in persons}
        newcomers = find_or_build_players(locked, [ticks.name] if ticks.name else [], ticks.meanings)
        if isinstance(newcomers, Refusal):
            return newcomers.first
        if any(newcomer.erased_at for newcomer in newcomers):
            return Problem("name", "player-changed")
        if len((here - left) | came) + len(newcomers) > MAX_PRESENT:
            return Problem("name", "too-many-present", {"most": MAX_PRESENT})
        db.session.add_all(newcomers)
        db.session.flush()
        came |= {newcomer.id for newcomer in newcomers}
        _store(locked, day, [id_ for id_ in persons if persons[id_].id in left - came], came - here)
        return None


def _store(circle: Circle, day: date, left: Collection[int], came: Collection[int]) -> None:
    """Store who left and who came.

    The pages of open tables at which people take turns are updated, since they show who comes in next.
    """
    moment = now()
    of_circle = delete(Presence).where(Presence.circle_id == circle.id)
    db.session.execute(of_circle.where((Presence.day != day) | Presence.player_id.in_(left)))
    db.session.add_all(Presence(circle_id=circle.id, day=day, player_id=id_, arrived_at=moment) for id_ in sorted(came))
    if came or left:
        open_tables = select(Table.id).where(Table.circle_id == circle.id, Table.day == day, Table.closed_at.is_(None))
        touch_tables(circle.id, list(db.session.scalars(open_tables.where(Table.turns.is_not(None)))))


# --- seating them ------------------------------------------------------------------------------------------


def list_playable(circle: Circle) -> list[str]:
    """Return the keys of the games that can be played at once: those that need no description, and the circle's own."""
    others = [
        slug
        for slug, game in games().items()
        if not game.house_rules.examples or (not game.house_rules.named_by and find_last_table(circle, slug))
    ]
    return [*others, *list_named_games(circle)]


def find_game_as_last_played(circle: Circle, key: str) -> AnyGame | None:
    """Return the game under the house rules of its newest table, or its usual ones; None if it needs a description."""
    game = games()[slug_of(key)]
    last = find_last_table(circle, key)
    if last is None:
        return None if game.house_rules.examples else game
    options = schema.load(game.options, last.house_rules, game.seats(()), [])
    seated = sum(not seat.is_substitute for seat in last.seats)
    return game.under(options, seated) if options is not None else None


def find_last_game(circle: Circle) -> str | None:
    query = select(Table).where(Table.circle_id == circle.id).order_by(Table.id.desc()).limit(1)
    return find_game_key(last) if (last := db.session.scalar(query)) is not None else None


def seat(
    circle: Circle, game_key: str, player_ids: Sequence[int], turns: str, key: str, by: Membership
) -> OpeningResult | Stale[None]:
    """Open a table with the house rules of the game's last one. The first of the people deals.

    `turns`: when people take turns, as in `Details`.
    """
    with writing_to_circle(get_id(circle), membership=by, right=SCORE) as locked:
        known = read_persons(locked)
        people = [known[id_] for id_ in player_ids if id_ in known and known[id_].erased_at is None]
        here = read_arrivals(locked, find_evening(now(), locked.time_zone), known)
        is_here = find_opened(locked, key) is not None or {person.id for person in people} <= here.keys()
        if not people or len(people) < len(player_ids) or not is_here:
            return Stale(None)
        result = open_locked(locked, _build_opening(locked, game_key, people, turns), key)
        if isinstance(result, Done):
            notify(TURN_NOTICE, locked.id, (result.value,), get_id(by))
        return result


def _build_opening(circle: Circle, game_key: str, people: Sequence[Player], turns: str) -> Opening:
    game = games()[slug_of(game_key)]
    last = find_last_table(circle, game_key)
    names = tuple(person.name for person in people)
    details = Details(turns=turns)
    if last is None:
        return Opening(game, names, names[0], {}, details=details)
    standing = read_states(circle.id, [last])[last.id].standing
    value = standing.value
    return Opening(game, names, names[0], schema.dump(standing.options), value and value.dump(), details=details)
