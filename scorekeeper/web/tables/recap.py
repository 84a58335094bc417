"""Results of tables and evenings as plain text, from the tables' stored summaries: for lists and for sharing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from ...games import games
from ...models import Circle, Table
from ...scoring.entries import POINTS
from ...scoring.sides import SIDES
from ...scoring.standing import MANCHE, ROBRE
from ...scoring.values import clean_name
from ...services.people import banker_of, persons_by_player_id
from ...services.settlements.balances import Scope, open_accounts
from ...stats.table import SummaryData
from ..support.amounts import account_name, format_amount, format_signed_amount
from ..support.language import game_text, has_message, in_name_order, isolate_rtl, number, scores_in_a_row, signed, t
from ..support.times import day_in_words

Paragraphs = list[list[str]]


def name_of(table: Table) -> str:
    """Return the table's title in one line, or the name of its game."""
    return isolate_rtl(clean_name(table.title)) or t(f"{table.game}.name")


def who_plays(table: Table) -> str:
    """Return the players' names: "Anne & Chloé – Bruno & David" in sides, else separated by commas."""
    if not games()[table.game].in_sides:
        return ", ".join(_names_by_seat(table).values())
    return " – ".join(_party_names(table, side) for side in SIDES)


def outcome(table: Table, *, by_name: bool = False) -> list[str]:
    """Return lines with the winner, the robres and manches won, and the score; none without a summary.

    Scores are in the players' order; with `by_name`, each follows its player's name.
    """
    summary = _summary_of(table)
    if summary is None:
        return []
    scores, ended = summary["scores"], summary["ended"]
    if not summary["deals"] and not any(scores.values()):
        return [t("outcome.nothing")]
    lines = [] if summary["winner"] is None else [t("outcome.won", who=_names_at(table, summary["winner"]))]
    lines += [
        game_text(table.game, f"outcome.{kind}", scores=_format_wins(table, ended[kind], scores))
        for kind in (ROBRE, MANCHE)
        if kind in ended
    ]
    if any(scores.values()) or not ended:
        lines.append(t("outcome.score", scores=_format_scores(table, scores, by_name)))
    return lines


def of_table(table: Table) -> str:
    """Return the recap of one table."""
    summary = _summary_of(table)
    head = [f"{name_of(table)} · {day_in_words(table.day)}", who_plays(table)]
    if summary is None:
        return _join([head])
    result = [
        *outcome(table, by_name=True),
        *([t("outcome.deals", count=summary["deals"])] if summary["deals"] else []),
    ]
    to_settle = _to_settle(table.circle, Scope(table=table), [table])
    return _join([head, result, _balance_lines(table, summary), _best_feat(table, summary), *to_settle])


def of_evening(circle: Circle, tables: list[Table]) -> str:
    """Return the recap of an evening: every table, the balances over all of them, and who pays whom."""
    day = tables[0].day
    paragraphs = [[f"{isolate_rtl(circle.title or t('recap.cards'))} · {day_in_words(day)}"]]
    for table in tables:
        summary = _summary_of(table)
        best = _best_feat(table, summary) if summary is not None else []
        paragraphs.append([name_of(table), who_plays(table), *outcome(table, by_name=True), *best])
    return _join([*paragraphs, *_balances_together(circle, tables), *_to_settle(circle, Scope(day=day), tables)])


