"""Results of tables and evenings as plain text, from the tables' stored summaries: for lists and for sharing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flask import g

from ...games import games
from ...i18n import has_message
from ...models import Circle, Table
from ...scoring.entries import POINTS
from ...scoring.sides import SIDES
from ...scoring.standing import MANCHE, ROBRE
from ...scoring.values import clean_name
from ...services.people import banker_of, persons_by_player_id
from ...services.settlements.balances import Scope, open_accounts
from ..support.amounts import account_name, held, held_signed
from ..support.language import day_in_words, isolated, number, signed, t

Paragraphs = list[list[str]]


def name_of(table: Table) -> str:
    """Return the table's title in one line, or the name of its game."""
    return isolated(clean_name(table.title)) or t(f"{table.game}.name")


def who_plays(table: Table) -> str:
    """Return the players' names: "Anne & Chloé – Bruno & David" in sides, else separated by commas."""
    if not games()[table.game].in_sides:
        return ", ".join(_names(table).values())
    return " – ".join(_party(table, side) for side in SIDES)


def outcome(table: Table, *, by_name: bool = False) -> list[str]:
    """Return lines with the winner, the robres and manches won, and the score; none without a summary.

    Scores are in the players' order; with `by_name`, each stands beside its player's name.
    """
    told = table.summary.data if table.summary is not None else None
    if told is None:
        return []
    scores, ended = told["scores"], told["ended"]
    if not told["deals"] and not any(scores.values()):
        return [t("outcome.nothing")]
    lines = [] if told["winner"] is None else [t("outcome.won", who=_of_seats(table, told["winner"]))]
    lines += [
        t(f"outcome.{kind}", scores=_ended(table, ended[kind], scores)) for kind in (ROBRE, MANCHE) if kind in ended
    ]
    if any(scores.values()) or not ended:
        lines.append(t("outcome.score", scores=_scores(table, scores, by_name)))
    return lines


def of_table(table: Table) -> str:
    """Return the recap of one table."""
    circle, told = table.circle, table.summary.data if table.summary is not None else None
    head = [f"{name_of(table)} · {day_in_words(table.day)}", who_plays(table)]
    if told is None:
        return _text([head])
    played = [*outcome(table, by_name=True), *([t("outcome.deals", count=told["deals"])] if told["deals"] else [])]
    scope = Scope(table=table)
    return _text([head, played, _balances(table, told), _best(table, told), *_to_settle(circle, scope, [table])])


def of_evening(circle: Circle, tables: list[Table]) -> str:
    """Return the recap of an evening: every table, the balances over all of them, and who pays whom."""
    day = tables[0].day
    paragraphs = [[f"{isolated(circle.title or t('recap.cards'))} · {day_in_words(day)}"]]
    for table in tables:
        best = _best(table, table.summary.data) if table.summary is not None else []
        paragraphs.append([name_of(table), who_plays(table), *outcome(table, by_name=True), *best])
    return _text([*paragraphs, *_balances_together(circle, tables), *_to_settle(circle, Scope(day=day), tables)])


