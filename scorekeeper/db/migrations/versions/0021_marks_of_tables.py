"""a token that changes with the flags and confirmations of a table

Follows 0020. They were known by their count alone, which the restore of a backup sets back.
"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("card_table", sa.Column("marks_edition", sa.String(16), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("card_table", "marks_edition")
