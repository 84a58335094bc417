"""an edition of what is kept of a table

Follows 0002. What was read of a table's revisions may be kept for as long as its edition is the same. Fingerprints are
made otherwise, so the summaries, a cache, are made again afterwards.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("card_table") as table:
        table.add_column(sa.Column("edition", sa.String(length=16), nullable=False, server_default=""))
    op.execute("DELETE FROM summary")


def downgrade() -> None:
    op.execute("DELETE FROM summary")
    with op.batch_alter_table("card_table") as table:
        table.drop_column("edition")
