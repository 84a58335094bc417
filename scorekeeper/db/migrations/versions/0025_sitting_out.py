"""what a round counts that somebody sits out

Follows 0024. Earlier events keep the average, rounded half up.
"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("event", sa.Column("sitting_out", sa.String(8), nullable=False, server_default="rounded"))


def downgrade() -> None:
    op.drop_column("event", "sitting_out")
