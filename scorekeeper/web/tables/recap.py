"""Results of tables and evenings in lines, from the tables' stored summaries: for lists, and for sharing.

A recap is shared as plain text and as an image (`static/js/recap.js`), both made from the same lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import cast

from ...games import find_game, games
from ...models import Circle, Table
from ...scoring.sheet import balances_in_unit, settlement_unit
from ...scoring.standing import MANCHE, ROBRE, SIDES, RowName
from ...scoring.values import clean_name
from ...services.circles.players import find_banker, read_persons
from ...services.money.balances import find_wider_settlements, read_open_accounts
from ...services.money.payment_history import find_paid_at, list_payments_in
from ...services.money.scopes import Scope
from ...services.tables.reading import read_row_names
from ...stats.summary import BestFeat, SummaryData, is_in_sides, split_labels, won_by_sides
from ...tables.revisions import NEW_KINDS, RevisionRow, has_correction_since
from ...tables.state import TableState
from ..support.amounts import account_name, format_amount, format_signed_amount, name_of_settlement
from ..support.language import (
    day_in_words,
    game_text,
    has_message,
    in_name_order,
    isolate_rtl,
    join_names,
    name_of_game,
    name_score,
    scores_in_a_row,
    t,
    unit_text,
)


@dataclass(frozen=True)
class Settling:
    """Lines about a scope: `due`, the payments that clear what is open; `made`, those that count; and its `state`."""

    due: list[str]
    made: list[str]
    state: list[str]


def of_scope(circle: Circle, scope: Scope, tables: Iterable[Table]) -> Settling:
    """Return the lines about a scope; `tables` are those in it."""
    banker = find_banker(read_persons(circle).values())
    due = [
        _in_words("recap.pays", "who", payment.giver, payment.taker, account.key, payment.amount)
        for account in read_open_accounts(circle, scope).values()
        for payment in account.plan(banker.name if banker is not None else None)
    ]
    made = [
        _in_words(
            "settlement.gave", "from", p.giver.person.name, p.taker.person.name, p.settlement.account, int(p.amount)
        )
        for p in list_payments_in(circle, scope)
    ]
    return Settling(due, made, _state(circle, scope, tables, is_open=bool(due)))


def is_paid_deal_corrected(before: TableState, after: TableState) -> bool:
    """Return whether `after` corrects what was paid for, and with it what the players of the table `before` get."""
    if before.standing.balances == after.standing.balances:
        return False
    paid_at = find_paid_at(before.stored)
    return paid_at is not None and _is_corrected_since(after, paid_at)


def list_due_since_paid(table: TableState) -> list[str]:
    """Return the lines of the payments that clear a table that was paid for and corrected since; none of others."""
    if all(revision.kind in NEW_KINDS for revision in table.revisions):
        return []
    paid_at = find_paid_at(table.stored)
    if paid_at is None or not _is_corrected_since(table, paid_at):
        return []
    return of_scope(table.stored.circle, Scope(table=table.stored), [table.stored]).due


def _is_corrected_since(table: TableState, moment: datetime) -> bool:
    def takes_back(reopening: RevisionRow) -> bool:
        closed, reopened = (table.at_version(reopening.number - later) for later in (1, 0))
        return bool(closed.standing.balances != reopened.standing.balances)

    return has_correction_since(table.revisions, moment, takes_back)


def _in_words(key: str, giver_parameter: str, giver: str, taker: str, account: str, amount: int) -> str:
    names = {giver_parameter: isolate_rtl(giver), "to": isolate_rtl(taker)}
    return t(key, **names, amount=format_amount(account, amount))


def _state(circle: Circle, scope: Scope, tables: Iterable[Table], *, is_open: bool) -> list[str]:
    """Return whether all is settled, and what a part of it was settled together with."""
    together = [
        t(f"recap.together-with.{'paid' if is_paid else 'unpaid'}", settlement=name_of_settlement(settlement))
        for settlement, is_paid in find_wider_settlements(circle, scope)
    ]
    summaries = [table.summary for table in tables if table.summary is not None]
    settled = [summary for summary in summaries if any(summary.taken_over.values())]
    if is_open or not settled:
        return together
    if all(summary.is_settled for summary in settled):
        return [t("recap.settled"), *together]
    return together or [t("recap.under-way")]


class Role(StrEnum):
    """The kind of a line; the image writes each in its own way."""

    TITLE = "title"
    SUBTITLE = "subtitle"
    NAME = "name"  # of a table of an evening
    PLAYERS = "players"
    WINNER = "winner"
    RESULT = "result"
    BALANCE = "balance"
    HEADING = "heading"
    PAYMENT = "payment"
    PLAIN = "plain"


@dataclass(frozen=True)
class Line:
    """A line of a recap. Its value, an amount or a day, has a place of its own in the image."""

    role: Role
    text: str
    value: str = ""
    separator: str = " "

    def __str__(self) -> str:
        return f"{self.text}{self.separator}{self.value}" if self.value else self.text


@dataclass(frozen=True)
class Paragraph:
    """Lines that belong together."""

    lines: list[Line]


@dataclass(frozen=True)
class Recap:
    """A recap of a table or of an evening."""

    paragraphs: list[Paragraph]

    @property
    def text(self) -> str:
        """The recap as plain text."""
        return "\n\n".join("\n".join(map(str, paragraph.lines)) for paragraph in self.paragraphs)

    def as_data(self) -> list[list[dict[str, str]]]:
        """Return what the script needs that draws the recap."""
        return [
            [
                {"role": line.role, "text": line.text, "value": line.value, "whole": str(line)}
                for line in paragraph.lines
            ]
            for paragraph in self.paragraphs
        ]


def get_name(table: Table) -> str:
    """Return the table's title in one line, or the name of its game."""
    return isolate_rtl(clean_name(table.title)) or name_of_game(table)


