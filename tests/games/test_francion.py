"""The rules of Francion, clause by clause."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.problems import Refusal
from scorekeeper.scoring.statement import score

from ..problems import fields_of

PLAYERS = ("Anne", "Bruno", "Chloé", "David", "Élise")
MISDEAL = {"misdeal": True}


def sheet(deals: list[dict[str, Any]], players: int = 3, dealer: str = "Anne", **house_rules: Any) -> dict[str, Any]:
    return {
        "format": "scorekeeper-sheet/1",
        "game": "francion",
        "players": list(PLAYERS[:players]),
        "dealer": dealer,
        "house_rules": house_rules,
        "deals": deals,
    }


def scored(deals: list[dict[str, Any]], players: int = 3, dealer: str = "Anne", **house_rules: Any) -> dict[str, Any]:
    statement = score(sheet(deals, players, dealer, **house_rules), games())
    assert not isinstance(statement, Refusal), statement
    return statement


def fields_refused(deals: list[dict[str, Any]], players: int = 3, **house_rules: Any) -> tuple[int | None, list[str]]:
    refusal = score(sheet(deals, players, **house_rules), games())
    assert isinstance(refusal, Refusal)
    return refusal.deal, fields_of(refusal)


def deal(
    *tricks: int, welche: str = "hidden", by: str | None = None, hearts_led: Any = False, **more: Any
) -> dict[str, Any]:
    """Build a deal from the tricks by seat. Unless given, the Welche stays hidden, which pays nothing."""
    facts: dict[str, Any] = {"event": welche}
    if by is not None:
        facts["player"] = by
    if hearts_led is not False:
        facts["hearts_led"] = hearts_led
    return {"tricks": dict(zip(PLAYERS, tricks, strict=False)), "welche": facts} | more


def points(to: str, number: int) -> dict[str, Any]:
    return {"adjustment": {"to": to, "points": number}}


def standing_at(*scores: int) -> list[dict[str, Any]]:
    return [points(player, number) for player, number in zip(PLAYERS, scores, strict=False) if number]


def paid(statement: dict[str, Any], deal: int, *reasons: str) -> list[tuple[str | None, str | None, int, str]]:
    return [
        (entry["from"], entry["to"], entry["amount"], entry["unit"])
        for entry in statement["journal"]
        if entry["deal"] == deal and entry["reason"] in reasons
    ]


# --- the stake and the tricks --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tricks", "jetons"),
    [
        # The dealer, Anne, stakes 9; every trick wins a ninth of it: 1.
        ((4, 3, 2), (4 - 9, 3, 2)),
        ((9, 0, 0), (0, 0, 0)),
        ((0, 9, 0), (-9, 9, 0)),
        ((3, 3, 2, 1), (3 - 9, 3, 2, 1)),
        ((1, 2, 2, 2, 2), (1 - 9, 2, 2, 2, 2)),
    ],
)
def test_the_dealer_stakes_nine_jetons_and_each_trick_wins_a_ninth(
    tricks: tuple[int, ...], jetons: tuple[int, ...]
) -> None:
    statement = scored([deal(*tricks)], players=len(tricks))
    assert [counters["jetons"] for counters in statement["balances"].values()] == list(jetons)


def test_a_player_left_out_of_the_tricks_has_none() -> None:
    statement = scored([{"tricks": {"Bruno": 9}, "welche": {"event": "hidden"}}])
    assert statement == scored([deal(0, 9, 0)])


@pytest.mark.parametrize(
    ("dealer", "tricks", "winner"),
    [
        ("Anne", (5, 4, 0), "Anne"),
        ("Anne", (4, 5, 0), "Bruno"),
        # All equal: the first after the dealer.
        ("Anne", (3, 3, 3), "Bruno"),
        ("Bruno", (3, 3, 3), "Chloé"),
        ("Chloé", (3, 3, 3), "Anne"),
        # Two equal: the dealer is the last of all, wherever he sits.
        ("Anne", (4, 4, 1), "Bruno"),
        ("Anne", (4, 1, 4), "Chloé"),
        ("Bruno", (4, 4, 1), "Anne"),
        ("Bruno", (1, 4, 4), "Chloé"),
        ("Chloé", (1, 4, 4), "Bruno"),
        ("Chloé", (4, 1, 4), "Anne"),
        # Neither of the equals deals.
        ("Anne", (1, 4, 4), "Bruno"),
        ("Bruno", (4, 1, 4), "Chloé"),
        ("Chloé", (4, 4, 1), "Anne"),
        ("David", (3, 0, 3, 3), "Anne"),
        ("Chloé", (2, 2, 3, 2), "Chloé"),
        ("Chloé", (2, 2, 2, 2, 1), "David"),
        ("Élise", (1, 2, 2, 2, 2), "Bruno"),
        ("David", (2, 2, 2, 2, 1), "Anne"),
    ],
)
def test_equal_tricks_are_decided_by_primaute_with_the_dealer_last(
    dealer: str, tricks: tuple[int, ...], winner: str
) -> None:
    (row,) = scored([deal(*tricks)], players=len(tricks), dealer=dealer)["deals"]
    assert row["scored"] == {player: int(player == winner) for player in PLAYERS[: len(tricks)]}


def test_marking_a_point_costs_nothing() -> None:
    statement = scored([deal(9, 0, 0)])
    assert {entry["reason"] for entry in statement["journal"]} == {"stake", "tricks"}


# --- bêtes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("deals", "pots"),
    [
        ([(4, 3, 2)], [9, 9]),
        ([(5, 4, 0)], [9, 18]),
        # Each owes the whole pot of 9: 9 + 9 + 9, 9 + 3 × 9, 9 + 4 × 9.
        ([(9, 0, 0)], [9, 27]),
        ([(9, 0, 0, 0)], [9, 36]),
        ([(9, 0, 0, 0, 0)], [9, 45]),
        # 18 with one bête, then one more made in 18: 9 + 18.
        ([(5, 4, 0), (5, 4, 0)], [9, 18, 27]),
        # Two bêtes of 9 make 27; two of 27 make 9 + 54 = 63; then nobody owes.
        ([(9, 0, 0), (0, 9, 0), (3, 3, 3)], [9, 27, 63, 9]),
        # 9 + 3 × 36 = 117, then one of 117: 126.
        ([(9, 0, 0, 0), (0, 0, 9, 0), (3, 3, 3, 0)], [9, 36, 117, 126]),
    ],
)
def test_a_player_without_a_trick_owes_the_whole_pot(deals: list[tuple[int, ...]], pots: list[int]) -> None:
    facts = [deal(*tricks) for tricks in deals]
    assert [scored(facts[:count], players=len(deals[0]))["pot"] for count in range(len(facts) + 1)] == pots


def test_a_bete_is_staked_by_its_player_and_won_with_the_pot() -> None:
    statement = scored([deal(5, 4, 0), deal(0, 3, 6)])
    assert paid(statement, 2, "stake", "bete") == [("Bruno", None, 9, "jetons"), ("Chloé", None, 9, "jetons")]
    # A trick of the second deal brings 18 / 9 = 2. Anne 5 − 9; Bruno 4 − 9 + 6; Chloé − 9 + 12.
    assert [counters["jetons"] for counters in statement["balances"].values()] == [-4, 1, 3]


def test_a_dealer_who_made_the_bete_stakes_both() -> None:
    statement = scored([deal(5, 0, 4), deal(3, 3, 3)])
    assert paid(statement, 2, "stake") == [("Bruno", None, 9, "jetons")]
    assert paid(statement, 2, "bete") == [("Bruno", None, 9, "jetons")]


def test_the_pot_pays_each_player_in_one_entry() -> None:
    statement = scored([deal(5, 4, 0), deal(2, 3, 4)])
    assert paid(statement, 2, "tricks") == [
        (None, "Chloé", 8, "jetons"),
        (None, "Anne", 4, "jetons"),
        (None, "Bruno", 6, "jetons"),
    ]


@pytest.mark.parametrize(
    "between",
    [
        [MISDEAL],
        [MISDEAL, MISDEAL],
        [points("Anne", 2)],
        [points("Anne", 2), points("Anne", -2)],
        [{"adjustment": {"from": "Chloé", "to": "Anne", "jetons": 4}}],
        [{"adjustment": {"from": "Chloé", "to": "Anne", "fiches": 1}}, MISDEAL],
        [MISDEAL | {"dealer": "Anne"}],
    ],
)
def test_a_bete_owed_waits_for_the_deal_that_is_played(between: list[dict[str, Any]]) -> None:
    before = [deal(5, 4, 0), *between]
    assert scored(before)["pot"] == 18
    statement = scored([*before, deal(3, 3, 3)])
    assert paid(statement, len(before) + 1, "bete") == [("Chloé", None, 9, "jetons")]
    assert statement["pot"] == 9


# --- the Welche ----------------------------------------------------------------------------------------------

OUTCOMES = [
    ("turned", False, 4),
    ("won", False, 4),
    ("won", True, 2),
    ("taken", False, 4),
    ("taken", True, 2),
]
DOUBLINGS = [
    (0, "double", 1),
    (1, "double", 2),
    (2, "double", 2),
    (5, "double", 2),
    (0, "redouble", 1),
    (1, "redouble", 2),
    (2, "redouble", 4),
    (3, "redouble", 8),
    (4, "redouble", 16),
]


@pytest.mark.parametrize(("event", "hearts_led", "each"), OUTCOMES)
@pytest.mark.parametrize(("times_hidden", "hidden_welche", "factor"), DOUBLINGS)
def test_the_welche_is_paid_by_or_to_each_of_the_others(
    event: str, hearts_led: bool, each: int, times_hidden: int, hidden_welche: str, factor: int
) -> None:
    holder = None if event == "turned" else "Bruno"
    last = deal(3, 3, 3, welche=event, by=holder, hearts_led=hearts_led, dealer="Chloé")
    deals = [deal(3, 3, 3)] * times_hidden
    assert scored(deals, hidden_welche=hidden_welche)["welche_factor"] == factor
    statement = scored([*deals, last], hidden_welche=hidden_welche)
    amount = each * factor
    expected = {
        "turned": [("Anne", "Chloé", amount, "jetons"), ("Bruno", "Chloé", amount, "jetons")],
        "won": [("Chloé", "Bruno", amount, "jetons"), ("Anne", "Bruno", amount, "jetons")],
        "taken": [("Bruno", "Chloé", amount, "jetons"), ("Bruno", "Anne", amount, "jetons")],
    }
    assert paid(statement, times_hidden + 1, f"welche_{event}") == expected[event]
    assert statement["welche_factor"] == 1


@pytest.mark.parametrize(
    ("players", "event", "hearts_led", "jetons"),
    [
        # Nine tricks: the dealer, Anne, has them all and so her stake again; what is left is the Welche.
        (3, "turned", False, (8, -4, -4)),
        (4, "turned", False, (12, -4, -4, -4)),
        (5, "turned", False, (16, -4, -4, -4, -4)),
        (4, "won", False, (12, -4, -4, -4)),
        (4, "won", True, (6, -2, -2, -2)),
        (5, "taken", False, (4, -16, 4, 4, 4)),
        (5, "taken", True, (2, -8, 2, 2, 2)),
    ],
)
def test_every_other_player_pays_or_is_paid_for_the_welche(
    players: int, event: str, hearts_led: bool, jetons: tuple[int, ...]
) -> None:
    holder = {"turned": None, "won": "Anne", "taken": "Bruno"}[event]
    facts = deal(9, 0, 0, 0, 0, welche=event, by=holder, hearts_led=hearts_led)
    facts["tricks"] = {"Anne": 9}
    assert [counters["jetons"] for counters in scored([facts], players)["balances"].values()] == list(jetons)


def test_a_hidden_welche_pays_nothing() -> None:
    assert paid(scored([deal(3, 3, 3)]), 1, "welche_turned", "welche_won", "welche_taken") == []


@pytest.mark.parametrize("hidden_welche", ["double", "redouble"])
@pytest.mark.parametrize(
    "between",
    [[MISDEAL], [points("Bruno", 1)], [{"adjustment": {"from": "Anne", "to": "Bruno", "jetons": 1}}], [MISDEAL] * 3],
)
def test_a_doubled_welche_waits_for_the_deal_that_is_played(between: list[dict[str, Any]], hidden_welche: str) -> None:
    deals = [deal(3, 3, 3), *between]
    assert scored(deals, hidden_welche=hidden_welche)["welche_factor"] == 2
    statement = scored([*deals, deal(3, 3, 3, welche="won", by="Anne")], hidden_welche=hidden_welche)
    assert [amount for _, _, amount, _ in paid(statement, len(deals) + 1, "welche_won")] == [8, 8]


@pytest.mark.parametrize("hidden_welche", ["double", "redouble"])
@pytest.mark.parametrize("last_bete", ["lapse", "carry"])
@pytest.mark.parametrize(
    ("event", "hearts_led", "amount"), [("turned", False, 8), ("won", True, 4), ("won", False, 8), ("taken", True, 4)]
)
def test_the_doubling_crosses_into_the_next_manche(
    event: str, hearts_led: bool, amount: int, last_bete: str, hidden_welche: str
) -> None:
    deals = [
        *standing_at(5),
        deal(9, 0, 0),
        deal(3, 3, 3, welche=event, by=None if event == "turned" else "Chloé", hearts_led=hearts_led),
    ]
    statement = scored(deals, hidden_welche=hidden_welche, last_bete=last_bete)
    assert [manche["deal"] for manche in statement["manches"]] == [2]
    assert [entry[2] for entry in paid(statement, 3, f"welche_{event}")] == [amount, amount]


def test_a_manche_ended_by_an_adjustment_leaves_the_welche_doubled() -> None:
    assert scored([deal(3, 3, 3), points("Anne", 6)])["welche_factor"] == 2


@pytest.mark.parametrize("event", ["turned", "won", "taken"])
def test_a_series_of_doublings_starts_anew_once_the_welche_has_been_seen(event: str) -> None:
    played = deal(3, 3, 3, welche=event, by=None if event == "turned" else "Anne")
    deals = [deal(3, 3, 3), deal(3, 3, 3), played, deal(3, 3, 3)]
    assert scored(deals, hidden_welche="redouble")["welche_factor"] == 2


@pytest.mark.parametrize(
    ("tricks", "event", "by"),
    [
        ((0, 4, 5), "taken", "Anne"),  # lost the only trick it might have won
        ((8, 1, 0), "taken", "Anne"),
        ((1, 4, 4), "won", "Anne"),
        ((9, 0, 0), "won", "Anne"),
        ((9, 0, 0), "taken", "Chloé"),
    ],
)
def test_a_possible_outcome_of_the_welche_is_accepted(tricks: tuple[int, ...], event: str, by: str) -> None:
    assert len(scored([deal(*tricks, welche=event, by=by)])["deals"]) == 1


def test_hearts_led_may_be_false_if_the_welche_was_not_played() -> None:
    hidden = {"tricks": {"Anne": 9}, "welche": {"event": "hidden", "hearts_led": False}}
    assert scored([hidden]) == scored([deal(9, 0, 0)])


def test_a_welche_doubled_too_often_is_refused() -> None:
    assert fields_refused([deal(3, 3, 3)] * 61, hidden_welche="redouble") == (61, ["deals"])


# --- the manche ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("has", "owes"), [(0, 12), (1, 5), (2, 4), (3, 3), (4, 2), (5, 1)])
def test_a_loser_pays_the_points_he_lacks_of_six_or_twelve_without_a_point(has: int, owes: int) -> None:
    statement = scored([*standing_at(5, has, 1), deal(9, 0, 0)])
    number = len(statement["deals"])
    # Chloé has 1 of 6 and pays 5 in every case.
    assert paid(statement, number, "manche") == [("Bruno", "Anne", owes, "fiches"), ("Chloé", "Anne", 5, "fiches")]
    assert statement["manches"] == [
        {"deal": number, "winner": "Anne", "scores": {"Anne": 6, "Bruno": has, "Chloé": 1}},
    ]
    assert statement["balances"]["Anne"]["fiches"] == owes + 5


def test_points_taken_away_again_leave_a_player_without_one() -> None:
    statement = scored([points("Bruno", 2), points("Bruno", -2), *standing_at(5, 0, 3), deal(9, 0, 0)])
    assert paid(statement, 5, "manche") == [("Bruno", "Anne", 12, "fiches"), ("Chloé", "Anne", 3, "fiches")]


def test_four_losers_pay_the_winner_in_order_of_turn() -> None:
    # The page of rules: 6, 5, 3, 1 and 0 points bring Anne 1 + 3 + 5 + 12 = 21 fiches.
    statement = scored([*standing_at(5, 5, 3, 1), deal(9, 0, 0, 0, 0)], players=5)
    assert paid(statement, 5, "manche") == [
        ("Bruno", "Anne", 1, "fiches"),
        ("Chloé", "Anne", 3, "fiches"),
        ("David", "Anne", 5, "fiches"),
        ("Élise", "Anne", 12, "fiches"),
    ]


def test_points_start_again_at_0_while_the_row_keeps_what_ended_the_manche() -> None:
    statement = scored([*standing_at(5, 2), deal(9, 0, 0)])
    assert statement["deals"][-1]["scores"] == {"Anne": 6, "Bruno": 2, "Chloé": 0}
    assert statement["scores"] == {"Anne": 0, "Bruno": 0, "Chloé": 0}
    assert statement["status"] == "open"


def test_the_deal_passes_across_a_manche() -> None:
    statement = scored([*standing_at(5), deal(9, 0, 0), deal(9, 0, 0)])
    assert [row["dealer"] for row in statement["deals"]] == ["Anne", "Anne", "Bruno"]
    assert statement["dealer"] == "Chloé"


def test_one_manche_follows_another() -> None:
    statement = scored([points("Anne", 6), points("Bruno", 6)])
    assert [(manche["deal"], manche["winner"]) for manche in statement["manches"]] == [(1, "Anne"), (2, "Bruno")]
    # Anne +24 − 12, Bruno −12 + 24, Chloé −12 − 12.
    assert [counters["fiches"] for counters in statement["balances"].values()] == [12, 12, -24]


def test_a_manche_that_is_not_won_pays_no_fiches() -> None:
    statement = scored(standing_at(5, 5, 5))
    assert statement["manches"] == []
    assert statement["journal"] == []


@pytest.mark.parametrize(("number", "owes"), [(1, 5), (3, 5)])
def test_an_adjustment_ends_a_manche_as_a_deal_does(number: int, owes: int) -> None:
    statement = scored([*standing_at(5, 1), points("Anne", number)])
    assert statement["manches"] == [
        {"deal": 3, "winner": "Anne", "scores": {"Anne": 5 + number, "Bruno": 1, "Chloé": 0}},
    ]
    assert paid(statement, 3, "manche") == [("Bruno", "Anne", owes, "fiches"), ("Chloé", "Anne", 12, "fiches")]
    assert statement["dealer"] == "Anne"


@pytest.mark.parametrize(("last_bete", "pot"), [("lapse", 9), ("carry", 27)])
def test_betes_of_a_manches_last_deal_lapse_or_are_carried(last_bete: str, pot: int) -> None:
    deals = [*standing_at(5), deal(9, 0, 0)]
    assert scored(deals, last_bete=last_bete)["pot"] == pot
    staked = paid(scored([*deals, deal(3, 3, 3)], last_bete=last_bete), 3, "bete")
    expected = [("Bruno", None, 9, "jetons"), ("Chloé", None, 9, "jetons")]
    assert staked == (expected if last_bete == "carry" else [])


@pytest.mark.parametrize(("last_bete", "pot"), [("lapse", 9), ("carry", 18)])
def test_betes_lapse_or_are_carried_if_an_adjustment_ends_the_manche(last_bete: str, pot: int) -> None:
    assert scored([deal(5, 4, 0), points("Anne", 4)], last_bete=last_bete)["pot"] == 18
    assert scored([deal(5, 4, 0), points("Anne", 5)], last_bete=last_bete)["pot"] == pot


def test_lapse_is_the_default() -> None:
    assert scored([*standing_at(5), deal(9, 0, 0)])["pot"] == 9


def test_a_carried_bete_grows_with_those_of_the_next_manche() -> None:
    # 27 at stake in the first deal of the new manche; two bêtes made in it: 9 + 2 × 27.
    assert scored([*standing_at(5), deal(9, 0, 0), deal(9, 0, 0)], last_bete="carry")["pot"] == 63


# --- dealers, adjustments, the box ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("deals", "dealers"),
    [
        ([deal(3, 3, 3)] * 4, ["Bruno", "Chloé", "Anne", "Bruno", "Chloé"]),
        ([MISDEAL, deal(3, 3, 3)], ["Bruno", "Bruno", "Chloé"]),
        ([points("Anne", 1), deal(3, 3, 3)], ["Bruno", "Bruno", "Chloé"]),
        ([deal(3, 3, 3, dealer="Anne"), deal(3, 3, 3)], ["Anne", "Bruno", "Chloé"]),
        ([MISDEAL | {"dealer": "Chloé"}, deal(3, 3, 3)], ["Chloé", "Chloé", "Anne"]),
        ([points("Anne", 1) | {"dealer": "Chloé"}, deal(3, 3, 3)], ["Chloé", "Chloé", "Anne"]),
    ],
)
def test_the_deal_passes_after_every_deal_played_and_goes_on_from_who_dealt(
    deals: list[dict[str, Any]], dealers: list[str]
) -> None:
    statement = scored(deals, dealer="Bruno")
    assert [*(row["dealer"] for row in statement["deals"]), statement["dealer"]] == dealers


def test_a_score_can_be_taken_down_to_0() -> None:
    statement = scored([points("Anne", 2), points("Anne", -2)])
    assert statement["scores"]["Anne"] == 0
    assert statement["deals"][1]["scored"] == {"Anne": -2, "Bruno": 0, "Chloé": 0}


def test_counters_move_between_two_players_and_settle_at_nine_jetons_a_fiche() -> None:
    statement = scored(
        [
            {"adjustment": {"from": "Anne", "to": "Bruno", "jetons": 4, "reason": "a bet"}},
            {"adjustment": {"from": "Bruno", "to": "Chloé", "fiches": 2}},
        ]
    )
    assert statement["balances"] == {
        "Anne": {"jetons": -4, "fiches": 0},
        "Bruno": {"jetons": 4, "fiches": -2},
        "Chloé": {"jetons": 0, "fiches": 2},
    }
    # Anne −4, Bruno 4 − 18 = −14, Chloé +18.
    assert sorted((p["from"], p["to"], p["jetons"]) for p in statement["settlement"]) == [
        ("Anne", "Chloé", 4),
        ("Bruno", "Chloé", 14),
    ]


def test_the_box_does_not_affect_scores() -> None:
    deals = [deal(5, 4, 0), deal(9, 0, 0, welche="won", by="Anne")]
    assert scored(deals, box={"fiches": 20, "jetons": 45}) == scored(deals)


# --- impossible deals ----------------------------------------------------------------------------------------

HIDDEN = {"event": "hidden"}


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        (deal(3, 3, 2), "tricks"),
        (deal(4, 4, 2), "tricks"),
        (deal(9, 9, 9), "tricks"),
        ({"tricks": {}, "welche": HIDDEN}, "tricks"),
        ({"tricks": {"Anne": 0}, "welche": HIDDEN}, "tricks"),
        ({"tricks": [4, 3, 2], "welche": HIDDEN}, "tricks"),
        ({"tricks": None, "welche": HIDDEN}, "tricks"),
        ({"welche": HIDDEN}, "tricks"),
        ({"tricks": {"Anne": 10}, "welche": HIDDEN}, "tricks.Anne"),
        ({"tricks": {"Anne": 10, "Bruno": -1}, "welche": HIDDEN}, "tricks.Anne"),
        ({"tricks": {"Anne": "9"}, "welche": HIDDEN}, "tricks.Anne"),
        ({"tricks": {"Anne": 4.5, "Bruno": 4.5}, "welche": HIDDEN}, "tricks.Anne"),
        ({"tricks": {"Anne": 9.0}, "welche": HIDDEN}, "tricks.Anne"),
        ({"tricks": {"Anne": 8, "Bruno": True}, "welche": HIDDEN}, "tricks.Bruno"),
        ({"tricks": {"Anne": 9, "Bruno": None}, "welche": HIDDEN}, "tricks.Bruno"),
        ({"tricks": {"Anne": 8, "David": 1}, "welche": HIDDEN}, "tricks.David"),
        ({"tricks": {"Anne": 9, "ns": 0}, "welche": HIDDEN}, "tricks.ns"),
        ({"tricks": {"Anne": 9}}, "welche"),
        ({"tricks": {"Anne": 9}, "welche": "hidden"}, "welche"),
        ({"tricks": {"Anne": 9}, "welche": None}, "welche"),
        ({"tricks": {"Anne": 9}, "welche": {}}, "welche.event"),
        (deal(9, 0, 0, welche="lost"), "welche.event"),
        (deal(9, 0, 0, welche="Hidden"), "welche.event"),
        ({"tricks": {"Anne": 9}, "welche": {"event": True}}, "welche.event"),
        ({"tricks": {"Anne": 9}, "welche": {"event": ["won"], "player": "Anne"}}, "welche.event"),
        (deal(9, 0, 0, welche="won"), "welche.player"),
        (deal(3, 3, 3, welche="taken"), "welche.player"),
        (deal(9, 0, 0, welche="won", by="David"), "welche.player"),
        ({"tricks": {"Anne": 9}, "welche": {"event": "won", "player": None}}, "welche.player"),
        ({"tricks": {"Anne": 9}, "welche": {"event": "won", "player": 1}}, "welche.player"),
        (deal(0, 4, 5, welche="won", by="Anne"), "welche.player"),
        ({"tricks": {"Bruno": 9}, "welche": {"event": "won", "player": "Anne"}}, "welche.player"),
        (deal(9, 0, 0, welche="taken", by="Anne"), "welche.player"),
        (deal(9, 0, 0, welche="hidden", by="Anne"), "welche.player"),
        (deal(9, 0, 0, welche="turned", by="Anne"), "welche.player"),
        (deal(9, 0, 0, welche="hidden", hearts_led=True), "welche.hearts_led"),
        (deal(9, 0, 0, welche="turned", hearts_led=True), "welche.hearts_led"),
        (deal(9, 0, 0, welche="won", by="Anne", hearts_led=1), "welche.hearts_led"),
        (deal(9, 0, 0, welche="won", by="Anne", hearts_led="yes"), "welche.hearts_led"),
        (deal(9, 0, 0, welche="won", by="Anne", hearts_led=None), "welche.hearts_led"),
        ({"tricks": {"Anne": 9}, "welche": HIDDEN | {"amount": 4}}, "welche.amount"),
        (deal(9, 0, 0, honours={"side": "ns", "count": 3}), "honours"),
        (deal(9, 0, 0, pot=9), "pot"),
        (points("Anne", -2), "adjustment.points"),
        (points("Anne", 0), "adjustment.points"),
        (points("ns", 1), "adjustment.to"),
        ({"adjustment": {"to": "Anne", "from": "Bruno", "points": 1}}, "adjustment.from"),
    ],
)
def test_an_impossible_deal_is_refused_with_its_field(facts: dict[str, Any], field: str) -> None:
    number, fields = fields_refused([deal(3, 3, 3), facts])
    assert (number, fields[0]) == (2, field)


@pytest.mark.parametrize(
    ("facts", "fields"),
    [
        (deal(3, 3, 2, welche="won"), ["tricks", "welche.player"]),
        (deal(9, 0, 0, welche="turned", by="Anne", hearts_led=True), ["welche.player", "welche.hearts_led"]),
        ({"tricks": {"Anne": 10, "Bruno": "1"}, "welche": {}}, ["tricks.Anne", "tricks.Bruno", "welche.event"]),
        ({}, ["tricks", "welche"]),
    ],
)
def test_all_problems_of_a_deal_are_found_together(facts: dict[str, Any], fields: list[str]) -> None:
    assert fields_refused([facts]) == (1, fields)


@pytest.mark.parametrize(
    ("rules", "field"),
    [
        ({"last_bete": "keep"}, "house_rules.last_bete"),
        ({"last_bete": None}, "house_rules.last_bete"),
        ({"hidden_welche": 2}, "house_rules.hidden_welche"),
        ({"box": {"fiches": 10, "jetons": 10}}, "house_rules.box.jetons"),
        ({"box": {"fiches": -1, "jetons": 9}}, "house_rules.box.fiches"),
        ({"box": {"jetons": 9}}, "house_rules.box.fiches"),
        ({"box": {"fiches": 10, "jetons": 9, "euros": 1}}, "house_rules.box.euros"),
        ({"box": 45}, "house_rules.box"),
        ({"stake": 1}, "house_rules.stake"),
        ({"target": 6}, "house_rules.target"),
    ],
)
def test_an_invalid_house_rule_is_refused(rules: dict[str, Any], field: str) -> None:
    assert fields_refused([], **rules) == (None, [field])


@pytest.mark.parametrize("players", [3, 4, 5])
def test_three_to_five_may_play(players: int) -> None:
    assert scored([{"tricks": {"Anne": 9}, "welche": HIDDEN}], players)["status"] == "open"


@pytest.mark.parametrize("players", [0, 1, 2])
def test_fewer_than_three_cannot_play(players: int) -> None:
    raw = sheet([], players) if players else sheet([]) | {"players": []}
    refusal = score(raw, games())
    assert isinstance(refusal, Refusal)
    assert (refusal.deal, refusal.first.field) == (None, "players")


def test_six_cannot_play() -> None:
    refusal = score(sheet([]) | {"players": [*PLAYERS, "Flore"]}, games())
    assert isinstance(refusal, Refusal)
    assert (refusal.deal, refusal.first.field) == (None, "players")
