"""currencies that a circle settles to the cent, for transfers, and not to the smallest coin

Follows 0022.
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("circle", sa.Column("transferred", sa.String(80), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("circle", "transferred")
