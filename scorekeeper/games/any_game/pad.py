"""The pad of any game: a number for each party, its place, or the winner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...api import CARDS, PLACE, Amount, Choice, ChoiceGroup, Facts, JsonObject, amount_group, find_number, party_choice
from .options import POINTS_OF_A_DEAL, Options, number_places
from .rules import CountedStanding

Path = tuple[str, ...]  # of a party's number in the facts


def pad(standing: CountedStanding, facts: Facts) -> Iterator[ChoiceGroup]:
    entry = standing.options.entry
    if entry == "winner":
        winners = tuple(party_choice(party, {"winner": party}) for party in standing.parties)
        yield ChoiceGroup("winner", ("winner",), winners, kind=CARDS)
    elif entry == "places":
        numbers = range(1, len(standing.parties) + 1)
        for party in standing.parties:
            choices = tuple(Choice(str(n), {"places": {party: n}}, n, party) for n in numbers)
            yield ChoiceGroup(f"place-{party}", ("places",), choices, kind=PLACE, find_key=partial(_find_place, party))
    else:
        yield from _amounts(standing, facts)


def _find_place(party: str, facts: Facts) -> str | None:
    places = facts.get("places") or {}
    place = (places if isinstance(places, Mapping) else number_places(places)).get(party)
    return str(place) if place is not None else None


def _amounts(standing: CountedStanding, facts: Facts) -> Iterator[ChoiceGroup]:
    """Yield a field for each number. In categories a party needs one number only: an empty field counts as 0."""
    low, high = POINTS_OF_A_DEAL
    options = standing.options
    points = "taken" if options.counts_down else "points"
    paths = _paths(options, standing.parties)
    entered = {path[-1] for path in paths if find_number(facts, path) is not None}
    for path in paths:
        party = path[-1]
        stem = f"category{options.categories.index(path[1]) + 1}" if options.categories else points
        title = path[1] if options.categories else ""
        is_filled = standing.is_filled(path[1], party)
        is_needed = not options.categories or options.total is not None or party not in entered
        amount = Amount(path, low, high, party, is_taken_off=options.counts_down, is_once=options.category_once)
        yield amount_group(f"{stem}-{party}", amount, required=is_needed and not is_filled, title=title)


def _paths(options: Options, parties: Sequence[str]) -> list[Path]:
    if not options.categories:
        return [("points", party) for party in parties]
    return [("points", category, party) for category in options.categories for party in parties]


def complete(standing: CountedStanding, facts: JsonObject) -> JsonObject:
    """Add what is missing to the total, or the last place, and put the parties in the order of their places."""
    if isinstance(facts.get("places"), Mapping):
        return facts | {"places": _complete_places(standing.parties, facts["places"])}
    options = standing.options
    if options.total is not None and isinstance(facts.get("points"), Mapping):
        paths = [path for path in _paths(options, standing.parties) if not standing.is_filled(path[1], path[-1])]
        return _complete_points(paths, facts, options.totals)
    return facts


def _complete_places(parties: Sequence[str], places: Mapping[str, int]) -> Mapping[str, int] | list[list[str]]:
    """Return the parties grouped by place, first place first; the places unchanged while several are missing."""
    missing = [party for party in parties if party not in places]
    free = set(range(1, len(parties) + 1)) - set(places.values())
    if len(missing) == len(free) == 1:
        places = {**places, missing[0]: free.pop()}
    elif missing:
        return places
    return [[party for party in parties if places[party] == place] for place in sorted(set(places.values()))]


def _complete_points(paths: Sequence[Path], facts: JsonObject, totals: Sequence[int]) -> JsonObject:
    """Add the missing number if there is one, or 0 for each of them once the numbers make the total.

    Of two possible totals it is the first that is not exceeded yet.
    """
    numbers = {path: find_number(facts, path) for path in paths}
    missing = [path for path, number in numbers.items() if number is None]
    entered = sum(number for number in numbers.values() if number is not None)
    rest = next((total - entered for total in totals if total >= entered), totals[0] - entered)
    low, high = POINTS_OF_A_DEAL
    if rest and (len(missing) != 1 or not low <= rest <= high):
        return facts
    for path in missing:
        facts = _with_number(facts, path, rest)
    return facts


def _with_number(facts: Mapping[str, Any], path: Path, number: int) -> JsonObject:
    key, *keys = path
    return {**facts, key: _with_number(facts.get(key, {}), tuple(keys), number) if keys else number}
