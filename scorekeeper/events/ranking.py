"""Standings of an event: the scores of its rounds added up, and ranked; and what one number did in each round.

A row is an individual, a pair or a fort. Both partners of a pair have the pair's whole score. All is computed anew from
the results, so that a correction of an earlier round counts everywhere.

The event says what a round counts for those who sit it out: see `sitting_out`. Where rows are ranked by their share of
what they could have scored, a round that counts as their own average changes nothing and is left out. Nothing is
counted for rounds before somebody came or after they left, for rounds without a partner, and for tables without a
result.

Where the lowest total wins, rows with more rounds come first, so that nobody gains by missing one.

Rows with equal scores are ordered by the scoring's tie-breaks. Rows that are equal in all of them share the rank: 1, 2,
2, 4. Those who have not played yet come last, unless a round that they have sat out counts something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product
from typing import NamedTuple

from ..scoring.standing import SIDES
from .drawing import GROUPS, Boards, Member, Party, PlayedRound, PlayedTable, Result
from .scorings import AS_AVERAGE, AS_NOTHING, AS_SIXTY, AS_WIN, POINTS, Score, Scoring, find_winner, score_compared

Key = tuple[int | Fraction, ...]  # ranks rows, the higher the better


class StandingRow(NamedTuple):
    """The place of an individual, a pair or a fort."""

    rank: int  # from 1; equals share it
    numbers: tuple[int, ...]
    group: str  # that of the first member
    score: Score  # of all rounds, with those that were sat out
    share: Fraction | None  # of what could be scored, if the scoring ranks by it; None without anything to compare
    tie_breaks: Mapping[str, int]  # by slug, in the scoring's order
    rounds_played: int
    sat_out: int  # further rounds
    credits: Mapping[int, Score]  # what rounds that were sat out count, if anything
    slams: int
    is_complete: bool  # no drawn round is missing

    @property
    def is_ranked(self) -> bool:
        return self.rounds_played > 0 or bool(self.credits)


@dataclass(slots=True)
class _Sums:
    """What a row adds up to, so that more is better."""

    numbers: list[int]
    group: str
    score: int = 0
    most: Score = 0
    rounds_played: int = 0
    last_round: int = 0
    sat_out: int = 0
    slams: int = 0
    won: int = 0
    points: int = 0
    difference: int = 0
    credits: dict[int, Score] = field(default_factory=dict)

    @property
    def total(self) -> Score:
        return simplify(sum(self.credits.values(), Fraction(self.score)))

    @property
    def share(self) -> Fraction | None:
        return Fraction(self.total, self.most) if self.most else None


class ScoredTable(NamedTuple):
    """A table that has a result, and what it is worth; `most` is the most that it could be worth, 0 for no limit."""

    round: int
    table: PlayedTable
    result: Result
    scores: tuple[int, ...]
    most: int


def standings(
    members: Sequence[Member],
    rounds: Sequence[PlayedRound],
    scoring: Scoring,
    team_size: int = 1,
    boards: Boards = (),
    sitting_out: str = AS_AVERAGE,
) -> tuple[StandingRow, ...]:
    """Rank everybody by the rounds so far, also those who left; the best first.

    Args:
        team_size: how many members each row has: 1 for individuals, 2 for pairs, 4 for forts. The first has the lowest
            numbers, and so on.
        boards: those of each round and table. Tables that had the same ones are compared with each other; by default
            those of a round.
        sitting_out: what a round that is sat out counts, one of SITTING_OUT.
    """
    sums: dict[int, _Sums] = {}
    for member in sorted(members):
        sums.setdefault((member.number - 1) // team_size, _Sums([], member.group)).numbers.append(member.number)
    tables = list(_score(rounds, scoring, boards))
    for scored in tables:
        _add_table(sums, scored, team_size)
    for played in rounds:
        of_round = [scored for scored in tables if scored.round == played.number]
        for each in sums.values():
            if len(each.numbers) == team_size and {*each.numbers} <= {*played.sits_out}:
                each.sat_out += 1
                _add_credit(each, played.number, of_round, scoring, team_size, sitting_out)
    return tuple(_ranked(sums, tables, scoring, team_size, len(rounds)))


def scored_tables(rounds: Sequence[PlayedRound], scoring: Scoring, boards: Boards = ()) -> Iterator[ScoredTable]:
    """Yield every table that has a result, as it is shown, compared tables one after another."""
    for scored in _score(rounds, scoring, boards):
        shown = tuple(-score for score in scored.scores) if scoring.lowest_total_wins else scored.scores
        yield scored._replace(result=scoring.flip_result(scored.result), scores=shown)


def _score(rounds: Sequence[PlayedRound], scoring: Scoring, boards: Boards) -> Iterator[ScoredTable]:
    """Yield what `scored_tables` does, with results and scores of which more is better."""
    compared: dict[int, list[tuple[int, PlayedTable, Result]]] = {}
    for played in rounds:
        for table in played.tables:
            if table.result is not None and table.result.is_played:
                key = boards[played.number - 1][table.number - 1] if boards else played.number
                compared.setdefault(key, []).append((played.number, table, scoring.flip_result(table.result)))
    weight = max((len(result.boards) for tables in compared.values() for _, _, result in tables), default=0)
    for tables in compared.values():
        scored, most = score_compared([result for _, _, result in tables], scoring, weight)
        for (number, table, result), scores in zip(tables, scored, strict=True):
            yield ScoredTable(number, table, result, scores, most)


def _find_rows(numbers: Iterable[int], team_size: int) -> set[int]:
    return {(number - 1) // team_size for number in numbers}


def _add_table(sums: dict[int, _Sums], scored: ScoredTable, team_size: int) -> None:
    winner, made = find_winner(scored.result.scores), sum(scored.result.scores)
    for side, party in enumerate(scored.table.parties):
        own = scored.result.scores[side]
        for row in _find_rows(party, team_size) & sums.keys():  # others are not of the event any more
            each = sums[row]
            each.score += scored.scores[side]
            each.most += scored.most
            each.slams += scored.result.slams[side]
            each.won += side == winner
            each.points += own
            each.difference += own - (made - own)
            if scored.round != each.last_round:  # a fort plays at two tables of a round
                each.rounds_played += 1
                each.last_round = scored.round


def _ranked(
    sums: dict[int, _Sums], tables: Sequence[ScoredTable], scoring: Scoring, team_size: int, rounds: int
) -> Iterator[StandingRow]:
    keys = {row: _key(each, scoring) for row, each in sums.items()}
    direct = _direct_meetings(keys, tables, team_size)
    full = {row: (*key, direct[row]) for row, key in keys.items()}
    ordered = sorted(full, key=lambda row: full[row], reverse=True)  # stable: equals in order of their numbers
    for place, row in enumerate(ordered):
        if place == 0 or full[row] != full[ordered[place - 1]]:
            rank = place + 1
        each = sums[row]
        tie_breaks = {slug: getattr(each, slug) for slug in scoring.tie_breaks}
        if scoring.lowest_wins and POINTS in tie_breaks:
            tie_breaks[POINTS] = -each.points
        yield StandingRow(
            rank=rank,
            numbers=tuple(each.numbers),
            group=each.group,
            score=scoring.flip_score(each.total),
            share=each.share if scoring.is_share else None,
            tie_breaks=tie_breaks,
            rounds_played=each.rounds_played,
            sat_out=each.sat_out,
            credits={number: scoring.flip_score(counts) for number, counts in each.credits.items()},
            slams=each.slams,
            is_complete=each.rounds_played + each.sat_out == rounds,
        )


def _key(each: _Sums, scoring: Scoring) -> Key:
    main = (each.share or Fraction(0)) if scoring.is_share else each.total
    rounds = each.rounds_played + len(each.credits) if scoring.lowest_total_wins else 0
    tie_breaks = (getattr(each, slug) for slug in scoring.tie_breaks)
    return (each.rounds_played > 0 or bool(each.credits), rounds, main, *tie_breaks)


def _direct_meetings(keys: dict[int, Key], tables: Sequence[ScoredTable], team_size: int) -> Counter[int]:
    """Return how much a row scored more than its only equal, at the tables where they were opponents."""
    equals: dict[Key, set[int]] = {}
    for row, key in keys.items():
        equals.setdefault(key, set()).add(row)
    rivals = [two for two in equals.values() if len(two) == 2]
    met: Counter[int] = Counter()
    for scored in tables if rivals else ():
        parties = zip(scored.table.parties, scored.result.scores, strict=True)
        for (first_party, first), (second_party, second) in combinations(parties, 2):
            for one, other in product(_find_rows(first_party, team_size), _find_rows(second_party, team_size)):
                if {one, other} in rivals:
                    met.update({one: first - second, other: second - first})
    return met


# --- fields ------------------------------------------------------------------------------------------------


def split_fields(rows: Sequence[StandingRow], rounds: Sequence[PlayedRound]) -> dict[str, tuple[StandingRow, ...]]:
    """Return the rows of each field, with ranks among themselves; empty if all compete with each other.

    The fields are the groups, if there are members of both; or North–South and East–West, if nobody has changed
    direction in several rounds: then each direction has its own winner. Where everybody plays alone, it has none.
    """
    fields = {group: [row for row in rows if row.group == group] for group in GROUPS}
    if not all(fields.values()):
        tables = [table for played in rounds for table in played.tables]
        north_south, east_west = ({number for table in tables for number in table.pairs[side]} for side in (0, 1))
        if len(rounds) < 2 or any(table.plays_alone for table in tables) or north_south & east_west:
            return {}
        sides = {"ns": north_south, "ew": east_west}
        fields = {field: [row for row in rows if row.numbers[0] in side] for field, side in sides.items()}
    return {field: _rank_among(of_field) for field, of_field in fields.items()} if all(fields.values()) else {}


def _rank_among(rows: Sequence[StandingRow]) -> tuple[StandingRow, ...]:
    """Rank rows among themselves; equals stay equal."""
    ranks = [row.rank for row in rows]
    return tuple(row._replace(rank=ranks.index(row.rank) + 1) for row in rows)


# --- rounds that were sat out --------------------------------------------------------------------------------

SIXTY = Fraction(3, 5)


def _add_credit(
    each: _Sums, number: int, tables: Sequence[ScoredTable], scoring: Scoring, team_size: int, choice: str
) -> None:
    """Add what a round counts for a row that sat it out, as far as results say so yet.

    tables: those of the round that have a result, scored so that more is better.
    """
    if scoring.is_share:
        if choice == AS_AVERAGE:
            return
        each.most += simplify(_mean(table.most for table in tables)) if tables else 0
    if choice == AS_AVERAGE and each.rounds_played:
        each.credits[number] = simplify(Fraction(each.score, each.rounds_played))
    elif choice != AS_NOTHING and tables:
        # A fort plays at two tables of a round.
        each.credits[number] = simplify(_count_for(choice, scoring, tables) * max(1, team_size // 2))


def simplify(value: Score) -> Score:
    return value.numerator if value.denominator == 1 else value


def _count_for(choice: str, scoring: Scoring, tables: Sequence[ScoredTable]) -> Fraction:
    """Return what sitting out is worth: the average score of a party, or of a winner, or 60 percent."""
    average = _mean(score for table in tables for score in table.scores)
    if choice == AS_SIXTY:
        return _sixty_percent(scoring, tables, average)
    if choice == AS_WIN and scoring.win is not None:
        return Fraction(scoring.win)
    winners = ((table, find_winner(table.result.scores)) for table in tables)
    won = [table.scores[winner] for table, winner in winners if winner is not None]
    return _mean(won) if choice == AS_WIN and won else average


def _sixty_percent(scoring: Scoring, tables: Sequence[ScoredTable], average: Fraction) -> Fraction:
    """Return the score of a side with 60 percent of a table's points, on average; 40 percent if the lowest wins.

    At tables of 13 tricks, a side with 60 percent has 7.8 of them. That is a fifth more than the average of 6.5, and a
    fifth more is what it means for four who play alone.
    """
    if scoring.is_share:
        return SIXTY * _mean(table.most for table in tables)
    if len(tables[0].scores) > len(SIDES):
        return average + abs(average) / 5
    if scoring.win is not None:
        return SIXTY * scoring.win
    made = sum(sum(table.result.scores) for table in tables)
    shares = (2, 3) if scoring.lowest_wins else (3, 2)
    [(first, *_)] = scoring.score([Result((shares[0] * made, shares[1] * made))])  # in fifths
    return Fraction(first, 5 * len(tables))


def _mean(values: Iterable[int]) -> Fraction:
    listed = list(values)
    return Fraction(sum(listed), len(listed))


def rounded(score: Score) -> int | Decimal:
    """Return a score as it is shown: a fraction is rounded to two decimal places, half to even."""
    return score if isinstance(score, int) else Decimal(round(score * 100)).scaleb(-2)


# --- cards -------------------------------------------------------------------------------------------------

PLAYED, NO_RESULT, UNPLAYED, SAT_OUT, ABSENT = "played", "no-result", "not-played", "sat-out", "absent"


class CardLine(NamedTuple):
    """A round of one number: all but its kind only as far as there are a table and a result."""

    round: int
    kind: str  # what became of it: one of the constants above
    table: int | None = None
    direction: str = ""
    others: Party = ()  # at the table, a partner first
    scored: int | None = None  # by the own party
    conceded: tuple[int, ...] = ()  # what each of the others scored
    slams: int = 0
    worth: int | None = None  # what counts for the own party
    most: int | None = None  # what could count, 0 without a limit


def make_card(
    number: int, rounds: Sequence[PlayedRound], scoring: Scoring, boards: Boards = ()
) -> tuple[CardLine, ...]:
    worths = {(each.round, each.table.number): each for each in scored_tables(rounds, scoring, boards)}
    return tuple(_make_line(number, played, worths) for played in rounds)


def _make_line(number: int, played: PlayedRound, worths: Mapping[tuple[int, int], ScoredTable]) -> CardLine:
    table = next((table for table in played.tables if any(number in pair for pair in table.pairs)), None)
    if table is None:
        return CardLine(played.number, SAT_OUT if number in played.sits_out else ABSENT)
    parties = table.parties if table.plays_alone else sorted(table.pairs, key=lambda pair: number not in pair)
    others = tuple(who for party in parties for who in party if who != number)
    direction = next(at for at, who in table.seats.items() if who == number)
    line = CardLine(played.number, NO_RESULT, table=table.number, direction=direction, others=others)
    if table.result is None or not table.result.is_played:
        return line if table.result is None else line._replace(kind=UNPLAYED)
    at = next(at for at, party in enumerate(table.parties) if number in party)
    scores, slams, worth = table.result.scores, table.result.slams, worths[played.number, table.number]
    line = line._replace(kind=PLAYED, scored=scores[at], conceded=scores[:at] + scores[at + 1 :], slams=slams[at])
    return line._replace(worth=worth.scores[at], most=worth.most)
