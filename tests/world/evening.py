"""One whole evening, as a seed draws it: what phones send, what the network makes of it, what befalls the servers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from heapq import heappop, heappush
from itertools import count
from random import Random

from werkzeug.test import TestResponse

from ..races.interleaving import AFTER_COMMIT, BEFORE_WRITING, faults_in, run
from ..races.sending import Request
from ..visitor import filled_in
from . import laws
from .nature import Clock, Tokens, Worker, driven
from .phones import Draft, Phone, Write, draw_act, find_forms, record_deal
from .servers import GUESTS, HOST, MEMBERS, WATCHER, Hall, Server, Stored

LENGTH = 1200.0  # seconds; after that everybody has a signal, nothing is lost any more, and all that waits is sent
ACTS = {HOST: 6, WATCHER: 3} | dict.fromkeys(MEMBERS, 8) | dict.fromkeys(GUESTS, 2)  # how much each phone does
BUSY = 6  # moments at which several people do something
TIMEOUT = 8.0  # seconds without an answer, after which a phone sends again
LOST, UNHEARD, REPEATED, SLOW, OVERLAPPING = 0.06, 0.08, 0.08, 0.06, 0.5  # how likely


@dataclass(frozen=True)
class Delivery:
    """A write on its way to the server. `is_heard`: the answer will reach the phone."""

    write: Write
    request: Request
    is_heard: bool


@dataclass
class Evening:
    """An evening. `trace` is what has happened, `faults` what should not have."""

    seed: int
    hall: Hall
    trace: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = Random(self.seed)  # noqa: S311  # nothing secret
        self.clock, self.tokens = Clock(), Tokens(self.seed)
        self.first, self.second = self.hall.renew()
        self.servers = [self.first]
        self.phones = [Phone(name, self.first) for name in (HOST, *MEMBERS, WATCHER, *GUESTS)]
        self.writes: list[Write] = []
        self.removed: set[str] = set()  # whose phones a host has removed; they do not join again
        self._due: list[tuple[float, int, Callable[[], None] | Delivery]] = []
        self._numbers, self._writes_made = count(1), count(1)

    @property
    def is_over(self) -> bool:
        return self.clock.passed > LENGTH

    def say(self, text: object) -> None:
        self.trace.append(f"{self.clock}  {text}")

    def blame(self, text: str) -> None:
        self.faults.append(text)
        self.say(f"FAULT: {text}")

    def play(self) -> None:
        """Play the evening until everything that waits has been sent, and look at all that is left by it."""
        with driven(self.clock, self.tokens), self.first.workers[0].working():
            self._plan()
            while self._due and not self.faults:
                self.clock.passed, _, due = heappop(self._due)
                self.tokens.follow(next(self._numbers))
                if isinstance(due, Delivery):
                    self._deliver(due)
                else:
                    due()
            for server in self.servers if not self.faults else ():
                phones = [phone for phone in self.phones if phone.server is server]
                for fault in laws.broken(server, phones, self.writes):
                    self.blame(f"on the {server} server: {fault}")

    def _at(self, moment: float, due: Callable[[], None] | Delivery) -> None:
        heappush(self._due, (moment, next(self._numbers), due))

    def _in(self, seconds: float, due: Callable[[], None] | Delivery) -> None:
        self._at(self.clock.passed + seconds, due)

    # --- the plan

    def _plan(self) -> None:
        busy = [self.rng.uniform(0, LENGTH) for _ in range(BUSY)]
        for phone in self.phones:
            if phone.name in MEMBERS and self.rng.random() < 0.6:
                begin = self.rng.uniform(0, LENGTH * 0.8)
                end = begin + self.rng.uniform(60, 500)
                phone.offline.append((begin, min(end, LENGTH)))
                self._at(min(end, LENGTH), partial(self._send_queue, phone))
            for _ in range(ACTS[phone.name]):
                alone = self.rng.uniform(0, LENGTH)
                together = self.rng.choice(busy) + self.rng.uniform(0, 1)
                self._at(self.rng.choice((alone, together, together)), partial(self._act, phone))
        happenings = (
            (self._renew_link, 0.3),
            (self._remove_phone, 0.25),
            (self._renew_event, 0.2),
            (self._set_clock_back, 0.4),
            (self._restart, 0.5),
        )
        for happening, likely in happenings:
            if self.rng.random() < likely:
                self._at(self.rng.choice(busy) + self.rng.uniform(0, 1), happening)
        if self.rng.random() < 0.5:
            backed_up = self.rng.uniform(0, LENGTH * 0.7)
            self._at(backed_up, self._back_up)
            self._at(self.rng.uniform(backed_up, LENGTH), self._restore)
        if self.rng.random() < 0.4:
            self._at(self.rng.uniform(0, LENGTH * 0.8), self._move)

    def _act(self, phone: Phone) -> None:
        """Let somebody do something, or look."""
        is_online = phone.has_signal(self.clock.passed)
        act = draw_act(phone, self.rng)
        if not is_online:
            draft = record_deal(phone, self.rng, is_online=False)
        elif act is None or self.rng.random() < 0.1:
            self._look(phone)
            return
        else:
            draft = act(phone, self.rng)
        if draft is not None:
            self._begin(phone, draft)

    def _look(self, phone: Phone) -> None:
        each = self.rng.choice(laws.followed(phone))
        self.say(f"{phone} looks at {each.page}")
        phone.look(*each)

    # --- sending

    def _begin(self, phone: Phone, draft: Draft, ends: frozenset[str] = frozenset()) -> Write:
        """Send a write, or keep it on the phone while there is no signal."""
        request, what, content = draft
        write = Write(next(self._writes_made), phone, phone.server, request, what, content, ends=ends)
        self.writes.append(write)
        same = [other for other in phone.queue if other.request.path == request.path]
        if write.is_entry and (same or not phone.has_signal(self.clock.passed)):
            write.after = same[-1] if same else None
            phone.queue.append(write)
            self.say(f"{write} waits on the phone")
        else:
            self._send(write)
        return write

    def _send(self, write: Write) -> None:
        """Send a write through the network, which may lose it or the answer, repeat it or take its time."""
        delay = self.rng.expovariate(4) + (self.rng.uniform(10, 90) if self.rng.random() < SLOW else 0)
        fate = 1.0 if self.is_over else self.rng.random()
        is_lost, is_unheard = fate < LOST, LOST <= fate < LOST + UNHEARD
        self.say(f"{write} is sent{' and lost' if is_lost else ''}")
        if not is_lost:
            self._in(delay, Delivery(write, write.request, not is_unheard and delay <= TIMEOUT))
        if LOST + UNHEARD <= fate < LOST + UNHEARD + REPEATED:
            self._in(delay + self.rng.expovariate(0.05), Delivery(write, write.request, is_heard=False))
        if delay > TIMEOUT or is_lost or is_unheard:
            self._in(TIMEOUT + self.rng.uniform(0, 8), partial(self._time_out, write))

    def _time_out(self, write: Write) -> None:
        """Send a write again whose answer has not come."""
        write.phone.is_sending = False
        if write.is_heard:
            return
        if write.is_entry and write not in write.phone.queue:
            write.phone.queue.insert(0, write)
        if not write.phone.has_signal(self.clock.passed):
            return
        if write.is_entry:
            self._send_queue(write.phone)
        else:
            self._send(write)

    def _send_queue(self, phone: Phone) -> None:
        """Send the first entry that waits on a phone; the next follows its answer."""
        if phone.queue and not phone.is_sending and phone.has_signal(self.clock.passed):
            phone.is_sending = True
            self._send(phone.queue[0])

    # --- the server

    def _worker(self, server: Server) -> Worker:
        return self.rng.choice(server.workers)

    def _deliver(self, delivery: Delivery) -> None:
        """Let the server answer; perhaps together with the next request to it, which comes while this one is busy."""
        server, other = delivery.write.server, self._next_beside(delivery)
        both = [delivery] if other is None else [delivery, other]
        without_access = [each for each in both if each.write.of_circle and each.write.phone.name in server.shut_out]
        logged: list[str] = []
        with self._worker(server).working(), faults_in(server.world, logged):
            if other is None:
                answers: list[TestResponse | None] = [self._answer(delivery)]
            else:
                point = self.rng.choice((BEFORE_WRITING, AFTER_COMMIT, self.rng.randint(1, 12)))
                self.say(f"({delivery.write} meets #{other.write.number} at {point})")
                outcome = run(server.world, partial(self._answer, delivery), partial(self._answer, other), point)
                answers, logged = [outcome.first, outcome.second], logged + outcome.faults  # type: ignore[list-item]
        for fault in logged:
            self.blame(fault)
        for each, answer in zip(both, answers, strict=True):
            if answer is not None:
                self._take(each, answer, may_be_refused=other is not None or each in without_access)
                if is_done(answer) and each in without_access:
                    self.blame(f"{each.write} was done for a phone without access")

    def _next_beside(self, delivery: Delivery) -> Delivery | None:
        """Take the next request of another phone to the same server out of the queue, sometimes."""
        if self.rng.random() > OVERLAPPING:
            return None
        for due in sorted(self._due, key=lambda due: due[:2]):
            other = due[2]
            if isinstance(other, Delivery) and other.write.server is delivery.write.server:
                if other.write.phone is delivery.write.phone:
                    return None
                self._due.remove(due)
                self._due.sort(key=lambda due: due[:2])
                return other
        return None

    def _answer(self, delivery: Delivery) -> TestResponse:
        self.tokens.follow(f"{delivery.write.number} {next(self._numbers)}")
        return delivery.request.send(delivery.write.server.world)

    def _take(self, delivery: Delivery, answer: TestResponse, *, may_be_refused: bool) -> None:
        """Note what the server has answered, and let the phone hear it."""
        write, said = delivery.write, said_in(answer)
        heard = "" if delivery.is_heard else " (not heard)"
        self.say(f"{write} is answered {answer.status_code}{f' {said}' if said else ''}{heard}")
        if answer.status_code == 400 or answer.status_code >= 500:
            self.blame(f"{write} was answered {answer.status_code}")
        if is_done(answer):
            self._note_done(delivery, said)
        elif write.key and write.is_done and not may_be_refused and not self._is_forgotten(write):
            self.blame(f"{write} was done before, and is now answered {answer.status_code}")
        if delivery.is_heard and not write.is_heard:
            write.is_heard = True
            self._hear(write, answer, said)

    def _is_forgotten(self, write: Write) -> bool:
        stored = write.server.ledger.get(write.key)
        return stored is None or stored.may_be_lost

    def _note_done(self, delivery: Delivery, said: dict[str, str]) -> None:
        write = delivery.write
        is_first = not write.is_done or self._is_forgotten(write)
        write.is_done = True
        if write.key:
            write.server.ledger[write.key] = Stored(write)
        write.server.shut_out |= write.ends
        if write.request.path.startswith("/events/") and write.request.path.endswith("/undo"):
            for stored in write.server.ledger.values():  # with a round go its results that were withdrawn
                stored.may_be_lost |= stored.write.request.path.startswith("/events/")
        if "seen" in said:
            if is_first and said["after"] != delivery.request.data["seen"] and write.recorded_as is None:
                self.blame(f"{write} was recorded as {said['seen']} by somebody who had not seen all before it")
            if not is_first and said["seen"] != write.recorded_as:
                self.blame(f"{write} was recorded as {write.recorded_as}, and again as {said['seen']}")
            write.recorded_as = said["seen"]

    def _hear(self, write: Write, answer: TestResponse, said: dict[str, str]) -> None:
        """Let the phone do what its script does with the answer to an entry (static/js/offline-entries.js)."""
        phone = write.phone
        if not write.is_entry:
            return
        phone.is_sending = False
        if answer.status_code == 409 and self.rng.random() < 0.7:
            write.see(said["seen"])
            write.is_heard = False
            self.say(f"{write} is right beside what came in between")
            phone.queue[:] = [write, *(other for other in phone.queue if other is not write)]
        else:
            for other in phone.queue:
                if other.after is write and is_done(answer) and said["after"] == write.seen:
                    other.see(said["seen"])
            phone.queue[:] = [other for other in phone.queue if other is not write]
        if phone.queue:
            self._in(1, partial(self._send_queue, phone))

    # --- what befalls

    def _host_presses(self, page: str, action: str, what: str, ends: frozenset[str] = frozenset()) -> Write | None:
        host = self.phones[0]
        forms = find_forms(host.get(page), action)
        if not forms:
            return None
        for phone in self.phones:  # one of them records a deal at the same moment
            if phone.name in ends and phone.has_signal(self.clock.passed) and phone.server is host.server:
                draft = record_deal(phone, self.rng)
                if draft is not None:
                    self._begin(phone, draft)
                    break
        request = Request(host.name, str(forms[0]["action"]), filled_in(forms[0]))
        return self._begin(host, (request, what, None), ends)

    def _renew_link(self) -> None:
        server = self.phones[0].server
        joined = [phone.name for phone in self.phones if phone.name in MEMBERS and phone.server is server]
        if self._host_presses(
            f"{server.home}links", "/links/score/renew", "renews the link to score", frozenset(joined)
        ):
            for name in joined:
                self._in(self.rng.uniform(60, 300), partial(self._join_again, server, name))

    def _join_again(self, server: Server, name: str) -> None:
        """Let somebody whose link was renewed open the new one."""
        if name not in server.shut_out or name in self.removed or self.phones[0].server is not server:
            return
        visitor = server.visitor(name).join(server.visitor(HOST).link("score"))
        self.say(f"{name} joins again: {visitor.status}")
        server.keep(name, visitor)
        server.shut_out.discard(name)

    def _remove_phone(self) -> None:
        name = self.rng.choice(MEMBERS)
        number = 2 + MEMBERS.index(name)  # the order in which they have joined
        if self.phones[0].server is self.first:
            self.removed.add(name)
            self._host_presses(
                f"{self.first.home}links", f"/browsers/{number}/end", f"removes {name}", frozenset({name})
            )

    def _renew_event(self) -> None:
        server = self.phones[0].server
        self._host_presses(f"{server.event()}/links", "/links/renew", "renews the event's links", frozenset(GUESTS))

    def _set_clock_back(self) -> None:
        self.clock.set_by -= timedelta(seconds=self.rng.choice((5, 600, 7200, 90000)))
        self.say(f"the servers' clock is set to {self.clock.now(None):%d %H:%M:%S}")  # type: ignore[arg-type]

    def _restart(self) -> None:
        self.say("the first server is restarted")
        self.first.restart()

    def _back_up(self) -> None:
        self.say("the first server is backed up")
        self.first.back_up()

    def _restore(self) -> None:
        self.say("the backup is restored")
        self.first.restore()
        assert self.first.backup is not None
        kept = self.first.backup.ledger
        for key, stored in self.first.ledger.items():
            self.first.ledger[key] = Stored(stored.write, may_be_lost=key not in kept or kept[key].may_be_lost)
        self._follow_restore()

    def _follow_restore(self) -> None:
        """Let all pages look, as their streams end; those without a signal open anew.

        They count what has changed, and after a restore the same number may mean something else.
        """
        for phone in self.phones:
            shown = [each for each in laws.followed(phone) if phone.has(each.page)]
            if not phone.has_signal(self.clock.passed):
                phone.shown.clear()
            elif phone.server is self.first:
                for each in shown:
                    phone.look(*each)

    def _move(self) -> None:
        """Move the circle to the second server, and some of the phones; the others hear of it later."""
        self.say("the circle moves to the second server")
        self.second.circle = self.second.import_file(self.first.export(), HOST)
        # A table that was opened without access is in a circle of its own, which does not move.
        self.second.ledger = {key: each for key, each in self.first.ledger.items() if each.write.of_circle}
        self.servers.append(self.second)
        host = self.second.visitor(HOST)
        for phone in self.phones:
            if phone.name == HOST or (phone.name not in GUESTS and self.rng.random() < 0.5):
                if phone.name != HOST:
                    right = "watch" if phone.name == WATCHER else "score"
                    self.second.keep(phone.name, self.second.visitor(phone.name).join(host.link(right)))
                phone.server = self.second
                phone.pads.clear()
        self.say(f"there are now {', '.join(phone.name for phone in self.phones if phone.server is self.second)}")


def said_in(answer: TestResponse) -> dict[str, str]:
    """Return the marks in the answer to a script."""
    if not answer.is_json:
        return {}
    return {name: value for name, value in json.loads(answer.get_data()).items() if name in ("seen", "after")}


def is_done(answer: TestResponse) -> bool:
    """Return whether the server says that it has done what was asked."""
    return answer.status_code == 303 or (answer.is_json and answer.status_code == 200)
