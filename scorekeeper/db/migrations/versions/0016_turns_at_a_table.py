"""after what people take turns at a table

Follows 0015. At the tables so far they do at the next one.
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("card_table", sa.Column("turns", sa.String(8)))


def downgrade() -> None:
    op.drop_column("card_table", "turns")
