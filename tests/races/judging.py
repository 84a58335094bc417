"""Whether what two requests did together is what they would have done one after the other."""

from __future__ import annotations

from typing import NamedTuple

from scorekeeper.services.integrity import verify

from .interleaving import Answer, Outcome
from .world import World
from .writes import Request, Requests, Write

NOT_THERE = 404


class Sent(NamedTuple):
    """A write, and the request that asks for it."""

    write: Write
    request: Request


class Kept(NamedTuple):
    """Whether a write was acknowledged, and the trace that it left in the database."""

    acknowledged: bool
    trace: object


class Judge:
    """Looks at what is there after two requests, and tries what it would be with one after the other."""

    def __init__(self, requests: Requests) -> None:
        self.requests = requests
        self.world: World = requests.world
        self._alone: dict[tuple[str, str], Kept] = {}

    def faults(self, outcome: Outcome, first: Sent, second: Sent) -> list[str]:
        """What is wrong after the two; nothing where all is well."""
        found = [*outcome.faults, *self.wrong_in_database()]
        if outcome.first is None or outcome.second is None:
            return found
        found += [f"answered {status}" for status in outcome.statuses() if status == 400 or status >= 500]
        return found or self._out_of_order(outcome, first, second)

    def _out_of_order(self, outcome: Outcome, first: Sent, second: Sent) -> list[str]:
        assert outcome.first is not None
        assert outcome.second is not None
        effects = self.kept(first, outcome.first), self.kept(second, outcome.second)
        if effects == (self.alone(first), self.alone(second)):
            return []  # neither was in the other's way
        answers = outcome.first.status_code, outcome.second.status_code
        for other, what, answer in ((second, effects[1], answers[0]), (first, effects[0], answers[1])):
            if other.write.endpoint == "circles.erase" and what.acknowledged and answer == NOT_THERE:
                return []  # even where it could have gone on in a new circle, or would be led elsewhere
        orders = [self.one_after_the_other(first, second), self.one_after_the_other(second, first)[::-1]]
        return [] if effects in orders else [f"{outcome.statuses()}: {effects}; one after the other {orders}"]

    def wrong_in_database(self) -> list[str]:
        with self.world.session():
            return [f"verify: {fault}" for fault in verify().faults]

    def trace(self, sent: Sent) -> object:
        if sent.write.trace is None:
            return None
        with self.world.session() as session:
            return sent.write.trace(session, self.world, sent.request)

    def kept(self, sent: Sent, answer: Answer) -> Kept:
        return Kept(answer.status_code < 400, self.trace(sent))

    def alone(self, sent: Sent) -> Kept:
        """What is kept where nobody else writes; tried once. Resets the world."""
        key = (sent.write.title, sent.request.phone)
        if key not in self._alone:
            self.world.reset()
            self._alone[key] = self.kept(sent, sent.request.send(self.world))
        return self._alone[key]

    def state(self, sent: Sent) -> tuple[object, dict[str, int]]:
        """What shows whether the write was done, and how many rows there are of each kind."""
        return self.trace(sent), self.world.row_counts()

    def done_once(self, sent: Sent) -> tuple[object, dict[str, int]]:
        """The state after this request alone. Leaves the world like that."""
        self.world.reset()
        sent.request.send(self.world)
        return self.state(sent)

    def one_after_the_other(self, first: Sent, second: Sent) -> tuple[Kept, ...]:
        self.world.reset()
        answers = [sent.request.send(self.world) for sent in (first, second)]
        return tuple(self.kept(*both) for both in zip((first, second), answers, strict=True))
