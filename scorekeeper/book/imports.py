"""Sheets from elsewhere: looked at together, and recorded together or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple
from unicodedata import combining, normalize

from sqlalchemy import select, update

from ..exchange.incoming import Incoming, as_table, read_sheet
from ..exchange.unpacking import Uploaded, documents
from ..history import CLOSE
from ..scoring.remarks import Refusal, Remark, refuse
from ..store import Browser, Circle, Player, Revision, Seat, Summary, Table, db
from ..summary import fingerprint
from ..table import Open, evening_of
from . import summaries
from .commits import committed, now
from .opening import RULES_VERSION
from .people import everybody

MOST_DEALS = 100_000  # of all sheets together
AT_ONCE = 500  # fingerprints that are looked up in one statement

Answers = Mapping[str, int | None]  # whom a name that nobody here has stands for: a player's id, None for a new player
Who = int | str  # a person of the circle, by id; a new one, by name


class Head(NamedTuple):
    """What is told of a sheet that stands: all but its deals."""

    game: str
    names: tuple[str, ...]
    day: date | None
    title: str | None
    deals: int
    fingerprint: str


class Told(NamedTuple):
    """What is to become of a file; `is_here`: it is recorded in the circle, or stands further up in the same upload."""

    file: str
    head: Head | Refusal
    is_here: bool = False


@dataclass(frozen=True)
class Report:
    """What is to become of an upload. `unknown` are the names nobody here has that no answer was given for."""

    told: list[Told]
    unknown: list[str]

    @property
    def refused(self) -> list[Told]:
        return [told for told in self.told if isinstance(told.head, Refusal)]

    @property
    def new(self) -> list[Told]:
        return [told for told in self.told if not isinstance(told.head, Refusal) and not told.is_here]

    @property
    def can_be_recorded(self) -> bool:
        return not self.refused and not self.unknown


def look(circle: Circle, uploads: Sequence[Uploaded], answers: Answers | None = None) -> Report:
    """What would become of each sheet. Writes nothing."""
    return _report(_People(circle, answers or {}), list(_heads(uploads)))


def record(circle: Circle, browser: Browser, uploads: Sequence[Uploaded], answers: Answers) -> Report:
    """Record every sheet that is not here yet, in one transaction; nothing at all where the report says so."""
    heads = list(_heads(uploads))

    def add() -> Report:
        _alone(circle)
        people = _People(circle, answers)
        report = _report(people, heads)
        if report.can_be_recorded:
            _write(people, browser, uploads, report)
        return report

    return committed(add)


def suggestions(circle: Circle, names: Iterable[str]) -> dict[str, int | None]:
    """For each name the one person of the circle whose name is the same but for capitals and accents, if any."""
    alike: dict[str, set[int]] = {}
    for player in everybody(circle):
        alike.setdefault(_plain(player.name), set()).add(player.person.id)
    found = {name: alike.get(_plain(name), set()) for name in names}
    return {name: next(iter(ids)) if len(ids) == 1 else None for name, ids in found.items()}


def _plain(name: str) -> str:
    return "".join(sign for sign in normalize("NFKD", name).casefold() if not combining(sign))


# --- what is told --------------------------------------------------------------------------------------------


def _heads(uploads: Iterable[Uploaded]) -> Iterator[tuple[str, Head | Refusal]]:
    """Every sheet folded, and told in few words: all of them in full would not fit into memory."""
    deals = 0
    for name, text in documents(uploads):
        read = refuse(None, [text]) if isinstance(text, Remark) else read_sheet(text)
        head = read if isinstance(read, Refusal) else _head(read)
        if isinstance(head, Head):
            deals += head.deals
            if deals > MOST_DEALS:
                yield name, refuse(None, [Remark("deals", "too-many-deals-in-all", {"most": MOST_DEALS})])
                return
        yield name, head


def _head(incoming: Incoming) -> Head:
    sheet = incoming.sheet
    table = Open(*as_table(incoming, [Player(name=name) for name in incoming.names]))
    return Head(
        game=sheet.game.slug,
        names=incoming.names,
        day=sheet.played_on,
        title=sheet.title,
        deals=len(sheet.deals),
        fingerprint=fingerprint(table),
    )


class _People:
    """Whom the names on the sheets stand for: a player of that name, or what was answered."""

    def __init__(self, circle: Circle, answers: Answers) -> None:
        self.circle, self.answers = circle, answers
        players = everybody(circle)
        self.named = {player.name: player.person for player in players}
        self.persons = {player.id: player for player in players if player.person_id is None}

    def who(self, name: str) -> Who | None:
        person = self.named.get(name)
        if person is not None:
            return person.id
        answer = self.answers.get(name, 0)
        if answer is None:
            return name
        return answer if answer in self.persons else None

    def player(self, name: str) -> Player:
        """Who sits there; a new player is added."""
        who = self.who(name)
        if isinstance(who, int):
            return self.persons[who]
        player = Player(circle_id=self.circle.id, name=name)
        db.session.add(player)
        db.session.flush()
        self.named[name] = self.persons[player.id] = player
        return player


def _report(people: _People, heads: Sequence[tuple[str, Head | Refusal]]) -> Report:
    here = _recorded(people.circle, [head.fingerprint for _, head in heads if isinstance(head, Head)])
    told: list[Told] = []
    unknown: dict[str, None] = {}
    for file, head in heads:
        if isinstance(head, Refusal):
            told.append(Told(file, head))
            continue
        sitting = {name: people.who(name) for name in head.names}
        unknown |= {name: None for name, who in sitting.items() if who is None}
        twice = _with_two_seats(sitting)
        if twice is not None:
            told.append(Told(file, refuse(None, [Remark("players", "same-person", {"found": twice})])))
            continue
        key = (head.fingerprint, tuple((name,) if who is None else who for name, who in sitting.items()))
        told.append(Told(file, head, key in here))
        here.add(key)
    return Report(told, list(unknown))


def _with_two_seats(sitting: Mapping[str, Who | None]) -> str | None:
    """The name of one who sits at the table under another name as well."""
    seated: set[Who] = set()
    for name, who in sitting.items():
        if who in seated:
            return name
        seated |= {who} if who is not None else set()
    return None


def _recorded(circle: Circle, fingerprints: Sequence[str]) -> set[tuple[str, tuple[object, ...]]]:
    """The circle's tables of these fingerprints, each with who sits at it in order of turn."""
    seated: dict[int, tuple[str, list[object]]] = {}
    for at in range(0, len(fingerprints), AT_ONCE):
        query = (
            select(Summary.table_id, Summary.fingerprint, Player.id, Player.person_id)
            .join(Table, Table.id == Summary.table_id)
            .join(Seat, Seat.table_id == Table.id)
            .join(Player, Player.id == Seat.player_id)
            .where(Table.circle_id == circle.id, Summary.fingerprint.in_(fingerprints[at : at + AT_ONCE]))
            .order_by(Summary.table_id, Seat.seat)
        )
        for table, mark, player, person in db.session.execute(query):
            seated.setdefault(table, (mark, []))[1].append(person or player)
    return {(mark, tuple(who)) for mark, who in seated.values()}


