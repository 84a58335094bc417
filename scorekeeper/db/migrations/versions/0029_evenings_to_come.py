"""evenings to come, who comes, and calendars

Follows 0028.
"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "planned_evening",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("token", sa.String(16), nullable=False),
        sa.Column("circle_id", sa.Integer(), sa.ForeignKey("circle.id"), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("begins", sa.String(5), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("repeats", sa.String(12), nullable=False),
        sa.Column("skipped", sa.JSON(), nullable=False),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.Column("changed_at", sa.DateTime(), nullable=False),
        sa.Column("entry_key", sa.Text(), nullable=False),
        sa.UniqueConstraint("circle_id", "token", name="uq_planned_evening_token"),
        sa.UniqueConstraint("circle_id", "entry_key", name="uq_planned_evening_entry_key"),
        sa.UniqueConstraint("circle_id", "id", name="uq_planned_evening_circle_id"),
    )
    op.create_table(
        "evening_answer",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("evening_id", sa.Integer(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("answer", sa.String(8), nullable=False),
        sa.Column("guests", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("evening_id", "day", "player_id"),
        _reference("evening_answer", "evening_id", "planned_evening"),
        _reference("evening_answer", "player_id", "player"),
    )
    op.create_table(
        "calendar_feed",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("browser_id", sa.Integer(), nullable=False),
        sa.Column("is_personal", sa.Boolean(), nullable=False),
        sa.Column("secret_hash", sa.String(64), nullable=False),
        sa.Column("sealed_secret", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("browser_id", "is_personal"),
        sa.UniqueConstraint("secret_hash"),
        _reference("calendar_feed", "browser_id", "browser"),
    )


def downgrade() -> None:
    for table in ("calendar_feed", "evening_answer", "planned_evening"):
        op.drop_table(table)


def _reference(table: str, column: str, referred: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column.removesuffix('_id')}"
    return sa.ForeignKeyConstraint(["circle_id", column], [f"{referred}.circle_id", f"{referred}.id"], name=name)
