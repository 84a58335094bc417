"""the motto of a circle

Follows 0025.
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("circle", sa.Column("motto", sa.String(80)))


def downgrade() -> None:
    op.drop_column("circle", "motto")
