"""how often an event changed but for its results

Follows 0018. No event has changed so far.
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("event", sa.Column("plan_version", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("event", "plan_version")
