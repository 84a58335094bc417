"""Let one collection of a prepared circle grow by rows, written without the services: storing them takes no time.

The rows are like those that the services write, as far as pages read them. `verify` would find faults in some: a
settlement that many others took over, say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from itertools import count
from typing import Any, Protocol

from sqlalchemy import Table as SqlTable
from sqlalchemy import func, insert, select, update

from scorekeeper.models import (
    Base,
    Browser,
    BrowserLink,
    Circle,
    DealConfirmation,
    Device,
    DrawnRound,
    Entrant,
    EntrantSubstitution,
    EveningAnswer,
    Event,
    EventPhone,
    Flag,
    Handicap,
    Link,
    Part,
    Payment,
    PeriodTotals,
    PlannedEvening,
    Player,
    Presence,
    Revision,
    RoundResult,
    RoundTable,
    Season,
    Seat,
    Settlement,
    Summary,
    Table,
    db,
)
from scorekeeper.models.base import new_token
from scorekeeper.services.circles.players import read_persons
from scorekeeper.services.invalidation import invalidate_circle
from scorekeeper.services.money import unpaid
from scorekeeper.services.tables import summaries
from scorekeeper.services.tables.replayed import read_revisions
from scorekeeper.tables.revisions import AMEND, RECORD
from scorekeeper.tables.state import TableState

Row = dict[str, Any]
_numbers = count(1)  # of whatever has to differ from one scene to the next


class Scene:
    """The rows of the prepared circle, of which more are made like those that are there."""

    def __init__(self, table: str, event: str) -> None:
        """`table` and `event` are the tokens of those whose pages are read."""
        self.circle = db.session.scalars(select(Circle)).first() or Circle()
        self.table = db.session.scalars(select(Table).where(Table.token == table)).one()
        self.event = db.session.scalars(select(Event).where(Event.token == event)).one()
        self.ids = {"circle_id": self.circle.id}
        self.of_event = self.ids | {"event_id": self.event.id}

    def rows(self, model: type[Base], **fields: Any) -> list[Row]:
        """Return the rows whose columns have these values, by their ids."""
        table = _sql(model)
        query = select(table).filter_by(**fields)
        return [dict(row) for row in db.session.execute(query.order_by(*table.primary_key)).mappings()]

    def add(self, model: type[Base], number: int, like: Mapping[str, Any], row: Callable[[int], Row]) -> list[int]:
        """Add rows like one, but for what `row` returns for 0, 1 and so on; return their ids, if they have any."""
        table = _sql(model)
        has_id = "id" in table.columns
        first = (db.session.scalar(select(func.max(table.c.id))) or 0) + 1 if has_id else 0
        ids = [*range(first, first + number)]
        rows = [dict(like) | ({"id": id_} if has_id else {}) | row(index) for index, id_ in enumerate(ids)]
        if rows:
            db.session.execute(insert(table), rows)
        return ids

    def players(self, number: int, **fields: Any) -> list[int]:
        """Add people."""
        like = self.rows(Player, name="Bruno")[0]
        return self.add(
            Player, number, like, lambda _: {"name": f"Player {next(_numbers)}", "token": new_token()} | fields
        )

    def summarise(self, table_ids: list[int]) -> None:
        """Store the summaries of these tables."""
        for id_ in table_ids:
            table = db.session.get_one(Table, (id_, self.circle.id))
            summaries.store(TableState(table, read_revisions(table)))

    def store(self) -> None:
        """Bring up to date what the services would, and commit."""
        db.session.expire_all()
        self.summarise([self.table.id])
        self.event.edition, self.event.plan_edition = new_token(), new_token()
        months = {
            day.isoformat()[:7]
            for day in db.session.scalars(select(Table.day).where(Table.circle_id == self.circle.id))
        }
        known = {row["period"] for row in self.rows(PeriodTotals, **self.ids)}
        like = self.ids | {"changes": 1}
        new = sorted(months - known)
        self.add(PeriodTotals, len(new), like, lambda index: {"period": new[index]})
        invalidate_circle(self.circle.id)
        unpaid.recompute_all(self.circle, read_persons(self.circle))
        db.session.commit()


def _sql(model: type[Base]) -> SqlTable:
    table = model.__table__
    assert isinstance(table, SqlTable)
    return table


# --- people and phones -------------------------------------------------------------------------------------


def people(scene: Scene, number: int) -> None:
    scene.players(number)


def merged_people(scene: Scene, number: int) -> None:
    """Merge half of them into one person, and each of the others into another one."""
    scene.players(number // 2, person_id=1)
    others = iter(scene.players(number // 2))
    like = scene.rows(Player, id=2)[0]
    scene.add(
        Player,
        number // 2,
        like,
        lambda index: {"name": f"Alias {index}", "token": new_token(), "person_id": next(others)},
    )


def present(scene: Scene, number: int) -> None:
    ids, like = scene.players(number), scene.rows(Presence)[0]
    scene.add(Presence, number, like, lambda index: {"player_id": ids[index]})


def evenings_to_come(scene: Scene, number: int) -> None:
    """Plan evenings that repeat every week, each with an answer."""
    like, ids = scene.rows(PlannedEvening)[0], scene.players(number)
    planned = scene.add(
        PlannedEvening, number, like, lambda _: {"token": new_token(), "entry_key": f"planned {next(_numbers)}"}
    )
    answer = scene.ids | {"day": like["day"], "answer": "yes", "guests": 0, "at": like["changed_at"]}
    scene.add(EveningAnswer, number, answer, lambda index: {"evening_id": planned[index], "player_id": ids[index]})


def answers(scene: Scene, number: int) -> None:
    evening, ids = scene.rows(PlannedEvening)[0], scene.players(number)
    of_it = {"evening_id": evening["id"], "day": evening["day"], "answer": "yes", "guests": 1}
    at = {"at": evening["changed_at"]}
    scene.add(EveningAnswer, number, scene.ids | of_it | at, lambda index: {"player_id": ids[index]})


def seasons(scene: Scene, number: int) -> None:
    like = scene.rows(Season)[0]
    scene.add(Season, number, like, lambda _: {"token": new_token(), "entry_key": f"season {next(_numbers)}"})


def handicaps(scene: Scene, number: int) -> None:
    season, ids = scene.rows(Season)[0], scene.players(number)
    of_it = scene.ids | {"season_id": season["id"], "kind": "points", "size": "1.50"}
    scene.add(Handicap, number, of_it, lambda index: {"player_id": ids[index]})


def devices(scene: Scene, number: int) -> None:
    """Let phones join the circle, every second one somebody's, and the event."""
    device, browser = scene.rows(Device)[0], scene.rows(Browser)[0]
    ids = scene.add(Device, number, device, lambda _: {"secret_hash": f"device {next(_numbers)}"})
    of_player = {True: 1, False: None}
    browsers = scene.add(
        Browser,
        number,
        browser,
        lambda index: {"device_id": ids[index], "number": 100 + index, "player_id": of_player[index % 2 == 0]},
    )
    of_link = scene.rows(BrowserLink, browser_id=2)[0]
    scene.add(BrowserLink, number, of_link, lambda index: {"browser_id": browsers[index]})
    phone = scene.rows(EventPhone)[0] | scene.of_event
    scene.add(EventPhone, number, phone, lambda index: {"browser_id": browsers[index], "table_number": 1})


