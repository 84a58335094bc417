"""events with many tables

Follows 0016. Settlements, and what they took over, may belong to an event: its fees and prizes.
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "event",
        _id(),
        sa.Column("token", sa.String(32), nullable=False),
        sa.Column("circle_id", sa.Integer(), sa.ForeignKey("circle.id"), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("place", sa.Text()),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("house_rules", sa.JSON(), nullable=False),
        sa.Column("format", sa.String(32), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("scoring", sa.String(32), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("round_unit", sa.String(8), nullable=False),
        sa.Column("length", sa.Integer()),
        sa.Column("fee", sa.String(24)),
        sa.Column("currency", sa.String(3)),
        sa.Column("prizes", sa.JSON(), nullable=False),
        sa.Column("cashier_id", sa.Integer()),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("has_check_in", sa.Boolean(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("finished_at", sa.DateTime()),
        sa.Column("entry_key", sa.Text()),
        sa.UniqueConstraint("token"),
        sa.UniqueConstraint("circle_id", "id", name="uq_event_circle_id"),
        sa.UniqueConstraint("circle_id", "entry_key", name="uq_event_entry_key"),
        _reference("event", "cashier_id", "player"),
    )
    op.create_index("ix_event_found", "event", ["circle_id", "day", "id"])
    op.create_table(
        "entrant",
        *_key("number"),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("group", sa.String(1), nullable=False),
        sa.Column("first_round", sa.Integer(), nullable=False),
        sa.Column("last_round", sa.Integer()),
        sa.Column("is_stationary", sa.Boolean(), nullable=False),
        sa.Column("joined_at", sa.DateTime(), nullable=False),
        sa.UniqueConstraint("event_id", "player_id", name="uq_entrant_player"),
        _reference("entrant", "event_id", "event"),
        _reference("entrant", "player_id", "player"),
    )
    op.create_index("ix_entrant_player_id", "entrant", ["player_id"])
    op.create_table(
        "entrant_substitution",
        *_key("number", "round"),
        sa.Column("player_id", sa.Integer(), nullable=False),
        _reference("entrant_substitution", "event_id", "event"),
        _reference("entrant_substitution", "player_id", "player"),
    )
    op.create_index("ix_entrant_substitution_player_id", "entrant_substitution", ["player_id"])
    _create_rounds()
    _create_results()
    op.create_table(
        "event_phone",
        *_key("browser_id"),
        sa.Column("table_number", sa.Integer()),
        sa.Column("number", sa.Integer()),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("joined_at", sa.DateTime(), nullable=False),
        _reference("event_phone", "event_id", "event"),
        _reference("event_phone", "browser_id", "browser"),
    )
    op.create_index("ix_event_phone_browser_id", "event_phone", ["browser_id"])
    for table in ("settlement", "part"):
        with op.batch_alter_table(table) as batch:
            batch.add_column(sa.Column("event_id", sa.Integer()))
            batch.create_foreign_key(f"fk_{table}_event", "event", ["circle_id", "event_id"], ["circle_id", "id"])


def _create_rounds() -> None:
    op.create_table(
        "event_round",
        *_key("number"),
        sa.Column("sits_out", sa.JSON(), nullable=False),
        sa.Column("drawn_at", sa.DateTime(), nullable=False),
        sa.Column("started_at", sa.DateTime()),
        sa.Column("paused_at", sa.DateTime()),
        sa.Column("paused_seconds", sa.Integer(), nullable=False),
        sa.Column("entry_key", sa.Text(), nullable=False),
        _reference("event_round", "event_id", "event"),
    )
    op.create_table(
        "event_table",
        *_key("round", "number"),
        sa.Column("pairs", sa.JSON(), nullable=False),
        sa.Column("table_id", sa.Integer()),
        sa.Column("result", sa.Integer(), nullable=False),
        sa.Column("scores", sa.JSON()),
        sa.Column("is_confirmed", sa.Boolean(), nullable=False),
        _reference("event_table", "event_id", "event"),
        _reference("event_table", "table_id", "card_table"),
    )
    op.create_index("ix_event_table_table_id", "event_table", ["table_id"])


def _create_results() -> None:
    op.create_table(
        "event_result",
        _id(),
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("table_number", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("body", sa.JSON()),
        sa.Column("is_slip", sa.Boolean(), nullable=False),
        sa.Column("browser_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("entry_key", sa.Text(), nullable=False),
        sa.UniqueConstraint("circle_id", "id", name="uq_event_result_circle_id"),
        sa.UniqueConstraint("event_id", "round", "table_number", "number", name="uq_event_result_number"),
        sa.UniqueConstraint("event_id", "entry_key", name="uq_event_result_entry_key"),
        _reference("event_result", "event_id", "event"),
        _reference("event_result", "browser_id", "browser"),
    )
    op.create_table(
        "event_confirmation",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("result_id", sa.Integer(), nullable=False),
        sa.Column("side", sa.Integer(), nullable=False),
        sa.Column("browser_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("result_id", "side"),
        _reference("event_confirmation", "result_id", "event_result"),
        _reference("event_confirmation", "browser_id", "browser"),
    )


def downgrade() -> None:
    for table in ("part", "settlement"):
        with op.batch_alter_table(table) as batch:
            batch.drop_constraint(f"fk_{table}_event", type_="foreignkey")
            batch.drop_column("event_id")
    for table in ("event_phone", "event_confirmation", "event_result", "event_table", "event_round"):
        op.drop_table(table)
    for table in ("entrant_substitution", "entrant", "event"):
        op.drop_table(table)


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer(), primary_key=True)


def _key(*names: str) -> tuple[sa.Column[int] | sa.PrimaryKeyConstraint, ...]:
    """Return the columns of the key of a row of an event."""
    columns = [sa.Column(name, sa.Integer(), nullable=False) for name in ("circle_id", "event_id", *names)]
    return (*columns, sa.PrimaryKeyConstraint("event_id", *names))


def _reference(table: str, column: str, referred: str) -> sa.ForeignKeyConstraint:
    """Return the foreign key of a column to a row of the same circle."""
    name = f"fk_{table}_{column.removesuffix('_id')}"
    return sa.ForeignKeyConstraint(["circle_id", column], [f"{referred}.circle_id", f"{referred}.id"], name=name)
