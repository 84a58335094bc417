"""Laws that hold when substitutes take the seats of players, in sheets of every game entered at random."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from ..games import games
from ..scoring import schema
from ..scoring import sheet as portable
from ..scoring.game import AnyGame, fold
from ..scoring.problems import Refusal
from ..scoring.sheet import Sheet
from ..scoring.standing import AnyStanding, Row
from ..scoring.substitutions import SeatChange, rename
from ..scoring.units import Entry
from ..scoring.values import JsonObject
from ..tables.seating import rename_players
from . import strategies
from .parameters import pytest_generate_tests  # noqa: F401  # pytest looks for it in this module
from .playing import Chooser, opened, random_deal, random_rules, random_substitution
from .strategies import NAMES, SUBSTITUTES
from .test_laws import few, law, scored

# --- seats ---------------------------------------------------------------------------------------------------


@law
@given(data=st.data())
def test_the_seats_score_as_without_substitutions(slug: str, data: st.DataObject) -> None:
    assert data.draw(_differences(slug)) is None


@st.composite
def _differences(draw: st.DrawFn, slug: str) -> Difference | None:
    """Draw an evening, and return what its substitutions change."""
    game, chooser = games()[slug], strategies.Drawn(draw)
    return _compare(game, chooser, NAMES[: chooser.one_of(game.player_counts)], SUBSTITUTES)


class Difference(NamedTuple):
    """The effects of a deal with substitutes and without; people are named by their seats."""

    number: int
    found: str
    expected: str


def _compare(
    game: AnyGame, chooser: Chooser, players: Sequence[str], substitutes: Sequence[str], max_deals: int = 15
) -> Difference | None:
    """Play with and without substitutions, and return the first difference between the seats' scores."""
    rules = random_rules(game, chooser, len(players))
    opening = {"players": players, "dealer": chooser.one_of(players), "house_rules": rules}
    seated, plain = opened(game, opening), opened(game, opening)
    game = game.under(seated.options, len(players))
    for number in range(1, max_deals + 1):
        if plain.is_finished:
            break
        if chooser.between(0, 3) == 0:
            fold(game, seated, [{"substitution": random_substitution(seated, chooser, substitutes)}])
        deal = random_deal(game, plain, chooser)
        names = dict(zip(plain.players, seated.players, strict=True))
        difference = _compare_deal(game, seated, plain, rename_players(game, deal, names), deal)
        if difference is not None:
            return Difference(number, *difference)
    return None


def _compare_deal(
    game: AnyGame, seated: AnyStanding, plain: AnyStanding, deal: JsonObject, plain_deal: JsonObject
) -> tuple[str, str] | None:
    results = fold(game, seated, [deal]), fold(game, plain, [plain_deal])
    if any(results):
        found, expected = map(_refused, results)
    else:
        found, expected = (_scored(game, standing, standing.rows[-1]) for standing in (seated, plain))
    pairs = zip_longest(found, expected, fillvalue="does no more")
    return next(((one, other) for one, other in pairs if one != other), None)


def _refused(result: Refusal | None) -> list[str]:
    return [f"is refused at {result.first.field!r}" if result is not None else "is accepted"]


def _scored(game: AnyGame, standing: AnyStanding, row: Row) -> list[str]:
    """Return what a deal did, with "seat 1" and so on in place of names."""
    seats = {player: f"seat {number}" for number, player in enumerate(row.players, 1)}
    done = [f"has {_entry(entry, seats)}" for entry in row.entries]
    for closing in row.closings:
        done.append(f"ends a {closing.kind} for {', '.join(seats.get(party, party) for party in closing.winners)}")
    done.append(f"lets {seats.get(standing.dealer, standing.dealer)} deal next")
    if not game.scores_are_payments:
        done += [f"leaves {seats.get(party, party)} at {score}" for party, score in standing.scores.items()]
    return done


def _entry(entry: Entry, seats: dict[str, str]) -> str:
    giver, taker = (seats.get(party or "", party) or "the pot" for party in (entry.giver, entry.taker))
    return f"{entry.amount} {entry.unit} ({entry.reason}) from {giver} to {taker}"


@few
@given(data=st.data())
def test_the_balances_of_all_who_sat_on_a_seat_add_up_to_its_balance(slug: str, data: st.DataObject) -> None:
    plain = data.draw(strategies.sheets(slug))
    game = strategies.game_of(plain)
    seats = {name: [name] for name in plain["players"]}
    deals: list[dict[str, Any]] = []
    for number, deal in enumerate(plain["deals"]):
        if data.draw(st.integers(0, 3)) == 0:
            seat = data.draw(st.sampled_from(plain["players"]))
            newcomer = f"Newcomer {number}"
            deals.append({"substitution": {"out": seats[seat][-1], "in": newcomer}})
            seats[seat].append(newcomer)
        deals.append(rename_players(game, deal, {seat: people[-1] for seat, people in seats.items()}))
    balances = scored(plain | {"deals": deals})["balances"]
    expected = scored(plain)["balances"]
    for seat, people in seats.items():
        assert _sum(balances[person] for person in people) == _sum([expected[seat]])


def _sum(counters: Any) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counters:
        total.update(each)
    return {unit: amount for unit, amount in total.items() if amount}


# --- people --------------------------------------------------------------------------------------------------


@law
@given(data=st.data())
def test_each_unit_sums_to_0_over_all_who_have_sat(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, with_substitutes=True))
    game, standing = strategies.game_of(sheet), strategies.opened(sheet)
    for deal in sheet["deals"]:
        assert fold(game, standing, [deal]) is None
        assert all(sum(counters[unit] for counters in standing.balances.values()) == 0 for unit in game.units)


