"""seasons and handicaps

Follows 0030.
"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "season",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("token", sa.String(16), nullable=False),
        sa.Column("circle_id", sa.Integer(), sa.ForeignKey("circle.id"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("first", sa.Date(), nullable=False),
        sa.Column("last", sa.Date(), nullable=False),
        sa.Column("counts", sa.String(8), nullable=False),
        sa.Column("games", sa.JSON(), nullable=False),
        sa.Column("currency", sa.String(3), nullable=True),
        sa.Column("lowest_wins", sa.Boolean(), nullable=False),
        sa.Column("best", sa.Integer(), nullable=True),
        sa.Column("least", sa.Integer(), nullable=False),
        sa.Column("bonus", sa.Integer(), nullable=False),
        sa.Column("ties", sa.String(8), nullable=False),
        sa.Column("places", sa.JSON(), nullable=False),
        sa.Column("entry_key", sa.Text(), nullable=True),
        sa.UniqueConstraint("circle_id", "token", name="uq_season_token"),
        sa.UniqueConstraint("circle_id", "entry_key", name="uq_season_entry_key"),
        sa.UniqueConstraint("circle_id", "id", name="uq_season_circle_id"),
    )
    op.create_table(
        "handicap",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("season_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("size", sa.String(12), nullable=False),
        sa.PrimaryKeyConstraint("season_id", "player_id"),
        _reference("handicap", "season_id", "season"),
        _reference("handicap", "player_id", "player"),
    )


def downgrade() -> None:
    for table in ("handicap", "season"):
        op.drop_table(table)


def _reference(table: str, column: str, referred: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column.removesuffix('_id')}"
    return sa.ForeignKeyConstraint(["circle_id", column], [f"{referred}.circle_id", f"{referred}.id"], name=name)
