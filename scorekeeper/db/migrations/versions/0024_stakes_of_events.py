"""what the tables of an event are played for

Follows 0023. Before, whatever was won at them was owed, in counters without value: so it remains at these events.
"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("card_table", "event"):
        op.add_column(table, sa.Column("has_stakes", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.add_column("event", sa.Column("value", sa.JSON()))


def downgrade() -> None:
    op.drop_column("event", "value")
    for table in ("event", "card_table"):
        op.drop_column(table, "has_stakes")
