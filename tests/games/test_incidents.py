"""Incidents while dealing at Whist, and honours that may be claimed after a deal is recorded."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.i18n import LANGUAGES, translate
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.standing import AnyStanding

from ..support.game_data import variants_of
from ..support.sheets import MISDEAL, PLAYERS, at

WHAT_FOLLOWS = {
    # rules.md, "When a deal goes wrong": whether the same player deals again, and who decides where there is a choice.
    "face_up": ("always", None),
    "exposed_by_dealers": ("if-chosen", "the side that does not deal"),
    "exposed_by_others": ("if-chosen", "the dealer"),
    "touched": ("never", None),
}


def standing_after(deals: list[dict[str, Any]], slug: str = "whist", **house_rules: Any) -> AnyStanding:
    game = games()[slug]
    standing = game.open(PLAYERS, "Anne", game.options(**house_rules))
    assert fold(game, standing, deals) is None
    return standing


def claims(deals: list[dict[str, Any]], slug: str = "whist", **house_rules: Any) -> list[tuple[int, str | None]]:
    """Return the deals in which honours may be claimed, and the side; None for either side."""
    claimable = games()[slug].dealing.claimable(standing_after(deals, slug, **house_rules))
    for claim in claimable:
        assert claim.message == ("claim.honours-of" if claim.params else "claim.honours")
        for language in LANGUAGES:
            assert str(claim.number) in translate(
                language, f"{slug}.{claim.message}", number=claim.number, **claim.params
            )
    return [(claim.number, claim.params.get("party")) for claim in claimable]


@pytest.mark.parametrize(("dealer", "others"), [("Anne", "ew"), ("Bruno", "ns"), ("Chloé", "ew"), ("David", "ns")])
@pytest.mark.parametrize("slug", variants_of("whist"))
def test_the_side_that_made_the_mistake_does_not_decide_whether_to_deal_again(
    slug: str, dealer: str, others: str
) -> None:
    who = {None: None, "the dealer": dealer, "the side that does not deal": others}
    standing = standing_after([], slug)
    expected = {
        incident.name: (incident.again, incident.decider(standing, dealer))
        for incident in games()[slug].dealing.incidents
    }
    assert expected == {name: (again, who[decides]) for name, (again, decides) in WHAT_FOLLOWS.items()}


SEVEN = {"tricks": {"ns": 7}}
WITH_HONOURS = SEVEN | {"honours": {"side": "ns", "count": 3}}
OUT = {"tricks": {"ns": 13}}  # 7 points


@pytest.mark.parametrize(
    ("deals", "expected"),
    [
        ([], []),
        ([SEVEN], [(1, None)]),
        ([WITH_HONOURS], []),
        ([WITH_HONOURS, SEVEN], [(2, None)]),
        ([SEVEN, WITH_HONOURS], []),
        # Neither a misdeal nor an adjustment ends the time to claim.
        ([SEVEN, MISDEAL], [(1, None)]),
        ([SEVEN, *at(2, 1), MISDEAL], [(1, None)]),
        ([MISDEAL], []),
        ([*at(2, 1)], []),
        # A deal that was called was not played.
        ([*at(8, 0), {"called": "ns"}], []),
        ([*at(8, 0), {"called": "ns"}, SEVEN], [(3, None)]),
        # Once tricks have won the manche the winners need none, and the losers' come too late.
        ([*at(3, 9), OUT], []),
        ([*at(2, 9), OUT], [(3, None)]),
    ],
)
def test_honours_of_the_last_deal_may_be_claimed_until_the_next(
    deals: list[dict[str, Any]], expected: list[tuple[int, str | None]]
) -> None:
    assert claims(deals) == expected


def test_losers_may_claim_honours_after_the_manche_under_the_house_rule() -> None:
    assert claims([*at(3, 0), OUT], losing_honours=True) == [(2, "ew")]
    assert claims([*at(0, 3), {"tricks": {"ew": 13}}], losing_honours=True) == [(2, "ns")]
    assert claims([*at(3, 0), OUT], losing_honours=False) == []


@pytest.mark.parametrize(
    ("slug", "rules", "silent"), [("whist", {"honours_at_nine": False}, 9), ("short-whist", {}, 4)]
)
def test_a_side_whose_honours_do_not_count_can_claim_none(slug: str, rules: dict[str, Any], silent: int) -> None:
    assert claims([*at(0, silent), SEVEN], slug, **rules) == [(2, "ns")]
    assert claims([*at(silent, 0), {"tricks": {"ew": 7}}], slug, **rules) == [(2, "ew")]
    assert claims([*at(silent, silent), SEVEN], slug, **rules) == []
    assert claims([*at(silent - 1, silent - 1), {"tricks": {"ew": 6, "ns": 7}}], slug, **rules) != []
    assert claims([*at(0, silent), SEVEN], "whist") == [(2, None)]
