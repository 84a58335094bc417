"""A choice that no page offers is not taken for another one: garbled, it would do more than was asked, or less."""

from __future__ import annotations

from dataclasses import replace

import pytest

from .judging import Judge
from .sending import Write
from .writes import WRITES

# The fields that say what is to be done with the rest of the form.
CHOICES = {
    "deals.new": "do",
    "deals.amend": "do",
    "deals.insert": "do",
    "deals.adjustment": "kind",
    "event_entrants.change": "do",
    "event_setup.new": "do",
    "event_setup.settings": "do",
    "event_slips.show_table": "do",
    "links.revoke_browser": "renew",
}


@pytest.mark.parametrize("write", [pytest.param(each, id=each.title) for each in WRITES if each.endpoint in CHOICES])
def test_a_choice_that_no_page_offers_does_nothing(judge: Judge, write: Write) -> None:
    request = judge.requests.of(write, 1)
    garbled = {CHOICES[write.endpoint]: "withdrwa"}
    judge.world.reset()
    before = judge.world.content()
    assert replace(request, data=request.data | garbled).send(judge.world).status_code == 400
    assert judge.world.content() == before
