"""Results of an event's tables: recording, correcting, withdrawing and confirming them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Select, func, select, update
from sqlalchemy.orm import joinedload, selectinload

from ...db.clock import now
from ...db.transactions import get_id
from ...events.drawing import Result
from ...events.scoring import IN_PARTIES, IN_POINTS, IN_TRICKS, Scores, add_boards, find_scoring
from ...games import games
from ...limits import MAX_LENGTH, MAX_SCORE, MAX_SLAMS
from ...live import announce
from ...models import Browser, DrawnRound, Event, ResultConfirmation, RoundResult, RoundTable, db
from ...scoring.problems import Problem, Refusal, refuse
from ...scoring.standing import SIDES
from ...scoring.values import Range
from ..event_game import find_event_game, find_sides
from ..invalidation import touch_results
from ..outcome import Done, Stale
from .reading import DEALS, GAMES, MINUTES
from .table_phones import message
from .writing import DIRECT, NOT_PLAYED, EventAccess, as_json, write_at_table, write_to_event

Place = tuple[int, int, int]  # event, round and table


class CachedResult(NamedTuple):
    """What a table of a round keeps of its last result: the columns of `models.RoundTable`."""

    result: int = 0
    scores: dict[str, Any] | None = None
    is_confirmed: bool = False


def rebuild_events(circle_id: int) -> None:
    """Compute what the tables of all rounds keep of their results; the caller holds the circle's lock."""
    fresh = _fresh_caches(circle_id)
    for event, number, table in wrong_caches(circle_id):
        of_event = update(RoundTable).where(RoundTable.circle_id == circle_id, RoundTable.event_id == event)
        one = of_event.where(RoundTable.round == number, RoundTable.number == table)
        db.session.execute(one.values(**fresh.get((event, number, table), CachedResult())._asdict()))


def wrong_caches(circle_id: int) -> list[Place]:
    """List the tables that keep another result than their last one."""
    columns = RoundTable.event_id, RoundTable.round, RoundTable.number
    kept = (getattr(RoundTable, name) for name in CachedResult._fields)
    query = select(*columns, *kept).where(RoundTable.circle_id == circle_id).order_by(*columns)
    fresh = _fresh_caches(circle_id)
    return [
        (event, number, table)
        for event, number, table, *found in db.session.execute(query)
        if CachedResult(*found) != fresh.get((event, number, table), CachedResult())
    ]


def _fresh_caches(circle_id: int) -> dict[Place, CachedResult]:
    said = (
        select(ResultConfirmation.result_id, func.count().label("sides"))
        .where(ResultConfirmation.circle_id == circle_id)
        .group_by(ResultConfirmation.result_id)
        .subquery()
    )
    query = (
        select(
            *(RoundResult.event_id, RoundResult.round, RoundResult.table_number, RoundResult.number),
            *(RoundResult.body, RoundResult.is_slip, func.coalesce(said.c.sides, 0)),
        )
        .outerjoin(said, said.c.result_id == RoundResult.id)
        .where(RoundResult.circle_id == circle_id)
        .order_by(RoundResult.number)
    )
    return {
        (event, number, table): CachedResult(
            version, body, body is not None and (is_slip or sides == len(body["scores"]))
        )
        for event, number, table, version, body, is_slip, sides in db.session.execute(query)
    }


@dataclass(frozen=True)
class ResultRequest:
    """A result to record. `seen` is the number of versions that the page has shown; `result` is None to withdraw it.

    `is_slip`: the director enters it, so that it needs no confirmation. Only a director may enter NOT_PLAYED.
    `is_sure`: the result is right though it is unlikely.
    """

    round: int
    table: int
    seen: int
    key: str
    result: Result | None
    is_slip: bool = False
    is_sure: bool = False


# The number of the version of the result, and of the one that somebody else entered.
ResultOutcome = Done[int] | Stale[int] | Refusal


