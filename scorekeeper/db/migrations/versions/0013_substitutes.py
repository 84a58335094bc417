"""substitutes: people who took a chair of a table after others

Follows 0012. Everybody who has a seat so far has sat there from the beginning.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seat", sa.Column("is_substitute", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("seat", sa.Column("has_sat", sa.Boolean(), nullable=False, server_default=sa.true()))


def downgrade() -> None:
    op.drop_column("seat", "has_sat")
    op.drop_column("seat", "is_substitute")
