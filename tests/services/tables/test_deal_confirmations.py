"""Confirmations of deals: who may give one, what it is about, and what is listed before settling."""

from __future__ import annotations

from datetime import date
from threading import Barrier, Thread
from typing import Any

import pytest
from flask import Flask
from scorekeeper.services.tables.unconfirmed_deals import unconfirmed_deals

from scorekeeper.db.transactions import AccessRevokedError, CircleErasedError
from scorekeeper.models import Browser, DealConfirmation, Seat, Table, db
from scorekeeper.scoring.problems import Refusal
from scorekeeper.services.access.devices import find_browser
from scorekeeper.services.access.links import claim_browser, remove_browser
from scorekeeper.services.circles.lifecycle import erase_circle
from scorekeeper.services.live import count_changes
from scorekeeper.services.money.scopes import Scope
from scorekeeper.services.outcome import Done
from scorekeeper.services.people.erasure import erase
from scorekeeper.services.tables import deal_confirmations as service
from scorekeeper.services.tables.details import Details, change, read_details
from scorekeeper.services.tables.table import WriteRequest, read_table, write
from scorekeeper.services.verify import verify
from scorekeeper.tables import revisions
from scorekeeper.tables.revisions import Change

from ..club import DAY, NEXT_DAY, Club


class Phones:
    """A table that asks for confirmations, and the phones of its players; the scorer's is Anne's."""

    def __init__(self, club: Club, **fields: Any) -> None:
        self.club = club
        self.table = club.table(("Anne", "Bruno", 5), **fields)
        self.secrets: dict[str, str] = {}
        claim_browser(club.browser, club.player("Anne").id)
        self.set_switch(True)

    def set_switch(self, is_on: bool) -> None:
        current = read_details(self.table)
        wanted = Details(current.title, current.day, current.place, current.note, confirms_deals=is_on)
        assert change(self.table, wanted, current.mark, self.club.browser) == Done(None)

    def phone(self, name: str, right: str = "watch", owner: str | None = "") -> Browser:
        """Return a phone; its owner is who it is called after, or `owner`."""
        if name not in self.secrets:
            self.secrets[name] = self.club.join(right)
            if owner is not None:
                claim_browser(self.browser(name), self.club.player(owner or name).id)
        return self.browser(name)

    def browser(self, name: str) -> Browser:
        found = find_browser(self.secrets[name], self.club.circle.name)
        assert found is not None
        return found

    def confirm(self, name: str, revision: int = 1) -> str | None:
        """Confirm as the phone of that name; return the key of the problem if it is refused."""
        refusal = service.confirm(self.club.read(self.table), revision, self.phone(name))
        return refusal.problems[0].key if refusal is not None else None

    def names(self, revision: int = 1) -> list[str]:
        found = service.read(self.club.read(self.table), self.club.browser)
        assert found is not None
        return [each.name for each in found.given.get(revision, ())]

    def confirmable(self, name: str) -> set[int]:
        found = service.read(self.club.read(self.table), self.phone(name))
        assert found is not None
        return set(found.confirmable)

    def amend(self, body: dict[str, Any], deal: int = 1) -> None:
        self.club.write(self.club.read(self.table), Change(revisions.AMEND, deal, body=body))

    @property
    def body(self) -> dict[str, Any]:
        body = self.club.read(self.table).deals[0].last_body
        assert body is not None
        return body


@pytest.fixture
def phones(club: Club) -> Phones:
    return Phones(club)


def test_the_other_side_confirms_even_with_a_phone_that_only_watches(phones: Phones) -> None:
    assert phones.confirmable("Bruno") == {1}
    assert phones.confirm("Bruno") is None
    assert phones.names() == ["Bruno"]
    assert phones.confirmable("Bruno") == set()
    assert verify().faults == []


