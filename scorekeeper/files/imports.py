"""Importing score sheets: a preview of all of them, then recording them if none is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import func, select

from ..db.transactions import get_id, writing_to_circle
from ..games import games
from ..models import SCORE, Circle, Membership, Player, Seat, Table, db, new_token
from ..people.names import NamedPeople
from ..people.reading import list_all_players
from ..scoring.problems import Problem, Refusal, refuse
from ..scoring.sheet import Sheet
from ..scoring.values import JsonObject, make_name_key
from ..tables.chairs import relabel_after, rename_players, to_chairs
from ..tables.opening import add_table, build_table
from ..tables.reading import read_one_by_one
from ..tables.revisions import CLOSE, RECORD, Change, first_rows
from .sheets import ImportedSheet, UploadedFile, documents, find_fingerprint, read_sheet

MAX_DEALS_PER_IMPORT = 100_000  # of all sheets together


Answers = Mapping[str, int | None]  # by a name unknown to the circle: the player's id, or None for a new player
PersonKey = int | str  # the id of a person of the circle, or the key of a new one's name


class ImportedFile(NamedTuple):
    """A file: its sheet without the deals, or why it is refused. A duplicate repeats a table or an earlier file."""

    name: str
    result: ImportedSheet | Refusal
    is_duplicate: bool = False


@dataclass(frozen=True)
class Report:
    files: list[ImportedFile]
    unknown: list[str]

    @property
    def refused(self) -> list[ImportedFile]:
        return [file for file in self.files if isinstance(file.result, Refusal)]

    @property
    def new(self) -> list[ImportedFile]:
        return [file for file in self.files if not isinstance(file.result, Refusal) and not file.is_duplicate]

    @property
    def can_be_recorded(self) -> bool:
        return not self.refused and not self.unknown


def preview(circle: Circle, uploads: Sequence[UploadedFile], answers: Answers) -> Report:
    resolver = _NameResolver(circle, answers)
    results = list(_read_sheets(uploads))
    recorded = set(_list_recorded(resolver, [result for _, result in results if isinstance(result, ImportedSheet)]))
    files: list[ImportedFile] = []
    unknown: dict[PersonKey, str] = {}
    for name, result in results:
        if isinstance(result, Refusal):
            files.append(ImportedFile(name, result))
            continue
        people = tuple(map(resolver.resolve, result.names))
        for person, person_name in zip(people, result.names, strict=True):
            if resolver.is_unknown(person):
                unknown.setdefault(person, person_name)
        twice = next((each for place, each in enumerate(result.names) if people[place] in people[:place]), None)
        if twice is not None:
            files.append(ImportedFile(name, refuse([Problem("players", "same-person", {"found": twice})])))
            continue
        files.append(ImportedFile(name, result, (result.fingerprint, people) in recorded))
        recorded.add((result.fingerprint, people))
    return Report(files, [*unknown.values()])


def record(circle: Circle, membership: Membership, uploads: Sequence[UploadedFile], answers: Answers) -> Report:
    """Record all new sheets; none if the returned report has refused files or unknown names.

    Each is recorded in a transaction of its own, so that others can write meanwhile. Sent again after an interruption,
    the rest is recorded: sheets that the circle has are not recorded again.
    """
    circle_id = get_id(circle)
    membership_id = get_id(membership)
    key = new_token()
    last_table = select(func.max(Table.id)).where(Table.circle_id == circle_id)
    last = db.session.scalar(last_table) or 0
    report = preview(circle, uploads, answers)
    if report.can_be_recorded:
        for file, (_, text) in zip(report.files, documents(uploads), strict=True):
            incoming = read_sheet(text) if isinstance(text, bytes) and not file.is_duplicate else None
            if isinstance(incoming, ImportedSheet):
                with writing_to_circle(circle_id, membership=membership, right=SCORE) as locked:
                    resolver = _NameResolver(locked, answers)
                    people = tuple(map(resolver.resolve, incoming.names))
                    if (incoming.fingerprint, people) not in _list_recorded(resolver, [incoming], last):
                        last = _record_sheet(resolver, membership_id, incoming, key)
    return report


def suggest_people(circle: Circle, names: Iterable[str]) -> dict[str, int | None]:
    """Return for each name the id of the only person whom it means or may mean, or None."""
    people = NamedPeople(list_all_players(circle))
    matches = {name: people.find(name) for name in names}
    found = {name: [match] if isinstance(match, Player) else match for name, match in matches.items()}
    return {name: persons[0].id if len(persons) == 1 else None for name, persons in found.items()}


def _read_sheets(uploads: Iterable[UploadedFile]) -> Iterator[tuple[str, ImportedSheet | Refusal]]:
    """Yield each file's name and its sheet without the deals, which all together might not fit into memory."""
    rows = 0
    for name, text in documents(uploads):
        read = refuse([text]) if isinstance(text, Problem) else read_sheet(text)
        if isinstance(read, ImportedSheet):
            rows += len(read.sheet.deals)
            if rows > MAX_DEALS_PER_IMPORT:
                yield name, refuse([Problem("deals", "too-many-deals-in-all", {"most": MAX_DEALS_PER_IMPORT})])
                return
            read = read._replace(sheet=read.sheet._replace(deals=[]))
        yield name, read


