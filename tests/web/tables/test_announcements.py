"""Announcements: a bid is recorded before the deal is played, and its result afterwards."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from scorekeeper import i18n
from scorekeeper.games import games
from scorekeeper.i18n import messages
from scorekeeper.scoring.game import Check
from scorekeeper.scoring.pad import ChoiceGroup
from scorekeeper.scoring.problems import Problem
from scorekeeper.scoring.standing import AnyStanding
from scorekeeper.scoring.values import Facts
from scorekeeper.tables import replay
from scorekeeper.tables.revisions import RECORD
from scorekeeper.web.tables.deal_draft import DealDraft

from ...tables.test_state import BID, JOFFRE, record, table_state
from ...visitor import Visitor, filled_in

# Nothing here depends on the database.
pytestmark = pytest.mark.sqlite

RESULT = {"tricks": "6", "five_of_hearts": "ns", "three_of_spades": "ew"}


def announce(visitor: Visitor, **taps: str) -> Visitor:
    visitor.visit(f"{visitor.table}deals/new")
    return visitor.send({name.replace("_", "-"): tap for name, tap in taps.items()} | {"do": "announce"})


def play(visitor: Visitor, **taps: str) -> Visitor:
    visitor.visit(f"{visitor.table}deals/new")
    return visitor.send(RESULT | {name.replace("_", "-"): tap for name, tap in taps.items()} | {"do": "record"})


def announce_by_script(visitor: Visitor, key: str, **taps: str) -> Any:
    """Send the bid as the page's script does."""
    visitor.visit(f"{visitor.table}deals/new")
    data = filled_in(visitor.form()) | taps | {"do": "announce", "key": key}
    return visitor.client.post(f"{visitor.table}deals/new", data=data, headers={"Accept": "application/json"})


def tapped(visitor: Visitor) -> dict[str, str]:
    cells = visitor.page.select(".cell input[checked]")
    return {str(cell["name"]): str(cell["value"]) for cell in cells if cell["name"] != "dealer"}


@pytest.fixture
def at_table(visitor: Visitor) -> Visitor:
    return visitor.open_table("joffre")


def test_an_announced_bid_is_shown_to_all_with_the_points_it_needs(at_table: Visitor) -> None:
    announce(at_table, bidder="3", bid="7", no_trump="yes")
    assert "Chloé: 7 no trump (needs 7 of the 10 points" in at_table.text
    assert "Record result" in at_table.text
    now = at_table.client.get(f"{at_table.table}now", headers={"If-None-Match": '"0"'})
    assert "Phone 1 recorded the bid" in now.get_data(as_text=True)


def test_the_pad_starts_with_the_announced_bid_and_only_lacks_the_result(at_table: Visitor) -> None:
    announce(at_table, bidder="3", bid="7")
    at_table.visit(f"{at_table.table}deals/new")
    assert tapped(at_table) == {"bidder": "3", "bid": "7"}
    at_table.send(RESULT | {"do": "record"})
    deal = at_table.export()["deals"][0]
    assert deal["contract"] == {"player": "Chloé", "points": 7}
    assert "needs 7" not in at_table.text


def test_a_bid_lapses_when_withdrawn_or_recorded_and_returns_on_undo(
    at_table: Visitor,
) -> None:
    announce(at_table, bidder="3", bid="7")
    at_table.send({}, "/announced/withdraw")
    assert "needs 7" not in at_table.text
    announce(at_table, bidder="3", bid="8").visit(f"{at_table.table}deals/new").send(RESULT | {"do": "record"})
    assert "needs 8" not in at_table.text
    at_table.send({}, "/undo")
    assert "needs 8" in at_table.text


def test_a_bid_changes_no_score_and_is_in_no_sheet(at_table: Visitor) -> None:
    before = at_table.export()
    announce(at_table, bidder="3", bid="7")
    assert at_table.export() == before
    assert "Undo" not in at_table.text


def test_a_bid_is_over_again_once_the_undoing_of_its_deal_is_redone(at_table: Visitor) -> None:
    announce(at_table, bidder="3", bid="7")
    play(at_table, bidder="3", bid="7").visit(at_table.table).send({}, "/undo")
    assert at_table.page.select(".announced")
    at_table.send({}, "/redo")
    assert not at_table.page.select(".announced")


def test_the_changes_of_a_table_list_a_bid_and_its_withdrawal(at_table: Visitor) -> None:
    announce(at_table, bidder="3", bid="7")
    at_table.visit(f"{at_table.table}changes")
    assert "Phone 1 recorded the bid" in at_table.text
    assert "Chloé: 7 (needs 7" in at_table.text
    at_table.visit(at_table.table).send({}, "/announced/withdraw").visit(f"{at_table.table}changes")
    assert "Phone 1 removed the bid" in at_table.text


def test_every_page_of_a_table_can_be_read_while_a_bid_is_recorded(at_table: Visitor) -> None:
    play(at_table, bidder="1", bid="5")
    announce(at_table, bidder="3", bid="7")
    rules = at_table.client.application.url_map.iter_rules()
    pages = [rule.rule for rule in rules if rule.arguments == {"token"} and rule.rule.startswith("/tables/<token>/")]
    assert "/tables/<token>/changes" in pages
    for page in pages:  # some lead elsewhere, or are for writing only, or for other games
        path = page.replace("/tables/<token>/", at_table.table)
        assert at_table.client.get(path).status_code < 500, path