def test_neither_the_phone_that_recorded_a_deal_nor_its_side_confirms_it(phones: Phones) -> None:
    table, club = phones.club.read(phones.table), phones.club
    refusal = service.confirm(table, 1, club.browser)
    assert isinstance(refusal, Refusal)
    assert refusal.problems[0].key == "not-yours-to-confirm"
    assert phones.confirm("Chloé") == "not-yours-to-confirm"
    assert phones.confirmable("Chloé") == set()
    claim_browser(club.browser, club.player("Bruno").id)  # it has recorded the deal, whatever it says now
    assert isinstance(service.confirm(club.read(phones.table), 1, club.browser), Refusal)
    assert phones.names() == []


def test_where_players_play_for_themselves_any_other_one_confirms(phones: Phones) -> None:
    other = Phones(phones.club, game="francion")
    assert other.confirm("Chloé") is None
    assert other.names() == ["Chloé"]


def test_what_a_phone_of_nobody_recorded_may_be_confirmed_by_every_player(phones: Phones) -> None:
    claim_browser(phones.club.browser, None)
    assert phones.confirm("Anne") is None
    assert phones.names() == ["Anne"]


def test_a_phone_says_first_who_it_is(phones: Phones) -> None:
    phones.phone("nobody", owner=None)
    assert phones.confirm("nobody") == "seat-unknown"
    phones.club.table(names=("Zoé", "Bruno", "Chloé", "David"))
    phones.phone("guest", owner="Zoé")
    assert phones.confirm("guest") == "seat-unknown"
    assert phones.names() == []


def test_a_confirmation_sent_twice_is_one_and_can_be_taken_back(phones: Phones) -> None:
    for _ in range(2):
        assert phones.confirm("Bruno") is None
    assert phones.names() == ["Bruno"]
    table = phones.club.read(phones.table)
    assert service.take_back(table, 1, phones.phone("David", "score")) is None  # it is not David's
    assert phones.names() == ["Bruno"]
    for _ in range(2):
        assert service.take_back(table, 1, phones.phone("Bruno")) is None
    assert phones.names() == []
    assert phones.confirm("Bruno") is None
    assert phones.names() == ["Bruno"]


def test_an_amended_deal_is_unconfirmed_and_its_earlier_revision_cannot_be_confirmed(phones: Phones) -> None:
    assert phones.confirm("Bruno") is None
    phones.amend(phones.body)
    found = service.read(phones.club.read(phones.table), phones.phone("David"))
    assert found is not None
    assert list(found.waiting) == [2]
    assert list(found.given) == [1]  # what was confirmed stays on record
    assert phones.confirm("David") == "deal-changed"
    assert phones.confirm("David", 2) is None


def test_a_withdrawn_deal_waits_for_nobody_and_cannot_be_confirmed(phones: Phones) -> None:
    club = phones.club
    club.write(club.read(phones.table), Change(revisions.WITHDRAW, 1))
    assert phones.confirm("Bruno") == "deal-changed"
    assert phones.confirmable("Bruno") == set()
    assert unconfirmed_deals(club.circle, Scope(phones.table)) == []
    club.write(club.read(phones.table), Change(revisions.RESTORE, 1, body=club.read(phones.table).deals[0].last_body))
    assert phones.confirmable("Bruno") == {3}


@pytest.mark.parametrize("revision", [0, 2, 3, 99])
def test_a_revision_that_is_no_deal_cannot_be_confirmed(phones: Phones, revision: int) -> None:
    club = phones.club
    club.write(club.read(phones.table), Change(revisions.CLOSE))
    club.write(club.read(phones.table), Change(revisions.REOPEN))
    with pytest.raises(LookupError):
        phones.confirm("Bruno", revision)


def test_all_that_was_shown_is_confirmed_at_once(phones: Phones) -> None:
    club = phones.club
    club.record(phones.table, ("Bruno", "Anne", 1), ("Anne", "Bruno", 2))
    seen = club.read(phones.table)
    club.record(phones.table, ("Anne", "Bruno", 3))  # after the page was shown
    assert service.confirm_all(seen, seen.version, phones.phone("Bruno")) is None
    assert phones.confirmable("Bruno") == {4}
    assert [number for number in (1, 2, 3) if phones.names(number)] == [1, 2, 3]