def who_plays(table: Table) -> str:
    """Return the players' names: "Anne & Chloé – Bruno & David" in sides, else separated by commas."""
    if not _is_in_sides(table):
        return ", ".join(isolate_rtl(seat.player.person.name) for seat in table.seats if seat.has_sat)
    return " – ".join(_party_names(table, side) for side in SIDES)


def _is_in_sides(table: Table) -> bool:
    """Return whether the players form sides, as the last known result says."""
    summary = _find_summary(table)
    return is_in_sides(summary) if summary is not None else find_game(table.game).in_sides


def outcome(table: Table) -> list[str]:
    """Return lines with the winner, the robres and manches won, and the score; none without a summary."""
    return [line.text for line in _outcome_lines(table)]


def of_table(table: Table) -> Recap:
    """Return the recap of one table."""
    summary = _find_summary(table)
    head = Paragraph([_title(get_name(table), table.day), *_subtitle(table.circle, [table]), _players(table)])
    if summary is None:
        return Recap([head])
    result = _outcome_lines(table)
    if find_game(table.game).scores_are_payments and any(summary["grains"].values()):
        result = [line for line in result if line.role is not Role.RESULT]  # the balances below are the score
    if summary["deals"]:
        result.append(Line(Role.PLAIN, t("outcome.deals", count=summary["deals"])))
    to_settle = _to_settle(table.circle, Scope(table=table), [table])
    best = _best_feats(table.circle, [table])[table.id]
    return _recap([head], [result, _balance_lines(table, summary), best, *to_settle])


def of_evening(circle: Circle, tables: list[Table]) -> Recap:
    """Return the recap of an evening: every table, the balances over all of them, and who pays whom."""
    day = tables[0].day
    title = _title(isolate_rtl(circle.title or t("recap.cards")), day)
    places = {table.place for table in tables}
    heads = [Paragraph([title, *_subtitle(None, tables)])]
    best = _best_feats(circle, tables)
    for table in tables:
        place = "" if len(places) == 1 else _place(table)
        name = Line(Role.NAME, get_name(table), place, " · ")
        lines = [name, _players(table), *_outcome_lines(table), *best[table.id]]
        heads.append(Paragraph(lines))
    return _recap(heads, [*_balances_together(circle, tables), *_to_settle(circle, Scope(day=day), tables)])


