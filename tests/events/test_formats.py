"""What all formats have in common."""

from __future__ import annotations

import pytest

from scorekeeper.events.drawing import UnschedulableError
from scorekeeper.events.formats import FORMATS
from scorekeeper.events.scoring import SCORINGS

from .evenings import draw_next, everybody


def test_tricks_count_only_where_their_number_is_fixed_or_this_was_chosen_before() -> None:
    of_format = FORMATS["individual"]
    scorings = of_format.scorings
    assert of_format.scorings_for(13) == scorings
    assert of_format.scorings_for(None, kept="tricks") == scorings
    assert of_format.scorings_for(None) == tuple(slug for slug in scorings if slug != "tricks")
    assert [SCORINGS["tricks"].counted_in(tricks) for tricks in (13, None)] == ["tricks", "points"]


@pytest.mark.parametrize("slug", FORMATS)
def test_a_round_of_too_few_is_refused(slug: str) -> None:
    with pytest.raises(UnschedulableError) as caught:
        draw_next(FORMATS[slug], everybody(3))
    assert caught.value.problem.key == "schedule.too-few-players"
