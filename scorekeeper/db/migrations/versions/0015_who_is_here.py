"""who is here this evening

Follows 0014. Nobody is, until somebody says so.
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "presence",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("arrived_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("circle_id", "player_id"),
        sa.ForeignKeyConstraint(
            ["circle_id", "player_id"], ["player.circle_id", "player.id"], name="fk_presence_player"
        ),
    )


def downgrade() -> None:
    op.drop_table("presence")