def record(event: Event, request: ResultRequest, by: Browser) -> ResultOutcome:
    """Record a table's result, or a correction of it. A table's phone may do so in the current round.

    Raises:
        CircleErasedError: the circle, or the event, is no longer there.
        AccessRevokedError, RightRevokedError: the browser may no longer write at this table.
    """
    browser_id = get_id(by)
    if request.is_slip:
        return write_to_event(
            event, lambda locked: _find_recorded(locked, request) or _record(locked, request, browser_id), by
        )

    def work(locked: Event, access: EventAccess) -> ResultOutcome:
        return (
            _find_recorded(locked, request)
            or _problem_of_round(locked, request.round, access)
            or _record(locked, request, browser_id)
        )

    return write_at_table(event, request.table, work, by)


def _problem_of_round(event: Event, round_number: int, access: EventAccess) -> Refusal | None:
    """Refuse what a table's phone sends for another round than the current one; the director may always."""
    if access.may(DIRECT) or (event.finished_at is None and round_number == _last_number(event)):
        return None
    return refuse(None, [Problem("round", "round-is-over", {"round": round_number})])


def _last_number(event: Event) -> int:
    query = select(DrawnRound.number).where(DrawnRound.event_id == event.id)
    return db.session.scalar(query.order_by(DrawnRound.number.desc()).limit(1)) or 0


def _record(event: Event, request: ResultRequest, browser_id: int) -> ResultOutcome:
    row = _find(event, request.round, request.table)
    if row is None:
        return refuse(None, [Problem("table", "no-such-event-table", {"table": request.table})])
    if request.seen != row.result:
        return Stale(row.result)
    problems = [*_request_problems(event, request, row)]
    if problems:
        return refuse(None, problems)
    row.result += 1
    body = _make_body(request)
    row.scores, row.is_confirmed = body, request.is_slip and body is not None
    db.session.add(
        RoundResult(
            circle_id=event.circle_id,
            event_id=event.id,
            round=request.round,
            table_number=request.table,
            number=row.result,
            body=body,
            is_slip=request.is_slip,
            browser_id=browser_id,
            at=now(),
            entry_key=request.key,
        )
    )
    touch_results(event)
    announce(message(event, request.table))
    return Done(row.result)


def _request_problems(event: Event, request: ResultRequest, row: RoundTable) -> Iterator[Problem]:
    """Yield what is wrong with a result. The deals of a pad were checked, and what was agreed there is beyond rules."""
    result = request.result
    if result is None or result == NOT_PLAYED:
        return
    problems = [*result_problems(event, result)]
    if not problems and row.table_id is None:
        problems += points_problems(event, result)
        if not (problems or request.is_sure) and is_unlikely(event, result):
            problems.append(Problem("sure", "result-unlikely"))
    yield from problems


def _find(event: Event, round_number: int, table: int) -> RoundTable | None:
    key = (event.id, round_number, table)
    return db.session.get(RoundTable, key, populate_existing=True)


def _find_recorded(event: Event, request: ResultRequest) -> ResultOutcome | None:
    """Return the answer to a request whose key has recorded a result already, perhaps in a round that is over since."""
    query = select(RoundResult).where(RoundResult.event_id == event.id)
    earlier = db.session.scalar(query.where(RoundResult.entry_key == request.key))
    row = _find(event, request.round, request.table)
    if earlier is None or row is None:
        return None
    recorded = (earlier.round, earlier.table_number, earlier.body)
    is_same = recorded == (request.round, request.table, _make_body(request))
    return Done(earlier.number) if is_same else Stale(row.result)


def _make_body(request: ResultRequest) -> dict[str, Any] | None:
    return as_json(request.result) if request.result is not None else None


# --- what is wrong with a result ---------------------------------------------------------------------------


def tricks_of_round(event: Event) -> int | None:
    """Return how many tricks a table plays in a round; None if that is not known."""
    tricks = find_event_game(event).tricks
    if tricks is None or event.round_unit != DEALS or event.length is None:
        return None
    return tricks * event.length


