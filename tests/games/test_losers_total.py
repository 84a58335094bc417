"""Whist and Short Whist scored a second time, from the rules alone, and compared on random sheets."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from .played import scored

SHEETS = 1500  # for each game


def random_deals(rng: Random, *, calls: bool) -> list[dict[str, Any]]:
    """Deal tricks, honours and adjustments at random; a side at exactly 8 sometimes calls."""
    deals: list[dict[str, Any]] = []
    own = Reckoner(10 if calls else 5, calls=calls, rules={})
    for _ in range(rng.randint(5, 25)):
        kind, side = rng.random(), rng.choice(["ns", "ew"])
        fact: dict[str, Any] = {"tricks": {side: rng.randint(0, 13)}}
        if calls and own.score[side] == 8 and kind < 0.5:
            fact = {"called": side}
        elif kind < 0.1:
            fact = {"adjustment": {"to": side, "points": rng.choice([1, 2, -1])}}
            if own.score[side] + fact["adjustment"]["points"] < 0:
                continue
        elif kind < 0.6:
            fact["honours"] = {"side": rng.choice(["ns", "ew"]), "count": rng.choice([3, 4])}
        deals.append(fact)
        own.add(fact)
    return deals


class Reckoner:
    """A manche is two columns a side: points of honours, and all others."""

    def __init__(self, target: int, *, calls: bool, rules: dict[str, Any]) -> None:
        self.target, self.calls, self.rules = target, calls, rules
        self.ended: list[tuple[str, int]] = []
        self.clear()

    def clear(self) -> None:
        self.score, self.of_honours = {"ns": 0, "ew": 0}, {"ns": 0, "ew": 0}

    def add(self, fact: dict[str, Any]) -> None:
        if "adjustment" in fact:
            self.score[fact["adjustment"]["to"]] += fact["adjustment"]["points"]
            self.end(None)
        elif "called" in fact:
            self.score[fact["called"]] += 2
            self.of_honours[fact["called"]] += 2
            self.end(fact["called"])
        else:
            self.play(fact)

    def play(self, fact: dict[str, Any]) -> None:
        ((side, tricks),) = fact["tricks"].items()
        other = "ew" if side == "ns" else "ns"
        takers, over = (side, tricks - 6) if tricks > 6 else (other, 7 - tricks)
        before = dict(self.score)
        self.score[takers] += over
        is_out = self.score[takers] >= self.target
        honours = fact.get("honours")
        if honours is not None:
            holders, points = honours["side"], 2 if honours["count"] == 3 else 4
            is_barred = before[holders] == (9 if self.calls else 4) and not (self.calls and self.at_nine)
            is_late = is_out and holders != takers and not self.rules.get("losing_honours", False)
            if not is_barred and not is_late:
                self.score[holders] += points
                self.of_honours[holders] += points
        self.end(takers if is_out else None)

    @property
    def at_nine(self) -> bool:
        return bool(self.rules.get("honours_at_nine", True))

    def end(self, winner: str | None) -> None:
        out = [side for side in ("ns", "ew") if self.score[side] >= self.target]
        if not out:
            return
        winner = winner or out[0]
        loser = "ew" if winner == "ns" else "ns"
        total = self.score[loser]
        if self.rules.get("losers_total") == "tricks":
            total = max(total - self.of_honours[loser], 0)
        scale = (2,) * 5 if self.calls else (3, 2, 2)
        self.ended.append((winner, scale[total] if total < len(scale) else 1))
        self.clear()


@pytest.mark.parametrize(("slug", "calls"), [("whist", True), ("short-whist", False)])
def test_manches_are_worth_what_an_independent_reckoning_says(slug: str, calls: bool) -> None:
    rng, differing = Random(33), 0  # noqa: S311  # sheets, not secrets
    for _ in range(SHEETS):
        deals = random_deals(rng, calls=calls)
        found = {}
        for total in ("marked", "tricks"):
            rules: dict[str, Any] = {"losers_total": total, "losing_honours": rng.random() < 0.3}
            if calls:
                rules["honours_at_nine"] = rng.random() < 0.7
            own = Reckoner(10 if calls else 5, calls=calls, rules=rules)
            playable = []
            for fact in deals:  # what the other rules make impossible is left out
                if "called" in fact and own.score[fact["called"]] != 8:
                    continue
                adjustment = fact.get("adjustment")
                if adjustment is not None and own.score[adjustment["to"]] + adjustment["points"] < 0:
                    continue
                playable.append(fact)
                own.add(fact)
            manches = scored(slug, playable, **rules)["manches"]
            found[total] = [(manche["winner"], manche["points"]) for manche in manches]
            assert found[total] == own.ended, (rules, playable)
        differing += found["marked"] != found["tricks"]
    assert differing > SHEETS // 20
