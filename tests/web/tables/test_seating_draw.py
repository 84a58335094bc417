"""The draw for seats, the help for misdeals, and honours that can still be claimed."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask

from scorekeeper.games import games
from scorekeeper.scoring.game import AnyGame

from ...game_data import variants_of
from ...statements import counted
from ...visitor import NAMES, Visitor, find

# Nothing here depends on the database.
pytestmark = pytest.mark.sqlite

every_game = pytest.mark.parametrize("slug", sorted(slug for slug, game in games().items() if game.draw is not None))

EIGHT = (*NAMES, "Fanny", "Gaël", "Hugo")


def names(count: int = 4, **other: str) -> dict[str, str]:
    return {f"seat-{number}": name for number, name in enumerate(EIGHT[:count], start=1)} | other


def start_draw(visitor: Visitor, slug: str, count: int = 4, /, **fields: str) -> Visitor:
    return visitor.visit(f"/tables/new/{slug}/draw").send(names(count) | fields)


def enter_cards(visitor: Visitor, slug: str, *rounds: str, count: int = 4, **fields: str) -> Visitor:
    """Enter the cards of each round, as in "1:k 2:9"; players who tie are in the next round too."""
    start_draw(visitor, slug, count, do="cards", **fields)
    for words in rounds:
        cards = dict(word.split(":") for word in words.split())
        visitor.send({f"card-{player}": card for player, card in cards.items()} | {"do": "tell"})
    return visitor


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


def test_names_typed_into_the_form_for_a_new_table_are_carried_to_the_draw(visitor: Visitor) -> None:
    visitor.visit("/tables/new/francion").send(names(3, **{"seat-2": " Zoé  B "}) | {"do": "names"})
    drawing = [str(field["value"]) for field in visitor.page.select("input[name^=seat-]") if field.get("value")]
    assert drawing == ["Anne", "Zoé B", "Chloé"]


def test_enter_opens_the_table_and_does_not_draw(visitor: Visitor) -> None:
    buttons = visitor.visit("/tables/new/whist").page.select("form.opening button:not([type=button])")
    assert not buttons[0].has_attr("formaction")


@every_game
def test_the_app_draws_all_cards_and_links_to_a_new_table_with_all_seated(visitor: Visitor, slug: str) -> None:
    visitor.visit(f"/tables/new/{slug}").send({"do": "names"})
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


def test_the_url_of_a_draw_shows_the_same_cards_again(app: Flask, visitor: Visitor) -> None:
    start_draw(visitor, "whist", do="draw")
    at = visitor.response.request.full_path
    cards = drawn_cards(visitor)
    assert drawn_cards(visitor.visit(at)) == cards
    assert drawn_cards(Visitor(app).visit(at)) == cards


@pytest.mark.parametrize("count", [3, 4, 5])
def test_each_number_of_players_can_draw(visitor: Visitor, count: int) -> None:
    start_draw(visitor, "francion", count, do="draw", seats="lot")
    assert len(visitor.page.select(".drawn-seats .seat")) == count
    assert "Seats by the cards drawn" in visitor.text
    assert len([key for key in new_table_query(visitor) if key.startswith("seat-")]) == count


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
    visitor.send({"card-2": "4", "card-3": "q", "do": "tell"})
    assert "Anne and Chloé drew the two highest cards" in visitor.text
    assert len(drawn_cards(visitor)) == 6


def test_two_players_whom_the_cards_do_not_rank_may_change_places(visitor: Visitor) -> None:
    enter_cards(visitor, "quarante-de-rois", "1:kh 2:ks 3:kd 4:kc", "1:7 2:8 3:9 4:a")
    assert "Anne and Chloé have the red kings" in visitor.text
    before = new_table_query(visitor)
    after = new_table_query(visitor.follow("Swap seats"))
    assert (after["seat-2"], after["seat-4"]) == (before["seat-4"], before["seat-2"])
    assert after[f"seat-{after['dealer']}"] == before[f"seat-{before['dealer']}"] == "David"


def test_a_card_entered_twice_is_refused_beside_its_player_and_the_taps_stay(visitor: Visitor) -> None:
    enter_cards(visitor, "quarante-de-rois", "1:kh 2:ks 3:kh 4:kd")
    assert visitor.status == 422
    assert "Chloé cannot have drawn this card: Anne has it" in visitor.problems()[0]
    checked = {str(field["name"]): str(field["value"]) for field in visitor.page.select("input[checked]")}
    assert checked == {"card-1": "kh", "card-2": "ks", "card-3": "kh", "card-4": "kd"}
    visitor.send({"card-3": "kc", "do": "tell"})
    assert visitor.status == 200
    assert "First deal" in visitor.text


def test_a_player_without_a_card_is_named(visitor: Visitor) -> None:
    enter_cards(visitor, "whist", "1:k 3:9 4:q")
    assert visitor.status == 422
    assert visitor.problems() == ["Tap the card that Bruno drew."]
    assert visitor.page.select_one("input[name=card-3][value='9'][checked]")


# --- players -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"seat-4": ""}, "This game is for 4"),
        ({"seat-2": "Anne"}, "Anne"),
        ({"seat-1": "x" * 81}, "at most 40 characters"),
    ],
)
def test_impossible_players_are_refused_and_their_names_stay_typed(
    visitor: Visitor, fields: dict[str, str], says: str
) -> None:
    start_draw(visitor, "whist", do="draw", **fields)
    assert visitor.status == 422
    assert says in visitor.problems()[0]
    assert visitor.page.select_one("#seat-3[value=Chloé]")


def test_only_players_of_the_own_circle_are_offered(visitor: Visitor, another: Visitor) -> None:
    visitor.open_table("whist")
    page = visitor.visit("/tables/new/joffre/draw").page
    assert [chip.get_text() for chip in page.select("[data-person]")] == sorted(NAMES[:4])
    assert not another.visit("/tables/new/joffre/draw").page.select("[data-person]")


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


def test_cards_that_do_not_fit_show_the_names_again(visitor: Visitor) -> None:
    address = "/tables/new/whist/draw?way=cards&" + "&".join(f"name={name}" for name in NAMES[:4])
    for drawn in ("kh.kh.2c.3d", "kh.2c", "nonsense", "kh.qh.jh.ah-2c.3c"):
        visitor.visit(f"{address}&drawn={drawn}")
        assert visitor.status == 422, drawn
        assert visitor.page.select_one("#seat-1[value=Anne]")
    assert visitor.visit("/tables/new/bezique/draw").status == 404


def test_the_draw_is_translated_into_french(app: Flask) -> None:
    visitor = enter_cards(Visitor(app, "fr"), "whist", "1:k 2:9 3:9 4:5")
    assert "À égalité : Bruno et Chloé tirent de nouveau." in visitor.text
    assert drawn_cards(visitor)[0] == ("R", "Anne")
    assert not re.search(r"\bdraw\.|\bproblem\.", visitor.text)


def test_the_language_is_switched_without_losing_the_draw(visitor: Visitor) -> None:
    start_draw(visitor, "whist", do="draw")
    cards = [name for _, name in drawn_cards(visitor)]
    visitor.send({"language": "fr"}, "/language")
    assert "Résultat du tirage" in visitor.text
    assert [name for _, name in drawn_cards(visitor)] == cards


def test_a_draw_creates_no_circle_and_needs_as_many_statements_for_any_players(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("whist")
    counts = []
    for count in (3, 5):
        with counted(app) as statements:
            start_draw(visitor, "francion", count, do="draw")
        counts.append(len(statements))
    assert counts[0] == counts[1]
    stranger = start_draw(Visitor(app), "whist", do="draw")
    with stranger.client.session_transaction() as session:
        assert "circles" not in session


# --- misdeals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", variants_of("whist"))
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
    visitor: Visitor, slug: str, what: str, decides: str | None, again: bool
) -> None:
    visitor.open_table(slug)
    visitor.visit(f"{visitor.table}deals/new").follow("Which rule applies?")
    assert " decide" not in visitor.text
    visitor.follow(what)
    assert (" decide" in visitor.text) == (decides is not None)
    assert decides is None or decides in visitor.text
    assert ("Record misdeal" in visitor.text) == again


def test_a_misdeal_can_be_recorded_there_and_the_same_player_deals_again(visitor: Visitor) -> None:
    table = visitor.open_table("whist").table
    visitor.visit(f"{table}deals/new").follow("Which rule applies?").follow("face up in the pack")
    visitor.send({"do": "misdeal"}, "/deals/new")
    assert visitor.path == table
    assert visitor.export()["deals"] == [{"misdeal": True}]
    assert "Anne deals" in visitor.text


def test_the_advice_is_about_the_dealer_chosen_on_the_pad(visitor: Visitor) -> None:
    table = visitor.open_table("whist").table
    visitor.visit(f"{table}misdeal?dealer=2&what=exposed_by_dealers")
    assert "North–South decide" in visitor.text
    visitor.send({"do": "misdeal"}, "/deals/new")
    assert visitor.export()["deals"] == [{"dealer": "Bruno", "misdeal": True}]
    assert "Bruno decides" in visitor.visit(f"{table}misdeal?dealer=x&what=exposed_by_others").text


@pytest.mark.parametrize("slug", [slug for slug, game in games().items() if not game.incidents])
def test_a_game_without_mishaps_has_no_page_for_them(visitor: Visitor, slug: str) -> None:
    table = visitor.open_table(slug).table
    assert "Which rule applies?" not in visitor.visit(f"{table}deals/new").text
    assert visitor.visit(f"{table}misdeal").status == 404


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


def test_neither_a_misdeal_nor_an_adjustment_turns_up_the_next_card(visitor: Visitor) -> None:
    table = visitor.open_table("whist").record(tricks="ns-2").table
    visitor.visit(f"{table}deals/new").send({"do": "misdeal"})
    assert CLAIM.format(1) in visitor.text
    visitor.visit(f"{table}deals/adjustment").send({"kind": "points", "to": "ew", "amount": "1"})
    assert [list(deal) for deal in visitor.export()["deals"]] == [["tricks"], ["misdeal"], ["adjustment"]]
    assert CLAIM.format(1) in visitor.visit(table).text


def test_honours_that_would_not_count_cannot_be_claimed(visitor: Visitor) -> None:
    table = visitor.open_table("short-whist").record(tricks="ns-4").table
    assert CLAIM.format(1) in visitor.text
    visitor.record(tricks="ew-1")  # North–South had 4 before it
    assert "East–West can still claim honours of deal 2" in visitor.text
    visitor.record(tricks="ns-1")  # and have won the manche
    assert "may still" not in visitor.text
    visitor.visit(table).send({}, "/undo")
    visitor.more().send({}, "/close")
    assert "may still" not in visitor.text


def test_losers_may_claim_honours_that_prevent_a_double(visitor: Visitor) -> None:
    visitor.open_table("whist", **{"rule-losing_honours": "yes"}).record(tricks="ns-7").record(tricks="ns-7")
    assert "East–West can still claim honours of deal 2" in visitor.text


@pytest.mark.parametrize("slug", [slug for slug, game in games().items() if not game.incidents])
def test_a_deal_without_claimable_honours_shows_no_claim(slug: str) -> None:
    game = games()[slug]
    players = tuple("1234")
    assert game.claimable(game.open(players, "1", game.usual_options)) == ()


# --- other packs and more players ----------------------------------------------------------------------------


def test_eight_players_draw_from_a_pack_with_other_suits_and_cards(full_table: AnyGame, app: Flask) -> None:
    visitor = start_draw(Visitor(app), full_table.slug, 8, do="draw")
    assert visitor.status == 200
    assert [name for _, name in drawn_cards(visitor)][:8] == list(EIGHT)  # players who tie draw again
    assert len(visitor.page.select(".drawn-seats .seat")) == 8
    query = new_table_query(visitor)
    assert sorted(query[f"seat-{number}"] for number in range(1, 9)) == sorted(EIGHT)


def test_cards_of_other_packs_are_entered_in_the_games_own_words(full_table: AnyGame, app: Flask) -> None:
    visitor = enter_cards(Visitor(app), full_table.slug, count=4)
    labels = [option.get_text(strip=True) for option in visitor.page.select("fieldset.group")[0].select("option")]
    assert len(labels) == 1 + 78
    assert (labels[0], labels[1], labels[-1]) == ("", "21 trump", "Excuse")
    assert "Kn♥" in labels
    visitor.send({"card-1": "21_trumps", "card-2": "kns", "card-3": "excuse", "card-4": "1_trumps", "do": "tell"})
    assert drawn_cards(visitor) == [
        ("21trump", "Anne"),
        ("Kn♠", "Bruno"),
        ("Excuse", "Chloé"),
        ("1trump", "David"),
    ]
    seats = [find(seat, "strong").get_text() for seat in visitor.page.select(".drawn-seats .seat")]
    assert seats == ["Anne", "David", "Bruno", "Chloé"]


def test_a_card_that_is_not_in_such_a_pack_is_refused_beside_its_player(full_table: AnyGame, app: Flask) -> None:
    visitor = enter_cards(Visitor(app), full_table.slug, count=3)
    visitor.send({"card-1": "22_trumps", "card-2": "as", "card-3": "2s", "do": "tell"})
    assert visitor.status == 422
    problems = [find(group, "legend").get_text(strip=True) for group in visitor.page.select("fieldset:has(.problem)")]
    assert problems == ["Anne", "Bruno"]
