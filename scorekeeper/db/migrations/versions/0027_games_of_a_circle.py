"""an index of a circle's tables by game

Follows 0026.
"""

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_card_table_game", "card_table", ["circle_id", "game"])


def downgrade() -> None:
    op.drop_index("ix_card_table_game", "card_table")