def row_count(text: str) -> int:
    """Return how many rows a text area on a phone needs for a text, with its long lines wrapped."""
    return 1 + sum(1 + len(line) // 34 for line in text.splitlines())


def _find_summary(table: Table) -> SummaryData | None:
    return cast(SummaryData, table.summary.data) if table.summary is not None else None


def _recap(heads: list[Paragraph], others: list[list[Line]]) -> Recap:
    """Return a recap of these paragraphs, without the empty ones."""
    return Recap([*heads, *(Paragraph(lines) for lines in others if lines)])


def _title(name: str, day: date) -> Line:
    return Line(Role.TITLE, name, day_in_words(day), " · ")


def _subtitle(circle: Circle | None, tables: list[Table]) -> list[Line]:
    """Return a line with the circle's title and the place, if all tables were played at one."""
    title = isolate_rtl(clean_name(circle.title)) if circle is not None else ""
    place = _place(tables[0]) if len({table.place for table in tables}) == 1 else ""
    words = " · ".join(word for word in (title, place) if word)
    return [Line(Role.SUBTITLE, words)] if words else []


def _place(table: Table) -> str:
    return isolate_rtl(clean_name(table.place))


def _players(table: Table) -> Line:
    return Line(Role.PLAYERS, who_plays(table))


def _outcome_lines(table: Table) -> list[Line]:
    summary = _find_summary(table)
    if summary is None:
        return []
    scores, ended = summary["scores"], summary["ended"]
    if not summary["deals"] and not any(scores.values()):
        return [Line(Role.PLAIN, t("outcome.nothing"))]
    lines = []
    if summary["winner"] is not None:
        lines.append(Line(Role.WINNER, t("outcome.won", who=_names_at(table, split_labels(summary["winner"])))))
    elif summary["status"] == "finished":
        lines.append(Line(Role.WINNER, game_text(table.game, "table.nobody")))
    wins = [(kind, _format_wins(table, summary, kind)) for kind in (ROBRE, MANCHE) if kind in ended]
    lines += [Line(Role.RESULT, game_text(table.game, f"outcome.{kind}", scores=won)) for kind, won in wins]
    if any(scores.values()) or not ended:
        lines.append(Line(Role.RESULT, t("outcome.score", scores=_format_scores(table, scores))))
    return lines


# --- players and sides -------------------------------------------------------------------------------------


def _names_by_seat(table: Table) -> dict[str, str]:
    return {seat.seat: isolate_rtl(seat.player.person.name) for seat in table.seats}


def _names_at(table: Table, labels: Iterable[str]) -> str:
    names = _names_by_seat(table)
    return join_names(names[label] for label in labels)


def _party_names(table: Table, party: str) -> str:
    """Return the names of a side's players, substitutes among them, or a player's name."""
    return _names_at(table, _people_of_side(table, SIDES.index(party)) if party in SIDES else [party])


def _people_of_side(table: Table, side: int) -> list[str]:
    """Return the labels of those who have sat on a side's chairs, chair by chair."""
    chairs = [seat.seat for seat in table.seats if not seat.is_substitute]
    summary = _find_summary(table)
    later = summary.get("seatings", []) if summary is not None else []
    seatings = [split_labels(seating["seated"]) for seating in later]
    people = (seated[place] for place in range(side, len(chairs), 2) for seated in (chairs, *seatings))
    return [*dict.fromkeys(people)]


def _format_scores(table: Table, scores: Mapping[str, int]) -> str:
    """Return scores in the players' order, as `named_scores` does: of sides without the names of `who_plays`."""
    if _is_in_sides(table):
        return scores_in_a_row(scores.values())
    names = _names_by_seat(table)
    return ", ".join(name_score(names[seat], points) for seat, points in scores.items())


def _format_wins(table: Table, summary: SummaryData, kind: str) -> str:
    """Return how many manches (or robres) each party has won; players who won none are left out."""
    if _is_in_sides(table):
        won = dict(zip(SIDES, won_by_sides(summary, kind), strict=True))
    else:
        winners = [label for labels in summary["ended"][kind] for label in split_labels(labels)]
        won = {label: winners.count(label) for label in summary["balances"] if label in winners}
    return _format_scores(table, won)


# --- counters and money ------------------------------------------------------------------------------------


def _balance_lines(table: Table, summary: SummaryData) -> list[Line]:
    """Return each player's balance in counters and in money, the highest first."""
    subunits = summary["grains"]
    order = sorted(subunits, key=lambda seat: -subunits[seat])
    return [_balance_line(table, summary, seat) for seat in order] if any(subunits.values()) else []


def _balance_line(table: Table, summary: SummaryData, seat: str) -> Line:
    balance, game = summary["balances"][seat], find_game(table.game)
    if table.game not in games():  # its units have no words
        amount = format_signed_amount(summary["account"], summary["grains"][seat])
        return Line(Role.BALANCE, _names_by_seat(table)[seat], amount)
    if game.scores_are_payments:
        balance = {settlement_unit(game): balances_in_unit(game, summary["balances"])[seat]}
    counters = [
        f"{'+' if balance[unit] > 0 else '−'}{unit_text(game, 'count', unit, count=abs(balance[unit]))}"
        for unit in balance
        if balance[unit]
    ]
    amount = ", ".join(counters) or "0"
    if summary["account"] != table.game:
        amount += f" ({format_signed_amount(summary['account'], summary['grains'][seat])})"
    return Line(Role.BALANCE, _names_by_seat(table)[seat], amount)


def _balances_together(circle: Circle, tables: list[Table]) -> list[list[Line]]:
    """Return a paragraph of balances over all tables for each account."""
    people = read_persons(circle)
    accounts: dict[str, dict[str, int]] = {}
    for summary in map(_find_summary, tables):
        if summary is not None and any(summary["grains"].values()):
            account = accounts.setdefault(summary["account"], {})
            for seat, subunits in summary["grains"].items():
                name = isolate_rtl(people[summary["seats"][seat]].name)
                account[name] = account.get(name, 0) + subunits
    with_name = len(accounts) > 1
    return [_account_balances(key, balances, with_name) for key, balances in sorted(accounts.items())]


def _account_balances(key: str, balances: Mapping[str, int], with_name: bool) -> list[Line]:
    order = sorted(in_name_order(balances, str), key=lambda name: -balances[name])
    heading = t("recap.together") + (f" · {account_name(key)}" if with_name else "")
    lines = [Line(Role.BALANCE, name, format_signed_amount(key, balances[name])) for name in order]
    return [Line(Role.HEADING, heading), *lines]


def _to_settle(circle: Circle, scope: Scope, tables: list[Table]) -> list[list[Line]]:
    """Return the payments that clear what is open, and what is settled already."""
    settled = of_scope(circle, scope, tables)
    due = [Line(Role.PAYMENT, line) for line in settled.due]
    if due:
        due.insert(0, Line(Role.HEADING, t("recap.to-settle")))
    return [due, [Line(Role.PLAIN, line) for line in settled.state]]


# --- feats -------------------------------------------------------------------------------------------------


def _best_feats(circle: Circle, tables: Iterable[Table]) -> dict[int, list[Line]]:
    """Return by table's id a line about its best feat, or no line."""
    best = {table: _find_best_feat(table) for table in tables}
    names = read_row_names(circle.id, [table for table, feat in best.items() if feat is not None])
    return {table.id: [_describe_feat(table, *feat, names[table.id])] if feat else [] for table, feat in best.items()}


def _find_best_feat(table: Table) -> tuple[str, BestFeat] | None:
    """Return the message and the first of the game's feats that somebody achieved at the table; None without one."""
    summary = _find_summary(table)
    for name in find_game(table.game).feat_names:
        key = f"{table.game}.feat.{name}"
        if summary is not None and name in summary["feats"] and has_message(key):
            return key, summary["feats"][name]
    return None


def _describe_feat(table: Table, key: str, best: BestFeat, names: list[RowName]) -> Line:
    amount, people, row = best
    feat, seats = t(key, count=amount), split_labels(people)
    deal = names[row - 1].deals_begun if row <= len(names) else row  # a summary is a cache, and may be of other facts
    if len(seats) == sum(not seat.is_substitute for seat in table.seats):
        return Line(Role.PLAIN, t("recap.best.of-all", feat=feat, number=deal))
    return Line(Role.PLAIN, t("recap.best", feat=feat, who=_names_at(table, seats), number=deal))
