"""What tables came to, in a few lines of plain text: told from their summaries, for lists and to be handed on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flask import g

from ..book.people import banker_of, persons
from ..book.settling import Scope, open_accounts
from ..games import games
from ..language import knows
from ..scoring.ledger import POINTS
from ..scoring.sides import SIDES
from ..scoring.standing import MANCHE, ROBRE
from ..store import Circle, Table
from .amounts import account_name, held, held_signed
from .language import day_in_words, number, signed, t

Paragraphs = list[list[str]]


def name_of(table: Table) -> str:
    """What the table is called: by its title, or by its game."""
    return table.title or t(f"{table.game}.name")


def who_plays(table: Table) -> str:
    """Anne & Chloé – Bruno & David, or every player by himself."""
    if not games()[table.game].in_sides:
        return ", ".join(_names(table).values())
    return " – ".join(_party(table, side) for side in SIDES)


def outcome(table: Table, *, by_name: bool = False) -> list[str]:
    """Who won it, or what was won of it so far and how it stands; nothing where it has no summary yet.

    Scores stand in the order in which the players are named, or beside their names where that is asked for.
    """
    told = table.summary.told if table.summary is not None else None
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
    """The evening at one table."""
    circle, told = table.circle, table.summary.told if table.summary is not None else None
    head = [f"{name_of(table)} · {day_in_words(table.day)}", who_plays(table)]
    if told is None:
        return _text([head])
    played = [*outcome(table, by_name=True), *([t("outcome.deals", count=told["deals"])] if told["deals"] else [])]
    scope = Scope(table=table)
    return _text([head, played, _balances(table, told), _best(table, told), *_to_settle(circle, scope, [table])])


def of_evening(circle: Circle, tables: list[Table]) -> str:
    """Every table of an evening, what its players are up or down over all of them, and who pays whom."""
    day = tables[0].day
    paragraphs = [[f"{circle.title or t('recap.cards')} · {day_in_words(day)}"]]
    for table in tables:
        best = _best(table, table.summary.told) if table.summary is not None else []
        paragraphs.append([name_of(table), who_plays(table), *outcome(table, by_name=True), *best])
    return _text([*paragraphs, *_balances_together(circle, tables), *_to_settle(circle, Scope(day=day), tables)])


def rows_of(text: str) -> int:
    """How many rows it needs in a field on a phone, whose lines are broken."""
    return 1 + sum(1 + len(line) // 34 for line in text.splitlines())


def _text(paragraphs: Iterable[list[str]]) -> str:
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


# --- players and sides -------------------------------------------------------------------------------------


def _names(table: Table) -> dict[str, str]:
    return {seat.seat: seat.player.person.name for seat in table.seats}


def _of_seats(table: Table, seats: str) -> str:
    names = _names(table)
    return " & ".join(names[seat] for seat in seats)


def _party(table: Table, party: str) -> str:
    """The players of a side; a player."""
    return _of_seats(table, "".join(_names(table))[SIDES.index(party) :: 2] if party in SIDES else party)


def _points(points: int) -> str:
    return number(points) if points >= 0 else signed(points)


def _scores(table: Table, scores: Mapping[str, int], by_name: bool) -> str:
    """154–131, in the order in which the players are named; or each by name, where they score for themselves."""
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
    """Who is up and who is down, the winner first, in counters and in what they are worth."""
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
    people = persons(circle)
    accounts: dict[str, dict[str, int]] = {}
    for told in (table.summary.told for table in tables if table.summary is not None):
        if any(told["grains"].values()):
            account = accounts.setdefault(told["account"], {})
            for seat, grains in told["grains"].items():
                name = people[told["seats"][seat]].name
                account[name] = account.get(name, 0) + grains
    told_which = len(accounts) > 1
    return [_of_account(key, balances, told_which) for key, balances in sorted(accounts.items())]


def _of_account(key: str, balances: Mapping[str, int], told_which: bool) -> list[str]:
    order = sorted(balances, key=lambda name: (-balances[name], name))
    which = f" · {account_name(key)}" if told_which else ""
    return [f"{t('recap.together')}{which}", *(f"{name} {held_signed(key, balances[name])}" for name in order)]


def _to_settle(circle: Circle, scope: Scope, tables: list[Table]) -> Paragraphs:
    """The fewest payments that clear what no settlement has taken over; or that all is settled."""
    settled = [table.summary for table in tables if table.summary is not None and any(table.summary.taken.values())]
    banker = banker_of(persons(circle).values())
    payments = [
        t("recap.pays", who=payment.giver, to=payment.taker, amount=held(key, payment.amount))
        for key, account in open_accounts(circle, scope).items()
        for payment in account.plan(banker.name if banker is not None else None)
    ]
    if payments:
        return [[t("recap.to-settle"), *payments]]
    if not settled:
        return []
    return [[t("recap.settled" if all(one.is_settled for one in settled) else "recap.under-way")]]


# --- the best of it ----------------------------------------------------------------------------------------


def _best(table: Table, told: Mapping[str, Any]) -> list[str]:
    """The first of the game's feats that somebody achieved at the table; the game tells them in their order."""
    for name in games()[table.game].feat_names:
        key = f"{table.game}.feat.{name}"
        if name in told["feats"] and knows(g.language, key):
            amount, seats, deal = told["feats"][name]
            feat = t(key, count=amount)
            if len(seats) == len(table.seats):
                return [t("recap.best.of-all", feat=feat, number=deal)]
            return [t("recap.best", feat=feat, who=_of_seats(table, seats), number=deal)]
    return []
