"""fees that are waived, and what a part of a settlement was for

Follows 0017. Nobody's fee is waived so far.
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("entrant", sa.Column("is_free", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("part", sa.Column("kind", sa.String(8)))
    op.create_index("ix_part_event_id", "part", ["event_id"])


def downgrade() -> None:
    op.drop_index("ix_part_event_id", "part")
    op.drop_column("part", "kind")
    op.drop_column("entrant", "is_free")
