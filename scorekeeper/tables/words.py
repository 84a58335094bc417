"""Words for a table's pages: what rows are called, who changed what, and what a phone reads aloud.

Templates have this module as `words`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import date, timedelta
from itertools import groupby
from typing import Any

from flask import g, request, url_for

from .. import i18n
from ..models import Membership, now
from ..scoring.common_facts import Agreement, Misdeal, SeatChange
from ..scoring.game import AnyGame
from ..scoring.problems import Problem
from ..scoring.standing import DEAL, POT, SIDES, Closing, Entry, Row, RowName, find_kind, name_rows
from ..scoring.terms import TermsChange, read_terms
from ..scoring.values import Facts, Value
from ..site.fields import parse_digits
from ..site.language import (
    game_text,
    has_message,
    isolate_rtl,
    join_names,
    money,
    number,
    own_key,
    problem_message,
    t,
    unit_text,
    value_text,
)
from . import revisions
from .game_layouts import get_stem, group_label, party_of_group
from .live import TablePage
from .option_fields import option_fields
from .revisions import RecordedDeal, RevisionRow
from .rule_texts import say_house_rule
from .state import TableState
from .writing import Refused

# --- what rows are called; only deals have numbers, anything else is called what it is -------------------------


def row_title(name: RowName) -> str:
    """Say "Deal 3", or "Substitution after deal 3"."""
    key = find_key_of_kind("deal.title", name.kind)
    if name.deal_number is not None:
        return t(key, number=name.deal_number)
    return t(key if name.deal_count else f"{key}.first", number=name.deal_count)


def row_number(name: RowName) -> str:
    return number(name.deal_number) if name.deal_number is not None else "–"


def deal_title(table: TableState, deal: RecordedDeal) -> str:
    row = table.find_row(deal.id)
    if row is not None:
        return row_title(row.name)
    return t(find_key_of_kind("deal.withdrawn-title", find_kind(deal.last_body or {})))


def remove_label(table: TableState, deals: Sequence[int]) -> str:
    """Label the button that saves a deal and removes these: "deals 6–9", "deals 6 and 8", "3 entries"."""
    rows = [row for deal in deals if (row := table.find_row(deal)) is not None]
    if all(row.kind == DEAL for row in rows):
        return t("later.remove", count=len(rows), all=[row.deal_count for row in rows])
    return t("later.remove.entries", count=len(rows))


def after_title(name: RowName | None) -> str:
    """Return the title of the table as it was after a row; before the first for None."""
    if name is None:
        return t("after.title.none")
    return t("after.title", number=name.deal_count) if name.kind == DEAL else row_title(name)


def say_of_row(key: str, name: RowName) -> str:
    return t(find_key_of_kind(key, name.kind), number=name.deal_count)


def find_key_of_kind(key: str, kind: str) -> str:
    return key if kind == DEAL else f"{key}.{kind}"


_MISSING = ("missing", "field-missing", "tap-one")  # keys of problems with what a deal lacks


def list_problems(table: TableState, refused: Refused) -> list[str]:
    """Say what is wrong with a change; of a deal that is not on the page, in sentences that name the field."""
    return [problem_message(each) if refused.is_own else _say_of_later(table, each) for each in refused.problems]


def _say_of_later(table: TableState, problem: Problem) -> str:
    key = problem.field.partition(".")[0]
    game = table.game
    players = table.standing.players
    groups = (group for group in game.pad(table.standing, {}) if key in group.keys)
    stems = [key, *(get_stem(group, party_of_group(group, players)) for group in groups)]
    label = next(filter(None, (group_label(game, stem, "missing", "group") for stem in stems)), "")
    if not label or "." in problem.key:  # the game's own messages name what they are about
        return problem_message(problem)
    named = t("quotation", text=label)
    if problem.key in _MISSING:
        return t("refused.lacks", field=named)
    return f"{named}{t('colon')} {problem_message(problem)}"


# --- changes -------------------------------------------------------------------------------------------------

# What a deal is after an undo of each kind of revision, as another kind leaves it; UNDO: as it was before an edit.
_UNDOING = {
    revisions.RECORD: revisions.WITHDRAW,
    revisions.INSERT: revisions.WITHDRAW,
    revisions.RESTORE: revisions.WITHDRAW,
    revisions.WITHDRAW: revisions.RESTORE,
    revisions.AMEND: revisions.UNDO,
}


def phone_name(membership: Membership) -> str:
    if membership.owner:
        return isolate_rtl(membership.owner)
    return membership.name or t("phone.number", number=membership.number)


def who_did_what(page: TablePage, revision: RevisionRow) -> str:
    """Say "Anna recorded deal 8"."""
    membership = page.memberships[revision.membership_id]
    is_named = membership.owner or membership.name
    who = phone_name(membership) if is_named else t("revision.phone", number=membership.number)
    return _tell(page.table, revision, "revision", "revision", "row.one", who=who)


def what_was_done(page: TablePage, revision: RevisionRow) -> str:
    """Say "Deal 3 is removed", on the phone that has done it."""
    done = _tell(page.table, revision, "done", "spoken", "row.this")
    return done[0].upper() + done[1:]


def _tell(table: TableState, revision: RevisionRow, area: str, announcing: str, row: str, **who: str) -> str:
    """Say what a revision has done.

    Keys of messages begin with `area`, or with `announcing` of an announcement; `row` is the key that names a deal.
    """
    if revision.kind == revisions.ANNOUNCE:
        key = "announce" if revision.body is not None else "announce-withdrawn"
        return game_text(table.game.slug, f"{announcing}.{key}", **who)
    if revision.deal_id is None:
        return t(f"{area}.{revision.kind}", **who)
    # The kind of revision that leaves the deal as this one does; UNDO if it is as it was before an edit.
    effect = _UNDOING[table.revisions[revision.undoes - 1].kind] if revision.undoes is not None else revision.kind
    return t(f"{area}.{effect}", what=_name_row(table, revision, row), **who)


def undo_label(table: TableState, revision: RevisionRow) -> str:
    return t(f"undo.{_UNDOING[revision.kind]}", what=_name_row(table, revision, "row.this"))


_WAYS_BACK = {  # by a change of the table
    revisions.CLOSE: ("table.reopen", "ways.reopen"),
    revisions.REOPEN: ("table.close", "ways.close"),
    revisions.UNDO: ("table.redo", "table.redo"),
}


def find_way_back(table: TableState, change: RevisionRow, is_on_pad: bool) -> tuple[str, str]:
    """Return the address and the label of the button that takes the table's last change back; "" if there is none."""
    if change.kind in _WAYS_BACK:
        endpoint, key = _WAYS_BACK[change.kind]
        return url_for(endpoint, token=table.token), t(key)
    # The bar of the table's page has that button.
    if not is_on_pad or change != revisions.find_last_undoable(table.revisions):
        return "", ""
    return url_for("table.undo", token=table.token), undo_label(table, change)