def circles(scene: Scene, number: int) -> None:
    """Let the device into other circles."""
    circle, browser, link = scene.rows(Circle)[0], scene.rows(Browser, id=1)[0], scene.rows(Link)[-1]
    ids = scene.add(Circle, number, circle, lambda _: {"name": f"circle {next(_numbers)}", "entry_key": None})
    browsers = scene.add(Browser, number, browser, lambda index: {"circle_id": ids[index], "player_id": None})
    links = scene.add(Link, number, link, lambda index: {"circle_id": ids[index]})
    joined = scene.rows(BrowserLink, browser_id=1, link_id=link["id"])[0]
    scene.add(
        BrowserLink,
        number,
        joined,
        lambda index: {"circle_id": ids[index], "browser_id": browsers[index], "link_id": links[index]},
    )


# --- tables ------------------------------------------------------------------------------------------------


def tables(scene: Scene, number: int, apart: int = 0) -> None:
    """Add copies of all the circle's tables in turn, on the evening of them all, or each some days earlier."""
    originals = scene.rows(Table)
    day: date = scene.table.day
    ids = scene.add(
        Table,
        number,
        {},
        lambda index: (
            originals[index % len(originals)]
            | {"token": f"table {next(_numbers)}", "entry_key": None, "day": day - index * timedelta(apart)}
            | {"id": originals[-1]["id"] + 1 + index, "place": f"Place {index}"}
        ),
    )
    for model in (Seat, Summary, Revision):
        for original in originals:
            copies = [id_ for index, id_ in enumerate(ids) if originals[index % len(originals)] is original]
            for like in scene.rows(model, table_id=original["id"]):
                scene.add(model, len(copies), like, lambda index, copies=copies: {"table_id": copies[index]})  # type: ignore[misc]