def test_undo_after_a_bid_undoes_the_last_deal_and_not_the_bid(at_table: Visitor) -> None:
    play(at_table, bidder="1", bid="5")
    announce(at_table, bidder="3", bid="7").send({}, "/undo")
    assert at_table.export()["deals"] == []
    assert "needs 7" in at_table.text


@pytest.mark.parametrize(
    ("taps", "says"),
    [({}, "tap"), ({"bidder": "3"}, "tap"), ({"bidder": "3", "bid": "2"}, "5"), ({"bid": "99"}, "tap")],
)
def test_a_missing_or_impossible_bid_is_refused(at_table: Visitor, taps: dict[str, str], says: str) -> None:
    announce(at_table, **taps)
    assert at_table.status == 422
    assert says in " ".join(at_table.problems()).lower()


def test_the_last_contract_can_be_announced_again_in_one_tap(at_table: Visitor) -> None:
    play(at_table, bidder="3", bid="7", no_trump="yes").visit(f"{at_table.table}deals/new")
    assert tapped(at_table) == {}
    at_table.follow("Same bid as last time: Chloé, 7 no trump")
    assert tapped(at_table) == {"bidder": "3", "bid": "7", "no-trump": "yes"}


def test_what_cannot_be_played_now_is_not_offered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    joffre = games()["joffre"]

    def find_problems(standing: AnyStanding, _deal: object) -> Iterator[Problem]:
        yield from [Problem("contract", "tap-one")] * len(standing.rows)

    def pad(standing: AnyStanding, facts: Facts) -> Iterator[ChoiceGroup]:
        for group in joffre.pad(standing, facts):
            choices = [choice._replace(offered=not standing.rows) for choice in group.choices]
            yield group._replace(choices=tuple(choices)) if group.name == "bid" else group

    def find_offer(**fields: Any) -> object:
        monkeypatch.setattr(replay, "find_game", lambda _slug: dataclasses.replace(joffre, **fields))
        table = table_state(record(JOFFRE), game="joffre")
        return DealDraft(table, table, RECORD, table.standing).announcement_to_repeat

    assert find_offer() == BID
    assert find_offer(checks=(*joffre.checks, Check(("contract",), find_problems))) is None
    assert find_offer(pad=pad) is None
    assert find_offer(announced_again=False) is None


def test_a_game_has_its_own_words_for_what_is_announced(at_table: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards that are pegged, for example, are no bid."""
    keys = ("pad.announce", "announced.withdraw", "revision.announce", "revision.announce-withdrawn")
    spoken = ("spoken.announce", "spoken.announce-withdrawn")
    own = {f"joffre.{key}": f"pegged {number}" for number, key in enumerate((*keys, *spoken))}
    has_message = messages.has_message
    monkeypatch.setattr(messages, "has_message", lambda tag, key: key in own or has_message(tag, key))
    translate = i18n.translate
    monkeypatch.setattr(
        i18n, "translate", lambda tag, key, *names, **params: own.get(key) or translate(tag, key, *names, **params)
    )
    at_table.visit(f"{at_table.table}deals/new")
    assert "pegged 0" in at_table.text
    announce(at_table, bidder="3", bid="7")
    assert "pegged 1" in at_table.text
    at_table.send({}, "/announced/withdraw").visit(f"{at_table.table}changes")
    assert "pegged 2" in at_table.text
    assert "pegged 3" in at_table.text


def test_games_without_a_bid_offer_none(visitor: Visitor) -> None:
    visitor.open_table("whist").visit(f"{visitor.table}deals/new")
    assert not visitor.page.select("button[value=announce]")
    visitor.send({"tricks": "ns-3", "do": "announce"})
    assert visitor.status == 422


def test_a_script_gets_the_same_answer_when_it_sends_its_bid_again(at_table: Visitor) -> None:
    for _ in range(2):
        answer = announce_by_script(at_table, "kept", bidder="3", bid="7")
        assert answer.status_code == 200
        assert answer.json["recorded"]
        assert answer.json["seen"].startswith("1.")
    assert "Chloé: 7 (needs 7" in at_table.visit(answer.json["at"]).text


@pytest.mark.parametrize("taps", [{"bidder": "3"}, {"bidder": "3", "bid": "2"}])
def test_a_script_gets_the_reason_why_its_bid_is_refused(at_table: Visitor, taps: dict[str, str]) -> None:
    answer = announce_by_script(at_table, "kept", **taps)
    assert answer.status_code == 422
    assert "recorded" not in answer.json
    assert answer.json["refused"].strip()


def test_a_bid_from_a_stale_page_is_not_recorded(visitor: Visitor, another: Visitor) -> None:
    visitor.open_table("joffre")
    link = visitor.visit(f"{visitor.table}share").find("#link")
    another.join(str(link["value"]))
    another.visit(f"{visitor.table}deals/new")
    announce(visitor, bidder="3", bid="7")
    another.send({"bidder": "1", "bid": "6", "do": "announce"})
    assert another.status == 409
    assert "Chloé: 7" in visitor.visit(visitor.table).text
