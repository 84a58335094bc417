"""What the pages of an event say in words: who sits where, what was played, what it is worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from babel.numbers import format_decimal
from flask import g

from ...i18n import game_name
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
from ..drawing import DIRECTIONS, Member, Result, board_numbers
from ..event_game import DEALS, EventGame, results_in
from ..prizes import HIGHEST, LOWEST
from ..ranking import CardLine, StandingRow, rounded
from ..reading import EventSeat, EventState, RoundTableRow
from ..scorings import AS_AVERAGE, AS_WIN, IN_POINTS, IN_WINS, POINTS, SCORINGS, TRICKS, Score, Scoring


def name_game(event_game: EventGame) -> str:
    return isolate_rtl(game_name(g.locale, event_game.game.slug, event_game.house_rules))


def say_of_parties(plays_alone: bool, key: str) -> str:
    """Return a text that speaks of sides, or what stands in its place where everybody plays alone."""
    return t(f"{key}.alone" if plays_alone and has_message(f"{key}.alone") else key)


def format_score(score: Score, scoring: str = "") -> str:
    return signed(rounded(score)) if scoring == "difference" else number(rounded(score))


def format_standing(event: Event, row: StandingRow) -> str:
    """Return what ranks a row: its score, or the share of what could be scored, such as 58.33%."""
    if not SCORINGS[event.scoring].is_share:
        return format_score(row.score, event.scoring)
    if row.share is None:
        return "–"
    return t("event-results.percent", share=format_decimal(compute_percent(row.share), "0.00", g.locale))


def compute_percent(share: Fraction) -> Decimal:
    """Return a share in percent, rounded to two decimal places, half to even."""
    return Decimal(round(share * 10_000)).scaleb(-2)


def prize_key(rule: str, scoring: Scoring) -> str:
    is_turned = scoring.lowest_total_wins and rule in (HIGHEST, LOWEST)
    return f"event-results.prize.{rule}{'.lowest-wins' if is_turned else ''}"


@dataclass(frozen=True)
class EventPhrases:
    """An event in words, for its pages. A round is the current one unless it is given."""

    state: EventState

    @property
    def length(self) -> str:
        """What a round is: 4 deals, a game, 20 minutes."""
        event = self.state.event
        return t(f"director.unit.{event.round_unit}", count=event.length)

    @property
    def worth(self) -> str:
        """What a counter is worth; "" at an event without money."""
        value = self.state.event.value
        if value is None:
            return ""
        price = money(Decimal(value["amount"]), value["currency"])
        return value_text(self.state.event_game.under_rules, "settlement.value", value["unit"], money=price)

    @property
    def winners(self) -> str:
        """Who has won the event that is finished; "" if nobody has."""
        first = [row for row in self.state.standings if row.is_ranked and row.rank == 1]
        names = [self.name_player(who) for row in first for who in row.numbers]
        return join_names(names) if names else ""

    def say(self, key: str) -> str:
        return say_of_parties(self.state.plays_alone, key)

    # --- who, and where

    def name_player(self, who: int, round_number: int | None = None) -> str:
        return isolate_rtl(self.state.name_of(who, round_number))

    def name_players(self, numbers: Iterable[int], round_number: int | None = None) -> str:
        return ", ".join(self.name_player(who, round_number) for who in numbers)

    def name_partners(self, numbers: Iterable[int], round_number: int | None = None) -> str:
        return join_names(self.name_player(who, round_number) for who in numbers)

    def name_entrant(self, who: int) -> str:
        """Return the name of the entrant, also if a substitute plays for them."""
        return isolate_rtl(self.state.entrants[who].name)

    def party_players(self, row: RoundTableRow, side: int) -> str:
        """Return, for example, "Anne & Bruno"; "Anne" where everybody plays alone."""
        return self.name_partners(self.state.parties_of(row)[side], row.round)

    def side_name(self, side: int) -> str:
        """Return "North–South" or "East–West"; the seat where everybody plays alone, such as "North"."""
        return t(f"event-table.{DIRECTIONS[side]}" if self.state.plays_alone else f"event-table.side.{side}")

    def short_side_name(self, side: int) -> str:
        """Return, for example, "N–S"; "N" where everybody plays alone."""
        return t(f"event-wall.short-{DIRECTIONS[side]}" if self.state.plays_alone else f"event-wall.pair-{side}")

    def party_title(self, row: RoundTableRow, side: int) -> str:
        """Return, for example, "North–South"; "Anne" where everybody plays alone."""
        return self.party_players(row, side) if self.state.plays_alone else self.side_name(side)

    def party_subtitle(self, row: RoundTableRow, side: int) -> str:
        """Return what stands below the title, for example "Anne & Bruno"; "North" where everybody plays alone."""
        return self.side_name(side) if self.state.plays_alone else self.party_players(row, side)

    def table_players(self, row: RoundTableRow, result: Result | None = None) -> str:
        """Return "Anne & Bruno – Cleo & David"; or each alone, with their score in the last result or another one."""
        names = [self.party_players(row, side) for side in self.state.sides]
        shown = result or row.result
        if self.state.plays_alone:
            return ", ".join(map(name_score, names, shown.scores) if shown and shown.is_played else names)
        return " – ".join(names)

    def describe_seat(self, who: int, *, with_opponents: bool = False) -> str:
        """Return, for example, "Table 7, South, with Bob"."""
        seat = self.state.seats.get(who)
        if seat is None:
            return t("event-table.sits-out" if who in self.state.sits_out else "event-table.has-left")
        direction = t(f"event-table.{seat.direction}")
        params = {"table": seat.table, "direction": direction, "partner": self.name_player(seat.partner)}
        if self.state.plays_alone:
            others = join_names(map(self.name_player, seat.others))
            return t("event-table.seat-among" if with_opponents else "event-table.seat-alone", **params, who=others)
        if not with_opponents:
            return t("event-table.seat", **params)
        first, second = map(self.name_player, seat.opponents)
        return t("event-table.seat-against", **params, first=first, second=second)

    def describe_others(self, line: CardLine) -> str:
        if line.table is None:
            return ""
        if not self.state.plays_alone:
            partner, first, second = (self.state.name_of(who, line.round) for who in line.others)
            return t("event-results.with", partner=partner, first=first, second=second)
        names = [self.name_player(each, line.round) for each in line.others]
        others = join_names(map(name_score, names, line.conceded) if line.conceded else names)
        return t("event-results.with-others", who=others)

    @property
    def others_heading(self) -> str:
        in_pairs = self.state.format.team_size == 2
        who = "others" if self.state.plays_alone else "opponents" if in_pairs else "partner"
        return t(f"event-paper.{who}")

    def name_others(self, seat: EventSeat, round_number: int) -> str:
        """Return the names below `others_heading`."""
        if self.state.plays_alone:
            return self.name_players(seat.others, round_number)
        others = seat.opponents if self.state.format.team_size == 2 else (seat.partner,)
        return self.name_partners(others, round_number)

    def shorten_seat(self, seat: EventSeat) -> str:
        """Return, for example, "7 S"; the side instead where partners stay together."""
        in_pairs = self.state.format.team_size == 2
        side = f"pair-{DIRECTIONS.index(seat.direction) % 2}" if in_pairs else f"short-{seat.direction}"
        return f"{number(seat.table)} {t(f'event-wall.{side}')}"

    def describe_attendance(self, number: int) -> Iterator[str]:
        entrant = self.state.entrants[number]
        if entrant.first_round > 1:
            yield t("entrants.from-round", number=entrant.first_round)
        if entrant.last_round is not None:
            has_left = entrant.has_left(self.state.current_number)
            yield t("entrants.left" if has_left else "entrants.leaves", number=entrant.last_round)
        if self.state.substitute_of(number) is not None:
            yield t("entrants.played-by", name=self.name_player(number))

    def list_facts(self, entrant: Member) -> Iterator[str]:
        if entrant.group:
            yield t(f"event-group.{entrant.group}")
        yield from self.describe_attendance(entrant.number)
        if entrant.is_stationary:
            yield t("entrants.stationary")

    # --- boards

    @property
    def boards_heading(self) -> str:
        return t("event-boards.column" if self.state.deals_of_round is not None else "event-boards.column.set")

    def describe_boards(self, round_number: int, table: int) -> str:
        """Return the boards of a table in a round: Boards 5–8; empty if boards do not go from table to table."""
        boards = self.state.boards_at(round_number, table)
        if boards is None:
            return ""
        numbers = self.state.board_numbers(boards)
        if numbers is None:
            return t("event-boards.set", number=boards + 1)
        which = "one" if len(numbers) == 1 else "some"
        return t(f"event-boards.{which}", number=numbers[0], first=numbers[0], last=numbers[-1])

    def shorten_boards(self, boards: int | None) -> str:
        """Return the numbers of a set's boards, below a heading: 5–8. The number of the set if they have none."""
        if boards is None:
            return ""
        numbers = self.state.board_numbers(boards) or (boards + 1,)
        return "–".join(number(each) for each in sorted({numbers[0], numbers[-1]}))

    def shorten_boards_at(self, round_number: int, table: int) -> str:
        return self.shorten_boards(self.state.boards_at(round_number, table))

    def number_boards(self, row: RoundTableRow, count: int) -> list[tuple[int, int]]:
        """Return the place in its set, and the number, of each board at a table."""
        return list(enumerate(board_numbers(self.state.boards_at(row.round, row.number) or 0, count), start=1))

    def list_boards(self, boards: int | None) -> list[str]:
        """Return what stands before each result that is noted on paper: the boards of a set, blank if not known."""
        numbers = self.state.board_numbers(boards or 0) or ()
        if len(numbers) < 2:
            return [self.shorten_boards(boards)]
        return ["" if boards is None else number(each) for each in numbers]

    # --- results

    @property
    def results_noun(self) -> str:
        """What results are numbers of: tricks, points, games or deals won."""
        return t(f"event-table.{DEALS if self.deals_decide else results_in(self.state.event)}")

    @property
    def deals_decide(self) -> bool:
        return results_in(self.state.event) == IN_WINS and self.state.event.round_unit == DEALS

    @property
    def scoring_heading(self) -> str:
        return self.head_column(self.state.scoring.slug)

    @property
    def sitting_out(self) -> str:
        choice, scoring = self.state.event.sitting_out, self.state.scoring
        if scoring.is_share and choice == AS_AVERAGE:
            return t("event-results.how.sitting-out-share")
        kept = "winners" if choice == AS_WIN and scoring.win is None else choice  # what a win counts is no fixed number
        return self.say(f"event-results.how.sitting-out.{kept}")

    def head_column(self, column: str) -> str:
        """Return the heading of a column of the results, a scoring or a tie-break, in what the game counts."""
        is_in_points = results_in(self.state.event) == IN_POINTS
        if (column == POINTS and not is_in_points) or (column == TRICKS and is_in_points):
            return self.results_noun
        return t(f"event-results.column.{column}")

    def format_result(self, result: Result | None) -> str:
        if result is None:
            return "–"
        return scores_in_a_row(result.scores) if result.is_played else t("event-results.card.not-played")

    def result_beside_players(self, row: RoundTableRow) -> str:
        """Return the result; "" if `table_players` has it."""
        has_scores = self.state.plays_alone and row.result is not None and row.result.is_played
        return "" if has_scores else self.format_result(row.result)

    format_score = staticmethod(format_score)

    def format_standing(self, row: StandingRow) -> str:
        return format_standing(self.state.event, row)

    def format_worth(self, row: StandingRow, line: CardLine) -> str:
        worth = row.credits.get(line.round) if line.table is None else line.worth
        if worth is None:
            return "–"
        if line.most:
            return t("event-results.of-most", worth=worth, most=line.most)
        return format_score(worth, self.state.event.scoring)