def evenings(scene: Scene, number: int) -> None:
    tables(scene, number, apart=7)


def _revisions(scene: Scene, number: int, row: Callable[[int, int], Row]) -> None:
    """Add revisions to the table; `row` is called with the index and the revision's number."""
    last = scene.rows(Revision, table_id=scene.table.id)[-1]
    first = last["number"] + 1
    like = last | {"kind": RECORD, "deal": None, "before": None, "undoes": None}

    def build(index: int) -> Row:
        here = first + index
        return {"number": here, "entry_key": f"entry {next(_numbers)}"} | row(index, here)

    scene.add(Revision, number, like, build)


def _tricks(index: int) -> Row:
    """Return the tricks of a deal: a rubber is won by every fourth one."""
    return {"tricks": {"ns": 11, "ew": 2} if index % 8 < 4 else {"ns": 2, "ew": 11}}


def deals(scene: Scene, number: int) -> None:
    _revisions(scene, number, lambda index, here: {"deal": here, "body": _tricks(index)})


def players(scene: Scene, number: int) -> None:
    """Add tables of the evening at which others play, four at each."""
    ids = iter(scene.players(number))
    like = scene.rows(Table, id=scene.table.id)[0] | {"entry_key": None}
    value = {"value_currency": "EUR", "value_unit": "fiche", "value_amount": "0.25"}
    added = scene.add(Table, number // 4, like, lambda _: {"token": f"table {next(_numbers)}"} | value)
    for seat in scene.rows(Seat, table_id=scene.table.id):
        scene.add(Seat, len(added), seat, lambda index: {"table_id": added[index], "player_id": next(ids)})
    for revision in scene.rows(Revision, table_id=scene.table.id):
        scene.add(Revision, len(added), revision, lambda index: {"table_id": added[index]})
    scene.summarise(added)


def deals_to_confirm(scene: Scene, number: int) -> None:
    """Add deals of which every second one is confirmed."""
    scene.table.confirms_deals = True
    deals(scene, number)
    like = scene.ids | {"table_id": scene.table.id, "browser_id": 2, "player_id": 2, "at": scene.table.opened_at}
    scene.add(DealConfirmation, number // 2, like, lambda index: {"revision": 8 + 2 * index})


def corrections(scene: Scene, number: int) -> None:
    _revisions(scene, number, lambda index, _: {"kind": AMEND, "deal": 1, "body": _tricks(index)})


def substitutions(scene: Scene, number: int) -> None:
    """Let somebody come in and go again."""
    seat = scene.rows(Seat, table_id=scene.table.id)[0]
    scene.add(Seat, 1, seat, lambda _: {"seat": "5", "player_id": 7, "is_substitute": True})
    _revisions(
        scene,
        number,
        lambda index, here: {"deal": here, "body": {"substitution": {"out": "1", "in": "15"[(index + 1) % 2]}}},
    )


def flags(scene: Scene, number: int) -> None:
    """Flag deals of the table, and payments; a third of the flags are resolved."""
    like = scene.rows(Flag)[0]
    kinds: list[Row] = [
        {},
        {"resolved_at": like["at"], "resolved_by_id": 1},
        {"table_id": None, "deal": None, "payment": 1},
    ]
    scene.add(
        Flag,
        number,
        like,
        lambda index: {"number": 2 + index, "entry_key": f"flag {next(_numbers)}"} | kinds[index % 3],
    )


# --- money -------------------------------------------------------------------------------------------------


def payments(scene: Scene, number: int) -> None:
    """Add payments for one settlement: a third waits for a confirmation, another one is withdrawn by the next."""
    like = scene.rows(Payment)[0] | {"amount": "1", "giver_id": 3, "taker_id": 4}
    first = _next_payment()

    def row(index: int) -> Row:
        kind = index % 4
        own = {"withdraws": first + index - 1} if kind == 3 else {"needs_confirmation": kind == 1}
        return {"number": first + index, "entry_key": None, "at": like["at"] + timedelta(index)} | own

    scene.add(Payment, number, like, row)


def people_in_a_settlement(scene: Scene, number: int) -> None:
    """Let one settlement take over what others owe, and pay a half of it."""
    ids, part, payment = scene.players(number), scene.rows(Part)[0], scene.rows(Payment)[0]
    payment_number = _next_payment()
    amounts = [f"{'-' * (index % 2)}{2 + index // 2}" for index in range(number)]
    scene.add(Part, number, part, lambda index: {"player_id": ids[index], "amount": amounts[index]})
    scene.add(
        Payment,
        number // 2,
        payment,
        lambda index: (
            {"giver_id": ids[2 * index + 1], "taker_id": ids[2 * index]}
            | {"amount": "1", "number": payment_number + index, "entry_key": None}
        ),
    )


def settlements(scene: Scene, number: int) -> None:
    """Add settlements that took over a part of the same table, half of them unpaid, with a payment for each."""
    like, parts = scene.rows(Settlement)[0] | {"table_id": None}, scene.rows(Part, settlement_id=1)
    ids = scene.add(Settlement, number, like, lambda _: {"token": new_token()})
    for part in parts:
        scene.add(Part, number, part, lambda index: {"settlement_id": ids[index]})
    _pay_each(scene, ids)


def settlements_in_a_row(scene: Scene, number: int) -> None:
    """Add settlements each of which took over what was left unpaid of the one before."""
    first = scene.rows(Settlement)[0]
    parts = scene.rows(Part, settlement_id=1)
    ids = scene.add(Settlement, number, first | {"table_id": None}, lambda _: {"token": new_token()})
    earlier = [first["id"], *ids]
    for part in parts:
        like = part | {"table_id": None}
        scene.add(Part, number, like, lambda index: {"settlement_id": ids[index], "earlier_id": earlier[index]})
    _pay_each(scene, ids)


def _pay_each(scene: Scene, ids: list[int]) -> None:
    like, first = scene.rows(Payment)[0] | {"amount": "1", "giver_id": 2, "taker_id": 1}, _next_payment()
    scene.add(
        Payment, len(ids), like, lambda index: {"settlement_id": ids[index], "number": first + index, "entry_key": None}
    )


def _next_payment() -> int:
    return int(db.session.scalar(select(func.max(Payment.number))) or 0) + 1


# --- events ------------------------------------------------------------------------------------------------


def events(scene: Scene, number: int) -> None:
    """Add events like the last one of the circle, which is finished."""
    like = scene.rows(Event)[-1]
    day: date = like["day"]
    ids = scene.add(
        Event,
        number,
        like,
        lambda index: {"token": f"event {next(_numbers)}", "entry_key": None, "day": day - timedelta(index)},
    )
    for model in (Entrant, DrawnRound, RoundTable, RoundResult):
        for row in scene.rows(model, event_id=like["id"]):
            scene.add(model, number, row, lambda index: {"event_id": ids[index]})


def entrants(scene: Scene, number: int) -> None:
    """Let people take part in the event, at tables of its only round; three of four have a result."""
    number -= number % 4
    ids, like = scene.players(number), scene.rows(Entrant, **scene.of_event)[0]
    scene.add(Entrant, number, like, lambda index: {"number": 5 + index, "player_id": ids[index]})
    table = scene.rows(RoundTable, **scene.of_event)[0]

    def row(index: int) -> Row:
        first = 5 + 4 * index
        result = (
            {"result": 0, "scores": None} if index % 4 == 3 else {"scores": {"scores": [index % 14, 13 - index % 14]}}
        )
        return {"number": 2 + index, "pairs": [[first, first + 1], [first + 2, first + 3]]} | result

    scene.add(RoundTable, number // 4, table, row)
    result = scene.rows(RoundResult, **scene.of_event)[0]
    scene.add(
        RoundResult,
        number // 4,
        result,
        lambda index: {"table_number": 2 + index, "entry_key": f"result {next(_numbers)}"},
    )


def rounds(scene: Scene, number: int) -> None:
    scene.event.rounds = number + 1
    table, result = scene.rows(RoundTable, **scene.of_event)[0], scene.rows(RoundResult, **scene.of_event)[0]
    pairs = ([[1, 2], [3, 4]], [[1, 3], [2, 4]], [[1, 4], [2, 3]])
    drawn = scene.rows(DrawnRound, **scene.of_event)[0]
    scene.add(DrawnRound, number, drawn, lambda index: {"number": 2 + index, "entry_key": f"round {next(_numbers)}"})
    scene.add(RoundTable, number, table, lambda index: {"round": 2 + index, "pairs": pairs[index % 3]})
    scene.add(RoundResult, number, result, lambda index: {"round": 2 + index, "entry_key": f"result {next(_numbers)}"})


def event_substitutions(scene: Scene, number: int) -> None:
    """Let two people take turns under a number, from each round on."""
    like = scene.of_event | {"number": 1}
    scene.add(EntrantSubstitution, number, like, lambda index: {"round": 1 + index, "player_id": (1, 7)[index % 2]})


def results(scene: Scene, number: int) -> None:
    """Correct one result again and again."""
    like = scene.rows(RoundResult, **scene.of_event)[0]
    scene.add(RoundResult, number, like, lambda index: {"number": 2 + index, "entry_key": f"result {next(_numbers)}"})
    changed = update(RoundTable).where(RoundTable.event_id == scene.event.id).values(result=1 + number)
    db.session.execute(changed)


def prizes(scene: Scene, number: int) -> None:
    scene.event.prizes = [{"rule": "highest", "place": 1 + index, "amount": "1"} for index in range(number)]


class GrowBy(Protocol):
    def __call__(self, scene: Scene, number: int) -> None:
        """Add so many rows, or people."""


COLLECTIONS: dict[str, GrowBy] = {
    str(getattr(grow, "__name__", "")).replace("_", " "): grow
    for grow in (
        *(people, merged_people, present, devices, circles),
        *(evenings_to_come, answers, seasons, handicaps),
        *(tables, evenings, players, deals, deals_to_confirm, corrections, substitutions, flags),
        *(payments, people_in_a_settlement, settlements, settlements_in_a_row),
        *(events, entrants, rounds, event_substitutions, results, prizes),
    )
}


def fill_event(scene: Scene, entrants: int, rounds: int) -> None:
    """Let people take part in the event from its first round on, all of them at tables in all rounds."""
    per_round = entrants // 4
    scene.event.rounds = rounds
    ids, like = scene.players(entrants - 4), scene.rows(Entrant, **scene.of_event)[0]
    scene.add(Entrant, len(ids), like, lambda index: {"number": 5 + index, "player_id": ids[index]})
    table, result = scene.rows(RoundTable, **scene.of_event)[0], scene.rows(RoundResult, **scene.of_event)[0]
    drawn = scene.rows(DrawnRound, **scene.of_event)[0]
    scene.add(
        DrawnRound, rounds - 1, drawn, lambda index: {"number": 2 + index, "entry_key": f"round {next(_numbers)}"}
    )

    def place(index: int) -> Row:  # the first table of the first round is there
        round_, at = divmod(index + 1, per_round)
        return {"round": round_ + 1, "number": at + 1, "table_number": at + 1}

    def seated(index: int) -> Row:
        round_, at = divmod(index + 1, per_round)
        one, two, three, four = (
            1 + 4 * ((at + shift * round_) % per_round) + seat for seat, shift in enumerate((0, 1, 2, 3))
        )
        taken = (7 * index) % 14
        row = place(index) | {"pairs": [[one, two], [three, four]], "scores": {"scores": [taken, 13 - taken]}}
        del row["table_number"]
        return row

    scene.add(RoundTable, per_round * rounds - 1, table, seated)
    scene.add(
        RoundResult,
        per_round * rounds - 1,
        result,
        lambda index: place(index) | {"number": 1, "entry_key": f"result {next(_numbers)}"},
    )
