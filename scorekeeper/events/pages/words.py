"""What the pages of an event say in words: who sits where, what was played, what it is worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from babel.numbers import format_decimal
from flask import Blueprint, g

from ...models import Event
from ...site.language import (
    has_message,
    isolate_rtl,
    join_names,
    money,
    name_score,
    number,
    scores_in_a_row,
    signed,
    t,
    value_text,
)
from .. import access as event_access
from .. import phones
from ..drawing import board_numbers
from ..prizes import HIGHEST, LOWEST
from ..reading import DEALS, DIRECTIONS, GAMES, MINUTES, EventState, RoundClock, RoundTableRow
from ..results import results_in
from ..scoring import AS_AVERAGE, AS_WIN, IN_PARTIES, IN_POINTS, POINTS, TRICKS, Score, Scoring, find_scoring
from ..setup import EventGame, read_details
from ..standings import CardLine, StandingRow, rounded

blueprint = Blueprint("event_words", __name__)
template_global = blueprint.app_template_global()


# --- the event ---------------------------------------------------------------------------------------------


@template_global
def format_name(slug: str) -> str:
    return t(f"event-format.{slug}")


def game_name(played: EventGame) -> str:
    """Return the name of a game; its slug if it is not installed."""
    slug, key = played.game.slug, f"{played.game.slug}.name"
    own = isolate_rtl(played.game.find_name(played.house_rules))
    return own or (t(key) if has_message(key) else slug)


@template_global
def name_of_event_game(event: Event) -> str:
    return game_name(read_details(event).played)


@template_global
def describe_stakes(state: EventState) -> str:
    value, owed = state.event.value, t("event-stakes.owed")
    if value is None:
        return owed
    price = money(Decimal(value["amount"]), value["currency"])
    return f"{owed} {value_text(state.game, 'settlement.value', value['unit'], money=price)}"


@template_global
def round_words(event: Event) -> str:
    """Return what a round of the event is: 4 deals, a game, 20 minutes."""
    if event.round_unit == MINUTES:
        return t("director.unit.minutes", count=event.length or 0)
    if event.length is None:
        return t("director.unit.partie")
    return t("director.unit.games" if event.round_unit == GAMES else "director.unit.deals", count=event.length)


@template_global
def clock_text(clock: RoundClock) -> str:
    if clock.left is None:
        return t("event-table.minutes-played", count=clock.elapsed // 60)
    if clock.left <= 0:
        return t("event-table.time-is-over")
    return t("event-table.minutes-left", count=-(-clock.left // 60))


# --- who, and where ----------------------------------------------------------------------------------------


@template_global
def player_at(state: EventState, who: int, round_number: int | None = None) -> str:
    """Return the name of who plays under a number in a round, by default the current one."""
    return isolate_rtl(state.name_of(who, round_number))


@template_global
def players_at(state: EventState, numbers: Iterable[int], round_number: int | None = None) -> str:
    return ", ".join(player_at(state, who, round_number) for who in numbers)


@template_global
def entrant_name(state: EventState, who: int) -> str:
    """Return the name of the entrant with a number, also if a substitute played for them."""
    return isolate_rtl(state.entrants[who].name)


@template_global
def names_at(state: EventState, row: RoundTableRow, side: int) -> str:
    """Return the names of a party at a table, of those who played there."""
    return t("names.and").join(player_at(state, who, row.round) for who in state.parties_of(row)[side])


@template_global
def table_in_words(state: EventState, row: RoundTableRow, scores: Mapping[str, Any] | None = None) -> str:
    """Return who played at a table: two sides, or each by themselves, who have their scores beside their names."""
    names = [names_at(state, row, side) for side in state.sides]
    if not state.plays_alone:
        return " – ".join(names)
    points = (scores or row.scores or {}).get("scores")
    return ", ".join(map(name_score, names, points) if points else names)


@template_global
def side_name(state: EventState, side: int) -> str:
    """Return the name of a party at a table: of two partners, or of a seat where everybody plays alone."""
    return t(f"event-table.{DIRECTIONS[side]}" if state.plays_alone else f"event-table.side.{side}")


@template_global
def short_side_name(state: EventState, side: int) -> str:
    return t(f"event-wall.short-{DIRECTIONS[side]}" if state.plays_alone else f"event-wall.pair-{side}")


@template_global
def name_of_party(state: EventState, row: RoundTableRow, side: int) -> str:
    """Return what a party at this table is called: the name of a side, or of the player where everybody plays alone."""
    return names_at(state, row, side) if state.plays_alone else side_name(state, side)


@template_global
def say_of_parties(plays_alone: bool, key: str) -> str:
    """Return a text that speaks of sides, or what stands in its place where everybody plays alone."""
    return t(f"{key}.alone" if plays_alone and has_message(f"{key}.alone") else key)


@template_global
def seat_in_words(state: EventState, who: int, *, with_opponents: bool = False) -> str:
    """Return where an entrant sits in the current round and with whom: Table 7, South, with Bob."""
    seat = state.seats.get(who)
    if seat is None:
        return t("event-table.sits-out" if who in state.sits_out else "event-table.has-left")
    direction = t(f"event-table.{seat.direction}")
    params = {"table": seat.table, "direction": direction, "partner": player_at(state, seat.partner)}
    if state.plays_alone:
        others = join_names(player_at(state, other) for other in seat.others)
        return t("event-table.seat-among" if with_opponents else "event-table.seat-alone", **params, who=others)
    if not with_opponents:
        return t("event-table.seat", **params)
    first, second = (player_at(state, opponent) for opponent in seat.opponents)
    return t("event-table.seat-against", **params, first=first, second=second)


def others_at(state: EventState, line: CardLine) -> str:
    """Return with whom somebody sat at a table; where everybody plays alone, with what each has scored."""
    if line.table is None:
        return ""
    if line.partner is not None:
        partner, first, second = (state.name_of(who, line.round) for who in (line.partner, *(line.opponents or ())))
        return t("event-results.with", partner=partner, first=first, second=second)
    names = [player_at(state, each, line.round) for each in line.opponents or ()]
    others = join_names(map(name_score, names, line.conceded) if line.conceded else names)
    return t("event-results.with-others", who=others)


def who_is_coming(row: RoundTableRow) -> str:
    """Return who is on the way to a table that has called the director; empty if nobody is yet."""
    if row.coming_id is None:
        return ""
    access = event_access.current_access()
    if access is not None and access.browser.id == row.coming_id:
        return t("event-call.you")
    name = phones.name_director(row.coming_id)
    return t("event-call.coming", name=isolate_rtl(name)) if name else t("event-call.director")


# --- boards ------------------------------------------------------------------------------------------------


@template_global
def boards_at(state: EventState, round_number: int, table: int) -> str:
    """Return the boards of a table in a round: Boards 5–8; empty if boards do not go from table to table."""
    boards = state.boards_at(round_number, table)
    if boards is None:
        return ""
    numbers = state.board_numbers(boards)
    if numbers is None:
        return t("event-boards.set", number=boards + 1)
    if len(numbers) == 1:
        return t("event-boards.one", number=numbers[0])
    return t("event-boards.some", first=numbers[0], last=numbers[-1])


@template_global
def short_boards(state: EventState, boards: int | None) -> str:
    """Return the numbers of a set's boards, where a heading says what they are: 5–8. The number of the set if none."""
    if boards is None:
        return ""
    numbers = state.board_numbers(boards) or (boards + 1,)
    return "–".join(number(each) for each in sorted({numbers[0], numbers[-1]}))


