"""Sentences that a phone reads aloud after a change: what happened, the score and the next dealer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

from flask import Blueprint, g, request

from ... import i18n
from ...db.clock import now
from ...scoring.common import Agreement, Misdeal, SeatChange
from ...scoring.standing import DEAL, POINTS, SIDES, Row
from ...tables import revisions
from ...tables.revisions import RevisionRow
from ...tables.state import TableState
from ..support.default_layout import won_text
from ..support.language import game_text, has_message
from .changes import who_did_what
from .preview import grouped_entries
from .titles import removed_title

blueprint = Blueprint("spoken", __name__)

NEWS = timedelta(minutes=1)  # how long a page that loads again may say what its own phone has recorded
_SCORELESS = (revisions.ANNOUNCE, revisions.COUNT)  # kinds after which score and dealer are as they were
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[\u00a0\u202f](?=\d)")  # 1 000: voices read it as two numbers
_FOR_THE_EYE = str.maketrans({"\u00a0": " ", "\u202f": " ", "–": " "} | dict.fromkeys("\u2060\u2066\u2067\u2068\u2069"))


@blueprint.app_template_global()
def spoken_news(table: TableState) -> str:
    """Return what the table's last change did, the score and who deals next; "" if nothing has changed yet."""
    if not table.revisions:
        return ""
    last = table.revisions[-1]
    parts = [*_what_happened(table, last)]
    if last.kind not in _SCORELESS:
        parts += _score(table)
        parts += _next_dealer(table)
    return " ".join(f"{_for_the_ear(part)}." for part in parts)


@blueprint.app_template_global()
def is_news_here(table: TableState) -> bool:
    """Return whether a page that is loaded, rather than updated, says the table's last change.

    It does if this phone has just made it, or if the page was loaded to show it.
    """
    if not table.revisions:
        return False
    last = table.revisions[-1]
    is_meant = not request.args.keys().isdisjoint(("recorded", "changed")) or last.browser_id == g.browser.id
    return is_meant and now() - last.at < NEWS


def _what_happened(table: TableState, last: RevisionRow) -> Iterator[str]:
    row = table.row_of(last.deal) if last.deal is not None else None
    if last.kind == revisions.RECORD and row is not None:
        yield from _recorded(table, row)
        return
    if last.kind == revisions.ANNOUNCE:
        slug, is_withdrawn = table.game.slug, last.body is None
        yield game_text(slug, "spoken.announce-withdrawn") if is_withdrawn else game_text(slug, "spoken.announce")
        return
    key = f"spoken.{last.kind}"
    deal = table.deal(last.deal) if last.deal is not None else None
    if row is None and deal is not None and table.find_kind(deal.last_body or {}) != DEAL:
        yield removed_title(table, deal)
    elif row is not None and row.kind != DEAL:
        yield who_did_what(table, last)
    elif row is not None and has_message(f"{key}.number"):
        yield _say(f"{key}.number", number=row.deals)
    else:
        yield _say(key)
    if row is not None:
        yield from _ends(table, row)


def _recorded(table: TableState, row: Row) -> Iterator[str]:
    """Say the points of a new deal and what it ends, or what else was recorded."""
    if isinstance(row.fact, Misdeal):
        yield _say("misdeal")
    elif isinstance(row.fact, SeatChange):
        yield _say("spoken.substitution", giver=row.fact.substitution.out, taker=row.fact.substitution.in_)
    elif table.game.is_passed(row.fact):
        yield _say("deal.passed")
    else:
        if isinstance(row.fact, Agreement):
            yield _say("adjustment")
        said = [_points(table, party, points) for party, points in row.scored.items() if points]
        yield from said or [*_payments(table, row)] or [_say("spoken.record", number=row.name.deals_begun)]
        yield from _ends(table, row)


def _points(table: TableState, party: str, points: int) -> str:
    who, does = "side" if table.game.in_sides else "player", "takes" if points > 0 else "loses"
    return _say(f"spoken.{who}.{does}", party=party, count=abs(points))


def _payments(table: TableState, row: Row) -> Iterator[str]:
    """Say what an adjustment in counters pays; what a deal pays is on the screen."""
    if isinstance(row.fact, Agreement):
        for group in grouped_entries(row).payments:
            paid = group.first
            params = {"count": paid.amount, "giver": paid.giver, "taker": paid.taker}
            yield i18n.unit_text(g.language, table.game.slug, "entry.pays", paid.unit, _name, **params)


def _ends(table: TableState, row: Row) -> Iterator[str]:
    """Say which manche, robre or partie a deal has ended, and who won."""
    for closing in row.closings:
        numbers = {name: figure for name, figure in closing.figures.items() if isinstance(figure, int)}
        key = f"{table.game.slug}.closing.{closing.kind}"
        special = f"{key}.{numbers.get('margin') or numbers.get(POINTS)}"
        count = 2 if table.game.in_sides else 1
        if len(closing.winners) != 1:
            yield won_text(table.game, closing.winners, _say)
        else:
            yield _say(special if has_message(special) else key, party=closing.winner, count=count, **numbers)


def _score(table: TableState) -> Iterator[str]:
    scores = table.standing.scores
    if any(scores.values()):
        listed = [_say("spoken.party-score", party=party, score=_number(points)) for party, points in scores.items()]
        yield _say("spoken.score", scores=", ".join(listed))


def _next_dealer(table: TableState) -> Iterator[str]:
    standing = table.standing
    if standing.is_finished:
        if standing.rows and not standing.rows[-1].closings:
            yield won_text(table.game, standing.winners, _say)
    elif not table.is_closed:
        yield _say("spoken.next", party=standing.dealer)


# --- words ---------------------------------------------------------------------------------------------------


def _say(key: str, **params: object) -> str:
    return i18n.translate(g.language, key, _name, **params)


def _name(party: str) -> str:
    """Return a side as one says it, or a player's name."""
    if party in SIDES:
        return i18n.translate(g.language, f"spoken.{party}")
    return str(g.names().get(party, party))


def _number(points: int) -> str:
    return _say("spoken.minus", number=str(-points)) if points < 0 else str(points)


def _for_the_ear(text: str) -> str:
    """Return a text without what is only for the eye: spaces that do not break, marks of direction, dashes."""
    plain = _BETWEEN_DIGITS.sub("", text).translate(_FOR_THE_EYE)
    return plain.replace("−", _say("spoken.minus", number="")).strip(" .")
