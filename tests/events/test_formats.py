"""What all formats have in common, and what stands in for one that cannot be used."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import get_args, get_type_hints

import pytest

from scorekeeper.events import formats
from scorekeeper.events.drawing import Member, RoundDraw
from scorekeeper.events.formats import (
    GROUP,
    Format,
    find_format,
    find_format_or_stand_in,
    find_usable_format,
    format_slugs,
)
from scorekeeper.events.schedule import Schedule, UnschedulableError, ordered
from scorekeeper.events.scoring import find_scoring
from scorekeeper.limits import MAX_PLAYERS
from scorekeeper.scoring.problems import Problem

from .evenings import evening, everybody, play

SCHEDULED = [slug for slug in format_slugs() if find_format(slug).build is not None]
DRAWN = [slug for slug in format_slugs() if slug not in SCHEDULED]


def test_tricks_count_only_where_their_number_is_fixed_or_this_was_chosen_before() -> None:
    scorings = Format("any").scorings
    assert Format("any").scorings_for(13) == scorings
    assert Format("any").scorings_for(None, kept="tricks") == scorings
    assert Format("any").scorings_for(None) == tuple(slug for slug in scorings if slug != "tricks")
    assert Format("any", scorings=("tricks",)).scorings_for(None) == ("tricks",)
    assert [find_scoring("tricks").counted_in(tricks) for tricks in (13, None)] == ["tricks", "points"]


@pytest.mark.parametrize("slug", format_slugs())
def test_who_plays_alone_is_scored_by_what_needs_no_partner_unless_partners_stay_together(slug: str) -> None:
    format_ = find_format(slug)
    fitting = {offered for offered in format_.scorings if find_scoring(offered).fits_alone}
    offered = {*format_.scorings_for(13, plays_alone=True)}
    assert offered == (fitting if format_.members == 1 else {*format_.scorings})


@pytest.mark.parametrize("slug", format_slugs())
def test_a_format_offers_known_scorings_and_its_default_options_change_nothing(slug: str) -> None:
    format_ = find_format(slug)
    assert [find_scoring(offered).slug for offered in format_.scorings] == [*format_.scorings]
    assert format_.under(format_.options()).slug == slug
    if format_.build is not None:
        assert format_.under(format_.options()).schedule(8) == format_.schedule(8)


@pytest.mark.parametrize("slug", format_slugs())
def test_every_choice_of_every_option_can_be_played(slug: str) -> None:
    format_ = find_format(slug)
    choices = [(name, choice) for name, kind in get_type_hints(format_.options).items() for choice in get_args(kind)]
    for name, choice in choices:
        options = format_.options(**{name: choice})
        assert len(evening(format_.under(options), everybody(16), 3, options)) == 3


@pytest.mark.parametrize("slug", format_slugs())
def test_pairs_or_forts_are_ranked_where_partners_stay_together(slug: str) -> None:
    rounds = evening(find_format(slug), everybody(16), 3)
    twos = {ordered(pair) for played in rounds for table in played.tables for pair in table.pairs}
    assert (find_format(slug).members > 1) == (len(twos) == 8)


@pytest.mark.parametrize("slug", DRAWN)
def test_rounds_that_depend_on_results_have_no_schedule(slug: str) -> None:
    with pytest.raises(UnschedulableError) as caught:
        find_format(slug).schedule(8)
    assert caught.value.problem.key == "schedule.depends-on-results"
    assert find_format(slug).rounds_ahead(RoundDraw(1, 3, everybody(8))) == ()


@pytest.mark.parametrize("slug", format_slugs())
@pytest.mark.parametrize(("players", "key"), [(3, "too-few-players"), (MAX_PLAYERS + 1, "players")])
def test_a_round_of_too_few_or_too_many_is_refused(slug: str, players: int, key: str) -> None:
    with pytest.raises(UnschedulableError) as caught:
        find_format(slug).draw(RoundDraw(1, 3, everybody(players)))
    assert caught.value.problem.key == f"schedule.{key}"


@pytest.mark.parametrize("slug", SCHEDULED)
def test_the_rounds_ahead_are_those_that_are_drawn(slug: str) -> None:
    format_ = find_format(slug)
    most = format_.max_rounds(16)
    assert most is not None
    drawn = tuple(played.as_drawn() for played in evening(format_, everybody(16), most))
    assert format_.rounds_ahead(RoundDraw(1, most, everybody(16))) == drawn
    played = tuple(play(number, of_round) for number, of_round in enumerate(drawn, start=1))
    assert format_.rounds_ahead(RoundDraw(2, most, everybody(16), played[:1])) == drawn[1:]
    assert format_.rounds_ahead(RoundDraw(most, most, everybody(16), played[:-1])) == drawn[-1:]
    assert format_.rounds_ahead(RoundDraw(most + 1, most, everybody(16), played)) == ()


@pytest.mark.parametrize("slug", SCHEDULED)
def test_no_rounds_are_ahead_where_somebody_is_not_there_all_evening_or_rounds_have_left_the_schedule(
    slug: str,
) -> None:
    format_, members = find_format(slug), everybody(16)
    for partly in (Member(16, first_round=2), Member(16, last_round=2)):
        assert format_.rounds_ahead(RoundDraw(1, 3, (*members[:-1], partly))) == ()
    second_first = (play(1, format_.schedule(16, 2).rounds[1]),)
    assert format_.rounds_ahead(RoundDraw(2, 3, members, second_first)) == ()
    assert format_.rounds_ahead(RoundDraw(1, 3, everybody(3))) == ()


@pytest.mark.parametrize("slug", SCHEDULED)
def test_only_the_next_round_is_ahead_where_a_table_is_kept(slug: str) -> None:
    """A stationary player leaves the schedule as soon as a round is drawn."""
    format_ = find_format(slug)
    members = tuple(member._replace(is_stationary=member.number == 13) for member in everybody(16))
    for number, earlier in ((1, ()), (2, (play(1, format_.schedule(16, 1).rounds[0]),))):
        draw = RoundDraw(number, 3, members, earlier, seed=3)
        ahead = format_.rounds_ahead(draw)
        assert ahead[0] == format_.draw(draw)
        assert len(ahead) in (1, 4 - number)


def test_a_first_round_that_has_no_schedule_is_refused_and_a_later_one_is_drawn_evenly() -> None:
    def refuse(_players: int, _rounds: int | None) -> Schedule:
        raise UnschedulableError("too-many-rounds")

    format_ = Format("any", refuse)
    with pytest.raises(UnschedulableError):
        format_.draw(RoundDraw(1, 3, everybody(8)))
    earlier = (play(1, find_format("individual").schedule(8).rounds[0]),)
    assert len(format_.draw(RoundDraw(2, 3, everybody(8), earlier)).tables) == 2


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


def test_an_unknown_format_is_refused_with_those_that_there_are() -> None:
    assert GROUP == "scorekeeper.event_formats"
    assert find_usable_format("no-such-format") is None
    assert find_usable_format(DRAWN[0]) == find_format(DRAWN[0])
    with pytest.raises(UnschedulableError) as caught:
        find_format("no-such-format")
    params = {"format": "no-such-format", "formats": tuple(format_slugs())}
    assert caught.value.problem == Problem("", "schedule.unknown-format", params)
