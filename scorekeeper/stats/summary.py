"""A table's summary for pages about many tables, as plain JSON."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import combinations, islice
from typing import Any, NamedTuple, NotRequired, TypedDict

from ..scoring import schema
from ..scoring.common import rename
from ..scoring.game import AnyGame, Feat, Figure
from ..scoring.sheet import dump
from ..scoring.standing import SIDES, AnyStanding, Row
from ..scoring.values import JsonObject
from ..tables.state import TableState

_LABEL = re.compile(r"\((\d+)\)|(\d)")


def join_labels(labels: Iterable[str]) -> str:
    """Write labels together."""
    return "".join(label if len(label) == 1 else f"({label})" for label in labels)


def split_labels(text: str) -> list[str]:
    """Return the labels that `join_labels` has written."""
    return [longer or digit for longer, digit in _LABEL.findall(text)]


WonLost = list[int]  # two counts of deals


class PairsData(TypedDict):
    """Counts by pair of people, written together such as "13", the lower label first.

    - `partners`: deals won and lost together.
    - `opponents`: deals in which the first did better, and in which the second did.
    - `sat_out`: by label, deals in which somebody who sat at the table was on no side. An earlier version left it out.
    """

    partners: dict[str, WonLost]
    opponents: dict[str, WonLost]
    sat_out: NotRequired[dict[str, int]]


def count_pairs(
    game: AnyGame, standing: AnyStanding, rows: Iterable[Row], previous: PairsData | None
) -> PairsData | None:
    """Return the pairs of the rows, added to the previous ones; None for games whose partners do not change.

    In a deal a side does better than another if its players won more together.
    """
    if game.deal_sides is None:
        return None
    partners = {pair: counts.copy() for pair, counts in previous["partners"].items()} if previous else {}
    opponents = {pair: counts.copy() for pair, counts in previous["opponents"].items()} if previous else {}
    sat_out: Counter[str] = Counter(previous.get("sat_out", {})) if previous else Counter()
    for row in rows:
        if game.is_played(row.fact):
            sides = [tuple(side) for side in game.deal_sides(standing.seated_as(row), row)]
            _count_deal(sides, row, partners, opponents)
            sat_out.update(set(row.players).difference(*sides) if sides else ())
    return {"partners": partners, "opponents": opponents, "sat_out": dict(sat_out)}


def _count_deal(
    sides: list[tuple[str, ...]], row: Row, partners: dict[str, WonLost], opponents: dict[str, WonLost]
) -> None:
    points = [sum(row.scored[player] for player in side) for side in sides]
    for index, side in enumerate(sides):
        others = [other for place, other in enumerate(points) if place != index]
        won, lost = all(points[index] > other for other in others), any(points[index] < other for other in others)
        for first, second in combinations(sorted(side, key=int), 2):
            _add(partners, first, second, won and bool(others), lost)
    for (side, own), (other_side, other) in combinations(list(zip(sides, points, strict=True)), 2):
        for player in side:
            for opponent in other_side:
                if int(player) < int(opponent):
                    _add(opponents, player, opponent, own > other, own < other)
                else:
                    _add(opponents, opponent, player, other > own, other < own)


def _add(pairs: dict[str, WonLost], first: str, second: str, won: bool, lost: bool) -> None:
    counts = pairs.setdefault(join_labels((first, second)), [0, 0])
    counts[0] += won
    counts[1] += lost


_DIGITS = 12


def make_game_key(game: AnyGame, house_rules: Mapping[str, Any]) -> str:
    """Return the key of what is played under plain house rules; capitals of a name make no difference.

    The name is hashed: keys are stored with totals and stand in addresses, where a name that is erased must not stay.
    """
    name = game.find_name(house_rules).casefold()
    return f"{game.slug}.{sha256(name.encode()).hexdigest()[:_DIGITS]}" if name else game.slug


def slug_of(key: str) -> str:
    """Return the slug of the game that a key is of."""
    return key.partition(".")[0]


BestFeat = tuple[int, str, int]  # amount, people, number of the row; a list when read from the database
Ended = dict[str, list[str]]  # by kind, the winners of each, written together


class SeatingData(TypedDict):
    """A stretch of a table during which the same people sat on the same chairs.

    - `seated`: their labels in the order of the chairs, written together.
    - `deals`: number of deals played; `ended`: as in `SummaryData`.
    """

    seated: str
    deals: int
    ended: Ended


class SummaryData(TypedDict):
    """A table's summary as plain JSON. People are labels; several are written together: "13", or "1(12)".

    - `seats`: id of the player of each label, also of those who have not sat since a substitution was withdrawn.
    - `status`: "finished" or "open".
    - `deals`: number of deals played, without misdeals, adjustments and deals that everybody passed.
    - `ended`: by kind ("manche", "robre", "partie"), the people of each winner in order.
    - `grains`: each balance in subunits of `account`; `balances`: the same in counters, by unit. Of all who have sat,
      in the order in which they first did.
    - `figures`: the game's counters of events, by label and name; a part follows the name after a point.
    - `feats`: the largest amount of each feat, with the people and the number of the deal.
    - `pairs`: partners and opponents of the deals, only in games whose partners change.
    - `seatings`: who played and won what together, only at tables with substitutes.
    """

    seats: dict[str, int]
    status: str
    scores: dict[str, int]
    winner: str | None
    deals: int
    ended: dict[str, list[str]]
    account: str
    grains: dict[str, int]
    balances: dict[str, dict[str, int]]
    figures: dict[str, dict[str, int]]
    feats: dict[str, BestFeat]
    pairs: NotRequired[PairsData]
    seatings: NotRequired[list[SeatingData]]


def is_in_sides(summary: SummaryData) -> bool:
    """Return whether the table is played in sides, which in some games the house rules say: its scores are of sides."""
    return summary["scores"].keys() == set(SIDES)


def was_played(summary: SummaryData) -> bool:
    """Return whether a table counts for statistics: a deal was played there, or counters changed hands."""
    return summary["deals"] > 0 or any(any(counters.values()) for counters in summary["balances"].values())


def open_subunits(summary: Any) -> dict[str, int]:
    """Return by label what no settlement has taken over, in subunits; it sums to 0.

    `summary` is a Summary, or any row with its columns `data` and `taken_over`. A settlement may
    include players who no longer count as having sat, since a substitution was withdrawn.
    """
    balances, taken_over = summary.data["grains"], summary.taken_over
    return {seat: balances.get(seat, 0) - taken_over.get(seat, 0) for seat in dict.fromkeys((*balances, *taken_over))}


def name_winners(standing: AnyStanding, parties: Iterable[str]) -> str:
    """Return the labels of parties, written together; a side's are those of the players of this standing."""
    return join_labels(label for party in parties for label in list_partners(standing, party))


