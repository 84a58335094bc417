"""Check that two concurrent requests had the same effects as one after the other."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple
from unittest import mock

from scorekeeper.db import engine_checks
from scorekeeper.services import references
from scorekeeper.services.verify import verify

from .interleaving import Answer, Outcome, find_written_tables
from .sending import Request, Requests, Write
from .world import World

NOT_FOUND = 404
# Built once for a circle: building them anew each time would take a third of the time of `verify`.
STATEMENTS: dict[str, Any] = {
    "_tables_with_a_person_in_two_seats": cache(references._tables_with_a_person_in_two_seats),
    "_wrong_withdrawals": cache(references._wrong_withdrawals),
    "_wrong_confirmations": cache(references._wrong_confirmations),
    "_wrong_flags": cache(references._wrong_flags),
    "_wrong_deal_confirmations": cache(references._wrong_deal_confirmations),
}


class Sent(NamedTuple):
    """A kind of write, and the request that was sent for it."""

    write: Write
    request: Request


class Effect(NamedTuple):
    """Whether a write was acknowledged, and its trace in the database."""

    acknowledged: bool
    trace: object


class Judge:
    """Compares the effects of two concurrent requests with those of the same requests in sequence."""

    def __init__(self, requests: Requests) -> None:
        self.requests = requests
        self.world: World = requests.world
        self._effects: dict[tuple[str, str], Effect] = {}
        self._written: dict[str, set[str]] = {}
        self._states: dict[tuple[str, str], tuple[object, dict[str, int]]] = {}
        self._verified: dict[tuple[str, ...], list[str]] = {}

    def faults(self, outcome: Outcome, first: Sent, second: Sent) -> list[str]:
        """Return what is wrong after the two requests."""
        found = [*outcome.faults, *self.integrity_faults()]
        if outcome.first is None or outcome.second is None:
            return found
        found += [f"answered {status}" for status in outcome.statuses() if status == 400 or status >= 500]
        return found or self._serialisation_fault(outcome, first, second)

    def _serialisation_fault(self, outcome: Outcome, first: Sent, second: Sent) -> list[str]:
        assert outcome.first is not None
        assert outcome.second is not None
        effects = self.effect(first, outcome.first), self.effect(second, outcome.second)
        if effects == (self.effect_alone(first), self.effect_alone(second)):
            return []  # they did not affect each other
        answers = outcome.first.status_code, outcome.second.status_code
        for other, what, answer in ((second, effects[1], answers[0]), (first, effects[0], answers[1])):
            if other.write.endpoint == "circles.erase" and what.acknowledged and answer == NOT_FOUND:
                return []  # also for a write that could continue in a new circle, or would be redirected
        one_order = self.in_sequence(first, second)
        if effects == one_order:
            return []
        other_order = self.in_sequence(second, first)[::-1]
        if effects == other_order:
            return []
        return [f"{outcome.statuses()}: {effects}; one after the other {[one_order, other_order]}"]

    def integrity_faults(self) -> list[str]:
        """Return the faults that `verify` finds. Rows that it has already read are not read again."""
        content = self.world.content()
        if content not in self._verified:
            self._verified[content] = self._verify()
        return self._verified[content]

    def _verify(self) -> list[str]:
        # Thousands of times `verify` would spend half its time on the engine's own checks, which other tests try.
        without_engine = mock.patch.object(engine_checks, "find", return_value=())
        with self.world.session(), without_engine, mock.patch.multiple(references, **STATEMENTS):
            return [f"verify: {fault}" for fault in verify().faults]

    def trace(self, sent: Sent) -> object:
        if sent.write.trace is None:
            return None
        with self.world.session() as session:
            return sent.write.trace(session, self.world, sent.request)

    def effect(self, sent: Sent, answer: Answer) -> Effect:
        return Effect(answer.status_code < 400, self.trace(sent))

    def effect_alone(self, sent: Sent) -> Effect:
        """Return the effect of a request by itself; tried once. Resets the world."""
        key = (sent.write.title, sent.request.phone)
        if key not in self._effects:
            self.world.reset()
            self._effects[key] = self.effect(sent, sent.request.send(self.world))
        return self._effects[key]

    def written_tables(self, write: Write) -> set[str]:
        """Return the tables of the database to which a write writes; tried once. Resets the world."""
        if write.title not in self._written:
            self._written[write.title] = find_written_tables(self.world, self.requests.of(write, 1))
        return self._written[write.title]

    def state(self, sent: Sent) -> tuple[object, dict[str, int]]:
        """Return the write's trace, and the number of rows of each table."""
        return self.trace(sent), self.world.row_counts()

    def state_after(self, sent: Sent) -> tuple[object, dict[str, int]]:
        """Return the state after this request alone; tried once. Resets the world."""
        key = (sent.write.title, sent.request.phone)
        if key not in self._states:
            self.world.reset()
            sent.request.send(self.world)
            self._states[key] = self.state(sent)
        return self._states[key]

    def in_sequence(self, first: Sent, second: Sent) -> tuple[Effect, ...]:
        self.world.reset()
        answers = [sent.request.send(self.world) for sent in (first, second)]
        return tuple(self.effect(*both) for both in zip((first, second), answers, strict=True))