# --- what is written -----------------------------------------------------------------------------------------


def _alone(circle: Circle) -> None:
    """Let nobody else add to the circle until this transaction ends: the same sheets might be on their way twice."""
    db.session.execute(select(Circle.id).where(Circle.id == circle.id).with_for_update())
    # SQLite knows no such lock, but the first write of a transaction locks all.
    same = update(Circle).where(Circle.id == circle.id).values(made_at=Circle.made_at)
    db.session.execute(same.execution_options(synchronize_session=False))


def _write(people: _People, browser: Browser, uploads: Iterable[Uploaded], report: Report) -> None:
    key = secrets.token_urlsafe(12)
    for told, (_, text) in zip(report.told, documents(uploads), strict=True):
        incoming = read_sheet(text) if isinstance(text, bytes) and not told.is_here else None
        if isinstance(incoming, Incoming):
            _record_sheet(people, browser, incoming, key)


def _record_sheet(people: _People, browser: Browser, incoming: Incoming, key: str) -> None:
    """What was played elsewhere is closed here; who goes on with it reopens it."""
    moment = now()
    table, revisions = as_table(incoming, [people.player(name) for name in incoming.names])
    table.token = secrets.token_urlsafe(16)
    table.circle_id = people.circle.id
    table.rules_version = RULES_VERSION
    table.day = table.played_on or evening_of(moment)
    table.opened_at = table.closed_at = moment
    revisions.append(Revision(number=len(revisions) + 1, kind=CLOSE))
    for revision in revisions:
        revision.browser_id = browser.id
        revision.at = moment
        revision.entry_key = f"import-{key}-{revision.number}"
    table.revisions = revisions
    db.session.add(table)
    db.session.flush()
    summaries.keep(Open(table, revisions))