def rows_of(text: str) -> int:
    """Return how many rows a text area on a phone needs for a text, with its long lines wrapped."""
    return 1 + sum(1 + len(line) // 34 for line in text.splitlines())


def _text(paragraphs: Iterable[list[str]]) -> str:
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


# --- players and sides -------------------------------------------------------------------------------------


def _names(table: Table) -> dict[str, str]:
    return {seat.seat: isolated(seat.player.person.name) for seat in table.seats}


def _of_seats(table: Table, seats: str) -> str:
    names = _names(table)
    return " & ".join(names[seat] for seat in seats)


def _party(table: Table, party: str) -> str:
    """Return the names of a side's players, or a player's name."""
    return _of_seats(table, "".join(_names(table))[SIDES.index(party) :: 2] if party in SIDES else party)


def _points(points: int) -> str:
    return number(points) if points >= 0 else signed(points)


def _scores(table: Table, scores: Mapping[str, int], by_name: bool) -> str:
    """Return scores in the players' order, as in 154–131; with `by_name`, with names in games without sides."""
    if by_name and not games()[table.game].in_sides:
        return ", ".join(f"{_party(table, party)} {_points(points)}" for party, points in scores.items())
    return ("–" if min(scores.values()) >= 0 else " – ").join(_points(points) for points in scores.values())


def _ended(table: Table, winners: list[str], scores: Mapping[str, int]) -> str:
    """How many manches (or robres) each has won; of players only those who won any."""
    names = "".join(_names(table))
    seats = {party: names[SIDES.index(party) :: 2] if party in SIDES else party for party in scores}
    won = {party: winners.count(seats[party]) for party in scores}
    if not games()[table.game].in_sides:
        won = {party: count for party, count in won.items() if count}
    return _scores(table, won, by_name=True)


# --- counters and money ------------------------------------------------------------------------------------


def _balances(table: Table, told: Mapping[str, Any]) -> list[str]:
    """Return each player's balance in counters and in money, the highest first."""
    grains = told["grains"]
    order = sorted(grains, key=lambda seat: -grains[seat])
    return [_balance(table, told, seat) for seat in order] if any(grains.values()) else []


def _balance(table: Table, told: Mapping[str, Any], seat: str) -> str:
    held_here = told["balances"][seat]
    counters = [
        t(f"recap.counters.{unit}", count=abs(held_here[unit]), amount=signed(held_here[unit]))
        for unit in games()[table.game].units
        if unit != POINTS and held_here[unit]
    ]
    line = f"{_names(table)[seat]} {', '.join(counters) or '0'}"
    is_valued = told["account"] != table.game
    return f"{line} ({held_signed(told['account'], told['grains'][seat])})" if is_valued else line


def _balances_together(circle: Circle, tables: list[Table]) -> Paragraphs:
    """In each account: money, or the counters of a game."""
    people = persons_by_player_id(circle)
    accounts: dict[str, dict[str, int]] = {}
    for told in (table.summary.data for table in tables if table.summary is not None):
        if any(told["grains"].values()):
            account = accounts.setdefault(told["account"], {})
            for seat, grains in told["grains"].items():
                name = isolated(people[told["seats"][seat]].name)
                account[name] = account.get(name, 0) + grains
    told_which = len(accounts) > 1
    return [_of_account(key, balances, told_which) for key, balances in sorted(accounts.items())]


def _of_account(key: str, balances: Mapping[str, int], told_which: bool) -> list[str]:
    order = sorted(balances, key=lambda name: (-balances[name], name))
    which = f" · {account_name(key)}" if told_which else ""
    return [f"{t('recap.together')}{which}", *(f"{name} {held_signed(key, balances[name])}" for name in order)]


def _to_settle(circle: Circle, scope: Scope, tables: list[Table]) -> Paragraphs:
    """Return the fewest payments that clear what no settlement includes yet; or that everything is settled."""
    summaries = [table.summary for table in tables if table.summary is not None]
    settled = [summary for summary in summaries if any(summary.taken_over.values())]
    banker = banker_of(persons_by_player_id(circle).values())
    payments = [
        t("recap.pays", who=isolated(payment.giver), to=isolated(payment.taker), amount=held(key, payment.amount))
        for key, account in open_accounts(circle, scope).items()
        for payment in account.plan(banker.name if banker is not None else None)
    ]
    if payments:
        return [[t("recap.to-settle"), *payments]]
    if not settled:
        return []
    return [[t("recap.settled" if all(summary.is_settled for summary in settled) else "recap.under-way")]]


# --- the best of it ----------------------------------------------------------------------------------------


def _best(table: Table, told: Mapping[str, Any]) -> list[str]:
    """The first of the game's feats that somebody achieved at the table; the game tells them in their order."""
    for name in games()[table.game].feat_names:
        key = f"{table.game}.feat.{name}"
        if name in told["feats"] and has_message(g.language, key):
            amount, seats, deal = told["feats"][name]
            feat = t(key, count=amount)
            if len(seats) == len(table.seats):
                return [t("recap.best.of-all", feat=feat, number=deal)]
            return [t("recap.best", feat=feat, who=_of_seats(table, seats), number=deal)]
    return []
