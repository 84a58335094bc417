"""Results of an event's tables: recording, correcting, withdrawing and confirming them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import joinedload, selectinload

from ..db.outcome import Done, Stale
from ..games import games
from ..models import Event, Membership, ResultConfirmation, RoundResult, RoundTable, db, now
from ..scoring.problems import Problem, Refusal, refuse
from ..scoring.standing import SIDES
from ..scoring.values import Range
from ..tables.caches import Fault
from .drawing import Result
from .event_game import DEALS, GAMES, MINUTES, find_event_game, results_in, tricks_of_round
from .live import touch_event_table
from .phones import DIRECT, PLAY, EventAccess, Outcome, writing_to_event
from .reading import Place, RoundTableRow, as_json, find_row, is_current_round, read_result, read_row
from .scorings import IN_POINTS, IN_TRICKS, IN_WINS, SCORINGS, add_boards


def rebuild_events(circle_id: int) -> None:
    """Compute what the tables of all rounds keep of their results; the caller holds the circle's lock."""
    for row, last in _list_wrong(circle_id):
        row.result, row.scores, row.is_confirmed = last


def list_faults(circle_id: int) -> Iterator[Fault]:
    """Yield the tables that keep another result than their last one."""
    for row, _ in _list_wrong(circle_id):
        params = {"event": str(row.event_id), "round": str(row.round), "table": str(row.number)}
        yield Fault("event-cache", params)


def _list_wrong(circle_id: int) -> list[tuple[RoundTable, tuple[int, dict[str, Any] | None, bool]]]:
    results = select(RoundResult).where(RoundResult.circle_id == circle_id).order_by(RoundResult.number)
    last = {}
    for each in db.session.scalars(results.options(selectinload(RoundResult.confirmations))):
        result = read_result(each.body)
        is_confirmed = result is not None and (each.is_slip or len(each.confirmations) == len(result.scores))
        last[each.event_id, each.round, each.table_number] = each.number, each.body, is_confirmed
    tables = select(RoundTable).where(RoundTable.circle_id == circle_id)
    in_order = tables.order_by(RoundTable.event_id, RoundTable.round, RoundTable.number)
    rows = db.session.scalars(in_order)
    found = [(row, last.get((row.event_id, row.round, row.number), (0, None, False))) for row in rows]
    return [(row, fresh) for row, fresh in found if (row.result, row.scores, row.is_confirmed) != fresh]


@dataclass(frozen=True)
class ResultRequest:
    round: int
    table: int
    seen: str  # what the page has shown of the last result
    key: str
    result: Result | None  # None to withdraw it; only a director may enter one that is not played
    is_slip: bool = False  # the director enters it, so that it needs no confirmation
    is_sure: bool = False  # the result is right though it is unlikely

    @property
    def body(self) -> dict[str, Any] | None:
        return as_json(self.result) if self.result is not None else None


def record(event: Event, request: ResultRequest, by: Membership) -> Outcome:
    """Record a table's result, or a correction of it. A table's phone may do so in the current round.

    A request whose key has recorded a result already is answered with it, also when its round is over.
    """
    with writing_to_event(event, by, DIRECT if request.is_slip else PLAY, request.table) as access:
        query = select(RoundResult).where(RoundResult.event_id == event.id, RoundResult.entry_key == request.key)
        earlier = db.session.scalar(query)
        if earlier is not None:
            sent = (request.round, request.table, request.body)
            is_same = (earlier.round, earlier.table_number, earlier.body) == sent
            return Done(None) if is_same else Stale(None)
        if refused := _refuse_round(access, request.round):
            return refused
        row = find_row(event, Place(request.round, request.table))
        if row is None:
            return refuse([Problem("table", "no-such-event-table", {"table": request.table})])
        if request.seen != read_row(row).seen:
            return Stale(None)
        if problems := _find_problems(event, request, row):
            return refuse(problems)
        row.result += 1
        row.scores, row.is_confirmed = request.body, request.is_slip and request.body is not None
        at_table = {"circle_id": event.circle_id, "event_id": event.id, "round": row.round, "table_number": row.number}
        version = {"number": row.result, "body": request.body, "is_slip": request.is_slip, "entry_key": request.key}
        db.session.add(RoundResult(**at_table, **version, membership_id=access.membership.id, at=now()))
        touch_event_table(event, request.table)
        return Done(None)


def _refuse_round(access: EventAccess, round_number: int) -> Refusal | None:
    """Refuse what a table's phone sends for another round than the current one; the director may always."""
    if access.may(DIRECT) or is_current_round(access.event, round_number):
        return None
    return refuse([Problem("round", "round-is-over", {"round": round_number})])


