"""A schedule as text for a terminal: its rounds, and how evenly everybody meets everybody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..events.schedule import EventRound, Pair, Schedule
from ..i18n import translate


def lines(slug: str, schedule: Schedule, language: str) -> Iterator[str]:
    """Yield the lines of the text."""
    players = translate(language, "schedule.count-players", count=schedule.players)
    rounds = translate(language, "schedule.count-rounds", count=len(schedule.rounds))
    yield translate(language, "schedule.title", format=slug, players=players, rounds=rounds)
    tables = [translate(language, "schedule.table", number=number) for number in range(1, schedule.players // 4 + 1)]
    width = len(str(schedule.players))
    for number, of_round in enumerate(schedule.rounds, start=1):
        yield ""
        yield translate(language, "schedule.round", number=number)
        yield from _round_lines(of_round, tables, width, language)
    yield ""
    yield from _evenness_lines(schedule, language)


def _round_lines(of_round: EventRound, tables: list[str], width: int, language: str) -> Iterator[str]:
    longest = max(map(len, tables))
    for name, ((a, b), (c, d)) in zip(tables, of_round.tables, strict=False):  # a format may leave tables free
        yield f"  {name:<{longest}}  {a:>{width}} + {b:<{width}}  –  {c:>{width}} + {d}"
    if of_round.sits_out:
        players = ", ".join(map(str, of_round.sits_out))
        yield "  " + translate(language, "schedule.sits-out", count=len(of_round.sits_out), players=players)


def _evenness_lines(schedule: Schedule, language: str) -> Iterator[str]:
    meetings, twos = schedule.meetings(), schedule.players * (schedule.players - 1) // 2
    if len(meetings.partners) * 2 > schedule.players:
        yield translate(language, "schedule.partners", times=_times(meetings.partners, twos, language))
        yield translate(language, "schedule.opponents", times=_times(meetings.opponents, twos, language))
    else:
        others = twos - len(meetings.partners)
        yield translate(language, "schedule.same-partners")
        yield translate(language, "schedule.opponent-pairs", times=_times(meetings.opponents, others, language))
    sat_out = schedule.times_sat_out()
    if sat_out:
        yield translate(language, "schedule.sitting-out", times=_times(sat_out, schedule.players, language))


def _times(counted: Counter[Pair] | Counter[int], of: int, language: str) -> str:
    """Return how often something happened to each of so many; what is not counted happened to never."""
    low, high = min(counted.values()) if len(counted) == of else 0, max(counted.values(), default=0)
    if low == high:
        return translate(language, "schedule.times", count=low)
    return translate(language, "schedule.from-to-times", low=low, high=high)
