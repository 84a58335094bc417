"""What all formats have in common, and what stands in for one that cannot be used."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from scorekeeper.events import formats
from scorekeeper.events.drawing import RoundDraw
from scorekeeper.events.formats import (
    Format,
    find_format,
    find_format_or_stand_in,
    format_slugs,
)
from scorekeeper.events.schedule import UnschedulableError
from scorekeeper.events.scoring import find_scoring
from scorekeeper.limits import MAX_PLAYERS

from .evenings import everybody

SCHEDULED = [slug for slug in format_slugs() if find_format(slug).build is not None]


def test_tricks_count_only_where_their_number_is_fixed_or_this_was_chosen_before() -> None:
    scorings = Format("any").scorings
    assert Format("any").scorings_for(13) == scorings
    assert Format("any").scorings_for(None, kept="tricks") == scorings
    assert Format("any").scorings_for(None) == tuple(slug for slug in scorings if slug != "tricks")
    assert Format("any", scorings=("tricks",)).scorings_for(None) == ("tricks",)
    assert [find_scoring("tricks").counted_in(tricks) for tricks in (13, None)] == ["tricks", "points"]


@pytest.mark.parametrize("slug", format_slugs())
@pytest.mark.parametrize(("players", "key"), [(3, "too-few-players"), (MAX_PLAYERS + 1, "players")])
def test_a_round_of_too_few_or_too_many_is_refused(slug: str, players: int, key: str) -> None:
    with pytest.raises(UnschedulableError) as caught:
        find_format(slug).draw(RoundDraw(1, 3, everybody(players)))
    assert caught.value.problem.key == f"schedule.{key}"


@pytest.mark.parametrize(("value", "said"), [("no.such:FORMAT", "No module"), ("json:dumps", "must name a Format")])
def test_a_format_that_cannot_be_used_says_why_and_draws_nothing(
    value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "find_entry_points", lambda group: [EntryPoint("another", value, group)])
    with pytest.raises(UnschedulableError) as caught:
        find_format("another")
    assert caught.value.problem.key == "schedule.unusable-format"
    assert said in caught.value.problem.params["reason"]
    stand_in = find_format_or_stand_in("another")
    assert stand_in.slug == "another"
    with pytest.raises(UnschedulableError) as caught_again:
        stand_in.draw(RoundDraw(1, 3, everybody(8)))
    assert caught_again.value.problem == caught.value.problem