def confirm(event: Event, place: Place, seen: str, side: int, by: Membership) -> Outcome:
    """Confirm the result that the page has shown of a table for a side; confirming it again changes nothing."""
    with writing_to_event(event, by, PLAY, place.table) as access:
        row, versions = find_row(event, place), list_versions(event, *place)
        if row is None or not versions or read_row(row).seen != seen:
            return _refuse_round(access, place.round) or Stale(None)
        last = versions[-1]
        confirmed = {each.side for each in last.confirmations}
        if side in confirmed:
            return Done(None)
        if refused := _refuse_round(access, place.round):
            return refused
        result = read_result(last.body)
        if result is None or side not in range(len(result.scores)):
            return Stale(None)
        if not last.is_slip:
            ids = {"circle_id": event.circle_id, "result_id": last.id, "side": side}
            db.session.add(ResultConfirmation(**ids, membership_id=access.membership.id, at=now()))
            row.is_confirmed = len(confirmed | {side}) == len(result.scores)
            touch_event_table(event, place.table)
        return Done(None)


def list_versions(event: Event, round_number: int, table: int) -> list[RoundResult]:
    at_table = select(RoundResult).where(
        RoundResult.event_id == event.id, RoundResult.round == round_number, RoundResult.table_number == table
    )
    loaded = at_table.options(joinedload(RoundResult.membership), selectinload(RoundResult.confirmations))
    return list(db.session.scalars(loaded.order_by(RoundResult.number)))


def list_confirmed_sides(event: Event, row: RoundTableRow) -> frozenset[int]:
    versions = list_versions(event, row.round, row.number) if row.result is not None else []
    return frozenset(each.side for version in versions[-1:] for each in version.confirmations)


# --- what is wrong with a result ---------------------------------------------------------------------------


def _find_problems(event: Event, request: ResultRequest, row: RoundTable) -> list[Problem]:
    """Return what is wrong with a result; a pad's points are not checked, as players may agree on others there."""
    result = request.result
    if result is None or not result.is_played:
        return []
    if event.game not in games():  # only the game says how many parties a table has
        return [Problem("game", "game-missing", {"game": event.game})]
    problems = [*_check_sums(event, result)]
    return problems or (_check_points(event, result, request.is_sure) if row.table_id is None else [])


def _check_sums(event: Event, result: Result) -> Iterator[Problem]:
    counted_in = results_in(event)
    total, boards = sum(result.scores), result.boards
    count = event.length if counted_in == IN_WINS and event.round_unit in (DEALS, GAMES) else None
    can_share = len(result.scores) > len(SIDES)  # several who play alone may win a game together
    if count is not None and not can_share and max(result.scores) <= count < total:
        yield Problem("scores", "games-of-round", {"found": total, "most": count})
    of_round = event.length if event.round_unit == DEALS and SCORINGS[event.scoring].is_share else None
    if boards and len(boards) != of_round:
        yield Problem("boards", "boards-of-round", {"found": len(boards), "must": of_round or 0})
    if boards and result.scores != add_boards(boards):
        yield Problem("scores", "boards-add-up", {"must": add_boards(boards)[0]})
    tricks = tricks_of_round(event) if counted_in == IN_TRICKS else None
    if tricks is not None and total != tricks:
        yield Problem("scores", "tricks-of-round", {"found": total, "must": tricks})


def _check_points(event: Event, result: Result, is_sure: bool) -> list[Problem]:
    """Return which points are impossible by the rules of the game, or that the result is unlikely.

    Points are unlikely if the round had fewer deals than planned, an unfinished deal, or more than one a minute.
    """
    tricks = find_event_game(event).under_rules.limits.tricks
    is_in_deals = event.round_unit == DEALS
    problems: list[Problem] = []
    is_unlikely = False
    if results_in(event) == IN_TRICKS and tricks is not None and not is_in_deals:
        is_unlikely = sum(result.scores) % tricks != 0
    for field, found, (low, high) in _list_bounded(event, result):
        low_of_all = low * event.length  # of all deals that are planned; fewer may have been played
        least, most = min(low, low_of_all), max(high, high * event.length)
        is_outside = not least <= found <= most
        if is_in_deals and is_outside:
            key = "points-together" if field == "scores" else "points-of-party"
            params = {"found": found, "least": least, "most": most}
            problems.append(Problem(field, "points-exactly" if least == most else key, params))
        if is_outside or (is_in_deals and found < low_of_all):
            is_unlikely = True
    if is_unlikely and not is_sure and not problems:
        problems.append(Problem("sure", "result-unlikely"))
    return problems


def _list_bounded(event: Event, result: Result) -> list[tuple[str, int, Range]]:
    """Return the field, the number and the bounds of one deal for each party's points, and for all together."""
    bounds = find_event_game(event).under_rules.limits.points_of_deal
    if bounds is None or event.round_unit not in (DEALS, MINUTES) or results_in(event) != IN_POINTS:
        return []
    of_party, together = bounds
    parties = [(f"score-{side}", score, of_party) for side, score in enumerate(result.scores)]
    return [*parties, ("scores", sum(result.scores), together)]