def games_of_round(event: Event) -> int | None:
    """Return how many games, or deals, can be won in a round; None if results are no numbers of them, or it is open."""
    return event.length if results_in(event) == IN_PARTIES and event.round_unit in (DEALS, GAMES) else None


def results_in(event: Event) -> str:
    """Return what results are numbers of: IN_TRICKS, IN_POINTS or IN_PARTIES."""
    return find_scoring(event.scoring).counted_in(find_event_game(event).tricks)


def least_score(event: Event) -> int:
    """Return the least that a party can have in a table's result: below 0 only in points, if the game's can be."""
    is_signed = results_in(event) == IN_POINTS and find_event_game(event).allows_negative_scores
    return -MAX_SCORE if is_signed else 0


def most_score(event: Event) -> int:
    """Return the most that a party can have in a table's result: of games or deals, as many as a round can have.

    A game takes a minute at least, so a round has no more of them than minutes.
    """
    return (event.length or MAX_LENGTH) if results_in(event) == IN_PARTIES else MAX_SCORE


def result_problems(event: Event, result: Result) -> Iterator[Problem]:
    """Yield what is wrong with a result. Without the game, nobody knows how many results a table has."""
    if event.game not in games():
        yield Problem("game", "game-missing", {"game": event.game})
        return
    least, most, count, sides = least_score(event), most_score(event), games_of_round(event), find_sides(event)
    for side, score in zip(sides, result.scores, strict=True):
        if not least <= score <= most:
            yield Problem(f"score-{side}", "number-between", {"least": least, "most": most})
    can_share = len(sides) > len(SIDES)  # several who play alone may win a game together
    if count is not None and not can_share and max(result.scores) <= count < sum(result.scores):
        yield Problem("scores", "games-of-round", {"found": sum(result.scores), "most": count})
    yield from _board_problems(event, result.boards, result.scores, least)
    for side, slams in zip(sides, result.slams, strict=True):
        if not 0 <= slams <= _most_slams(event):
            yield Problem(f"slams-{side}", "number-between", {"least": 0, "most": _most_slams(event)})
    tricks = tricks_of_round(event) if results_in(event) == IN_TRICKS else None
    if tricks is not None and sum(result.scores) != tricks:
        yield Problem("scores", "tricks-of-round", {"found": sum(result.scores), "must": tricks})


def _board_problems(event: Event, boards: Sequence[Scores], scores: Scores, least: int) -> Iterator[Problem]:
    must = event.length if event.round_unit == DEALS and find_scoring(event.scoring).is_share else None
    if boards and len(boards) != must:
        yield Problem("boards", "boards-of-round", {"found": len(boards), "must": must or 0})
    for place, of_board in enumerate(boards, start=1):
        for side, score in enumerate(of_board):
            if not least <= score <= MAX_SCORE:
                yield Problem(f"board-{place}-{side}", "number-between", {"least": least, "most": MAX_SCORE})
    if boards and scores != add_boards(boards):
        yield Problem("scores", "boards-add-up", {"must": add_boards(boards)[0]})


def _most_slams(event: Event) -> int:
    return event.length if event.round_unit == DEALS and event.length is not None else MAX_SLAMS


# --- confirming --------------------------------------------------------------------------------------------


def confirm(event: Event, place: tuple[int, int], number: int, side: int, by: Browser) -> ResultOutcome:
    """Confirm version `number` of the result at `place`, a round and a table, for a side.

    Confirming it again changes nothing.

    Raises:
        CircleErasedError: the circle, or the event, is no longer there.
        AccessRevokedError: the browser may no longer write at this table.
    """
    browser_id = get_id(by)

    def work(locked: Event, access: EventAccess) -> ResultOutcome:
        if _is_confirmed(locked, place, number, side):
            return Done(number)
        return _problem_of_round(locked, place[0], access) or _confirm(locked, place, number, side, browser_id)

    return write_at_table(event, place[1], work, by)


