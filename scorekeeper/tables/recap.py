"""Results of tables and evenings in lines, from the tables' stored summaries: for lists, and for sharing.

A recap is shared as plain text and as an image (`static/js/recap.js`), both made from the same lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from ..games import find_game, games
from ..i18n import in_name_order
from ..models import Circle, Summary, Table
from ..people.reading import read_persons
from ..scoring.currency import is_currency
from ..scoring.sheet import balances_in_smallest_unit, settlement_unit
from ..scoring.standing import MANCHE, ROBRE, SIDES
from ..scoring.values import clean_name
from ..site.amounts import account_name, format_balance
from ..site.language import (
    day_in_words,
    game_text,
    has_message,
    isolate_rtl,
    join_names,
    name_of_game,
    name_score,
    scores_in_a_row,
    t,
    unit_text,
)
from .named_games import read_game_names
from .reading import read_row_names
from .settling import Settling, read_settling
from .summary import BestFeat, SummaryData, is_in_sides, list_seatings, split_labels, won_by_sides


class Line(NamedTuple):
    """A line of a recap. Its value, an amount or a day, has a place of its own in the image.

    `role` says how the image writes it: "title", "subtitle", "name" of a table of an evening, "players", "winner",
    "result", "balance", "heading", "payment" or "plain".
    """

    role: str
    text: str
    value: str = ""
    separator: str = " "

    def __str__(self) -> str:
        return f"{self.text}{self.separator}{self.value}" if self.value else self.text


@dataclass(frozen=True)
class Recap:
    paragraphs: list[list[Line]]

    @property
    def text(self) -> str:
        return "\n\n".join("\n".join(map(str, lines)) for lines in self.paragraphs)

    @property
    def rows(self) -> int:
        """How many rows a text area on a phone needs for the text, with its long lines wrapped."""
        return 1 + sum(1 + len(line) // 34 for line in self.text.splitlines())

    def as_data(self) -> list[list[dict[str, str]]]:
        return [
            [{"role": line.role, "text": line.text, "value": line.value, "whole": str(line)} for line in lines]
            for lines in self.paragraphs
        ]


def of_table(table: Table) -> Recap:
    summary = _get_summary(table)
    result = _outcome_lines(table)
    title = Line("title", name_of_table(table), day_in_words(table.day), " · ")
    head = [title, *_subtitle(table.circle, [table]), Line("players", who_plays(table))]
    if find_game(table.game).stakes.scores_are_payments and any(summary["subunits"].values()):
        result = [line for line in result if line.role != "result"]  # the balances below are the score
    if summary["deals"]:
        result.append(Line("plain", t("outcome.deals", count=summary["deals"])))
    best = _best_feats(table.circle, [table])[table.id]
    settling = _to_settle(read_settling([table]))
    return Recap([lines for lines in (head, result, _balance_lines(table), best, *settling) if lines])


def of_evening(circle: Circle, tables: list[Table]) -> Recap:
    day = tables[0].day
    best = _best_feats(circle, tables)
    subtitle = _subtitle(None, tables)
    title = Line("title", isolate_rtl(circle.title or t("recap.cards")), day_in_words(day), " · ")
    paragraphs = [[title, *subtitle]]
    for table in tables:
        name = Line("name", name_of_table(table), "" if subtitle else _place(table), " · ")
        players = Line("players", who_plays(table))
        paragraphs.append([name, players, *_outcome_lines(table), *best[table.id]])
    paragraphs += _balances_together(circle, tables)
    paragraphs += _to_settle(read_settling(tables, day))
    return Recap([lines for lines in paragraphs if lines])


def _subtitle(circle: Circle | None, tables: list[Table]) -> list[Line]:
    """Return a line with the circle's title and the place, if all tables were played at one."""
    title = isolate_rtl(clean_name(circle.title)) if circle is not None else ""
    place = _place(tables[0]) if len({table.place for table in tables}) == 1 else ""
    words = " · ".join(word for word in (title, place) if word)
    return [Line("subtitle", words)] if words else []


def _place(table: Table) -> str:
    return isolate_rtl(clean_name(table.place))


def _to_settle(settled: Settling) -> list[list[Line]]:
    heading = [Line("heading", t("recap.to-settle"))] if settled.due else []
    return [
        [*heading, *(Line("payment", line) for line in settled.due)],
        [Line("plain", line) for line in settled.state],
    ]


# --- results -------------------------------------------------------------------------------------------------


def name_of_table(table: Table) -> str:
    return isolate_rtl(clean_name(table.title)) or name_of_game(table)


def who_plays(table: Table) -> str:
    """Return the players' names: "Anne & Chloé – Bruno & David" in sides, else separated by commas."""
    summary = _get_summary(table)
    if not is_in_sides(summary):
        return ", ".join(isolate_rtl(seat.player.person.name) for seat in table.seats if seat.has_sat)
    by_chair = [*zip(*(split_labels(seating["seated"]) for seating in list_seatings(summary)), strict=True)]
    sides = (dict.fromkeys(label for seated in by_chair[side::2] for label in seated) for side in range(len(SIDES)))
    return " – ".join(_names_at(table, people) for people in sides)


def outcome(table: Table) -> list[str]:
    """Return lines with the winner, the robres and manches won, and the score."""
    return [line.text for line in _outcome_lines(table)]


def list_best_balances(table: Table, winners: Sequence[str]) -> list[str]:
    """Return a line with what the winners are owed, if nobody else is owed as much."""
    subunits = _get_summary(table)["subunits"]
    most = max(subunits.values())
    is_won_by_them = most > 0 and {*winners} == {seat for seat, amount in subunits.items() if amount == most}
    return [", ".join(map(str, _balance_lines(table)[: len(winners)]))] if is_won_by_them else []