@template_global
def numbered_boards(state: EventState, row: RoundTableRow, count: int) -> list[tuple[int, int]]:
    """Return the place in its set, and the number, of each board at a table."""
    return list(enumerate(board_numbers(state.boards_at(row.round, row.number) or 0, count), start=1))


@template_global
def boards_to_note(state: EventState, boards: int | None) -> list[str]:
    """Return what stands before each result that is noted on paper: the boards of a set, blank if it is not known."""
    numbers = state.board_numbers(boards or 0) or ()
    if len(numbers) < 2:
        return [short_boards(state, boards)]
    return ["" if boards is None else number(each) for each in numbers]


@template_global
def boards_heading(state: EventState) -> str:
    return t("event-boards.column" if state.board_numbers(0) is not None else "event-boards.column.set")


# --- results -----------------------------------------------------------------------------------------------


@template_global
def result_text(scores: Mapping[str, Any] | None) -> str:
    """Return a stored result as numbers; a dash if there is none."""
    if scores is None:
        return "–"
    return scores_in_a_row(scores["scores"]) if scores["scores"] else t("event-results.card.not-played")


@template_global
def result_beside(state: EventState, row: RoundTableRow) -> str:
    return "" if state.plays_alone and row.scores and row.scores["scores"] else result_text(row.scores)


@template_global
def results_noun(event: Event) -> str:
    """Return what the results of an event are numbers of: tricks, points, games or deals won."""
    counted_in = results_in(event)
    return t(f"event-table.{DEALS if counted_in == IN_PARTIES and event.round_unit == DEALS else counted_in}")


@template_global
def results_heading(state: EventState, column: str) -> str:
    """Return the heading of a column of the results, a scoring or a tie-break, in what the game counts."""
    is_in_points = results_in(state.event) == IN_POINTS
    if (column == POINTS and not is_in_points) or (column == TRICKS and is_in_points):
        return results_noun(state.event)
    return t(f"event-results.column.{column}")


@template_global
def score_in_words(score: Score, scoring: str = "") -> str:
    return signed(rounded(score)) if scoring == "difference" else number(rounded(score))


@template_global
def score_of_row(event: Event, row: StandingRow) -> str:
    """Return what ranks a row: its score, or the share of what could be scored, such as 58.33%."""
    if not find_scoring(event.scoring).is_share:
        return score_in_words(row.score, event.scoring)
    if row.share is None:
        return "–"
    return t("event-results.percent", share=format_decimal(compute_percent(row.share), "0.00", g.language))


def compute_percent(share: Fraction) -> Decimal:
    """Return a share in percent, rounded to two decimal places, half to even."""
    return Decimal(round(share * 10_000)).scaleb(-2)


@template_global
def sitting_out_in_words(state: EventState) -> str:
    choice, scoring = state.event.sitting_out, state.scoring
    if scoring.is_share and choice == AS_AVERAGE:
        return t("event-results.how.sitting-out-share")
    kept = "winners" if choice == AS_WIN and scoring.win is None else choice  # what a win counts is no fixed number
    return say_of_parties(state.plays_alone, f"event-results.how.sitting-out.{kept}")


def prize_key(rule: str, scoring: Scoring) -> str:
    is_turned = scoring.fewest_win and rule in (HIGHEST, LOWEST)
    return f"event-results.prize.{rule}.lowest-wins" if is_turned else f"event-results.prize.{rule}"