def list_partners(standing: AnyStanding, party: str) -> Sequence[str]:
    """Return the players of a side, or the player alone."""
    return [party] if party in standing.players else standing.partners(party)


def count_seatings(
    game: AnyGame, standing: AnyStanding, rows: Iterable[Row], previous: tuple[list[SeatingData] | None, int, Ended]
) -> list[SeatingData] | None:
    """Return the seatings in order, from the first players on; None for a table without substitutes.

    `rows` are those after the `previous` ones, of which these are the seatings, the deals and the ends.
    """
    if len(standing.balances) == len(standing.players):
        return None
    earlier, deals, ended = previous
    if earlier is None:
        first = join_labels([*standing.balances][: len(standing.players)])
        earlier = [{"seated": first, "deals": deals, "ended": ended}]
    seatings: list[SeatingData] = [
        {"seated": each["seated"], "deals": each["deals"], "ended": _copied(each["ended"])} for each in earlier
    ]
    for row in rows:
        past = standing.seated_as(row)
        seated = join_labels(past.players)
        if seatings[-1]["seated"] != seated:
            seatings.append({"seated": seated, "deals": 0, "ended": {}})
        seatings[-1]["deals"] += game.is_played(row.fact)
        add_closings(seatings[-1]["ended"], past, row)
    return seatings


def _copied(ended: Ended) -> Ended:
    return {kind: winners.copy() for kind, winners in ended.items()}


def add_closings(ended: Ended, standing: AnyStanding, row: Row) -> None:
    """Add the winners of what ended with a row; `standing` is the one with those who sat there."""
    for closing in row.closings:
        ended.setdefault(closing.kind, []).append(name_winners(standing, closing.winners))


def list_seatings(summary: SummaryData) -> list[SeatingData]:
    """Return the seatings of a table; without substitutes there is one."""
    whole: SeatingData = {
        "seated": join_labels(summary["balances"]),
        "deals": summary["deals"],
        "ended": summary["ended"],
    }
    return summary.get("seatings", [whole])


def won_by_sides(summary: SummaryData, kind: str) -> list[int]:
    """Return how many of a kind each of the two sides has won, no matter who sat there."""
    won = [0, 0]
    for seating in list_seatings(summary):
        seated = split_labels(seating["seated"])
        for winners in seating["ended"].get(kind, ()):
            for winner in split_labels(winners)[:1]:  # one of a side; none if nobody has won
                won[seated.index(winner) % 2] += 1
    return won