@law
@given(data=st.data())
def test_the_journal_moves_what_the_balances_show(slug: str, data: st.DataObject) -> None:
    statement = scored(data.draw(strategies.sheets(slug, with_substitutes=True)))
    moved: Counter[tuple[str | None, str]] = Counter()
    for entry in statement["journal"]:
        moved[entry["from"], entry["unit"]] -= entry["amount"]
        moved[entry["to"], entry["unit"]] += entry["amount"]
    for person, counters in statement["balances"].items():
        assert counters == {unit: moved[person, unit] for unit in counters}
    assert {person for person, _ in moved} <= {*statement["balances"], None}


@law
@given(data=st.data())
def test_balances_name_all_who_have_sat_and_scores_those_who_sit(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, with_substitutes=True))
    seated, people = list(sheet["players"]), list(sheet["players"])
    for deal in sheet["deals"]:
        if change := deal.get("substitution"):
            seated[seated.index(change["out"])] = change["in"]
            people += [change["in"]] if change["in"] not in people else []
    statement = scored(sheet)
    assert list(statement["balances"]) == people
    assert len(statement["deals"]) == len(sheet["deals"])
    assert statement["dealer"] in {*seated, None}
    if not strategies.game_of(sheet).in_sides:
        assert list(statement["scores"]) == seated
    for payment in statement["settlement"]:
        assert {payment["from"], payment["to"]} <= set(people)


@law
@given(data=st.data())
def test_a_substitution_that_is_taken_back_at_once_changes_nothing(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, with_substitutes=True))
    place = data.draw(st.integers(0, len(sheet["deals"])))
    before, after = sheet["deals"][:place], sheet["deals"][place:]
    standing = strategies.opened(sheet)
    assert fold(strategies.game_of(sheet), standing, before) is None
    if standing.is_finished:
        return
    person = data.draw(st.sampled_from(standing.players))
    absent = [name for name in (*standing.balances, "Nora") if name not in standing.players]
    newcomer = data.draw(st.sampled_from(absent))
    pair = [{"substitution": {"out": out, "in": in_}} for out, in_ in ((person, newcomer), (newcomer, person))]
    changed = scored(sheet | {"deals": [*before, *pair, *after]})
    expected = _moved_on(scored(sheet), place + 1)
    del changed["deals"][place : place + 2]
    if newcomer == "Nora":
        assert not any(changed["balances"].pop("Nora").values())
    assert changed == expected


def _moved_on(part: Any, first: int) -> Any:
    """Return a statement with the numbers of its deals from `first` on increased by 2."""
    if isinstance(part, list):
        return [_moved_on(item, first) for item in part]
    if not isinstance(part, dict):
        return part
    is_later = {key: key in ("deal", "number") and value >= first for key, value in part.items()}
    return {key: value + 2 if is_later[key] else _moved_on(value, first) for key, value in part.items()}


# --- facts ---------------------------------------------------------------------------------------------------


@few
@given(data=st.data())
def test_sheets_with_substitutions_are_unchanged_after_reading_and_writing(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, with_substitutes=True))
    read = portable.load(json.loads(json.dumps(sheet)), games())
    assert isinstance(read, Sheet)
    assert portable.dump(read)["deals"] == sheet["deals"]


@few
@given(data=st.data())
def test_a_refused_substitution_does_not_change_the_standing(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, max_deals=6, with_substitutes=True))
    game, standing, twin = strategies.game_of(sheet), strategies.opened(sheet), strategies.opened(sheet)
    assert fold(game, standing, sheet["deals"]) is None
    assert fold(game, twin, sheet["deals"]) is None
    first, second = standing.players[:2]
    refused: tuple[Mapping[str, Any], ...] = (
        {"out": first, "in": first},
        {"out": first, "in": second},
        {"out": "Nora", "in": "Omar"},
        {"out": first, "in": " "},
        {"out": first, "in": "Nora", "side": "ns"},
    )
    for change in refused:
        assert fold(game, standing, [{"substitution": change, "dealer": second}]) is not None
        assert standing == twin


@few
@given(data=st.data())
def test_looking_back_at_a_deal_gives_those_who_sat_in_it(slug: str, data: st.DataObject) -> None:
    sheet = data.draw(strategies.sheets(slug, max_deals=12, with_substitutes=True))
    game, standing = strategies.game_of(sheet), strategies.opened(sheet)
    found = []
    for deal in sheet["deals"]:
        assert fold(game, standing, [deal]) is None
        row = standing.rows[-1]
        found.append(([*game.figures(standing, row)], [*game.feats(standing, row)]))
    for row, (figures, feats) in zip(standing.rows, found, strict=True):
        past = standing.seated_as(row)
        assert past.players == row.players
        if not game.is_passed(row.fact):
            assert [*game.figures(past, row)] == figures
            assert [*game.feats(past, row)] == feats
            assert {figure.player for figure in figures} <= set(row.players)


@few
@given(names=st.permutations(("Anne", "Nora", "Omar")))
def test_renaming_the_people_of_a_substitution_is_reversible(slug: str, names: list[str]) -> None:
    raw = {"substitution": {"out": names[0], "in": names[1]}}
    fact = schema.load(SeatChange, raw, games()[slug].seats(tuple(names)), [])
    there, back = dict(zip(names, "123", strict=True)), dict(zip("123", names, strict=True))
    assert schema.dump(rename(fact, there)) == {"substitution": {"out": "1", "in": "2"}}
    assert schema.dump(rename(rename(fact, there), back)) == raw
