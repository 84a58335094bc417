"""Editing an earlier deal: what becomes of later ones is beside the preview, and the way out if one prevents it."""

from __future__ import annotations

from typing import Any

import pytest

from ..support.visitor import Visitor, filled_in

EDITED = "deals/1/amend"
CALLED = ("ns-7", "ns-1", "called-ns")  # the call is possible at 8 only


def open_whist(visitor: Visitor, *taken: str) -> Visitor:
    visitor.open_table("whist")
    for tricks in taken:
        visitor.record(tricks=tricks)
    return visitor


def edit(visitor: Visitor, do: str, **taps: str) -> Visitor:
    return visitor.visit(f"{visitor.table}{EDITED}").send(taps | {"do": do})


def later(visitor: Visitor) -> list[str]:
    """Return the lines about later deals beside the preview."""
    return [line.get_text(" ", strip=True) for line in visitor.page.select(".working .later li")]


def test_the_preview_of_an_earlier_deal_gives_the_score_after_it_which_is_not_the_score_now(visitor: Visitor) -> None:
    open_whist(visitor, "ns-5", "ew-2")
    edit(visitor, "check", tricks="ns-1")
    assert visitor.find(".becomes").get_text(" ", strip=True) == "Score after this deal: 1–0"


def recorded(visitor: Visitor) -> list[dict[str, Any]]:
    deals: list[dict[str, Any]] = visitor.export()["deals"]
    return deals


def test_the_preview_says_which_score_changes_first_the_score_now_and_what_is_no_longer_won(visitor: Visitor) -> None:
    open_whist(visitor, "ns-5", "ew-2", "ns-5", "ew-4")
    edit(visitor, "check", tricks="ns-1")
    assert later(visitor) == [
        "Deal 2: 5–2 becomes 1–2.",
        "Score now: 0–4 becomes 6–6.",
        "Deal 3 no longer wins the game.",
    ]
    assert [deal["tricks"]["ns"] for deal in recorded(visitor)] == [11, 5, 11, 3]


def test_the_preview_says_that_a_later_win_counts_more_or_less(visitor: Visitor) -> None:
    open_whist(visitor, "ns-5", "ns-5")
    visitor.record(tricks="ew-1", honours="ew-4")
    visitor.record(tricks="ns-5")
    visitor.record(tricks="ns-5")
    visitor.visit(f"{visitor.table}deals/3/amend").send({"tricks": "ew-1", "honours": "none", "do": "check"})
    assert later(visitor)[2:] == [
        "Deal 5: North–South win the game: double, 2 points (before: 1)",
        "Deal 5: North–South win the rubber by 5 (before: 4)",
        *("Anne: +4 fiches → +5 fiches", "Bruno: −4 fiches → −5 fiches"),
        *("Chloé: +4 fiches → +5 fiches", "David: −4 fiches → −5 fiches"),
    ]


def test_the_preview_says_that_the_payments_for_a_later_win_change(visitor: Visitor) -> None:
    fields = {"rule-target": "10", "rule-pays": "difference", "rule-stake": "1"}
    visitor.open_table("any-game", 2, **fields)
    visitor.record(points_1="2", points_2="3").record(points_1="9", points_2="1")
    edit(visitor, "check", **{"points-1": "2", "points-2": "4"})
    assert later(visitor)[1:] == [
        "Deal 2: Anne wins the game (the payments change)",
        *("Anne: +7 fiches → +6 fiches", "Bruno: −7 fiches → −6 fiches"),
    ]


# --- the way out


def way_out(visitor: Visitor) -> list[str]:
    return [way.get_text(" ", strip=True) for way in visitor.page.select(".working .ways > :not([type=hidden])")]


@pytest.mark.parametrize("do", ["check", "record"])
def test_a_later_deal_in_the_way_can_be_removed_there(visitor: Visitor, do: str) -> None:
    edit(open_whist(visitor, *CALLED), do, tricks="ns-6")
    assert way_out(visitor) == ["Save and remove deal 3"]
    assert len(recorded(visitor)) == 3