class PreviousSummary(NamedTuple):
    """The summary and fingerprint of a table when it had only its first `rows` rows."""

    data: SummaryData
    fingerprint: str
    rows: int


def summarise(table: TableState, previous: PreviousSummary | None = None) -> SummaryData:
    """Return a table's summary, extended from a previous one if there is one."""
    standing = table.standing
    game, result = table.game, table.result
    data = previous.data if previous is not None else None
    rows = standing.rows[previous.rows if previous is not None else 0 :]
    summary: SummaryData = {
        "seats": data["seats"] if data and standing.balances.keys() <= data["seats"].keys() else _seats(table),
        "status": "finished" if standing.is_finished else "open",
        "scores": standing.scores,
        "winner": name_winners(standing, standing.winners) if standing.winners else None,
        "deals": (data["deals"] if data else 0) + sum(game.is_played(row.fact) for row in rows),
        "ended": _ended(standing, rows, data["ended"] if data else {}),
        "account": result.account,
        "grains": result.subunits,
        "balances": standing.balances,
        "figures": _figures(standing, rows, game.figures, data["figures"] if data else {}),
        "feats": _feats(standing, rows, game.feats, data["feats"] if data else {}),
    }
    pairs = count_pairs(game, standing, rows, data.get("pairs") if data else None)
    if pairs is not None:
        summary["pairs"] = pairs
    earlier = (data.get("seatings"), data["deals"], data["ended"]) if data else (None, 0, {})
    seatings = count_seatings(game, standing, rows, earlier)
    if seatings is not None:
        summary["seatings"] = seatings
    return summary


def _seats(table: TableState) -> dict[str, int]:
    return {seat.seat: seat.player_id for seat in table.stored.seats}


def _ended(standing: AnyStanding, rows: list[Row], previous: dict[str, list[str]]) -> dict[str, list[str]]:
    ended = {kind: winners.copy() for kind, winners in previous.items()}
    for row in rows:
        add_closings(ended, standing.seated_as(row), row)
    return ended


def _figures(
    standing: AnyStanding,
    rows: list[Row],
    figures_of: Callable[[AnyStanding, Row], Iterable[Figure]],
    previous: dict[str, dict[str, int]],
) -> dict[str, dict[str, int]]:
    counters = {player: Counter(previous.get(player, {})) for player in standing.balances}
    for row in rows:
        for player, name, part, count in figures_of(standing.seated_as(row), row):
            counters[player][f"{name}.{part}" if part else name] += count
    return {player: dict(counter) for player, counter in counters.items()}


def _feats(
    standing: AnyStanding,
    rows: list[Row],
    feats_of: Callable[[AnyStanding, Row], Iterable[Feat]],
    previous: dict[str, BestFeat],
) -> dict[str, BestFeat]:
    best = previous.copy()
    for row in rows:
        for name, amount, players in feats_of(standing.seated_as(row), row):
            if name not in best or amount > best[name][0]:
                best[name] = amount, join_labels(players), row.number
    return best


def fingerprint(table: TableState, previous: PreviousSummary | None = None) -> str:
    """Return a hash of the table's sheet, independent of its players. Equal sheets have equal fingerprints.

    The sheet without its deals is hashed first, then each deal together with the hash so far. So a fingerprint can
    be extended from a previous one. People are numbered in the order in which they first sat, whatever their labels.
    """
    if previous is None:
        seats = {chair: chair for chair in table.chairs}
        digest, hashed_rows = _hash("", dump(table.sheet_without_deals(seats))), 0
    else:
        digest, hashed_rows = previous.fingerprint, previous.rows
    numbers = {label: str(number) for number, label in enumerate(table.standing.balances, start=1)}
    is_numbered = all(label == number for label, number in numbers.items())
    scored_deals = (scored for scored in table.newest_first() if scored.row)
    for scored in reversed(list(islice(scored_deals, len(table.standing.rows) - hashed_rows))):
        if scored.row is not None and scored.deal.body is not None:
            dealer = {"dealer": numbers[scored.row.dealer]} if "dealer" in scored.deal.body else {}
            fact = scored.row.fact if is_numbered else rename(scored.row.fact, numbers)
            digest = _hash(digest, dealer | schema.dump(fact))
    return digest


def _hash(previous: str, document: JsonObject) -> str:
    return hashlib.sha256((previous + json.dumps(document, sort_keys=True)).encode()).hexdigest()
