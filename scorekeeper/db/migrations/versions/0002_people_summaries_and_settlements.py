"""people, summaries and settlements

Follows 0001. Every table is told the evening it belongs to; summaries are a cache and made afterwards. What was read of
a table's revisions may be kept in a process for as long as its edition is the same.
"""

from datetime import UTC, timedelta

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

NIGHT = timedelta(hours=5)  # what is begun so long after midnight belongs to the evening before


def upgrade() -> None:
    with op.batch_alter_table("circle") as circle:
        circle.add_column(sa.Column("title", sa.String(length=80), nullable=True))
        circle.add_column(sa.Column("recovery_at", sa.DateTime(), nullable=True))
        circle.add_column(sa.Column("is_sample", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("player") as player:
        player.add_column(sa.Column("person_id", sa.Integer(), nullable=True))
        player.add_column(sa.Column("retired_at", sa.DateTime(), nullable=True))
        player.add_column(sa.Column("erased_at", sa.DateTime(), nullable=True))
        player.add_column(sa.Column("is_banker", sa.Boolean(), nullable=False, server_default=sa.false()))
        player.create_foreign_key("fk_player_person", "player", ["person_id"], ["id"])
    with op.batch_alter_table("card_table") as table:
        table.add_column(sa.Column("title", sa.Text(), nullable=True))
        table.add_column(sa.Column("played_on", sa.Date(), nullable=True))
        table.add_column(sa.Column("day", sa.Date(), nullable=True))
        table.add_column(sa.Column("edition", sa.String(length=16), nullable=False, server_default=""))
    _tell_the_day()
    with op.batch_alter_table("card_table") as table:
        table.alter_column("day", existing_type=sa.Date(), nullable=False)
        table.drop_index("ix_card_table_circle_id")
        table.create_index("ix_card_table_found", ["circle_id", "day", "id"])
    op.create_index("ix_seat_player_id", "seat", ["player_id"])
    op.create_table(
        "summary",
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("seen", sa.Integer(), nullable=False),
        sa.Column("told", sa.JSON(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("taken", sa.JSON(), nullable=False),
        sa.Column("is_taken", sa.Boolean(), nullable=False),
        sa.Column("is_settled", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["card_table.id"]),
        sa.PrimaryKeyConstraint("table_id"),
    )
    op.create_index("ix_summary_fingerprint", "summary", ["fingerprint"])
    op.create_table(
        "digest",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("period", sa.String(length=7), nullable=False),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.Column("as_of", sa.Integer(), nullable=True),
        sa.Column("told", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(["circle_id"], ["circle.id"]),
        sa.PrimaryKeyConstraint("circle_id", "period"),
    )
    _create_settlements()


def _tell_the_day() -> None:
    """The evening of each table; the day it was opened on is also what its sheet has said of it so far."""
    tables = sa.table(
        "card_table",
        sa.column("id", sa.Integer),
        sa.column("opened_at", sa.DateTime),
        sa.column("day", sa.Date),
        sa.column("played_on", sa.Date),
    )
    connection = op.get_bind()
    for table in connection.execute(sa.select(tables.c.id, tables.c.opened_at)).all():
        evening = (table.opened_at.replace(tzinfo=UTC).astimezone() - NIGHT).date()
        told = {"day": evening, "played_on": table.opened_at.date()}
        connection.execute(sa.update(tables).where(tables.c.id == table.id).values(told))


def _create_settlements() -> None:
    op.create_table(
        "settlement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("account", sa.String(length=32), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=True),
        sa.Column("day", sa.Date(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("heir_id", sa.Integer(), nullable=True),
        sa.Column("left", sa.JSON(), nullable=False),
        sa.Column("is_paid", sa.Boolean(), nullable=False),
        sa.Column("is_nought", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["circle_id"], ["circle.id"]),
        sa.ForeignKeyConstraint(["table_id"], ["card_table.id"]),
        sa.ForeignKeyConstraint(["heir_id"], ["settlement.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_settlement_circle_id", "settlement", ["circle_id"])
    op.create_table(
        "part",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("settlement_id", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=True),
        sa.Column("earlier_id", sa.Integer(), nullable=True),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("amount", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["settlement_id"], ["settlement.id"]),
        sa.ForeignKeyConstraint(["table_id"], ["card_table.id"]),
        sa.ForeignKeyConstraint(["earlier_id"], ["settlement.id"]),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    for column in ("settlement_id", "table_id", "earlier_id", "player_id"):
        op.create_index(f"ix_part_{column}", "part", [column])
    op.create_table(
        "payment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("settlement_id", sa.Integer(), nullable=False),
        sa.Column("giver_id", sa.Integer(), nullable=False),
        sa.Column("taker_id", sa.Integer(), nullable=False),
        sa.Column("amount", sa.Text(), nullable=False),
        sa.Column("withdraws", sa.Integer(), nullable=True),
        sa.Column("browser_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("entry_key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["circle_id"], ["circle.id"]),
        sa.ForeignKeyConstraint(["settlement_id"], ["settlement.id"]),
        sa.ForeignKeyConstraint(["giver_id"], ["player.id"]),
        sa.ForeignKeyConstraint(["taker_id"], ["player.id"]),
        sa.ForeignKeyConstraint(["browser_id"], ["browser.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("circle_id", "number"),
        sa.UniqueConstraint("circle_id", "entry_key"),
    )
    for column in ("settlement_id", "giver_id", "taker_id"):
        op.create_index(f"ix_payment_{column}", "payment", [column])


def downgrade() -> None:
    for table in ("payment", "part", "settlement", "digest", "summary"):
        op.drop_table(table)
    op.drop_index("ix_seat_player_id", "seat")
    with op.batch_alter_table("card_table") as card_table:
        card_table.drop_index("ix_card_table_found")
        card_table.create_index("ix_card_table_circle_id", ["circle_id"])
        for column in ("title", "played_on", "day", "edition"):
            card_table.drop_column(column)
    with op.batch_alter_table("player") as player:
        player.drop_constraint("fk_player_person", type_="foreignkey")
        for column in ("person_id", "retired_at", "erased_at", "is_banker"):
            player.drop_column(column)
    with op.batch_alter_table("circle") as circle:
        circle.drop_column("title")
        circle.drop_column("recovery_at")
        circle.drop_column("is_sample")