def find_shown_change(table: TableState) -> RevisionRow | None:
    """Return the last change if the page's address names it or its deal."""
    if not table.revisions:
        return None
    last = table.revisions[-1]
    is_named = parse_digits(request.args.get("changed")) == last.number
    is_recorded = last.body is not None and parse_digits(request.args.get("recorded")) == last.deal_id
    return last if is_named or is_recorded else None


def _name_row(table: TableState, revision: RevisionRow, key: str) -> str:
    """Return what the revision's deal was called after it; of a withdrawn deal, what it was called before."""
    bodies = []
    for deal in table.deals:
        until = [each.body for each in deal.revisions if each.number <= revision.number]
        if deal.id == revision.deal_id:
            bodies += [body for body in until if body is not None][-1:]
            break
        bodies += [body for body in until[-1:] if body is not None]
    *_, name = name_rows(bodies)
    return say_of_row(key, name)


def tell_corrections(table: TableState, corrections: Sequence[RevisionRow]) -> str:
    last = {row.deal_id: row for row in corrections if row.deal_id is not None}
    names = [_name_row(table, row, "row.this") for row in last.values()]
    key = "table.paid-corrected" if any(row.body for row in last.values()) else "table.paid-removed"
    return t(key, count=len(names), what=join_names(names)) if names else t("table.paid-reopened")


# --- a deal's entries, grouped for reading ---------------------------------------------------------------------


def group_payments(row: Row) -> list[list[Entry]]:
    """Return a deal's payments between players; equal ones for the same reason, from one or to one, are together."""
    between = [entry for entry in row.entries if entry.is_payment and POT not in (entry.giver, entry.taker)]
    groups: list[list[Entry]] = []
    for _, equal in groupby(between, key=lambda entry: (entry.reason, entry.unit, entry.amount)):
        entries = [*equal]
        givers, takers = {entry.giver for entry in entries}, {entry.taker for entry in entries}
        groups += [entries] if 1 in (len(givers), len(takers)) else [[entry] for entry in entries]
    return groups