def _get_summary(table: Table) -> SummaryData:
    return cast(SummaryData, cast(Summary, table.summary).data)


def _outcome_lines(table: Table) -> list[Line]:
    summary = _get_summary(table)
    scores, ended = summary["scores"], summary["ended"]
    if not summary["deals"] and not any(scores.values()):
        return [Line("plain", t("outcome.nothing"))]
    lines = []
    if summary["winner"] is not None:
        lines.append(Line("winner", t("outcome.won", who=_names_at(table, split_labels(summary["winner"])))))
    elif summary["status"] == "finished":
        lines.append(Line("winner", game_text(table.game, "table.nobody")))
    for kind in (ROBRE, MANCHE):
        if kind in ended:
            won = _format_scores(table, _count_wins(summary, kind))
            lines.append(Line("result", game_text(table.game, f"outcome.{kind}", scores=won)))
    if any(scores.values()) or not ended:
        lines.append(Line("result", t("outcome.score", scores=_format_scores(table, scores))))
    return lines


def _names_by_seat(table: Table) -> dict[str, str]:
    return {seat.label: isolate_rtl(seat.player.person.name) for seat in table.seats}


def _names_at(table: Table, labels: Iterable[str]) -> str:
    names = _names_by_seat(table)
    return join_names(names[label] for label in labels)


def _format_scores(table: Table, scores: Mapping[str, int]) -> str:
    """Return scores in the players' order, as `named_scores` does: of sides without the names of `who_plays`."""
    if is_in_sides(_get_summary(table)):
        return scores_in_a_row(scores.values())
    names = _names_by_seat(table)
    return ", ".join(name_score(names[seat], points) for seat, points in scores.items())


def _count_wins(summary: SummaryData, kind: str) -> dict[str, int]:
    """Return how many manches (or robres) each party has won; players who won none are left out."""
    if is_in_sides(summary):
        return dict(zip(SIDES, won_by_sides(summary, kind), strict=True))
    winners = [label for labels in summary["ended"][kind] for label in split_labels(labels)]
    return {label: winners.count(label) for label in summary["balances"] if label in winners}


# --- counters and money ------------------------------------------------------------------------------------


def _balance_lines(table: Table) -> list[Line]:
    summary = _get_summary(table)
    names = _names_by_seat(table)
    game = find_game(table.game)
    subunits = summary["subunits"]
    if not any(subunits.values()):
        return []
    lines = []
    for seat in sorted(subunits, key=lambda seat: -subunits[seat]):
        balance = summary["balances"][seat]
        money = format_balance(summary["account"], subunits[seat])
        if game.stakes.scores_are_payments:
            balance = {settlement_unit(game): balances_in_smallest_unit(game, summary["balances"])[seat]}
        counters = [
            f"{'+' if amount > 0 else '−'}{unit_text(game, 'count', unit, count=abs(amount))}"
            for unit, amount in balance.items()
            if amount and table.game in games()  # the units of another have no words
        ]
        if table.game not in games():
            counters = [money]
        elif is_currency(summary["account"]):
            counters = [f"{', '.join(counters) or '0'} ({money})"]
        lines.append(Line("balance", names[seat], ", ".join(counters) or "0"))
    return lines


def _balances_together(circle: Circle, tables: list[Table]) -> list[list[Line]]:
    people = read_persons(circle)
    names = read_game_names(circle)
    accounts: dict[str, Counter[str]] = {}
    for summary in map(_get_summary, tables):
        for seat, subunits in summary["subunits"].items() if any(summary["subunits"].values()) else ():
            name = people[summary["seats"][seat]].name
            account = accounts.setdefault(summary["account"], Counter())
            account[isolate_rtl(name)] += subunits
    paragraphs = []
    for key, balances in sorted(accounts.items()):
        heading = t("recap.together") + (f" · {account_name(key, names)}" if len(accounts) > 1 else "")
        order = sorted(in_name_order(balances, str), key=balances.__getitem__, reverse=True)
        lines = [Line("balance", name, format_balance(key, balances[name])) for name in order]
        paragraphs.append([Line("heading", heading), *lines])
    return paragraphs


def _best_feats(circle: Circle, tables: Iterable[Table]) -> dict[int, list[Line]]:
    """Return by table's id a line about its best feat, or no line."""
    best = {table: _find_best_feat(table) for table in tables}
    names = read_row_names(circle.id, [table for table, feat in best.items() if feat is not None])
    lines: dict[int, list[Line]] = {table.id: [] for table in best}
    for table, found in best.items():
        if found is not None:
            key, (amount, people, row) = found
            seats, names_of = split_labels(people), names[table.id]
            params = {"feat": t(key, count=amount), "number": names_of[row - 1].deal_count}
            is_of_all = len(seats) == sum(not seat.is_substitute for seat in table.seats)
            text = t("recap.best.of-all" if is_of_all else "recap.best", who=_names_at(table, seats), **params)
            lines[table.id].append(Line("plain", text))
    return lines


def _find_best_feat(table: Table) -> tuple[str, BestFeat] | None:
    """Return the first of the game's feats that somebody achieved at the table, after the key of its message."""
    feats = _get_summary(table)["feats"]
    keys = {f"{table.game}.feat.{name}": name for name in find_game(table.game).counted.feat_names if name in feats}
    return next(((key, feats[name]) for key, name in keys.items() if has_message(key)), None)