def test_of_all_that_was_shown_nothing_is_confirmed_if_a_deal_of_it_changed(phones: Phones) -> None:
    club = phones.club
    club.record(phones.table, ("Bruno", "Anne", 1))
    seen = club.read(phones.table).version
    phones.amend(phones.body)
    refusal = service.confirm_all(club.read(phones.table), seen, phones.phone("Bruno"))
    assert isinstance(refusal, Refusal)
    assert refusal.problems[0].key == "deal-changed"
    assert phones.confirmable("Bruno") == {2, 3}


@pytest.mark.parametrize("seen", [-1, 0, 999])
def test_a_page_that_was_never_shown_confirms_no_more_than_there_is(phones: Phones, seen: int) -> None:
    assert service.confirm_all(phones.club.read(phones.table), seen, phones.phone("Bruno")) is None
    assert bool(phones.names()) == (seen > 0)


def test_a_table_that_does_not_ask_for_confirmations_records_none(phones: Phones) -> None:
    phones.set_switch(False)
    assert phones.confirm("Bruno") == "confirming-is-off"
    assert service.read(phones.club.read(phones.table), phones.phone("Bruno")) is None
    assert unconfirmed_deals(phones.club.circle, Scope()) == []
    phones.set_switch(True)
    assert phones.names() == []


def test_deals_of_a_closed_table_can_still_be_confirmed(phones: Phones) -> None:
    club = phones.club
    club.write(club.read(phones.table), Change(revisions.CLOSE))
    assert phones.confirm("Bruno") is None


def test_a_removed_phone_confirms_and_takes_back_nothing(phones: Phones) -> None:
    bruno = phones.phone("Bruno")
    table = phones.club.read(phones.table)
    assert phones.confirm("Bruno") is None
    remove_browser(bruno, phones.club.browser, phones.club.secret)
    for act in (service.confirm, service.take_back, service.confirm_all):
        with pytest.raises(AccessRevokedError):
            act(table, 1, bruno)
    assert phones.names() == ["Bruno"]


def test_nothing_is_confirmed_in_a_circle_that_was_erased(phones: Phones) -> None:
    table, bruno = phones.club.read(phones.table), phones.phone("Bruno")
    assert phones.confirm("Bruno") is None
    erase_circle(phones.club.id)
    assert db.session.scalar(db.select(db.func.count()).select_from(DealConfirmation)) == 0
    with pytest.raises(CircleErasedError):
        service.confirm(table, 1, bruno)


def test_a_confirmation_has_the_name_that_its_person_has_now(phones: Phones) -> None:
    assert phones.confirm("Bruno") is None
    assert erase(phones.club.player("Bruno"), by=phones.club.browser) is None
    assert phones.names() == ["N. N. 2"]


def test_every_change_counts_for_those_who_follow_the_table(phones: Phones) -> None:
    def flags() -> int:
        changes = count_changes(phones.club.secret, phones.table.token)
        assert changes is not None
        return changes.flags

    numbers = [flags()]
    for act in (
        lambda: phones.confirm("Bruno"),
        lambda: service.take_back(phones.club.read(phones.table), 1, phones.phone("Bruno")),
        lambda: phones.set_switch(False),
        lambda: phones.set_switch(True),
    ):
        assert act() is None
        numbers.append(flags())
    assert numbers == sorted(set(numbers))
    phones.confirm("Bruno")
    now = flags()
    phones.confirm("Bruno")
    assert flags() == now


