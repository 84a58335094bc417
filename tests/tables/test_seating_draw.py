"""The draw for seats, the help for misdeals, and honours that can still be claimed."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask

from scorekeeper.scoring.game import AnyGame

from ..support.visitor import NAMES, Visitor, filled_in, find

EIGHT = (*NAMES, "Fanny", "Gaël", "Hugo")


def names(count: int = 4, **other: str) -> dict[str, str]:
    return {f"seat-{number}": name for number, name in enumerate(EIGHT[:count], start=1)} | other


def start_draw(visitor: Visitor, slug: str, count: int = 4, /, **fields: str) -> Visitor:
    return visitor.visit(f"/tables/new/{slug}/draw").send(names(count) | fields)


def enter_cards(visitor: Visitor, slug: str, *rounds: str, **fields: str) -> Visitor:
    """Enter the cards of each round, as in "1:k 2:9"; players who tie are in the next round too."""
    start_draw(visitor, slug, 4, do="cards", **fields)
    for words in rounds:
        tell(visitor, words)
    return visitor


def tell(visitor: Visitor, words: str) -> None:
    cards = {f"card-{player}": card for player, _, card in (word.partition(":") for word in words.split())}
    visitor.send(cards | {"do": "tell"}, form=visitor.find("form.drawing"))


def drawn_cards(visitor: Visitor) -> list[tuple[str, str]]:
    """Return every card on the page with its player."""
    return [
        ("".join(find(li, ".drawn").get_text("", strip=True)), li.find_all("span")[-1].get_text())
        for li in visitor.page.select(".hands li")
    ]


def new_table_query(visitor: Visitor) -> dict[str, str]:
    """Return the query of the link to the form for a new table."""
    link = visitor.find(".bar a.main")
    return {name: values[0] for name, values in parse_qs(urlsplit(str(link["href"])).query).items()}


# --- draws by the app --------------------------------------------------------------------------------------


def test_the_app_draws_all_cards_and_links_to_a_new_table_with_all_seated(visitor: Visitor) -> None:
    visitor.visit("/tables/new/francion").send({"do": "names"})
    visitor.send(names() | {"do": "draw"})
    assert visitor.status == 200
    cards = drawn_cards(visitor)
    assert {name for _, name in cards} == set(NAMES[:4])
    assert all(re.fullmatch(r"([AKQJ]|10|[2-9])[♠♥♦♣]", card) for card, _ in cards)
    assert len(visitor.page.select(".drawn-seats .dealer-mark")) == 1
    query = new_table_query(visitor)
    visitor.follow("Take these seats")
    visitor.send({})
    sheet = visitor.export()
    assert sheet["players"] == [query[f"seat-{seat}"] for seat in range(1, 5)]
    assert sheet["dealer"] == query[f"seat-{query['dealer']}"]
    assert sorted(sheet["players"]) == sorted(NAMES[:4])


# --- cards from the own pack -------------------------------------------------------------------------------


def test_players_enter_their_own_cards_and_see_who_sits_where_and_why(visitor: Visitor) -> None:
    enter_cards(visitor, "whist", "1:a 2:q 3:2 4:k")
    assert "David and Bruno drew the two highest cards. They are partners" in visitor.text
    assert "Anne drew the lowest card and deals first." in visitor.text
    query = new_table_query(visitor)
    assert {query["seat-1"], query["seat-3"]} == {"Bruno", "David"}
    assert query[f"seat-{query['dealer']}"] == "Anne"


def test_only_players_who_tie_draw_again(visitor: Visitor) -> None:
    enter_cards(visitor, "whist", "1:k 2:9 3:9 4:5")
    assert "Equal cards: Bruno and Chloé draw again." in visitor.text
    assert [legend.get_text() for legend in visitor.page.select("legend")] == ["Bruno", "Chloé"]
    tell(visitor, "2:4 3:q")
    assert "Anne and Chloé drew the two highest cards" in visitor.text
    assert len(drawn_cards(visitor)) == 6


def test_a_card_entered_twice_is_refused_beside_its_player_and_the_taps_stay(visitor: Visitor) -> None:
    enter_cards(visitor, "quarante-de-rois", "1:kh 2:ks 3:kh 4:kd")
    assert visitor.status == 422
    assert "Chloé cannot have drawn this card: Anne has it" in visitor.problems()[0]
    checked = {str(field["name"]): str(field["value"]) for field in visitor.page.select("input[checked]")}
    assert checked == {"card-1": "kh", "card-2": "ks", "card-3": "kh", "card-4": "kd"}
    tell(visitor, "3:kc")
    assert visitor.status == 200
    assert "First deal" in visitor.text


def test_the_draw_keeps_what_was_entered_into_the_form_for_a_new_table(visitor: Visitor) -> None:
    entered = {"place": "At Anne’s", "day": "2026-03-07", "amount": "0.10", "currency": "GBP", "rule-robre_points": "2"}
    visitor.visit("/tables/new/whist").send(
        names() | entered | {"rule-honours_at_nine": None, "rule-losing_honours": "yes", "do": "names"}
    )
    assert visitor.page.select_one("#seat-1[value=Anne]")
    visitor.send({"do": "draw"}).follow("Take these seats")
    shown = filled_in(visitor.form())
    assert entered.items() <= shown.items()
    assert visitor.page.select_one("input[name=rule-losing_honours][checked]")
    assert visitor.page.select_one("input[name=rule-honours_at_nine]:not([checked])")


# --- players -----------------------------------------------------------------------------------------------


def test_the_draw_remembers_the_previous_table(visitor: Visitor) -> None:
    token = visitor.open_table("whist").table.split("/")[2]
    visitor.visit(f"/tables/new/short-whist?like={token}").send({"do": "names"})
    assert visitor.page.select_one("#seat-1[value=Anne]")
    visitor.send({"do": "draw"})
    query = new_table_query(visitor)
    assert query["like"] == token
    visitor.follow("Take these seats")
    assert visitor.page.select_one(f"input[name=seat-1][value='{query['seat-1']}']")
    assert visitor.page.select_one(f"input[name=dealer][value='{query['dealer']}'][checked]")
    assert visitor.page.select_one("input[name=close]")


# --- misdeals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "decides", "again"),
    [
        ("face up in the pack", None, True),
        ("who deals, or their partner", "East–West decide", True),
        ("A player of the other side", "Anne decides", True),
        ("touched their cards", None, False),
    ],
)
def test_a_mishap_names_who_decides_and_what_follows(
    visitor: Visitor, what: str, decides: str | None, again: bool
) -> None:
    visitor.open_table("whist")
    visitor.visit(f"{visitor.table}deals/new").follow("Which rule applies?")
    assert " decide" not in visitor.text
    visitor.follow(what)
    assert (" decide" in visitor.text) == (decides is not None)
    assert decides is None or decides in visitor.text
    assert ("Record misdeal" in visitor.text) == again


# --- claims ------------------------------------------------------------------------------------------------

CLAIM = "Honours of deal {} can still be claimed"


def test_honours_may_be_claimed_until_the_next_deal_is_recorded(visitor: Visitor) -> None:
    table = visitor.open_table("whist").table
    assert "may still" not in visitor.text
    visitor.record(tricks="ns-2")
    assert CLAIM.format(1) in visitor.text
    visitor.follow("Record them").send({"honours": "ew-3", "do": "record"})
    assert visitor.export()["deals"][0]["honours"] == {"side": "ew", "count": 3}
    assert "may still" not in visitor.visit(table).text
    visitor.record(tricks="ew-1")
    assert CLAIM.format(2) in visitor.text
    visitor.record(tricks="ew-1")
    assert CLAIM.format(2) not in visitor.text
    assert CLAIM.format(3) in visitor.text


# --- other packs and more players ----------------------------------------------------------------------------


def test_eight_players_draw_from_a_pack_with_other_suits_and_cards(full_table: AnyGame, app: Flask) -> None:
    visitor = start_draw(Visitor(app), full_table.slug, 8, do="draw")
    assert visitor.status == 200
    assert [name for _, name in drawn_cards(visitor)][:8] == list(EIGHT)  # players who tie draw again
    assert len(visitor.page.select(".drawn-seats .seat")) == 8
    query = new_table_query(visitor)
    assert sorted(query[f"seat-{number}"] for number in range(1, 9)) == sorted(EIGHT)