def test_removing_it_saves_both_in_one_tap_and_undo_takes_both_back(visitor: Visitor) -> None:
    before = recorded(open_whist(visitor, *CALLED))
    edit(visitor, "check", tricks="ns-6").send({"do": "remove"})
    assert visitor.path == visitor.table
    assert [deal["tricks"]["ns"] for deal in recorded(visitor)] == [12, 7]
    visitor.send({}, "/undo")
    assert recorded(visitor) == before


def test_a_phone_hears_what_came_before_all_that_its_tap_has_recorded(visitor: Visitor) -> None:
    """By it the phone knows that the next entry, which waits for a signal, is not outdated."""
    sent = filled_in(edit(open_whist(visitor, *CALLED), "check", tricks="ns-6").form()) | {"do": "remove"}
    answer = visitor.client.post(f"{visitor.table}{EDITED}", data=sent, headers={"Accept": "application/json"})
    assert answer.get_json()["after"] == sent["seen"]


# --- removing a deal -----------------------------------------------------------------------------------------


def consequences(visitor: Visitor) -> list[str]:
    """Return what the deal's page says beside its buttons."""
    return [line.get_text(" ", strip=True) for line in visitor.page.select(".bar .consequences :is(li, p)")]


def test_a_deal_says_what_removing_it_would_do_and_its_place_says_that_it_did(visitor: Visitor) -> None:
    open_whist(visitor, "ns-5", "ew-2", "ns-5", "ew-4")
    visitor.visit(f"{visitor.table}deals/3")
    assert consequences(visitor) == [
        "If you remove it:",
        "Deal 4: 0–4 becomes 5–6.",
        "Deal 3 no longer wins the game.",
        "David deals next.",
    ]
    visitor.send({}, "/withdraw")
    assert visitor.find(".recorded").get_text() == "Deal 3 is removed"
    assert [button.get_text() for button in visitor.page.select("form[action$='/undo'] button")] == ["Restore deal 3"]
    visitor.visit(f"{visitor.table}deals/3")
    assert consequences(visitor)[:2] == ["If you restore it:", "Deal 3: 5–6 becomes 0–4."]


def test_a_deal_that_cannot_be_removed_says_what_is_in_the_way(visitor: Visitor) -> None:
    open_whist(visitor, *CALLED)
    visitor.visit(f"{visitor.table}deals/2")
    assert consequences(visitor)[0] == "If you remove it:"
    assert consequences(visitor)[1].startswith("Deal 3 would no longer be valid.")
    assert not visitor.page.select("form[action$='/withdraw']")


@pytest.mark.parametrize(
    ("way", "fields", "done", "undo"),
    [
        (
            "adjustment",
            {"kind": "points", "to": "ns", "amount": "2"},
            "The adjustment is recorded",
            "Undo the adjustment",
        ),
        ("substitution", {"out": "1", "name": "Fanny"}, "The substitution is recorded", "Undo the substitution"),
    ],
)
def test_undo_names_an_adjustment_and_a_substitution(
    visitor: Visitor, way: str, fields: dict[str, str], done: str, undo: str
) -> None:
    open_whist(visitor, "ns-1").visit(f"{visitor.table}deals/{way}").send(fields)
    assert visitor.find(".recorded").get_text() == done
    assert visitor.find(".bar .one-tap button").get_text() == undo


def test_removing_a_substitution_changes_no_score_of_players_who_have_played_on(visitor: Visitor) -> None:
    visitor.open_table("any-game", 2, **{"rule-target": "100"})
    visitor.visit(f"{visitor.table}deals/substitution").send({"out": "1", "name": "Fanny"})
    visitor.record(points_1="3", points_2="5")
    assert visitor.visit(f"{visitor.table}deals/1").status == 200
    assert [line.get_text() for line in visitor.page.select(".later li")] == []


@pytest.mark.parametrize("page", ["deals/2/insert", "deals/2/amend"])
@pytest.mark.parametrize("do", ["preview", "check", "record", "remove"])
def test_a_form_that_says_it_has_seen_no_deal_yet_is_answered(visitor: Visitor, page: str, do: str) -> None:
    open_whist(visitor, "ns-5", "ns-2").visit(f"{visitor.table}{page}")
    assert visitor.send({"seen": "0", "tricks": "ns-5", "do": do}).status < 500
    assert len(visitor.export()["deals"]) == 2