def payment_text(game: AnyGame, giver: str | None, taker: str | None, unit: str, amount: int) -> str:
    key = "from-pot" if giver is POT else "to-pot" if taker is POT else "pays"
    return unit_text(game, f"entry.{key}", unit, count=amount, giver=giver, taker=taker)


def payments_text(game: AnyGame, payments: Sequence[Entry]) -> str:
    """Say one payment, or equal ones from one player or to one."""
    first = payments[0]
    givers = list(dict.fromkeys(each.giver for each in payments))
    takers = list(dict.fromkeys(each.taker for each in payments))
    if len(takers) > 1:
        return unit_text(game, "entry.pays-each", first.unit, count=first.amount, giver=first.giver, all=takers)
    if len(givers) > 1:
        return unit_text(game, "entry.each-pays", first.unit, count=first.amount, taker=first.taker, all=givers)
    return payment_text(game, first.giver, first.taker, first.unit, first.amount)


def facts_are_points(row: Row) -> bool:
    """Return whether a deal's facts are the points that it has scored, and nothing else."""
    fact: Any = row.fact
    values = [getattr(fact, field.name) for field in fields(fact)]
    is_one = len(values) == 1 and isinstance(values[0], Mapping)
    return is_one and dict.fromkeys(row.scored, 0) | dict(values[0]) == row.scored


def list_new_terms(table: TableState, deal_id: int | None, body: Facts) -> list[str]:
    """Return what a change of the rules changes: "Minimum bid: 5 → 6"; nothing if it is not valid where it stands.

    Of a removed one only the new rules: what it changed may have had another value when it was recorded.
    """
    before = table.standing_before(deal_id)
    problems: list[Problem] = []
    options, value = read_terms(table.game, before, body["terms"], problems)
    if problems:
        return []
    changed = []
    if value != before.value:
        changed.append((t("terms.value"), _say_value(table.game, before.value), _say_value(table.game, value)))
    for field in option_fields(table.game):
        values = field.value_in(before.options), field.value_in(options)
        if values[0] != values[1]:
            old, new = (say_house_rule(table.game, field, each) for each in values)
            changed.append((old.option, old.value, new.value))
    found = table.find_deal(deal_id)
    if found is not None and found.deal.is_withdrawn:
        return [f"{what}{t('colon')} {new}" for what, old, new in changed if old != new]
    return [t("terms.changed", what=what, before=old, after=new) for what, old, new in changed if old != new]


def _say_value(game: AnyGame, value: Value | None) -> str:
    if value is None:
        return t("terms.no-value")
    price = money(value.amount, value.currency)
    if len(game.units) == 1:
        return price
    return f"{unit_text(game, 'count', game.unit_of_value(value.unit), count=1)} = {price}"


def list_values(table: TableState, key: str) -> list[str]:
    """Say what counters are worth, with all values that a table has had: One fiche is worth €0.10 → €0.25."""
    prices: dict[str, list[str]] = {}
    for value in table.values:
        prices.setdefault(value.unit, []).append(money(value.amount, value.currency))
    return [value_text(table.game, key, unit, money=" → ".join(found)) for unit, found in prices.items()]


def won_text(game: AnyGame, winners: Sequence[str], say: Callable[..., str] = t) -> str:
    """Say who has won the partie, who share it, or that nobody has."""
    if not winners:
        return say(own_key(game.slug, "table.nobody"))
    if len(winners) > 1:
        return say(own_key(game.slug, "table.shared"), all=winners)
    return say(own_key(game.slug, "table.won"), party=winners[0], count=2 if game.in_sides else 1)


def closing_numbers(closing: Closing) -> dict[str, int]:
    return {name: figure for name, figure in closing.figures.items() if isinstance(figure, int)}


def closing_text(game: AnyGame, closing: Closing, say: Callable[..., str] = t) -> str:
    if len(closing.winners) != 1:
        return won_text(game, closing.winners, say)
    key = f"{game.slug}.closing.{closing.kind}"
    special = f"{key}.{closing.worth}"
    count = 2 if game.in_sides else 1
    return say(special if has_message(special) else key, party=closing.winner, count=count, **closing_numbers(closing))


# --- read aloud ----------------------------------------------------------------------------------------------