def row_count(text: str) -> int:
    """Return how many rows a text area on a phone needs for a text, with its long lines wrapped."""
    return 1 + sum(1 + len(line) // 34 for line in text.splitlines())


def _summary_of(table: Table) -> SummaryData | None:
    return cast(SummaryData, table.summary.data) if table.summary is not None else None


def _join(paragraphs: Iterable[list[str]]) -> str:
    """Join paragraphs, leaving out empty ones."""
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


# --- players and sides -------------------------------------------------------------------------------------


def _names_by_seat(table: Table) -> dict[str, str]:
    return {seat.seat: isolate_rtl(seat.player.person.name) for seat in table.seats}


def _names_at(table: Table, seats: str) -> str:
    """Return the names at several seats, written together as in a summary: "13"."""
    names = _names_by_seat(table)
    *others, last = (names[seat] for seat in seats)
    return t("names.and").join([", ".join(others), last] if others else [last])


def _party_names(table: Table, party: str) -> str:
    """Return the names of a side's players, or a player's name."""
    return _names_at(table, "".join(_names_by_seat(table))[SIDES.index(party) :: 2] if party in SIDES else party)


def _format_scores(table: Table, scores: Mapping[str, int], by_name: bool) -> str:
    """Return scores in the players' order, as in 154–131; with `by_name`, with names in games without sides."""
    if by_name and not games()[table.game].in_sides:
        return ", ".join(f"{_party_names(table, party)} {number(points)}" for party, points in scores.items())
    return scores_in_a_row(scores.values())


def _format_wins(table: Table, winners: list[str], scores: Mapping[str, int]) -> str:
    """Return how many manches (or robres) each party has won; players who won none are left out."""
    names = "".join(_names_by_seat(table))
    seats = {party: names[SIDES.index(party) :: 2] if party in SIDES else party for party in scores}
    won = {party: winners.count(seats[party]) for party in scores}
    if not games()[table.game].in_sides:
        won = {party: count for party, count in won.items() if count}
    return _format_scores(table, won, by_name=True)


# --- counters and money ------------------------------------------------------------------------------------


def _balance_lines(table: Table, summary: SummaryData) -> list[str]:
    """Return each player's balance in counters and in money, the highest first."""
    subunits = summary["grains"]
    order = sorted(subunits, key=lambda seat: -subunits[seat])
    return [_balance_line(table, summary, seat) for seat in order] if any(subunits.values()) else []


def _balance_line(table: Table, summary: SummaryData, seat: str) -> str:
    balance = summary["balances"][seat]
    counters = [
        t(f"recap.counters.{unit}", count=abs(balance[unit]), amount=signed(balance[unit]))
        for unit in games()[table.game].units
        if unit != POINTS and balance[unit]
    ]
    line = f"{_names_by_seat(table)[seat]} {', '.join(counters) or '0'}"
    is_valued = summary["account"] != table.game
    return f"{line} ({format_signed_amount(summary['account'], summary['grains'][seat])})" if is_valued else line


def _balances_together(circle: Circle, tables: list[Table]) -> Paragraphs:
    """Return a paragraph of balances over all tables for each account."""
    people = persons_by_player_id(circle)
    accounts: dict[str, dict[str, int]] = {}
    for summary in map(_summary_of, tables):
        if summary is not None and any(summary["grains"].values()):
            account = accounts.setdefault(summary["account"], {})
            for seat, subunits in summary["grains"].items():
                name = isolate_rtl(people[summary["seats"][seat]].name)
                account[name] = account.get(name, 0) + subunits
    with_name = len(accounts) > 1
    return [_account_balances(key, balances, with_name) for key, balances in sorted(accounts.items())]


def _account_balances(key: str, balances: Mapping[str, int], with_name: bool) -> list[str]:
    order = sorted(in_name_order(balances, str), key=lambda name: -balances[name])
    heading = t("recap.together") + (f" · {account_name(key)}" if with_name else "")
    return [heading, *(f"{name} {format_signed_amount(key, balances[name])}" for name in order)]


def _to_settle(circle: Circle, scope: Scope, tables: list[Table]) -> Paragraphs:
    """Return the fewest payments that clear what no settlement includes yet; or that everything is settled."""
    summaries = [table.summary for table in tables if table.summary is not None]
    settled = [summary for summary in summaries if any(summary.taken_over.values())]
    banker = banker_of(persons_by_player_id(circle).values())
    payments = [
        t(
            "recap.pays",
            who=isolate_rtl(payment.giver),
            to=isolate_rtl(payment.taker),
            amount=format_amount(key, payment.amount),
        )
        for key, account in open_accounts(circle, scope).items()
        for payment in account.plan(banker.name if banker is not None else None)
    ]
    if payments:
        return [[t("recap.to-settle"), *payments]]
    if not settled:
        return []
    return [[t("recap.settled" if all(summary.is_settled for summary in settled) else "recap.under-way")]]


# --- feats -------------------------------------------------------------------------------------------------


def _best_feat(table: Table, summary: SummaryData) -> list[str]:
    """Return a line about the first of the game's feats that somebody achieved at the table; none without one."""
    for name in games()[table.game].feat_names:
        key = f"{table.game}.feat.{name}"
        if name in summary["feats"] and has_message(key):
            amount, seats, deal = summary["feats"][name]
            feat = t(key, count=amount)
            if len(seats) == len(table.seats):
                return [t("recap.best.of-all", feat=feat, number=deal)]
            return [t("recap.best", feat=feat, who=_names_at(table, seats), number=deal)]
    return []
