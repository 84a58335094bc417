"""Every column of a circle is in its file, or left out of it on purpose."""

from __future__ import annotations

from sqlalchemy import inspect

from scorekeeper import models
from scorekeeper.files.circle_format import FIELDS

# Secrets and addresses, what an import computes, and what is of this server. Columns that name the item which holds a
# row, such as `circle_id`, and those that count the rows of a list, follow from its place in the file.
LEFT_OUT = {
    models.Circle: "entry_key epoch is_sample recovery_at token",
    models.Player: "token",
    models.Membership: "device_id right",
    models.Table: "closed_at edition token",
    models.Seat: "has_sat",
    models.Event: "edition generation plan_edition token",
    models.RoundTable: "called_at calls edition is_confirmed result scores",
    models.Payment: "token",
    models.Season: "entry_key token",
}
# Access, which nobody can take along; caches; and what the circle's phones have, which do not move with it.
NOT_IN_THE_FILE = {
    *(models.Link, models.Device, models.MembershipLink, models.EventPhone, models.Summary),
    *(models.PlannedEvening, models.EveningAnswer, models.CalendarFeed, models.NoticeSubscription),
}


def test_every_column_is_in_the_file_or_left_out_on_purpose() -> None:
    for item, fields in FIELDS.items():
        columns = {*inspect(item.model).columns.keys()} - {"id", "circle_id", *item.parent, item.counter}
        stored = {field.column.key for field in fields}
        assert columns - stored == {*LEFT_OUT.get(item.model, "").split()}, item.model
    models_in_file = {item.model for item in FIELDS}
    assert models_in_file | NOT_IN_THE_FILE == {mapper.class_ for mapper in models.Base.registry.mappers}
    assert not models_in_file & NOT_IN_THE_FILE
