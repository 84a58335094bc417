"""Every column of a circle is in its file, or left out of it on purpose."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from sqlalchemy import inspect

from scorekeeper import models
from scorekeeper.exchange import circle_records as records
from scorekeeper.services.files.circle_rows import find_fields


class Stored(NamedTuple):
    """A model, its record, its columns that the record has not, and the columns of the record that it has not.

    Columns that say where a row belongs, such as `circle_id`, are not listed: its place in the file says it.
    """

    model: type[models.Base]
    record: type
    left_out: str = ""
    elsewhere: str = ""  # from other rows, or from columns that are left out


STORED = (
    Stored(models.Circle, records.CircleRecord, "entry_key is_sample name recovery_at", "banker_id"),
    Stored(models.Player, records.PlayerRecord, "is_banker token", "number present"),
    Stored(models.Presence, records.PresenceRecord),
    Stored(models.Browser, records.BrowserRecord, "device_id right"),
    Stored(
        models.Table,
        records.TableRecord,
        "edition mark_changes marks_edition token value_amount value_currency value_unit",
        "number players revisions substitutes value",
    ),
    Stored(models.Revision, records.RevisionRecord, ""),
    Stored(
        models.Event,
        records.EventRecord,
        "edition generation plan_edition plan_version token version",
        "drawn entrants number substitutions",
    ),
    Stored(models.Entrant, records.EntrantRecord),
    Stored(models.EntrantSubstitution, records.EntrantSubstitutionRecord),
    Stored(models.DrawnRound, records.RoundRecord, "", "tables"),
    Stored(
        models.RoundTable,
        records.RoundTableRecord,
        "called_at calls coming_id is_confirmed result round scores",
        "results",
    ),
    Stored(models.RoundResult, records.RoundResultRecord, "round table_number", "confirmed"),
    Stored(models.ResultConfirmation, records.SideRecord),
    Stored(models.Settlement, records.SettlementRecord, "is_cleared is_paid token unpaid", "number parts"),
    Stored(models.Part, records.PartRecord),
    Stored(models.Payment, records.PaymentRecord, "", "confirmed"),
    Stored(models.Confirmation, records.Signed),
    Stored(models.Season, records.SeasonRecord, "entry_key token", "handicaps"),
    Stored(models.Handicap, records.HandicapRecord),
)
OWNERS = {"circle_id", "table_id", "event_id", "settlement_id", "payment_id", "result_id", "player_id", "season_id"}
# Access, which nobody can take along; caches; and seats, which are the lists of players in the record of a table.
NOT_IN_THE_FILE = {models.Link, models.Device, models.BrowserLink, models.EventPhone}
# Evenings to come: the circle's phones, which answer and follow its calendars, do not move with it.
NOT_IN_THE_FILE |= {models.PlannedEvening, models.EveningAnswer, models.CalendarFeed}
NOT_IN_THE_FILE |= {models.NoticeSubscription}  # for the same reason
NOT_IN_THE_FILE |= {models.Summary, models.Seat}


@pytest.mark.parametrize("stored", STORED, ids=lambda stored: stored.model.__name__)
def test_every_column_is_in_the_file_or_left_out_on_purpose(stored: Stored) -> None:
    columns = {*inspect(stored.model).columns.keys()}
    in_record = {field.column for field in find_fields(stored.record)}
    assert columns - in_record - OWNERS - {"id"} == {*stored.left_out.split()}
    assert in_record - columns == {*stored.elsewhere.split()}


def test_every_model_is_in_the_file_or_left_out_on_purpose() -> None:
    in_file = {stored.model for stored in STORED}
    assert in_file | NOT_IN_THE_FILE == {mapper.class_ for mapper in models.Base.registry.mappers}
    assert not in_file & NOT_IN_THE_FILE