NEWS = timedelta(minutes=1)  # how long a page that loads again may say what its own phone has recorded
_SCORELESS = (revisions.ANNOUNCE, revisions.COUNT)  # kinds after which score and dealer are as they were
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[\u00a0\u202f](?=\d)")  # 1 000: voices read it as two numbers
_FOR_THE_EYE = str.maketrans({"\u00a0": " ", "\u202f": " ", "–": " "} | dict.fromkeys("\u2060\u2066\u2067\u2068\u2069"))


def spoken_news(page: TablePage) -> str:
    """Say what the table's last change did, the score and who deals next; "" if nothing has changed yet."""
    table = page.table
    if not table.revisions:
        return ""
    last = table.revisions[-1]
    row = table.find_row(last.deal_id)
    if last.kind == revisions.RECORD and row is not None:
        parts = [*_recorded(table, row)]
    else:
        say = what_was_done if last.membership_id == g.membership.id else who_did_what
        parts = [say(page, last), *(_ends(table, row) if row is not None else ())]
    if last.kind not in _SCORELESS:
        parts += _score_and_dealer(table)
    # Without what is only for the eye: spaces that do not break, marks of direction, dashes.
    plain = (_BETWEEN_DIGITS.sub("", part).translate(_FOR_THE_EYE) for part in parts)
    minus = _say("spoken.minus", number="")
    return " ".join(f"{part.replace('−', minus).strip(' .')}." for part in plain)


def is_news_here(table: TableState) -> bool:
    """Return whether this phone made the table's last change, or came to see it, within the time of `NEWS`."""
    if not table.revisions:
        return False
    last = table.revisions[-1]
    is_meant = not request.args.keys().isdisjoint(("recorded", "changed")) or last.membership_id == g.membership.id
    return is_meant and now() - last.at < NEWS


def _recorded(table: TableState, row: Row) -> Iterator[str]:
    """Say the points of a new deal and what it ends, or what else was recorded."""
    fact, game = row.fact, table.game
    if isinstance(fact, Misdeal):
        yield _say("misdeal")
    elif isinstance(fact, SeatChange):
        yield _say("spoken.substitution", giver=fact.substitution.out, taker=fact.substitution.in_)
    elif isinstance(fact, TermsChange):
        yield _say("spoken.terms")
    elif game.is_passed(fact):
        yield _say("deal.passed")
    else:
        said = []
        for party, points in row.scored.items():
            who, does = "side" if game.in_sides else "player", "takes" if points > 0 else "loses"
            said += [_say(f"spoken.{who}.{does}", party=party, count=abs(points))] if points else []
        if isinstance(fact, Agreement):
            yield _say("adjustment")
            for paid, *_ in group_payments(row) if not said else ():  # what a deal pays is on the screen
                params = {"count": paid.amount, "giver": paid.giver, "taker": paid.taker}
                said.append(i18n.unit_text(g.locale, game.slug, "entry.pays", paid.unit, _name, **params))
        yield from said or [_say("spoken.record", number=row.deal_count)]
        yield from _ends(table, row)


def _ends(table: TableState, row: Row) -> list[str]:
    return [closing_text(table.game, closing, _say) for closing in row.closings]


def _score_and_dealer(table: TableState) -> Iterator[str]:
    standing = table.standing
    if any(standing.scores.values()):
        scores = (f"{_name(party)} {number(points)}" for party, points in standing.scores.items())
        yield _say("spoken.score", scores=", ".join(scores))
    if not standing.is_finished and not table.is_closed:
        yield _say("spoken.next", party=standing.dealer)
    elif standing.is_finished and standing.rows and not standing.rows[-1].closings:
        yield won_text(table.game, standing.winners, _say)


def _say(key: str, **params: object) -> str:
    return i18n.translate(g.locale, key, _name, **params)


def _name(party: str) -> str:
    if party in SIDES:
        return i18n.translate(g.locale, f"spoken.{party}")
    return str(g.names.get(party, party))


# --- a game and a table in a few words ----------------------------------------------------------------------


def game_title(slug: str) -> str:
    """Return a game's name with its other name, if it has one, for those who look for it by that."""
    full_name = f"{slug}.full-name"
    return t(full_name if has_message(full_name) else f"{slug}.name")


def list_worths(game: AnyGame) -> list[str]:
    """Say what each larger unit of a game counts in the smallest."""
    return [
        t("unit.worth", larger=unit_text(game, "count", unit, count=1), smaller=smaller)
        for unit in game.units[1:]
        if (smaller := unit_text(game, "count", game.units[0], count=game.worth_of(unit)))
    ]


def day_and_year(day: date) -> str:
    return i18n.day_in_words(day, g.locale, has_year=True)