def _is_confirmed(event: Event, place: tuple[int, int], number: int, side: int) -> bool:
    """Return whether a side has confirmed the last version of a result already."""
    row, result = _find(event, *place), _version(event, place, number)
    if row is None or result is None or row.result != number:
        return False
    return side in (confirmation.side for confirmation in result.confirmations)


def _confirm(event: Event, place: tuple[int, int], number: int, side: int, browser_id: int) -> ResultOutcome:
    row, result = _find(event, *place), _version(event, place, number)
    if row is None or side not in find_sides(event):
        return refuse(None, [Problem("table", "no-such-event-table", {"table": place[1]})])
    if result is None or row.result != number or row.scores is None:
        return Stale(row.result)
    if result.is_slip:
        return Done(number)
    confirmed = {confirmation.side for confirmation in result.confirmations}
    ids = {"circle_id": event.circle_id, "result_id": result.id, "side": side}
    db.session.add(ResultConfirmation(**ids, browser_id=browser_id, at=now()))
    row.is_confirmed = len(confirmed | {side}) == len(row.scores["scores"])
    touch_results(event)
    announce(message(event, place[1]))
    return Done(number)


def _version(event: Event, place: tuple[int, int], number: int) -> RoundResult | None:
    query = _versions(event, place).where(RoundResult.number == number)
    return db.session.scalar(query.execution_options(populate_existing=True))


def list_versions(event: Event, round_number: int, table: int) -> list[RoundResult]:
    """List all versions of a table's result, oldest first, with their confirmations."""
    return list(db.session.scalars(_versions(event, (round_number, table)).order_by(RoundResult.number)))


def _versions(event: Event, place: tuple[int, int]) -> Select[RoundResult]:
    of_event = select(RoundResult).where(RoundResult.event_id == event.id)
    at_table = of_event.where(RoundResult.round == place[0], RoundResult.table_number == place[1])
    return at_table.options(joinedload(RoundResult.browser), selectinload(RoundResult.confirmations))


def points_problems(event: Event, result: Result) -> Iterator[Problem]:
    """Yield which points no deals of a round can give by the rules of the game."""
    most = event.length if event.round_unit == DEALS else None
    if most is None:
        return
    for field, found, of_deal in _list_bounded(event, result):
        possible = _scale(of_deal, most)
        if not possible.low <= found <= possible.high:
            key = "points-together" if field == "scores" else "points-of-party"
            key = "points-exactly" if possible.low == possible.high else key
            yield Problem(field, key, {"found": found, "least": possible.low, "most": possible.high})


def is_unlikely(event: Event, result: Result) -> bool:
    """Return whether a result needs fewer deals than a round has, an unfinished one, or more than one a minute."""
    game = find_event_game(event)
    if _count_in(event) == IN_TRICKS and game.tricks is not None and event.round_unit != DEALS:
        return sum(result.scores) % game.tricks != 0
    if event.length is None or event.round_unit not in (DEALS, MINUTES):
        return False
    is_exact = event.round_unit == DEALS
    return any(
        not (of_deal.low * event.length if is_exact else _scale(of_deal, event.length).low)
        <= found
        <= _scale(of_deal, event.length).high
        for _, found, of_deal in _list_bounded(event, result)
    )


def _count_in(event: Event) -> str:
    return find_scoring(event.scoring).counted_in(find_event_game(event).tricks)


def _list_bounded(event: Event, result: Result) -> Iterator[tuple[str, int, Range]]:
    """Yield the field, the number and the bounds of one deal for each party's points, and for all together."""
    bounds = find_event_game(event).points_of_deal
    if bounds is None or _count_in(event) != IN_POINTS:
        return
    of_party, together = bounds
    for side, score in enumerate(result.scores):
        yield f"score-{side}", score, of_party
    yield "scores", sum(result.scores), together


def _scale(of_deal: Range, deals: int) -> Range:
    """Return the bounds of one to so many deals."""
    return Range(min(of_deal.low, of_deal.low * deals), max(of_deal.high, of_deal.high * deals))