def test_two_phones_that_confirm_at_once_both_do(app: Flask, phones: Phones) -> None:
    for name in ("Bruno", "David"):
        phones.phone(name)
    token, barrier, results = phones.table.token, Barrier(2), []

    def confirm(secret: str) -> None:
        with app.app_context():
            found = read_table(secret, token)
            assert found is not None
            barrier.wait()
            results.append(service.confirm(found[0], 1, found[1]))

    threads = [Thread(target=confirm, args=[phones.secrets[name]]) for name in ("Bruno", "David")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [None, None]
    db.session.rollback()
    assert sorted(phones.names()) == ["Bruno", "David"]


def test_a_deal_is_confirmed_by_those_who_played_it_and_not_by_a_substitute(phones: Phones) -> None:
    club = phones.club
    club.table(names=("Zoé", "Fanny", "Rémi", "Yann"))
    ids = {"circle_id": club.id, "table_id": phones.table.id}
    db.session.add(Seat(seat="5", player_id=club.player("Zoé").id, is_substitute=True, **ids))
    db.session.commit()
    club.write(club.read(phones.table), Change(revisions.RECORD, body={"substitution": {"out": "2", "in": "5"}}))
    club.record(phones.table, ("Anne", "David", 1))
    assert phones.confirmable("Zoé") == {2, 3}  # for Bruno from the substitution on
    assert phones.confirmable("Bruno") == {1}
    assert phones.confirmable("David") == {1, 2, 3}
    assert phones.confirm("Zoé") == "not-yours-to-confirm"
    assert phones.confirm("Bruno") is None


# --- before settling -----------------------------------------------------------------------------------------


def listed(club: Club, scope: Scope) -> list[tuple[date, list[int]]]:
    """Return the ids of unconfirmed deals by day."""
    found = unconfirmed_deals(club.circle, scope)
    return [(each.table.day, [revision.deal or 0 for _, revision in each.deals]) for each in found]


def test_the_deals_that_nobody_has_confirmed_are_listed_by_table(phones: Phones) -> None:
    club, table = phones.club, phones.table
    club.record(table, ("Bruno", "Anne", 1), ("Anne", "Bruno", 2), ("Anne", "Bruno", 3))
    club.write(club.read(table), Change(revisions.WITHDRAW, 2))
    assert phones.confirm("Bruno", 3) is None
    later = Phones(club, day=NEXT_DAY)
    assert listed(club, Scope(table)) == [(DAY, [1, 4])]
    assert listed(club, Scope(day=NEXT_DAY)) == [(NEXT_DAY, [1])]
    assert listed(club, Scope()) == [(NEXT_DAY, [1]), (DAY, [1, 4])]
    later.secrets = phones.secrets
    assert later.confirm("Bruno") is None
    assert listed(club, Scope(day=NEXT_DAY)) == []


def test_of_everything_settled_tables_are_not_listed(phones: Phones) -> None:
    club = phones.club
    club.pay("Anne", "Bruno", 5)
    assert listed(club, Scope()) == []
    assert listed(club, Scope(phones.table)) == [(DAY, [1])]


def test_verify_finds_a_confirmation_of_no_deal_and_one_by_its_own_recorder(phones: Phones) -> None:
    ids = {"circle_id": phones.club.id, "table_id": phones.table.id, "player_id": phones.club.player("Bruno").id}
    at = phones.table.opened_at
    for revision, browser in ((9, phones.phone("Bruno")), (1, phones.club.browser)):
        db.session.add(DealConfirmation(revision=revision, browser_id=browser.id, at=at, **ids))
    db.session.commit()
    assert [(fault.key, fault.params["revision"]) for fault in verify().faults] == [
        ("deal-confirmation", "1"),
        ("deal-confirmation", "9"),
    ]


def test_deals_of_another_phone_after_the_page_was_shown_do_not_hinder_a_confirmation(phones: Phones) -> None:
    david = phones.phone("David", "score")
    table = phones.club.read(phones.table)
    recorded = write(table, WriteRequest(Change(revisions.RECORD, body=phones.body), 1, "key"), david)
    assert isinstance(recorded, Done)
    assert service.confirm(table, 1, phones.phone("Bruno")) is None
    assert phones.confirmable("Bruno") == set()  # the new one is of his own side
    assert phones.confirmable("Chloé") == {2}


def test_the_rows_of_another_circle_are_out_of_reach(phones: Phones) -> None:
    other = Club()
    stranger = Phones(other)
    with pytest.raises(AccessRevokedError):
        service.confirm(phones.club.read(phones.table), 1, stranger.phone("Bruno"))
    assert phones.names() == []
    assert isinstance(db.session.get(Table, (phones.table.id, phones.club.id)), Table)