class _NameResolver:
    def __init__(self, circle: Circle, answers: Answers) -> None:
        self.circle = circle
        self.answers = {make_name_key(name): answer for name, answer in answers.items()}
        players = list_all_players(circle)
        self.people = NamedPeople(players)
        self.person_ids = {player.id: player.person.id for player in players}
        self.persons = {player.id: player for player in players if player.person_id is None}

    def resolve(self, name: str) -> PersonKey:
        """Return the person a name stands for: an id, or the name's key if it is a new person's or unknown."""
        found = self.people.find(name)
        if isinstance(found, Player):
            return found.id
        key = make_name_key(name)
        answer = self.answers.get(key)
        return answer if answer in self.persons else key

    def is_unknown(self, person: PersonKey) -> bool:
        """Return whether this is the key of a name that nobody has said is a new person's."""
        return isinstance(person, str) and self.answers.get(person, 0) is not None

    def get_or_add_player(self, name: str) -> Player:
        key = self.resolve(name)
        if isinstance(key, int):
            return self.persons[key]
        player = Player(circle_id=self.circle.id, name=name)
        db.session.add(player)
        db.session.flush()
        self.people.add(player)
        self.persons[player.id] = player
        return player


def _list_recorded(
    resolver: _NameResolver, sheets: Sequence[ImportedSheet], since: int = 0
) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Yield fingerprint and people, as they first sat, of tables above the id `since` that may have these sheets."""
    wanted = {(each.game, each.sheet.played_on) for each in sheets}
    query = select(Table.id, Table.game, Table.played_on).where(Table.circle_id == resolver.circle.id, Table.id > since)
    ids = [id_ for id_, game, day in db.session.execute(query) if (game, day) in wanted and game in games()]
    for state in read_one_by_one(resolver.circle.id, ids):
        numbers = {label: str(number) for number, label in enumerate(state.standing.balances, start=1)}
        people = {seat.label: resolver.person_ids[seat.player_id] for seat in state.stored.seats}
        yield find_fingerprint(state.sheet(numbers)), tuple(people[label] for label in numbers)


def _record_sheet(resolver: _NameResolver, membership_id: int, incoming: ImportedSheet, key: str) -> int:
    sheet = incoming.sheet
    labels = incoming.labels
    table = build_table(resolver.circle, sheet, labels[sheet.dealer], sheet.played_on)
    table.title = sheet.title
    table.played_on = sheet.played_on
    table.seats = [
        Seat(
            circle_id=table.circle_id,
            label=label,
            player=resolver.get_or_add_player(name),
            is_substitute=person not in sheet.players,
        )
        for (person, label), name in zip(labels.items(), incoming.names, strict=True)
    ]
    changes = [*(Change(RECORD, body=body) for body in _list_bodies(sheet, labels)), Change(CLOSE)]
    add_table(table, first_rows(changes, membership_id, table.opened_at, key))
    return table.id


def _list_bodies(sheet: Sheet, labels: Mapping[str, str]) -> Iterator[JsonObject]:
    chairs = seated = tuple(labels[name] for name in sheet.players)
    for deal in sheet.deals:
        body = to_chairs(sheet.game, rename_players(sheet.game, deal, labels), chairs, seated)
        yield body
        seated = relabel_after(chairs, seated, body)
